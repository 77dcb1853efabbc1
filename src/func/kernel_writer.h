/* The text of a kernel in the making; for the files that write it. */
#ifndef WI_FUNC_KERNEL_WRITER_H
#define WI_FUNC_KERNEL_WRITER_H

#include "func/steps.h"

#define WI_VALUE_NAME_BYTES 48

typedef struct wi_writer {
    const wi_recorded *recorded;
    wi_step *step;
    uint32_t number;      /* of the step */
    uint32_t generators;  /* bits of those that draw inside the loop */
    weir_text *functions; /* of the operations used */
    weir_text *code;
    const wi_op **ops; /* written to `functions` already */
    size_t n_ops;
    size_t ops_room;
    int has_failed; /* no host memory for a slot or an operation */
    int has_draws;
    unsigned depth; /* of indentation */
} wi_writer;

/** Appends a line of code, indented. */
void wi_writer_line(wi_writer *out, const char *format, ...) WEIR_PRINTF(2, 3);

/** The number of a slot of the kernel that is equal, or new. */
size_t wi_writer_slot(wi_writer *out, const wi_slot *slot);

/** How a number that is known now is written: a parameter, or a literal. */
const char *wi_writer_float(wi_writer *out, float value, char name[WI_VALUE_NAME_BYTES]);

/** Writes the function of an operation, once. */
void wi_writer_op(wi_writer *out, const wi_op *op);

/** The type of values of this kernel, and the functions that move them. */
const char *wi_writer_type(const wi_writer *out);
const char *wi_writer_load(const wi_writer *out);
const char *wi_writer_store(const wi_writer *out);

/** How a term's vector, or all of it, is written as an operand. */
const char *wi_writer_vector(wi_writer *out, uint32_t id, unsigned vector,
                             char name[WI_VALUE_NAME_BYTES]);
const char *wi_writer_value(wi_writer *out, uint32_t id, char name[WI_VALUE_NAME_BYTES]);

/** Appends the kernel's declaration to `text`: one parameter or two for each slot. */
void wi_writer_head(const wi_writer *out, weir_text *text);

#endif
