/* Captured functions: operations recorded once, planned once, run many times in one arena.
 *
 * A capture hands its body a recording context and symbolic tensors. Every operation called with that context is
 * recorded, nothing else is. Tensors from outside become constants, which the function retains. The same body can be
 * called with an ordinary context and ordinary tensors, and gives the same bits.
 */
#ifndef WEIR_FUNCTION_H
#define WEIR_FUNCTION_H

#include <weir/scalar.h>
#include <weir/tensor.h>
#include <weir/text.h>

WEIR_BEGIN_DECLS

typedef struct weir_function weir_function;

/* One argument of a function: a tensor of a dtype and shape, or a scalar. */
typedef enum weir_argument_kind { WEIR_ARGUMENT_TENSOR = 0, WEIR_ARGUMENT_SCALAR } weir_argument_kind;

typedef struct weir_argument_spec {
    weir_argument_kind kind;
    weir_dtype dtype; /* tensors */
    weir_shape shape; /* tensors */
} weir_argument_spec;

/* One argument of a call or a body: the member that its spec names. */
typedef struct weir_argument {
    weir_tensor *tensor;
    weir_scalar scalar;
} weir_argument;

/** Body of a function.
 * context     record with this one
 * arguments   as many as the specs; tensors borrowed
 * outs        set outs_count tensors, each one owner that the caller takes over
 * Returns WEIR_OK, or a failure that ends the capture. */
typedef weir_status weir_function_body(weir_context *context, const weir_argument *arguments, weir_tensor **outs,
                                       void *user);

/** Body of a loop. carries_in: n tensors, borrowed. carries_out: n tensors of the same dtypes and shapes, each one
 * owner that the loop takes over. index: 0, 1, ... */
typedef weir_status weir_for_body(weir_context *context, weir_scalar index, weir_tensor *const *carries_in,
                                  weir_tensor **carries_out, void *user);

/** Runs a loop: with an ordinary context trip by trip, in a capture as one recorded loop.
 *
 * In a capture the body is called once. If element e of all that it computes depends on elements e alone, the loop runs
 * inside one kernel; else its launches are enqueued trip by trip.
 * trips        a number, or in a capture a scalar argument or the index of a loop around; <= 0: the carries stay as they
 *              are
 * carries_in   1 to 1024 tensors, borrowed
 * outs         n tensors, counted; NULL on failure
 * Draws of the body are numbered as trip by trip, also in a capture. A generator that it draws from is made before the
 * loop and set anew by nothing in it: the body is recorded once, so what one made inside draws would not repeat. It is
 * known by its address and lives until the capture ends; with trips that are a number it is left as after all trips,
 * else as after one.
 * Errors: ARG, CONTEXT, DTYPE and SHAPE (the body returned another carry; the message has its number), what the body
 *         returns; in a capture CAPTURE in place of CONTEXT, DTYPE and SHAPE. */
WEIR_API WEIR_NODISCARD weir_status weir_for(weir_context *context, weir_scalar trips, weir_for_body *body, void *user,
                                             weir_tensor *const *carries_in, size_t n, weir_tensor **outs);

/** Captures a function.
 * context      where it will run; not a recording context
 * specs        n_specs arguments
 * n_outs       number of results, at least 1
 * body, user   called once, now
 * out          counted, weir_function_release(); NULL on failure, when everything recorded is released
 * At most 16 generators may be drawn from.
 * Order: calls the body; builds no kernels and takes no device memory. Thread: safe.
 * Errors: ARG, CAPTURE (the message says what cannot be captured), HOST_MEMORY, what the body returns. */
WEIR_API WEIR_NODISCARD weir_status weir_function_capture(weir_context *context, const weir_argument_spec *specs,
                                                          size_t n_specs, size_t n_outs, weir_function_body *body,
                                                          void *user, weir_function **out);

/** Adds an owner; returns the function. */
WEIR_API weir_function *weir_function_retain(weir_function *function);

/** Drops an owner; the last one releases the constants and the arena. NULL is allowed. */
WEIR_API void weir_function_release(weir_function *function);

/** Builds the kernels and takes the arena, so that the first call does neither. Some drivers compile once more when a
 * kernel is first launched.
 * Errors: BUILD, OUT_OF_MEMORY, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_function_prepare(weir_function *function);

/** Runs a function.
 * arguments   as many as specs, of the same kinds, dtypes and shapes; tensors borrowed
 * outs        n_outs tensors, counted; all NULL on failure
 * Draws begin at the number that their generator had when the function was captured, in every call. Tapes do not record
 * a call: no gradient flows through it.
 * Order: enqueued; on devices other than CPUs the first calls with a loop of many trips also wait for the first pieces
 * of it, to learn how many trips make a launch of about 100 ms. Thread: safe; calls of one function follow one another.
 * Errors: ARG, DTYPE, SHAPE, CONTEXT, BUILD, OUT_OF_MEMORY, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_function_call(weir_function *function, const weir_argument *arguments,
                                                       size_t n_arguments, weir_tensor **outs, size_t n_outs);

/** Returns the bytes of the arena: what a call takes from the pool besides its results, whatever the trips. */
WEIR_API uint64_t weir_function_get_plan_bytes(const weir_function *function);

/** Appends the kernels in order, what was fused, the plan, and the constants with their bytes. */
WEIR_API void weir_function_explain(const weir_function *function, weir_text *text);

/** Writes a scalar, as f32, to every element of a new tensor; in a capture the scalar may be an argument or index.
 * Errors: ARG, SHAPE, CAPTURE (a symbol of another capture), OUT_OF_MEMORY, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_from_scalar(weir_context *context, weir_scalar scalar, const weir_shape *shape,
                                                     weir_tensor **out);

WEIR_END_DECLS

#endif
