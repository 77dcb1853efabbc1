/* Rules of TensorFlow's BFC allocator: the rows `growth` (its allow_growth) and `prealloc` (its default).
 *
 * Constants and order of steps are the published ones (xla/tsl/framework/bfc_allocator.cc, gpu_device.cc), so that a
 * replayed trace shows what TensorFlow would have reserved. What OpenCL adds: no root passes the largest buffer of the
 * device, so `prealloc` takes several; and a size cut to nine tenths is rounded so that it always falls. The arena's
 * caller locks.
 */
#include "base/checked.h"
#include "plan/strategy_rules.h"

#define MIB (UINT64_C(1) << 20)
#define FIRST_ROOT_BYTES (2 * MIB)
#define SPLIT_EXCESS_BYTES (128 * MIB) /* a larger rest is never left inside a block */
#define SMALL_DEVICE_BYTES (2048 * MIB)
#define SMALL_RESERVE_BYTES (225 * MIB)
#define LARGE_RESERVE_BYTES (300 * MIB)

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Total minus 225 MiB below 2 GiB, else minus the larger of 300 MiB and 5 %; never under half. */
uint64_t wi_limit_reserve(uint64_t total_bytes)
{
    uint64_t reserve = SMALL_RESERVE_BYTES;

    if (total_bytes >= SMALL_DEVICE_BYTES)
        reserve = total_bytes / 20 > LARGE_RESERVE_BYTES ? total_bytes / 20 : LARGE_RESERVE_BYTES;
    return total_bytes - smaller(reserve, total_bytes / 2);
}

int wi_split_bfc(const wi_arena *arena, const wi_range *range, uint64_t bytes)
{
    const uint64_t excess = range->bytes - bytes;

    (void)arena;
    return excess >= bytes || excess >= SPLIT_EXCESS_BYTES;
}

/* Takes a root of `bytes`, or of nine tenths again and again, down to `least`. *got: its size; 0 on failure. */
static weir_status take_at_most(wi_arena *arena, uint64_t bytes, uint64_t least, uint64_t *got)
{
    weir_status status = wi_arena_take_root(arena, bytes, 0);

    *got = 0;
    while (status == WEIR_E_OUT_OF_MEMORY) {
        uint64_t less = bytes - bytes / 10;
        if (!wi_align_u64(less, arena->unit_bytes, &less) || less >= bytes)
            less = bytes - arena->unit_bytes;
        if (less < least || less == 0) return status;
        bytes = less;
        status = wi_arena_take_root(arena, bytes, 0);
    }
    if (status == WEIR_OK) *got = bytes;
    return status;
}

weir_status wi_grow_doubling(wi_arena *arena, uint64_t bytes)
{
    const uint64_t remaining = wi_arena_get_remaining(arena);
    uint64_t next = arena->growth.next_root_bytes;
    uint64_t got = 0;
    int was_raised = 0;
    weir_status status;

    if (bytes > remaining) return WEIR_E_OUT_OF_MEMORY;
    if (next == 0 && !wi_align_u64(smaller(remaining, FIRST_ROOT_BYTES), arena->unit_bytes, &next))
        next = bytes;
    while (next < bytes) {
        next = next <= UINT64_MAX / 2 ? next * 2 : bytes;
        was_raised = 1;
    }
    status =
        take_at_most(arena, smaller(smaller(next, remaining), arena->max_root_bytes), bytes, &got);
    if (status != WEIR_OK) return status;
    if (!was_raised && next <= UINT64_MAX / 2) next *= 2;
    arena->growth.next_root_bytes = next;
    return WEIR_OK;
}

weir_status wi_grow_to_limit(wi_arena *arena, uint64_t bytes)
{
    wi_growth *growth = &arena->growth;
    uint64_t left = wi_arena_get_remaining(arena);
    uint64_t least = bytes; /* a request that is served already needs no smaller root */

    if (arena->root_count == 0) *growth = (wi_growth){.limit_bytes = left};
    left = smaller(left, growth->limit_bytes - arena->reserved_bytes);
    if (bytes > left) {
        arena->was_refused = growth->limit_is_cut;
        return WEIR_E_OUT_OF_MEMORY;
    }
    while (left >= arena->unit_bytes) {
        const uint64_t wanted = smaller(left, arena->max_root_bytes);
        uint64_t got = 0;
        weir_status status = take_at_most(arena, wanted, least, &got);
        if (status != WEIR_OK && (status != WEIR_E_OUT_OF_MEMORY || least == bytes)) return status;
        if (got < wanted) {
            growth->limit_bytes = arena->reserved_bytes;
            growth->limit_is_cut = 1;
            break;
        }
        left -= got;
        least = UINT64_MAX;
    }
    return WEIR_OK;
}
