/* Sequences of roots worked by hand for each strategy, from its published rules. */
#include "arena_bench.h"

#include <criterion/criterion.h>

TestSuite(arena_rows, .timeout = 120);

/* Growth */

Test(arena_rows, growth_doubles_its_roots)
{
    static const uint64_t roots[] = {2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB};

    open_arena("growth", 0, 4 * GIB);
    for (int i = 0; i < 2 + 4 + 8 + 16; ++i) (void)place(MIB);
    assert_asked(4, roots);
    cr_assert_eq(stats().reserved_bytes, 30 * MIB);
    cr_assert_eq(stats().largest_free_bytes, 0U);
    (void)place(1);
    cr_assert_eq(it.roots.asked[4], 32 * MIB);
    close_arena();
}

Test(arena_rows, growth_doubles_up_to_a_large_request_and_not_beyond)
{
    /* 5 MiB: 2 becomes 8 and stays; 8 MiB fits 8, so that 16 comes next; 100 MiB: 16 becomes 128 and stays. */
    static const uint64_t roots[] = {8 * MIB, 8 * MIB, 128 * MIB, 128 * MIB, 256 * MIB};

    open_arena("growth", 0, 4 * GIB);
    (void)place(5 * MIB);
    (void)place(8 * MIB);
    (void)place(100 * MIB);
    (void)place(128 * MIB);
    (void)place(129 * MIB);
    assert_asked(5, roots);
    close_arena();
}

