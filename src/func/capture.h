/* A capture: the recorder of operations called with a recording context. */
#ifndef WI_FUNC_CAPTURE_H
#define WI_FUNC_CAPTURE_H

#include "func/recorded.h"

/* A capture going on.
 * Invariants: body is the number of the innermost body being recorded; context records for base. */
typedef struct wi_capture {
    wi_recorder recorder; /* first, so that the context's capture is the recorder */
    weir_context *base;
    weir_context *context;
    wi_recorded recorded;
    const weir_argument_spec *specs;
    size_t n_specs;
    uint32_t body;
    uint32_t serial; /* in the weir_scalars of this capture */
} wi_capture;

/** Begins: makes the recording context and the function's body. Errors: HOST_MEMORY. */
weir_status wi_capture_begin(weir_context *base, const weir_argument_spec *specs, size_t n_specs,
                             wi_capture *out);

/** Ends: symbols made by it are refused from now on. What was recorded stays until wi_recorded_fini(). */
void wi_capture_end(wi_capture *capture);

/** Makes the symbol of a term. */
weir_status wi_capture_symbol(wi_capture *capture, uint32_t term, weir_tensor **out);

/** Adds a term that stands in the present body, and makes its symbol. */
weir_status wi_capture_add(wi_capture *capture, const wi_term *term, weir_tensor **out);

/** Finds the term of a tensor; one of the base context becomes a constant.
 * where   public call, for the record. Errors: ARG (NULL), CONTEXT, CAPTURE (of an inner loop), HOST_MEMORY. */
weir_status wi_capture_find(wi_capture *capture, weir_tensor *tensor, const char *where,
                            uint32_t *out);

/** The same, but never a view: a dense copy of it. */
weir_status wi_capture_find_dense(wi_capture *capture, weir_tensor *tensor, const char *where,
                                  uint32_t *out);

/** Resolves a scalar. Errors: CAPTURE (of another capture, or of a loop that is over). */
weir_status wi_capture_scalar(const wi_capture *capture, weir_scalar scalar, const char *where,
                              wi_scalar *out);

/** The scalar that stands for an argument, or for the index of the loop with that body. */
weir_scalar wi_capture_argument_scalar(const wi_capture *capture, uint32_t argument);
weir_scalar wi_capture_index_scalar(const wi_capture *capture, uint32_t body);

/** Records a loop in the present body; weir_for() of a recording context. */
weir_status wi_capture_loop(wi_capture *capture, weir_scalar trips, weir_for_body *run, void *user,
                            weir_tensor *const *carries_in, size_t n, weir_tensor **outs);

#endif
