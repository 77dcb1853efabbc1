/* The rules a row of the op table chooses from; shared by the table's generator and the library. */
#ifndef WI_OPS_RULE_H
#define WI_OPS_RULE_H

/* How the C function looks and what runs. */
typedef enum wi_form {
    WI_FORM_NONE = 0,
    WI_FORM_ELEMENTWISE, /* inputs, parameters -> a tensor; one generated kernel */
    WI_FORM_FILL,  /* dtype, shape, perhaps a value -> a tensor; a fill of the queue, no kernel */
    WI_FORM_DRAW,  /* generator, shape -> a tensor without storage; computed inside its reader */
    WI_FORM_VIEW,  /* an input -> another shape on its storage; no kernel */
    WI_FORM_REDUCE /* an input, dimensions -> fewer elements */
} wi_form;

typedef enum wi_shape_rule {
    WI_SHAPE_NONE = 0,
    WI_SHAPE_BROADCAST, /* numpy's rule for the inputs gives that of the result */
    WI_SHAPE_GIVEN,     /* the caller says */
    WI_SHAPE_PERMUTED,  /* the input's dimensions in another order */
    WI_SHAPE_REDUCED    /* the input's without some dimensions */
} wi_shape_rule;

typedef enum wi_dtype_rule {
    WI_DTYPES_NONE = 0,
    WI_DTYPES_F32, /* inputs and result are f32 */
    WI_DTYPES_ANY  /* any element type; the caller says */
} wi_dtype_rule;

/* How the gradient of an input comes from g, the gradient of the result. */
typedef enum wi_gradient_kind {
    WI_GRADIENT_NONE = 0, /* there is none */
    WI_GRADIENT_PASS,     /* g itself */
    WI_GRADIENT_ROW,      /* an elementwise operation */
    WI_GRADIENT_FUNCTION  /* a C function */
} wi_gradient_kind;

/* What an elementwise gradient may read. */
typedef enum wi_gradient_value {
    WI_VALUE_G = 0, /* the gradient of the result */
    WI_VALUE_A,     /* the inputs */
    WI_VALUE_B,
    WI_VALUE_Y /* the result */
} wi_gradient_value;

/* Values that must be kept for it, one bit each. */
enum { WI_NEEDS_A = 1 << WI_VALUE_A, WI_NEEDS_B = 1 << WI_VALUE_B, WI_NEEDS_Y = 1 << WI_VALUE_Y };

/* What a view does. */
typedef enum wi_view_kind {
    WI_VIEW_NONE = 0,
    WI_VIEW_TRANSPOSE,
    WI_VIEW_EXPAND,
    WI_VIEW_RESHAPE
} wi_view_kind;

#define WI_OP_INPUTS_MAX 4
#define WI_OP_PARAMETERS_MAX 1

#endif
