/* Loops that run launch by launch: what they read from outside is in memory before they begin. */
#include "func_support.h"

TestSuite(func_loops, .timeout = WT_TIMEOUT);

/* Where the number comes from that is the same everywhere. */
enum { FROM_FILL, FROM_SCALAR, FROM_COUNT };

struct uniform {
    int from;
    int is_nested; /* 1: an inner loop starts from it; 0: a carry that never changes */
};

/* x + transpose(u) + sum(u) */
static weir_status add_number(weir_context *ctx, weir_tensor *x, weir_tensor *u, weir_tensor **out)
{
    weir_tensor *turned = NULL;
    weir_tensor *total = NULL;
    weir_tensor *sum = NULL;
    weir_status st = weir_transpose(ctx, u, NULL, &turned);

    if (st == WEIR_OK) st = weir_sum(ctx, u, NULL, 0, 0, &total);
    if (st == WEIR_OK) st = weir_add(ctx, x, turned, &sum);
    if (st == WEIR_OK) st = weir_add(ctx, sum, total, out);
    weir_tensor_release(sum);
    weir_tensor_release(total);
    weir_tensor_release(turned);
    return st;
}

static weir_status keep_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                             weir_tensor **out, void *user)
{
    (void)index;
    (void)user;
    out[1] = weir_tensor_retain(in[1]);
    return add_number(ctx, in[0], in[1], &out[0]);
}

static weir_status inner_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    (void)index;
    (void)user;
    return add_number(ctx, in[0], in[0], &out[0]);
}

static weir_status outer_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    weir_tensor *start = user;
    weir_tensor *inner = NULL;
    weir_status st = weir_for(ctx, weir_scalar_of(2), inner_trip, NULL, &start, 1, &inner);

    (void)index;
    if (st == WEIR_OK) st = weir_add(ctx, in[0], inner, &out[0]);
    weir_tensor_release(inner);
    return st;
}

static weir_status uniform_body(weir_context *ctx, const weir_argument *arguments,
                                weir_tensor **outs, void *user)
{
    const struct uniform *test = user;
    const weir_shape *shape = weir_tensor_get_shape(arguments[0].tensor);
    weir_tensor *in[] = {arguments[0].tensor, NULL};
    weir_tensor *carries[2] = {NULL};
    weir_status st = test->from == FROM_FILL
                         ? weir_full(ctx, WEIR_DTYPE_F32, shape, 2.5, &in[1])
                         : weir_from_scalar(ctx, arguments[1].scalar, shape, &in[1]);

    if (st == WEIR_OK && test->is_nested)
        st = weir_for(ctx, arguments[1].scalar, outer_trip, in[1], in, 1, carries);
    else if (st == WEIR_OK)
        st = weir_for(ctx, arguments[1].scalar, keep_trip, NULL, in, 2, carries);
    weir_tensor_release(carries[1]);
    weir_tensor_release(in[1]);
    outs[0] = carries[0];
    return st;
}

WEIR_DEVICE_TEST_TAGGED(func_loops, numbers_from_outside_are_written_before_the_loop)
{
    const weir_shape shape = func_matrix(3, 3);
    weir_tensor *start = func_values(ctx, &shape, 4);
    const weir_argument arguments[] = {func_tensor(start), func_number(3)};
    weir_argument_spec specs[2];

    (void)dev;
    func_specs(&shape, specs);
    for (int i = 0; i < 2 * FROM_COUNT; i++) {
        struct uniform test = {.from = i % FROM_COUNT, .is_nested = i / FROM_COUNT};
        weir_tensor *eager = NULL;
        weir_tensor *captured = NULL;
        weir_function *f = NULL;

        wt_ok(uniform_body(ctx, arguments, &eager, &test));
        wt_ok(weir_function_capture(ctx, specs, 2, 1, uniform_body, &test, &f));
        wt_ok(weir_function_call(f, arguments, 2, &captured, 1));
        cr_assert(func_equal(eager, captured), "number %d, nested %d", test.from, test.is_nested);
        weir_tensor_release(eager);
        weir_tensor_release(captured);
        weir_function_release(f);
    }
    weir_tensor_release(start);
}

