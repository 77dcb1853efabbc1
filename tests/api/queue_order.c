/* Which commands of one queue wait for which of another. A queue is held up by a user event of the driver, so that what
 * comes too early is seen, and not only now and then; and on the null ICD calls are counted. */
#include "cl/queue.h"
#include "devices.h"
#include "mem/queues.h"
#include "null_device.h"
#include "tensor/tensor.h"

#include <weir/weir.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

TestSuite(queue_order, .timeout = WT_TIMEOUT);

#define COUNT 4096
#define CODE(Expression) cr_assert_eq((Expression), CL_SUCCESS, "%s", #Expression)

static const weir_shape shape = {1, {COUNT}};

typedef struct lane {
    weir_queue *queue;
    weir_context *view;
} lane;

static lane open_lane(weir_context *ctx)
{
    lane made = {NULL, NULL};

    wt_ok(weir_queue_create(ctx, &made.queue));
    wt_ok(weir_context_on_queue(ctx, made.queue, &made.view));
    return made;
}

static void close_lane(lane *closed)
{
    weir_context_release(closed->view);
    weir_queue_release(closed->queue);
}

static cl_command_queue handle_of(const lane *of) { return wi_queue_get_handle(of->queue->queue); }

/* Later commands of the queue wait until open_gate(). Unknown to weir. */
static cl_event close_gate(const lane *of)
{
    cl_context context = NULL;
    cl_int code = CL_SUCCESS;
    cl_event gate = NULL;

    CODE(clGetCommandQueueInfo(handle_of(of), CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    gate = clCreateUserEvent(context, &code);
    CODE(code);
    CODE(clEnqueueBarrierWithWaitList(handle_of(of), 1, &gate, NULL));
    return gate;
}

static void open_gate(cl_event gate)
{
    CODE(clSetUserEventStatus(gate, CL_COMPLETE));
    CODE(clReleaseEvent(gate));
}

/* 1 if everything on the queue ends within so many pauses of 5 ms. */
static int is_over_within(const lane *of, int pauses)
{
    const struct timespec pause = {0, 5000000};
    cl_event event = NULL;
    cl_int state = CL_QUEUED;

    CODE(clEnqueueMarkerWithWaitList(handle_of(of), 0, NULL, &event));
    CODE(clFlush(handle_of(of)));
    for (int i = 0; i < pauses && state != CL_COMPLETE; i++) {
        (void)nanosleep(&pause, NULL);
        CODE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
        cr_assert_geq(state, 0);
    }
    CODE(clReleaseEvent(event));
    return state == CL_COMPLETE;
}

/* What runs may take long on a busy machine; what waits for a gate waits for ever, so that a tenth of a second shows it. */
static int ends(const lane *of) { return is_over_within(of, 20000); }

static int stands(const lane *of) { return !is_over_within(of, 20); }

static weir_tensor *full(weir_context *context, double value)
{
    weir_tensor *made = NULL;

    wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, value, &made));
    return made;
}

static weir_tensor *twice(weir_context *context, weir_tensor *of)
{
    weir_tensor *made = NULL;

    wt_ok(weir_add(context, of, of, &made));
    return made;
}

static void assert_all(weir_tensor *tensor, float value, const struct wt_device *dev)
{
    static float host[COUNT];

    wt_ok(weir_tensor_to_host(tensor, host, sizeof host));
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(host[i], value, "%s: element %d is %g, not %g", dev->name, i, (double)host[i],
                     (double)value);
    weir_tensor_release(tensor);
}

/* Kernels are built and memory is taken, so that what follows is commands only. */
static void warm_up(const lane *a, const lane *b)
{
    weir_tensor *x = full(a->view, 1);
    weir_tensor *y = twice(b->view, x);

    weir_tensor_release(x);
    weir_tensor_release(y);
    wt_ok(weir_context_synchronize(a->view));
    wt_ok(weir_context_synchronize(b->view));
}

/* A variable on a queue that was updated once, so that the next updates are in place and take no memory. */
static weir_variable *open_sum(const lane *on)
{
    weir_variable *sum = NULL;
    weir_tensor *one = full(on->view, 1);

    wt_ok(weir_variable_create(on->view, "sum", WEIR_DTYPE_F32, &shape, one, NULL, &sum));
    wt_ok(weir_variable_assign_add(sum, one));
    weir_tensor_release(one);
    return sum;
}

static void assert_sum(weir_variable *sum, float value, const struct wt_device *dev)
{
    weir_tensor *read = NULL;

    wt_ok(weir_variable_read(sum, &read));
    assert_all(read, value, dev);
    weir_variable_release(sum);
}

