/* Taking, using, giving back and trimming blocks on two queues, with the n-th OpenCL call or host allocation failing, for
 * every strategy: each failure is told or made good, outputs are empty, the books are right and nothing is left. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"
#include "own_cache.h"

#include "mem/pool.h"

#include <weir/replay.h>
#include <weir/weir.h>

#include <criterion/criterion.h>
#include <string.h>

TestSuite(fault_pool, .timeout = 300);

#define MIB (UINT64_C(1) << 20)

/* What the sequence holds; all may be NULL. */
typedef struct stage {
    weir_context *context;
    weir_queue *queue;
    weir_block *small;
    weir_block *large;
    weir_block *other; /* of the second queue */
    weir_block *last;
    weir_tensor *zeros;
    weir_tensor *sum;
} stage;

static void check_books(const stage *on)
{
    weir_pool *pool = weir_context_get_pool(on->context);
    weir_pool_stats stats;

    cr_assert(wi_pool_check(pool, NULL), "after %s", wt_fault_struck());
    weir_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.blocks.current,
                 (uint64_t)((on->small != NULL) + (on->large != NULL) + (on->other != NULL) +
                            (on->last != NULL) + (on->zeros != NULL) + (on->sum != NULL)),
                 "after %s", wt_fault_struck());
}

/* A block, or none and a failure. */
static weir_status take(stage *on, weir_queue *queue, uint64_t bytes, weir_block **out)
{
    weir_status st =
        weir_pool_alloc(weir_context_get_pool(on->context), queue, bytes, "fault", out);

    cr_assert_eq(st == WEIR_OK, *out != NULL, "%s after %s", weir_status_name(st),
                 wt_fault_struck());
    check_books(on);
    return st;
}

static void give(stage *on, weir_block **block)
{
    weir_block_release(*block);
    *block = NULL;
    check_books(on);
}

static weir_status launch(stage *on)
{
    const weir_shape shape = {2, {3, 100}};
    weir_status st = weir_full(on->context, WEIR_DTYPE_F32, &shape, 1, &on->zeros);

    if (st == WEIR_OK) st = weir_add(on->context, on->zeros, on->zeros, &on->sum);
    cr_assert_eq(st == WEIR_OK, on->sum != NULL);
    check_books(on);
    return st;
}

static weir_status use(stage *on)
{
    weir_pool *pool = weir_context_get_pool(on->context);
    weir_status st = weir_queue_create(on->context, &on->queue);

    cr_assert_eq(st == WEIR_OK, on->queue != NULL);
    if (st == WEIR_OK) st = take(on, NULL, 1000, &on->small);
    if (st == WEIR_OK) st = take(on, NULL, 3 * MIB, &on->large);
    if (st == WEIR_OK) st = take(on, on->queue, 5000, &on->other);
    if (st == WEIR_OK) st = launch(on);
    if (st == WEIR_OK) st = weir_block_record(on->small, on->queue);
    if (st != WEIR_OK) return st;
    give(on, &on->large);
    give(on, &on->small);
    st = weir_pool_trim(pool, 0);
    check_books(on);
    if (st == WEIR_OK) st = take(on, on->queue, 7 * MIB, &on->last);
    if (st != WEIR_OK) return st;
    give(on, &on->other);
    give(on, &on->last);
    if (st == WEIR_OK) st = weir_pool_trim(pool, MIB);
    if (st == WEIR_OK) st = weir_queue_synchronize(on->queue);
    if (st == WEIR_OK) st = weir_context_synchronize(on->context);
    return st;
}

static weir_status whole(void *user)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    stage on = {0};
    weir_status st = WEIR_OK;

    options.no_self_check = 1; /* the null device computes nothing */
    st = weir_context_create(user, &options, &on.context);
    if (st != WEIR_OK) return st;
    st = use(&on);
    weir_tensor_release(on.zeros);
    weir_tensor_release(on.sum);
    on.zeros = on.sum = NULL;
    give(&on, &on.small);
    give(&on, &on.large);
    give(&on, &on.other);
    give(&on, &on.last);
    weir_queue_release(on.queue);
    weir_context_release(on.context);
    return st;
}

