/* Several queues of one context, through the public calls: results are those of one queue, whatever runs where. */
#include "devices.h"

#include <weir/weir.h>

#include <pthread.h>
#include <string.h>

TestSuite(queue, .timeout = WT_TIMEOUT);

#define COUNT 4096
#define THREADS 8

static const weir_shape shape = {1, {COUNT}};

/* A queue and the view on it. */
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

/* Asserts that every element is `value`; releases the tensor. */
static void assert_all(weir_tensor *tensor, float value, const struct wt_device *dev)
{
    static float host[COUNT];

    wt_ok(weir_tensor_to_host(tensor, host, sizeof host));
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(host[i], value, "%s: element %d is %g, not %g", dev->name, i, (double)host[i],
                     (double)value);
    weir_tensor_release(tensor);
}

static weir_tensor *full(weir_context *context, double value)
{
    weir_tensor *made = NULL;

    wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, value, &made));
    return made;
}

WEIR_DEVICE_TEST_TAGGED(queue, hands_values_over_bit_for_bit)
{
    const uint64_t rounds = wt_scale(1000);
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    weir_variable *sum = NULL;
    weir_tensor *zeros = full(ctx, 0);
    weir_tensor *total = NULL;
    weir_live live;
    uint64_t events = 0;

    wt_ok(weir_variable_create(b.view, "sum", WEIR_DTYPE_F32, &shape, zeros, NULL, &sum));
    weir_tensor_release(zeros);
    for (uint64_t i = 1; i <= rounds; i++) {
        weir_tensor *made = full(a.view, (double)i);
        weir_tensor *twice = NULL;

        wt_ok(weir_add(b.view, made, made, &twice));
        wt_ok(weir_variable_assign_add(sum, twice));
        weir_tensor_release(made); /* its bytes are overwritten on a while b may still read */
        weir_tensor_release(twice);
        weir_live_get(&live);
        if (live.events > events) events = live.events;
    }
    cr_assert_leq(events, 3 * 10, "%s: %llu events at once", dev->name, (unsigned long long)events);
    wt_ok(weir_variable_read(sum, &total));
    assert_all(total, (float)(rounds * (rounds + 1)), dev);
    weir_variable_release(sum);
    close_lane(&a);
    close_lane(&b);
}

WEIR_DEVICE_TEST_TAGGED(queue, keeps_the_order_of_updates_from_all_sides)
{
    const int rounds = (int)wt_scale(200);
    lane lanes[3] = {open_lane(ctx), open_lane(ctx), {weir_context_get_queue(ctx), ctx}};
    weir_variable *value = NULL;
    weir_tensor *now = full(ctx, 1);

    /* read on one queue, changed by a function of the value on the next, written back in place on the first */
    wt_ok(weir_variable_create(lanes[0].view, "value", WEIR_DTYPE_F32, &shape, now, NULL, &value));
    weir_tensor_release(now);
    for (int i = 0; i < rounds; i++) {
        weir_tensor *read = NULL;
        weir_tensor *square = NULL;
        weir_tensor *step = full(lanes[i % 3].view, (double)(i % 5));

        wt_ok(weir_variable_read(value, &read));
        wt_ok(weir_mul(lanes[(i + 1) % 3].view, read, read, &square));
        weir_tensor_release(read);
        wt_ok(weir_variable_assign(value, step));
        weir_tensor_release(step);
        wt_ok(weir_variable_assign_add(value, square));
        weir_tensor_release(square);
        wt_ok(weir_variable_assign_sub(value, (square = full(lanes[(i + 2) % 3].view, i % 5))));
        weir_tensor_release(square);
    }
    wt_ok(weir_variable_read(value, &now));
    assert_all(now, 1, dev);
    weir_variable_release(value);
    close_lane(&lanes[0]);
    close_lane(&lanes[1]);
}

