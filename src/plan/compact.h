/* Compaction: roots are emptied by moving their blocks into others. */
#ifndef WI_PLAN_COMPACT_H
#define WI_PLAN_COMPACT_H

#include "plan/arena.h"

typedef struct wi_arena_root wi_arena_root;

/** Empties the roots marked as victims, into free ranges of the others or into one new root, and unmarks them. All their
 * blocks have a place before the first is moved. Nothing goes back to the source but a new root that stayed empty.
 * new_most_bytes   the new root is no larger; 0: none is taken
 * Returns 1 if each of them is wholly free. */
int wi_compact_victims(wi_arena *arena, uint64_t new_most_bytes);

/** Returns 1 if a block of this root has to stay where it is. */
int wi_compact_has_pinned(const wi_arena *arena, const wi_arena_root *root);

/** Empties roots so that a request of `bytes` fits, in one of them or when they are given back; those whose blocks take
 * the fewest bytes to move. Returns 1 if they are empty; 0 if that cannot be. */
int wi_compact_for(wi_arena *arena, uint64_t bytes);

/** Returns 1 if wi_compact_for() would succeed if no block had to stay. Moves nothing. */
int wi_compact_is_pinned(wi_arena *arena, uint64_t bytes);

#endif
