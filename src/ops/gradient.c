/* Finds the gradient of an operation's input in the table that the build writes, and computes those that are no
 * elementwise operation.
 *
 * A gradient that is an operation of the op table (g * b is mul) is that row, so it shares its kernel and has a gradient
 * in turn. One that is not (tanh's) is a row of its own, without a gradient.
 */
#include "ops/gradient.h"

#include "ops/sum.h"

#include <weir/ops.h>

const wi_op_gradient *wi_op_gradient_of(const wi_op *op, unsigned input)
{
    static const wi_op_gradient none;

    return op->id < WI_OP_COUNT && input < WI_OP_INPUTS_MAX ? &wi_op_gradients[op->id][input]
                                                            : &none;
}

weir_status wi_gradient_sum(weir_context *context, const wi_gradient_call *call, weir_tensor *g,
                            weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *kept = NULL;
    weir_shape shape;

    *out = NULL;
    wi_sum_shape(call->input, call->call->axes, call->call->n_axes, 1, &shape);
    status = weir_reshape(context, g, &shape, &kept);
    if (status == WEIR_OK) status = weir_expand(context, kept, call->input, out);
    weir_tensor_release(kept);
    return status;
}

weir_status wi_gradient_transpose(weir_context *context, const wi_gradient_call *call,
                                  weir_tensor *g, weir_tensor **out)
{
    int inverse[WEIR_RANK_MAX] = {0};

    for (unsigned i = 0; i < call->call->n_axes; i++) inverse[call->call->axes[i]] = (int)i;
    return weir_transpose(context, g, inverse, out);
}

weir_status wi_gradient_expand(weir_context *context, const wi_gradient_call *call, weir_tensor *g,
                               weir_tensor **out)
{
    return wi_gradient_unbroadcast(context, g, call->input, out);
}

weir_status wi_gradient_reshape(weir_context *context, const wi_gradient_call *call, weir_tensor *g,
                                weir_tensor **out)
{
    return weir_reshape(context, g, call->input, out);
}

weir_status wi_gradient_unbroadcast(weir_context *context, weir_tensor *g, const weir_shape *input,
                                    weir_tensor **out)
{
    weir_status status = WEIR_OK;
    const weir_shape *shape = weir_tensor_get_shape(g);
    const unsigned added = shape->rank - input->rank;
    int axes[WEIR_RANK_MAX];
    unsigned n_axes = 0;
    weir_tensor *sum = NULL;

    *out = NULL;
    for (unsigned i = 0; i < shape->rank; i++) {
        if (i < added || input->extents[i - added] != shape->extents[i]) axes[n_axes++] = (int)i;
    }
    if (n_axes == 0) {
        *out = weir_tensor_retain(g);
        return WEIR_OK;
    }
    status = weir_sum(context, g, axes, n_axes, 1, &sum);
    if (status == WEIR_OK && added == 0) {
        *out = sum;
        return WEIR_OK;
    }
    if (status == WEIR_OK) status = weir_reshape(context, sum, input, out);
    weir_tensor_release(sum);
    return status;
}
