/* Tapes: what is recorded, what may be asked when, and what comes out, on every device. Numbers at a test are those of
 * the list of behaviour. */
#include "tape_support.h"

#include <math.h>

TestSuite(tape, .timeout = WT_TIMEOUT);

/* T1: the state loop. */
WEIR_DEVICE_TEST_TAGGED(tape, adds_keep_no_device_memory_and_little_host_memory)
{
    const uint64_t steps = wt_scale(10000);
    const weir_shape shape = {2, {1, 1024}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *first = NULL;
    weir_tensor *state = NULL;
    uint64_t host_bytes;
    weir_pool_stats stats;

    (void)dev;
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &first));
    wt_ok(weir_tape_watch(tape, first));
    host_bytes = weir_tape_get_host_bytes(tape);
    state = weir_tensor_retain(first);
    for (uint64_t i = 0; i < steps; i++) {
        weir_tensor *noise = NULL;

        wt_ok(weir_random_normal(ctx, &generator, &shape, &noise));
        tape_step(&state, tape_add(ctx, state, noise));
        weir_tensor_release(noise);
    }
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    host_bytes = weir_tape_get_host_bytes(tape) - host_bytes;
    cr_assert(host_bytes <= 64 * steps + 4096, "%llu host bytes for %llu steps",
              (unsigned long long)host_bytes, (unsigned long long)steps);
    stats = ops_pool(ctx);
    cr_assert(stats.blocks.peak <= 4, "%llu blocks", (unsigned long long)stats.blocks.peak);
    tape_expect(tape_gradient(tape, state, first), 1.0f);
    weir_tensor_release(state);
    weir_tensor_release(first);
    weir_tape_destroy(tape);
}

typedef weir_status unary(weir_context *context, weir_tensor *a, weir_tensor **out);

/* T2 */
WEIR_DEVICE_TEST_TAGGED(tape, functions_of_their_result_keep_only_the_result)
{
    static const struct {
        const char *name;
        unary *call;
    } rows[] = {
        {"exp", weir_exp}, {"tanh", weir_tanh}, {"sqrt", weir_sqrt}, {"sigmoid", weir_sigmoid}};
    const double x = 0.5;
    const double wanted[] = {exp(x), 1 - tanh(x) * tanh(x), 0.5 / sqrt(x),
                             exp(-x) / ((1 + exp(-x)) * (1 + exp(-x)))};

    (void)dev;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        weir_tape *tape = tape_open(ctx, 0);
        weir_tensor *source = tape_source(ctx, tape, 1024, x);
        weir_tensor *result = NULL;
        weir_tensor *gradient = NULL;
        float got[1024];

        wt_ok(rows[r].call(ctx, source, &result));
        cr_assert_eq(weir_tape_get_saved_bytes(tape), 4096, "%s", rows[r].name);
        gradient = tape_gradient(tape, result, source);
        ops_download(gradient, got);
        for (unsigned i = 0; i < 1024; i++) {
            cr_assert(fabs((double)got[i] - wanted[r]) <= 1e-6 * fabs(wanted[r]), "%s: %a",
                      rows[r].name, (double)got[i]);
        }
        weir_tensor_release(gradient);
        weir_tensor_release(result);
        weir_tensor_release(source);
        weir_tape_destroy(tape);
    }
}

/* T2: the source's handle goes, its block with it; a chain still reaches an earlier source. */
WEIR_DEVICE_TEST_TAGGED(tape, an_input_that_backward_does_not_read_is_freed)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *source = tape_source(ctx, tape, 1024, 1.0);
    weir_tensor *x = tape_add(ctx, source, source);
    weir_tensor *y = NULL;
    uint64_t blocks;

    (void)dev;
    wt_ok(weir_exp(ctx, x, &y));
    blocks = ops_pool(ctx).blocks.current;
    weir_tensor_release(x);
    cr_assert_eq(ops_pool(ctx).blocks.current, blocks - 1);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 4096);
    weir_tensor_release(y);
    cr_assert_eq(ops_pool(ctx).blocks.current, blocks - 2, "a result nobody can use is kept");
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    weir_tensor_release(source);
    weir_tape_destroy(tape);
}

