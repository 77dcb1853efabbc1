/* Transposes, expansions and reshapes, and views of views of them, against arrays on the host; what they share, cost and
 * refuse. */
#include "ops_model.h"

TestSuite(ops_view, .timeout = WT_TIMEOUT);

static weir_tensor *garbage(void) { return (weir_tensor *)(uintptr_t)16; }

static void assert_says(const char *part)
{
    cr_assert_not_null(strstr(weir_last_error()->message, part), "no \"%s\" in \"%s\"", part,
                       weir_last_error()->message);
}

static weir_shape shape_of(unsigned rank, const int64_t *extents)
{
    weir_shape shape;

    wt_ok(weir_shape_make(rank, extents, &shape));
    return shape;
}

/* A shape that the array expands to. */
static weir_shape random_expansion(const weir_shape *from)
{
    weir_shape to = {.rank = from->rank};
    const unsigned added =
        from->rank < WEIR_RANK_MAX ? ops_below(WEIR_RANK_MAX - from->rank + 1) : 0;
    uint64_t count = weir_shape_count(from);

    to.rank = from->rank + (added > 2 ? 2 : added);
    for (unsigned i = 0; i < to.rank; i++) {
        const unsigned new_ones = to.rank - from->rank;
        uint64_t extent = i < new_ones ? 1 : from->extents[i - new_ones];

        if (extent == 1) extent = 1 + ops_below(4);
        if (count * extent > 20000) extent = i < new_ones ? 1 : from->extents[i - new_ones];
        if (i < new_ones || from->extents[i - new_ones] == 1) count *= extent;
        to.extents[i] = extent;
    }
    return to;
}

/* As many elements in another shape: the extents in another order, some merged. */
static weir_shape random_reshape(const weir_shape *from)
{
    weir_shape to = {0};
    int axes[WEIR_RANK_MAX];

    ops_random_axes(from->rank, axes);
    for (unsigned i = 0; i < from->rank; i++) {
        if (to.rank > 0 && ops_below(2) == 0)
            to.extents[to.rank - 1] *= from->extents[axes[i]];
        else
            to.extents[to.rank++] = from->extents[axes[i]];
    }
    return to;
}

/* Applies one random view to tensor and array. */
static void step(weir_context *ctx, weir_tensor **tensor, ops_array *array)
{
    weir_tensor *view = garbage();
    ops_array made;
    weir_shape shape;
    int axes[WEIR_RANK_MAX] = {0};

    switch (ops_below(3)) {
    case 0:
        ops_random_axes(array->shape.rank, axes);
        made = ops_array_transpose(array, axes);
        for (unsigned i = 0; i < array->shape.rank; i++) {
            if (ops_below(2) == 0) axes[i] -= (int)array->shape.rank;
        }
        wt_ok(weir_transpose(ctx, *tensor, axes, &view));
        break;
    case 1:
        shape = random_expansion(&array->shape);
        made = ops_array_expand(array, &shape);
        wt_ok(weir_expand(ctx, *tensor, &shape, &view));
        break;
    default:
        shape = random_reshape(&array->shape);
        made = ops_array_reshape(array, &shape);
        wt_ok(weir_reshape(ctx, *tensor, &shape, &view));
        break;
    }
    weir_tensor_release(*tensor);
    free(array->data);
    *tensor = view;
    *array = made;
}

