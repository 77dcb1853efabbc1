/* A row of the op table as tests see it; op_cases.inc, which the build writes, has them all. */
#ifndef WT_OP_CASE_H
#define WT_OP_CASE_H

#include <weir/tensor.h>

#define VALUES_MAX 3

typedef struct op_range {
    double low;
    double high;
} op_range;

typedef struct op_case {
    const char *name;
    unsigned inputs;
    unsigned parameters;
    double ulp;
    op_range domain[VALUES_MAX]; /* of the inputs, then of the parameters */
    float (*host)(const float *x);
    double (*reference)(const double *x);
    weir_status (*call)(weir_context *context, weir_tensor *const *inputs, const float *parameters,
                        weir_tensor **out);
    float (*gradient[2])(const float *x, float g, float y); /* NULL: none */
    op_range gradient_domain[VALUES_MAX];
} op_case;

#endif
