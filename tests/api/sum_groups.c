/* Sums do not depend on the size of work-groups. N5. */
#include "ops/sum.h"
#include "ops_sum_model.h"

TestSuite(sum_groups, .timeout = WT_TIMEOUT);

/* The sum of a tensor along axis `axis` with work-groups of `group` items; the caller frees. */
static float *sum_with(weir_context *ctx, weir_tensor *a, int axis, unsigned group)
{
    const weir_shape *source = weir_tensor_get_shape(a);
    const wi_op *op = &wi_op_rows[WI_OP_SUM];
    weir_shape shape;
    weir_shape scratch_shape = {.rank = 1};
    wi_sum_plan plan;
    weir_tensor *scratch = NULL;
    weir_tensor *out = NULL;
    wi_operand x;
    wi_operand memory;
    wi_operand target;
    float *got;

    wi_sum_plan_make(source, &axis, 1, &plan);
    wi_sum_shape(source, &axis, 1, 0, &shape);
    scratch_shape.extents[0] = plan.scratch_count;
    wt_ok(wi_tensor_create(ctx, WEIR_DTYPE_F32, &shape, op->name, &out));
    wt_ok(wi_tensor_create(ctx, WEIR_DTYPE_F32, &scratch_shape, op->name, &scratch));
    wt_ok(wi_tensor_operand(ctx, a, WI_TAKES_STRIDES, &x));
    wt_ok(wi_tensor_operand(ctx, scratch, WI_TAKES_DENSE, &memory));
    wt_ok(wi_tensor_operand(ctx, out, WI_TAKES_DENSE, &target));
    wt_ok(wi_sum_launch(ctx, &plan, source, &x, &memory, &target, group));
    got = ops_alloc(weir_tensor_get_count(out));
    ops_download(out, got);
    weir_tensor_release(scratch);
    weir_tensor_release(out);
    return got;
}

WEIR_DEVICE_TEST_TAGGED(sum_groups, of_every_size_and_every_time_give_the_same_bits)
{
    static const unsigned groups[] = {1, 2, 4, 16, 64, 0, 0, 0, 0, 0};
    const weir_shape shape = {.rank = 2, .extents = {7, wt_scale(60000) + 100}};

    (void)dev;
    for (int axis = 0; axis < 2; axis++) {
        ops_array array = ops_array_random(&shape);
        ops_array expected = ops_array_sum(&array, &axis, 1, 0, NULL, NULL);
        weir_tensor *a = ops_array_upload(ctx, &array);
        const uint64_t bytes = weir_shape_count(&expected.shape) * sizeof(float);

        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
            float *got = sum_with(ctx, a, axis, groups[i]);

            cr_assert_eq(memcmp(got, expected.data, bytes), 0, "axis %d, groups of %u", axis,
                         groups[i]);
            free(got);
        }
        weir_tensor_release(a);
        free(expected.data);
        free(array.data);
    }
}
