/* Rules of weir's own strategy, the row `adaptive`: what the driver gives follows what blocks in use need.
 *
 * The need is the most bytes in use lately, the pending request included; roots may add up to it and a slack: 1/128 where
 * blocks can be moved, else 1/48, and in small pools as much as is needed, from 3 to 16 MiB. Within that, roots that fall
 * free are kept, so that a loop asks nothing of the driver from its second turn on; beyond it they go back at once. Before
 * a new root would pass it, roots that are worth it are emptied (compact.c) and free ones go back. So no peak leaves a tail
 * longer than two stretches of requests, and reserved stays near the peak even when sizes change from turn to turn.
 *
 * Sizes may change so that one free root is traded for another again and again. Roots that are taken though the need did
 * not rise are counted: more than a few in a hundred requests raise the slack by steps, to a third of the need at most,
 * and it falls when they become rare. Bytes are moved within a share of those handed out.
 *
 * A block of more than half a shared root has a root of its own size: such roots are free as a whole when their block is,
 * and can be traded for others. It is not opened for a block of less than 1/64 of it, which would pin the rest
 * (good_fit.c). Others share roots of 1/64 of the need, in small pools of 1/8 up to 8 MiB, cut to a multiple of the block
 * so that blocks of one size leave no rest; those of up to 1 MiB roots of 1/512 and 1/4. The fractions are those that did
 * best, by reserved / peak, calls of the driver and bytes moved together, on the recorded traces and on made ones with
 * shapes that vary; half or twice of each is little worse.
 *
 * Near the limit bytes are moved at any price, but moving takes a free place: 1/64 of the limit is kept for that, and shared
 * roots are no larger, so that one can be emptied when little else is free. The arena's caller locks.
 */
#include "base/checked.h"
#include "plan/compact.h"
#include "plan/strategy_rules.h"

#define MIB (UINT64_C(1) << 20)
#define SLACK_SHARE_MOVING 128u
#define SLACK_SHARE_FIXED 48u
#define SLACK_LEAST_BYTES (3 * MIB)
#define SLACK_SMALL_BYTES (16 * MIB)
#define SLACK_SHARE_MOST 3u /* of the need, when roots are traded too often */
#define SMALL_POOL_ROOT_BYTES (8 * MIB)
#define ROOT_LEAST_BYTES (2 * MIB)
#define TRADES_AT_ONCE 48u /* in a stretch */
#define TRADES_SHARE 40u   /* and one for so many requests */
#define TRADES_A_STEP 16u  /* more raise the slack by a step */
#define STEPS_MOST 64u
#define MOVED_SHARE 16u     /* of the bytes handed out */
#define MOVED_TIMES_MOST 4u /* the request, for one request */
#define TRIES_MOST 4u
#define PINNED_MOST 32u /* roots that are passed over for blocks that have to stay */
#define LIMIT_SHARE 64u /* of the limit: most for a shared root; as much is kept for moving */
#define UNITS_LEAST 16u /* in a shared root */
#define GAINS_MOST 64u  /* passes before a root is taken */

/* Roots that blocks share are at least so many parts of the need, in small pools so many others. */
static const struct root_share {
    unsigned of_need, of_small_pool;
} root_shares[] = {[WI_POOL_LARGE] = {64, 8}, [WI_POOL_SMALL] = {512, 4}};

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns the most bytes that were in use lately. */
static uint64_t recent_most(const wi_arena *arena)
{
    return larger(arena->recent.now_bytes, arena->recent.before_bytes);
}

/* Returns what roots may add up to for a need. */
static uint64_t enough_for(const wi_arena *arena, uint64_t need)
{
    const unsigned share =
        arena->source.begin_moves != NULL ? SLACK_SHARE_MOVING : SLACK_SHARE_FIXED;
    const uint64_t least = smaller(larger(need, SLACK_LEAST_BYTES), SLACK_SMALL_BYTES);
    uint64_t slack = larger(need / share, least);
    uint64_t enough;

    if (arena->recent.steps != 0)
        slack = larger(slack,
                       smaller(slack + slack / 2 * arena->recent.steps, need / SLACK_SHARE_MOST));
    return wi_add_u64(need, slack, &enough) ? enough : UINT64_MAX;
}

/* Returns what may still be taken, in whole units. */
static uint64_t room_of(const wi_arena *arena, uint64_t enough)
{
    const uint64_t room = enough > arena->reserved_bytes ? enough - arena->reserved_bytes : 0;

    return smaller(room & ~(arena->unit_bytes - 1), wi_arena_get_remaining(arena));
}

/* Returns what is kept free of the limit where blocks can be moved: without a place that is free none can be. */
static uint64_t spare_of(const wi_arena *arena)
{
    uint64_t limit;

    if (arena->source.begin_moves == NULL) return 0;
    if (!wi_add_u64(arena->reserved_bytes, wi_arena_get_remaining(arena), &limit))
        limit = UINT64_MAX;
    return limit / LIMIT_SHARE;
}

/* Returns the size of a root for a block of `bytes`, whatever room there is. */
static uint64_t root_for(const wi_arena *arena, uint64_t need, uint64_t bytes, unsigned pool)
{
    const struct root_share *share = &root_shares[pool];
    const uint64_t spare = spare_of(arena);
    const uint64_t shared_most = spare != 0 ? spare : UINT64_MAX;
    const uint64_t most = smaller(
        larger(need / share->of_need, smaller(need / share->of_small_pool, SMALL_POOL_ROOT_BYTES)),
        shared_most);
    uint64_t root = ROOT_LEAST_BYTES;

    while (root <= most / 2) root *= 2;
    while (root > shared_most && root / 2 >= UNITS_LEAST * arena->unit_bytes) root /= 2;
    if (root < ROOT_LEAST_BYTES) return bytes > root / 2 ? bytes : root;
    if (pool == WI_POOL_SMALL || root == ROOT_LEAST_BYTES) return larger(bytes, root);
    return bytes > root / 2 ? bytes : root / bytes * bytes;
}

