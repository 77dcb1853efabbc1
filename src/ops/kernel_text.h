/* The program text of an elementwise kernel, and what texts of other kernels share with it. */
#ifndef WI_OPS_KERNEL_TEXT_H
#define WI_OPS_KERNEL_TEXT_H

#include "cl/program.h"
#include "ops/op.h"

#include <weir/text.h>

/* How a kernel finds an operand; two bits of its key. */
typedef enum wi_operand_kind {
    WI_OPERAND_DENSE = WI_DRAW_NONE,
    WI_OPERAND_NORMAL = WI_DRAW_NORMAL,
    WI_OPERAND_UNIFORM = WI_DRAW_UNIFORM,
    WI_OPERAND_STRIDED
} wi_operand_kind;

/* What besides its operation makes a kernel.
 * Invariants: dims is 0 if no operand is strided, else 1, 2, 4 or 8. */
typedef struct wi_kernel_form {
    wi_operand_kind kinds[WI_OP_INPUTS_MAX];
    unsigned dims;
} wi_kernel_form;

#define WI_KERNEL_SOURCES_MAX 6

/* Text of one kernel and the pieces that it needs before it. text is NULL before and after; the rest is not set then. */
typedef struct wi_kernel_text {
    weir_text *text;
    char name[64]; /* of the kernel */
    wi_source sources[WI_KERNEL_SOURCES_MAX];
    size_t source_count;
} wi_kernel_text;

/** Vectors of the device's width that an item makes; see cl/elementwise.cl. */
unsigned wi_kernel_vectors(const wi_op *op, const wi_kernel_form *form);

/** Writes the kernel of `op` for operands of that form.
 * out    refers to itself: it must not be copied; wi_kernel_text_fini() also after a failure
 * Errors: BUILD (a text of cl/ is not in this build), HOST_MEMORY. */
weir_status wi_kernel_text_write(const wi_op *op, const wi_kernel_form *form, wi_kernel_text *out);

/** Frees what it holds. */
void wi_kernel_text_fini(wi_kernel_text *text);

/* Parts of which other kernels are written: begin, append to text, add pieces, end. */

/** Names the kernel and makes an empty text. Errors: HOST_MEMORY. */
weir_status wi_kernel_text_begin(wi_kernel_text *out, const char *name);

/** Adds a text of cl/. Errors: BUILD. */
weir_status wi_kernel_text_add(wi_kernel_text *out, const char *file);

/** Adds the pieces for strided elements: the number of dimensions, 1, 2, 4 or 8, and cl/strided.h. Errors: BUILD. */
weir_status wi_kernel_text_add_strided(wi_kernel_text *out, unsigned dims);

/** Adds the text as the last piece. Errors: HOST_MEMORY (of any append). */
weir_status wi_kernel_text_end(wi_kernel_text *out);

/** Appends ", const ulong NAME0, const ulong NAME1 ...", the parameters of one wi_dims. */
void wi_kernel_text_put_dims(weir_text *out, unsigned dims, const char *name);

/** Appends the declaration of the wi_dims `variable` from such parameters. */
void wi_kernel_text_make_dims(weir_text *out, unsigned dims, const char *variable,
                              const char *name);

#endif
