/* Arenas: choosing, cutting and joining ranges; causes of failure; what the source and a row may do. */
#include "arena_bench.h"
#include "plan/strategy_rules.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(arena, .timeout = 120);

/* Choosing and splitting, BFC */

Test(arena, rounds_to_the_granule)
{
    open_arena("growth", 0, GIB);
    place_at(1, 1, 0, 256);
    place_at(256, 1, 256, 256);
    place_at(257, 1, 512, 512);
    cr_assert_eq(stats().requested_bytes, 1U + 256 + 257);
    cr_assert_eq(stats().in_use_bytes, 1024U);
    close_arena();
}

Test(arena, rounds_to_a_raised_granule)
{
    const wi_arena_options options = {4096, MIB, GIB, 0};

    fake_roots_init(&it.roots);
    open_options(wi_strategy_find("growth"), &options);
    place_at(1, 1, 0, 4096);
    place_at(4097, 1, 4096, 8192);
    close_arena();
}

Test(arena, splits_from_twice_the_request_on)
{
    open_arena("growth", 2 * MIB, GIB);
    place_at(MIB, 1, 0, MIB); /* exactly half of 2 MiB: split */
    wi_arena_destroy(it.arena);
    open_arena("growth", 2 * MIB, GIB);
    place_at(MIB + 1, 1, 0, 2 * MIB); /* less is left than was asked for: whole */
    cr_assert_eq(stats().in_use_bytes, 2 * MIB);
    cr_assert_eq(stats().requested_bytes, MIB + 1);
    close_arena();
}

Test(arena, splits_when_128_mib_would_be_wasted)
{
    open_arena("prealloc", 400 * MIB, GIB);
    place_at(272 * MIB, 1, 0, 272 * MIB); /* 128 left over */
    wi_arena_destroy(it.arena);
    open_arena("prealloc", 400 * MIB, GIB);
    place_at(272 * MIB + 1, 1, 0, 400 * MIB); /* 256 bytes fewer */
    close_arena();
}

Test(arena, takes_the_smallest_hole_that_fits)
{
    static const uint64_t kib[] = {64, 4, 16, 4, 40, 4, 18, 4, 18, 4};
    wi_placement blocks[10];

    open_arena("growth", 0, GIB);
    for (int i = 0; i < 10; ++i) blocks[i] = place(kib[i] * KIB);
    for (int i = 0; i < 10; i += 2) wi_arena_free(it.arena, blocks[i].range);
    check();
    place_at(17 * KIB, 1, blocks[6].offset_bytes, 18 * KIB); /* of two equal ones the lower */
    place_at(17 * KIB, 1, blocks[8].offset_bytes, 18 * KIB);
    place_at(17 * KIB, 1, blocks[4].offset_bytes, 17 * KIB); /* 40 is split */
    place_at(16 * KIB, 1, blocks[2].offset_bytes, 16 * KIB);
    place_at(16 * KIB, 1, blocks[4].offset_bytes + 17 * KIB, 23 * KIB); /* the rest, whole */
    place_at(33 * KIB, 1, 0, 64 * KIB);
    close_arena();
}

Test(arena, prefers_the_older_of_equal_roots)
{
    wi_placement blocks[4];

    open_arena("growth", 0, 2 * MIB);
    for (int i = 0; i < 4; ++i) blocks[i] = place(2 * MIB);
    wi_arena_free(it.arena, blocks[3].range);
    wi_arena_free(it.arena, blocks[1].range);
    wi_arena_free(it.arena, blocks[2].range);
    place_at(2 * MIB, 2, 0, 2 * MIB);
    place_at(2 * MIB, 3, 0, 2 * MIB);
    place_at(2 * MIB, 4, 0, 2 * MIB);
    close_arena();
}

Test(arena, joins_free_neighbours_in_any_order)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    for (size_t order = 0; order < 6; ++order) {
        wi_placement blocks[3];
        open_arena("growth", 2 * MIB, GIB);
        for (int i = 0; i < 3; ++i) blocks[i] = place(256 * KIB);
        (void)place(1280 * KIB); /* the rest */
        for (int i = 0; i < 3; ++i) {
            wi_arena_free(it.arena, blocks[orders[order][i]].range);
            check();
        }
        cr_assert_eq(stats().largest_free_bytes, 768 * KIB);
        place_at(768 * KIB, 1, 0, 768 * KIB);
        close_arena();
    }
}

Test(arena, does_not_join_across_roots)
{
    wi_placement blocks[2];

    open_arena("growth", 4 * MIB, 2 * MIB);
    for (int i = 0; i < 2; ++i) blocks[i] = place(2 * MIB);
    for (int i = 0; i < 2; ++i) wi_arena_free(it.arena, blocks[i].range);
    cr_assert_eq(stats().free_bytes, 4 * MIB);
    cr_assert_eq(stats().largest_free_bytes, 2 * MIB);
    close_arena();
}

