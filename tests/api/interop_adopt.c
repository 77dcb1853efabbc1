/* Contexts of weir on the program's own OpenCL context and queue, on every device. */
#include "interop_support.h"

#include <weir/weir.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

TestSuite(interop_adopt, .timeout = WT_TIMEOUT);

static weir_context *adopt(const own_cl *own)
{
    weir_context *context = NULL;

    wt_ok(weir_context_adopt(own->context, own->device, own->queue, NULL, &context));
    return context;
}

/* Sums of draws; the same bits in every context. */
static void compute(weir_context *context, float *out, uint64_t count)
{
    const weir_shape shape = {1, {count}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *noise = NULL;
    weir_tensor *more = NULL;
    weir_tensor *sum = NULL;
    weir_variable *state = NULL;
    weir_tensor *value = NULL;

    wt_ok(weir_random_normal(context, &generator, &shape, &noise));
    wt_ok(weir_random_uniform(context, &generator, &shape, &more));
    wt_ok(weir_add(context, noise, more, &sum));
    wt_ok(weir_variable_create(context, "state", WEIR_DTYPE_F32, &shape, sum, NULL, &state));
    wt_ok(weir_variable_assign_add(state, more));
    wt_ok(weir_variable_assign_sub(state, noise));
    wt_ok(weir_variable_read(state, &value));
    wt_ok(weir_tensor_to_host(value, out, count * sizeof *out));
    weir_tensor_release(value);
    weir_tensor_release(sum);
    weir_tensor_release(more);
    weir_tensor_release(noise);
    weir_variable_release(state);
}

WEIR_DEVICE_TEST_TAGGED(interop_adopt, computes_the_same_bits_and_leaves_every_count_as_it_was)
{
    enum { COUNT = 1000 };
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    const cl_uint contexts = context_owners(own.context);
    const cl_uint queues = queue_owners(own.queue);
    float expected[COUNT];
    float got[COUNT];
    weir_live before;
    weir_context *context = NULL;

    compute(ctx, expected, COUNT);
    weir_live_get(&before);
    context = adopt(&own);
    cr_assert_eq(weir_context_get_cl_context(context), own.context);
    cr_assert_eq(weir_context_get_cl_device(context), own.device);
    cr_assert_eq(weir_context_get_cl_queue(context), own.queue);
    cr_assert_str_eq(weir_device_get_index(weir_context_get_device(context)), dev->index);
    cr_assert_str_eq(weir_device_get_name(weir_context_get_device(context)), dev->name);
    compute(context, got, COUNT);
    cr_assert(is_same(expected, got, sizeof got), "%s", dev->name);
    weir_context_release(context);
    wt_assert_live(&before, "after the adopted context");
    wt_owners(context_owners, own.context, contexts);
    wt_owners(queue_owners, own.queue, queues);
    own_close(&own);
}

WEIR_DEVICE_TEST_TAGGED(interop_adopt, has_strategy_and_limit_of_its_own)
{
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = adopt(&own);
    weir_block *block = NULL;
    weir_pool_stats stats;

    (void)dev;
    memory.strategy = "direct";
    memory.limit_bytes = 100000;
    wt_ok(weir_device_configure(weir_context_get_device(context), &memory));
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 50000, "mine", &block));
    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    cr_assert_eq(stats.driver_allocs, 1U);
    weir_block_release(block);
    wt_fails(weir_pool_alloc(weir_context_get_pool(context), NULL, 200000, "mine", &block),
             WEIR_E_OUT_OF_MEMORY);
    memory.limit_bytes = 200000;
    wt_fails(weir_device_configure(weir_context_get_device(context), &memory),
             WEIR_E_CONFIG_FROZEN);
    wt_ok(weir_device_configure(weir_context_get_device(ctx), &memory)); /* another device object */
    weir_context_release(context);
    own_close(&own);
}

/* As many bytes are free as are asked for, and on a context of weir's own blocks would be moved to join them. */
WEIR_DEVICE_TEST(interop_adopt, moves_no_block)
{
    enum { COUNT = 64 };
    const uint64_t bytes = 64 * 1024;
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = adopt(&own);
    weir_block *blocks[COUNT] = {NULL};
    uint64_t offsets[COUNT] = {0};
    uint64_t roots[COUNT] = {0};
    weir_block *large = NULL;
    weir_pool_stats stats;

    memory.strategy = "adaptive";
    memory.limit_bytes = COUNT * bytes;
    wt_ok(weir_device_configure(weir_context_get_device(context), &memory));
    for (size_t i = 0; i < COUNT; i++) {
        wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, bytes, "mine", &blocks[i]));
        offsets[i] = weir_block_get_offset_bytes(blocks[i]);
        roots[i] = weir_block_get_root(blocks[i]);
    }
    for (size_t i = 0; i < COUNT; i += 2) weir_block_release(blocks[i]);
    wt_fails(weir_pool_alloc(weir_context_get_pool(context), NULL, 4 * bytes, "mine", &large),
             WEIR_E_OUT_OF_MEMORY);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_FRAGMENTED, "%s", dev->name);
    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    cr_assert_eq(stats.compactions, 0U);
    cr_assert_eq(stats.moved_bytes, 0U);
    for (size_t i = 1; i < COUNT; i += 2) {
        cr_assert_eq(weir_block_get_offset_bytes(blocks[i]), offsets[i]);
        cr_assert_eq(weir_block_get_root(blocks[i]), roots[i]);
        weir_block_release(blocks[i]);
    }
    weir_context_release(context);
    own_close(&own);
}

