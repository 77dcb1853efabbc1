/* Draws that must be in memory. */
#ifndef WI_OPS_RANDOM_H
#define WI_OPS_RANDOM_H

#include "tensor/tensor.h"

#include <stdint.h>

/** Writes a draw to memory: the wi_write of every draw made here. `count` is that of shape.
 * Errors: BUILD, DRIVER, OUT_OF_MEMORY, HOST_MEMORY, FORKED. */
weir_status wi_random_write(weir_context *context, const wi_operand *from, const weir_shape *shape,
                            const wi_span *to, uint64_t count);

#endif
