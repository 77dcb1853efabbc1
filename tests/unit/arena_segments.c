/* Segments of the row `ondemand`, worked by hand from the published rules of PyTorch's caching allocator. */
#include "arena_bench.h"

#include <criterion/criterion.h>

TestSuite(arena_segments, .timeout = 120);

Test(arena_segments, are_of_three_kinds)
{
    static const uint64_t asked[] = {2 * MIB, 20 * MIB, 10 * MIB, 12 * MIB, 42 * MIB, 42 * MIB};

    open_arena("ondemand", 0, GIB);
    place_at(MIB, 1, 0, MIB);           /* small: up to 1 MiB */
    place_at(MIB + 1, 2, 0, MIB + 512); /* large: 20 MiB below 10 */
    wi_arena_free(it.arena, place(10 * MIB - 512).range);
    place_at(18 * MIB, 2, MIB + 512, 20 * MIB - MIB - 512); /* a rest of 1 MiB - 512 stays inside */
    place_at(10 * MIB, 3, 0, 10 * MIB);                     /* from 10 MiB on its own size ... */
    place_at(10 * MIB + 1, 4, 0, 10 * MIB + 512);           /* ... in steps of 2 MiB */
    place_at(41 * MIB, 5, 0, 42 * MIB);
    place_at(41 * MIB - 512, 6, 0, 41 * MIB - 512);
    cr_assert_eq(stats().reserved_bytes, 128 * MIB);
    assert_asked(6, asked);
    close_arena();
}

Test(arena_segments, round_blocks_to_512_bytes)
{
    open_arena("ondemand", 0, GIB);
    place_at(1, 1, 0, 512);
    place_at(512, 1, 512, 512);
    place_at(513, 1, 1024, 1024);
    cr_assert_eq(stats().in_use_bytes, 2048U);
    cr_assert_eq(stats().requested_bytes, 1U + 512 + 513);
    close_arena();
}

/* The example of PyTorch's devlog: the order of sizes decides. */
Test(arena_segments, of_16_mib_cannot_serve_32_mib)
{
    wi_placement blocks[8];

    open_arena("ondemand", 0, GIB);
    for (int i = 0; i < 8; ++i) blocks[i] = place(16 * MIB);
    for (int i = 0; i < 8; ++i) wi_arena_free(it.arena, blocks[i].range);
    for (int i = 0; i < 4; ++i) (void)place(32 * MIB);
    cr_assert_eq(stats().reserved_bytes, 256 * MIB);
    close_arena();
}

Test(arena_segments, of_32_mib_serve_16_mib)
{
    wi_placement blocks[4];

    open_arena("ondemand", 0, GIB);
    for (int i = 0; i < 4; ++i) blocks[i] = place(32 * MIB);
    for (int i = 0; i < 4; ++i) wi_arena_free(it.arena, blocks[i].range);
    for (int i = 0; i < 8; ++i) (void)place(16 * MIB);
    cr_assert_eq(stats().reserved_bytes, 128 * MIB);
    close_arena();
}

Test(arena_segments, split_in_the_small_pool_down_to_512_bytes)
{
    open_arena("ondemand", 0, GIB);
    place_at(MIB, 1, 0, MIB);
    place_at(MIB - 512, 1, MIB, MIB - 512);
    place_at(1, 1, 2 * MIB - 512, 512);
    cr_assert_eq(stats().free_bytes, 0U);
    close_arena();
}

Test(arena_segments, split_in_the_large_pool_above_one_mib)
{
    open_arena("ondemand", 0, GIB);
    place_at(9 * MIB, 1, 0, 9 * MIB);
    place_at(9 * MIB + 512, 1, 9 * MIB, 9 * MIB + 512); /* 2 MiB - 512 left over */
    cr_assert_eq(stats().largest_free_bytes, 2 * MIB - 512);
    wi_arena_destroy(it.arena);
    open_arena("ondemand", 0, GIB);
    place_at(10 * MIB, 1, 0, 10 * MIB);
    place_at(9 * MIB, 2, 0, 9 * MIB);
    place_at(10 * MIB, 2, 9 * MIB, 11 * MIB); /* exactly 1 MiB left over: whole */
    close_arena();
}

