/* Random draws. Making one only notes seed and number; the numbers appear inside the kernel that reads them, or are
 * written by wi_random_write() for readers that need memory. Both use one kernel text, so the bits are the same.
 */
#include "ops/random.h"

#include "base/status.h"
#include "ops/launch.h"
#include "ops/record.h"

const wi_op wi_op_copy = {
    .id = WI_OP_COUNT,
    .name = "copy",
    .call = "weir_copy",
    .form = WI_FORM_ELEMENTWISE,
    .dtypes = WI_DTYPES_F32,
    .inputs = 1,
    .expression = "a",
};

weir_status wi_random_write(weir_context *context, const wi_operand *from, const weir_shape *shape,
                            const wi_span *to, uint64_t count)
{
    const wi_operand target = {.place = *to};
    wi_operand draw = *from;

    return wi_elementwise_launch(context, &wi_op_copy, &draw, NULL, &target, shape, count);
}

weir_status wi_op_draw(weir_context *context, const wi_op *op, weir_generator *generator,
                       const weir_shape *shape, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    wi_draw draw = {0};

    if (out != NULL) *out = NULL;
    if (context == NULL || generator == NULL || shape == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, op->call, "context, generator, shape and out are required");
    }
    if (generator->next_draw == UINT64_MAX) {
        return wi_fail_hint(WEIR_E_ARG, op->call, "take another seed",
                            "the generator has used all its draws");
    }
    if (wi_record_is_capture(context)) {
        const wi_op_call call = {
            .op = op, .dtype = WEIR_DTYPE_F32, .shape = shape, .generator = generator};
        return wi_record_capture(context, &call, out);
    }
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    draw.kind = op->draw;
    draw.seed = generator->seed;
    draw.draw = generator->next_draw;
    status = wi_tensor_create_draw(context, WEIR_DTYPE_F32, shape, &draw, wi_random_write, op->name,
                                   out);
    if (status == WEIR_OK) generator->next_draw++;
    return status;
}
