/* Compaction on numbers: which roots are emptied, where their blocks go, what stays. */
#include "arena_bench.h"
#include "plan/compact.h"
#include "plan/strategy_rules.h"

#include <weir/host_memory.h>

#include <criterion/criterion.h>

#include <stdlib.h>

TestSuite(arena_compact, .timeout = 120);

/* Roots as the test lays them out: taken by its own rule, given back never. */
static uint64_t root_bytes;

static weir_status grow_as_told(wi_arena *arena, uint64_t bytes)
{
    const uint64_t root = root_bytes != 0 ? root_bytes : bytes;

    if (root < bytes || root > wi_arena_get_remaining(arena)) return WEIR_E_OUT_OF_MEMORY;
    return wi_arena_take_root(arena, root, 0);
}

static wi_strategy told;

/* Opens an arena of such a row, where blocks can be moved. */
static void open_told(uint64_t limit)
{
    told = *wi_strategy_find("growth");
    told.grow = grow_as_told;
    told.splits = wi_split_always;
    told.failure_steps =
        WI_STEP_DRAIN | WI_STEP_RETURN | WI_STEP_COMPACT | WI_STEP_SEARCH | WI_STEP_GROW;
    fake_roots_init(&it.roots);
    it.is_movable = 1;
    open_row(&told, limit, 64 * GIB);
}

/* Takes a root that `bytes` in `count` blocks fill. */
static void fill_root(uint64_t bytes, unsigned count, fake_block **blocks)
{
    root_bytes = bytes;
    for (unsigned i = 0; i < count; ++i) blocks[i] = place_block(bytes / count);
    cr_assert_eq(stats().free_bytes, 0U);
    root_bytes = 0;
}

static uint64_t root_of(const fake_block *block) { return fake_roots_number(block->at.root); }

Test(arena_compact, empties_a_root_into_holes_of_others)
{
    fake_block *first[4];
    fake_block *second[4];

    open_told(8 * MIB);
    fill_root(4 * MIB, 4, first);
    fill_root(4 * MIB, 4, second);
    free_block(first[1]);
    free_block(first[2]);
    free_block(second[0]);
    free_block(second[2]); /* two holes of 1 MiB there, one of 2 MiB here */
    place_at(3 * MIB, 1, 0, 3 * MIB);
    cr_assert_eq(root_of(first[0]), 2U);
    cr_assert_eq(root_of(first[3]), 2U);
    cr_assert_eq(first[0]->moves + first[3]->moves, 2U);
    cr_assert_eq(second[1]->moves + second[3]->moves, 0U);
    cr_assert_eq(stats().compactions, 1U);
    cr_assert_eq(stats().moved_bytes, 2 * MIB);
    cr_assert_eq(it.roots.pass_count, 1U);
    cr_assert_eq(it.roots.take_count, 2U);
    check();
    free_block(first[0]);
    free_block(first[3]);
    free_block(second[1]);
    free_block(second[3]);
    close_arena();
}

Test(arena_compact, gives_emptied_roots_back_when_one_does_not_suffice)
{
    fake_block *blocks[3][4];

    open_told(12 * MIB);
    for (int i = 0; i < 3; ++i) fill_root(4 * MIB, 4, blocks[i]);
    for (int i = 0; i < 3; ++i)
        for (int k = i == 2; k < 3; ++k) free_block(blocks[i][k]); /* 1, 1 and 2 MiB are left */
    (void)place(8 * MIB);
    cr_assert_eq(root_of(blocks[0][3]), 3U);
    cr_assert_eq(root_of(blocks[1][3]), 3U);
    cr_assert_eq(it.roots.asked[3], 8 * MIB);
    cr_assert_eq(stats().moved_bytes, 2 * MIB);
    cr_assert_eq(stats().reserved_bytes, 12 * MIB);
    cr_assert_eq(stats().in_use_bytes, 12 * MIB);
    close_arena();
}