WEIR_DEVICE_TEST_TAGGED(queue, makes_tensors_that_belong_to_the_context)
{
    lane a = open_lane(ctx);
    weir_context *second = NULL;
    weir_tensor *made = full(a.view, 3);
    weir_tensor *sum = NULL;
    weir_context_stats before;
    weir_context_stats after;

    cr_assert_eq(weir_tensor_get_context(made), ctx);
    cr_assert_eq(weir_context_get_pool(a.view), weir_context_get_pool(ctx));
    cr_assert_eq(weir_context_get_device(a.view), weir_context_get_device(ctx));
    cr_assert_eq(weir_context_get_queue(a.view), a.queue);
    cr_assert_neq(weir_context_get_queue(ctx), a.queue);
    wt_ok(weir_context_on_queue(a.view, weir_context_get_queue(ctx), &second)); /* a view's view */
    cr_assert_eq(weir_context_get_queue(second), weir_context_get_queue(ctx));
    weir_context_get_stats(a.view, &before);
    wt_ok(weir_add(second, made, made, &sum));
    weir_context_get_stats(ctx, &after);
    cr_assert_eq(after.kernels_launched, before.kernels_launched + 1);
    close_lane(&a); /* what was made on it stays */
    wt_ok(weir_context_synchronize(second));
    assert_all(made, 3, dev);
    assert_all(sum, 6, dev);
    weir_context_release(second);
}

/* out = a * a + a. user: a queue of the context. */
static weir_status body(weir_context *context, const weir_argument *arguments, weir_tensor **outs,
                        void *user)
{
    weir_queue *queue = (weir_queue *)(uintptr_t)16;
    weir_context *view = context;
    weir_tensor *square = NULL;
    weir_status status = weir_mul(context, arguments[0].tensor, arguments[0].tensor, &square);

    wt_fails(weir_queue_create(context, &queue), WEIR_E_CAPTURE);
    cr_assert_null(queue);
    cr_assert_null(weir_context_get_queue(context));
    wt_fails(weir_context_on_queue(context, user, &view), WEIR_E_CAPTURE);
    if (status == WEIR_OK) status = weir_add(context, square, arguments[0].tensor, &outs[0]);
    weir_tensor_release(square);
    return status;
}

WEIR_DEVICE_TEST_TAGGED(queue, runs_functions_tapes_and_draws_on_views)
{
    lane a = open_lane(ctx);
    lane b = open_lane(ctx);
    weir_argument_spec spec = {
        .kind = WEIR_ARGUMENT_TENSOR, .dtype = WEIR_DTYPE_F32, .shape = shape};
    weir_generator generator = {7, 0};
    weir_function *function = NULL;
    weir_tensor *x = full(ctx, 3);
    weir_tensor *y = NULL;
    weir_tensor *noise[3] = {NULL};
    weir_tensor *gradient = NULL;
    weir_tape *tape = NULL;

    wt_ok(weir_function_capture(a.view, &spec, 1, 1, body, a.queue, &function));
    for (int i = 0; i < 20; i++) {
        weir_tensor *out = NULL;
        weir_tensor *in = full(b.view, i);
        const weir_argument argument = {.tensor = in};

        wt_ok(weir_function_call(function, &argument, 1, &out, 1));
        weir_tensor_release(in);
        assert_all(out, (float)(i * i + i), dev);
    }
    weir_function_release(function);

    wt_ok(weir_tape_begin(a.view, NULL, &tape));
    wt_ok(weir_tape_watch(tape, x));
    wt_ok(weir_mul(b.view, x, x, &y)); /* heard by a tape of any view */
    weir_tape_stop(tape);
    wt_ok(weir_tape_gradient(tape, &y, 1, NULL, &x, 1, &gradient));
    assert_all(gradient, 6, dev);
    weir_tape_destroy(tape);
    weir_tensor_release(x);
    weir_tensor_release(y);

    for (int i = 0; i < 3; i++) {
        weir_tensor *draw = NULL;
        const lane *where = i == 0 ? &(lane){NULL, ctx} : i == 1 ? &a : &b;

        generator = (weir_generator){7, 0};
        wt_ok(weir_random_normal(where->view, &generator, &shape, &draw));
        wt_ok(weir_add(i == 1 ? b.view : a.view, draw, draw, &noise[i]));
        weir_tensor_release(draw);
    }
    wt_ok(weir_sub(a.view, noise[0], noise[1], &x));
    wt_ok(weir_sub(b.view, noise[0], noise[2], &y));
    assert_all(x, 0, dev);
    assert_all(y, 0, dev);
    for (int i = 0; i < 3; i++) weir_tensor_release(noise[i]);
    close_lane(&a);
    close_lane(&b);
}

