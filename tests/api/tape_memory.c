/* What tapes keep, how they say so, and how large and how shared they may get. Numbers at a test are those of the list
 * of behaviour. */
#include "tape_support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

TestSuite(tape_memory, .timeout = WT_TIMEOUT);

/* A chain of tanh and add: backward needs each tanh. Returns the status of the step that failed. */
static weir_status run_curved(weir_context *ctx, uint64_t steps, weir_tensor **state)
{
    const weir_shape shape = *weir_tensor_get_shape(*state);
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_status st = WEIR_OK;

    for (uint64_t i = 0; i < steps && st == WEIR_OK; i++) {
        weir_tensor *noise = NULL;
        weir_tensor *curved = NULL;
        weir_tensor *next = NULL;

        wt_ok(weir_random_normal(ctx, &generator, &shape, &noise));
        st = weir_tanh(ctx, *state, &curved);
        if (st == WEIR_OK) st = weir_add(ctx, curved, noise, &next);
        if (st == WEIR_OK) tape_step(state, next);
        weir_tensor_release(curved);
        weir_tensor_release(noise);
    }
    return st;
}

static const char *explain(const weir_tape *tape, weir_text *text)
{
    weir_text_reset(text);
    weir_tape_explain(tape, text);
    wt_ok(weir_text_get_status(text));
    return weir_text_get(text);
}

WEIR_DEVICE_TEST_TAGGED(tape_memory,
                        each_result_that_backward_needs_is_kept_and_goes_as_it_is_passed)
{
    const uint64_t steps = wt_scale(1000);
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *first = tape_source(ctx, tape, 1024, 0.5);
    weir_tensor *state = weir_tensor_retain(first);
    weir_tensor *gradient = NULL;
    weir_text *text = NULL;
    weir_pool_stats stats;
    const char *said;
    char records[64];

    (void)dev;
    wt_ok(run_curved(ctx, steps, &state));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 4096 * steps);
    wt_ok(weir_text_create(&text));
    said = explain(tape, text);
    (void)snprintf(records, sizeof records, "%-20s %10llu ", "tanh", (unsigned long long)steps);
    cr_assert_not_null(strstr(said, records), "%s", said);
    cr_assert_not_null(strstr(said, "results"), "%s", said);
    cr_assert(strstr(said, "\ntanh") < strstr(said, "\nadd"), "most bytes first: %s", said);
    cr_assert_not_null(strstr(said, "weir_stop_gradient"), "%s", said);
    weir_pool_reset_peak(weir_context_get_pool(ctx));
    gradient = tape_gradient(tape, state, first);
    stats = ops_pool(ctx);
    cr_assert(stats.blocks.peak <= steps + 6, "%llu blocks at the peak of backward",
              (unsigned long long)stats.blocks.peak);
    cr_assert_eq(stats.blocks.current, 3, "first, state and gradient are left, not %llu",
                 (unsigned long long)stats.blocks.current);
    cr_assert_null(strstr(explain(tape, text), "tanh"));
    weir_tensor_release(gradient);
    weir_tensor_release(state);
    weir_tensor_release(first);
    weir_text_destroy(text);
    weir_tape_destroy(tape);
}

/* The gradient of the curved chain against doubles that follow the device's own states. */
WEIR_DEVICE_TEST_TAGGED(tape_memory, the_gradient_of_a_long_curved_chain_is_right)
{
    enum { STEPS = 40, COUNT = 64 };
    const weir_shape shape = ops_vector(COUNT);
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *first = tape_source(ctx, tape, COUNT, 0.25);
    weir_tensor *state = weir_tensor_retain(first);
    weir_tensor *gradient = NULL;
    double value[COUNT];
    double slope[COUNT];
    float noise[COUNT];
    float got[COUNT];

    (void)dev;
    for (unsigned e = 0; e < COUNT; e++) {
        value[e] = 0.25;
        slope[e] = 1.0;
    }
    wt_ok(run_curved(ctx, STEPS, &state));
    for (unsigned i = 0; i < STEPS; i++) {
        weir_tensor *draw = NULL;

        wt_ok(weir_random_normal(ctx, &generator, &shape, &draw));
        ops_download(draw, noise);
        weir_tensor_release(draw);
        for (unsigned e = 0; e < COUNT; e++) {
            const double curved = tanh(value[e]);

            slope[e] *= 1.0 - curved * curved;
            value[e] = curved + (double)noise[e];
        }
    }
    gradient = tape_gradient(tape, state, first);
    ops_download(gradient, got);
    for (unsigned e = 0; e < COUNT; e++) {
        cr_assert(fabs((double)got[e] - slope[e]) <= 1e-3 * fabs(slope[e]) + 1e-30,
                  "element %u: %.9g, not %.9g", e, (double)got[e], slope[e]);
    }
    weir_tensor_release(gradient);
    weir_tensor_release(state);
    weir_tensor_release(first);
    weir_tape_destroy(tape);
}

