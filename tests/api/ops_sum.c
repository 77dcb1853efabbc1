/* Sums over any axes: the published order bit by bit, the error against f64, what they refuse. N5: the same sum five
 * times is the same bits (sum_groups.c has the sizes of work-groups). */
#include "fence.h"
#include "ops_sum_model.h"
#include "tol.h"

TestSuite(ops_sum, .timeout = WT_TIMEOUT);

static void assert_says(const char *part)
{
    cr_assert_not_null(strstr(weir_last_error()->message, part), "no \"%s\" in \"%s\"", part,
                       weir_last_error()->message);
}

/* Random ascending axes of a shape. */
static unsigned random_axes(unsigned rank, int *axes)
{
    unsigned n = 0;

    for (unsigned i = 0; i < rank; i++) {
        if (ops_below(2) == 0) axes[n++] = (int)i;
    }
    return n;
}

/* Sums the tensor along the axes, which it may name from the end and in any order, and compares. */
static void check_sum(weir_context *ctx, weir_tensor *tensor, const ops_array *array,
                      const int *axes, unsigned n_axes, int keep_dims)
{
    const unsigned rank = array->shape.rank;
    ops_array expected = ops_array_sum(array, axes, n_axes, keep_dims, NULL, NULL);
    int given[WEIR_RANK_MAX] = {0};
    weir_tensor *out = NULL;

    for (unsigned i = 0; i < n_axes; i++) given[i] = axes[n_axes - 1 - i];
    if (n_axes > 0 && ops_below(2) == 0) given[0] -= (int)rank;
    if (n_axes == rank && ops_below(2) == 0)
        wt_ok(weir_sum(ctx, tensor, NULL, 0, keep_dims, &out));
    else
        wt_ok(weir_sum(ctx, tensor, given, n_axes, keep_dims, &out));
    ops_array_check(out, &expected, "sum");
    weir_tensor_release(out);
    free(expected.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, random_axes_of_random_views_give_the_published_order)
{
    const uint64_t trials = wt_scale(400) + 4;

    (void)dev;
    ops_random_state = 41;
    for (uint64_t trial = 0; trial < trials; trial++) {
        const weir_shape shape = ops_random_shape(WEIR_RANK_MAX, 12, 20000);
        int axes[WEIR_RANK_MAX] = {0};
        int order[WEIR_RANK_MAX] = {0};
        ops_array array = ops_array_random(&shape);
        ops_array turned;
        weir_tensor *tensor = ops_array_upload(ctx, &array);
        weir_tensor *view = NULL;
        unsigned n = random_axes(shape.rank, axes);

        check_sum(ctx, tensor, &array, axes, n, ops_below(2) == 0);
        ops_random_axes(shape.rank, order);
        turned = ops_array_transpose(&array, order);
        wt_ok(weir_transpose(ctx, tensor, order, &view));
        n = random_axes(shape.rank, axes);
        check_sum(ctx, view, &turned, axes, n, ops_below(2) == 0);
        weir_tensor_release(view);
        weir_tensor_release(tensor);
        free(turned.data);
        free(array.data);
    }
}

/* Lengths around lanes and chunks, as a row, as a column of several, and with the chunks' sums joined. */
WEIR_DEVICE_TEST_TAGGED(ops_sum, every_length_around_lanes_and_chunks)
{
    static const uint64_t lengths[] = {1,    2,    31,   32,   33,   63,   64,    65,   4095,
                                       4096, 4097, 4128, 8191, 8192, 8193, 12288, 20481};
    static const int first[] = {0};
    static const int second[] = {1};

    (void)dev;
    ops_random_state = 51;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const weir_shape rows = {.rank = 2, .extents = {3, lengths[i]}};
        const weir_shape columns = {.rank = 2, .extents = {lengths[i], 19}};
        ops_array array = ops_array_random(&rows);
        weir_tensor *tensor = ops_array_upload(ctx, &array);

        check_sum(ctx, tensor, &array, second, 1, 0);
        check_sum(ctx, tensor, &array, first, 1, 1);
        weir_tensor_release(tensor);
        free(array.data);
        array = ops_array_random(&columns);
        tensor = ops_array_upload(ctx, &array);
        check_sum(ctx, tensor, &array, first, 1, 0);
        check_sum(ctx, tensor, &array, second, 1, 0);
        weir_tensor_release(tensor);
        free(array.data);
    }
}