WEIR_DEVICE_TEST(interop_adopt, shares_the_limit_of_a_device_of_a_system)
{
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_block *block = NULL;
    weir_block *more = NULL;

    (void)dev;
    memory.strategy = "direct";
    memory.limit_bytes = 100000;
    wt_ok(weir_device_configure(weir_context_get_device(ctx), &memory));
    options.device = weir_context_get_device(ctx);
    options.no_self_check = 1;
    wt_ok(weir_context_adopt(own.context, own.device, NULL, &options, &context));
    cr_assert_eq(weir_context_get_device(context), options.device);
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 60000, "one", &block));
    wt_fails(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 60000, "two", &more),
             WEIR_E_OUT_OF_MEMORY);
    weir_block_release(block);
    weir_context_release(context);
    own_close(&own);
}

/* The program's kernel and weir's operations take turns on one queue. */
WEIR_DEVICE_TEST_TAGGED(interop_adopt, orders_commands_with_those_of_the_program)
{
    enum { COUNT = 4096 };
    const weir_shape shape = {1, {COUNT}};
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    weir_context *context = adopt(&own);
    cl_mem mem = NULL;
    uint64_t offset = 0;
    uint32_t words[COUNT];

    for (int i = 0; i < 20; i++) {
        weir_tensor *filled = NULL;
        weir_tensor *sum = NULL;

        wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, 1.0, &filled));
        wt_ok(weir_add(context, filled, filled, &sum));
        wt_ok(weir_tensor_to_cl_mem(sum, &mem, &offset));
        own_add(&own, own.queue, mem, offset, COUNT, 0x00800000); /* twice the number */
        wt_ok(weir_tensor_to_host(sum, words, sizeof words));
        for (int k = 0; k < COUNT; k++) cr_assert_eq(words[k], 0x40800000U, "%s", dev->name);
        weir_tensor_release(sum);
        weir_tensor_release(filled);
    }
    weir_context_release(context);
    own_close(&own);
}

/* A command of the program that waits for a gate, and a thread that opens the gate after a while. */
typedef struct late_command {
    cl_event gate;
    atomic_int is_open;
} late_command;

static void *open_late(void *user)
{
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 100000000};
    late_command *it = user;

    (void)nanosleep(&pause, NULL);
    atomic_store(&it->is_open, 1);
    wt_cl(clSetUserEventStatus(it->gate, CL_COMPLETE));
    return NULL;
}

WEIR_DEVICE_TEST(interop_adopt, waits_for_commands_of_the_program_where_it_waits)
{
    const size_t bytes = (size_t)(wt_scale(UINT64_C(64) << 20) + 256) & ~(size_t)255;
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    weir_context *context = adopt(&own);
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_pool *pool = weir_context_get_pool(context);
    cl_uint one = 1;

    memory.strategy = "direct";
    wt_ok(weir_device_configure(weir_context_get_device(context), &memory));
    for (int i = 0; i < 4; i++) {
        weir_block *block = NULL;
        weir_pool_stats stats;
        pthread_t opener;
        cl_mem mem = NULL;
        cl_int code = CL_SUCCESS;
        uint64_t offset = 0;
        late_command it = {.gate = clCreateUserEvent(own.context, &code)};

        wt_cl(code);
        wt_ok(weir_pool_alloc(pool, NULL, bytes, "mine", &block));
        weir_block_get_cl_mem(block, &mem, &offset);
        wt_cl(clEnqueueFillBuffer(own.queue, mem, &one, sizeof one, offset, bytes, 1, &it.gate,
                                  NULL));
        cr_assert_eq(pthread_create(&opener, NULL, open_late, &it), 0);
        if (i % 2 == 0) {
            wt_ok(weir_context_synchronize(context));
        } else {
            weir_block_release(block);
            block = NULL;
            wt_ok(weir_pool_trim(pool, 0)); /* the root is not given back under the command */
            weir_pool_get_stats(pool, &stats);
            cr_assert_eq(stats.reserved_bytes.current, 0U);
        }
        cr_assert(atomic_load(&it.is_open), "%s: not waited for in round %d", dev->name, i);
        cr_assert_eq(pthread_join(opener, NULL), 0);
        wt_cl(clReleaseEvent(it.gate));
        weir_block_release(block);
    }
    weir_context_release(context);
    own_close(&own);
}

