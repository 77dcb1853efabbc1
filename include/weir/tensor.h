/* Immutable arrays on a device. */
#ifndef WEIR_TENSOR_H
#define WEIR_TENSOR_H

#include <weir/context.h>
#include <weir/dtype.h>
#include <weir/shape.h>
#include <weir/status.h>

WEIR_BEGIN_DECLS

/* A counted handle on a value that never changes. Row-major, dense.
 *
 * The value of a random draw is written to memory when something other than an elementwise operation reads it, or
 * when it is read a second time: until then the draw holds no block. */
typedef struct weir_tensor weir_tensor;

/** Copies host data into a new tensor.
 * data    weir_shape_count(shape) elements; borrowed for the call; may be NULL if there are none
 * out     counted, weir_tensor_release(); NULL on failure
 * Order: blocks until data was read. Thread: safe.
 * Errors: ARG, SHAPE, OUT_OF_MEMORY, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_tensor_from_host(weir_context *context, weir_dtype dtype,
                                                          const weir_shape *shape, const void *data, weir_tensor **out);

/** Copies a tensor's elements to the host.
 * data    at least weir_tensor_get_bytes(tensor) bytes
 * bytes   size of data; must equal weir_tensor_get_bytes(tensor)
 * Order: blocks until the value is there. Thread: safe.
 * Errors: ARG, OUT_OF_MEMORY (a draw that had to be written), DRIVER, INDEX (an earlier kernel's; sticks). */
WEIR_API WEIR_NODISCARD weir_status weir_tensor_to_host(weir_tensor *tensor, void *data, uint64_t bytes);

/** Adds an owner; returns the tensor. */
WEIR_API weir_tensor *weir_tensor_retain(weir_tensor *tensor);

/** Drops an owner; the last one releases the storage unless something else holds it. NULL is allowed. Thread: safe. */
WEIR_API void weir_tensor_release(weir_tensor *tensor);

/** Returns the context; lives at least as long as the tensor. */
WEIR_API weir_context *weir_tensor_get_context(const weir_tensor *tensor);

/** Returns the element type. */
WEIR_API weir_dtype weir_tensor_get_dtype(const weir_tensor *tensor);

/** Returns the shape; valid as long as the tensor. */
WEIR_API const weir_shape *weir_tensor_get_shape(const weir_tensor *tensor);

/** Returns the number of elements. */
WEIR_API uint64_t weir_tensor_get_count(const weir_tensor *tensor);

/** Returns the size of the elements in bytes. */
WEIR_API uint64_t weir_tensor_get_bytes(const weir_tensor *tensor);

/** Returns the block that holds the elements, borrowed; NULL if the tensor is empty or a draw that nothing has read. That of
 * a transposed or expanded tensor is valid until something has it written to a block of its own, as reading it to the host
 * does. */
WEIR_API const weir_block *weir_tensor_get_block(const weir_tensor *tensor);

WEIR_END_DECLS

#endif
