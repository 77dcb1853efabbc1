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
    const int64_t trips = (int64_t)wt_scale(1000) + 3;
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
