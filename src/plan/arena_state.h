/* The inside of an arena, for arena.c, its check and the rules of strategies. */
#ifndef WI_PLAN_ARENA_STATE_H
#define WI_PLAN_ARENA_STATE_H

#include "plan/arena.h"
#include "plan/range.h"
#include "plan/root_index.h"

/* What growth rules remember between requests; all zero before the first root and after a trim that leaves none. */
typedef struct wi_growth {
    uint64_t next_root_bytes; /* wi_grow_doubling: size of the next root; 0: not begun */
    uint64_t limit_bytes;     /* wi_grow_to_limit: settled when the first root is taken */
    int limit_is_cut; /* wi_grow_to_limit: the driver refused a root, limit_bytes is what was got */
} wi_growth;

/* The most bytes in use lately: over the requests of this stretch and over those of the whole stretch before; and what
 * the row `adaptive` remembers of both. */
typedef struct wi_recent {
    uint64_t now_bytes;
    uint64_t before_bytes;
    uint32_t requests; /* of this stretch, below WI_STRETCH_REQUESTS */
    uint32_t
        trades; /* roots taken in this stretch though the need had not risen, less those that raised steps */
    uint32_t steps; /* by which the slack is raised */
} wi_recent;

#define WI_STRETCH_REQUESTS 8192u

/* An arena is a list of roots cut into ranges, and an index of the free ones.
 * Invariants (wi_arena_check):
 *   each root: see range.h
 *   index == the free ranges of all roots, each once, but for kept
 *   kept == NULL, or it is free, its root is not, and it may have free neighbours
 *   reserved_bytes == sum of root->bytes;   root_count == number of roots == acquired_count - released_count
 *   in_use_bytes == sum of root->used_bytes == sum of bytes of ranges in use
 *   requested_bytes == sum of requested_bytes of ranges in use;   requested_bytes <= in_use_bytes <= reserved_bytes
 *   unused_bytes == sum of root->bytes over roots with used_bytes == 0
 *   sizes and offsets are whole units;   root->bytes <= max_root_bytes
 *   in_use_bytes <= recent.now_bytes
 *   first_root ... last_root are in rising order of ordinal, each ordinal < next_ordinal
 *   roots: see root_index.h */
struct wi_arena {
    const wi_strategy *strategy;
    wi_root_source source;
    uint64_t unit_bytes; /* the larger of granule and the strategy's unit */
    uint64_t max_root_bytes;
    uint64_t default_limit_bytes;
    int has_limit;
    int was_refused; /* the last growth ended because the driver refused, not for a limit */
    int met_pinned; /* compaction for this request passed over a root with a block that has to stay */
    wi_growth growth;
    wi_recent recent;
    void *index;    /* state of strategy->ranges */
    wi_range *kept; /* freed last and not joined yet; NULL: none */
    wi_range_slab slab;
    wi_arena_root *first_root, *last_root;
    uint64_t next_ordinal;
    uint64_t requested_bytes;
    uint64_t reserved_bytes;
    uint64_t in_use_bytes;
    uint64_t unused_bytes;
    uint64_t root_count;
    uint64_t acquired_count;
    uint64_t released_count;
    uint64_t allocated_bytes; /* ever handed out */
    uint64_t compactions;
    uint64_t moved_bytes;
    wi_root_index roots; /* large, so that what each request needs lies together before it */
};

/* For arena.c: apart from wi_arena_alloc() and wi_arena_free(), which compilers would make longer for them. */

/** Allocates where the range that was freed last is not of the size. */
weir_status wi_arena_alloc_anew(wi_arena *arena, uint64_t rounded, uint64_t requested,
                                wi_range **out, weir_oom_cause *cause);

/** Frees where there is a range that was freed last, or where this one is not to become it. */
void wi_arena_free_anew(wi_arena *arena, wi_range *range);

/* For compact.c, which takes roots from arena->roots. */

/** Hands out a free range of the index, cut to `bytes` if the strategy wants it; what is left stays `range`. Returns what
 * is handed out. One unused range must be ready. */
wi_range *wi_arena_carve(wi_arena *arena, wi_range *range, uint64_t bytes, uint64_t requested);

/** Makes a range in use free, joined with free neighbours; returns the joined range, which is in the index as those are,
 * exactly if its root is no victim. */
wi_range *wi_arena_uncarve(wi_arena *arena, wi_range *range);

/** Gives a wholly free root back whose range is in the index. */
void wi_arena_return_root(wi_arena *arena, wi_arena_root *root);

#endif
