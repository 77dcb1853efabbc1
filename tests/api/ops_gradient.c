/* Gradients as tapes run them: elementwise ones have the bits of their text on the host, those of views and sums are
 * what the definitions say. */
#include "cl/numeric.h"
#include "op_case.h"
#include "ops/gradient.h"
#include "ops_sum_model.h"

TestSuite(ops_gradient, .timeout = WT_TIMEOUT);

#include "ops/op_cases.inc"

#define CASE_COUNT (sizeof op_cases / sizeof op_cases[0])

static const wi_op *find_op(const char *name)
{
    for (unsigned id = 0; id < WI_OP_COUNT; id++) {
        if (strcmp(wi_op_rows[id].name, name) == 0) return &wi_op_rows[id];
    }
    cr_assert_fail("no row %s", name);
    return NULL;
}

/* g, a, b, y of one operation on `count` elements. */
typedef struct values {
    float *host[4];
    weir_tensor *tensors[4];
} values;

static values make_values(weir_context *ctx, const op_case *row, const float *parameters,
                          uint64_t count)
{
    values made = {{NULL}, {NULL}};

    for (unsigned v = 0; v < 4; v++) made.host[v] = ops_alloc(count);
    for (uint64_t e = 0; e < count; e++) {
        float x[VALUES_MAX] = {0};

        for (unsigned i = 0; i < row->inputs; i++) {
            const op_range *range = &row->gradient_domain[i];
            const double unit = (double)(ops_random() >> 11) * 0x1p-53;

            x[i] = (float)(range->low + (range->high - range->low) * unit);
            made.host[WI_VALUE_A + i][e] = x[i];
        }
        for (unsigned p = 0; p < row->parameters; p++) x[row->inputs + p] = parameters[p];
        made.host[WI_VALUE_G][e] = (float)((int64_t)(ops_random() >> 40) - (1 << 23)) * 0x1p-20F;
        made.host[WI_VALUE_Y][e] = row->host(x);
    }
    for (unsigned v = 0; v < 4; v++) made.tensors[v] = ops_upload(ctx, made.host[v], count);
    return made;
}

static void free_values(values *made)
{
    for (unsigned v = 0; v < 4; v++) {
        weir_tensor_release(made->tensors[v]);
        free(made->host[v]);
    }
}

static void check_row(weir_context *ctx, const op_case *row, unsigned input, uint64_t count)
{
    const wi_op_gradient *gradient = wi_op_gradient_of(find_op(row->name), input);
    const float parameters[1] = {1.75F};
    values x = make_values(ctx, row, parameters, count);
    weir_tensor *inputs[WI_OP_INPUTS_MAX] = {NULL};
    weir_tensor *out = NULL;
    float *got = ops_alloc(count);

    for (unsigned i = 0; i < gradient->row->inputs; i++) inputs[i] = x.tensors[gradient->order[i]];
    wt_ok(wi_op_elementwise(ctx, gradient->row, inputs, parameters, &out));
    ops_download(out, got);
    for (uint64_t e = 0; e < count; e++) {
        const float values_of_e[VALUES_MAX] = {
            x.host[WI_VALUE_A][e], row->inputs > 1 ? x.host[WI_VALUE_B][e] : parameters[0],
            parameters[0]};
        const float want = wi_canonical(
            row->gradient[input](values_of_e, x.host[WI_VALUE_G][e], x.host[WI_VALUE_Y][e]));

        cr_assert_eq(ops_bits(got[e]), ops_bits(want), "%s, input %u: %a, host %a", row->name,
                     input, (double)got[e], (double)want);
    }
    weir_tensor_release(out);
    free(got);
    free_values(&x);
}

WEIR_DEVICE_TEST_TAGGED(ops_gradient, elementwise_ones_have_the_bits_of_the_host)
{
    unsigned checked = 0;

    (void)dev;
    ops_random_state = 61;
    for (size_t r = 0; r < CASE_COUNT; r++) {
        for (unsigned input = 0; input < op_cases[r].inputs; input++) {
            const wi_op_gradient *gradient = wi_op_gradient_of(find_op(op_cases[r].name), input);

            if (gradient->kind != WI_GRADIENT_ROW) continue;
            check_row(ctx, &op_cases[r], input, wt_scale(1000) + 3);
            checked++;
        }
    }
    cr_assert_geq(checked, 10);
}

/* Gradient of an input of `shape` for a call with these axes, of a row that has a function. */
static weir_tensor *run(weir_context *ctx, wi_op_id id, const weir_shape *shape, const int *axes,
                        unsigned n_axes, int keep_dims, const ops_array *g)
{
    const wi_op_call call = {
        .op = &wi_op_rows[id], .axes = axes, .n_axes = n_axes, .keep_dims = keep_dims};
    const wi_gradient_call recorded = {.call = &call, .shape = &g->shape, .input = shape};
    const wi_op_gradient *gradient = wi_op_gradient_of(call.op, 0);
    weir_tensor *tensor = ops_array_upload(ctx, g);
    weir_tensor *out = NULL;

    cr_assert_eq(gradient->kind, WI_GRADIENT_FUNCTION);
    cr_assert_eq(gradient->needs, 0);
    wt_ok(gradient->function(ctx, &recorded, tensor, &out));
    weir_tensor_release(tensor);
    return out;
}

