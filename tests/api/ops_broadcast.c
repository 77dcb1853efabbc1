/* Binary rows on inputs of different shapes, dense, drawn and viewed, against loops on the host. */
#include "cl/numeric.h"
#include "fence.h"
#include "ops_model.h"

TestSuite(ops_broadcast, .timeout = WT_TIMEOUT);

typedef weir_status binary(weir_context *, weir_tensor *, weir_tensor *, weir_tensor **);

static const struct {
    const char *name;
    binary *call;
} rows[] = {{"add", weir_add}, {"sub", weir_sub}, {"mul", weir_mul}, {"div", weir_div}};

static float host(unsigned row, float a, float b)
{
    switch (row) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    default:
        return wi_div(a, b);
    }
}

static ops_array apply(unsigned row, const ops_array *a, const ops_array *b,
                       const weir_shape *shape)
{
    ops_array made = ops_array_make(shape);

    for (uint64_t e = 0; e < weir_shape_count(shape); e++) {
        uint64_t index[WEIR_RANK_MAX] = {0};

        ops_unravel(shape, e, index);
        made.data[e] =
            wi_canonical(host(row, ops_array_at(a, shape, index), ops_array_at(b, shape, index)));
    }
    return made;
}

/* A shape that broadcasts to `shape`: fewer dimensions, some extents 1. */
static weir_shape random_source(const weir_shape *shape)
{
    weir_shape source = {.rank = shape->rank - ops_below(shape->rank + 1)};

    if (ops_below(3) == 0) source.rank = shape->rank;
    for (unsigned i = 0; i < source.rank; i++) {
        source.extents[i] = shape->extents[shape->rank - source.rank + i];
        if (ops_below(3) == 0) source.extents[i] = 1;
    }
    return source;
}

/* The common shape by the rule's words. */
static weir_shape common_shape(const weir_shape *a, const weir_shape *b)
{
    weir_shape shape = {.rank = a->rank > b->rank ? a->rank : b->rank};

    for (unsigned i = 1; i <= shape.rank; i++) {
        const uint64_t x = i <= a->rank ? a->extents[a->rank - i] : 1;
        const uint64_t y = i <= b->rank ? b->extents[b->rank - i] : 1;

        shape.extents[shape.rank - i] = x == 1 ? y : x;
    }
    return shape;
}

/* A tensor of the array's elements: as they are, or the transpose of their transpose. */
static weir_tensor *upload_somehow(weir_context *ctx, const ops_array *array)
{
    int axes[WEIR_RANK_MAX];
    int inverse[WEIR_RANK_MAX] = {0};
    ops_array turned;
    weir_tensor *stored = NULL;
    weir_tensor *tensor = NULL;

    if (ops_below(2) == 0) return ops_array_upload(ctx, array);
    ops_random_axes(array->shape.rank, axes);
    for (unsigned i = 0; i < array->shape.rank; i++) inverse[axes[i]] = (int)i;
    turned = ops_array_transpose(array, axes);
    stored = ops_array_upload(ctx, &turned);
    wt_ok(weir_transpose(ctx, stored, inverse, &tensor));
    weir_tensor_release(stored);
    free(turned.data);
    return tensor;
}

static void check_pair(weir_context *ctx, unsigned row, const weir_shape *shape_a,
                       const weir_shape *shape_b)
{
    const weir_shape shape = common_shape(shape_a, shape_b);
    ops_array a = ops_array_random(shape_a);
    ops_array b = ops_array_random(shape_b);
    ops_array expected = apply(row, &a, &b, &shape);
    weir_tensor *x = upload_somehow(ctx, &a);
    weir_tensor *y = upload_somehow(ctx, &b);
    const uint64_t before = ops_launches(ctx);
    weir_tensor *out = NULL;

    wt_ok(rows[row].call(ctx, x, y, &out));
    cr_assert_eq(ops_launches(ctx) - before, weir_shape_count(&shape) == 0 ? 0 : 1,
                 "%s is one launch", rows[row].name);
    ops_array_check(out, &expected, rows[row].name);
    weir_tensor_release(out);
    weir_tensor_release(y);
    weir_tensor_release(x);
    free(expected.data);
    free(b.data);
    free(a.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_broadcast, random_shapes_and_views_give_the_bits_of_the_host)
{
    const uint64_t trials = wt_scale(600) + 4;

    (void)dev;
    ops_random_state = 21;
    for (uint64_t trial = 0; trial < trials; trial++) {
        const weir_shape shape = ops_random_shape(WEIR_RANK_MAX, 7, 6000);
        const weir_shape a = random_source(&shape);
        const weir_shape b = random_source(&shape);

        check_pair(ctx, (unsigned)(trial % 4), &a, &b);
    }
}

/* Scalars, rows and columns at lengths around a vector's, where loads change their way. */
WEIR_DEVICE_TEST_TAGGED(ops_broadcast, scalars_rows_and_columns_of_every_length)
{
    static const uint64_t lengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100};

    (void)dev;
    ops_random_state = 31;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint64_t n = lengths[i];
        const weir_shape scalar = {0};
        const weir_shape matrix = {.rank = 2, .extents = {5, n}};
        const weir_shape row = {.rank = 1, .extents = {n}};
        const weir_shape column = {.rank = 2, .extents = {5, 1}};
        const weir_shape cube = {.rank = 3, .extents = {3, 5, n}};

        check_pair(ctx, 0, &scalar, &matrix);
        check_pair(ctx, 1, &matrix, &row);
        check_pair(ctx, 2, &column, &matrix);
        check_pair(ctx, 3, &column, &row);
        check_pair(ctx, 1, &cube, &column);
        check_pair(ctx, 0, &row, &cube);
    }
}

