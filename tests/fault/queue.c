/* Several queues with the n-th OpenCL call or host allocation failing: outputs are NULL, nothing leaks, and what was
 * released can be had again. */
#include "fault_null.h"
#include "null_device.h"

#include <weir/weir.h>

TestSuite(fault_queue, .timeout = 300);

static const weir_shape shape = {1, {1000}};

/* What the scenario makes. */
typedef struct made {
    weir_context *ctx;
    weir_queue *queues[2];
    weir_context *views[2];
    weir_tensor *tensors[4];
    weir_variable *variable;
    weir_block *block;
} made;

static weir_status enqueue(made *m)
{
    weir_status st = WEIR_OK;
    weir_pool *pool = weir_context_get_pool(m->ctx);

    WT_FAULT_STEP(st, weir_full(m->views[0], WEIR_DTYPE_F32, &shape, 1, &m->tensors[0]),
                  m->tensors[0]);
    WT_FAULT_STEP(st, weir_add(m->views[1], m->tensors[0], m->tensors[0], &m->tensors[1]),
                  m->tensors[1]);
    weir_tensor_release(m->tensors[0]);
    m->tensors[0] = NULL;
    WT_FAULT_STEP(st, weir_full(m->ctx, WEIR_DTYPE_F32, &shape, 2, &m->tensors[2]), m->tensors[2]);
    WT_FAULT_STEP(st,
                  weir_variable_create(m->views[0], NULL, WEIR_DTYPE_F32, &shape, m->tensors[1],
                                       NULL, &m->variable),
                  m->variable);
    if (st == WEIR_OK) st = weir_variable_assign_add(m->variable, m->tensors[2]);
    WT_FAULT_STEP(st, weir_mul(m->views[1], m->tensors[2], m->tensors[1], &m->tensors[3]),
                  m->tensors[3]);
    WT_FAULT_STEP(st, weir_pool_alloc(pool, m->queues[1], 5000, NULL, &m->block), m->block);
    if (st == WEIR_OK) st = weir_block_record(m->block, m->queues[0]);
    weir_block_release(m->block);
    m->block = NULL;
    WT_FAULT_STEP(st, weir_pool_alloc(pool, NULL, 5000, NULL, &m->block), m->block);
    if (st == WEIR_OK) st = weir_queue_wait(weir_context_get_queue(m->ctx), m->queues[1]);
    if (st == WEIR_OK) st = weir_queue_synchronize(m->queues[0]);
    return st;
}

static weir_status whole(void *user)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_status st = WEIR_OK;
    float host[1000];
    made m = {0};

    options.no_self_check = 1;
    WT_FAULT_STEP(st, weir_context_create(user, &options, &m.ctx), m.ctx);
    for (int i = 0; i < 2; i++) {
        WT_FAULT_STEP(st, weir_queue_create(m.ctx, &m.queues[i]), m.queues[i]);
        WT_FAULT_STEP(st, weir_context_on_queue(m.ctx, m.queues[i], &m.views[i]), m.views[i]);
    }
    if (st == WEIR_OK) st = enqueue(&m);
    if (st == WEIR_OK) st = weir_tensor_to_host(m.tensors[3], host, sizeof host);
    weir_context_release(m.views[1]);
    weir_queue_release(m.queues[1]);
    m.queues[1] = NULL;
    WT_FAULT_STEP(st, weir_queue_create(m.ctx, &m.queues[1]), m.queues[1]); /* in the same slot */
    if (st == WEIR_OK) st = weir_pool_trim(weir_context_get_pool(m.ctx), 0);
    if (st == WEIR_OK) st = weir_context_synchronize(m.ctx);
    for (int i = 0; i < 4; i++) weir_tensor_release(m.tensors[i]);
    weir_variable_release(m.variable);
    weir_block_release(m.block);
    weir_context_release(m.views[0]);
    for (int i = 0; i < 2; i++) weir_queue_release(m.queues[i]);
    weir_context_release(m.ctx);
    return st;
}

/* Commands complete when something waits for them. */
static void complete_late(void) { cr_assert(wt_null_use()->set("LAZY", "1")); }

Test(fault_queue, each_call)
{
    complete_late();
    cr_assert_gt(wt_fault_on_null_uncached(&wt_fault_calls, whole).failed, 40);
}

Test(fault_queue, each_host_allocation)
{
    complete_late();
    cr_assert_geq(wt_fault_on_null_uncached(&wt_fault_host, whole).failed, 20);
}
