/* Several queues with the n-th OpenCL call or host allocation failing: outputs are NULL, nothing leaks, and what was
 * released can be had again. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"
#include "own_cache.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <stdlib.h>

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

/* Calls, and asserts that the output is there or not as the status says. */
#define STEP(Call, Out)                                                              \
    do {                                                                             \
        if (st == WEIR_OK) {                                                         \
            st = (Call);                                                             \
            cr_assert_eq((Out) == NULL, st != WEIR_OK, "%s left its output", #Call); \
        }                                                                            \
    } while (0)

static weir_status enqueue(made *m)
{
    weir_status st = WEIR_OK;
    weir_pool *pool = weir_context_get_pool(m->ctx);

    STEP(weir_full(m->views[0], WEIR_DTYPE_F32, &shape, 1, &m->tensors[0]), m->tensors[0]);
    STEP(weir_add(m->views[1], m->tensors[0], m->tensors[0], &m->tensors[1]), m->tensors[1]);
    weir_tensor_release(m->tensors[0]);
    m->tensors[0] = NULL;
    STEP(weir_full(m->ctx, WEIR_DTYPE_F32, &shape, 2, &m->tensors[2]), m->tensors[2]);
    STEP(weir_variable_create(m->views[0], NULL, WEIR_DTYPE_F32, &shape, m->tensors[1], NULL,
                              &m->variable),
         m->variable);
    if (st == WEIR_OK) st = weir_variable_assign_add(m->variable, m->tensors[2]);
    STEP(weir_mul(m->views[1], m->tensors[2], m->tensors[1], &m->tensors[3]), m->tensors[3]);
    STEP(weir_pool_alloc(pool, m->queues[1], 5000, NULL, &m->block), m->block);
    if (st == WEIR_OK) st = weir_block_record(m->block, m->queues[0]);
    weir_block_release(m->block);
    m->block = NULL;
    STEP(weir_pool_alloc(pool, NULL, 5000, NULL, &m->block), m->block);
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
    STEP(weir_context_create(user, &options, &m.ctx), m.ctx);
    for (int i = 0; i < 2; i++) {
        STEP(weir_queue_create(m.ctx, &m.queues[i]), m.queues[i]);
        STEP(weir_context_on_queue(m.ctx, m.queues[i], &m.views[i]), m.views[i]);
    }
    if (st == WEIR_OK) st = enqueue(&m);
    if (st == WEIR_OK) st = weir_tensor_to_host(m.tensors[3], host, sizeof host);
    weir_context_release(m.views[1]);
    weir_queue_release(m.queues[1]);
    m.queues[1] = NULL;
    STEP(weir_queue_create(m.ctx, &m.queues[1]), m.queues[1]); /* in the same slot */
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

/* As in ops.c. */
#define TOLERATED " clGetProgramBuildInfo clCreateBuffer clEnqueueWriteBuffer clGetEventInfo "

static weir_device *open_null(weir_system **system)
{
    const wt_null_control *null = NULL;

    wt_cache_begin();
    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    null = wt_null_use();
    cr_assert(null->set("LAZY", "1"));
    wt_host_count_begin();
    wt_ok(weir_system_create(system));
    return weir_system_device(*system, 0);
}

Test(fault_queue, each_call)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result;

    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED}, whole,
                           device);
    cr_assert_gt(result.failed, 40);
    weir_system_destroy(system);
    wt_cache_end();
}

Test(fault_queue, each_host_allocation)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result;

    result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_HOST, .tolerated = "the cache does without"}, whole,
        device);
    cr_assert_geq(result.failed, 20);
    weir_system_destroy(system);
    wt_cache_end();
}
