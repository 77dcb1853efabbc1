/* Pools on numbers, through the library. */
#include <weir/replay.h>

#include <criterion/criterion.h>

#include <string.h>

TestSuite(replay, .timeout = 120);

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static weir_replay *open_replay(const char *strategy, uint64_t device, uint64_t limit)
{
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay *replay = NULL;

    options.device_bytes = device;
    options.limit_bytes = limit;
    cr_assert_eq(weir_replay_create(strategy, &options, &replay), WEIR_OK);
    return replay;
}

static weir_replay_stats stats_of(const weir_replay *replay)
{
    weir_replay_stats stats;

    weir_replay_get_stats(replay, &stats);
    return stats;
}

static weir_replay_block *place(weir_replay *replay, uint64_t bytes)
{
    weir_replay_block *block = NULL;

    cr_assert_eq(weir_replay_alloc(replay, bytes, &block), WEIR_OK);
    cr_assert_not_null(block);
    return block;
}

Test(replay, lists_every_strategy)
{
    static const char *const names[] = {"prealloc", "growth", "ondemand", "direct", "adaptive"};
    size_t count = 0;

    for (; weir_replay_strategy_name(count) != NULL; ++count) {
        weir_replay *replay = open_replay(weir_replay_strategy_name(count), 0, 0);
        cr_assert_gt(strlen(weir_replay_strategy_text(count)), 10U);
        weir_replay_destroy(replay);
    }
    cr_assert_null(weir_replay_strategy_text(count));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        weir_replay_destroy(open_replay(names[i], 0, 0));
}

Test(replay, has_the_defaults_it_states)
{
    weir_replay *replay = NULL;

    cr_assert_eq(weir_replay_create(NULL, NULL, &replay), WEIR_OK);
    weir_replay_free(replay, place(replay, 4 * GIB));
    cr_assert_eq(stats_of(replay).limit_bytes, 16 * GIB);
    weir_replay_destroy(replay);
    replay = open_replay("growth", 0, 0);
    cr_assert_eq(stats_of(replay).limit_bytes, 16 * GIB - 16 * GIB / 20);
    weir_replay_destroy(replay);
    replay = open_replay("direct", 64 * GIB, 0);
    cr_assert_eq(stats_of(replay).limit_bytes, 64 * GIB);
    weir_replay_free(replay, place(replay, 16 * GIB));
    weir_replay_destroy(replay);
    weir_replay_destroy(NULL);
}

Test(replay, counts_as_it_says)
{
    weir_replay *replay = open_replay("growth", 16 * GIB, 0);
    weir_replay_block *first = place(replay, 1000);
    weir_replay_stats stats;

    (void)place(replay, 5 * MIB);
    weir_replay_free(replay, first);
    weir_replay_free(replay, NULL);
    stats = stats_of(replay);
    cr_assert_eq(stats.requested_bytes, 5 * MIB);
    cr_assert_eq(stats.in_use_bytes, 8 * MIB); /* the root of 8 MiB, whole */
    cr_assert_eq(stats.reserved_bytes, 10 * MIB);
    cr_assert_eq(stats.peak_requested_bytes, 5 * MIB + 1000);
    cr_assert_eq(stats.peak_in_use_bytes, 8 * MIB + 1024);
    cr_assert_eq(stats.peak_reserved_bytes, 10 * MIB);
    cr_assert_eq(stats.driver_allocs, 2U);
    weir_replay_trim(replay, 0);
    weir_replay_reset_peak(replay);
    stats = stats_of(replay);
    cr_assert_eq(stats.driver_frees, 1U);
    cr_assert_eq(stats.peak_requested_bytes, 5 * MIB);
    cr_assert_eq(stats.peak_in_use_bytes, 8 * MIB);
    cr_assert_eq(stats.peak_reserved_bytes, 8 * MIB);
    weir_replay_destroy(replay);
}

Test(replay, keeps_to_its_limit_and_tells_the_cause)
{
    for (size_t i = 0; weir_replay_strategy_name(i) != NULL; ++i) {
        weir_replay *replay = open_replay(weir_replay_strategy_name(i), GIB, 64 * MIB);
        weir_replay_block *block = NULL;
        weir_status status = WEIR_OK;

        cr_assert_eq(weir_replay_get_cause(replay), WEIR_OOM_NONE);
        while (status == WEIR_OK) status = weir_replay_alloc(replay, 3 * MIB, &block);
        cr_assert_eq(status, WEIR_E_OUT_OF_MEMORY);
        cr_assert_null(block);
        cr_assert_eq(stats_of(replay).oom_count, 1U);
        cr_assert_neq(weir_replay_get_cause(replay), WEIR_OOM_NONE);
        cr_assert_leq(stats_of(replay).peak_reserved_bytes, 64 * MIB);
        cr_assert_eq(weir_replay_alloc(replay, GIB, &block), WEIR_E_OUT_OF_MEMORY);
        cr_assert_eq(weir_replay_get_cause(replay), WEIR_OOM_MAX_ALLOC);
        weir_replay_destroy(replay);
    }
}

