/* The program text of an elementwise kernel. */
#ifndef WI_OPS_KERNEL_TEXT_H
#define WI_OPS_KERNEL_TEXT_H

#include "cl/program.h"
#include "ops/op.h"

#include <stddef.h>

#define WI_KERNEL_TEXT_BYTES 4096

/* Text of one kernel and the pieces that it needs before it.
 * Invariants: text ends with a zero at `length` < WI_KERNEL_TEXT_BYTES. */
typedef struct wi_kernel_text {
    char text[WI_KERNEL_TEXT_BYTES];
    size_t length;
    char name[64]; /* of the kernel */
    wi_source sources[2];
} wi_kernel_text;

/** Vectors of the device's width that an item makes; see cl/elementwise.cl. */
unsigned wi_kernel_vectors(const wi_op *op, const wi_draw_kind *kinds);

/** Writes the kernel of `op` whose input i is a buffer (kind NONE) or a draw.
 * out    refers to itself: it must not be copied
 * Errors: BUILD (text too long, or cl/elementwise.cl is not in this build). */
weir_status wi_kernel_text_write(const wi_op *op, const wi_draw_kind *kinds, wi_kernel_text *out);

#endif
