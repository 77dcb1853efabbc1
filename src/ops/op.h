/* Operations as the library runs them: a row says what, these functions do it. */
#ifndef WI_OPS_OP_H
#define WI_OPS_OP_H

#include "ops/op_list.h"
#include "ops/rule.h"
#include "tensor/tensor.h"

#include <weir/generator.h>

/* What the library needs of a row of op_table.def. */
typedef struct wi_op {
    unsigned id;      /* wi_op_id; WI_OP_COUNT is wi_op_copy, above are gradients */
    const char *name; /* "add" */
    const char *call; /* "weir_add" */
    wi_form form;
    wi_dtype_rule dtypes;
    unsigned inputs;
    unsigned parameters;
    const char *parameter_names[WI_OP_PARAMETERS_MAX];
    const char *expression; /* over a, b, c, d and the parameters; NULL unless elementwise */
    wi_draw_kind draw;      /* NONE unless the form is DRAW */
    wi_view_kind view;      /* NONE unless the form is VIEW */
} wi_op;

extern const wi_op wi_op_rows[WI_OP_COUNT];

/* The result is its only input: writes a draw to memory. Not in the table, because no function of weir/ops.h has it. */
extern const wi_op wi_op_copy;

/** Runs an elementwise row into a new tensor.
 * inputs       op->inputs tensors; NULL entries are ARG
 * parameters   op->parameters values; NULL if there are none
 * out          NULL on failure
 * Errors: ARG, CONTEXT, DTYPE, SHAPE, OUT_OF_MEMORY, HOST_MEMORY, BUILD, DRIVER, FORKED. */
weir_status wi_op_elementwise(weir_context *context, const wi_op *op, weir_tensor *const *inputs,
                              const float *parameters, weir_tensor **out);

/** Checks inputs against NULL, the context and the row's dtype rule. A recording context also takes tensors of the
 * context it records for: they become constants. Errors: ARG, CONTEXT, DTYPE. */
weir_status wi_op_check_inputs(weir_context *context, const wi_op *op, weir_tensor *const *inputs);

/** Makes the tensor of a view row. axes: of a transpose, one a dimension, or NULL; shape: of the others.
 * Errors: ARG, CONTEXT, SHAPE, HOST_MEMORY, FORKED; a reshape also what writing a dense copy gives. */
weir_status wi_op_view(weir_context *context, const wi_op *op, weir_tensor *a, const int *axes,
                       const weir_shape *shape, weir_tensor **out);

/** Runs a reduction into a new tensor. axes: n_axes dimensions, NULL: all.
 * Errors: ARG, CONTEXT, DTYPE, OUT_OF_MEMORY, HOST_MEMORY, BUILD, DRIVER, FORKED. */
weir_status wi_op_reduce(weir_context *context, const wi_op *op, weir_tensor *a, const int *axes,
                         unsigned n_axes, int keep_dims, weir_tensor **out);

/** Runs a fill row into a new tensor. Errors: ARG, DTYPE, SHAPE, OUT_OF_MEMORY, HOST_MEMORY, DRIVER, FORKED. */
weir_status wi_op_fill(weir_context *context, const wi_op *op, weir_dtype dtype,
                       const weir_shape *shape, double value, weir_tensor **out);

/** The bits that a fill with `value` writes: rounded to f32, to nearest, ties to even. */
uint32_t wi_fill_bits(double value);

/** Makes the tensor of a draw row. Errors: ARG, SHAPE, HOST_MEMORY, FORKED. */
weir_status wi_op_draw(weir_context *context, const wi_op *op, weir_generator *generator,
                       const weir_shape *shape, weir_tensor **out);

#endif