WEIR_DEVICE_TEST_TAGGED(queue, are_at_most_sixteen_and_slots_are_used_again)
{
    weir_queue *queues[WEIR_QUEUES_MAX] = {NULL};
    weir_queue *more = (weir_queue *)(uintptr_t)16;
    weir_context *view = NULL;
    weir_tensor *kept = NULL;
    weir_live live;

    for (int i = 1; i < WEIR_QUEUES_MAX; i++) wt_ok(weir_queue_create(ctx, &queues[i]));
    wt_fails(weir_queue_create(ctx, &more), WEIR_E_UNSUPPORTED);
    cr_assert_null(more);
    cr_assert_not_null(strstr(weir_last_error()->message, "16"), "%s", weir_last_error()->message);
    weir_live_get(&live);
    cr_assert_eq(live.queues, WEIR_QUEUES_MAX + 1U); /* and the one that touches new buffers */
    wt_ok(weir_context_on_queue(ctx, queues[7], &view));
    kept = full(view, 5);
    weir_queue_release(queues[7]);
    weir_live_get(&live);
    cr_assert_eq(live.queues, WEIR_QUEUES_MAX + 1U, "%s: a view owns its queue", dev->name);
    weir_context_release(view);
    weir_live_get(&live);
    cr_assert_eq(live.queues, WEIR_QUEUES_MAX + 0U, "%s", dev->name);
    for (int i = 0; i < (int)wt_scale(40); i++) { /* the slot of `kept`'s queue, again and again */
        weir_tensor *sum = NULL;
        lane next = open_lane(ctx);

        wt_ok(weir_add(next.view, kept, kept, &sum));
        close_lane(&next);
        assert_all(sum, 10, dev);
    }
    assert_all(kept, 5, dev);
    queues[7] = NULL;
    for (int i = 1; i < WEIR_QUEUES_MAX; i++) weir_queue_release(queues[i]);
}

WEIR_DEVICE_TEST_BARE_TAGGED(queue, refuses_objects_of_another_context_and_nothing)
{
    weir_context *ctx = NULL;
    weir_context *other = NULL;
    weir_queue *queue = NULL;
    weir_queue *foreign = NULL;
    weir_context *view = (weir_context *)(uintptr_t)16;
    weir_block *block = NULL;

    (void)dev;
    wt_ok(weir_context_create(device, NULL, &ctx));
    wt_ok(weir_context_create(device, NULL, &other));
    wt_ok(weir_queue_create(ctx, &queue));
    wt_ok(weir_queue_create(other, &foreign));
    wt_fails(weir_context_on_queue(ctx, foreign, &view), WEIR_E_CONTEXT);
    cr_assert_null(view);
    wt_fails(weir_queue_wait(queue, foreign), WEIR_E_CONTEXT);
    wt_fails(weir_pool_alloc(weir_context_get_pool(ctx), foreign, 100, NULL, &block),
             WEIR_E_CONTEXT);
    cr_assert_null(block);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), queue, 100, NULL, &block));
    wt_fails(weir_block_record(block, foreign), WEIR_E_CONTEXT);
    wt_ok(weir_block_record(block, queue));
    wt_ok(weir_block_record(block, weir_context_get_queue(ctx)));
    weir_block_release(block);
    wt_ok(weir_queue_wait(queue, queue));
    wt_ok(weir_queue_synchronize(queue));

    weir_queue_release(foreign);
    wt_fails(weir_queue_create(NULL, &foreign), WEIR_E_ARG);
    cr_assert_null(foreign);
    wt_fails(weir_queue_create(ctx, NULL), WEIR_E_ARG);
    wt_fails(weir_context_on_queue(NULL, queue, &view), WEIR_E_ARG);
    wt_fails(weir_context_on_queue(ctx, NULL, &view), WEIR_E_ARG);
    wt_fails(weir_context_on_queue(ctx, queue, NULL), WEIR_E_ARG);
    wt_fails(weir_queue_wait(NULL, queue), WEIR_E_ARG);
    wt_fails(weir_queue_wait(queue, NULL), WEIR_E_ARG);
    wt_fails(weir_queue_synchronize(NULL), WEIR_E_ARG);
    wt_fails(weir_block_record(NULL, queue), WEIR_E_ARG);
    cr_assert_null(weir_queue_retain(NULL));
    cr_assert_null(weir_context_get_queue(NULL));
    weir_queue_release(NULL);
    /* an owner of the context's own queue owns the context */
    (void)weir_queue_retain(weir_context_get_queue(other));
    foreign = weir_context_get_queue(other);
    weir_context_release(other);
    wt_ok(weir_queue_synchronize(foreign));
    weir_queue_release(foreign);
    weir_queue_release(queue);
    weir_context_release(ctx);
}

