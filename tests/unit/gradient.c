/* The table of gradients that the build writes: what each needs, and that known ones are the rows they should be. */
#include "ops/gradient.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(gradient, .timeout = 120);

static const wi_op_gradient *of(wi_op_id id, unsigned input)
{
    return wi_op_gradient_of(&wi_op_rows[id], input);
}

/* A gradient that is a certain row with certain inputs and needs. */
static void expect(wi_op_id id, unsigned input, const wi_op *row, unsigned needs,
                   const unsigned char *order)
{
    const wi_op_gradient *gradient = of(id, input);

    cr_assert_eq(gradient->kind, WI_GRADIENT_ROW);
    cr_assert_eq(gradient->row, row, "%s: its gradient is %s", wi_op_rows[id].name,
                 gradient->row->name);
    cr_assert_eq(gradient->needs, needs);
    cr_assert_arr_eq(gradient->order, order, row->inputs);
}

Test(gradient, of_sums_is_passed_on)
{
    cr_assert_eq(of(WI_OP_ADD, 0)->kind, WI_GRADIENT_PASS);
    cr_assert_eq(of(WI_OP_ADD, 1)->kind, WI_GRADIENT_PASS);
    cr_assert_eq(of(WI_OP_SUB, 0)->kind, WI_GRADIENT_PASS);
    cr_assert_null(of(WI_OP_ADD, 0)->row);
}

Test(gradient, that_is_a_row_of_the_table_is_that_row)
{
    static const unsigned char g[] = {WI_VALUE_G};
    static const unsigned char g_a[] = {WI_VALUE_G, WI_VALUE_A};
    static const unsigned char g_b[] = {WI_VALUE_G, WI_VALUE_B};
    static const unsigned char g_y[] = {WI_VALUE_G, WI_VALUE_Y};

    expect(WI_OP_SUB, 1, &wi_op_rows[WI_OP_NEG], 0, g);
    expect(WI_OP_MUL, 0, &wi_op_rows[WI_OP_MUL], WI_NEEDS_B, g_b);
    expect(WI_OP_MUL, 1, &wi_op_rows[WI_OP_MUL], WI_NEEDS_A, g_a);
    expect(WI_OP_DIV, 0, &wi_op_rows[WI_OP_DIV], WI_NEEDS_B, g_b);
    expect(WI_OP_NEG, 0, &wi_op_rows[WI_OP_NEG], 0, g);
    expect(WI_OP_EXP, 0, &wi_op_rows[WI_OP_MUL], WI_NEEDS_Y, g_y);
    expect(WI_OP_LOG, 0, &wi_op_rows[WI_OP_DIV], WI_NEEDS_A, g_a);
    expect(WI_OP_SCALE, 0, &wi_op_rows[WI_OP_SCALE], 0, g);
}

Test(gradient, that_is_no_row_of_the_table_is_one_of_its_own)
{
    const wi_op_gradient *gradient = of(WI_OP_TANH, 0);

    cr_assert_eq(gradient->needs, WI_NEEDS_Y);
    cr_assert_gt(gradient->row->id, WI_OP_COUNT, "its kernel must not be another operation's");
    cr_assert_eq(gradient->row->inputs, 2);
    cr_assert_str_eq(gradient->row->expression, "a * (1.0f - b * b)");
    cr_assert_eq(of(WI_OP_SQRT, 0)->needs, WI_NEEDS_Y);
    cr_assert_eq(of(WI_OP_SIGMOID, 0)->needs, WI_NEEDS_Y);
    cr_assert_eq(of(WI_OP_DIV, 1)->needs, WI_NEEDS_A | WI_NEEDS_B);
    cr_assert_eq(of(WI_OP_DIV, 1)->row->inputs, 3);
    cr_assert_neq(of(WI_OP_SQRT, 0)->row->id, gradient->row->id);
}

Test(gradient, is_there_for_every_elementwise_row_and_fits_it)
{
    for (unsigned id = 0; id < WI_OP_COUNT; id++) {
        const wi_op *op = &wi_op_rows[id];

        for (unsigned input = 0; op->form == WI_FORM_ELEMENTWISE && input < op->inputs; input++) {
            const wi_op_gradient *gradient = wi_op_gradient_of(op, input);
            unsigned needs = 0;

            cr_assert_neq(gradient->kind, WI_GRADIENT_NONE, "%s input %u", op->name, input);
            if (gradient->kind != WI_GRADIENT_ROW) continue;
            cr_assert(gradient->row->parameters <= op->parameters);
            cr_assert_eq(gradient->order[0], WI_VALUE_G);
            for (unsigned i = 1; i < gradient->row->inputs; i++) {
                cr_assert_gt(gradient->order[i], gradient->order[i - 1]);
                needs |= 1u << gradient->order[i];
            }
            cr_assert_eq(gradient->needs, needs);
        }
        cr_assert_eq(wi_op_gradient_of(op, op->inputs)->kind, WI_GRADIENT_NONE);
    }
    cr_assert_eq(wi_op_gradient_of(&wi_op_copy, 0)->kind, WI_GRADIENT_NONE);
    cr_assert_eq(of(WI_OP_ZEROS, 0)->kind, WI_GRADIENT_NONE);
}
