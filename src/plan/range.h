/* Ranges: the pieces a root is cut into, and the slab their metadata come from. */
#ifndef WI_PLAN_RANGE_H
#define WI_PLAN_RANGE_H

#include "plan/arena.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wi_arena_root wi_arena_root;

/* A range is a piece of a root, free or in use, or unused metadata in a slab's list.
 * Invariants:
 *   unused metadata: root == NULL
 *   prev == NULL ? offset_bytes == 0 : prev->offset_bytes + prev->bytes == offset_bytes
 *   next == NULL ? offset_bytes + bytes == root->bytes : next->prev == this
 *   free (requested_bytes == 0): holder == NULL and, but for the one the arena keeps, in the index without free neighbours
 *   in use: 0 < requested_bytes <= bytes, and in no index */
struct wi_range {
    uint64_t offset_bytes; /* within the root */
    uint64_t bytes;
    uint64_t requested_bytes; /* 0: free */
    wi_arena_root *root;
    wi_range *prev, *next;  /* neighbours; next links unused metadata */
    wi_range *left, *right; /* links of the index, while free */
    void *holder;           /* of a range in use; NULL: none */
    uint32_t priority;      /* random, set once: shapes the trees of the index */
    uint32_t size_class;    /* while free, of the index that has classes */
    uint32_t used_by; /* see wi_uses; in use: as it was handed out, or what holds once it is free */
    uint64_t used_until;
};

/* Orders that roots are kept in (root_index.h). */
enum { WI_BY_USE, WI_BY_SHARE, WI_ROOT_ORDERS };

/* A root's links in a heap. */
typedef struct wi_root_link {
    wi_arena_root *child; /* the first */
    wi_arena_root *next;  /* the next of the parent's children */
    wi_arena_root *prev;  /* the one before; of a first child the parent; of a top NULL */
    uint64_t key;         /* smaller ones come first */
} wi_root_link;

/* A root the arena holds.
 * Invariants: sum of its ranges' bytes == bytes; sum of those in use == used_bytes;
 *             used_bytes == 0 ? first is its only range : used_bytes <= bytes */
struct wi_arena_root {
    uint64_t bytes;
    uint64_t used_bytes;
    wi_range *first;
    wi_arena_root *list_prev, *list_next; /* of those that have changed, or those that are aside */
    void *token;                          /* of the root source */
    uint64_t ordinal;                     /* rises with each root taken; never used twice */
    wi_arena_root *prev, *next;           /* the arena's roots, in the order they were taken */
    unsigned size_class : 10;             /* of its bytes */
    unsigned pool : 2;       /* which of the row's pools it belongs to; 0 in rows with one */
    unsigned is_changed : 1; /* see root_index.h */
    unsigned is_aside : 1;
    unsigned
        is_victim : 1; /* being emptied: its free ranges are not in the index; 0 between calls */
    unsigned is_spared : 1;         /* is not to be emptied in this call; 0 between calls */
    uint16_t heaps[WI_ROOT_ORDERS]; /* that it is in, see root_index.h */
    wi_root_link links[]; /* one by use; a second one by share where blocks can be moved */
};

/* Metadata in chunks that live until the slab is emptied, when no root is left after a trim, so that a warm alloc and free ask for no host memory.
 * Invariant: unused_count == length of the list `unused`. */
typedef struct wi_range_slab {
    wi_range *unused;
    size_t unused_count;
    struct wi_range_chunk *chunks;
    size_t next_count; /* ranges in the next chunk */
    uint32_t random;   /* state of the priorities' generator; 0 before the first chunk */
} wi_range_slab;

/** Has at least `count` unused ranges ready; returns 0 if there is no host memory for that. */
int wi_range_slab_reserve(wi_range_slab *slab, size_t count);

/** Takes an unused range; one must be ready. Only its priority is set. */
static inline wi_range *wi_range_slab_take(wi_range_slab *slab)
{
    wi_range *range = slab->unused;

    assert(range != NULL);
    slab->unused = range->next;
    slab->unused_count--;
    return range;
}

/** Puts a range back. */
static inline void wi_range_slab_give(wi_range_slab *slab, wi_range *range)
{
    range->root = NULL;
    range->requested_bytes = 0;
    range->next = slab->unused;
    slab->unused = range;
    slab->unused_count++;
}

/** Frees all chunks, and with them every range. */
void wi_range_slab_fini(wi_range_slab *slab);

static inline int wi_range_is_free(const wi_range *range) { return range->requested_bytes == 0; }

/* For whom the arena works. Inline, for a warm request asks for all of it. */

/** Ties what a range is handed out for to it, for can_move() and move(); NULL until set and once it is free. */
static inline void wi_arena_set_holder(wi_range *range, void *holder) { range->holder = holder; }

static inline void *wi_range_get_holder(const wi_range *range) { return range->holder; }

/** Says who uses the range's bytes, once it is free or, in move(), the bytes that the range leaves. Without a call in
 * between they stay those of the placement. */
static inline void wi_arena_set_uses(wi_range *range, const wi_uses *uses)
{
    range->used_by = uses->queues;
    range->used_until = uses->until;
}

/** Where a range in use is now. */
static inline wi_placement wi_range_get_placement(const wi_range *range)
{
    return (wi_placement){.range = (wi_range *)range,
                          .root = range->root->token,
                          .offset_bytes = range->offset_bytes,
                          .bytes = range->bytes,
                          .uses = {.until = range->used_until, .queues = range->used_by}};
}

#endif
