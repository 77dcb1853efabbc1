/* Sums over dimensions, in the order that cl/sum.cl publishes. */
#ifndef WI_OPS_SUM_H
#define WI_OPS_SUM_H

#include "ops/op.h"

/* A sum over dimensions of a shape.
 * Invariants: kept and gone together are the source's dimensions in ascending order; results is the count of kept,
 * length that of gone, chunks == ceil(length / 4096). */
typedef struct wi_sum_plan {
    weir_shape kept;
    weir_shape gone;
    unsigned kept_from[WEIR_RANK_MAX]; /* dimension of the source */
    unsigned gone_from[WEIR_RANK_MAX];
    uint64_t results;
    uint64_t length;
    uint64_t chunks;
    uint64_t scratch_count; /* f32 numbers of memory that a launch needs besides the result */
} wi_sum_plan;

/** Plans a sum. axes: n_axes dimensions of the source, ascending. */
void wi_sum_plan_make(const weir_shape *source, const int *axes, unsigned n_axes, wi_sum_plan *out);

/** Shape of the result. */
void wi_sum_shape(const weir_shape *source, const int *axes, unsigned n_axes, int keep_dims,
                  weir_shape *out);

/** Sums into `out`; nothing is launched if there are no results, and zeros are filled in if there are no elements.
 * x         f32, dense or strided over source's dimensions
 * scratch   dense, plan->scratch_count numbers; not read if that is 0
 * group     size of work-groups; 0: what suits. The result does not depend on it
 * Errors: BUILD, DRIVER, OUT_OF_MEMORY, HOST_MEMORY, FORKED. */
weir_status wi_sum_launch(weir_context *context, const wi_sum_plan *plan, const weir_shape *source,
                          const wi_operand *x, const wi_operand *scratch, const wi_operand *out,
                          unsigned group);

#endif
