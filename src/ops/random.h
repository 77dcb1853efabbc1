/* Draws that must be in memory. */
#ifndef WI_OPS_RANDOM_H
#define WI_OPS_RANDOM_H

#include "tensor/tensor.h"

#include <stdint.h>

/** Writes elements 0 .. count - 1 of a draw to a buffer: the function that every draw made here carries.
 * Errors: BUILD, DRIVER, OUT_OF_MEMORY, HOST_MEMORY, FORKED. */
weir_status wi_random_fill(weir_context *context, const wi_draw *draw, cl_mem buffer,
                           uint64_t offset_bytes, uint64_t count);

#endif
