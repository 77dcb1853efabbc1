/* The row `adaptive`: what it takes, keeps and gives back, worked by hand from its rules. */
#include "arena_bench.h"
#include "plan/strategy_rules.h"

#include <criterion/criterion.h>

TestSuite(arena_adaptive, .timeout = 120);

Test(arena_adaptive, shares_small_roots_and_takes_large_blocks_exactly)
{
    static const uint64_t asked[] = {2 * MIB, 3 * MIB + 256, 100 * MIB, 8 * MIB};

    open_arena("adaptive", 0, GIB);
    place_at(1, 1, 0, 256);
    place_at(MIB, 1, 256, MIB);
    place_at(3 * MIB + 1, 2, 0, 3 * MIB + 256);
    place_at(100 * MIB, 3, 0, 100 * MIB);
    place_at(MIB, 4, 0, MIB);
    assert_asked(4, asked);
    close_arena();
}

Test(arena_adaptive, cuts_shared_roots_to_a_multiple_of_the_block)
{
    static const uint64_t asked[] = {80 * MIB, 6 * MIB, 5 * MIB, 7 * MIB};

    open_arena("adaptive", 0, GIB);
    (void)place(80 * MIB);
    for (int i = 0; i < 2; ++i) (void)place(3 * MIB); /* a share of 8 MiB holds two */
    (void)place(5 * MIB);                             /* more than half */
    (void)place(1792 * KIB);                          /* four */
    assert_asked(4, asked);
    close_arena();
}

Test(arena_adaptive, takes_larger_roots_the_more_is_in_use)
{
    open_arena("adaptive", 0, 4 * GIB);
    for (int i = 0; i < 4; ++i) (void)place(GIB);
    (void)place(2 * MIB); /* need 4 GiB and a bit: 1/64 is 64 MiB */
    cr_assert_eq(it.roots.asked[4], 64 * MIB);
    (void)place(1); /* 1/512: 8 MiB */
    cr_assert_eq(it.roots.asked[5], 8 * MIB);
    close_arena();
}

Test(arena_adaptive, asks_nothing_of_the_driver_in_a_loop)
{
    static const uint64_t sizes[] = {1000, 5 * MIB, 300 * KIB, 40 * MIB, 2 * MIB, 17};
    wi_placement blocks[6];
    size_t asked = 0;

    open_arena("adaptive", 0, GIB);
    (void)place(256);
    for (int turn = 0; turn < 5000; ++turn) { /* more than two stretches of requests */
        for (int i = 0; i < 6; ++i) blocks[i] = place(sizes[i]);
        for (int i = 0; i < 6; ++i) wi_arena_free(it.arena, blocks[(i * 5 + turn) % 6].range);
        if (turn == 0) asked = it.roots.ask_count;
    }
    cr_assert_eq(it.roots.ask_count, asked);
    cr_assert_eq(it.roots.release_count, 0U);
    close_arena();
}

Test(arena_adaptive, hands_what_was_freed_last_out_again_as_it_is)
{
    wi_placement first, second, third;

    open_arena("adaptive", 0, GIB);
    first = place(1000);
    second = place(1000);
    third = place(2 * KIB);
    (void)place(KIB);
    wi_arena_free(it.arena, first.range);
    wi_arena_free(it.arena, second.range);
    check();
    place_at(1024, 1, 1024,
             1024); /* neither joined with the hole before it nor cut from the free end */
    wi_arena_free(it.arena, third.range);
    (void)place(512); /* of another size: the last one is joined first */
    check();
    cr_assert_eq(stats().in_use_bytes, 1024U + KIB + 512);
    close_arena();
}

Test(arena_adaptive, counts_what_was_freed_last_as_joined)
{
    wi_placement block;

    open_arena("adaptive", 0, GIB);
    (void)place(KIB);
    block = place(KIB);
    wi_arena_free(it.arena, block.range);
    cr_assert_eq(stats().largest_free_bytes, 2 * MIB - KIB);
    check();
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().largest_free_bytes, 2 * MIB - KIB);
    close_arena();
}

Test(arena_adaptive, keeps_the_slack_of_a_small_pool_when_everything_is_released)
{
    fake_block *blocks[8];

    for (int is_movable = 0; is_movable < 2; ++is_movable) {
        it.is_movable = is_movable;
        open_arena("adaptive", 0, GIB);
        for (int i = 0; i < 8; ++i) blocks[i] = place_block(MIB << i);
        for (int i = 0; i < 8; ++i) free_block(blocks[i]);
        cr_assert_leq(stats().reserved_bytes, 16 * MIB);
        wi_arena_trim(it.arena, 0);
        cr_assert_eq(stats().reserved_bytes, 0U);
        close_arena();
    }
}

