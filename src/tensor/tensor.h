/* Tensors as the rooms above make and use them. */
#ifndef WI_TENSOR_TENSOR_H
#define WI_TENSOR_TENSOR_H

#include "cl/opencl.h"
#include "context/context.h"

#include <weir/tensor.h>

#include <stdint.h>

typedef enum wi_draw_kind { WI_DRAW_NONE = 0, WI_DRAW_NORMAL, WI_DRAW_UNIFORM } wi_draw_kind;

/* A value that is known without being stored: draw `draw` of `seed`. */
typedef struct wi_draw {
    wi_draw_kind kind;
    uint64_t seed;
    uint64_t draw;
    /* Writes elements 0 .. count - 1 to a buffer from offset_bytes on. Set by the room that launches. */
    weir_status (*fill)(weir_context *context, const struct wi_draw *draw, cl_mem buffer,
                        uint64_t offset_bytes, uint64_t count);
} wi_draw;

/* Where a kernel finds an operand. */
typedef struct wi_operand {
    cl_mem buffer;         /* NULL if it is a draw or empty */
    uint64_t offset_bytes; /* of the first element within buffer */
    wi_draw draw;          /* kind NONE if it has a buffer */
} wi_operand;

/** Counts elements and bytes of a value. where: who asks, for the record.
 * Errors: DTYPE (none of the list), SHAPE (more dimensions than a shape has, or bytes overflow). */
weir_status wi_tensor_measure(weir_dtype dtype, const weir_shape *shape, const char *where,
                              uint64_t *count, uint64_t *bytes);

/** Makes a tensor with a block of undefined contents. owner: label of the block, copied.
 * Errors: OUT_OF_MEMORY, HOST_MEMORY, SHAPE (bytes overflow), FORKED. */
weir_status wi_tensor_create(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                             const char *owner, weir_tensor **out);

/** Makes a tensor that is a draw, without a block. owner: label, must outlive the tensor. */
weir_status wi_tensor_create_draw(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                  const wi_draw *draw, const char *owner, weir_tensor **out);

/** Reads where the elements are, for a launch while the tensor is held.
 * accepts_draw   1: the kernel can compute a draw itself. A draw is then left unwritten the first time; the second
 *                reader writes it. 0: a draw is written now.
 * Errors: those of writing a draw. */
weir_status wi_tensor_operand(weir_tensor *tensor, int accepts_draw, wi_operand *out);

/** 1 if tensor and its block have no other owner, so that an update may write in place. */
int wi_tensor_is_sole(const weir_tensor *tensor);

/** Moves the tensor's block to another owner label. */
void wi_tensor_relabel(weir_tensor *tensor, const char *owner);

#endif