/* The readers take no memory: bytes that are used again would make them wait, too. */
WEIR_DEVICE_TEST(queue_order, readers_wait_for_the_writer_and_nobody_else_does)
{
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    lane c = open_lane(ctx);
    weir_variable *of_b = open_sum(&b);
    weir_variable *of_c = open_sum(&c);
    weir_tensor *three = full(c.view, 3);
    weir_tensor *x = NULL;
    cl_event gate = NULL;

    warm_up(&a, &b);
    wt_ok(weir_context_synchronize(ctx));
    gate = close_gate(&a);
    x = full(a.view, 2);
    wt_ok(weir_variable_assign_add(of_c, three));
    wt_ok(weir_context_synchronize(c.view)); /* not for a */
    assert_sum(of_c, 5, dev);                /* read where it was written, not behind a */
    cr_assert(ends(&b), "%s", dev->name);
    wt_ok(weir_variable_assign_add(of_b, x));
    cr_assert(stands(&b), "%s: read before it was written", dev->name);
    cr_assert(ends(&c), "%s", dev->name);
    open_gate(gate);
    assert_sum(of_b, 4, dev);
    assert_all(x, 2, dev);
    weir_tensor_release(three);
    close_lane(&a);
    close_lane(&b);
    close_lane(&c);
}

WEIR_DEVICE_TEST(queue_order, bytes_are_used_again_after_readers_elsewhere)
{
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;
    weir_tensor *next = NULL;
    uint64_t root = 0;
    uint64_t offset_bytes = 0;
    cl_event gate = NULL;

    warm_up(&a, &b);
    x = full(a.view, 2);
    root = weir_block_get_root(weir_tensor_get_block(x));
    offset_bytes = weir_block_get_offset_bytes(weir_tensor_get_block(x));
    gate = close_gate(&b);
    y = twice(b.view, x);
    weir_tensor_release(x);
    next = full(a.view, 9);
    cr_assert_eq(weir_block_get_root(weir_tensor_get_block(next)), root, "%s", dev->name);
    cr_assert_eq(weir_block_get_offset_bytes(weir_tensor_get_block(next)), offset_bytes);
    cr_assert(stands(&a), "%s: overwritten before it was read", dev->name);
    open_gate(gate);
    assert_all(y, 4, dev);
    assert_all(next, 9, dev);
    close_lane(&a);
    close_lane(&b);
}

WEIR_DEVICE_TEST(queue_order, an_update_in_place_waits_for_readers_elsewhere)
{
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    weir_variable *value = NULL;
    weir_tensor *start = full(a.view, 2);
    weir_tensor *one = full(a.view, 1);
    weir_tensor *read = NULL;
    weir_tensor *y = NULL;
    weir_context_stats stats;
    cl_event gate = NULL;

    warm_up(&a, &b);
    wt_ok(weir_variable_create(a.view, "value", WEIR_DTYPE_F32, &shape, start, NULL, &value));
    weir_tensor_release(start);
    wt_ok(weir_variable_assign_add(value, one));
    wt_ok(weir_context_synchronize(ctx));
    gate = close_gate(&b);
    wt_ok(weir_variable_read(value, &read));
    y = twice(b.view, read);
    weir_tensor_release(read);
    wt_ok(weir_variable_assign_add(value, one));
    cr_assert(stands(&a), "%s: overwritten before it was read", dev->name);
    open_gate(gate);
    assert_all(y, 6, dev);
    wt_ok(weir_variable_read(value, &read));
    assert_all(read, 4, dev);
    weir_context_get_stats(ctx, &stats);
    cr_assert_eq(stats.cow_copies, 0U, "%s: it was not in place", dev->name);
    weir_tensor_release(one);
    weir_variable_release(value);
    close_lane(&a);
    close_lane(&b);
}

