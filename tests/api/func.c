/* Captured functions: what they compute, in how many launches and which memory. */
#include "func_support.h"

TestSuite(func, .timeout = WT_TIMEOUT);

/* The loop of problem 1: s = add(s, normal). */
struct walk {
    weir_generator generator;
};

static weir_status walk_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                             weir_tensor **out, void *user)
{
    struct walk *walk = user;
    weir_tensor *noise = NULL;
    weir_status st =
        weir_random_normal(ctx, &walk->generator, weir_tensor_get_shape(in[0]), &noise);

    (void)index;
    if (st == WEIR_OK) st = weir_add(ctx, in[0], noise, &out[0]);
    weir_tensor_release(noise);
    return st;
}

static weir_status walk_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                             void *user)
{
    return weir_for(ctx, arguments[1].scalar, walk_trip, user, &arguments[0].tensor, 1, outs);
}

static weir_function *capture_walk(weir_context *ctx, const weir_shape *shape, struct walk *walk)
{
    weir_argument_spec specs[2];
    weir_function *f = NULL;

    func_specs(shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, 1, walk_body, walk, &f));
    return f;
}

/* F3 */
WEIR_DEVICE_TEST_TAGGED(func, eager_captured_and_updated_loops_give_equal_bits)
{
    const weir_shape shape = func_matrix(1, 1024);
    const int64_t trips = (int64_t)wt_scale(1000) + 300;
    struct walk walk = {WEIR_GENERATOR_INIT};
    weir_tensor *start = func_values(ctx, &shape, 7);
    weir_function *f = capture_walk(ctx, &shape, &walk);
    const weir_argument arguments[] = {func_tensor(start), func_number(trips)};
    weir_variable *state = NULL;
    weir_tensor *captured = NULL;
    weir_tensor *eager = NULL;
    weir_tensor *updated = NULL;

    (void)dev;
    wt_ok(weir_function_call(f, arguments, 2, &captured, 1));
    walk.generator = (weir_generator)WEIR_GENERATOR_INIT;
    wt_ok(weir_for(ctx, weir_scalar_of(trips), walk_trip, &walk, &start, 1, &eager));
    cr_assert_eq(walk.generator.next_draw, (uint64_t)trips);
    cr_assert(func_equal(eager, captured));

    walk.generator = (weir_generator)WEIR_GENERATOR_INIT;
    wt_ok(weir_variable_create(ctx, "state", WEIR_DTYPE_F32, &shape, start, NULL, &state));
    for (int64_t i = 0; i < trips; i++) {
        weir_tensor *noise = NULL;
        wt_ok(weir_random_normal(ctx, &walk.generator, &shape, &noise));
        wt_ok(weir_variable_assign_add(state, noise));
        weir_tensor_release(noise);
    }
    wt_ok(weir_variable_read(state, &updated));
    cr_assert(func_equal(updated, captured));
    weir_tensor_release(updated);
    weir_variable_release(state);
    weir_tensor_release(eager);
    weir_tensor_release(captured);
    weir_tensor_release(start);
    weir_function_release(f);
}

/* Calls a function of one state and a number of trips. */
static weir_tensor *call_with(weir_function *f, weir_tensor *state, int64_t trips)
{
    const weir_argument arguments[] = {func_tensor(state), func_number(trips)};
    weir_tensor *out = NULL;

    wt_ok(weir_function_call(f, arguments, 2, &out, 1));
    return out;
}

static weir_function *capture_loop(weir_context *ctx, const weir_shape *shape,
                                   weir_function_body *body, void *user)
{
    weir_argument_spec specs[2];
    weir_function *f = NULL;

    func_specs(shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, 1, body, user, &f));
    return f;
}