WEIR_DEVICE_TEST_TAGGED(ops_view, views_of_views_have_the_elements_of_arrays)
{
    const uint64_t trials = wt_scale(400) + 3;

    (void)dev;
    ops_random_state = 11;
    for (uint64_t trial = 0; trial < trials; trial++) {
        const weir_shape shape = ops_random_shape(WEIR_RANK_MAX, 6, 3000);
        ops_array array = ops_array_random(&shape);
        weir_tensor *tensor = ops_array_upload(ctx, &array);
        weir_tensor *negative = NULL;

        for (unsigned steps = 1 + ops_below(5); steps > 0; steps--) step(ctx, &tensor, &array);
        if (ops_below(2) == 0) { /* read where it is */
            wt_ok(weir_neg(ctx, tensor, &negative));
            for (uint64_t e = 0; e < weir_shape_count(&array.shape); e++)
                array.data[e] = -array.data[e];
            ops_array_check(negative, &array, "neg of a view");
            for (uint64_t e = 0; e < weir_shape_count(&array.shape); e++)
                array.data[e] = -array.data[e];
        }
        ops_array_check(tensor, &array, "a view");
        ops_array_check(tensor, &array, "a view, read again");
        weir_tensor_release(negative);
        weir_tensor_release(tensor);
        free(array.data);
    }
}

WEIR_DEVICE_TEST_TAGGED(ops_view, transpose_without_axes_reverses)
{
    static const int64_t extents[] = {2, 3, 4};
    static const int reversed[] = {2, 1, 0};
    const weir_shape shape = shape_of(3, extents);
    const weir_shape scalar = {0};
    ops_array array = ops_array_random(&shape);
    ops_array expected = ops_array_transpose(&array, reversed);
    weir_tensor *a = ops_array_upload(ctx, &array);
    weir_tensor *b = NULL;

    (void)dev;
    wt_ok(weir_transpose(ctx, a, NULL, &b));
    ops_array_check(b, &expected, "reversed");
    weir_tensor_release(b);
    weir_tensor_release(a);
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &scalar, 3.0, &a));
    wt_ok(weir_transpose(ctx, a, NULL, &b));
    cr_assert_eq(weir_tensor_get_shape(b)->rank, 0);
    weir_tensor_release(b);
    weir_tensor_release(a);
    free(expected.data);
    free(array.data);
}

/* Elements of 1, 2, 4 and 8 bytes; a pattern that no arithmetic on floats would leave alone. */
WEIR_DEVICE_TEST_TAGGED(ops_view, copies_keep_every_bit_of_every_type)
{
    static const weir_dtype types[] = {WEIR_DTYPE_U8, WEIR_DTYPE_BF16, WEIR_DTYPE_F32,
                                       WEIR_DTYPE_F64, WEIR_DTYPE_I64};
    enum { rows = 13, columns = 21 };
    static const int64_t extents[] = {rows, columns};
    const weir_shape shape = shape_of(2, extents);
    unsigned char data[rows * columns * 8];
    unsigned char got[rows * columns * 8];

    (void)dev;
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i % 7 == 0 ? 0xff : i * 37);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        const size_t bytes = weir_dtype_bytes(types[t]);
        weir_tensor *a = NULL;
        weir_tensor *b = NULL;

        wt_ok(weir_tensor_from_host(ctx, types[t], &shape, data, &a));
        wt_ok(weir_transpose(ctx, a, NULL, &b));
        cr_assert_eq(weir_tensor_get_dtype(b), types[t]);
        ops_download(b, got);
        for (unsigned r = 0; r < rows; r++) {
            for (unsigned c = 0; c < columns; c++) {
                cr_assert_arr_eq(got + (c * rows + r) * bytes, data + (r * columns + c) * bytes,
                                 bytes, "%s at (%u, %u)", weir_dtype_name(types[t]), r, c);
            }
        }
        weir_tensor_release(b);
        weir_tensor_release(a);
    }
}