WEIR_DEVICE_TEST_BARE(queue_order, roots_are_given_back_after_the_last_queue)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *ctx = NULL;
    weir_pool_stats stats;
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;
    cl_event gate = NULL;
    lane a;
    lane b;

    memory.strategy = "direct"; /* every release gives a root back */
    wt_ok(weir_device_configure(device, &memory));
    wt_ok(weir_context_create(device, NULL, &ctx));
    a = open_lane(ctx);
    b = open_lane(ctx);
    warm_up(&a, &b);
    x = full(a.view, 2);
    wt_ok(weir_context_synchronize(ctx));
    gate = close_gate(&b);
    y = twice(b.view, x);
    weir_tensor_release(x);
    wt_ok(weir_context_synchronize(a.view));
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.reserved_bytes.current, 2 * COUNT * sizeof(float), "%s: %llu", dev->name,
                 (unsigned long long)stats.reserved_bytes.current);
    open_gate(gate);
    assert_all(y, 4, dev);
    wt_ok(weir_context_synchronize(ctx));
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.reserved_bytes.current, 0U, "%s", dev->name);
    close_lane(&a);
    close_lane(&b);
    weir_context_release(ctx);
}

/* A pool that is trimmed while a queue stands still. */
typedef struct trimming {
    weir_pool *pool;
    cl_event gate;
    weir_status status;
    atomic_int is_over; /* the test is done with the pool, or has taken too long */
} trimming;

static void *trim(void *user)
{
    trimming *it = user;

    it->status = weir_pool_trim(it->pool, 0);
    return NULL;
}

static void *open_gate_in_the_end(void *user)
{
    trimming *it = user;
    const struct timespec pause = {0, 10000000};

    for (int i = 0; i < 10000 && !atomic_load(&it->is_over); i++) (void)nanosleep(&pause, NULL);
    atomic_store(&it->is_over, 1);
    (void)clSetUserEventStatus(it->gate, CL_COMPLETE);
    return NULL;
}

/* Bytes of each of two blocks: with "direct" each has a root of its own, which waits for the queue that stands still. */
WEIR_DEVICE_TEST_BARE(queue_order, a_pool_serves_others_while_a_trim_waits)
{
    const struct timespec pause = {0, 100000000};
    const uint64_t bytes = COUNT * sizeof(float);
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    trimming it = {.status = WEIR_E_ARG};
    weir_context *ctx = NULL;
    weir_block *blocks[2] = {NULL};
    weir_pool_stats stats;
    pthread_t trimmer;
    pthread_t watch;
    lane a;

    memory.strategy = "direct";
    wt_ok(weir_device_configure(device, &memory));
    wt_ok(weir_context_create(device, NULL, &ctx));
    it.pool = weir_context_get_pool(ctx);
    a = open_lane(ctx);
    for (int i = 0; i < 2; i++) wt_ok(weir_pool_alloc(it.pool, a.queue, bytes, NULL, &blocks[i]));
    it.gate = close_gate(&a);
    wt_ok(weir_block_record(blocks[0], a.queue));
    weir_block_release(blocks[0]);
    cr_assert_eq(pthread_create(&watch, NULL, open_gate_in_the_end, &it), 0);
    cr_assert_eq(pthread_create(&trimmer, NULL, trim, &it), 0);
    (void)nanosleep(&pause, NULL); /* it waits for the queue then, most often */
    wt_ok(weir_pool_alloc(it.pool, NULL, bytes, NULL, &blocks[0]));
    weir_pool_get_stats(it.pool, &stats);
    cr_assert_eq(atomic_exchange(&it.is_over, 1), 0, "%s: the pool was closed to others",
                 dev->name);
    (void)pthread_join(watch, NULL);
    (void)pthread_join(trimmer, NULL);
    wt_ok(it.status);
    cr_assert_eq(stats.reserved_bytes.current, 3 * bytes, "%s", dev->name);
    weir_pool_get_stats(it.pool, &stats);
    cr_assert_eq(stats.reserved_bytes.current, 2 * bytes, "%s: not waited for", dev->name);
    for (int i = 0; i < 2; i++) weir_block_release(blocks[i]);
    CODE(clReleaseEvent(it.gate));
    close_lane(&a);
    weir_context_release(ctx);
}

/* One thread is about to launch with a view as it lies, when another reads it to the host and has it written to a block
 * of its own: the storage of the view stays until the launch. */
WEIR_DEVICE_TEST(queue_order, a_view_keeps_its_storage_for_a_launch_to_come)
{
    static float host[COUNT];
    const weir_shape square = {2, {COUNT / 64, 64}};
    weir_tensor *source = NULL;
    weir_tensor *view = NULL;
    weir_block *other = NULL;
    wi_operand operand;
    uint64_t offset = 0;
    uint64_t root = 0;

    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &square, 5, &source));
    wt_ok(weir_transpose(ctx, source, NULL, &view));
    weir_tensor_release(source);
    wt_ok(wi_tensor_operand(ctx, view, WI_TAKES_STRIDES, &operand));
    root = weir_block_get_root(operand.place.block);
    offset = weir_block_get_offset_bytes(operand.place.block);
    wt_ok(weir_tensor_to_host(view, host, sizeof host));
    cr_assert_neq(weir_tensor_get_block(view), operand.place.block, "%s", dev->name);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, sizeof host, NULL, &other));
    cr_assert(other != operand.place.block && (weir_block_get_root(other) != root ||
                                               weir_block_get_offset_bytes(other) != offset),
              "%s: its storage went to somebody else", dev->name);
    wi_operand_let_go(&operand);
    wi_operand_let_go(&operand);
    weir_block_release(other);
    weir_tensor_release(view);
}