WEIR_DEVICE_TEST_TAGGED(ops_broadcast, draws_are_computed_within_unless_they_are_repeated)
{
    const weir_shape shape = {.rank = 2, .extents = {9, 40}};
    const weir_shape row = {.rank = 1, .extents = {40}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    ops_array large = ops_array_make(&shape);
    ops_array small = ops_array_random(&row);
    ops_array drawn_row = ops_array_make(&row);
    ops_array expected;
    weir_tensor *draw = NULL;
    weir_tensor *b = ops_array_upload(ctx, &small);
    weir_tensor *out = NULL;
    uint64_t before;

    (void)dev;
    wt_ok(weir_random_normal(ctx, &generator, &shape, &draw));
    ops_download(draw, large.data);
    weir_tensor_release(draw);
    expected = apply(0, &large, &small, &shape);
    generator.next_draw = 0;
    wt_ok(weir_random_normal(ctx, &generator, &shape, &draw));
    before = ops_launches(ctx);
    wt_ok(weir_add(ctx, draw, b, &out));
    cr_assert_eq(ops_launches(ctx) - before, 1);
    cr_assert_null(weir_tensor_get_block(draw));
    ops_array_check(out, &expected, "draw plus row");
    weir_tensor_release(out);
    weir_tensor_release(draw);
    free(expected.data);

    wt_ok(weir_random_uniform(ctx, &generator, &row, &draw));
    ops_download(draw, drawn_row.data);
    weir_tensor_release(draw);
    weir_tensor_release(b);
    expected = apply(2, &large, &drawn_row, &shape);
    b = ops_array_upload(ctx, &large);
    generator.next_draw--;
    wt_ok(weir_random_uniform(ctx, &generator, &row, &draw));
    wt_ok(weir_mul(ctx, b, draw, &out));
    ops_array_check(out, &expected, "matrix times drawn row");
    weir_tensor_release(out);
    weir_tensor_release(draw);
    weir_tensor_release(b);
    free(expected.data);
    free(drawn_row.data);
    free(small.data);
    free(large.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_broadcast, shapes_that_do_not_fit_are_shape_and_both_are_named)
{
    const weir_shape a_shape = {.rank = 2, .extents = {4, 3}};
    const weir_shape b_shape = {.rank = 3, .extents = {2, 1, 2}};
    weir_tensor *a = NULL;
    weir_tensor *b = NULL;
    weir_tensor *out = (weir_tensor *)(uintptr_t)16;
    weir_pool_stats before;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &a_shape, 1.0, &a));
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &b_shape, 1.0, &b));
    before = ops_pool(ctx);
    wt_fails(weir_add(ctx, a, b, &out), WEIR_E_SHAPE);
    cr_assert_null(out);
    cr_assert_not_null(strstr(weir_last_error()->message, "[4, 3]"));
    cr_assert_not_null(strstr(weir_last_error()->message, "[2, 1, 2]"));
    cr_assert_eq(ops_pool(ctx).blocks.current, before.blocks.current);
    weir_tensor_release(b);
    weir_tensor_release(a);
}

/* Strided loads and the copies of views read and write nothing outside. */
WEIR_DEVICE_TEST_TAGGED(ops_broadcast, results_write_nothing_outside)
{
    const weir_shape matrix = {.rank = 2, .extents = {7, 9}};
    const weir_shape turned = {.rank = 2, .extents = {9, 7}};
    wt_fence fence = wt_fence_open(ctx, 63 * sizeof(float));
    weir_tensor *a = NULL;
    weir_tensor *row = NULL;
    weir_tensor *view = NULL;
    weir_tensor *out = NULL;
    float got[63];
    int covered = 0;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &matrix, 1.0, &a));
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &(weir_shape){.rank = 1, .extents = {7}}, 2.0, &row));
    wt_ok(weir_transpose(ctx, a, NULL, &view));
    cr_assert(weir_shape_equal(weir_tensor_get_shape(view), &turned));
    wt_ok(weir_add(ctx, view, row, &out));
    covered += wt_fence_covers(&fence, out);
    wt_fence_check(&fence, "add of a transpose and a row");
    ops_download(view, got);
    covered += wt_fence_covers(&fence, view);
    wt_fence_check(&fence, "copy of a transpose");
    cr_assert(covered > 0, "no result lay between posts");
    ops_download(out, got);
    for (unsigned e = 0; e < 63; e++) cr_assert_eq(got[e], 3.0F);
    weir_tensor_release(out);
    weir_tensor_release(view);
    weir_tensor_release(row);
    weir_tensor_release(a);
    wt_fence_close(&fence);
}
