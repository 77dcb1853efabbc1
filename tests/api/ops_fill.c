/* zeros and full. */
#include "ops_support.h"

#include <float.h>
#include <math.h>

TestSuite(fill, .timeout = WT_TIMEOUT);

WEIR_DEVICE_TEST_TAGGED(fill, zeros_has_zero_bytes_in_every_type)
{
    static const weir_dtype dtypes[] = {
        WEIR_DTYPE_F32, WEIR_DTYPE_F64, WEIR_DTYPE_F16, WEIR_DTYPE_BF16, WEIR_DTYPE_I8,
        WEIR_DTYPE_U8,  WEIR_DTYPE_I32, WEIR_DTYPE_U32, WEIR_DTYPE_I64,  WEIR_DTYPE_U64};
    static const unsigned char zeros[37 * 8];
    unsigned char got[37 * 8];
    const weir_shape shape = ops_vector(37);

    (void)dev;
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        weir_tensor *tensor = NULL;
        const size_t bytes = 37 * weir_dtype_bytes(dtypes[i]);

        wt_ok(weir_zeros(ctx, dtypes[i], &shape, &tensor));
        cr_assert_eq(weir_tensor_get_dtype(tensor), dtypes[i]);
        memset(got, 0xff, sizeof got);
        ops_download(tensor, got);
        cr_assert_arr_eq(got, zeros, bytes, "%s", weir_dtype_name(dtypes[i]));
        weir_tensor_release(tensor);
    }
}

/* The bits of f32 that each double rounds to, from IEEE 754. */
static const struct {
    double value;
    uint32_t bits;
} roundings[] = {
    {0.0, 0x00000000u},
    {-0.0, 0x80000000u},
    {1.0, 0x3f800000u},
    {0.1, 0x3dcccccdu},
    {-2.5, 0xc0200000u},
    {0x1p-149, 0x00000001u},
    {0x1p-150, 0x00000000u},
    {0x1.8p-150, 0x00000001u},
    {0x1.000001p0, 0x3f800000u},
    {0x1.000003p0, 0x3f800002u},
    {0x1.fffffep127, 0x7f7fffffu},
    {0x1.fffffefffffffp127, 0x7f7fffffu},
    {0x1.ffffffp127, 0x7f800000u},
    {1e300, 0x7f800000u},
    {-1e300, 0xff800000u},
    {INFINITY, 0x7f800000u},
    {-INFINITY, 0xff800000u},
    {NAN, 0x7fc00000u},
};

WEIR_DEVICE_TEST_TAGGED(fill, full_rounds_its_value_to_nearest_even)
{
    (void)dev;
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; i++) {
        float got[5];
        weir_tensor *tensor = ops_full(ctx, 5, roundings[i].value);

        ops_download(tensor, got);
        for (unsigned e = 0; e < 5; e++) {
            cr_assert_eq(ops_bits(got[e]), roundings[i].bits, "%a: %08x, not %08x",
                         roundings[i].value, ops_bits(got[e]), roundings[i].bits);
        }
        weir_tensor_release(tensor);
    }
}

WEIR_DEVICE_TEST_TAGGED(fill, fills_a_large_tensor_to_its_last_element)
{
    const uint64_t count = wt_scale(1000003);
    float *got = ops_alloc(count);
    weir_tensor *tensor = ops_full(ctx, count, 7.25);

    (void)dev;
    ops_download(tensor, got);
    for (uint64_t e = 0; e < count; e++)
        cr_assert_eq(got[e], 7.25f, "element %llu", (unsigned long long)e);
    weir_tensor_release(tensor);
    free(got);
}

WEIR_DEVICE_TEST_TAGGED(fill, is_a_copy_and_not_a_launch)
{
    weir_context_stats before;
    weir_context_stats after;
    weir_tensor *tensor;

    (void)dev;
    weir_context_get_stats(ctx, &before);
    tensor = ops_full(ctx, 1024, 1.0);
    weir_context_get_stats(ctx, &after);
    cr_assert_eq(after.kernels_launched, before.kernels_launched);
    cr_assert_eq(after.copies_enqueued, before.copies_enqueued + 1);
    weir_tensor_release(tensor);
}

WEIR_DEVICE_TEST_TAGGED(fill, a_scalar_has_one_element)
{
    const weir_shape scalar = {0};
    weir_tensor *tensor = NULL;
    float got = 0.0f;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &scalar, 3.0, &tensor));
    ops_download(tensor, &got);
    cr_assert_eq(got, 3.0f);
    weir_tensor_release(tensor);
}