/* F1 */
WEIR_DEVICE_TEST_TAGGED(func, plan_has_one_size_for_all_trips_and_runs_take_nothing)
{
    static const int64_t trips[] = {1, 10, 10000};
    const weir_shape shape = func_matrix(1, 1024);
    struct walk walk = {WEIR_GENERATOR_INIT};
    weir_tensor *start = ops_full(ctx, 1024, 0.0);
    weir_tensor *state = NULL;
    weir_function *f = capture_walk(ctx, &shape, &walk);
    const uint64_t bytes = weir_function_get_plan_bytes(f);

    (void)dev;
    wt_ok(weir_reshape(ctx, start, &shape, &state));
    wt_ok(weir_function_prepare(f));
    for (size_t i = 0; i < 3; i++) {
        const weir_pool_stats before = ops_pool(ctx);
        weir_tensor *out = call_with(f, state, i == 2 ? (int64_t)wt_scale(10000) + 10 : trips[i]);
        const weir_pool_stats after = ops_pool(ctx);

        cr_assert_eq(after.blocks.count, before.blocks.count + 1, "more than the result was taken");
        if (i > 0) cr_assert_eq(after.driver_allocs, before.driver_allocs);
        cr_assert_eq(weir_function_get_plan_bytes(f), bytes);
        weir_tensor_release(out);
    }
    weir_function_release(f);
    weir_tensor_release(state);
    weir_tensor_release(start);
}

/* F2 */
WEIR_DEVICE_TEST(func, any_number_of_trips_is_the_same_plan)
{
    const weir_shape shape = func_matrix(1, 64);
    struct walk walk = {WEIR_GENERATOR_INIT};
    weir_tensor *start = func_values(ctx, &shape, 1);
    weir_function *f = capture_walk(ctx, &shape, &walk);
    weir_context_stats before;
    weir_context_stats after;

    (void)dev;
    wt_ok(weir_function_prepare(f));
    weir_context_get_stats(ctx, &before);
    for (int64_t trips = 0; trips < (int64_t)wt_scale(1000); trips++)
        weir_tensor_release(call_with(f, start, trips));
    weir_context_get_stats(ctx, &after);
    cr_assert_eq(after.programs_built + after.programs_loaded,
                 before.programs_built + before.programs_loaded);
    cr_assert_eq(after.kernels_launched - before.kernels_launched, wt_scale(1000));
    weir_function_release(f);
    weir_tensor_release(start);
}

WEIR_DEVICE_TEST_TAGGED(func, no_trips_return_the_start)
{
    const weir_shape shape = func_matrix(3, 7);
    struct walk walk = {WEIR_GENERATOR_INIT};
    weir_tensor *start = func_values(ctx, &shape, 1);
    weir_function *f = capture_walk(ctx, &shape, &walk);

    (void)dev;
    for (int64_t trips = 0; trips > -3; trips--) {
        weir_tensor *out = call_with(f, start, trips * INT64_C(1000000000000));
        cr_assert(func_equal(out, start));
        weir_tensor_release(out);
    }
    weir_function_release(f);
    weir_tensor_release(start);
}

/* s = s + 1, and from inside a loop of a loop. */
static weir_status count_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    (void)index;
    return weir_add(ctx, in[0], user, &out[0]);
}

static weir_status count_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    return weir_for(ctx, arguments[1].scalar, count_trip, user, &arguments[0].tensor, 1, outs);
}

static weir_status count_twice(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                               weir_tensor **out, void *user)
{
    (void)index;
    return weir_for(ctx, weir_scalar_of(70000), count_trip, user, in, 1, out);
}

static weir_status nested_count_body(weir_context *ctx, const weir_argument *arguments,
                                     weir_tensor **outs, void *user)
{
    return weir_for(ctx, arguments[1].scalar, count_twice, user, &arguments[0].tensor, 1, outs);
}

static void check_count(weir_tensor *out, double expected)
{
    float values[20];

    ops_download(out, values);
    for (int i = 0; i < 20; i++)
        cr_assert_float_eq(values[i], expected, 0, "%.0f trips counted as %.0f", expected,
                           (double)values[i]);
    weir_tensor_release(out);
}

WEIR_DEVICE_TEST_TAGGED(func, loops_of_more_than_65535_trips_are_whole)
{
    static const int64_t trips[] = {65535, 65536, 65537, 200000, 1000003};
    const weir_shape shape = ops_vector(20);
    weir_tensor *one = ops_full(ctx, 20, 1.0);
    weir_tensor *zero = ops_full(ctx, 20, 0.0);
    weir_function *f = capture_loop(ctx, &shape, count_body, one);
    weir_function *nested = capture_loop(ctx, &shape, nested_count_body, one);

    (void)dev;
    for (size_t i = 0; i < sizeof trips / sizeof trips[0]; i++)
        check_count(call_with(f, zero, trips[i]), (double)trips[i]);
    check_count(call_with(nested, zero, 3), 210000.0);
    weir_function_release(f);
    weir_function_release(nested);
    weir_tensor_release(one);
    weir_tensor_release(zero);
}

