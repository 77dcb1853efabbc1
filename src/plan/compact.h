/* Compaction: roots are emptied by moving their blocks into others. */
#ifndef WI_PLAN_COMPACT_H
#define WI_PLAN_COMPACT_H

#include "plan/arena.h"

/* What roots are emptied for, and at what price. */
typedef struct wi_compaction {
    uint64_t bytes;           /* the request */
    uint64_t room_bytes;      /* may be taken in new roots, for it and for what is moved */
    uint64_t move_most_bytes; /* in one pass */
    unsigned tries_most;      /* passes that find no place for some block */
    unsigned
        pinned_most; /* roots that are passed over in one search for a block that has to stay */
} wi_compaction;

/** Empties roots so that the request fits, in one of them or when they are given back; those whose blocks take the fewest
 * bytes to move. Returns 1 if they are empty; 0 if that cannot be. */
int wi_compact_within(wi_arena *arena, const wi_compaction *wanted);

/** Empties the root that is cheapest to empty, whatever its size, and gives all wholly free roots back. Returns 1 if less
 * is reserved then; 0 if no root can be emptied, or hardly anything would be gained. */
int wi_compact_gain(wi_arena *arena);

/** As wi_compact_within() for a request that fails otherwise, in what remains, at any price; where that cannot be done in
 * one pass, as wi_compact_gain(), for the next call to go on from. Waits for roots that are given back. */
int wi_compact_for(wi_arena *arena, uint64_t bytes);

/** Returns 1 if wi_compact_for(), which failed, would succeed if no block had to stay. Moves nothing. */
int wi_compact_is_pinned(wi_arena *arena, uint64_t bytes);

#endif
