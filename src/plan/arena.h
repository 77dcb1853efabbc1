/* Placement of blocks over the roots of one pool, by arithmetic alone.
 *
 * An arena asks a root source for roots, large contiguous ranges, and hands out ranges inside them. It never touches
 * memory: roots are opaque tokens. Which root size is asked for next, how a free range is chosen and split, when a
 * root goes back and what is tried before giving up are rules of its strategy (strategy.h).
 *
 * Thread: one thread at a time; the pool locks.
 */
#ifndef WI_PLAN_ARENA_H
#define WI_PLAN_ARENA_H

#include "plan/strategy.h"

#include <weir/status.h>
#include <weir/text.h>

#include <stdint.h>

typedef struct wi_arena wi_arena;
typedef struct wi_range wi_range; /* a piece of a root, free or in use */

/* Who may still use bytes that are free, as the arena's caller understands it: a set of queues, and a number beyond which
 * none of them uses the bytes. Where ranges are joined, sets are united and the larger number holds. */
typedef struct wi_uses {
    uint64_t until;
    uint32_t queues; /* a bit each; 0: nobody */
} wi_uses;

typedef struct wi_placement {
    wi_range *range;       /* names the placement for wi_arena_free() */
    void *root;            /* token of the root source */
    uint64_t offset_bytes; /* within the root; a multiple of the granule */
    uint64_t bytes;        /* handed out: >= what was asked for */
    wi_uses uses;          /* of these bytes by those who had them before */
} wi_placement;

/* Where roots come from. `user` is passed to each call. */
typedef struct wi_root_source {
    void *user;
    /* Takes a root of exactly `bytes`. OK and a token; OUT_OF_MEMORY (nothing recorded) if the driver refuses, then
     * smaller tries may follow; any other status is recorded and ends the request. */
    weir_status (*acquire)(void *user, uint64_t bytes, void **root);
    /* Gives a root back. It may stay counted by `available` until queued commands have ended. */
    void (*release)(void *user, void *root, uint64_t bytes);
    /* Bytes that may still be acquired under the limit; UINT64_MAX without a limit. */
    uint64_t (*available)(void *user);
    /* Waits for commands whose end would raise `available`; returns 1 if it rose. NULL: nothing ever pends. */
    int (*drain)(void *user);

    /* For moving blocks, when the strategy compacts; all are called inside wi_arena_alloc(), and none of them calls the
     * arena but for wi_arena_set_uses(), wi_range_get_holder() and wi_range_get_placement(). */

    /* 1: until end_moves() nobody uses a block that may be moved; 0: not now. NULL: blocks are never moved. */
    int (*begin_moves)(void *user);
    void (*end_moves)(void *user);
    /* 0: this range has to stay where it is. Also called before begin_moves(). NULL: all may be moved. */
    int (*can_move)(void *user, const wi_range *range);
    /* Copies the range's bytes to its place to be, in another root, and tells its holder. to->range is not for the
     * holder: the range stays the same object. to->uses is who may still use the bytes there; who uses those that are
     * left is said by wi_arena_set_uses(). On failure it stays where it is, and the request goes on without; nothing
     * is left recorded. */
    weir_status (*move)(void *user, wi_range *range, const wi_placement *to);
} wi_root_source;

typedef struct wi_arena_options {
    uint64_t granule_bytes;  /* every size is rounded up to it; a power of two >= 256 */
    uint64_t max_root_bytes; /* no root is larger; rounded down to the granule by the arena */
    uint64_t total_bytes;    /* the device's memory; strategies take default sizes from it */
    int has_limit; /* 1: `available` is a limit the user set; 0, or UINT64_MAX available: the strategy's
                              * default limit holds for the bytes this arena holds */
} wi_arena_options;

/* requested <= in_use <= reserved. Counts since creation. */
typedef struct wi_arena_stats {
    uint64_t requested_bytes;
    uint64_t in_use_bytes;
    uint64_t
        reserved_bytes; /* bytes in roots the arena holds (those released to the source are not counted here) */
    uint64_t largest_free_bytes;
    uint64_t free_bytes; /* reserved - in_use */
    uint64_t root_count;
    uint64_t acquired_count; /* roots ever taken */
    uint64_t released_count;
    uint64_t compactions; /* times that blocks were moved */
    uint64_t moved_bytes; /* by these, in sizes handed out */
    uint64_t
        cut_limit_bytes; /* what was got when the source refused `prealloc` the rest; 0: it did not */
} wi_arena_stats;

/** Makes an arena. Takes no root yet.
 * strategy   borrowed, must outlive the arena; options and source are copied
 * Errors: ARG, HOST_MEMORY. */
weir_status wi_arena_create(const wi_strategy *strategy, const wi_arena_options *options,
                            const wi_root_source *source, wi_arena **out);

/** Releases every root, used or not, and frees the arena. NULL is allowed. */
void wi_arena_destroy(wi_arena *arena);

/** Places `bytes` (> 0).
 * out     where they are: see wi_range_get_placement() in range.h; the arena's; NULL on failure
 * cause   set on OUT_OF_MEMORY, which is not recorded: the pool knows owners and records; NONE otherwise
 *           max_alloc   rounded, the request is larger than the largest root
 *           pinned      moving blocks would make room, but for some that have to stay
 *           fragmented  that many bytes are free, but in no single range
 *           driver      the limit left room, the driver refused
 *           limit       anything else
 * Errors: OUT_OF_MEMORY, HOST_MEMORY, ARG, what the source records. Nothing changed on failure, but for roots that a
 *         failed search for space gave back and blocks that it moved. */
weir_status wi_arena_alloc(wi_arena *arena, uint64_t bytes, wi_range **out, weir_oom_cause *cause);

/* What a range is handed out for, who uses it and where it is: see range.h. */

/** Frees a placement; joins free neighbours; gives the root back if the strategy says so. */
void wi_arena_free(wi_arena *arena, wi_range *range);

/** Gives wholly free roots back until at most keep_bytes are reserved or none is left to give. */
void wi_arena_trim(wi_arena *arena, uint64_t keep_bytes);

/** Gives wholly free roots back, the youngest first, until `bytes` went or none is left to give, if the strategy lends:
 * another arena under the same limit is about to let a request fail. Returns how much went. */
uint64_t wi_arena_lend(wi_arena *arena, uint64_t bytes);

void wi_arena_get_stats(const wi_arena *arena, wi_arena_stats *out);

/** Verifies every invariant of the arena; returns 1 or, after appending what is broken to `why` (may be NULL), 0. */
int wi_arena_check(const wi_arena *arena, weir_text *why);

#endif
