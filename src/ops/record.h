/* Recorders: who is told of operations.
 *
 * Every operation describes itself as a wi_op_call. In a recording context the capture makes the result and nothing
 * runs; otherwise, after the work is enqueued, each tape of the thread is told.
 */
#ifndef WI_OPS_RECORD_H
#define WI_OPS_RECORD_H

#include "ops/op.h"

#include <weir/generator.h>

/* One operation as called. Pointers are valid during the call. Members that a row's form does not use are 0. */
typedef struct wi_op_call {
    const wi_op *op;
    weir_tensor *const *inputs; /* op->inputs of them, already checked */
    const float *parameters;    /* op->parameters of them */
    weir_dtype dtype;           /* of the result */
    const weir_shape *shape;    /* of the result */
    double value;               /* fills */
    weir_generator *generator;  /* draws */
    const int *
        axes; /* reductions: the dimensions that go, ascending; transpose: dimension i of the result
                                   is dimension axes[i] of the input */
    unsigned n_axes;
    int keep_dims; /* reductions: 1: the dimensions stay with extent 1 */
} wi_op_call;

/* First member of a capture or tape. Exactly one function is set. */
typedef struct wi_recorder {
    /* A capture: makes the symbol that stands for the result. */
    weir_status (*capture)(struct wi_recorder *recorder, const wi_op_call *call, weir_tensor **out);
    /* A tape: notes the call, if it depends on something watched. `out` is the result. */
    weir_status (*record)(struct wi_recorder *recorder, const wi_op_call *call, weir_tensor *out);
} wi_recorder;

/** 1 if `context` captures: then the call goes to wi_record_capture() and nothing runs. */
int wi_record_is_capture(const weir_context *context);

/** Hands a call to the capture of a recording context.
 * Errors: CAPTURE after its end, and the capture's. */
weir_status wi_record_capture(weir_context *context, const wi_op_call *call, weir_tensor **out);

/** Tells the tapes of the calling thread. Errors: HOST_MEMORY; the caller then drops the result. */
weir_status wi_record_tapes(weir_context *context, const wi_op_call *call, weir_tensor *out);

#endif
