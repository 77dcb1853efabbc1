/* What functions return and hold: results of every kind, constants, chains, calls from several threads. */
#include "func_support.h"

#include <pthread.h>

TestSuite(func_results, .timeout = WT_TIMEOUT);

/* A body that gives results of every kind; user: a constant. */
enum {
    RESULT_ARGUMENT,
    RESULT_CONSTANT,
    RESULT_SUM,
    RESULT_SUM_AGAIN,
    RESULT_VIEW,
    RESULT_SHAPE,
    RESULT_FILL,
    RESULT_INTEGERS,
    RESULT_DRAW,
    RESULT_SCALAR,
    RESULT_COUNT
};

struct kinds {
    weir_tensor *constant;
    weir_generator generator;
};

static weir_status kinds_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    struct kinds *kinds = user;
    weir_tensor *a = arguments[0].tensor;
    const weir_shape flat = ops_vector(12);
    weir_status st = weir_add(ctx, a, kinds->constant, &outs[RESULT_SUM]);

    if (st != WEIR_OK) return st;
    outs[RESULT_ARGUMENT] = weir_tensor_retain(a);
    outs[RESULT_CONSTANT] = weir_tensor_retain(kinds->constant);
    outs[RESULT_SUM_AGAIN] = weir_tensor_retain(outs[RESULT_SUM]);
    st = weir_transpose(ctx, outs[RESULT_SUM], NULL, &outs[RESULT_VIEW]);
    if (st == WEIR_OK) st = weir_reshape(ctx, a, &flat, &outs[RESULT_SHAPE]);
    if (st == WEIR_OK) st = weir_full(ctx, WEIR_DTYPE_F32, &flat, -0.0, &outs[RESULT_FILL]);
    if (st == WEIR_OK) st = weir_zeros(ctx, WEIR_DTYPE_I32, &flat, &outs[RESULT_INTEGERS]);
    if (st == WEIR_OK) st = weir_random_normal(ctx, &kinds->generator, &flat, &outs[RESULT_DRAW]);
    if (st == WEIR_OK) st = weir_from_scalar(ctx, arguments[1].scalar, &flat, &outs[RESULT_SCALAR]);
    return st;
}

WEIR_DEVICE_TEST_TAGGED(func_results, of_every_kind_are_those_of_the_body)
{
    const weir_shape shape = func_matrix(3, 4);
    struct kinds kinds = {func_values(ctx, &shape, 1), WEIR_GENERATOR_INIT};
    weir_tensor *a = func_values(ctx, &shape, 2);
    const weir_argument arguments[] = {func_tensor(a), func_number(-16777219)};
    weir_tensor *outs[RESULT_COUNT] = {NULL};
    weir_tensor *eager[RESULT_COUNT] = {NULL};
    weir_argument_spec specs[2];
    weir_function *f = NULL;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, RESULT_COUNT, kinds_body, &kinds, &f));
    for (int turn = 0; turn < 2; turn++) {
        wt_ok(weir_function_call(f, arguments, 2, outs, RESULT_COUNT));
        kinds.generator.next_draw = 0;
        wt_ok(kinds_body(ctx, arguments, eager, &kinds));
        cr_assert_eq(outs[RESULT_ARGUMENT], a);
        cr_assert_eq(outs[RESULT_CONSTANT], kinds.constant);
        cr_assert_eq(outs[RESULT_SUM], outs[RESULT_SUM_AGAIN]);
        for (int i = 0; i < RESULT_COUNT; i++) {
            cr_assert(
                weir_shape_equal(weir_tensor_get_shape(outs[i]), weir_tensor_get_shape(eager[i])),
                "%d", i);
            cr_assert_eq(weir_tensor_get_dtype(outs[i]), weir_tensor_get_dtype(eager[i]));
            cr_assert(func_equal(outs[i], eager[i]), "result %d", i);
            weir_tensor_release(outs[i]);
            weir_tensor_release(eager[i]);
        }
    }
    weir_function_release(f);
    weir_tensor_release(a);
    weir_tensor_release(kinds.constant);
}