/* C5 of a loop: nobody tells its last turn from the others. */
Test(arena_adaptive, keeps_no_more_than_its_slack_however_often_it_is_emptied)
{
    fake_block *blocks[4];

    open_arena("adaptive", 0, GIB);
    for (int turn = 0; turn < 5000; ++turn) {
        for (int i = 0; i < 4; ++i) blocks[i] = place_block((uint64_t)(i + 1) * 30 * MIB);
        for (int i = 0; i < 4; ++i) free_block(blocks[i]);
        cr_assert_leq(stats().reserved_bytes, 16 * MIB, "turn %d", turn);
    }
    close_arena();
}

Test(arena_adaptive, asks_nothing_of_the_driver_in_a_loop_whose_turns_leave_a_block)
{
    fake_block *blocks[4];
    size_t asked = 0;

    open_arena("adaptive", 0, GIB);
    (void)place_block(KIB);
    for (int turn = 0; turn < 5000; ++turn) {
        for (int i = 0; i < 4; ++i) blocks[i] = place_block((uint64_t)(i + 1) * 30 * MIB);
        for (int i = 0; i < 4; ++i) free_block(blocks[i]);
        if (turn == 0) asked = it.roots.ask_count;
    }
    cr_assert_eq(it.roots.ask_count, asked);
    close_arena();
}

Test(arena_adaptive, raises_its_slack_rather_than_trade_roots_for_ever)
{
    static const uint64_t sizes[] = {100 * MIB, 200 * MIB, 50 * MIB, 160 * MIB};
    fake_block *blocks[16];
    size_t asked = 0;

    open_arena("adaptive", 0, GIB);
    (void)place(300 * MIB);
    for (unsigned turn = 0; turn < 3000; ++turn) {
        const unsigned count = (unsigned)(800 * MIB / sizes[turn % 4]);
        for (unsigned i = 0; i < count; ++i) blocks[i] = place_block(sizes[turn % 4]);
        for (unsigned i = 0; i < count; ++i) free_block(blocks[i]);
        if (turn == 2000) asked = it.roots.ask_count;
    }
    cr_assert_leq(it.roots.ask_count - asked, 1000 * 33 / 4 / 20); /* a twentieth */
    cr_assert_leq(it.roots.peak_bytes, 1100 * MIB + 1100 * MIB / 3);
    close_arena();
}

Test(arena_adaptive, trades_free_roots_for_others)
{
    wi_placement blocks[8];

    open_arena("adaptive", 0, GIB);
    for (int i = 0; i < 8; ++i) blocks[i] = place(100 * MIB);
    for (int i = 0; i < 8; ++i) wi_arena_free(it.arena, blocks[i].range);
    for (int i = 0; i < 4; ++i) (void)place(200 * MIB);
    cr_assert_leq(it.roots.peak_bytes, 800 * MIB + 800 * MIB / 48);
    cr_assert_eq(stats().reserved_bytes, 800 * MIB);
    close_arena();
}

Test(arena_adaptive, does_not_open_a_large_root_for_a_block_that_would_pin_it)
{
    open_arena("adaptive", 0, GIB);
    (void)place(GIB);
    wi_arena_free(it.arena, place(512 * MIB).range);
    place_at(8 * MIB, 3, 0, 8 * MIB); /* 1/64: not in the free root, but in a new one of 16 MiB */
    place_at(8 * MIB + 256, 2, 0, 8 * MIB + 256); /* more: in it */
    close_arena();
}

Test(arena_adaptive, opens_it_before_it_fails)
{
    open_arena("adaptive", 514 * MIB, GIB);
    (void)place(2 * MIB);
    wi_arena_free(it.arena, place(512 * MIB).range);
    place_at(2 * MIB, 2, 0, 2 * MIB);
    cr_assert_eq(it.roots.release_count, 0U);
    (void)place(510 * MIB);
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena_adaptive, finds_what_the_search_passed_over_before_it_fails)
{
    enum { COUNT = 20 };
    wi_placement holes[COUNT];

    open_arena("adaptive", 0, GIB);
    it.roots.driver_bytes = 2 * MIB; /* one small root and no more */
    for (int i = 0; i < COUNT; ++i) {
        holes[i] = place(i == 0 ? 66 * KIB : 64 * KIB); /* of one class; the first is the largest */
        (void)place(256);
    }
    while (stats().largest_free_bytes != 0) (void)place(stats().largest_free_bytes);
    for (int i = 0; i < COUNT; ++i) wi_arena_free(it.arena, holes[i].range);
    place_at(65 * KIB, 1, holes[0].offset_bytes, 65 * KIB);
    refuse(65 * KIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_FRAGMENTED);
    close_arena();
}