Test(arena_compact, moves_into_a_new_root_that_the_limit_still_holds)
{
    fake_block *blocks[8];

    open_told(10 * MIB);
    fill_root(8 * MIB, 8, blocks);
    for (int i = 0; i < 8; ++i)
        if (i % 4 != 0) free_block(blocks[i]); /* 2 of 8 MiB, holes of 3 */
    place_at(8 * MIB, 1, 0, 8 * MIB);
    cr_assert_eq(it.roots.asked[1], 2 * MIB);
    cr_assert_eq(it.roots.peak_bytes, 10 * MIB);
    cr_assert_eq(root_of(blocks[0]), 2U);
    cr_assert_eq(root_of(blocks[4]), 2U);
    refuse(256, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena_compact, takes_no_new_root_that_the_limit_does_not_hold)
{
    fake_block *blocks[8];

    open_told(9 * MIB);
    fill_root(8 * MIB, 8, blocks);
    for (int i = 0; i < 8; ++i)
        if (i % 4 != 0) free_block(blocks[i]);
    refuse(6 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_FRAGMENTED);
    cr_assert_eq(it.roots.ask_count, 1U);
    cr_assert_eq(it.roots.move_count, 0U);
    cr_assert_eq(it.roots.pass_count, 0U);
    close_arena();
}

Test(arena_compact, takes_the_root_that_is_cheapest_to_empty)
{
    static const unsigned left[] = {3, 1, 2}; /* blocks of 1 MiB that stay in each */
    fake_block *blocks[3][8];

    open_told(24 * MIB);
    for (int i = 0; i < 3; ++i) fill_root(8 * MIB, 8, blocks[i]);
    for (int i = 0; i < 3; ++i)
        for (unsigned k = 0; k < 8; ++k)
            if (k % 3 != 1 || k / 3 >= left[i]) free_block(blocks[i][k]);
    place_at(8 * MIB, 2, 0, 8 * MIB);
    cr_assert_eq(stats().moved_bytes, MIB);
    place_at(7 * MIB, 3, 0, 8 * MIB - MIB);
    cr_assert_eq(stats().moved_bytes, 3 * MIB);
    cr_assert_eq(stats().compactions, 2U);
    close_arena();
}

Test(arena_compact, moves_less_by_giving_small_roots_back_than_by_emptying_a_large_one)
{
    fake_block *large[8];
    fake_block *small[2][4];

    open_told(24 * MIB);
    fill_root(16 * MIB, 8, large);
    for (int i = 0; i < 2; ++i) fill_root(4 * MIB, 4, small[i]);
    free_block(large[3]);
    free_block(large[5]);
    for (int i = 0; i < 2; ++i)
        for (int k = 1; k < 4; ++k) free_block(small[i][k]);
    (void)place(8 * MIB);
    cr_assert_eq(stats().moved_bytes, 2 * MIB);
    cr_assert_eq(root_of(small[0][0]), 1U);
    cr_assert_eq(root_of(small[1][0]), 1U);
    cr_assert_eq(it.roots.release_count, 2U);
    close_arena();
}

Test(arena_compact, leaves_roots_with_pinned_blocks)
{
    fake_block *first[4];
    fake_block *second[4];

    open_told(8 * MIB);
    fill_root(4 * MIB, 4, first);
    fill_root(4 * MIB, 4, second);
    for (int k = 1; k < 4; ++k) free_block(first[k]);
    free_block(second[0]);
    free_block(second[2]);
    first[0]->is_pinned = 1;
    place_at(4 * MIB, 2, 0, 4 * MIB); /* the cheaper one has to stay */
    cr_assert_eq(first[0]->moves, 0U);
    cr_assert_eq(root_of(second[1]), 1U);
    close_arena();
}

Test(arena_compact, passes_over_no_more_roots_with_pinned_blocks_than_it_may)
{
    wi_compaction wanted = {.bytes = 4 * MIB, .move_most_bytes = 8 * MIB, .tries_most = 4};
    fake_block *blocks[5][4];

    open_told(0);
    for (int i = 0; i < 5; ++i) fill_root(4 * MIB, 4, blocks[i]);
    for (int i = 0; i < 5; ++i)
        for (int k = 1; k < 4; ++k) free_block(blocks[i][k]);
    for (int i = 0; i < 3; ++i) blocks[i][0]->is_pinned = 1;
    wanted.pinned_most = 3;
    cr_assert_not(wi_compact_within(it.arena, &wanted));
    cr_assert_eq(it.roots.pass_count, 0U);
    check();
    wanted.pinned_most = 4;
    cr_assert(wi_compact_within(it.arena, &wanted));
    cr_assert_eq(blocks[3][0]->moves, 1U);
    close_arena();
}

Test(arena_compact, looks_for_nothing_where_all_that_is_free_does_not_suffice)
{
    fake_block *blocks[2][4];
    wi_compaction wanted = {.bytes = 5 * MIB,
                            .room_bytes = MIB - 256,
                            .move_most_bytes = UINT64_MAX,
                            .tries_most = 32,
                            .pinned_most = 32};

    open_told(0);
    for (int i = 0; i < 2; ++i) fill_root(4 * MIB, 4, blocks[i]);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 4; k += 2) free_block(blocks[i][k]); /* 4 MiB in all */
    cr_assert_not(wi_compact_within(it.arena, &wanted));
    cr_assert_eq(it.arena->roots.looks, 0U);
    wanted.room_bytes = MIB;
    (void)wi_compact_within(it.arena, &wanted);
    cr_assert_gt(it.arena->roots.looks, 0U);
    close_arena();
}