/* With debug levels from 2 on a released block is waited for: its guards are read. */
static int are_releases_waited_for(void)
{
    const char *level = getenv("WEIR_MEMORY_DEBUG");

    return level != NULL && level[0] >= '2';
}

WEIR_DEVICE_TEST(interop_adopt, does_not_wait_for_a_queue_that_waits_for_a_user_event)
{
    const weir_shape shape = {1, {1000}};
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    cl_int code = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(own.context, &code);
    weir_context *context = NULL;
    weir_tensor *ones = NULL;
    weir_tensor *sum = NULL;
    weir_block *blocks[64] = {NULL};
    float host[1000];

    wt_cl(code);
    wt_cl(clEnqueueBarrierWithWaitList(own.queue, 1, &gate, NULL));
    wt_cl(clFlush(own.queue));
    if (are_releases_waited_for()) wt_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    context = adopt(&own);
    for (size_t i = 0; i < 64; i++) {
        wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, wt_scale(1 << 20), NULL,
                              &blocks[i]));
    }
    for (size_t i = 0; i < 64; i++) weir_block_release(blocks[i]);
    wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, 1.5, &ones));
    wt_ok(weir_add(context, ones, ones, &sum));
    if (!are_releases_waited_for()) wt_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    wt_ok(weir_tensor_to_host(sum, host, sizeof host));
    for (int i = 0; i < 1000; i++) cr_assert_eq(host[i], 3.0F, "%s", dev->name);
    weir_tensor_release(ones);
    weir_tensor_release(sum);
    weir_context_release(context);
    wt_cl(clReleaseEvent(gate));
    own_close(&own);
}

WEIR_DEVICE_TEST_TAGGED(interop_adopt, refuses_what_does_not_fit_together)
{
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    own_cl other = own_open(own.device);
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_context *context = ctx;
    cl_int code = CL_SUCCESS;
    cl_command_queue unordered = NULL;
    const cl_uint contexts = context_owners(own.context);

    wt_fails(weir_context_adopt(NULL, own.device, own.queue, NULL, &context), WEIR_E_ARG);
    cr_assert_null(context);
    wt_fails(weir_context_adopt(own.context, NULL, own.queue, NULL, &context), WEIR_E_ARG);
    wt_fails(weir_context_adopt(own.context, own.device, own.queue, NULL, NULL), WEIR_E_ARG);
    context = ctx;
    wt_fails(weir_context_adopt(own.context, own.device, other.queue, NULL, &context),
             WEIR_E_CONTEXT);
    cr_assert_null(context);
    options.struct_size = 1;
    wt_fails(weir_context_adopt(own.context, own.device, NULL, &options, &context), WEIR_E_ARG);
    unordered = clCreateCommandQueue(own.context, own.device,
                                     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        wt_fails(weir_context_adopt(own.context, own.device, unordered, NULL, &context),
                 WEIR_E_UNSUPPORTED);
        cr_assert_null(context);
        cr_assert_not_null(strstr(weir_last_error()->message, "out of order"));
        wt_cl(clReleaseCommandQueue(unordered));
    } else {
        cr_log_info("%s: has no queue out of order (%d)", dev->name, (int)code);
    }
    cr_assert_null(weir_context_get_cl_context(NULL));
    cr_assert_null(weir_context_get_cl_device(NULL));
    cr_assert_null(weir_context_get_cl_queue(NULL));
    wt_owners(context_owners, own.context, contexts);
    own_close(&other);
    own_close(&own);
}

WEIR_DEVICE_TEST_TAGGED(interop_adopt, takes_a_queue_with_profiling)
{
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    cl_int code = CL_SUCCESS;
    cl_command_queue profiled =
        clCreateCommandQueue(own.context, own.device, CL_QUEUE_PROFILING_ENABLE, &code);
    weir_context *context = NULL;
    float host[100];

    (void)dev;
    wt_cl(code);
    wt_ok(weir_context_adopt(own.context, own.device, profiled, NULL, &context));
    compute(context, host, 100);
    weir_context_release(context);
    wt_cl(clReleaseCommandQueue(profiled));
    own_close(&own);
}

