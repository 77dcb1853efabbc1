/* Marks: what each owner holds at a moment, to see what grew since. docs/leaks.md finds a leak with two of them. */
#ifndef WEIR_MARK_H
#define WEIR_MARK_H

#include <weir/pool.h>
#include <weir/status.h>
#include <weir/text.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

/* Numbers of one moment, which take host memory by the number of owners then. Does not keep the pool alive. */
typedef struct weir_mark weir_mark;

/* How much more an owner holds. */
typedef struct weir_growth {
    char owner[WEIR_OWNER_BYTES];
    int64_t bytes; /* rounded sizes */
    int64_t blocks;
} weir_growth;

/** Notes what each owner holds now, as one consistent snapshot.
 * out   owned by the caller, weir_mark_destroy(); NULL on failure
 * Order: host call. Thread: safe. Errors: ARG, HOST_MEMORY, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_pool_mark(weir_pool *pool, weir_mark **out);

/** Frees a mark. NULL is allowed. */
WEIR_API void weir_mark_destroy(weir_mark *mark);

/** Lists the owners that hold more at `to` than at `from`, most bytes first: more bytes, or as many in more blocks.
 * pool    the one that both marks are of
 * to      NULL: now
 * out     room for `capacity` entries, NULL if that is 0; the largest ones; unused ones are zeroed
 * count   how many owners grew, which may be more than capacity; NULL is allowed
 * Order: host call. Thread: safe. Errors: ARG, CONTEXT (a mark of another pool), HOST_MEMORY, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_pool_diff(weir_pool *pool, const weir_mark *from, const weir_mark *to,
                                                   weir_growth *out, size_t capacity, size_t *count);

/** Appends the same as a table, and by how much all owners together changed. Errors: as weir_pool_diff(). */
WEIR_API WEIR_NODISCARD weir_status weir_pool_diff_report(weir_pool *pool, const weir_mark *from, const weir_mark *to,
                                                          weir_text *text);

WEIR_END_DECLS

#endif