/* What the threads share: values that wander from thread to thread, each on the queue of its last user. */
typedef struct market {
    weir_context *views[4];
    pthread_mutex_t lock;
    weir_tensor *stalls[THREADS];
    float values[THREADS];
    int rounds;
} market;

typedef struct trader {
    market *all;
    unsigned number;
    const char *failure;
} trader;

/* Swaps the thread's value with that in a stall. */
static void swap(market *all, unsigned stall, weir_tensor **tensor, float *value)
{
    weir_tensor *there = NULL;
    float number = 0;

    (void)pthread_mutex_lock(&all->lock);
    there = all->stalls[stall];
    number = all->values[stall];
    all->stalls[stall] = *tensor;
    all->values[stall] = *value;
    (void)pthread_mutex_unlock(&all->lock);
    *tensor = there;
    *value = number;
}

static int holds(weir_tensor *tensor, float value, float *host)
{
    if (weir_tensor_to_host(tensor, host, COUNT * sizeof *host) != WEIR_OK) return 0;
    for (int i = 0; i < COUNT; i++)
        if (host[i] != value) return 0;
    return 1;
}

static void *trade(void *user)
{
    trader *self = user;
    market *all = self->all;
    weir_context *view = all->views[self->number % 4];
    weir_tensor *mine = NULL;
    float value = (float)self->number;
    float host[COUNT];

    if (weir_full(view, WEIR_DTYPE_F32, &shape, (double)value, &mine) != WEIR_OK)
        self->failure = "full";
    for (int i = 0; i < all->rounds && self->failure == NULL; i++) {
        weir_tensor *next = NULL;

        swap(all, (self->number * 5 + (unsigned)i * 3) % THREADS, &mine, &value);
        if (mine == NULL) {
            value = (float)i;
            if (weir_full(view, WEIR_DTYPE_F32, &shape, (double)value, &mine) != WEIR_OK)
                self->failure = "full";
        }
        if (self->failure == NULL && weir_sub(view, mine, mine, &next) != WEIR_OK)
            self->failure = "sub";
        weir_tensor_release(next);
        if (self->failure == NULL && weir_add(view, mine, mine, &next) != WEIR_OK)
            self->failure = "add";
        weir_tensor_release(mine);
        mine = next;
        value = value + value;
        if (value > 1e6F) {
            weir_tensor_release(mine);
            mine = NULL;
            value = 1;
            if (weir_full(view, WEIR_DTYPE_F32, &shape, 1, &mine) != WEIR_OK)
                self->failure = "full";
        }
        if (i % 16 == 0 && self->failure == NULL && !holds(mine, value, host))
            self->failure = "wrong value";
    }
    weir_tensor_release(mine);
    return NULL;
}

/* Not tagged: Oclgrind runs one kernel of a context at a time and aborts when two threads launch on two queues. */
WEIR_DEVICE_TEST(queue, serve_eight_threads)
{
    market all = {.lock = PTHREAD_MUTEX_INITIALIZER, .rounds = (int)wt_scale(400)};
    weir_queue *queues[3] = {NULL};
    pthread_t threads[THREADS];
    trader traders[THREADS];

    for (int i = 0; i < 3; i++) {
        wt_ok(weir_queue_create(ctx, &queues[i]));
        wt_ok(weir_context_on_queue(ctx, queues[i], &all.views[i]));
    }
    all.views[3] = weir_context_retain(ctx);
    for (unsigned i = 0; i < THREADS; i++) {
        traders[i] = (trader){&all, i, NULL};
        cr_assert_eq(pthread_create(&threads[i], NULL, trade, &traders[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) (void)pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_null(traders[i].failure, "%s: thread %u: %s: %s", dev->name, i,
                       traders[i].failure, weir_last_error()->message);
    for (unsigned i = 0; i < THREADS; i++)
        if (all.stalls[i] != NULL) assert_all(all.stalls[i], all.values[i], dev);
    for (int i = 0; i < 4; i++) weir_context_release(all.views[i]);
    for (int i = 0; i < 3; i++) weir_queue_release(queues[i]);
}