WEIR_DEVICE_TEST(interop_adopt, takes_a_part_of_a_device)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id whole = weir_context_get_cl_device(ctx);
    cl_device_id part = NULL;
    own_cl own = {.device = NULL};
    weir_context *context = NULL;
    float expected[100];
    float got[100];
    cl_uint most = 0;
    cl_int code = CL_INVALID_VALUE;

    wt_cl(clGetDeviceInfo(whole, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL));
    if (most > 0) code = clCreateSubDevices(whole, halves, 1, &part, NULL);
    if (code != CL_SUCCESS) {
        cr_log_info("%s: cannot be split (%d)", dev->name, (int)code);
        return;
    }
    own = own_open(part);
    wt_ok(weir_context_adopt(own.context, part, own.queue, NULL, &context));
    cr_assert_eq(weir_context_get_cl_device(context), part);
    cr_assert_str_eq(weir_device_get_index(weir_context_get_device(context)), dev->index);
    compute(ctx, expected, 100);
    compute(context, got, 100);
    cr_assert(is_same(expected, got, sizeof got), "%s", dev->name);
    weir_context_release(context);
    own_close(&own);
    wt_cl(clReleaseDevice(part));
}

/* The program's second queue stands at a gate: what it will write must not land in bytes that were handed out again. */
WEIR_DEVICE_TEST(interop_adopt, memory_that_another_queue_uses_is_not_written_before)
{
    enum { COUNT = 4096 };
    const weir_shape shape = {1, {COUNT}};
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    cl_command_queue second = own_queue(own.context, own.device);
    const cl_uint queues = queue_owners(second);
    weir_context *context = adopt(&own);
    weir_queue *queue = NULL;
    weir_block *block = NULL;
    weir_tensor *full = NULL;
    cl_int code = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(own.context, &code);
    const cl_uint late = 7;
    cl_mem mem = NULL;
    uint64_t offset = 0;
    uint64_t place = 0;
    float host[COUNT];

    wt_cl(code);
    wt_ok(weir_queue_adopt(context, second, &queue));
    cr_assert_eq(weir_queue_get_cl_queue(queue), second);
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, sizeof host, "mine", &block));
    place = weir_block_get_offset_bytes(block);
    weir_block_get_cl_mem(block, &mem, &offset);
    wt_cl(clEnqueueBarrierWithWaitList(second, 1, &gate, NULL));
    wt_cl(clEnqueueFillBuffer(second, mem, &late, sizeof late, offset, sizeof host, 0, NULL, NULL));
    wt_cl(clFlush(second));
    if (are_releases_waited_for()) wt_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    wt_ok(weir_block_record(block, queue));
    weir_block_release(block);
    wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, 2.0, &full));
    cr_log_info("%s: the place was %s", dev->name,
                weir_block_get_offset_bytes(weir_tensor_get_block(full)) == place ? "taken again"
                                                                                  : "left alone");
    if (!are_releases_waited_for()) wt_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    wt_ok(weir_context_synchronize(context));
    wt_ok(weir_tensor_to_host(full, host, sizeof host));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], 2.0F, "%s: %d", dev->name, i);
    weir_tensor_release(full);
    weir_queue_release(queue);
    weir_context_release(context);
    wt_owners(queue_owners, second, queues);
    wt_cl(clReleaseEvent(gate));
    wt_cl(clReleaseCommandQueue(second));
    own_close(&own);
}

WEIR_DEVICE_TEST_TAGGED(interop_adopt, adopts_more_queues_and_refuses_those_of_others)
{
    own_cl own = own_open(weir_context_get_cl_device(ctx));
    cl_command_queue second = own_queue(own.context, own.device);
    weir_context *context = adopt(&own);
    weir_context *view = NULL;
    weir_queue *queue = (weir_queue *)&own;
    float expected[500];
    float got[500];

    wt_fails(weir_queue_adopt(NULL, second, &queue), WEIR_E_ARG);
    cr_assert_null(queue);
    wt_fails(weir_queue_adopt(context, NULL, &queue), WEIR_E_ARG);
    wt_fails(weir_queue_adopt(context, second, NULL), WEIR_E_ARG);
    wt_fails(weir_queue_adopt(ctx, second, &queue), WEIR_E_CONTEXT);
    cr_assert_null(queue);
    cr_assert_null(weir_queue_get_cl_queue(NULL));
    compute(ctx, expected, 500);
    for (int i = 0; i < 3; i++) { /* a slot is used again */
        wt_ok(weir_queue_adopt(context, second, &queue));
        wt_ok(weir_context_on_queue(context, queue, &view));
        cr_assert_eq(weir_context_get_cl_queue(view), second, "%s", dev->name);
        compute(view, got, 500);
        cr_assert(is_same(expected, got, sizeof got), "%s", dev->name);
        weir_context_release(view);
        weir_queue_release(queue);
    }
    weir_context_release(context);
    wt_owners(queue_owners, second, 1U);
    wt_cl(clReleaseCommandQueue(second));
    own_close(&own);
}
