/* Rules of PyTorch's caching allocator: the row `ondemand`.
 *
 * Constants and order of steps are the published ones (c10/cuda/CUDACachingAllocator.cpp), so that a replayed trace shows
 * what PyTorch would have reserved. Small blocks and large ones have pools of their own, whose segments serve no others:
 * a small block never pins a large segment. Within a pool the smallest range that fits is taken, ties going to the older
 * root (PyTorch: the lower address) and then the lower offset. A request that finds no range takes one segment; if that
 * is refused, the segments that are wholly free go back and it is asked for once more. What OpenCL adds: no segment
 * passes the largest buffer of the device. The arena's caller locks.
 */
#include "base/checked.h"
#include "plan/range_tree.h"
#include "plan/strategy_rules.h"

#define MIB (UINT64_C(1) << 20)
#define SMALL_SEGMENT_BYTES (2 * MIB) /* for blocks of at most WI_SMALL_BYTES */
#define MEDIUM_SEGMENT_BYTES (20 * MIB)
#define LARGE_BYTES (10 * MIB)     /* blocks from here on have segments of their own size ... */
#define LARGE_STEP_BYTES (2 * MIB) /* ... rounded up to this */
#define SMALL_REST_BYTES 512u      /* rests from here on are cut off */
#define LARGE_REST_BYTES (1 * MIB) /* rests above this are cut off */

weir_status wi_grow_segments(wi_arena *arena, uint64_t bytes)
{
    uint64_t segment = bytes;

    if (wi_pool_of(bytes) == WI_POOL_SMALL)
        segment = SMALL_SEGMENT_BYTES;
    else if (bytes < LARGE_BYTES)
        segment = MEDIUM_SEGMENT_BYTES;
    else if (!wi_align_u64(bytes, LARGE_STEP_BYTES, &segment))
        segment = arena->max_root_bytes;
    if (!wi_align_u64(segment, arena->unit_bytes, &segment) || segment > arena->max_root_bytes)
        segment = arena->max_root_bytes;
    if (segment > wi_arena_get_remaining(arena)) return WEIR_E_OUT_OF_MEMORY;
    return wi_arena_take_root(arena, segment, wi_pool_of(bytes));
}

int wi_split_segments(const wi_arena *arena, const wi_range *range, uint64_t bytes)
{
    const uint64_t rest = range->bytes - bytes;

    (void)arena;
    return range->root->pool == WI_POOL_SMALL ? rest >= SMALL_REST_BYTES : rest > LARGE_REST_BYTES;
}

/* Invariant: trees[p] == the free ranges of the roots of pool p. */
typedef struct segments {
    wi_range_tree trees[WI_POOL_ALONE];
} segments;

static void insert(void *state, wi_range *range)
{
    segments *all = state;

    wi_range_tree_insert(&all->trees[range->root->pool], range);
}

static void remove_range(void *state, wi_range *range)
{
    segments *all = state;

    wi_range_tree_remove(&all->trees[range->root->pool], range);
}

static wi_range *find(const void *state, uint64_t bytes)
{
    const segments *all = state;

    return wi_range_tree_find(&all->trees[wi_pool_of(bytes)], bytes);
}

static wi_range *largest(const void *state)
{
    const segments *all = state;
    wi_range *best = NULL;

    for (unsigned pool = 0; pool < WI_POOL_ALONE; ++pool) {
        wi_range *last = wi_range_tree_last(&all->trees[pool]);
        if (best == NULL || (last != NULL && last->bytes > best->bytes)) best = last;
    }
    return best;
}

static wi_range *after(const void *state, const wi_range *range)
{
    const segments *all = state;
    const unsigned first = range != NULL ? range->root->pool : 0;
    wi_range *next = NULL;

    for (unsigned pool = first; pool < WI_POOL_ALONE && next == NULL; ++pool)
        next = wi_range_tree_after(&all->trees[pool], pool == first ? range : NULL);
    return next;
}

static const char *check(const void *state, const wi_range *range)
{
    const segments *all = state;

    return wi_range_tree_check(&all->trees[range->root->pool], range);
}

const wi_range_index wi_segments_index = {
    .state_bytes = sizeof(segments),
    .insert = insert,
    .remove = remove_range,
    .find = find,
    .largest = largest,
    .after = after,
    .check = check,
};
