/* Gradients of operations: how g, the gradient of the result, becomes the gradient of an input.
 *
 * Elementwise gradients are elementwise operations themselves, run by wi_op_elementwise() or fused like any other. They
 * have the shape of the result; where an input was broadcast, the caller sums over the broadcast dimensions.
 */
#ifndef WI_OPS_GRADIENT_H
#define WI_OPS_GRADIENT_H

#include "ops/record.h"

/* What a gradient that is no elementwise operation is computed from. */
typedef struct wi_gradient_call {
    const wi_op_call *call;  /* as recorded; of its inputs and shape nothing is read */
    const weir_shape *shape; /* of the result */
    const weir_shape *input; /* shape of the input */
} wi_gradient_call;

/** Computes the gradient of an input. g has the result's shape. Errors: those of the operations it calls. */
typedef weir_status wi_gradient_function(weir_context *context, const wi_gradient_call *call,
                                         weir_tensor *g, weir_tensor **out);

weir_status wi_gradient_sum(weir_context *context, const wi_gradient_call *call, weir_tensor *g,
                            weir_tensor **out);
weir_status wi_gradient_transpose(weir_context *context, const wi_gradient_call *call,
                                  weir_tensor *g, weir_tensor **out);
weir_status wi_gradient_expand(weir_context *context, const wi_gradient_call *call, weir_tensor *g,
                               weir_tensor **out);
weir_status wi_gradient_reshape(weir_context *context, const wi_gradient_call *call, weir_tensor *g,
                                weir_tensor **out);

/** Undoes a broadcast: sums g over the dimensions in which `input` was repeated, to input's shape. Another handle on g
 * if there are none. Errors: those of weir_sum() and weir_reshape(). */
weir_status wi_gradient_unbroadcast(weir_context *context, weir_tensor *g, const weir_shape *input,
                                    weir_tensor **out);

/* Invariants: kind ROW <=> row != NULL; kind FUNCTION <=> function != NULL; needs == the bits of order[0 .. row->inputs
 * - 1] without G; 0 unless kind is ROW. */
typedef struct wi_op_gradient {
    wi_gradient_kind kind;
    const wi_op *row; /* its parameters, if it has any, are those of the recorded call */
    unsigned needs;   /* WI_NEEDS_... */
    unsigned char order[WI_OP_INPUTS_MAX]; /* wi_gradient_value of each input of row */
    wi_gradient_function *function;
} wi_op_gradient;

/** The gradient of an input; kind NONE for one that has none. */
const wi_op_gradient *wi_op_gradient_of(const wi_op *op, unsigned input);

extern const wi_op_gradient wi_op_gradients[WI_OP_COUNT][WI_OP_INPUTS_MAX];

#endif