Test(arena_rows, growth_begins_below_two_mib_under_a_small_limit)
{
    static const uint64_t roots[] = {MIB};

    open_arena("growth", MIB + 100, GIB);
    (void)place(1);
    assert_asked(1, roots);
    refuse(MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena_rows, growth_reaches_its_limit_exactly)
{
    static const uint64_t roots[] = {2 * MIB, 4 * MIB, MIB};

    open_arena("growth", 7 * MIB, GIB);
    for (int i = 0; i < 7; ++i) (void)place(MIB);
    assert_asked(3, roots);
    cr_assert_eq(stats().in_use_bytes, 7 * MIB);
    refuse(1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena_rows, growth_cuts_refused_roots_to_nine_tenths)
{
    static const uint64_t asked[] = {2 * MIB, 4 * MIB, 8388608, 7549952, 6795008, 6115584,
                                     5504256, 4953856, 4458496, 4012800, 3611648, 3250688,
                                     2925824, 2633472, 2370304, 2133504, 1920256, 1728256,
                                     1555456, 1400064, 1260288, 1134336, 1020928};

    open_arena("growth", 0, GIB);
    it.roots.driver_bytes = 7 * MIB;
    for (int i = 0; i < 6; ++i) (void)place(MIB);
    (void)place(512 * KIB);
    assert_asked(sizeof asked / sizeof asked[0], asked);
    cr_assert_eq(stats().reserved_bytes, 6 * MIB + 1020928);
    refuse(600 * KIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    close_arena();
}

Test(arena_rows, growth_ends_when_the_driver_always_refuses)
{
    open_arena("growth", 0, GIB);
    it.roots.driver_bytes = 0;
    refuse(256, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    cr_assert_lt(it.roots.ask_count, 200U);
    cr_assert_eq(it.roots.asked[it.roots.ask_count - 1], 256U);
    it.roots.driver_bytes = GIB;
    (void)place(256);
    cr_assert_eq(stats().reserved_bytes, 2 * MIB);
    close_arena();
}

Test(arena_rows, growth_gives_back_on_trim_only)
{
    wi_placement blocks[6];

    open_arena("growth", 8 * MIB, GIB);
    for (int i = 0; i < 6; ++i) blocks[i] = place(MIB); /* roots of 2 and 4 MiB, 2 MiB left */
    for (int i = 2; i < 6; ++i) wi_arena_free(it.arena, blocks[i].range);
    refuse(6 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(it.roots.release_count, 0U);
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(it.roots.release_count, 1U);
    (void)place(6 * MIB);
    cr_assert_eq(stats().reserved_bytes, 8 * MIB);
    close_arena();
}

/* 128 blocks of 4 MiB, all but one freed: 508 MiB are free, but roots do not join. PyTorch returns them and asks anew. */
Test(arena_rows, growth_cannot_use_its_roots_as_one_and_ondemand_trades_them)
{
    static const char *const names[] = {"growth", "ondemand"};
    wi_placement blocks[128];

    for (int s = 0; s < 2; ++s) {
        open_arena(names[s], s == 0 ? 512 * MIB : 520 * MIB, GIB);
        for (int i = 0; i < 128; ++i) blocks[i] = place(4 * MIB);
        for (int i = 1; i < 128; ++i) wi_arena_free(it.arena, blocks[i].range);
        if (s == 0)
            refuse(496 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_FRAGMENTED);
        else
            (void)place(496 * MIB);
        cr_assert_eq(it.roots.release_count, s == 0 ? 0U : 25U);
        close_arena();
    }
}

Test(arena_rows, growth_starts_over_after_a_trim_to_nothing)
{
    open_arena("growth", 0, GIB);
    wi_arena_free(it.arena, place(100 * MIB).range);
    cr_assert_eq(stats().reserved_bytes, 128 * MIB);
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 0U);
    cr_assert_eq(it.roots.held_bytes, 0U);
    (void)place(1);
    cr_assert_eq(stats().reserved_bytes, 2 * MIB);
    close_arena();
}

Test(arena_rows, growth_stays_below_the_largest_root)
{
    static const uint64_t roots[] = {2 * MIB, 3 * MIB, 3 * MIB, 3 * MIB};

    open_arena("growth", 0, 3 * MIB + 255);
    for (int i = 0; i < 11; ++i) (void)place(MIB);
    assert_asked(4, roots);
    (void)place(0x300000);
    refuse(3 * MIB + 1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_MAX_ALLOC);
    close_arena();
}

Test(arena_rows, growth_keeps_to_its_default_limit)
{
    wi_arena_options options = {256, 512 * MIB, 1024 * MIB, 0}; /* limit 1024 - 225 = 799 MiB */

    fake_roots_init(&it.roots);
    open_options(wi_strategy_find("growth"), &options);
    (void)place(400 * MIB);                                  /* a root of 512 */
    refuse(300 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT); /* 287 are left */
    (void)place(287 * MIB);
    cr_assert_eq(stats().reserved_bytes, 799 * MIB);
    close_arena();
}

/* Preallocation */

Test(arena_rows, prealloc_takes_the_whole_limit_at_first_use)
{
    static const uint64_t roots[] = {4 * GIB, 4 * GIB, 4 * GIB, UINT64_C(3435973632)};
    const wi_arena_options options = {256, 4 * GIB, 16 * GIB, 0};

    fake_roots_init(&it.roots);
    it.roots.max_root_bytes = 4 * GIB;
    open_options(wi_strategy_find("prealloc"), &options);
    cr_assert_eq(it.roots.ask_count, 0U);
    (void)place(1);
    assert_asked(4, roots);
    for (int i = 0; i < 3; ++i) (void)place(4 * GIB - (i == 0 ? 256 : 0)); /* in the large roots */
    refuse(4 * GIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(it.roots.ask_count, 4U);
    close_arena();
}

Test(arena_rows, prealloc_places_in_the_smallest_root_that_fits)
{
    open_arena("prealloc", 10 * MIB, 4 * MIB); /* 4, 4, 2 */
    place_at(1, 3, 0, 256);
    place_at(2 * MIB, 1, 0, 2 * MIB);
    close_arena();
}

Test(arena_rows, prealloc_makes_what_it_got_its_limit)
{
    static const uint64_t asked[] = {4 * MIB, 4 * MIB, 4 * MIB};

    open_arena("prealloc", 16 * MIB, 4 * MIB);
    it.roots.driver_bytes = 9 * MIB;
    cr_assert_eq(stats().cut_limit_bytes, 0U);
    (void)place(4 * MIB);
    assert_asked(3, asked);
    cr_assert_eq(stats().cut_limit_bytes, 8 * MIB);
    it.roots.driver_bytes = UINT64_MAX;
    (void)place(4 * MIB);
    refuse(1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    cr_assert_eq(it.roots.ask_count, 3U);
    cr_assert_eq(stats().reserved_bytes, 8 * MIB);
    close_arena();
}

Test(arena_rows, prealloc_takes_a_smaller_root_when_the_first_is_refused)
{
    static const uint64_t asked[] = {8388608, 7549952, 6795008};

    open_arena("prealloc", 8 * MIB, GIB);
    it.roots.driver_bytes = 7 * MIB;
    (void)place(MIB);
    assert_asked(3, asked);
    refuse(6 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    (void)place(5 * MIB);
    cr_assert_eq(it.roots.ask_count, 3U);
    close_arena();
}

Test(arena_rows, prealloc_tries_again_when_nothing_was_got)
{
    open_arena("prealloc", 8 * MIB, GIB);
    it.roots.driver_bytes = 0;
    refuse(MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_DRIVER);
    it.roots.driver_bytes = GIB;
    (void)place(MIB);
    cr_assert_eq(stats().reserved_bytes, 8 * MIB);
    close_arena();
}

Test(arena_rows, prealloc_takes_nothing_for_a_request_above_its_limit)
{
    open_arena("prealloc", 8 * MIB, GIB);
    refuse(8 * MIB + 1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(it.roots.ask_count, 0U);
    close_arena();
}

Test(arena_rows, prealloc_takes_again_what_a_trim_gave_back)
{
    open_arena("prealloc", 12 * MIB, 4 * MIB);
    place_at(3 * MIB, 1, 0, 4 * MIB);
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 4 * MIB);
    place_at(4 * MIB, 4, 0, 4 * MIB);
    cr_assert_eq(stats().reserved_bytes, 12 * MIB);
    close_arena();
}

Test(arena_rows, prealloc_handles_tebibytes)
{
    open_arena("prealloc", 100 * TIB, 3 * TIB);
    for (int i = 0; i < 33; ++i) (void)place(3 * TIB);
    cr_assert_eq(stats().root_count, 34U);
    cr_assert_eq(stats().largest_free_bytes, TIB);
    (void)place(TIB);
    refuse(1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(stats().in_use_bytes, 100 * TIB);
    close_arena();
}

/* Direct */

Test(arena_rows, direct_has_a_root_for_every_block)
{
    static const uint64_t asked[] = {1024, 256, 4 * MIB, 1024};
    wi_placement first;
    wi_placement second;

    open_arena("direct", 0, GIB);
    first = place(1000);
    second = place(1);
    place_at(4 * MIB, 3, 0, 4 * MIB);
    wi_arena_free(it.arena, first.range);
    cr_assert_eq(it.roots.held_bytes, 4 * MIB + 256);
    place_at(1000, 4, 0, 1024);
    wi_arena_free(it.arena, second.range);
    assert_asked(4, asked);
    cr_assert_eq(stats().free_bytes, 0U);
    cr_assert_eq(stats().released_count, 2U);
    close_arena();
}

Test(arena_rows, direct_waits_for_released_roots_at_the_limit)
{
    wi_placement block;

    open_arena("direct", 2 * MIB, GIB);
    it.roots.keeps_released = 1;
    block = place(2 * MIB);
    refuse(1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    wi_arena_free(it.arena, block.range);
    cr_assert_eq(it.roots.pending_bytes, 2 * MIB);
    (void)place(2 * MIB);
    cr_assert_eq(it.roots.drain_count, 1U);
    close_arena();
}

Test(arena_rows, direct_does_not_wait_while_there_is_room)
{
    open_arena("direct", 4 * MIB, GIB);
    it.roots.keeps_released = 1;
    wi_arena_free(it.arena, place(2 * MIB).range);
    wi_arena_free(it.arena, place(2 * MIB).range);
    cr_assert_eq(it.roots.drain_count, 0U);
    (void)place(1);
    cr_assert_eq(it.roots.drain_count, 1U);
    close_arena();
}