/* Adds the sums of the rows of carry 1, which stays. */
static weir_status rows_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                             weir_tensor **out, void *user)
{
    const int axis = 1;
    weir_tensor *rows = NULL;
    weir_status st = weir_sum(ctx, in[1], &axis, 1, 1, &rows);

    (void)index;
    (void)user;
    if (st == WEIR_OK) st = weir_add(ctx, in[0], rows, &out[0]);
    weir_tensor_release(rows);
    out[1] = weir_tensor_retain(in[1]);
    return st;
}

static weir_status reshaped_body(weir_context *ctx, const weir_argument *arguments,
                                 weir_tensor **outs, void *user)
{
    const weir_shape shape = func_matrix(2, 6);
    weir_tensor *in[2] = {NULL};
    weir_status st = weir_reshape(ctx, arguments[0].tensor, &shape, &in[1]);

    (void)user;
    if (st == WEIR_OK) st = weir_scale(ctx, in[1], 2.0f, &in[0]);
    if (st == WEIR_OK) st = weir_for(ctx, arguments[1].scalar, rows_trip, NULL, in, 2, outs);
    weir_tensor_release(in[0]);
    weir_tensor_release(in[1]);
    return st;
}

WEIR_DEVICE_TEST_TAGGED(func_loops, a_carry_that_stays_has_its_own_shape)
{
    const weir_shape shape = func_matrix(3, 4);
    weir_tensor *start = func_values(ctx, &shape, 5);
    const weir_argument arguments[] = {func_tensor(start), func_number(2)};
    weir_argument_spec specs[2];
    weir_tensor *eager[2] = {NULL};
    weir_tensor *captured[2] = {NULL};
    weir_function *f = NULL;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(reshaped_body(ctx, arguments, eager, NULL));
    wt_ok(weir_function_capture(ctx, specs, 2, 2, reshaped_body, NULL, &f));
    wt_ok(weir_function_call(f, arguments, 2, captured, 2));
    for (int i = 0; i < 2; i++) {
        cr_assert(
            weir_shape_equal(weir_tensor_get_shape(eager[i]), weir_tensor_get_shape(captured[i])),
            "carry %d", i);
        cr_assert(func_equal(eager[i], captured[i]), "carry %d", i);
        weir_tensor_release(eager[i]);
        weir_tensor_release(captured[i]);
    }
    weir_function_release(f);
    weir_tensor_release(start);
}

/* Results of one value: more than a kernel can store. */
enum { RESULTS = 150 };

static weir_status results_body(weir_context *ctx, const weir_argument *arguments,
                                weir_tensor **outs, void *user)
{
    weir_status st = WEIR_OK;

    (void)user;
    for (int i = 0; i < RESULTS && st == WEIR_OK; i++)
        st = weir_scale(ctx, arguments[0].tensor, 0.5f + (float)i, &outs[i]);
    return st;
}

WEIR_DEVICE_TEST(func_loops, many_results_take_few_launches)
{
    const weir_shape shape = ops_vector(40);
    weir_tensor *start = func_values(ctx, &shape, 6);
    const weir_argument arguments[] = {func_tensor(start), func_number(0)};
    weir_argument_spec specs[2];
    weir_tensor *eager[RESULTS] = {NULL};
    weir_tensor *captured[RESULTS] = {NULL};
    weir_function *f = NULL;
    uint64_t launches = 0;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(results_body(ctx, arguments, eager, NULL));
    wt_ok(weir_function_capture(ctx, specs, 2, RESULTS, results_body, NULL, &f));
    launches = ops_launches(ctx);
    wt_ok(weir_function_call(f, arguments, 2, captured, RESULTS));
    cr_assert_leq(ops_launches(ctx) - launches, 8);
    for (int i = 0; i < RESULTS; i++) {
        cr_assert(func_equal(eager[i], captured[i]), "result %d", i);
        weir_tensor_release(eager[i]);
        weir_tensor_release(captured[i]);
    }
    weir_function_release(f);
    weir_tensor_release(start);
}