/* T3 */
WEIR_DEVICE_TEST_TAGGED(tape, a_stopped_gradient_keeps_nothing_and_leads_nowhere)
{
    weir_generator generator = WEIR_GENERATOR_INIT;
    const weir_shape shape = ops_vector(1024);
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *first = tape_source(ctx, tape, 1024, 0.0);
    weir_tensor *state = weir_tensor_retain(first);
    const uint64_t host_bytes = weir_tape_get_host_bytes(tape);

    (void)dev;
    for (uint64_t i = 0; i < wt_scale(10000); i++) {
        weir_tensor *noise = NULL;
        weir_tensor *stopped = NULL;
        weir_tensor *sum = NULL;
        weir_tensor *curved = NULL;

        wt_ok(weir_random_normal(ctx, &generator, &shape, &noise));
        sum = tape_add(ctx, state, noise);
        wt_ok(weir_tanh(ctx, sum, &curved));
        wt_ok(weir_stop_gradient(ctx, curved, &stopped));
        cr_assert_eq(weir_tensor_get_block(stopped), weir_tensor_get_block(curved));
        weir_tensor_release(curved);
        weir_tensor_release(sum);
        weir_tensor_release(noise);
        tape_step(&state, stopped);
        cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    }
    cr_assert(weir_tape_get_host_bytes(tape) <= host_bytes + 3 * 4096);
    cr_assert_null(tape_gradient(tape, state, first));
    weir_tensor_release(state);
    weir_tensor_release(first);
    weir_tape_destroy(tape);
}

/* T4 */
WEIR_DEVICE_TEST_TAGGED(tape, a_tape_answers_once)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 8, 3.0);
    weir_tensor *y = tape_mul(ctx, x, x);
    weir_tensor *gradient = x;

    (void)dev;
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 32);
    tape_expect(tape_gradient(tape, y, x), 6.0f);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    wt_fails(weir_tape_gradient(tape, &y, 1, NULL, &x, 1, &gradient), WEIR_E_TAPE_CONSUMED);
    cr_assert_null(gradient);
    wt_fails(weir_tape_watch(tape, x), WEIR_E_TAPE_CONSUMED);
    tape_step(&y, tape_mul(ctx, x, x));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0, "a consumed tape records");
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* T5 */
WEIR_DEVICE_TEST_TAGGED(tape, a_persistent_tape_answers_again_until_it_is_destroyed)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = tape_source(ctx, tape, 1024, 3.0);
    weir_tensor *y = tape_mul(ctx, x, x);
    weir_tensor *z = tape_mul(ctx, y, y);

    (void)dev;
    for (unsigned i = 0; i < 2; i++) {
        tape_expect(tape_gradient(tape, z, x), 108.0f);
        tape_expect(tape_gradient(tape, y, x), 6.0f);
        tape_expect(tape_gradient(tape, z, y), 18.0f);
    }
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 8192);
    weir_tensor_release(x);
    weir_tensor_release(y);
    cr_assert_eq(ops_pool(ctx).blocks.current, 3);
    weir_tape_destroy(tape);
    cr_assert_eq(ops_pool(ctx).blocks.current, 1, "z is held, x and y were the tape's");
    weir_tensor_release(z);
}

/* T8 */
WEIR_DEVICE_TEST_TAGGED(tape, only_watched_tensors_have_gradients)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x1 = ops_full(ctx, 4, 0.0);
    weir_tensor *x2 = tape_source(ctx, tape, 4, 1.0);
    weir_tensor *y = tape_mul(ctx, x1, x1);
    weir_tensor *square = tape_mul(ctx, x2, x2);
    weir_tensor *z = tape_mul(ctx, square, x2);

    (void)dev;
    cr_assert_null(tape_gradient(tape, y, x1));
    tape_expect(tape_gradient(tape, z, x2), 3.0f);
    weir_tensor_release(z);
    weir_tensor_release(square);
    weir_tensor_release(y);
    weir_tensor_release(x2);
    weir_tensor_release(x1);
    weir_tape_destroy(tape);
}

