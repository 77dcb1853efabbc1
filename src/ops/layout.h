/* Layouts: shapes and strides as kernels take them, with as few dimensions as there can be. */
#ifndef WI_OPS_LAYOUT_H
#define WI_OPS_LAYOUT_H

#include "ops/rule.h"
#include "tensor/tensor.h"

/* Dimensions that several operands share, the innermost first.
 * Invariants: rank is 1, 2, 4 or 8; the product of extents is the number of elements; extents past those in use are 1,
 * strides 0. */
typedef struct wi_layout {
    unsigned rank;
    uint64_t extents[WEIR_RANK_MAX];
    int64_t strides[WI_OP_INPUTS_MAX][WEIR_RANK_MAX];
} wi_layout;

/** Lays out operands over `shape`, which has no extent 0. Neighbouring dimensions that are one stretch in every strided
 * operand become one dimension. An operand that turns out to be dense is no longer strided.
 * operands   count of them; strides of the strided ones are those of shape's dimensions. Others have strides 0 */
void wi_layout_make(const weir_shape *shape, wi_operand *operands, unsigned count, wi_layout *out);

/** As wi_layout_make(), but strided operands stay strided. */
void wi_layout_merge(const weir_shape *shape, const wi_operand *operands, unsigned count,
                     wi_layout *out);

/** Numpy's rule: shapes are aligned at their last dimension; extents are equal or one of them is 1.
 * Returns 0, and leaves out as it was, if they do not fit. out may be a or b. */
int wi_shape_broadcast(const weir_shape *a, const weir_shape *b, weir_shape *out);

/** Makes an operand of shape `from` one of shape `to`, to which `from` broadcasts: strided, repeated with stride 0. */
void wi_operand_broadcast(wi_operand *operand, const weir_shape *from, const weir_shape *to);

/** Row-major strides of a dense tensor. */
void wi_shape_strides(const weir_shape *shape, int64_t *strides);

#endif
