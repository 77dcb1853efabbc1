/* Shapes that broadcast and dimensions that merge: arithmetic only. */
#include "ops/layout.h"

#include <criterion/criterion.h>

TestSuite(layout, .timeout = 120);

static weir_shape shape_of(unsigned rank, const uint64_t *extents)
{
    weir_shape shape = {.rank = rank};

    for (unsigned i = 0; i < rank; i++) shape.extents[i] = extents[i];
    return shape;
}

/* A dense operand of shape `from`, laid over `to`. */
static wi_operand over(const weir_shape *from, const weir_shape *to)
{
    wi_operand operand = {.draw = {WI_DRAW_NONE, 0, 0}};

    wi_operand_broadcast(&operand, from, to);
    return operand;
}

Test(layout, shapes_broadcast_by_numpys_rule)
{
    static const struct {
        unsigned a_rank, b_rank, out_rank;
        uint64_t a[4], b[4], out[4];
        int fits;
    } cases[] = {
        {0, 2, 2, {0}, {3, 4}, {3, 4}, 1},
        {1, 2, 2, {4}, {3, 4}, {3, 4}, 1},
        {2, 2, 2, {3, 1}, {1, 4}, {3, 4}, 1},
        {3, 1, 3, {2, 3, 4}, {1}, {2, 3, 4}, 1},
        {2, 2, 2, {0, 1}, {1, 5}, {0, 5}, 1},
        {1, 1, 1, {1}, {0}, {0}, 1},
        {1, 1, 0, {2}, {0}, {0}, 0},
        {1, 1, 0, {3}, {4}, {0}, 0},
        {2, 1, 0, {3, 4}, {3}, {0}, 0},
        {4, 2, 4, {8, 1, 6, 1}, {7, 1}, {0}, 0},
        {4, 3, 4, {8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5}, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const weir_shape a = shape_of(cases[i].a_rank, cases[i].a);
        const weir_shape b = shape_of(cases[i].b_rank, cases[i].b);
        const weir_shape expected = shape_of(cases[i].out_rank, cases[i].out);
        weir_shape out = {.rank = 7};

        cr_assert_eq(wi_shape_broadcast(&a, &b, &out), cases[i].fits, "case %zu", i);
        cr_assert(cases[i].fits ? weir_shape_equal(&out, &expected) : out.rank == 7, "case %zu", i);
        cr_assert_eq(wi_shape_broadcast(&b, &a, &out), cases[i].fits, "case %zu turned", i);
    }
}

Test(layout, a_scalar_has_one_dimension_whatever_the_rank)
{
    static const uint64_t extents[] = {2, 3, 1, 4, 5, 6, 1, 7};
    const weir_shape shape = shape_of(8, extents);
    const weir_shape scalar = {0};
    wi_operand operands[2] = {over(&scalar, &shape), {.is_strided = 0}};
    wi_layout layout;

    wi_layout_make(&shape, operands, 2, &layout);
    cr_assert_eq(layout.rank, 1);
    cr_assert_eq(layout.extents[0], 2 * 3 * 4 * 5 * 6 * 7);
    cr_assert_eq(layout.strides[0][0], 0);
    cr_assert_eq(operands[0].is_strided, 1);
}

Test(layout, rows_and_columns_have_two)
{
    static const uint64_t extents[] = {2, 3, 4, 5};
    static const uint64_t last[] = {4, 5};
    static const uint64_t first[] = {2, 3, 1, 1};
    const weir_shape shape = shape_of(4, extents);
    const weir_shape row = shape_of(2, last);
    const weir_shape column = shape_of(4, first);
    wi_operand operands[1] = {over(&row, &shape)};
    wi_layout layout;

    wi_layout_make(&shape, operands, 1, &layout);
    cr_assert_eq(layout.rank, 2);
    cr_assert_eq(layout.extents[0], 20);
    cr_assert_eq(layout.extents[1], 6);
    cr_assert_eq(layout.strides[0][0], 1);
    cr_assert_eq(layout.strides[0][1], 0);
    operands[0] = over(&column, &shape);
    wi_layout_make(&shape, operands, 1, &layout);
    cr_assert_eq(layout.rank, 2);
    cr_assert_eq(layout.extents[0], 20);
    cr_assert_eq(layout.strides[0][0], 0);
    cr_assert_eq(layout.strides[0][1], 1);
}

Test(layout, dimensions_merge_only_where_every_operand_allows)
{
    static const uint64_t extents[] = {2, 3, 4};
    static const uint64_t middle[] = {3, 1};
    const weir_shape shape = shape_of(3, extents);
    const weir_shape inner = shape_of(2, middle);
    const weir_shape scalar = {0};
    wi_operand operands[2] = {over(&scalar, &shape), over(&inner, &shape)};
    wi_layout layout;

    wi_layout_make(&shape, operands, 2, &layout);
    cr_assert_eq(layout.rank, 4, "three dimensions, in a kernel of four");
    cr_assert_eq(layout.extents[0], 4);
    cr_assert_eq(layout.extents[1], 3);
    cr_assert_eq(layout.extents[2], 2);
    cr_assert_eq(layout.extents[3], 1);
    cr_assert_eq(layout.strides[1][1], 1);
    cr_assert_eq(layout.strides[1][3], 0);
}

Test(layout, an_operand_in_order_is_dense)
{
    static const uint64_t extents[] = {1, 6, 1, 4};
    const weir_shape shape = shape_of(4, extents);
    wi_operand operands[1] = {{.is_strided = 1, .strides = {99, 4, 77, 1}}};
    wi_layout layout;

    wi_layout_make(&shape, operands, 1, &layout);
    cr_assert_eq(operands[0].is_strided, 0);
    operands[0].is_strided = 1;
    wi_layout_merge(&shape, operands, 1, &layout);
    cr_assert_eq(operands[0].is_strided, 1);
    cr_assert_eq(layout.rank, 1);
    cr_assert_eq(layout.strides[0][0], 1);
    cr_assert_eq(layout.extents[0], 24);
}

Test(layout, of_one_element_has_one_dimension)
{
    const weir_shape scalar = {0};
    wi_operand operands[1] = {{.is_strided = 1}};
    wi_layout layout;

    wi_layout_merge(&scalar, operands, 1, &layout);
    cr_assert_eq(layout.rank, 1);
    cr_assert_eq(layout.extents[0], 1);
}