WEIR_DEVICE_TEST_TAGGED(ops_view, of_any_kind_share_the_storage_and_launch_nothing)
{
    static const int64_t extents[] = {4, 1, 256};
    static const int64_t wide[] = {4, 50, 256};
    static const int64_t flat[] = {1024};
    const weir_shape shape = shape_of(3, extents);
    const weir_shape expanded = shape_of(3, wide);
    const weir_shape vector = shape_of(1, flat);
    weir_tensor *a = NULL;
    weir_tensor *views[3] = {NULL};
    weir_pool_stats before;
    weir_context_stats counts;
    uint64_t copies;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 2.0, &a));
    before = ops_pool(ctx);
    weir_context_get_stats(ctx, &counts);
    copies = counts.copies_enqueued;
    wt_ok(weir_transpose(ctx, a, NULL, &views[0]));
    wt_ok(weir_expand(ctx, a, &expanded, &views[1]));
    wt_ok(weir_reshape(ctx, a, &vector, &views[2]));
    cr_assert_eq(ops_pool(ctx).blocks.current, before.blocks.current);
    weir_context_get_stats(ctx, &counts);
    cr_assert_eq(counts.kernels_launched, 0);
    cr_assert_eq(counts.copies_enqueued, copies);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(weir_tensor_get_block(views[i]), weir_tensor_get_block(a));
    weir_tensor_release(a);
    cr_assert_eq(ops_pool(ctx).blocks.current, before.blocks.current, "views hold the storage");
    for (unsigned i = 0; i < 3; i++) weir_tensor_release(views[i]);
    cr_assert_eq(ops_pool(ctx).blocks.current, before.blocks.current - 1);
}

WEIR_DEVICE_TEST_TAGGED(ops_view, that_was_copied_no_longer_holds_its_source)
{
    static const int64_t extents[] = {2, 3};
    const weir_shape shape = shape_of(2, extents);
    ops_array array = ops_array_random(&shape);
    weir_tensor *a = ops_array_upload(ctx, &array);
    weir_tensor *b = NULL;
    float got[6];

    (void)dev;
    wt_ok(weir_transpose(ctx, a, NULL, &b));
    ops_download(b, got);
    cr_assert_neq(weir_tensor_get_block(a), weir_tensor_get_block(b));
    weir_tensor_release(a);
    cr_assert_eq(ops_pool(ctx).blocks.current, 1);
    ops_download(b, got);
    cr_assert_eq(got[1], array.data[3]);
    weir_tensor_release(b);
    free(array.data);
}

/* A reshaped draw is still a draw; a transposed one is the transpose of the same numbers. */
WEIR_DEVICE_TEST_TAGGED(ops_view, of_draws_have_the_numbers_of_the_draw)
{
    static const int64_t extents[] = {6, 10};
    static const int64_t other[] = {4, 15};
    static const int axes[] = {1, 0};
    const weir_shape shape = shape_of(2, extents);
    const weir_shape reshaped = shape_of(2, other);
    weir_generator generator = WEIR_GENERATOR_INIT;
    ops_array array = ops_array_make(&shape);
    ops_array turned;
    ops_array flat;
    weir_tensor *draw = NULL;
    weir_tensor *a = NULL;
    weir_tensor *b = NULL;
    weir_tensor *sum = NULL;

    (void)dev;
    wt_ok(weir_random_normal(ctx, &generator, &shape, &draw));
    ops_download(draw, array.data);
    weir_tensor_release(draw);
    turned = ops_array_transpose(&array, axes);
    flat = ops_array_reshape(&array, &reshaped);

    generator.next_draw = 0;
    wt_ok(weir_random_normal(ctx, &generator, &shape, &draw));
    wt_ok(weir_reshape(ctx, draw, &reshaped, &a));
    cr_assert_null(weir_tensor_get_block(draw));
    cr_assert_null(weir_tensor_get_block(a));
    wt_ok(weir_scale(ctx, a, 1.0F, &sum));
    cr_assert_null(weir_tensor_get_block(a), "computed within its reader");
    ops_array_check(sum, &flat, "reshaped draw");
    wt_ok(weir_transpose(ctx, draw, NULL, &b));
    ops_array_check(b, &turned, "transposed draw");
    ops_array_check(a, &flat, "reshaped draw");
    weir_tensor_release(sum);
    weir_tensor_release(b);
    weir_tensor_release(a);
    weir_tensor_release(draw);
    free(flat.data);
    free(turned.data);
    free(array.data);
}