WEIR_DEVICE_TEST_BARE_TAGGED(tape_memory, out_of_memory_names_the_tape_and_what_helps)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *ctx = NULL;
    weir_tape *tape = NULL;
    weir_tensor *first = NULL;
    weir_tensor *state = NULL;
    const weir_error *error = NULL;

    memory.limit_bytes = UINT64_C(4) << 20;
    memory.strategy = "growth";
    wt_ok(weir_device_configure(device, &memory));
    wt_ok(weir_context_create(device, NULL, &ctx));
    tape = tape_open(ctx, 0);
    first = tape_source(ctx, tape, 65536, 0.5);
    state = weir_tensor_retain(first);
    wt_fails(run_curved(ctx, 1000, &state), WEIR_E_OUT_OF_MEMORY);
    error = weir_last_error();
    cr_assert(error->has_oom, "%s", dev->name);
    cr_assert_str_eq(error->oom.owners[0].owner, "tape");
    cr_assert(error->oom.owners[0].blocks >= 8);
    cr_assert_not_null(strstr(error->hint, "weir_tape_stop"), "%s", error->hint);
    cr_assert_not_null(strstr(error->hint, "weir_tape_explain"), "cut: %s", error->hint);
    /* The context is usable when the tape is gone. */
    weir_tape_destroy(tape);
    wt_ok(run_curved(ctx, 100, &state));
    weir_tensor_release(state);
    weir_tensor_release(first);
    weir_context_release(ctx);
}

/* An input that is kept has the tape's label from the moment the program lets go of it; a variable's stays its own. */
WEIR_DEVICE_TEST_TAGGED(tape_memory, a_block_that_only_a_tape_holds_has_its_label)
{
    const weir_shape shape = ops_vector(1024);
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 1024, 2.0);
    weir_tensor *w = ops_full(ctx, 1024, 3.0);
    weir_tensor *factor = NULL;
    weir_tensor *products[2] = {NULL, NULL};
    weir_variable *v = NULL;
    weir_text *report = NULL;

    (void)dev;
    wt_ok(weir_text_create(&report));
    wt_ok(weir_variable_create(ctx, "weights", WEIR_DTYPE_F32, &shape, w, NULL, &v));
    weir_tensor_release(w);
    wt_ok(weir_exp(ctx, x, &factor));
    weir_tape_stop(tape);
    tape_step(&factor, tape_add(ctx, factor, factor));
    weir_tape_resume(tape);
    wt_ok(weir_variable_read(v, &w));
    products[0] = tape_mul(ctx, x, factor);
    products[1] = tape_mul(ctx, x, w);
    weir_tensor_release(w);
    weir_pool_report(weir_context_get_pool(ctx), report);
    cr_assert_null(strstr(weir_text_get(report), "\ntape "), "%s", weir_text_get(report));
    weir_tensor_release(factor);
    weir_text_reset(report);
    weir_pool_report(weir_context_get_pool(ctx), report);
    cr_assert_not_null(strstr(weir_text_get(report), "\ntape "), "%s", weir_text_get(report));
    cr_assert_not_null(strstr(weir_text_get(report), "\nweights "), "%s", weir_text_get(report));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 8192, "the other factors, not x");
    weir_tensor_release(products[0]);
    weir_tensor_release(products[1]);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    weir_tensor_release(x);
    weir_variable_release(v);
    weir_tape_destroy(tape);
    weir_text_destroy(report);
}