/* Short sums are made a vector at a time, from neighbours or from places apart. */
WEIR_DEVICE_TEST_TAGGED(ops_sum, short_ones_of_every_length)
{
    static const int axes[] = {0, 1, 2};

    (void)dev;
    ops_random_state = 71;
    for (uint64_t n = 1; n < 70; n += n < 8 ? 1 : 7) {
        const weir_shape shape = {.rank = 3, .extents = {5, n, 1 + ops_below(150)}};
        const weir_shape last = {.rank = 3, .extents = {3, 1 + ops_below(150), n}};
        ops_array array = ops_array_random(&shape);
        weir_tensor *tensor = ops_array_upload(ctx, &array);

        check_sum(ctx, tensor, &array, axes + 1, 1, 0);
        check_sum(ctx, tensor, &array, axes, 2, 0);
        weir_tensor_release(tensor);
        free(array.data);
        array = ops_array_random(&last);
        tensor = ops_array_upload(ctx, &array);
        check_sum(ctx, tensor, &array, axes + 2, 1, 0);
        weir_tensor_release(tensor);
        free(array.data);
    }
}

/* More than 4096 chunks: their sums are joined in two passes. */
WEIR_DEVICE_TEST(ops_sum, of_millions_joins_in_passes)
{
    const weir_shape shape = {.rank = 1, .extents = {wt_scale(UINT64_C(4097) * 4096 + 5)}};
    ops_array array = ops_array_random(&shape);
    ops_array expected = ops_array_make(&(weir_shape){0});
    weir_tensor *tensor = ops_array_upload(ctx, &array);
    weir_tensor *out = NULL;

    (void)dev;
    expected.data[0] = ops_tree_sum(array.data, shape.extents[0]);
    for (unsigned times = 0; times < 5; times++) {
        wt_ok(weir_sum(ctx, tensor, NULL, 0, 0, &out));
        ops_array_check(out, &expected, "sum of millions");
        weir_tensor_release(out);
    }
    weir_tensor_release(tensor);
    free(expected.data);
    free(array.data);
}

/* Roundings that an element can meet: those of a lane (128), of the lanes (5) and of the chunks (log2, rounded up). */
static uint64_t depth(uint64_t length)
{
    uint64_t joins = 0;

    for (uint64_t parts = (length + 4095) / 4096; parts > 1; parts = (parts + 1) / 2) joins++;
    return (length < 4096 ? length / 32 + 1 : 128) + 5 + joins;
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, is_within_the_bound_of_its_depth)
{
    static const int axes[] = {0, 2};
    const weir_shape shape = {.rank = 3, .extents = {wt_scale(300) + 1, 4, 100}};
    const uint64_t length = shape.extents[0] * shape.extents[2];
    ops_array array = ops_array_random(&shape);
    weir_tensor *tensor = ops_array_upload(ctx, &array);
    weir_tensor *out = NULL;
    double wide[4];
    double scale[4];
    float got[4];

    (void)dev;
    for (uint64_t e = 0; e < weir_tensor_get_count(tensor); e += 7) array.data[e] *= 0x1p20F;
    weir_tensor_release(tensor);
    tensor = ops_array_upload(ctx, &array);
    free(ops_array_sum(&array, axes, 2, 0, wide, scale).data);
    wt_ok(weir_sum(ctx, tensor, axes, 2, 0, &out));
    ops_download(out, got);
    for (unsigned r = 0; r < 4; r++) {
        const double bound = wt_tol(WEIR_DTYPE_F32, depth(length)) * scale[r];

        cr_assert(fabs((double)got[r] - wide[r]) <= bound, "%.9g, f64 %.9g, bound %g",
                  (double)got[r], wide[r], bound);
    }
    weir_tensor_release(out);
    weir_tensor_release(tensor);
    free(array.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, of_an_expansion_counts_every_repetition)
{
    static const int axes[] = {0, 1};
    const weir_shape row = {.rank = 1, .extents = {5}};
    const weir_shape wide = {.rank = 3, .extents = {3, 4, 5}};
    ops_array array = ops_array_random(&row);
    ops_array expanded = ops_array_expand(&array, &wide);
    weir_tensor *tensor = ops_array_upload(ctx, &array);
    weir_tensor *view = NULL;

    (void)dev;
    wt_ok(weir_expand(ctx, tensor, &wide, &view));
    check_sum(ctx, view, &expanded, axes, 2, 0);
    cr_assert_eq(weir_tensor_get_block(view), weir_tensor_get_block(tensor), "read where it is");
    weir_tensor_release(view);
    weir_tensor_release(tensor);
    free(expanded.data);
    free(array.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, special_numbers)
{
    static const float numbers[4][3] = {{-0.0F, -0.0F, -0.0F},
                                        {INFINITY, 1.0F, -2.0F},
                                        {INFINITY, -INFINITY, 0.0F},
                                        {1.0F, NAN, 2.0F}};
    static const uint32_t expected[4] = {0x80000000U, 0x7f800000U, 0x7fc00000U, 0x7fc00000U};
    static const int axes[] = {1};
    const weir_shape shape = {.rank = 2, .extents = {4, 3}};
    weir_tensor *a = NULL;
    weir_tensor *out = NULL;
    float got[4];

    (void)dev;
    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, numbers, &a));
    wt_ok(weir_sum(ctx, a, axes, 1, 0, &out));
    ops_download(out, got);
    for (unsigned r = 0; r < 4; r++) cr_assert_eq(ops_bits(got[r]), expected[r], "row %u", r);
    weir_tensor_release(out);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, of_nothing_is_zero_and_no_result_is_empty)
{
    static const int first[] = {0};
    static const int second[] = {1};
    const weir_shape shape = {.rank = 2, .extents = {0, 3}};
    weir_tensor *a = NULL;
    weir_tensor *out = NULL;
    float got[3] = {1.0F, 1.0F, 1.0F};

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &a));
    wt_ok(weir_sum(ctx, a, first, 1, 0, &out));
    ops_download(out, got);
    for (unsigned c = 0; c < 3; c++) cr_assert_eq(ops_bits(got[c]), 0U);
    weir_tensor_release(out);
    wt_ok(weir_sum(ctx, a, second, 1, 1, &out));
    cr_assert_eq(weir_tensor_get_count(out), 0);
    cr_assert_eq(weir_tensor_get_shape(out)->rank, 2);
    weir_tensor_release(out);
    wt_ok(weir_sum(ctx, a, NULL, 0, 0, &out));
    ops_download(out, got);
    cr_assert_eq(ops_bits(got[0]), 0U);
    weir_tensor_release(out);
    weir_tensor_release(a);
    cr_assert_eq(ops_launches(ctx), 0);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, without_axes_to_go_is_the_tensor)
{
    const weir_shape shape = {.rank = 2, .extents = {3, 11}};
    ops_array array = ops_array_random(&shape);
    weir_tensor *a = ops_array_upload(ctx, &array);
    weir_tensor *out = NULL;
    const int none[] = {0};

    (void)dev;
    wt_ok(weir_sum(ctx, a, none, 0, 0, &out));
    ops_array_check(out, &array, "sum over no axes");
    weir_tensor_release(out);
    weir_tensor_release(a);
    free(array.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, writes_nothing_outside_and_returns_its_scratch)
{
    const weir_shape shape = {.rank = 2, .extents = {13, 9000}};
    static const int axes[] = {1};
    wt_fence fence = wt_fence_open(ctx, 13 * 3 * sizeof(float));
    weir_tensor *a = NULL;
    weir_tensor *out = NULL;
    float got[13];
    uint64_t blocks;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 0.5, &a));
    blocks = ops_pool(ctx).blocks.current;
    wt_ok(weir_sum(ctx, a, axes, 1, 0, &out));
    cr_assert_eq(ops_pool(ctx).blocks.current, blocks + 1);
    cr_assert(wt_fence_covers(&fence, out), "the result did not lie between posts");
    wt_fence_check(&fence, "sum");
    ops_download(out, got);
    for (unsigned r = 0; r < 13; r++) cr_assert_eq(got[r], 4500.0F);
    weir_tensor_release(out);
    weir_tensor_release(a);
    wt_fence_close(&fence);
}