/* Calls with another way to go: the cache on disk, logs, and what only hastens, as a look at how far a queue is. A driver
 * that refuses a buffer, or its first use, is asked for a smaller one, except by `direct`. */
#define TOLERATED                                                                              \
    " clCreateProgramWithBinary clGetProgramInfo clGetProgramBuildInfo clBuildProgram clFlush" \
    " clEnqueueMarkerWithWaitList clGetEventInfo "
#define TOLERATED_BY_RETRY TOLERATED "clCreateBuffer clEnqueueWriteBuffer clWaitForEvents "

static void run_each(wt_fault_kind kind, int is_open)
{
    wt_cache_begin();
    (void)wt_null_use();
    wt_host_count_begin();
    for (size_t i = 0; weir_replay_strategy_name(i) != NULL; i++) {
        weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
        wt_fault_options fault = {.kind = kind, .is_open = is_open};
        weir_system *system = NULL;
        wt_fault_result result;

        options.strategy = weir_replay_strategy_name(i);
        options.limit_bytes = 64 * MIB;
        fault.tolerated = kind == WT_FAULT_HOST                     ? "the cache does without"
                          : strcmp(options.strategy, "direct") == 0 ? TOLERATED
                                                                    : TOLERATED_BY_RETRY;
        wt_ok(weir_system_create(&system));
        wt_ok(weir_device_configure(weir_system_device(system, 0), &options));
        result = wt_fault_each(&fault, whole, weir_system_device(system, 0));
        cr_assert_gt(result.failed, 15U, "%s", options.strategy);
        weir_system_destroy(system);
    }
    wt_cache_end();
}

Test(fault_pool, each_opencl_call) { run_each(WT_FAULT_CL, 0); }

Test(fault_pool, each_opencl_call_and_all_after_it) { run_each(WT_FAULT_CL, 1); }

Test(fault_pool, each_host_allocation) { run_each(WT_FAULT_HOST, 0); }

/* Blocks and what they are placed by cost so much each while they live; what stays is bounded. */
Test(fault_pool, host_memory_goes_back_with_the_roots)
{
    enum { COUNT = 50000 };
    static weir_block *blocks[COUNT];
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_system *system = NULL;
    weir_context *context = NULL;
    uint64_t before = 0;

    (void)wt_null_use();
    wt_host_count_begin();
    options.no_self_check = 1;
    for (size_t i = 0; weir_replay_strategy_name(i) != NULL; i++) {
        memory.strategy = weir_replay_strategy_name(i);
        wt_ok(weir_system_create(&system));
        wt_ok(weir_device_configure(weir_system_device(system, 0), &memory));
        wt_ok(weir_context_create(weir_system_device(system, 0), &options, &context));
        before = wt_host_live_bytes();
        for (int k = 0; k < COUNT; k++)
            wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 256, "many", &blocks[k]));
        cr_assert_gt(wt_host_live_bytes() - before, COUNT * UINT64_C(100));
        cr_assert_lt(wt_host_live_bytes() - before,
                     COUNT * (strcmp(memory.strategy, "direct") == 0 ? UINT64_C(512) : 256),
                     "%s: %llu bytes", memory.strategy,
                     (unsigned long long)(wt_host_live_bytes() - before));
        for (int k = 0; k < COUNT; k++) weir_block_release(blocks[k]);
        wt_ok(weir_pool_trim(weir_context_get_pool(context), 0));
        cr_assert_lt(wt_host_live_bytes() - before, UINT64_C(1) << 20, "%s: %llu bytes",
                     memory.strategy, (unsigned long long)(wt_host_live_bytes() - before));
        weir_context_release(context);
        weir_system_destroy(system);
        cr_assert_eq(wt_host_live_bytes(), 0U);
    }
}
