/* Extents of a tensor. */
#ifndef WEIR_SHAPE_H
#define WEIR_SHAPE_H

#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

#define WEIR_RANK_MAX 8

/* rank 0 is a scalar (one element). An extent may be 0: then there are no elements.
 * Row-major order: the last dimension is contiguous. Plain data; copy it freely. */
typedef struct weir_shape {
    unsigned rank; /* 0 .. WEIR_RANK_MAX */
    uint64_t extents[WEIR_RANK_MAX];
} weir_shape;

/** Fills a shape from extents.
 * rank      0 .. WEIR_RANK_MAX
 * extents   rank values, each 0 .. INT64_MAX; may be NULL if rank is 0
 * out       on failure rank 0
 * Errors: ARG for NULL; SHAPE for too many dimensions, a negative extent, or a product of the extents, zeros left
 *         out, above INT64_MAX. Thread: safe. */
WEIR_API WEIR_NODISCARD weir_status weir_shape_make(unsigned rank, const int64_t *extents, weir_shape *out);

/** Reads "1,1024" as a shape; an empty text is a scalar.
 * Errors: ARG for NULL; SHAPE with the offending part, as weir_shape_make(). Thread: safe. */
WEIR_API WEIR_NODISCARD weir_status weir_shape_parse(const char *text, weir_shape *out);

/** Returns the number of elements: the product of the extents, 1 for a scalar, UINT64_MAX if it does not fit. */
WEIR_API uint64_t weir_shape_count(const weir_shape *shape);

/** Returns 1 if rank and all extents are equal, else 0. */
WEIR_API int weir_shape_equal(const weir_shape *a, const weir_shape *b);

/** Writes "[1, 1024]" into a buffer, cut to fit and zero-terminated; returns buffer. 192 bytes hold every shape. */
WEIR_API char *weir_shape_format(const weir_shape *shape, char *buffer, size_t bytes);

WEIR_END_DECLS

#endif