WEIR_DEVICE_TEST_TAGGED(tape_memory, a_block_that_several_records_keep_counts_once)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 1024, 2.0);
    weir_tensor *results[3];

    (void)dev;
    results[0] = tape_mul(ctx, x, x);
    results[1] = tape_mul(ctx, x, x);
    wt_ok(weir_log(ctx, x, &results[2]));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 4096);
    for (unsigned i = 0; i < 3; i++) weir_tensor_release(results[i]);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* A draw is three numbers, also for the tape. */
WEIR_DEVICE_TEST_TAGGED(tape_memory, a_draw_that_is_kept_takes_no_block)
{
    const weir_shape shape = ops_vector(1024);
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 1024, 2.0);
    weir_tensor *noise = NULL;
    weir_tensor *product = NULL;
    weir_tensor *gradient = NULL;
    float want[1024];
    float got[1024];

    (void)dev;
    wt_ok(weir_random_normal(ctx, &generator, &shape, &noise));
    product = tape_mul(ctx, x, noise);
    weir_tensor_release(noise);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    gradient = tape_gradient(tape, product, x);
    ops_download(gradient, got);
    generator.next_draw = 0;
    wt_ok(weir_random_normal(ctx, &generator, &shape, &noise));
    ops_download(noise, want);
    for (unsigned e = 0; e < 1024; e++) cr_assert_eq(ops_bits(got[e]), ops_bits(want[e]));
    weir_tensor_release(noise);
    weir_tensor_release(gradient);
    weir_tensor_release(product);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* A curved chain of which the program holds each state, and the tape each tanh. */
#define LINKS 32

static weir_tensor *make_links(weir_context *ctx, weir_tensor *first, weir_tensor *states[LINKS])
{
    weir_tensor *state = first;

    for (unsigned i = 0; i < LINKS; i++) {
        weir_tensor *curved = NULL;

        wt_ok(weir_tanh(ctx, state, &curved));
        states[i] = tape_add(ctx, curved, first);
        weir_tensor_release(curved);
        state = states[i];
    }
    return state;
}

/* Gradients of all states are handed out, a block each: as many as saved values have gone by then. */
WEIR_DEVICE_TEST_TAGGED(tape_memory, saved_values_make_room_for_gradients_as_backward_passes)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *first = tape_source(ctx, tape, 1024, 0.5);
    weir_tensor *states[LINKS];
    weir_tensor *gradients[LINKS];
    weir_tensor *last = make_links(ctx, first, states);
    weir_pool_stats stats;

    (void)dev;
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 4096 * LINKS);
    wt_ok(weir_tape_gradient(tape, &last, 1, NULL, states, LINKS, gradients));
    stats = ops_pool(ctx);
    cr_assert(stats.blocks.peak <= 2 * LINKS + 8, "%llu blocks at the peak of backward",
              (unsigned long long)stats.blocks.peak);
    for (unsigned i = 0; i < LINKS; i++) {
        cr_assert_not_null(gradients[i]);
        weir_tensor_release(gradients[i]);
        weir_tensor_release(states[i]);
    }
    weir_tensor_release(first);
    weir_tape_destroy(tape);
}

/* A chain beside it, of which no gradient is asked, makes room before backward begins. */
WEIR_DEVICE_TEST_TAGGED(tape_memory, what_no_gradient_passes_makes_room_before_backward_begins)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *first = tape_source(ctx, tape, 1024, 0.5);
    weir_tensor *other = tape_source(ctx, tape, 1024, 0.5);
    weir_tensor *states[LINKS];
    weir_tensor *others[LINKS];
    weir_tensor *gradients[LINKS];
    weir_tensor *last = make_links(ctx, first, states);
    uint64_t before;

    (void)dev;
    (void)make_links(ctx, other, others);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), UINT64_C(2) * 4096 * LINKS);
    weir_pool_reset_peak(weir_context_get_pool(ctx));
    before = ops_pool(ctx).blocks.current;
    wt_ok(weir_tape_gradient(tape, &last, 1, NULL, states, LINKS, gradients));
    cr_assert_eq(ops_pool(ctx).blocks.peak, before, "backward took more than the other chain gave");
    for (unsigned i = 0; i < LINKS; i++) {
        weir_tensor_release(gradients[i]);
        weir_tensor_release(states[i]);
        weir_tensor_release(others[i]);
    }
    weir_tensor_release(other);
    weir_tensor_release(first);
    weir_tape_destroy(tape);
}