WEIR_DEVICE_TEST(queue_order, a_recorded_use_keeps_the_bytes)
{
    const uint64_t bytes = COUNT * sizeof(float);
    weir_pool *pool = weir_context_get_pool(ctx);
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    weir_block *block = NULL;
    weir_tensor *next = NULL;
    uint64_t root = 0;
    cl_event gate = NULL;

    warm_up(&a, &b);
    wt_ok(weir_pool_alloc(pool, a.queue, bytes, NULL, &block));
    root = weir_block_get_root(block);
    gate = close_gate(&b); /* stands for a command of the program that uses the block */
    wt_ok(weir_block_record(block, b.queue));
    weir_block_release(block);
    next = full(a.view, 1);
    cr_assert_eq(weir_block_get_root(weir_tensor_get_block(next)), root);
    cr_assert(stands(&a), "%s: overwritten while in use", dev->name);
    open_gate(gate);
    assert_all(next, 1, dev);
    close_lane(&a);
    close_lane(&b);
}

WEIR_DEVICE_TEST(queue_order, a_queue_waits_for_another_when_told)
{
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    const lane own = {weir_context_get_queue(ctx), ctx};
    weir_tensor *x = NULL;
    cl_event gate = NULL;

    warm_up(&a, &b);
    gate = close_gate(&a);
    weir_tensor_release(full(a.view, 1));
    cr_assert(ends(&b), "%s", dev->name);
    wt_ok(weir_queue_wait(b.queue, a.queue));
    cr_assert(stands(&b), "%s", dev->name);
    wt_ok(weir_queue_wait(own.queue, b.queue)); /* through b for a */
    cr_assert(stands(&own), "%s", dev->name);
    open_gate(gate);
    wt_ok(weir_queue_synchronize(own.queue));
    x = full(a.view, 3);
    wt_ok(weir_context_synchronize(ctx));
    for (int i = 0; i < 2; i++) {
        const lane *each = i == 0 ? &a : &b;
        cr_assert_eq(wi_queue_get_completed(each->queue->queue),
                     wi_queue_get_last(each->queue->queue), "%s: not waited for", dev->name);
    }
    assert_all(x, 3, dev);
    close_lane(&a);
    close_lane(&b);
}

/* A context on the null ICD, whose commands end only when somebody waits if lazy. */
static weir_context *open_null(weir_system **system, const wt_null_control **null, int is_lazy)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *ctx = NULL;

    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    *null = wt_null_use();
    cr_assert((*null)->set("LAZY", is_lazy ? "1" : "0"));
    options.no_self_check = 1;
    wt_ok(weir_system_create(system));
    wt_ok(weir_context_create(weir_system_device(*system, 0), &options, &ctx));
    return ctx;
}

static void close_null(weir_system *system, weir_context *ctx)
{
    weir_live live;

    weir_context_release(ctx);
    weir_system_destroy(system);
    weir_live_get(&live);
    cr_assert_eq(live.total, 0);
}

Test(queue_order, one_queue_asks_for_no_events)
{
    weir_system *system = NULL;
    const wt_null_control *null = NULL;
    weir_context *ctx = open_null(&system, &null, 1);
    weir_tensor *x = full(ctx, 1);

    weir_tensor_release(twice(ctx, x));
    wt_ok(weir_context_synchronize(ctx));
    null->reset_calls();
    for (int i = 0; i < 100; i++) weir_tensor_release(twice(ctx, x));
    cr_assert_eq(null->get_live("cl_event"), 0);
    cr_assert_eq(null->get_calls("clEnqueueMarkerWithWaitList"), 0);
    cr_assert_eq(null->get_calls("clEnqueueBarrierWithWaitList"), 0);
    cr_assert_eq(null->get_calls("clGetEventInfo"), 0);
    cr_assert_eq(null->get_calls("clRetainEvent"), 0);
    weir_tensor_release(x);
    close_null(system, ctx);
}

