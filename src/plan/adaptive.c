/* Rules of weir's own strategy, the row `adaptive`: what the driver gives follows what blocks in use need.
 *
 * The need is the most bytes in use lately, the pending request included; roots may add up to it and a slack of 1/48.
 * Within that, roots that fall free are kept, so that a loop asks nothing of the driver from its second turn on; beyond
 * it they go back at once, and before a new root would pass it the free ones make room. So no peak leaves a tail longer
 * than two stretches of requests, and reserved stays near the peak even when sizes change from turn to turn.
 *
 * A block of 1/64 of the need or more has a root of its own size: such roots are free as a whole when their block is, and
 * can be traded for others. It is not opened for a block of less than 1/16 of it, which would pin the rest (good_fit.c).
 * Smaller blocks share roots of 1/64 of the need, those of up to 1 MiB roots of 1/512, in powers of two: few calls of
 * the driver, and a root that one late block pins is no more than that share. The fractions are those that did best, by
 * reserved / peak and calls of the driver together, on the recorded traces and on made ones with shapes that vary; half or
 * twice of each is little worse. The arena's caller locks.
 */
#include "base/checked.h"
#include "plan/strategy_rules.h"

#define MIB (UINT64_C(1) << 20)
#define SLACK_SHARE 48u
#define SLACK_LEAST_BYTES (16 * MIB)
#define ROOT_SHARE 64u
#define SMALL_ROOT_SHARE 512u
#define ROOT_LEAST_BYTES (2 * MIB)

/* Returns the most bytes that were in use lately, or will be with `bytes` more. */
static uint64_t need_with(const wi_arena *arena, uint64_t bytes)
{
    uint64_t need = arena->in_use_bytes + bytes;

    if (need < arena->recent.now_bytes) need = arena->recent.now_bytes;
    if (need < arena->recent.before_bytes) need = arena->recent.before_bytes;
    return need;
}

/* Returns what roots may add up to for a need. */
static uint64_t enough_for(uint64_t need)
{
    const uint64_t slack = need / SLACK_SHARE;
    uint64_t enough;

    if (!wi_add_u64(need, slack > SLACK_LEAST_BYTES ? slack : SLACK_LEAST_BYTES, &enough))
        return UINT64_MAX;
    return enough;
}

/* Returns the size of roots that blocks share: a power of two. */
static uint64_t shared_root(uint64_t need, unsigned pool)
{
    const uint64_t share = need / (pool == WI_POOL_SMALL ? SMALL_ROOT_SHARE : ROOT_SHARE);
    uint64_t root = ROOT_LEAST_BYTES;

    while (root <= share / 2) root *= 2;
    return root;
}

weir_status wi_grow_to_need(wi_arena *arena, uint64_t bytes)
{
    uint64_t remaining = wi_arena_get_remaining(arena);
    unsigned pool = wi_pool_of(bytes);
    weir_status status = WEIR_E_OUT_OF_MEMORY;
    uint64_t enough;
    uint64_t root;

    if (bytes > remaining && bytes - remaining > arena->unused_bytes) return status;
    enough = enough_for(need_with(arena, bytes));
    root = shared_root(need_with(arena, bytes), pool);
    if (bytes >= root) {
        root = bytes;
        if (pool == WI_POOL_LARGE) pool = WI_POOL_ALONE;
    }
    if (root > arena->max_root_bytes) root = arena->max_root_bytes;
    if (arena->reserved_bytes > enough || root > enough - arena->reserved_bytes)
        wi_arena_return_roots(arena, enough > root ? enough - root : 0);
    remaining = wi_arena_get_remaining(arena);
    if (root <= remaining) status = wi_arena_take_root(arena, root, pool);
    if (status == WEIR_E_OUT_OF_MEMORY && bytes < root && bytes <= remaining)
        status = wi_arena_take_root(arena, bytes, pool);
    return status;
}

int wi_split_always(const wi_arena *arena, const wi_range *range, uint64_t bytes)
{
    (void)arena;
    (void)range;
    (void)bytes;
    return 1;
}

int wi_give_back_beyond_need(const wi_arena *arena, const wi_arena_root *root)
{
    (void)root;
    return arena->reserved_bytes > enough_for(need_with(arena, 0));
}

void wi_settle_to_need(wi_arena *arena)
{
    wi_arena_return_roots(arena, enough_for(need_with(arena, 0)));
}