WEIR_DEVICE_TEST_TAGGED(ops_gradient, of_a_sum_is_repeated_to_every_element)
{
    static const int axes[] = {0, 2};
    const weir_shape shape = {.rank = 3, .extents = {3, 4, 5}};
    const weir_shape kept = {.rank = 3, .extents = {1, 4, 1}};
    const weir_shape gone = {.rank = 1, .extents = {4}};

    (void)dev;
    for (int keep_dims = 0; keep_dims < 2; keep_dims++) {
        ops_array g = ops_array_random(keep_dims ? &kept : &gone);
        ops_array same = ops_array_reshape(&g, &kept);
        ops_array expected = ops_array_expand(&same, &shape);
        weir_tensor *out = run(ctx, WI_OP_SUM, &shape, axes, 2, keep_dims, &g);

        ops_array_check(out, &expected, "gradient of a sum");
        weir_tensor_release(out);
        free(expected.data);
        free(same.data);
        free(g.data);
    }
}

WEIR_DEVICE_TEST_TAGGED(ops_gradient, of_a_transpose_is_the_inverse_transpose)
{
    static const int axes[] = {2, 0, 3, 1};
    static const int inverse[] = {1, 3, 0, 2};
    const weir_shape shape = {.rank = 4, .extents = {2, 3, 4, 5}};
    const weir_shape turned = {.rank = 4, .extents = {4, 2, 5, 3}};
    ops_array g = ops_array_random(&turned);
    ops_array expected = ops_array_transpose(&g, inverse);
    weir_tensor *out = run(ctx, WI_OP_TRANSPOSE, &shape, axes, 4, 0, &g);

    (void)dev;
    cr_assert(weir_shape_equal(&expected.shape, &shape));
    ops_array_check(out, &expected, "gradient of a transpose");
    weir_tensor_release(out);
    free(expected.data);
    free(g.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_gradient, of_an_expansion_is_summed_to_the_input)
{
    static const int axes[] = {0, 2};
    const weir_shape shape = {.rank = 2, .extents = {6, 1}};
    const weir_shape wide = {.rank = 3, .extents = {2, 6, 7}};
    ops_array g = ops_array_random(&wide);
    ops_array sum = ops_array_sum(&g, axes, 2, 0, NULL, NULL);
    ops_array expected = ops_array_reshape(&sum, &shape);
    weir_tensor *out = run(ctx, WI_OP_EXPAND, &shape, NULL, 0, 0, &g);

    (void)dev;
    ops_array_check(out, &expected, "gradient of an expansion");
    weir_tensor_release(out);
    free(expected.data);
    free(sum.data);
    free(g.data);
}

WEIR_DEVICE_TEST_TAGGED(ops_gradient, of_a_reshape_has_the_shape_of_the_input)
{
    const weir_shape shape = {.rank = 2, .extents = {6, 4}};
    const weir_shape other = {.rank = 1, .extents = {24}};
    ops_array g = ops_array_random(&other);
    ops_array expected = ops_array_reshape(&g, &shape);
    weir_tensor *out = run(ctx, WI_OP_RESHAPE, &shape, NULL, 0, 0, &g);

    (void)dev;
    ops_array_check(out, &expected, "gradient of a reshape");
    weir_tensor_release(out);
    free(expected.data);
    free(g.data);
}

/* T12: the sum of add(a[8,1], b[1,4]) gives every entry of a's gradient 4 and of b's 8. */
WEIR_DEVICE_TEST_TAGGED(ops_gradient, of_a_broadcast_input_counts_its_repetitions)
{
    const weir_shape shape = {.rank = 2, .extents = {8, 4}};
    const weir_shape inputs[2] = {{.rank = 2, .extents = {8, 1}}, {.rank = 2, .extents = {1, 4}}};
    static const float expected[2] = {4.0F, 8.0F};
    weir_tensor *g = NULL;
    weir_tensor *same = NULL;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &g));
    for (unsigned i = 0; i < 2; i++) {
        weir_tensor *out = NULL;
        float got[8];

        wt_ok(wi_gradient_unbroadcast(ctx, g, &inputs[i], &out));
        cr_assert(weir_shape_equal(weir_tensor_get_shape(out), &inputs[i]));
        ops_download(out, got);
        for (uint64_t e = 0; e < weir_tensor_get_count(out); e++) cr_assert_eq(got[e], expected[i]);
        weir_tensor_release(out);
    }
    wt_ok(wi_gradient_unbroadcast(ctx, g, &shape, &same));
    cr_assert_eq(same, g, "nothing to undo");
    weir_tensor_release(same);
    weir_tensor_release(g);
}