Test(arena_compact, names_pinned_blocks_as_the_cause)
{
    fake_block *first[4];
    fake_block *second[4];

    open_told(8 * MIB);
    fill_root(4 * MIB, 4, first);
    fill_root(4 * MIB, 4, second);
    for (int k = 1; k < 3; ++k) {
        free_block(first[k]);
        free_block(second[k]);
    }
    first[0]->is_pinned = second[3]->is_pinned = 1;
    refuse(3 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_PINNED);
    refuse(5 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT); /* would not fit without them either */
    cr_assert_eq(it.roots.pass_count, 0U);
    second[3]->is_pinned = 0;
    (void)place(3 * MIB);
    cr_assert_eq(first[0]->moves, 0U);
    cr_assert_eq(stats().moved_bytes, 2 * MIB);
    close_arena();
}

Test(arena_compact, leaves_blocks_where_a_move_failed)
{
    fake_block *first[4];
    fake_block *second[4];

    for (unsigned n = 1; n <= 2; ++n) {
        wi_arena_stats before;

        open_told(8 * MIB);
        fill_root(4 * MIB, 4, first);
        fill_root(4 * MIB, 4, second);
        free_block(first[1]);
        free_block(first[2]);
        free_block(second[0]);
        free_block(second[2]);
        before = stats();
        it.roots.fail_move_at = n;
        refuse(3 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_FRAGMENTED);
        cr_assert_eq(first[0]->moves + first[3]->moves, n - 1U);
        cr_assert_eq(stats().in_use_bytes, before.in_use_bytes);
        cr_assert_eq(stats().moved_bytes, (n - 1) * MIB);
        cr_assert_eq(stats().compactions, n - 1U);
        cr_assert_not(it.roots.is_moving);
        (void)place(3 * MIB);
        close_arena();
    }
}