/* The carry becomes the index. */
static weir_status index_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    (void)user;
    return weir_from_scalar(ctx, index, weir_tensor_get_shape(in[0]), &out[0]);
}

static weir_status index_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    return weir_for(ctx, arguments[1].scalar, index_trip, user, &arguments[0].tensor, 1, outs);
}

WEIR_DEVICE_TEST(func, index_is_rounded_to_nearest_even_beyond_24_bits)
{
    static const int64_t trips[] = {1, 2, 65537, (1 << 24) + 2, (1 << 24) + 4, (1 << 25) + 7};
    const weir_shape shape = ops_vector(1);
    weir_tensor *start = ops_full(ctx, 1, -1.0);
    weir_function *f = capture_loop(ctx, &shape, index_body, NULL);

    (void)dev;
    for (size_t i = 0; i < sizeof trips / sizeof trips[0]; i++) {
        weir_tensor *out = call_with(f, start, trips[i]);
        float value = 0;

        ops_download(out, &value);
        cr_assert_float_eq(value, (float)(trips[i] - 1), 0, "index %lld as %.1f",
                           (long long)trips[i] - 1, (double)value);
        weir_tensor_release(out);
    }
    weir_function_release(f);
    weir_tensor_release(start);
}

WEIR_DEVICE_TEST_TAGGED(func, scalars_become_f32)
{
    static const int64_t numbers[] = {0,         1,         -1,        16777217,
                                      -16777219, INT64_MAX, INT64_MIN, 9007199791611905};
    const weir_shape shape = ops_vector(3);

    (void)dev;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        weir_tensor *out = NULL;
        float values[3];

        wt_ok(weir_from_scalar(ctx, weir_scalar_of(numbers[i]), &shape, &out));
        ops_download(out, values);
        for (int e = 0; e < 3; e++) cr_assert_eq(ops_bits(values[e]), ops_bits((float)numbers[i]));
        weir_tensor_release(out);
    }
}

/* a, b = b, a + b */
static weir_status fibonacci_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                                  weir_tensor **out, void *user)
{
    (void)index;
    (void)user;
    out[0] = weir_tensor_retain(in[1]);
    return weir_add(ctx, in[0], in[1], &out[1]);
}

static weir_status fibonacci_body(weir_context *ctx, const weir_argument *arguments,
                                  weir_tensor **outs, void *user)
{
    weir_tensor *in[2] = {arguments[0].tensor, arguments[1].tensor};

    return weir_for(ctx, arguments[2].scalar, fibonacci_trip, user, in, 2, outs);
}

WEIR_DEVICE_TEST_TAGGED(func, carries_may_change_places)
{
    static const double expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
    weir_argument_spec specs[3];
    const weir_shape shape = ops_vector(5);
    weir_tensor *zero = ops_full(ctx, 5, 0.0);
    weir_tensor *one = ops_full(ctx, 5, 1.0);
    weir_function *f = NULL;

    (void)dev;
    func_specs(&shape, specs + 1);
    specs[0] = specs[1];
    wt_ok(weir_function_capture(ctx, specs, 3, 2, fibonacci_body, NULL, &f));
    for (int64_t trips = 0; trips < 8; trips++) {
        const weir_argument arguments[] = {func_tensor(zero), func_tensor(one), func_number(trips)};
        weir_tensor *outs[2];

        wt_ok(weir_function_call(f, arguments, 3, outs, 2));
        for (int i = 0; i < 2; i++) {
            float values[5];
            ops_download(outs[i], values);
            cr_assert_float_eq(values[4], expected[trips + i], 0);
            weir_tensor_release(outs[i]);
        }
    }
    weir_function_release(f);
    weir_tensor_release(zero);
    weir_tensor_release(one);
}

/* Loops with known trips leave the generator where the eager ones do. */

