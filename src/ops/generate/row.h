/* A row of the op table as its generator sees it, and the generator's parts.
 *
 * The generator is a program of the build: it reads the table at compile time and writes text. Nothing of it is in the
 * library.
 */
#ifndef WI_OPS_GENERATE_ROW_H
#define WI_OPS_GENERATE_ROW_H

#include "ops/rule.h"

#include <stddef.h>
#include <stdio.h>

typedef struct wi_domain {
    double low;
    double high;
} wi_domain;

/* Columns as op_table.def explains them. Invariants: those of wg_check_row(). */
typedef struct wi_op_row {
    const char *name;
    wi_form form;
    unsigned inputs;
    const char *parameters[WI_OP_PARAMETERS_MAX];
    wi_shape_rule shape;
    wi_dtype_rule dtype;
    const char *expression;
    const char *reference;
    wi_domain domain[WI_OP_INPUTS_MAX + WI_OP_PARAMETERS_MAX];
    double ulp;
    const char *gradient[WI_OP_INPUTS_MAX];
    wi_domain gradient_domain[WI_OP_INPUTS_MAX + WI_OP_PARAMETERS_MAX];
    const char *doc;
    const char *edge;
} wi_op_row;

extern const wi_op_row wg_rows[];
extern const size_t wg_row_count;

/* Names of the inputs in expressions and signatures. */
extern const char *const wg_input_names[WI_OP_INPUTS_MAX];

/* A gradient expression as an operation: inputs in the order g, a, b, y of those that it names, called a, b, c, d.
 * Invariants: order[0 .. inputs - 1] are values of wi_gradient_value in ascending order. */
typedef struct wg_gradient {
    wi_gradient_kind kind;
    unsigned inputs;
    unsigned char order[WI_OP_INPUTS_MAX];
    unsigned needs;
    unsigned parameters; /* it names */
    char expression[256];
} wg_gradient;

/** Reads the gradient of input `input`; returns what is wrong with it, NULL: nothing. */
const char *wg_gradient_read(const wi_op_row *row, unsigned input, wg_gradient *out);

/** 1 if some input has a gradient. */
int wg_is_differentiable(const wi_op_row *row);

/** Writes rows of operations for gradients that are no row of the table, and the table of all gradients. */
void wg_put_gradients(FILE *file);

/** Writes `text` as a C string. */
void wg_put_string(FILE *file, const char *text);

/** Returns the number of parameters. */
unsigned wg_parameter_count(const wi_op_row *row);

/** Writes the words of `text`, each line begun by `indent`, broken before column 100. `first`: what the first line
 * begins with. */
void wg_put_text(FILE *file, const char *first, const char *indent, const char *text);

/** Writes `name` in upper case. */
void wg_put_upper(FILE *file, const char *name);

/** Writes "weir_status weir_name(parameters)", broken before column 100. before: what stands in front. */
void wg_put_signature(FILE *file, const char *before, const wi_op_row *row);

/* Each writes one file. */
void wg_write_header(FILE *file); /* weir/ops.h */
void wg_write_list(FILE *file);   /* ops/op_list.h: the enum */
void wg_write_rows(FILE *file);   /* ops/op_rows.c: what the library needs of a row */
void wg_write_calls(FILE *file);  /* ops/op_calls.c: the public functions */
void wg_write_docs(FILE *file);   /* ops.md */
void wg_write_cases(FILE *file);  /* ops/op_cases.inc: tests */

#endif
