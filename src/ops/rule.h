/* The rules a row of the op table chooses from; shared by the table's generator and the library. */
#ifndef WI_OPS_RULE_H
#define WI_OPS_RULE_H

/* How the C function looks and what runs. */
typedef enum wi_form {
    WI_FORM_NONE = 0,
    WI_FORM_ELEMENTWISE, /* inputs, parameters -> a tensor; one generated kernel */
    WI_FORM_FILL, /* dtype, shape, perhaps a value -> a tensor; a fill of the queue, no kernel */
    WI_FORM_DRAW  /* generator, shape -> a tensor without storage; computed inside its reader */
} wi_form;

typedef enum wi_shape_rule {
    WI_SHAPE_NONE = 0,
    WI_SHAPE_EQUAL, /* all inputs have one shape, and so has the result */
    WI_SHAPE_GIVEN  /* the caller says */
} wi_shape_rule;

typedef enum wi_dtype_rule {
    WI_DTYPES_NONE = 0,
    WI_DTYPES_F32, /* inputs and result are f32 */
    WI_DTYPES_ANY  /* any element type; the caller says */
} wi_dtype_rule;

#define WI_OP_INPUTS_MAX 2
#define WI_OP_PARAMETERS_MAX 1

#endif
