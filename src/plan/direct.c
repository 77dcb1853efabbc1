/* Rules of the row `direct`: a root for every block, as a program without a pool would do. The arena's caller locks. */
#include "plan/strategy_rules.h"

uint64_t wi_limit_whole(uint64_t total_bytes) { return total_bytes; }

weir_status wi_grow_exact(wi_arena *arena, uint64_t bytes)
{
    if (bytes > wi_arena_get_remaining(arena)) return WEIR_E_OUT_OF_MEMORY;
    return wi_arena_take_root(arena, bytes, 0);
}

int wi_split_never(const wi_arena *arena, const wi_range *range, uint64_t bytes)
{
    (void)arena;
    (void)range;
    (void)bytes;
    return 0;
}

void wi_return_at_once(wi_arena *arena, wi_arena_root *root) { wi_arena_return_root(arena, root); }