/* What no target depends on is left after no gradient, and dead branches go at once. */
WEIR_DEVICE_TEST_TAGGED(tape_memory, branches_that_no_gradient_passes_are_freed)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 1024, 0.5);
    weir_tensor *y = tape_mul(ctx, x, x);
    weir_tensor *other = NULL;
    weir_tensor *dead = NULL;

    (void)dev;
    wt_ok(weir_exp(ctx, x, &other));
    wt_ok(weir_exp(ctx, other, &dead));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 3 * 4096);
    weir_tensor_release(dead);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 2 * 4096);
    tape_expect(tape_gradient(tape, y, x), 1.0f);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    weir_tensor_release(other);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

WEIR_DEVICE_TEST_TAGGED(tape_memory, a_tensor_that_many_tapes_watch_does_not_grow)
{
    weir_tensor *x = ops_full(ctx, 4, 2.0);
    weir_tensor *kept = NULL;

    (void)dev;
    for (unsigned i = 0; i < wt_scale(1000); i++) {
        weir_tape *tape = tape_open(ctx, 0);
        weir_tensor *y = NULL;

        wt_ok(weir_tape_watch(tape, x));
        wt_ok(weir_tape_watch(tape, x));
        y = tape_mul(ctx, x, x);
        if (i % 2 == 0) tape_expect(tape_gradient(tape, y, x), 4.0f);
        tape_step(&kept, y);
        weir_tape_destroy(tape);
    }
    cr_assert_eq(ops_pool(ctx).blocks.current, 2);
    weir_tensor_release(kept);
    weir_tensor_release(x);
}

/* T13, and what a thread needs. */
typedef struct deep {
    weir_context *ctx;
    uint64_t steps;
} deep;

static void *run_deep(void *user)
{
    const deep *work = user;
    weir_tape *tape = tape_open(work->ctx, 0);
    weir_tensor *first = tape_source(work->ctx, tape, 1, 1.0);
    weir_tensor *one = ops_full(work->ctx, 1, 1.0);
    weir_tensor *state = weir_tensor_retain(first);

    for (uint64_t i = 0; i < work->steps; i++) tape_step(&state, tape_add(work->ctx, state, one));
    tape_expect(tape_gradient(tape, state, first), 1.0f);
    weir_tape_destroy(tape);
    weir_tensor_release(state);

    /* The same without a gradient: freed by the tape, then by the last tensor. */
    for (unsigned round = 0; round < 2; round++) {
        tape = tape_open(work->ctx, 0);
        wt_ok(weir_tape_watch(tape, first));
        state = weir_tensor_retain(first);
        for (uint64_t i = 0; i < work->steps / 4; i++)
            tape_step(&state, tape_add(work->ctx, state, one));
        if (round == 0) weir_tape_destroy(tape);
        weir_tensor_release(state);
        if (round == 1) weir_tape_destroy(tape);
    }
    weir_tensor_release(one);
    weir_tensor_release(first);
    return NULL;
}

WEIR_DEVICE_TEST(tape_memory, a_chain_of_a_million_runs_on_a_small_stack)
{
    deep work = {ctx, wt_scale(1000000)};
    deep few = {ctx, 4};
    pthread_attr_t attributes;
    pthread_t thread;

    (void)dev;
    /* Builds the kernels here: a driver's compiler needs more than the thread's stack. */
    (void)run_deep(&few);
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run_deep, &work), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(pthread_attr_destroy(&attributes), 0);
}

/* Threads, each with a tape of its own, on shared inputs; and tensors that another thread releases. */
#define THREADS 4

typedef struct worker {
    weir_context *ctx;
    weir_tensor *shared;
    weir_tensor *left[64]; /* released by the next worker's thread */
    pthread_t thread;
} worker;