/* F7 */
static weir_status constant_body(weir_context *ctx, const weir_argument *arguments,
                                 weir_tensor **outs, void *user)
{
    return weir_add(ctx, arguments[0].tensor, user, &outs[0]);
}

WEIR_DEVICE_TEST_TAGGED(func_results, constants_are_held_listed_and_given_back)
{
    const weir_shape shape = func_matrix(1, 1 << 16);
    const uint64_t at_start = ops_pool(ctx).in_use_bytes.current;
    weir_tensor *constant = func_values(ctx, &shape, 1);
    weir_tensor *again = NULL;
    weir_argument_spec specs[2];
    weir_function *f = NULL;
    weir_text *text = NULL;
    uint64_t in_use = 0;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 1, 1, constant_body, constant, &f));
    weir_tensor_release(constant);
    wt_ok(weir_text_create(&text));
    weir_function_explain(f, text);
    cr_assert_not_null(
        strstr(weir_text_get(text), "constants: 1\n  f32 [1, 65536], 262144 bytes\n"), "%s",
        weir_text_get(text));
    cr_assert_not_null(strstr(weir_text_get(text), "kernel over 65536 elements: add"), "%s",
                       weir_text_get(text));
    weir_text_destroy(text);
    again = func_values(ctx, &shape, 1);
    {
        const weir_argument argument = func_tensor(again);
        weir_tensor *out = NULL;
        weir_tensor *eager = NULL;

        wt_ok(weir_function_call(f, &argument, 1, &out, 1));
        wt_ok(weir_add(ctx, again, again, &eager));
        cr_assert(func_equal(out, eager));
        weir_tensor_release(out);
        weir_tensor_release(eager);
    }
    weir_tensor_release(again);
    in_use = ops_pool(ctx).in_use_bytes.current;
    weir_function_release(weir_function_retain(f));
    cr_assert_eq(ops_pool(ctx).in_use_bytes.current, in_use);
    weir_function_release(f);
    cr_assert_geq(in_use - ops_pool(ctx).in_use_bytes.current, 4 << 16);
    cr_assert_eq(ops_pool(ctx).in_use_bytes.current, at_start);
}

/* Many operations, more values than a kernel can have parameters, and a part that no result needs. */
#define CHAIN 300
#define MANY 120

static weir_status chain_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    weir_tensor *const *constants = user;
    weir_tensor *value = weir_tensor_retain(arguments[0].tensor);
    weir_status st = WEIR_OK;

    for (int i = 0; i < CHAIN && st == WEIR_OK; i++) {
        weir_tensor *next = NULL;
        weir_tensor *unused = NULL;

        if (i % 3 == 0)
            st = weir_scale(ctx, value, 1.0F + (float)i * 0x1p-12F, &next);
        else
            st = weir_add(ctx, value, constants[i % MANY], &next);
        if (st == WEIR_OK) st = weir_exp(ctx, next, &unused);
        weir_tensor_release(unused);
        weir_tensor_release(value);
        value = next;
    }
    outs[0] = value;
    return st;
}

static weir_status chain_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    weir_argument argument = func_tensor(in[0]);

    (void)index;
    return chain_body(ctx, &argument, out, user);
}

static weir_status chain_loop(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    return weir_for(ctx, arguments[1].scalar, chain_trip, user, &arguments[0].tensor, 1, outs);
}

WEIR_DEVICE_TEST(func_results, chains_of_any_length_are_right_and_few_launches)
{
    const weir_shape shape = ops_vector(333);
    weir_tensor *constants[MANY];
    weir_tensor *start = func_values(ctx, &shape, 9);
    const weir_argument arguments[] = {func_tensor(start), func_number(2)};
    weir_argument_spec specs[2];

    (void)dev;
    for (uint64_t i = 0; i < MANY; i++) constants[i] = func_values(ctx, &shape, 100 + i);
    func_specs(&shape, specs);
    for (int is_loop = 0; is_loop < 2; is_loop++) {
        weir_function *f = NULL;
        weir_tensor *out = NULL;
        weir_tensor *eager = NULL;
        uint64_t launches = 0;

        wt_ok(weir_function_capture(ctx, specs, 2, 1, is_loop ? chain_loop : chain_body, constants,
                                    &f));
        launches = ops_launches(ctx);
        wt_ok(weir_function_call(f, arguments, 2, &out, 1));
        cr_assert_leq(ops_launches(ctx) - launches, is_loop ? 20 : 10);
        wt_ok((is_loop ? chain_loop : chain_body)(ctx, arguments, &eager, constants));
        cr_assert(func_equal(out, eager), "loop: %d", is_loop);
        weir_tensor_release(out);
        weir_tensor_release(eager);
        weir_function_release(f);
    }
    for (size_t i = 0; i < MANY; i++) weir_tensor_release(constants[i]);
    weir_tensor_release(start);
}

