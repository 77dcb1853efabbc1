/* Gradient tapes: operations recorded while they are computed.
 *
 * A tape records the operations of the thread that began it, and only those that depend on a watched tensor. For each
 * it keeps what the gradient needs and nothing more: add, sub, neg, scale, sum, reshape, transpose, expand keep no
 * data, exp, tanh, sqrt, sigmoid their result, mul and div the other operands, where those are needed at all.
 */
#ifndef WEIR_TAPE_H
#define WEIR_TAPE_H

#include <weir/tensor.h>
#include <weir/variable.h>

WEIR_BEGIN_DECLS

typedef struct weir_tape weir_tape;

/* What a gradient is where no target depends on the source. */
typedef enum weir_unconnected {
    WEIR_UNCONNECTED_NONE = 0, /* no tensor: NULL */
    WEIR_UNCONNECTED_ZERO      /* zeros of the source's shape */
} weir_unconnected;

typedef struct weir_tape_options {
    size_t struct_size;
    int is_persistent; /* 1: gradients may be asked more than once; saved values live as long as the tape */
    weir_unconnected unconnected;
} weir_tape_options;

#define WEIR_TAPE_OPTIONS_INIT                              \
    {                                                       \
        sizeof(weir_tape_options), 0, WEIR_UNCONNECTED_NONE \
    }

/** Begins a tape; it records until weir_tape_destroy() or, unless persistent, the first gradient.
 * Tapes nest: each records for itself, also the gradients that the others compute.
 * options   NULL: all defaults
 * out       one owner, weir_tape_destroy(); NULL on failure
 * Thread: records the calling thread; the tape's other calls come from that thread too. Tensors it knows may be released
 *         by any thread.
 * Errors: ARG (an option value out of range, or 16 tapes of this thread on the context), CAPTURE (a recording context),
 *         HOST_MEMORY, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_tape_begin(weir_context *context, const weir_tape_options *options,
                                                    weir_tape **out);

/** Ends recording, releases what is saved, frees the tape. Tensors it recorded stay as they are. NULL is allowed. */
WEIR_API void weir_tape_destroy(weir_tape *tape);

/** Watches a tensor: operations on it are recorded from now on, and gradients to it can be asked.
 * Element types other than f32 have no gradient; watching such a tensor does nothing. The tape does not hold the tensor.
 * Errors: ARG, CONTEXT, TAPE_CONSUMED, HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_tape_watch(weir_tape *tape, weir_tensor *tensor);

/** Stops recording until the matching weir_tape_resume(); pairs nest. NULL is allowed. */
WEIR_API void weir_tape_stop(weir_tape *tape);
WEIR_API void weir_tape_resume(weir_tape *tape);

/** Forgets everything recorded; watched tensors stay watched. A consumed tape stays consumed. NULL is allowed. */
WEIR_API void weir_tape_reset(weir_tape *tape);

/** Computes the gradients of the sum of the targets, each weighted by its output gradient, to the sources.
 *
 * targets            n_targets tensors; of several, the gradients add up
 * output_gradients   NULL: ones of each target's shape; else n_targets tensors of the targets' shapes, entries may be
 *                    NULL for ones
 * sources            n_sources watched tensors, or results of recorded operations
 * grads_out          n_sources tensors, counted; NULL where no target depends on the source, unless the tape's option
 *                    says zeros. All NULL on failure
 * Order: enqueued; calls the operations of the gradients, which other tapes of the thread record. Saved values are
 * released as they are passed, unless the tape is persistent. A tape that is not is consumed by this call, also when it
 * fails after the arguments were found right.
 * Errors: ARG, CONTEXT, SHAPE, DTYPE (an output gradient), TAPE_CONSUMED, UNSUPPORTED (a gradient that has no gradient
 *         itself), OUT_OF_MEMORY, HOST_MEMORY, BUILD, DRIVER, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_tape_gradient(weir_tape *tape, weir_tensor *const *targets, size_t n_targets,
                                                       weir_tensor *const *output_gradients,
                                                       weir_tensor *const *sources, size_t n_sources,
                                                       weir_tensor **grads_out);

/** Returns the bytes of device memory that saved values are in: the sum over distinct blocks, whoever else holds them. A
 * random draw that nothing has written to memory counts nothing. Goes through the records. A block that only tapes hold
 * has the owner "tape" in reports. Without host memory for telling blocks apart, shared ones count more than once. */
WEIR_API uint64_t weir_tape_get_saved_bytes(const weir_tape *tape);

/** Returns the bytes of host memory that the tape and its records take. */
WEIR_API uint64_t weir_tape_get_host_bytes(const weir_tape *tape);

/** Appends what the tape holds: records and saved bytes by operation, most bytes first, and what would reduce them. */
WEIR_API void weir_tape_explain(const weir_tape *tape, weir_text *text);

/** Gives a new handle on the same storage that no tape tracks: gradients do not flow through it.
 * Of any element type. In a capture the result has the same value.
 * out   counted, weir_tensor_release(); NULL on failure
 * Order: host call; nothing is enqueued.
 * Thread: safe. Errors: ARG, CONTEXT, HOST_MEMORY, FORKED; in a capture CAPTURE. */
WEIR_API WEIR_NODISCARD weir_status weir_stop_gradient(weir_context *context, weir_tensor *tensor, weir_tensor **out);

WEIR_END_DECLS

#endif