/* T9, first half */
WEIR_DEVICE_TEST_TAGGED(tape, a_stopped_tape_lets_calls_pass)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = tape_source(ctx, tape, 4, 1.0);
    weir_tensor *x2 = tape_add(ctx, x, x);
    weir_tensor *y = NULL;
    weir_tensor *z = NULL;

    (void)dev;
    weir_tape_stop(tape);
    weir_tape_stop(tape);
    weir_tape_resume(tape);
    y = tape_mul(ctx, x2, x2); /* the pairs nest: still stopped */
    weir_tape_resume(tape);
    z = tape_mul(ctx, x2, x2);
    tape_expect(tape_gradient(tape, z, x2), 4.0f);
    cr_assert_null(tape_gradient(tape, y, x2));
    weir_tensor_release(z);
    weir_tensor_release(y);
    weir_tensor_release(x2);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* T9, second half */
WEIR_DEVICE_TEST_TAGGED(tape, a_reset_tape_forgets_what_was_recorded_and_still_watches)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *v = tape_source(ctx, tape, 4, 1.0);
    weir_tensor *loss = tape_mul(ctx, v, v);
    weir_tensor *square = NULL;

    (void)dev;
    weir_tape_reset(tape);
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    square = tape_mul(ctx, v, v);
    tape_step(&loss, tape_add(ctx, loss, square));
    tape_expect(tape_gradient(tape, loss, v), 2.0f);
    weir_tensor_release(square);
    weir_tensor_release(loss);
    weir_tensor_release(v);
    weir_tape_destroy(tape);
}

/* T10 */
WEIR_DEVICE_TEST_TAGGED(tape, an_unconnected_source_gets_none_or_zeros)
{
    weir_tape_options options = WEIR_TAPE_OPTIONS_INIT;
    const weir_shape shape = {2, {3, 5}};
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 4, 1.0);
    weir_tensor *far = NULL;
    weir_tensor *sources[2];
    weir_tensor *gradients[2];
    weir_tensor *y = tape_mul(ctx, x, x);

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 7.0, &far));
    wt_ok(weir_tape_watch(tape, far));
    cr_assert_null(tape_gradient(tape, y, far));
    weir_tape_destroy(tape);

    options.unconnected = WEIR_UNCONNECTED_ZERO;
    wt_ok(weir_tape_begin(ctx, &options, &tape));
    wt_ok(weir_tape_watch(tape, x));
    wt_ok(weir_tape_watch(tape, far));
    tape_step(&y, tape_mul(ctx, x, x));
    sources[0] = far;
    sources[1] = x;
    wt_ok(weir_tape_gradient(tape, &y, 1, NULL, sources, 2, gradients));
    cr_assert(weir_shape_equal(weir_tensor_get_shape(gradients[0]), &shape));
    tape_expect(gradients[0], 0.0f);
    tape_expect(gradients[1], 2.0f);
    weir_tape_destroy(tape);

    options.unconnected = (weir_unconnected)2;
    wt_fails(weir_tape_begin(ctx, &options, &tape), WEIR_E_ARG);
    cr_assert_null(tape);
    weir_tensor_release(y);
    weir_tensor_release(far);
    weir_tensor_release(x);
}