/* After TensorFlow's GPUBFCAllocatorTest: sizes 1 to 1023 once each. */
Test(arena, hands_out_no_byte_twice)
{
    enum { COUNT = 1023 };
    static wi_placement blocks[COUNT];

    open_arena("growth", GIB, GIB);
    for (unsigned i = 0; i < COUNT; ++i) blocks[i] = place(i + 1);
    cr_assert_eq(stats().in_use_bytes, 654336U);
    for (unsigned i = 0; i < COUNT; ++i) {
        for (unsigned k = 0; k < i; ++k)
            cr_assert(blocks[i].root != blocks[k].root ||
                      blocks[i].offset_bytes + blocks[i].bytes <= blocks[k].offset_bytes ||
                      blocks[k].offset_bytes + blocks[k].bytes <= blocks[i].offset_bytes);
    }
    close_arena();
}

Test(arena, gives_the_first_place_again_after_everything_was_freed)
{
    enum { COUNT = 1024 };
    static wi_placement blocks[COUNT];

    open_arena("growth", 0, GIB);
    place_at(4096, 1, 0, 4096);
    wi_arena_destroy(it.arena);
    open_arena("growth", 0, GIB);
    for (unsigned round = 0; round < 8; ++round) {
        for (unsigned i = 0; i < COUNT; ++i) blocks[i] = place(1 + (i * 7919 + round) % 1000);
        for (unsigned i = 0; i < COUNT; ++i)
            wi_arena_free(it.arena, blocks[(i * 331) % COUNT].range);
        check();
        cr_assert_eq(stats().in_use_bytes, 0U);
        cr_assert_eq(stats().largest_free_bytes, 2 * MIB);
    }
    place_at(4096, 1, 0, 4096);
    close_arena();
}

/* Every strategy */

Test(arena, refuses_sizes_that_overflow)
{
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 254, UINT64_MAX - 255,
                                     UINT64_C(1) << 63};

    for (size_t s = 0; wi_strategy_at(s) != NULL; ++s) {
        fake_roots_init(&it.roots);
        open_row(wi_strategy_at(s), 0, UINT64_C(1) << 62);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
            refuse(sizes[i], WEIR_E_OUT_OF_MEMORY, WEIR_OOM_MAX_ALLOC);
        cr_assert_eq(it.roots.ask_count, 0U);
        close_arena();
    }
}

Test(arena, refuses_no_bytes)
{
    open_arena("growth", 0, GIB);
    refuse(0, WEIR_E_ARG, WEIR_OOM_NONE);
    close_arena();
}

Test(arena, tells_fragmentation_from_a_limit)
{
    wi_placement blocks[4];

    open_arena("prealloc", 4 * MIB, GIB);
    for (int i = 0; i < 4; ++i) blocks[i] = place(MIB);
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    wi_arena_free(it.arena, blocks[0].range);
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    wi_arena_free(it.arena, blocks[2].range);
    refuse(2 * MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_FRAGMENTED);
    wi_arena_free(it.arena, blocks[1].range);
    (void)place(2 * MIB);
    close_arena();
}

Test(arena, trims_the_youngest_roots_first)
{
    wi_placement blocks[14];

    open_arena("growth", 0, GIB);
    for (int i = 0; i < 14; ++i) blocks[i] = place(MIB); /* roots of 2, 4, 8 MiB */
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 14 * MIB);
    for (int i = 0; i < 14; ++i) wi_arena_free(it.arena, blocks[i].range);
    wi_arena_trim(it.arena, 14 * MIB);
    cr_assert_eq(stats().reserved_bytes, 14 * MIB);
    wi_arena_trim(it.arena, 14 * MIB - 1);
    cr_assert_eq(stats().reserved_bytes, 6 * MIB);
    (void)place(1); /* the smallest hole is the root of 2 MiB */
    wi_arena_trim(it.arena, 0);
    cr_assert_eq(stats().reserved_bytes, 2 * MIB);
    close_arena();
}

Test(arena, passes_failures_of_the_source_on)
{
    for (size_t s = 0; wi_strategy_at(s) != NULL; ++s) {
        fake_roots_init(&it.roots);
        open_row(wi_strategy_at(s), 8 * MIB, 2 * MIB);
        it.roots.fail_at = 1;
        refuse(MIB, WEIR_E_DRIVER, WEIR_OOM_NONE);
        cr_assert_eq(it.roots.held_bytes, 0U);
        (void)place(MIB);
        close_arena();
    }
}

Test(arena, gives_back_what_a_failed_growth_took)
{
    open_arena("prealloc", 8 * MIB, 2 * MIB);
    it.roots.fail_at = 3;
    refuse(MIB, WEIR_E_DRIVER, WEIR_OOM_NONE);
    cr_assert_eq(it.roots.held_bytes, 0U);
    cr_assert_eq(stats().released_count, 2U);
    (void)place(MIB);
    cr_assert_eq(stats().reserved_bytes, 8 * MIB);
    close_arena();
}