/* Where taking `bytes` would leave too little of the limit to move blocks to, roots are emptied first: once nothing is
 * left, no block could be moved, however many bytes were free in all. */
static void gain_before(wi_arena *arena, uint64_t bytes, uint64_t root)
{
    const uint64_t remaining = wi_arena_get_remaining(arena);
    const uint64_t before = arena->reserved_bytes;
    uint64_t wanted;

    if (!wi_add_u64(larger(bytes, root), spare_of(arena), &wanted)) return;
    for (unsigned i = 0; i < GAINS_MOST && arena->unused_bytes == 0 &&
                         remaining < wanted && /* what was given back may still be counted */
                         before - arena->reserved_bytes < wanted - remaining &&
                         arena->strategy->ranges->find(arena->index, bytes) == NULL;
         ++i) {
        if (!wi_compact_gain(arena)) break;
    }
}

/* Counts the roots that are taken though the need did not rise; too many raise the slack. */
static void note_trade(wi_recent *recent)
{
    recent->trades++;
    if (recent->trades <= TRADES_AT_ONCE + recent->requests / TRADES_SHARE) return;
    recent->trades -= TRADES_A_STEP;
    if (recent->steps < STEPS_MOST) recent->steps++;
}

/* Empties roots in place of taking one, if that is worth it. */
static void compact_within(wi_arena *arena, uint64_t bytes, uint64_t room)
{
    const uint64_t budget = arena->allocated_bytes / MOVED_SHARE;
    wi_compaction wanted = {
        .bytes = bytes, .room_bytes = room, .tries_most = TRIES_MOST, .pinned_most = PINNED_MOST};

    if (budget <= arena->moved_bytes) return;
    wanted.move_most_bytes =
        smaller(budget - arena->moved_bytes,
                bytes <= UINT64_MAX / MOVED_TIMES_MOST ? bytes * MOVED_TIMES_MOST : UINT64_MAX);
    (void)wi_compact_within(arena, &wanted);
}

/* Takes a root of `root` bytes, or one for the block alone. */
static weir_status take_root(wi_arena *arena, uint64_t root, uint64_t bytes, unsigned pool)
{
    const int is_rising = arena->in_use_bytes + bytes > recent_most(arena);
    const uint64_t remaining = wi_arena_get_remaining(arena);
    weir_status status = WEIR_E_OUT_OF_MEMORY;

    if (root <= remaining)
        status = wi_arena_take_root(arena, root,
                                    pool == WI_POOL_LARGE && root == bytes ? WI_POOL_ALONE : pool);
    if (status == WEIR_E_OUT_OF_MEMORY && bytes < root && bytes <= remaining)
        status = wi_arena_take_root(arena, bytes, pool == WI_POOL_LARGE ? WI_POOL_ALONE : pool);
    if (status == WEIR_OK && !is_rising) note_trade(&arena->recent);
    return status;
}

weir_status wi_grow_to_need(wi_arena *arena, uint64_t bytes)
{
    const unsigned pool = wi_pool_of(bytes);
    const uint64_t need = larger(arena->in_use_bytes + bytes, recent_most(arena));
    const uint64_t enough = enough_for(arena, need);
    const uint64_t root = smaller(root_for(arena, need, bytes, pool), arena->max_root_bytes);
    const uint64_t spare = spare_of(arena);
    uint64_t remaining;
    uint64_t room;

    gain_before(arena, bytes, root);
    if (arena->strategy->ranges->find(arena->index, bytes) != NULL) return WEIR_OK;
    remaining = wi_arena_get_remaining(arena);
    room = room_of(arena, enough);
    if (bytes > remaining && bytes - remaining > arena->unused_bytes) return WEIR_E_OUT_OF_MEMORY;
    if (bytes > room) {
        if (arena->unused_bytes < bytes - room) {
            compact_within(arena, bytes, room);
            if (arena->strategy->ranges->find(arena->index, bytes) != NULL) return WEIR_OK;
        }
        wi_arena_return_roots(arena, enough > root ? enough - root : 0);
        room = room_of(arena, enough);
    }
    remaining = wi_arena_get_remaining(arena);
    if (remaining < spare || smaller(root, room) > remaining - spare) room = bytes;
    return take_root(arena, larger(bytes, smaller(root, room)), bytes, pool);
}

int wi_split_always(const wi_arena *arena, const wi_range *range, uint64_t bytes)
{
    (void)arena;
    (void)range;
    (void)bytes;
    return 1;
}

/* A pool that is emptied as a whole keeps no more than the slack of a small one: nobody may come back for the rest. */
static uint64_t keep_of(const wi_arena *arena)
{
    const uint64_t enough = enough_for(arena, recent_most(arena));

    return arena->in_use_bytes != 0 ? enough : smaller(enough, SLACK_SMALL_BYTES);
}

void wi_return_beyond_need(wi_arena *arena, wi_arena_root *root)
{
    (void)root;
    wi_arena_return_roots(arena, keep_of(arena));
}

void wi_settle_to_need(wi_arena *arena)
{
    wi_recent *recent = &arena->recent;

    if (recent->trades < WI_STRETCH_REQUESTS / TRADES_SHARE / 4 && recent->steps > 0)
        recent->steps--;
    recent->trades = 0;
    wi_arena_return_roots(arena, enough_for(arena, recent_most(arena)));
}