Test(arena_compact, gives_a_new_root_back_when_no_move_succeeds)
{
    fake_block *blocks[8];

    open_told(10 * MIB);
    fill_root(8 * MIB, 8, blocks);
    for (int i = 0; i < 8; ++i)
        if (i % 4 != 0) free_block(blocks[i]);
    it.roots.fail_move_at = 1;
    refuse(8 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(it.roots.held_bytes, 8 * MIB);
    cr_assert_eq(stats().compactions, 0U);
    it.roots.refuse_count = 100; /* the driver has no new root */
    refuse(8 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    it.roots.refuse_count = 0;
    cr_assert_eq(stats().compactions, 0U);
    (void)place(8 * MIB);
    close_arena();
}

Test(arena_compact, fails_as_before_while_nothing_may_be_moved)
{
    fake_block *first[2];
    fake_block *second[2];

    open_told(4 * MIB);
    fill_root(2 * MIB, 2, first);
    fill_root(2 * MIB, 2, second);
    free_block(first[0]);
    free_block(second[1]);
    it.roots.no_moves = 1;
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_FRAGMENTED);
    it.roots.no_moves = 0;
    (void)place(2 * MIB);
    close_arena();
}

Test(arena_compact, waits_for_roots_that_are_still_counted)
{
    fake_block *blocks[3][4];

    open_told(12 * MIB);
    it.roots.keeps_released = 1;
    for (int i = 0; i < 3; ++i) fill_root(4 * MIB, 4, blocks[i]);
    for (int i = 0; i < 3; ++i)
        for (int k = i == 2; k < 3; ++k) free_block(blocks[i][k]);
    (void)place(8 * MIB);
    cr_assert_geq(it.roots.drain_count, 1U);
    cr_assert_eq(stats().reserved_bytes, 12 * MIB);
    close_arena();
}

Test(arena_compact, keeps_holders_of_blocks_only)
{
    fake_block *block;
    wi_placement again;

    open_told(0);
    block = place_block(MIB);
    cr_assert_eq(wi_range_get_holder(block->at.range), block);
    cr_assert_eq(wi_range_get_placement(block->at.range).offset_bytes, block->at.offset_bytes);
    free_block(block);
    again = place(MIB);
    cr_assert_null(wi_range_get_holder(again.range));
    close_arena();
}

enum { TIGHT_COUNT = 400 };

/* Blocks of 1 MiB in place of each that has 8 MiB or more. */
static void break_up(fake_block **blocks)
{
    for (int i = 0; i < TIGHT_COUNT; ++i) {
        uint64_t wanted;

        if (blocks[i] == NULL || blocks[i]->at.bytes < 8 * MIB) continue;
        wanted = blocks[i]->at.bytes;
        free_block(blocks[i]);
        blocks[i] = NULL;
        for (int k = 0; k < TIGHT_COUNT && wanted != 0; ++k) {
            const uint64_t piece = wanted < MIB ? wanted : MIB;
            if (blocks[k] != NULL) continue;
            blocks[k] = place_block(piece);
            wanted -= piece;
        }
        cr_assert_eq(wanted, 0U);
    }
}

/* Blocks of many sizes, each as large as the few that went before it; 20 MiB are free at most. */
Test(arena_compact, meets_every_request_at_a_limit_of_a_twentieth_more_than_lives)
{
    static fake_block *blocks[TIGHT_COUNT];
    uint64_t random = 7;

    fake_roots_init(&it.roots);
    it.is_movable = 1;
    open_row(wi_strategy_find("adaptive"), 420 * MIB, 64 * GIB);
    for (int i = 0; i < TIGHT_COUNT; ++i) blocks[i] = place_block(MIB);
    for (int turn = 0; turn < 3000; ++turn) {
        uint64_t wanted = 0;
        unsigned gone[4];

        for (unsigned k = 0; k < 4; ++k) { /* four anywhere, then one as large as all of them */
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
            gone[k] = (unsigned)(random >> 33) % TIGHT_COUNT;
            if (blocks[gone[k]] == NULL) continue;
            wanted += blocks[gone[k]]->at.bytes;
            free_block(blocks[gone[k]]);
            blocks[gone[k]] = NULL;
        }
        if (wanted != 0) blocks[gone[0]] = place_block(wanted);
        if (turn % 7 == 0) break_up(blocks);
        if (turn % 64 == 0) check();
    }
    cr_assert_gt(stats().compactions, 100U);
    cr_assert_leq(it.roots.peak_bytes, 420 * MIB);
    for (int i = 0; i < TIGHT_COUNT; ++i)
        if (blocks[i] != NULL) free_block(blocks[i]);
    cr_assert_eq(stats().in_use_bytes, 0U);
    close_arena();
}

/* Host memory fails at each call in turn: the pass is not made, nothing else changes. */

static size_t calls_until_failure;

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    if (calls_until_failure != 0 && --calls_until_failure == 0) return NULL;
    return malloc(bytes);
}

static void *failing_reallocate(void *memory, size_t bytes, void *user)
{
    (void)user;
    if (calls_until_failure != 0 && --calls_until_failure == 0) return NULL;
    return realloc(memory, bytes);
}

static void plain_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

Test(arena_compact, survives_the_failure_of_every_host_allocation)
{
    static const weir_host_allocator failing = {failing_allocate, failing_reallocate, plain_release,
                                                NULL};
    fake_block *first[64];
    fake_block *second[64];
    weir_status status = WEIR_E_HOST_MEMORY;

    cr_assert_eq(weir_host_memory_set(&failing), WEIR_OK);
    for (size_t n = 1; status != WEIR_OK; ++n) {
        wi_placement placement;
        weir_oom_cause cause;

        cr_assert_lt(n, 20U);
        open_told(8 * MIB);
        fill_root(4 * MIB, 64, first);
        fill_root(4 * MIB, 64, second);
        for (int i = 0; i < 64; i += 2) {
            free_block(first[i]);
            free_block(second[i]);
        }
        calls_until_failure = n;
        status = arena_place(it.arena, 3 * MIB, &placement, &cause);
        calls_until_failure = 0;
        check();
        if (status != WEIR_OK)
            cr_assert(status == WEIR_E_HOST_MEMORY || status == WEIR_E_OUT_OF_MEMORY);
        close_arena();
    }
}