/* More numbers than parameters fit: they are written into the kernel. */
static weir_status scales_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                               weir_tensor **out, void *user)
{
    weir_tensor *value = weir_tensor_retain(in[0]);
    weir_status st = WEIR_OK;

    (void)index;
    (void)user;
    for (int i = 0; i < 200 && st == WEIR_OK; i++) {
        weir_tensor *next = NULL;

        st = weir_scale(ctx, value, (i % 2 == 0 ? 1.0F : 0.5F) + (float)i * 0x1p-10F, &next);
        weir_tensor_release(value);
        value = next;
    }
    out[0] = value;
    return st;
}

static weir_status scales_body(weir_context *ctx, const weir_argument *arguments,
                               weir_tensor **outs, void *user)
{
    return weir_for(ctx, arguments[1].scalar, scales_trip, user, &arguments[0].tensor, 1, outs);
}

WEIR_DEVICE_TEST(func_results, a_loop_with_many_numbers_is_one_launch)
{
    const weir_shape shape = ops_vector(50);
    weir_tensor *start = func_values(ctx, &shape, 9);
    const weir_argument arguments[] = {func_tensor(start), func_number(3)};
    weir_argument_spec specs[2];
    weir_function *f = NULL;
    weir_tensor *out = NULL;
    weir_tensor *eager = NULL;
    uint64_t launches = 0;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, 1, scales_body, NULL, &f));
    launches = ops_launches(ctx);
    wt_ok(weir_function_call(f, arguments, 2, &out, 1));
    cr_assert_eq(ops_launches(ctx) - launches, 1);
    wt_ok(scales_body(ctx, arguments, &eager, NULL));
    cr_assert(func_equal(out, eager));
    weir_tensor_release(out);
    weir_tensor_release(eager);
    weir_function_release(f);
    weir_tensor_release(start);
}

WEIR_DEVICE_TEST_TAGGED(func_results, empty_tensors_are_computed_without_launches)
{
    const weir_shape shape = func_matrix(0, 4);
    weir_tensor *start = NULL;
    weir_argument arguments[2];
    weir_argument_spec specs[2];
    weir_function *f = NULL;
    weir_tensor *out = NULL;
    uint64_t launches = ops_launches(ctx);

    (void)dev;
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &start));
    arguments[0] = func_tensor(start);
    arguments[1] = func_number(100);
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, 1, scales_body, NULL, &f));
    wt_ok(weir_function_call(f, arguments, 2, &out, 1));
    cr_assert_eq(ops_launches(ctx), launches);
    cr_assert(weir_shape_equal(weir_tensor_get_shape(out), &shape));
    weir_tensor_release(out);
    weir_function_release(f);
    weir_tensor_release(start);
}

/* An argument may be a draw that nothing has read, or a view. */
WEIR_DEVICE_TEST_TAGGED(func_results, arguments_may_be_draws_and_views)
{
    const weir_shape shape = func_matrix(6, 5);
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *base = NULL;
    weir_tensor *view = NULL;
    weir_tensor *constant = NULL;
    weir_tensor *out = NULL;
    weir_tensor *eager = NULL;
    weir_argument argument;
    weir_argument_spec specs[2];
    weir_function *f = NULL;
    const weir_shape turned = func_matrix(5, 6);

    (void)dev;
    wt_ok(weir_random_normal(ctx, &generator, &turned, &base));
    wt_ok(weir_transpose(ctx, base, NULL, &view));
    wt_ok(weir_random_uniform(ctx, &generator, &shape, &constant));
    argument = func_tensor(view);
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 1, 1, constant_body, constant, &f));
    wt_ok(weir_function_call(f, &argument, 1, &out, 1));
    wt_ok(weir_add(ctx, view, constant, &eager));
    cr_assert(func_equal(out, eager));
    weir_tensor_release(out);
    weir_tensor_release(eager);
    weir_function_release(f);
    weir_tensor_release(base);
    weir_tensor_release(view);
    weir_tensor_release(constant);
}