Test(queue_order, one_wait_is_enough_for_many_readers)
{
    weir_system *system = NULL;
    const wt_null_control *null = NULL;
    weir_context *ctx = open_null(&system, &null, 1);
    lane a = open_lane(ctx);
    weir_tensor *x[8];
    weir_tensor *y[8];

    for (int i = 0; i < 8; i++) x[i] = full(ctx, i);
    null->reset_calls();
    for (int i = 7; i >= 0; i--) y[i] = twice(a.view, x[i]);
    cr_assert_eq(null->get_calls("clEnqueueBarrierWithWaitList"), 1);
    cr_assert_eq(null->get_calls("clEnqueueMarkerWithWaitList"), 1);
    cr_assert_eq(null->get_live("cl_event"), 0);
    wt_ok(weir_context_synchronize(ctx));
    null->reset_calls();
    for (int i = 0; i < 8; i++) {
        weir_tensor_release(twice(a.view, x[i]));
        weir_tensor_release(twice(ctx, y[i])); /* waited for by the host: no event is needed */
    }
    cr_assert_leq(null->get_calls("clEnqueueBarrierWithWaitList"), 16);
    for (int i = 0; i < 8; i++) {
        weir_tensor_release(x[i]);
        weir_tensor_release(y[i]);
    }
    close_lane(&a);
    close_null(system, ctx);
}

Test(queue_order, a_failure_sticks_to_its_queue)
{
    weir_system *system = NULL;
    const wt_null_control *null = NULL;
    weir_context *ctx = open_null(&system, &null, 1);
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    weir_tensor *x = full(a.view, 1);
    weir_tensor *y = (weir_tensor *)(uintptr_t)16;
    weir_tensor *own = NULL;

    null->reset_calls();
    cr_assert(null->set("FAIL", "clWaitForEvents:1:-5"));
    wt_fails(weir_queue_synchronize(a.queue), WEIR_E_DRIVER);
    wt_fails(weir_add(b.view, x, x, &y), WEIR_E_DRIVER); /* what a wrote may not be there */
    cr_assert_null(y);
    own = full(b.view, 1);
    wt_ok(weir_queue_synchronize(b.queue));
    weir_tensor_release(x);
    weir_tensor_release(full(b.view, 1)); /* its bytes can be had */
    wt_fails(weir_context_synchronize(ctx), WEIR_E_DRIVER);
    wt_fails(weir_queue_synchronize(a.queue), WEIR_E_DRIVER);
    weir_context_reset_error(b.view);
    wt_ok(weir_queue_synchronize(a.queue));
    wt_ok(weir_context_synchronize(ctx));
    weir_tensor_release(own);
    close_lane(&a);
    close_lane(&b);
    close_null(system, ctx);
}

Test(queue_order, a_queue_that_failed_closes_and_its_slot_works)
{
    weir_system *system = NULL;
    const wt_null_control *null = NULL;
    weir_context *ctx = open_null(&system, &null, 1);
    lane a = open_lane(ctx);
    weir_tensor *x = full(a.view, 1);
    weir_queue *slot = a.queue;

    null->reset_calls();
    cr_assert(null->set("FAIL", "clWaitForEvents:1+:-5"));
    wt_fails(weir_queue_synchronize(a.queue), WEIR_E_DRIVER);
    close_lane(&a);
    cr_assert(null->set("FAIL", ""));
    a = open_lane(ctx);
    cr_assert_eq(a.queue, slot, "the lowest free slot is used");
    weir_tensor_release(twice(a.view, x));
    wt_ok(weir_context_synchronize(ctx));
    weir_tensor_release(x);
    close_lane(&a);
    close_null(system, ctx);
}

Test(queue_order, each_queue_runs_ahead_by_a_bounded_number)
{
    weir_system *system = NULL;
    const wt_null_control *null = NULL;
    weir_context *ctx = open_null(&system, &null, 1);
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);

    for (int i = 0; i < 20000; i++) {
        weir_tensor *x = full(a.view, i);

        weir_tensor_release(twice(b.view, x));
        weir_tensor_release(x);
        cr_assert_leq(null->get_live("cl_event"), 3U * (WI_QUEUE_AHEAD / WI_QUEUE_MARK + 2));
    }
    cr_assert_leq(null->get_pending_peak(), WI_QUEUE_AHEAD + 4U);
    wt_ok(weir_context_synchronize(ctx));
    close_lane(&a);
    close_lane(&b);
    close_null(system, ctx);
}