WEIR_DEVICE_TEST_TAGGED(tape, several_targets_add_up_each_by_its_output_gradient)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = tape_source(ctx, tape, 4, 3.0);
    weir_tensor *y = tape_mul(ctx, x, x);
    weir_tensor *weight = ops_full(ctx, 4, 10.0);
    weir_tensor *targets[2] = {y, x};
    weir_tensor *weights[2] = {weight, NULL};
    weir_tensor *sources[3] = {x, y, x};
    weir_tensor *gradients[3];

    (void)dev;
    wt_ok(weir_tape_gradient(tape, targets, 2, NULL, sources, 3, gradients));
    tape_expect(gradients[0], 7.0f);
    tape_expect(gradients[1], 1.0f);
    tape_expect(gradients[2], 7.0f); /* a source asked twice gets its gradient twice */
    wt_ok(weir_tape_gradient(tape, targets, 2, weights, sources, 3, gradients));
    tape_expect(gradients[0], 61.0f);
    tape_expect(gradients[1], 10.0f);
    tape_expect(gradients[2], 61.0f);
    tape_expect(weir_tensor_retain(weight), 10.0f); /* the caller's own is not added to */
    weights[1] = weight;
    wt_ok(weir_tape_gradient(tape, targets, 2, weights, sources, 1, gradients));
    tape_expect(gradients[0], 70.0f);
    tape_expect(weir_tensor_retain(weight), 10.0f);
    weir_tensor_release(weight);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

WEIR_DEVICE_TEST_TAGGED(tape, a_target_that_is_a_source_gives_its_output_gradient)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = tape_source(ctx, tape, 4, 3.0);
    weir_tensor *weight = ops_full(ctx, 4, 5.0);
    weir_tensor *gradient = NULL;

    (void)dev;
    tape_expect(tape_gradient(tape, x, x), 1.0f);
    wt_ok(weir_tape_gradient(tape, &x, 1, &weight, &x, 1, &gradient));
    tape_expect(gradient, 5.0f);
    weir_tensor_release(weight);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* An output gradient of a target that the other target reads: x*y weighted by y's share too. */
WEIR_DEVICE_TEST_TAGGED(tape, output_gradients_of_used_targets_are_added)
{
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 4, 3.0);
    weir_tensor *y = tape_source(ctx, tape, 4, 2.0);
    weir_tensor *loss = tape_mul(ctx, x, y);
    weir_tensor *two = ops_full(ctx, 4, 2.0);
    weir_tensor *targets[2] = {loss, x};
    weir_tensor *weights[2] = {NULL, two};
    weir_tensor *gradient = NULL;

    (void)dev;
    wt_ok(weir_tape_gradient(tape, targets, 2, weights, &x, 1, &gradient));
    tape_expect(gradient, 4.0f);
    weir_tensor_release(two);
    weir_tensor_release(loss);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* T6 without strictness: the value as it was when it was read. */
WEIR_DEVICE_TEST_TAGGED(tape, an_updated_variable_leaves_the_saved_value_alone)
{
    const weir_shape shape = ops_vector(1024);
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *initial = ops_full(ctx, 1024, 3.0);
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;
    weir_variable *v = NULL;
    weir_context_stats before;
    weir_context_stats after;

    (void)dev;
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, initial, NULL, &v));
    weir_tensor_release(initial);
    wt_ok(weir_variable_read(v, &x));
    wt_ok(weir_tape_watch(tape, x));
    y = tape_mul(ctx, x, x);
    weir_context_get_stats(ctx, &before);
    wt_ok(weir_variable_assign_add(v, y));
    weir_context_get_stats(ctx, &after);
    cr_assert_eq(after.cow_copies, before.cow_copies + 1);
    tape_expect(tape_gradient(tape, y, x), 6.0f);
    weir_tensor_release(x);
    wt_ok(weir_variable_read(v, &x));
    tape_expect(x, 12.0f);
    weir_tensor_release(y);
    weir_variable_release(v);
    weir_tape_destroy(tape);
}

/* The result that backward reads is known to the tape, not held: an update must not write over it all the same. */
WEIR_DEVICE_TEST_TAGGED(tape, a_variable_that_took_a_saved_result_copies_on_update)
{
    const weir_shape shape = ops_vector(1024);
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 1024, 0.0);
    weir_tensor *one = ops_full(ctx, 1024, 1.0);
    weir_tensor *y = NULL;
    weir_tensor *z = NULL;
    weir_variable *v = NULL;

    (void)dev;
    wt_ok(weir_exp(ctx, x, &y));
    z = tape_add(ctx, y, y);
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, y, NULL, &v));
    weir_tensor_release(y);
    cr_assert_eq(weir_variable_is_shared(v), 1);
    wt_ok(weir_variable_assign_add(v, one));
    wt_ok(weir_variable_assign_add(v, one));
    tape_expect(tape_gradient(tape, z, x), 2.0f);
    wt_ok(weir_variable_read(v, &y));
    tape_expect(y, 3.0f);
    weir_variable_release(v);
    weir_tensor_release(z);
    weir_tensor_release(one);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