static weir_status draws_outer(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                               weir_tensor **out, void *user)
{
    weir_tensor *middle = NULL;
    weir_tensor *unused = NULL;
    struct walk *walk = user;
    weir_status st =
        weir_random_uniform(ctx, &walk->generator, weir_tensor_get_shape(in[0]), &unused);

    if (st == WEIR_OK) st = weir_for(ctx, weir_scalar_of(3), walk_trip, user, in, 1, &middle);
    if (st == WEIR_OK) st = walk_trip(ctx, index, &middle, out, user);
    weir_tensor_release(unused);
    weir_tensor_release(middle);
    return st;
}

static weir_status draws_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    weir_tensor *middle = NULL;
    weir_status st =
        weir_for(ctx, weir_scalar_of(4), draws_outer, user, &arguments[0].tensor, 1, &middle);

    if (st == WEIR_OK) st = walk_trip(ctx, weir_scalar_of(0), &middle, outs, user);
    weir_tensor_release(middle);
    return st;
}

WEIR_DEVICE_TEST_TAGGED(func, draws_of_nested_loops_are_numbered_as_trip_by_trip)
{
    const weir_shape shape = ops_vector(77);
    struct walk walk = {WEIR_GENERATOR_INIT};
    weir_tensor *start = func_values(ctx, &shape, 3);
    weir_argument arguments[] = {func_tensor(start), func_number(0)};
    weir_function *f = NULL;
    weir_tensor *captured = NULL;
    weir_tensor *eager = NULL;
    uint64_t after_capture = 0;

    (void)dev;
    walk.generator.next_draw = 5;
    f = capture_loop(ctx, &shape, draws_body, &walk);
    after_capture = walk.generator.next_draw;
    captured = call_with(f, start, 0);
    walk.generator.next_draw = 5;
    wt_ok(draws_body(ctx, arguments, &eager, &walk));
    cr_assert_eq(walk.generator.next_draw, 5 + 4 * (1 + 3 + 1) + 1);
    cr_assert_eq(after_capture, walk.generator.next_draw);
    cr_assert(func_equal(eager, captured));
    weir_tensor_release(eager);
    weir_tensor_release(captured);
    weir_function_release(f);
    weir_tensor_release(start);
}

/* Carries of two shapes do not fit into one kernel, and run launch by launch. */
static weir_status two_shapes_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                                   weir_tensor **out, void *user)
{
    weir_status st = walk_trip(ctx, index, in, out, user);

    return st == WEIR_OK ? walk_trip(ctx, index, in + 1, out + 1, user) : st;
}

static weir_status two_shapes_body(weir_context *ctx, const weir_argument *arguments,
                                   weir_tensor **outs, void *user)
{
    weir_tensor *in[2] = {arguments[0].tensor, arguments[1].tensor};

    return weir_for(ctx, arguments[2].scalar, two_shapes_trip, user, in, 2, outs);
}

WEIR_DEVICE_TEST_TAGGED(func, carries_of_two_shapes_run_launch_by_launch)
{
    weir_argument_spec specs[3];
    const weir_shape shapes[] = {ops_vector(5), func_matrix(3, 11)};
    weir_tensor *starts[] = {func_values(ctx, &shapes[0], 1), func_values(ctx, &shapes[1], 2)};
    struct walk walk = {WEIR_GENERATOR_INIT};
    weir_function *f = NULL;

    (void)dev;
    func_specs(&shapes[1], specs + 1);
    specs[0] = specs[1];
    specs[0].shape = shapes[0];
    wt_ok(weir_function_capture(ctx, specs, 3, 2, two_shapes_body, &walk, &f));
    cr_assert_gt(weir_function_get_plan_bytes(f), 0);
    for (int64_t trips = 0; trips < 6; trips++) {
        const weir_argument arguments[] = {func_tensor(starts[0]), func_tensor(starts[1]),
                                           func_number(trips)};
        weir_tensor *outs[2];
        weir_tensor *eager[2];

        wt_ok(weir_function_call(f, arguments, 3, outs, 2));
        walk.generator.next_draw = 0;
        wt_ok(weir_for(ctx, weir_scalar_of(trips), two_shapes_trip, &walk, starts, 2, eager));
        for (int i = 0; i < 2; i++) {
            cr_assert(func_equal(eager[i], outs[i]), "%lld trips, carry %d", (long long)trips, i);
            weir_tensor_release(outs[i]);
            weir_tensor_release(eager[i]);
        }
    }
    weir_function_release(f);
    weir_tensor_release(starts[0]);
    weir_tensor_release(starts[1]);
}