static void *run_worker(void *user)
{
    worker *self = user;

    for (unsigned round = 0; round < 64; round++) {
        weir_tape *tape = tape_open(self->ctx, 0);
        weir_tensor *x = tape_source(self->ctx, tape, 64, 0.0);
        weir_tensor *y = NULL;
        weir_tensor *z = NULL;

        wt_ok(weir_tape_watch(tape, self->shared));
        wt_ok(weir_exp(self->ctx, x, &y));
        z = tape_mul(self->ctx, y, self->shared);
        self->left[round] = y;
        tape_step(&z, tape_mul(self->ctx, z, y));
        tape_expect(tape_gradient(tape, z, x), 4.0f);
        weir_tensor_release(z);
        weir_tensor_release(x);
        if (round % 2 == 1) weir_tape_reset(tape);
        weir_tape_destroy(tape);
    }
    return NULL;
}

static void *release_left(void *user)
{
    worker *other = user;

    for (unsigned i = 0; i < 64; i++) weir_tensor_release(other->left[i]);
    return NULL;
}

/* Not tagged: Oclgrind cannot be used by two threads; it hangs in its compiler when they build programs. */
WEIR_DEVICE_TEST(tape_memory, each_thread_has_tapes_of_its_own)
{
    static worker workers[THREADS];
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *shared = tape_source(ctx, tape, 64, 2.0);
    weir_tensor *y = NULL;

    (void)dev;
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.ctx = ctx, .shared = shared};
        cr_assert_eq(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) cr_assert_eq(pthread_join(workers[i].thread, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&workers[i].thread, NULL, release_left, &workers[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) cr_assert_eq(pthread_join(workers[i].thread, NULL), 0);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0, "calls of other threads were recorded");
    y = tape_mul(ctx, shared, shared);
    tape_expect(tape_gradient(tape, y, shared), 4.0f);
    weir_tensor_release(y);
    weir_tensor_release(shared);
    weir_tape_destroy(tape);
}

/* While one thread goes back and forth on its tape, another drops the tensors that lead to the tape's nodes. */
typedef struct hand_over {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    weir_tensor *tensor;
    int is_done;
} hand_over;

static void *release_handed(void *user)
{
    hand_over *over = user;

    (void)pthread_mutex_lock(&over->lock);
    while (!over->is_done || over->tensor != NULL) {
        weir_tensor *tensor = over->tensor;

        if (tensor == NULL) {
            (void)pthread_cond_wait(&over->changed, &over->lock);
            continue;
        }
        over->tensor = NULL;
        (void)pthread_cond_signal(&over->changed);
        (void)pthread_mutex_unlock(&over->lock);
        weir_tensor_release(tensor);
        (void)pthread_mutex_lock(&over->lock);
    }
    (void)pthread_mutex_unlock(&over->lock);
    return NULL;
}

static void hand(hand_over *over, weir_tensor *tensor)
{
    (void)pthread_mutex_lock(&over->lock);
    while (over->tensor != NULL) (void)pthread_cond_wait(&over->changed, &over->lock);
    over->tensor = tensor;
    over->is_done = tensor == NULL;
    (void)pthread_cond_signal(&over->changed);
    (void)pthread_mutex_unlock(&over->lock);
}

/* Not tagged, for the same reason. */
WEIR_DEVICE_TEST(tape_memory, another_thread_may_release_what_the_tape_knows)
{
    hand_over over = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread;

    (void)dev;
    cr_assert_eq(pthread_create(&thread, NULL, release_handed, &over), 0);
    for (unsigned i = 0; i < wt_scale(500); i++) {
        weir_tape *tape = tape_open(ctx, 0);
        weir_tensor *x = tape_source(ctx, tape, 64, 0.0);
        weir_tensor *y = NULL;
        weir_tensor *z = NULL;

        wt_ok(weir_exp(ctx, x, &y));
        z = tape_mul(ctx, y, y);
        hand(&over, y);
        if (i % 3 != 2) tape_expect(tape_gradient(tape, z, x), 2.0f);
        hand(&over, z);
        weir_tape_destroy(tape);
        hand(&over, x);
    }
    hand(&over, NULL);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(ops_pool(ctx).blocks.current, 0);
}
