/* Failures of operations: the status, a message that helps, and nothing changed. */
#include "ops_support.h"

TestSuite(ops_errors, .timeout = WT_TIMEOUT);

/* A pointer that a failing call must have set to NULL. */
static weir_tensor *garbage(void) { return (weir_tensor *)(uintptr_t)16; }

static void assert_says(const char *part)
{
    cr_assert_not_null(strstr(weir_last_error()->message, part), "no \"%s\" in \"%s\"", part,
                       weir_last_error()->message);
}

WEIR_DEVICE_TEST_TAGGED(ops_errors, missing_arguments_are_arg)
{
    weir_tensor *a = ops_full(ctx, 4, 1.0);
    const weir_shape shape = ops_vector(4);
    weir_tensor *out = garbage();

    (void)dev;
    wt_fails(weir_add(NULL, a, a, &out), WEIR_E_ARG);
    cr_assert_null(out);
    cr_assert_str_eq(weir_last_error()->where, "weir_add");
    out = garbage();
    wt_fails(weir_add(ctx, NULL, a, &out), WEIR_E_ARG);
    cr_assert_null(out);
    out = garbage();
    wt_fails(weir_add(ctx, a, NULL, &out), WEIR_E_ARG);
    cr_assert_null(out);
    wt_fails(weir_add(ctx, a, a, NULL), WEIR_E_ARG);
    out = garbage();
    wt_fails(weir_exp(ctx, NULL, &out), WEIR_E_ARG);
    cr_assert_null(out);
    wt_fails(weir_exp(NULL, a, &out), WEIR_E_ARG);
    wt_fails(weir_scale(ctx, NULL, 2.0f, &out), WEIR_E_ARG);
    out = garbage();
    wt_fails(weir_zeros(NULL, WEIR_DTYPE_F32, &shape, &out), WEIR_E_ARG);
    cr_assert_null(out);
    out = garbage();
    wt_fails(weir_zeros(ctx, WEIR_DTYPE_F32, NULL, &out), WEIR_E_ARG);
    cr_assert_null(out);
    wt_fails(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, NULL), WEIR_E_ARG);
    cr_assert_eq(ops_launches(ctx), 0);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(ops_errors, unequal_shapes_are_shape_and_both_are_named)
{
    static const int64_t extents[] = {2, 2};
    weir_shape square;
    weir_tensor *a = ops_full(ctx, 4, 1.0);
    weir_tensor *b = NULL;
    weir_tensor *out = garbage();
    const weir_pool_stats before = ops_pool(ctx);

    (void)dev;
    wt_ok(weir_shape_make(2, extents, &square));
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &square, 1.0, &b));
    wt_fails(weir_mul(ctx, a, b, &out), WEIR_E_SHAPE);
    cr_assert_null(out);
    assert_says("[4]");
    assert_says("[2, 2]");
    cr_assert_str_eq(weir_last_error()->where, "weir_mul");
    weir_tensor_release(b);
    cr_assert_eq(ops_pool(ctx).blocks.current, before.blocks.current);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(ops_errors, wrong_types_are_dtype_and_both_are_named)
{
    static const int32_t numbers[4] = {1, 2, 3, 4};
    const weir_shape shape = ops_vector(4);
    weir_tensor *a = ops_full(ctx, 4, 1.0);
    weir_tensor *i = NULL;
    weir_tensor *out = garbage();

    (void)dev;
    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_I32, &shape, numbers, &i));
    wt_fails(weir_sub(ctx, a, i, &out), WEIR_E_DTYPE);
    cr_assert_null(out);
    assert_says("f32");
    assert_says("i32");
    out = garbage();
    wt_fails(weir_sqrt(ctx, i, &out), WEIR_E_DTYPE);
    cr_assert_null(out);
    assert_says("i32");
    out = garbage();
    wt_fails(weir_full(ctx, WEIR_DTYPE_I32, &shape, 1.0, &out), WEIR_E_DTYPE);
    cr_assert_null(out);
    assert_says("i32");
    out = garbage();
    wt_fails(weir_zeros(ctx, (weir_dtype)99, &shape, &out), WEIR_E_DTYPE);
    cr_assert_null(out);
    weir_tensor_release(i);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(ops_errors, a_shape_beyond_all_memory_is_shape)
{
    const weir_shape shape = ops_vector(UINT64_C(1) << 62);
    weir_tensor *out = garbage();

    (void)dev;
    wt_fails(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &out), WEIR_E_SHAPE);
    cr_assert_null(out);
}

WEIR_DEVICE_TEST_BARE_TAGGED(ops_errors, tensors_of_two_contexts_are_context)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *one = NULL;
    weir_context *two = NULL;
    weir_tensor *a;
    weir_tensor *b;
    weir_tensor *out = garbage();

    (void)dev;
    options.no_self_check = 1;
    wt_ok(weir_context_create(device, &options, &one));
    wt_ok(weir_context_create(device, &options, &two));
    a = ops_full(one, 4, 1.0);
    b = ops_full(two, 4, 1.0);
    wt_fails(weir_add(one, a, b, &out), WEIR_E_CONTEXT);
    cr_assert_null(out);
    out = garbage();
    wt_fails(weir_add(two, a, a, &out), WEIR_E_CONTEXT);
    cr_assert_null(out);
    out = garbage();
    wt_fails(weir_neg(two, a, &out), WEIR_E_CONTEXT);
    cr_assert_null(out);
    weir_tensor_release(b);
    weir_tensor_release(a);
    weir_context_release(two);
    weir_context_release(one);
}

WEIR_DEVICE_TEST_BARE_TAGGED(ops_errors, over_the_limit_is_out_of_memory_and_nothing_is_lost)
{
    enum { count = 3 * 1024 * 1024 / 4 }; /* 3 MiB; two of them fit into 8 MiB, three do not */
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *ctx = NULL;
    weir_tensor *a;
    weir_tensor *b;
    weir_tensor *out = garbage();
    weir_pool_stats before;
    float *got = ops_alloc(count);

    (void)dev;
    memory.strategy = "direct";
    memory.limit_bytes = UINT64_C(8) << 20;
    options.no_self_check = 1;
    wt_ok(weir_device_configure(device, &memory));
    wt_ok(weir_context_create(device, &options, &ctx));
    a = ops_full(ctx, count, 1.0);
    b = ops_full(ctx, count, 2.0);
    before = ops_pool(ctx);
    wt_fails(weir_add(ctx, a, b, &out), WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(out);
    cr_assert(weir_last_error()->has_oom);
    cr_assert_eq(ops_pool(ctx).blocks.current, before.blocks.current);
    cr_assert_eq(ops_pool(ctx).in_use_bytes.current, before.in_use_bytes.current);
    ops_download(a, got);
    cr_assert_eq(got[count - 1], 1.0f);
    weir_tensor_release(b);
    wt_ok(weir_add(ctx, a, a, &out));
    weir_tensor_release(out);
    weir_tensor_release(a);
    weir_context_release(ctx);
    free(got);
}