Test(arena_segments, do_not_cross_the_pools)
{
    wi_placement large;

    open_arena("ondemand", 0, GIB);
    large = place(5 * MIB);
    wi_arena_free(it.arena, large.range);
    place_at(1000, 2, 0, 1024); /* 20 MiB are free, but of the large pool */
    cr_assert_eq(stats().reserved_bytes, 22 * MIB);
    cr_assert_eq(stats().largest_free_bytes, 20 * MIB);
    place_at(2 * MIB, 1, 0, 2 * MIB);
    close_arena();
}

Test(arena_segments, take_the_smallest_that_fits)
{
    wi_placement blocks[3];

    open_arena("ondemand", 0, GIB);
    blocks[0] = place(40 * MIB);
    blocks[1] = place(30 * MIB);
    blocks[2] = place(30 * MIB);
    for (int i = 0; i < 3; ++i) wi_arena_free(it.arena, blocks[i].range);
    place_at(29 * MIB, 2, 0, 30 * MIB);
    place_at(29 * MIB, 3, 0, 30 * MIB);
    place_at(29 * MIB, 1, 0, 29 * MIB);
    close_arena();
}

Test(arena_segments, are_cached_until_trimmed)
{
    wi_placement blocks[3];

    open_arena("ondemand", 0, GIB);
    blocks[0] = place(100 * MIB);
    blocks[1] = place(1);
    blocks[2] = place(5 * MIB);
    for (int i = 0; i < 2; ++i) wi_arena_free(it.arena, blocks[i].range);
    cr_assert_eq(stats().reserved_bytes, 122 * MIB);
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 20 * MIB); /* the segment with a block stays */
    cr_assert_eq(stats().released_count, 2U);
    close_arena();
}

Test(arena_segments, go_back_when_a_request_fails_and_it_is_tried_again)
{
    wi_placement blocks[3];

    open_arena("ondemand", 100 * MIB, GIB);
    for (int i = 0; i < 3; ++i) blocks[i] = place(30 * MIB);
    wi_arena_free(it.arena, blocks[0].range);
    wi_arena_free(it.arena, blocks[1].range);
    (void)place(50 * MIB);
    cr_assert_eq(stats().released_count, 2U);
    cr_assert_eq(stats().reserved_bytes, 80 * MIB);
    refuse(21 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena_segments, are_not_cut_to_what_remains)
{
    open_arena("ondemand", 19 * MIB, GIB);
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT); /* wants 20 MiB, as its model does */
    (void)place(MIB);
    (void)place(10 * MIB);
    close_arena();
}

Test(arena_segments, stay_within_the_largest_buffer)
{
    static const uint64_t asked[] = {11 * MIB, 11 * MIB, 2 * MIB};

    open_arena("ondemand", 0, 11 * MIB);
    (void)place(2 * MIB);
    (void)place(11 * MIB);
    refuse(11 * MIB + 1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_MAX_ALLOC);
    (void)place(1);
    assert_asked(3, asked);
    close_arena();
}

/* What `growth` never does by itself, whatever falls free. */
Test(arena_segments, growth_gives_back_on_trim_only)
{
    wi_placement blocks[64];

    open_arena("growth", 0, GIB);
    for (int i = 0; i < 64; ++i) blocks[i] = place(MIB << (i % 5));
    for (int round = 0; round < 3; ++round) {
        const uint64_t reserved = stats().reserved_bytes;
        for (int i = 0; i < 64; ++i) wi_arena_free(it.arena, blocks[i].range);
        cr_assert_eq(stats().reserved_bytes, reserved);
        cr_assert_eq(it.roots.release_count, 0U);
        for (int i = 0; i < 64; ++i) blocks[i] = place(1000);
    }
    for (int i = 0; i < 64; ++i) wi_arena_free(it.arena, blocks[i].range);
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 0U);
    close_arena();
}