/* An update next to a view of the variable's storage copies first: the view keeps its numbers. */
WEIR_DEVICE_TEST_TAGGED(ops_view, of_a_variable_keep_their_numbers_when_it_changes)
{
    static const int64_t extents[] = {3, 3};
    const weir_shape shape = shape_of(2, extents);
    ops_array array = ops_array_random(&shape);
    ops_array turned = ops_array_transpose(&array, (const int[]){1, 0});
    weir_tensor *a = ops_array_upload(ctx, &array);
    weir_variable *variable = NULL;
    weir_tensor *view = NULL;
    weir_tensor *value = NULL;
    weir_context_stats counts;

    (void)dev;
    wt_ok(weir_variable_create(ctx, "state", WEIR_DTYPE_F32, &shape, a, NULL, &variable));
    wt_ok(weir_transpose(ctx, a, NULL, &view));
    weir_tensor_release(a);
    wt_ok(weir_variable_assign_add(variable, view));
    weir_context_get_stats(ctx, &counts);
    cr_assert_eq(counts.cow_copies, 1);
    ops_array_check(view, &turned, "the view");
    wt_ok(weir_variable_read(variable, &value));
    for (unsigned e = 0; e < 9; e++) array.data[e] += turned.data[e];
    ops_array_check(value, &array, "the variable");
    weir_tensor_release(value);
    weir_tensor_release(view);
    weir_variable_release(variable);
    free(turned.data);
    free(array.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_view, refuse_what_does_not_fit)
{
    static const int64_t extents[] = {2, 3};
    static const int64_t wrong[] = {2, 2, 4};
    static const int twice[] = {1, 1};
    static const int beyond[] = {0, 2};
    static const int below[] = {-3, 0};
    const weir_shape shape = shape_of(2, extents);
    const weir_shape other = shape_of(3, wrong);
    weir_shape deep = {.rank = WEIR_RANK_MAX + 1};
    weir_tensor *a = NULL;
    weir_tensor *out = garbage();

    (void)dev;
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_U8, &shape, &a));
    wt_fails(weir_transpose(ctx, a, twice, &out), WEIR_E_ARG);
    cr_assert_null(out);
    assert_says("axis 1 comes twice");
    out = garbage();
    wt_fails(weir_transpose(ctx, a, beyond, &out), WEIR_E_ARG);
    cr_assert_null(out);
    wt_fails(weir_transpose(ctx, a, below, &out), WEIR_E_ARG);
    assert_says("axis -3 of a tensor of 2 dimensions");
    out = garbage();
    wt_fails(weir_expand(ctx, a, &other, &out), WEIR_E_SHAPE);
    cr_assert_null(out);
    assert_says("[2, 3]");
    assert_says("[2, 2, 4]");
    wt_fails(weir_expand(ctx, a, &(weir_shape){.rank = 1, .extents = {3}}, &out), WEIR_E_SHAPE);
    out = garbage();
    wt_fails(weir_reshape(ctx, a, &other, &out), WEIR_E_SHAPE);
    cr_assert_null(out);
    assert_says("[2, 3]");
    assert_says("[2, 2, 4]");
    wt_fails(weir_reshape(ctx, a, &deep, &out), WEIR_E_SHAPE);
    wt_fails(weir_expand(ctx, a, &deep, &out), WEIR_E_SHAPE);
    wt_fails(weir_reshape(ctx, NULL, &shape, &out), WEIR_E_ARG);
    wt_fails(weir_reshape(ctx, a, NULL, &out), WEIR_E_ARG);
    wt_fails(weir_reshape(ctx, a, &shape, NULL), WEIR_E_ARG);
    wt_fails(weir_transpose(NULL, a, NULL, &out), WEIR_E_ARG);
    wt_fails(weir_transpose(ctx, NULL, NULL, &out), WEIR_E_ARG);
    out = garbage();
    wt_fails(weir_expand(ctx, NULL, &shape, &out), WEIR_E_ARG);
    cr_assert_null(out);
    weir_tensor_release(a);
}