WEIR_DEVICE_TEST_TAGGED(ops_sum, refuses_axes_that_are_not_there)
{
    static const int twice[] = {0, -2};
    static const int beyond[] = {2};
    static const int below[] = {-3};
    const weir_shape shape = {.rank = 2, .extents = {2, 2}};
    weir_tensor *a = NULL;
    weir_tensor *i = NULL;
    weir_tensor *out = (weir_tensor *)(uintptr_t)16;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &a));
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_I32, &shape, &i));
    wt_fails(weir_sum(ctx, a, twice, 2, 0, &out), WEIR_E_ARG);
    cr_assert_null(out);
    assert_says("axis -2 comes twice");
    out = (weir_tensor *)(uintptr_t)16;
    wt_fails(weir_sum(ctx, a, beyond, 1, 0, &out), WEIR_E_ARG);
    cr_assert_null(out);
    assert_says("axis 2 of a tensor of 2 dimensions");
    wt_fails(weir_sum(ctx, a, below, 1, 0, &out), WEIR_E_ARG);
    wt_fails(weir_sum(ctx, a, NULL, 1, 0, &out), WEIR_E_ARG);
    wt_fails(weir_sum(ctx, NULL, NULL, 0, 0, &out), WEIR_E_ARG);
    wt_fails(weir_sum(NULL, a, NULL, 0, 0, &out), WEIR_E_ARG);
    wt_fails(weir_sum(ctx, a, NULL, 0, 0, NULL), WEIR_E_ARG);
    wt_fails(weir_sum(ctx, i, NULL, 0, 0, &out), WEIR_E_DTYPE);
    assert_says("i32");
    weir_tensor_release(i);
    weir_tensor_release(a);
}
