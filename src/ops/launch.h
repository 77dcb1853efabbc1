/* Launches of elementwise kernels on operands that are known already. */
#ifndef WI_OPS_LAUNCH_H
#define WI_OPS_LAUNCH_H

#include "ops/op.h"

#include <stdint.h>

/** Computes op over `count` elements into `out`.
 * operands     op->inputs of them; may be the same elements as `out`, no other overlap
 * parameters   op->parameters values; NULL if there are none
 * out          has a buffer unless count is 0, in which case nothing is launched
 * Errors: BUILD, DRIVER, OUT_OF_MEMORY, HOST_MEMORY, FORKED. */
weir_status wi_elementwise_launch(weir_context *context, const wi_op *op,
                                  const wi_operand *operands, const float *parameters,
                                  const wi_operand *out, uint64_t count);

/** Elements that one launch may have: as many items as the device's size_t can count, in whole work-groups.
 * item_elements   elements an item makes; group_items <= 2^16 */
uint64_t wi_launch_elements_max(uint32_t address_bits, uint64_t item_elements,
                                uint64_t group_items);

#endif
