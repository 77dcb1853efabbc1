/* Launches of elementwise kernels on operands that are known already. */
#ifndef WI_OPS_LAUNCH_H
#define WI_OPS_LAUNCH_H

#include "ops/op.h"

#include <stdint.h>

/** Computes op over the elements of `shape` into `out`, in one launch.
 * operands     op->inputs of them: draws and dense ones of that shape, and strided ones with a stride for each of its
 *              dimensions (wi_operand_broadcast()); changed. A dense one may be the same elements as `out`, no other
 *              overlap
 * parameters   op->parameters values; NULL if there are none
 * count        of shape
 * out          dense; has a buffer unless shape is empty, in which case nothing is launched
 * Errors: BUILD, DRIVER, OUT_OF_MEMORY, HOST_MEMORY, FORKED. */
weir_status wi_elementwise_launch(weir_context *context, const wi_op *op, wi_operand *operands,
                                  const float *parameters, const wi_operand *out,
                                  const weir_shape *shape, uint64_t count);

/* count, first, extents, at most three or two and the strides for an input, parameters, out and its offset */
#define WI_LAUNCH_ARGS_MAX \
    (2 + WEIR_RANK_MAX + (2 + WEIR_RANK_MAX) * WI_OP_INPUTS_MAX + WI_OP_PARAMETERS_MAX + 2)

/* A kernel that is launched over a number of elements, in as many launches as the device's size_t asks for. */
typedef struct wi_pieces {
    wi_kernel *kernel;
    uint64_t item_elements; /* an item makes */
    unsigned group_items;   /* size of work-groups; less where kernel or device cannot */
    /* Writes the arguments of the launch over elements first .. first + count - 1; returns how many, at most
     * WI_LAUNCH_ARGS_MAX. */
    unsigned (*fill_args)(const void *user, uint64_t first, uint64_t count, wi_arg *args);
    const void *user;
} wi_pieces;

/** Launches over `count` elements. Errors: DRIVER, OUT_OF_MEMORY, HOST_MEMORY, FORKED. */
weir_status wi_launch_pieces(weir_context *context, const wi_pieces *pieces, uint64_t count);

/** Elements that one launch may have: as many items as the device's size_t can count, in whole work-groups.
 * item_elements   elements an item makes; group_items <= 2^16 */
uint64_t wi_launch_elements_max(uint32_t address_bits, uint64_t item_elements,
                                uint64_t group_items);

#endif
