/* Tensors as the rooms above make and use them. */
#ifndef WI_TENSOR_TENSOR_H
#define WI_TENSOR_TENSOR_H

#include "context/context.h"
#include "mem/block.h"

#include <weir/tensor.h>

#include <stdint.h>

typedef enum wi_draw_kind { WI_DRAW_NONE = 0, WI_DRAW_NORMAL, WI_DRAW_UNIFORM } wi_draw_kind;

/* A value that is known without being stored: draw `draw` of `seed`. */
typedef struct wi_draw {
    wi_draw_kind kind;
    uint64_t seed;
    uint64_t draw;
} wi_draw;

/* Where a kernel finds an operand. */
typedef struct wi_operand {
    wi_span place;  /* of the element with all indices 0; no block if it is a draw or empty */
    wi_draw draw;   /* kind NONE if it has a place */
    int is_strided; /* 1: elements are where strides say; 0: dense, row-major */
    int64_t strides
        [WEIR_RANK_MAX]; /* in elements, one a dimension of the tensor's shape; if is_strided */
    weir_block *held;    /* of a view, which another thread may write to a block of its own before
                            the launch; NULL: none; see wi_operand_let_go() */
} wi_operand;

/* What a reader can take as it is; anything else is written to a dense block first. */
enum { WI_TAKES_DENSE = 0, WI_TAKES_DRAW = 1, WI_TAKES_STRIDES = 2 };

/* Writes a value that is not dense in memory, a draw or a view, to elements 0 .. count - 1 of a place. Comes from the
 * room that launches. */
typedef weir_status wi_write(weir_context *context, const wi_operand *from, const weir_shape *shape,
                             const wi_span *to, uint64_t count);

/** Counts elements and bytes of a value. where: who asks, for the record.
 * Errors: DTYPE (none of the list), SHAPE (more dimensions than a shape has, or bytes overflow). */
weir_status wi_tensor_measure(weir_dtype dtype, const weir_shape *shape, const char *where,
                              uint64_t *count, uint64_t *bytes);

/** Makes a tensor with a block of undefined contents. owner: label of the block, copied.
 * Errors: OUT_OF_MEMORY, HOST_MEMORY, SHAPE (bytes overflow), FORKED. */
weir_status wi_tensor_create(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                             const char *owner, weir_tensor **out);

/** Makes a tensor whose elements are those of a block, from its start on.
 * block   large enough; taken over, also if it fails; NULL for a tensor without elements
 * owner   must outlive the tensor */
weir_status wi_tensor_create_on(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                weir_block *block, const char *owner, weir_tensor **out);

/** Makes a tensor that is a draw, without a block. owner: label, must outlive the tensor. */
weir_status wi_tensor_create_draw(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                  const wi_draw *draw, wi_write *write, const char *owner,
                                  weir_tensor **out);

/* How a view lies on its source: dimension i of the view is dimension from[i] of the source, beginning at starts[from[i]],
 * or, with from[i] == -1, one element repeated. NULL starts: all 0. */
typedef struct wi_view_map {
    const int *from;
    const uint64_t *starts;
} wi_view_map;

/** Makes another handle on the storage of `source`, untracked by any recorder.
 * context  on whose queue a source is written that has to be
 * shape   of the view
 * map     NULL: the elements of `source` in their order, as many as shape has
 * write   brings the view's elements into a dense block when a reader needs one
 * owner   label of that block; must outlive the tensor
 * Errors: HOST_MEMORY; those of writing a draw, or a view that is to be reshaped. */
weir_status wi_tensor_create_view(weir_context *context, weir_tensor *source,
                                  const weir_shape *shape, const wi_view_map *map, wi_write *write,
                                  const char *owner, weir_tensor **out);

/** Makes a tensor without a value: it stands for a result of a capture. context: a recording context. */
weir_status wi_tensor_create_symbol(weir_context *context, weir_dtype dtype,
                                    const weir_shape *shape, weir_tensor **out);

/** 1 for a tensor made by wi_tensor_create_symbol(). */
int wi_tensor_is_symbol(const weir_tensor *tensor);

/** Reads where the elements are, for a launch while the tensor is held.
 * context  on whose queue they are written if they have to be: that of the launch
 * takes   what the kernel can use as it is. A draw is left unwritten for the first reader that takes draws; the second
 *         has it written
 * out     to be let go after the launch if the kernel takes strides
 * Errors: CAPTURE for a symbol, those of writing. */
weir_status wi_tensor_operand(weir_context *context, weir_tensor *tensor, int takes,
                              wi_operand *out);

/** Lets go of what an operand holds besides its tensor. A zeroed one is allowed. */
void wi_operand_let_go(wi_operand *operand);

/** Makes another handle on the value of `source`, untracked by any recorder, without reading or writing it. A draw stays
 * a draw, a view a view. Errors: HOST_MEMORY. */
weir_status wi_tensor_create_alias(weir_tensor *source, weir_tensor **out);

/** Adds an owner unless there is none left; 1 if it did. For a caller that knows a tensor without holding it, and that
 * knows the tensor's memory is still there. */
int wi_tensor_try_retain(weir_tensor *tensor);

/** Adds and drops an owner that is a recorder. A block that only recorders hold has the label WI_OWNER_TAPE from the
 * moment the last other owner of its tensor goes. */
void wi_tensor_keep(weir_tensor *tensor);
void wi_tensor_unkeep(weir_tensor *tensor);

/** 1 if tensor and its block have no other owner and no recorder needs its value, it is dense, and the block is none of
 * the program's: then an update may write in place. */
int wi_tensor_is_sole(const weir_tensor *tensor);

/** Moves the tensor's block to another owner label. */
void wi_tensor_relabel(weir_tensor *tensor, const char *owner);

/** The block that holds the elements, for counting what is kept, and its bytes; NULL and 0: none. The pointer tells blocks
 * apart and is not to be read through: another thread may have a view written to a block of its own. */
const weir_block *wi_tensor_get_storage(weir_tensor *tensor, uint64_t *bytes);

#endif