Test(replay, refuses_what_it_cannot_mean)
{
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay *replay = (weir_replay *)&options;
    weir_replay_block *block = (weir_replay_block *)&options;

    cr_assert_eq(weir_replay_create("puddle", NULL, &replay), WEIR_E_ARG);
    cr_assert_null(replay);
    cr_assert_eq(weir_replay_create("growth", NULL, NULL), WEIR_E_ARG);
    options.limit_bytes = 17 * GIB; /* above the device */
    cr_assert_eq(weir_replay_create("growth", &options, &replay), WEIR_E_ARG);
    options.limit_bytes = 0;
    options.granule_bytes = 300;
    cr_assert_eq(weir_replay_create("growth", &options, &replay), WEIR_E_ARG);
    options.granule_bytes = 4096;
    options.max_alloc_bytes = 4095;
    cr_assert_eq(weir_replay_create("growth", &options, &replay), WEIR_E_ARG);
    options.limit_bytes = GIB;
    options.max_alloc_bytes =
        8192; /* prealloc would take as many buffers as a machine has memory for */
    cr_assert_eq(weir_replay_create("prealloc", &options, &replay), WEIR_E_ARG);
    options.max_alloc_bytes = 16384;
    cr_assert_eq(weir_replay_create("prealloc", &options, &replay), WEIR_OK);
    weir_replay_destroy(replay);
    options.struct_size = 1;
    cr_assert_eq(weir_replay_create("growth", &options, &replay), WEIR_E_ARG);
    replay = open_replay("growth", 0, 0);
    cr_assert_eq(weir_replay_alloc(replay, 0, &block), WEIR_E_ARG);
    cr_assert_null(block);
    cr_assert_eq(weir_replay_alloc(replay, 1, NULL), WEIR_E_ARG);
    cr_assert_eq(weir_replay_alloc(NULL, 1, &block), WEIR_E_ARG);
    weir_replay_destroy(replay);
}

Test(replay, leaves_a_block_of_another_where_it_is)
{
    weir_replay *one = open_replay("growth", 0, 0);
    weir_replay *other = open_replay("adaptive", 0, 0);
    weir_replay_block *block = place(one, MIB);
    weir_replay_block *others = place(other, MIB);

    weir_last_error_reset();
    weir_replay_free(other, block);
    cr_assert_eq(weir_last_error()->status, WEIR_E_ARG);
    weir_last_error_reset();
    weir_replay_free(NULL, block);
    cr_assert_eq(weir_last_error()->status, WEIR_E_ARG);
    cr_assert_eq(stats_of(one).in_use_bytes, MIB);
    cr_assert_eq(stats_of(other).in_use_bytes, MIB);
    weir_replay_free(one, block);
    weir_replay_free(other, others);
    cr_assert_eq(stats_of(one).in_use_bytes, 0U);
    cr_assert_eq(stats_of(other).in_use_bytes, 0U);
    weir_replay_destroy(one);
    weir_replay_destroy(other);
}

/* Every other of many small blocks goes; large ones fit where buffers were emptied. */
static weir_replay_stats fragment(int is_fixed)
{
    enum { COUNT = 512 };
    static weir_replay_block *blocks[COUNT];
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay *replay = NULL;
    weir_replay_block *block = NULL;
    weir_replay_stats stats;

    options.device_bytes = GIB;
    options.limit_bytes = COUNT * MIB;
    options.is_fixed = is_fixed;
    cr_assert_eq(weir_replay_create("adaptive", &options, &replay), WEIR_OK);
    for (int i = 0; i < COUNT; ++i) blocks[i] = place(replay, MIB);
    for (int i = 0; i < COUNT; i += 2) weir_replay_free(replay, blocks[i]);
    (void)!weir_replay_alloc(replay, 100 * MIB, &block);
    stats = stats_of(replay);
    weir_replay_destroy(replay);
    return stats;
}

Test(replay, moves_blocks_unless_told_not_to)
{
    const weir_replay_stats moving = fragment(0);
    const weir_replay_stats fixed = fragment(1);

    cr_assert_eq(moving.oom_count, 0U);
    cr_assert_gt(moving.compactions, 0U);
    cr_assert_geq(moving.moved_bytes, 50 * MIB);
    cr_assert_leq(moving.peak_reserved_bytes, 512 * MIB);
    cr_assert_eq(fixed.oom_count, 1U);
    cr_assert_eq(fixed.compactions, 0U);
    cr_assert_eq(fixed.moved_bytes, 0U);
}
