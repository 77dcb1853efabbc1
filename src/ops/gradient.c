/* Finds the gradient of an operation's input in the table that the build writes.
 *
 * A gradient that is an operation of the op table (g * b is mul) is that row, so it shares its kernel and has a gradient
 * in turn. One that is not (tanh's) is a row of its own, without a gradient.
 */
#include "ops/gradient.h"

const wi_op_gradient *wi_op_gradient_of(const wi_op *op, unsigned input)
{
    static const wi_op_gradient none;

    return op->id < WI_OP_COUNT && input < WI_OP_INPUTS_MAX ? &wi_op_gradients[op->id][input]
                                                            : &none;
}