/* Higher order: each tape records the gradient of the one inside it. Of x^3 at 3: 27, 27, 18, 6. */
WEIR_DEVICE_TEST_TAGGED(tape, outer_tapes_record_the_gradients_of_inner_ones)
{
    weir_tape *tapes[3];
    weir_tensor *x = ops_full(ctx, 4, 3.0);
    weir_tensor *square = NULL;
    weir_tensor *value = NULL;
    const float wanted[] = {27.0f, 18.0f, 6.0f};

    (void)dev;
    for (unsigned i = 0; i < 3; i++) {
        tapes[i] = tape_open(ctx, 0);
        wt_ok(weir_tape_watch(tapes[i], x));
    }
    square = tape_mul(ctx, x, x);
    value = tape_mul(ctx, square, x);
    tape_expect(weir_tensor_retain(value), 27.0f);
    for (unsigned i = 0; i < 3; i++) {
        tape_step(&value, tape_gradient(tapes[2 - i], value, x));
        tape_expect(weir_tensor_retain(value), wanted[i]);
    }
    weir_tensor_release(value);
    weir_tensor_release(square);
    weir_tensor_release(x);
    for (unsigned i = 0; i < 3; i++) weir_tape_destroy(tapes[i]);
}

/* exp keeps its result, which both tapes then know: whichever adopts it, the other still finds its way. */
WEIR_DEVICE_TEST_TAGGED(tape, two_tapes_share_a_saved_result)
{
    (void)dev;
    for (unsigned order = 0; order < 2; order++) {
        weir_tape *outer = tape_open(ctx, 0);
        weir_tape *inner = tape_open(ctx, 0);
        weir_tensor *x = ops_full(ctx, 4, 0.0);
        weir_tensor *y = NULL;
        weir_tensor *z = NULL;
        weir_tensor *gradient = NULL;

        wt_ok(weir_tape_watch(outer, x));
        wt_ok(weir_tape_watch(inner, x));
        wt_ok(weir_exp(ctx, x, &y));
        z = tape_mul(ctx, y, y);
        weir_tensor_release(y);
        /* d/dx exp(2x) = 2, d2/dx2 = 4 at 0 */
        gradient = tape_gradient(order == 0 ? inner : outer, z, x);
        tape_expect(weir_tensor_retain(gradient), 2.0f);
        weir_tensor_release(z);
        tape_expect(tape_gradient(order == 0 ? outer : inner, gradient, x), 4.0f);
        weir_tensor_release(gradient);
        weir_tensor_release(x);
        weir_tape_destroy(outer);
        weir_tape_destroy(inner);
    }
    cr_assert_eq(ops_pool(ctx).blocks.current, 0);
}

WEIR_DEVICE_TEST_TAGGED(tape, a_tape_does_not_record_its_own_gradients)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = tape_source(ctx, tape, 4, 3.0);
    weir_tensor *y = tape_mul(ctx, x, x);
    const uint64_t host_bytes = weir_tape_get_host_bytes(tape);
    weir_tensor *gradient = tape_gradient(tape, y, x);

    (void)dev;
    cr_assert_eq(weir_tape_get_host_bytes(tape), host_bytes);
    cr_assert_null(tape_gradient(tape, gradient, x), "2x was recorded while it was computed");
    tape_expect(gradient, 6.0f);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