Test(arena, releases_everything_when_destroyed_in_use)
{
    for (size_t s = 0; wi_strategy_at(s) != NULL; ++s) {
        fake_roots_init(&it.roots);
        open_row(wi_strategy_at(s), 64 * MIB, 8 * MIB);
        for (uint64_t i = 1; i < 100; ++i) (void)place(i * 1000);
        close_arena();
    }
    wi_arena_destroy(NULL);
}

Test(arena, refuses_options_out_of_range)
{
    static const wi_arena_options bad[] = {
        {0, GIB, GIB, 0},   {255, GIB, GIB, 0}, {384, GIB, GIB, 0},
        {128, GIB, GIB, 0}, {256, 0, GIB, 0},   {4096, 4095, GIB, 0},
    };
    const wi_arena_options good = {256, GIB, GIB, 0};
    const wi_strategy *growth = wi_strategy_find("growth");
    wi_root_source source;
    wi_root_source lacking;
    wi_arena *arena;

    fake_roots_init(&it.roots);
    source = fake_roots_source(&it.roots);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        arena = (wi_arena *)&it;
        cr_assert_eq(wi_arena_create(growth, &bad[i], &source, &arena), WEIR_E_ARG, "row %zu", i);
        cr_assert_null(arena);
    }
    cr_assert_eq(wi_arena_create(NULL, &good, &source, &arena), WEIR_E_ARG);
    cr_assert_eq(wi_arena_create(growth, NULL, &source, &arena), WEIR_E_ARG);
    cr_assert_eq(wi_arena_create(growth, &good, NULL, &arena), WEIR_E_ARG);
    cr_assert_eq(wi_arena_create(growth, &good, &source, NULL), WEIR_E_ARG);
    lacking = source;
    lacking.acquire = NULL;
    cr_assert_eq(wi_arena_create(growth, &good, &lacking, &arena), WEIR_E_ARG);
    lacking = source;
    lacking.release = NULL;
    cr_assert_eq(wi_arena_create(growth, &good, &lacking, &arena), WEIR_E_ARG);
    lacking = source;
    lacking.available = NULL;
    cr_assert_eq(wi_arena_create(growth, &good, &lacking, &arena), WEIR_E_ARG);
}

Test(arena, works_for_a_source_without_drain)
{
    const wi_arena_options options = {256, GIB, GIB, 1};
    wi_root_source source;

    fake_roots_init(&it.roots);
    it.roots.limit_bytes = MIB;
    source = fake_roots_source(&it.roots);
    source.drain = NULL;
    cr_assert_eq(wi_arena_create(wi_strategy_find("direct"), &options, &source, &it.arena),
                 WEIR_OK);
    (void)place(MIB);
    refuse(1, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    close_arena();
}

Test(arena, stays_consistent_with_a_hundred_thousand_blocks)
{
    enum { COUNT = 100000 };
    wi_placement *blocks = malloc(COUNT * sizeof *blocks);

    cr_assert_not_null(blocks);
    open_arena("growth", 0, 4 * GIB);
    for (unsigned i = 0; i < COUNT; ++i) blocks[i] = place(1 + i * UINT64_C(2654435761) % 100000);
    for (unsigned i = 0; i < COUNT; i += 2) wi_arena_free(it.arena, blocks[i].range);
    check();
    for (unsigned i = 0; i < COUNT; i += 2) blocks[i] = place(1 + i * UINT64_C(40503) % 50000);
    check();
    for (unsigned i = 0; i < COUNT; ++i) wi_arena_free(it.arena, blocks[i].range);
    cr_assert_eq(stats().in_use_bytes, 0U);
    free(blocks);
    close_arena();
}

static weir_status take_two_and_fail(wi_arena *arena, uint64_t bytes)
{
    cr_assert_eq(wi_arena_take_root(arena, bytes, 0), WEIR_OK);
    cr_assert_eq(wi_arena_take_root(arena, 4 * bytes, 0), WEIR_OK);
    arena->growth.next_root_bytes = 77;
    return WEIR_E_OUT_OF_MEMORY;
}

Test(arena, undoes_what_a_failed_growth_did)
{
    wi_strategy row = *wi_strategy_find("growth");

    row.grow = take_two_and_fail;
    row.failure_steps = 0;
    fake_roots_init(&it.roots);
    open_row(&row, 0, GIB);
    refuse(MIB, WEIR_E_OUT_OF_MEMORY, WEIR_OOM_LIMIT);
    cr_assert_eq(it.roots.ask_count, 2U);
    cr_assert_eq(it.roots.held_bytes, 0U);
    cr_assert_eq(it.arena->growth.next_root_bytes, 0U);
    close_arena();
}