/* Calls of one function follow one another, from whatever threads. */
struct caller {
    weir_function *f;
    weir_tensor *in;
    weir_tensor *expected;
    int is_equal;
};

static void *call_often(void *user)
{
    struct caller *caller = user;
    const weir_argument argument = func_tensor(caller->in);

    caller->is_equal = 1;
    for (int i = 0; i < 50; i++) {
        weir_tensor *out = NULL;

        caller->is_equal &= weir_function_call(caller->f, &argument, 1, &out, 1) == WEIR_OK;
        caller->is_equal &= out != NULL && func_equal(out, caller->expected);
        weir_tensor_release(out);
    }
    return NULL;
}

static weir_status sums_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                             void *user)
{
    weir_tensor *sum = NULL;
    weir_tensor *exp = NULL;
    weir_status st = weir_exp(ctx, arguments[0].tensor, &exp);

    (void)user;
    if (st == WEIR_OK) st = weir_sum(ctx, exp, NULL, 0, 0, &sum);
    if (st == WEIR_OK) st = weir_div(ctx, exp, sum, &outs[0]);
    weir_tensor_release(sum);
    weir_tensor_release(exp);
    return st;
}

WEIR_DEVICE_TEST(func_results, two_threads_may_call_one_function)
{
    const weir_shape shape = ops_vector(10000);
    struct caller callers[2];
    pthread_t threads[2];
    weir_argument_spec specs[2];
    weir_function *f = NULL;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 1, 1, sums_body, NULL, &f));
    cr_assert_geq(weir_function_get_plan_bytes(f), 40000);
    for (int i = 0; i < 2; i++) {
        weir_argument argument;

        callers[i].f = f;
        callers[i].in = func_values(ctx, &shape, (uint64_t)i + 1);
        argument = func_tensor(callers[i].in);
        wt_ok(sums_body(ctx, &argument, &callers[i].expected, NULL));
    }
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
        cr_assert(callers[i].is_equal);
        weir_tensor_release(callers[i].in);
        weir_tensor_release(callers[i].expected);
    }
    weir_function_release(f);
}

/* 101 transposes of an expanded row. */
static weir_status views_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    const weir_shape wide = func_matrix(3, 7);
    weir_tensor *value = NULL;
    weir_status st = weir_expand(ctx, arguments[0].tensor, &wide, &value);

    (void)user;
    for (int i = 0; i < 101 && st == WEIR_OK; i++) {
        weir_tensor *next = NULL;

        st = weir_transpose(ctx, value, NULL, &next);
        weir_tensor_release(value);
        value = next;
    }
    if (st == WEIR_OK) st = weir_exp(ctx, value, &outs[0]);
    weir_tensor_release(value);
    return st;
}

WEIR_DEVICE_TEST_TAGGED(func_results, views_of_views_are_followed)
{
    const weir_shape shape = ops_vector(7);
    weir_tensor *row = func_values(ctx, &shape, 5);
    const weir_argument argument = func_tensor(row);
    weir_argument_spec specs[2];
    weir_function *f = NULL;
    weir_tensor *out = NULL;
    weir_tensor *eager = NULL;

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 1, 1, views_body, NULL, &f));
    wt_ok(weir_function_call(f, &argument, 1, &out, 1));
    wt_ok(views_body(ctx, &argument, &eager, NULL));
    cr_assert(func_equal(out, eager));
    weir_tensor_release(out);
    weir_tensor_release(eager);
    weir_function_release(f);
    weir_tensor_release(row);
}