Test(arena_adaptive, keeps_free_roots_only_as_far_as_they_were_needed_lately)
{
    wi_placement large[8];

    open_arena("adaptive", 0, GIB);
    (void)place(2 * MIB);
    for (int i = 0; i < 8; ++i) large[i] = place(100 * MIB);
    for (int i = 0; i < 8; ++i) wi_arena_free(it.arena, large[i].range);
    cr_assert_eq(stats().reserved_bytes, 802 * MIB);
    for (unsigned i = 0; i < 2 * WI_STRETCH_REQUESTS; ++i)
        wi_arena_free(it.arena, place(4096).range);
    cr_assert_leq(stats().reserved_bytes, 6 * MIB);
    close_arena();
}

Test(arena_adaptive, forgets_its_peak_when_trimmed)
{
    open_arena("adaptive", 0, GIB);
    wi_arena_free(it.arena, place(500 * MIB).range);
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 0U);
    for (int i = 0; i < 3; ++i) wi_arena_free(it.arena, place(15 * MIB).range);
    (void)place(MIB);
    cr_assert_leq(stats().reserved_bytes, 17 * MIB);
    close_arena();
}

Test(arena_adaptive, takes_the_exact_size_when_the_limit_leaves_no_more)
{
    open_arena("adaptive", MIB, GIB);
    (void)place(MIB);
    cr_assert_eq(stats().reserved_bytes, MIB);
    refuse(1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena_adaptive, takes_the_exact_size_when_the_driver_refuses_more)
{
    static const uint64_t asked[] = {2 * MIB, 256};

    open_arena("adaptive", 0, GIB);
    it.roots.driver_bytes = MIB;
    (void)place(1);
    assert_asked(2, asked);
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    close_arena();
}

Test(arena_adaptive, gives_nothing_back_for_a_request_that_cannot_fit)
{
    open_arena("adaptive", 100 * MIB, GIB);
    (void)place(MIB);
    wi_arena_free(it.arena, place(80 * MIB).range);
    (void)place(10 * MIB);
    refuse(91 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(it.roots.release_count, 0U);
    close_arena();
}

/* Compaction without a limit: 100 blocks of 3 MiB, every other one gone, and one of 30 MiB. */
Test(arena_adaptive, empties_roots_rather_than_take_another_beyond_the_need)
{
    fake_block *blocks[100];

    it.is_movable = 1;
    open_arena("adaptive", 0, GIB);
    (void)place(300 * MIB);
    for (int i = 0; i < 100; ++i) blocks[i] = place_block(3 * MIB);
    for (int i = 0; i < 100; i += 2) free_block(blocks[i]);
    (void)place(30 * MIB);
    cr_assert_gt(stats().compactions, 0U);
    cr_assert_leq(it.roots.peak_bytes, 600 * MIB + 16 * MIB);
    cr_assert_leq(stats().moved_bytes, 630 * MIB / 16);
    close_arena();
}

/* What compaction took and gave back for nothing stays counted until it is drained, which must not look like progress. */
Test(arena_adaptive, ends_when_roots_for_moved_blocks_are_refused_again_and_again)
{
    fake_block *blocks[40];

    it.is_movable = 1;
    open_arena("adaptive", GIB, GIB);
    it.roots.keeps_released = 1;
    for (int i = 0; i < 40; ++i) blocks[i] = place_block(3 * MIB);
    for (int i = 0; i < 40; i += 2) free_block(blocks[i]);
    it.roots.driver_bytes = it.roots.held_bytes + it.roots.pending_bytes + 4 * MIB;
    refuse(100 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    cr_assert_lt(it.roots.ask_count, 1000U);
    close_arena();
}

Test(arena_adaptive, reaches_the_largest_sizes_there_are)
{
    open_arena("adaptive", UINT64_MAX - 1, UINT64_MAX);
    (void)place(UINT64_C(1) << 63);
    (void)place((UINT64_C(1) << 63) - 4096);
    (void)place(256);
    refuse(UINT64_C(1) << 62, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}