WEIR_DEVICE_TEST_TAGGED(tape, watching_again_keeps_what_was_recorded)
{
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = tape_source(ctx, tape, 4, 3.0);
    weir_tensor *y = tape_mul(ctx, x, x);
    weir_tensor *z = NULL;

    (void)dev;
    wt_ok(weir_tape_watch(tape, x));
    wt_ok(weir_tape_watch(tape, y)); /* a result: it still leads back to x */
    z = tape_mul(ctx, y, x);
    tape_expect(tape_gradient(tape, y, x), 6.0f);
    tape_expect(tape_gradient(tape, z, x), 27.0f);
    tape_expect(tape_gradient(tape, z, y), 3.0f);
    weir_tensor_release(z);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}

WEIR_DEVICE_TEST_TAGGED(tape, a_gradient_without_gradient_is_refused_by_name)
{
    weir_tape *outer = tape_open(ctx, 0);
    weir_tape *inner = tape_open(ctx, 0);
    weir_tensor *x = ops_full(ctx, 4, 0.5);
    weir_tensor *y = NULL;
    weir_tensor *gradient = NULL;
    weir_tensor *second = x;

    (void)dev;
    wt_ok(weir_tape_watch(outer, x));
    wt_ok(weir_tape_watch(inner, x));
    wt_ok(weir_tanh(ctx, x, &y));
    gradient = tape_gradient(inner, y, x);
    wt_fails(weir_tape_gradient(outer, &gradient, 1, NULL, &x, 1, &second), WEIR_E_UNSUPPORTED);
    cr_assert_null(second);
    cr_assert_not_null(strstr(weir_last_error()->message, "tanh"));
    weir_tensor_release(gradient);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(inner);
    weir_tape_destroy(outer);
}

WEIR_DEVICE_TEST(tape, bad_arguments_are_named_and_change_nothing)
{
    const weir_shape shape = ops_vector(5);
    weir_tape *unset = (weir_tape *)ctx;
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *x = tape_source(ctx, tape, 4, 3.0);
    weir_tensor *y = tape_mul(ctx, x, x);
    weir_tensor *wrong = NULL;
    weir_tensor *gradient = x;
    weir_tensor *none = NULL;
    weir_context *other = NULL;
    weir_tensor *foreign = NULL;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &wrong));
    wt_ok(weir_context_create(weir_context_get_device(ctx), NULL, &other));
    foreign = ops_full(other, 4, 1.0);
    wt_fails(weir_tape_begin(NULL, NULL, &unset), WEIR_E_ARG);
    cr_assert_null(unset);
    wt_fails(weir_tape_begin(ctx, NULL, NULL), WEIR_E_ARG);
    wt_fails(weir_tape_watch(NULL, x), WEIR_E_ARG);
    wt_fails(weir_tape_watch(tape, NULL), WEIR_E_ARG);
    wt_fails(weir_tape_watch(tape, foreign), WEIR_E_CONTEXT);
    wt_fails(weir_tape_gradient(NULL, &y, 1, NULL, &x, 1, &gradient), WEIR_E_ARG);
    cr_assert_null(gradient);
    gradient = x;
    wt_fails(weir_tape_gradient(tape, &none, 1, NULL, &x, 1, &gradient), WEIR_E_ARG);
    cr_assert_null(gradient);
    wt_fails(weir_tape_gradient(tape, &y, 1, NULL, &none, 1, &gradient), WEIR_E_ARG);
    wt_fails(weir_tape_gradient(tape, &y, 1, &wrong, &x, 1, &gradient), WEIR_E_SHAPE);
    wt_fails(weir_tape_gradient(tape, &foreign, 1, NULL, &x, 1, &gradient), WEIR_E_CONTEXT);
    wt_fails(weir_tape_gradient(tape, &y, 1, NULL, &x, 1, NULL), WEIR_E_ARG);
    wt_fails(weir_stop_gradient(ctx, foreign, &gradient), WEIR_E_CONTEXT);
    cr_assert_null(gradient);
    tape_expect(tape_gradient(tape, y, x), 6.0f); /* none of it consumed the tape */
    weir_tensor_release(foreign);
    weir_context_release(other);
    weir_tensor_release(wrong);
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
    weir_tape_destroy(NULL);
}
