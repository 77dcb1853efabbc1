/* The program text of an elementwise kernel. */
#ifndef WI_OPS_KERNEL_TEXT_H
#define WI_OPS_KERNEL_TEXT_H

#include "cl/program.h"
#include "ops/op.h"

#include <weir/text.h>

/* Text of one kernel and the pieces that it needs before it. All zero before and after. */
typedef struct wi_kernel_text {
    weir_text *text;
    char name[64]; /* of the kernel */
    wi_source sources[2];
} wi_kernel_text;

/** Vectors of the device's width that an item makes; see cl/elementwise.cl. */
unsigned wi_kernel_vectors(const wi_op *op, const wi_draw_kind *kinds);

/** Writes the kernel of `op` whose input i is a buffer (kind NONE) or a draw.
 * out    refers to itself: it must not be copied; wi_kernel_text_fini() also after a failure
 * Errors: BUILD (cl/elementwise.cl is not in this build), HOST_MEMORY. */
weir_status wi_kernel_text_write(const wi_op *op, const wi_draw_kind *kinds, wi_kernel_text *out);

/** Frees what it holds. */
void wi_kernel_text_fini(wi_kernel_text *text);

#endif
