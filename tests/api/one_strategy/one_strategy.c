/* A row and its rules are all that a strategy needs. This program has the library's table built again with one more row
 * (plan/strategy_table.def beside this file): `pages`, which then is a strategy like the others for options, environment,
 * replay, limits and contexts.
 */
#include "page_rules.h"

#include "devices.h"

#include <weir/replay.h>
#include <weir/weir.h>

#include <stdlib.h>
#include <string.h>

TestSuite(one_strategy, .timeout = WT_TIMEOUT);

#define MIB (UINT64_C(1) << 20)

weir_status grow_by_pages(wi_arena *arena, uint64_t bytes)
{
    const uint64_t remaining = wi_arena_get_remaining(arena);
    const uint64_t page = bytes > PAGE_BYTES ? bytes : PAGE_BYTES;

    if (bytes > remaining) return WEIR_E_OUT_OF_MEMORY;
    return wi_arena_take_root(arena, page < remaining ? page : remaining, 0);
}

Test(one_strategy, is_listed_after_the_others)
{
    static const char *const names[] = {"prealloc", "growth",   "ondemand",
                                        "direct",   "adaptive", "pages"};

    for (size_t i = 0; i < 6; i++) cr_assert_str_eq(weir_replay_strategy_name(i), names[i]);
    cr_assert_null(weir_replay_strategy_name(6));
    cr_assert_str_eq(wi_strategy_name(wi_strategy_default()), "adaptive");
}

/* Worked by hand: a page holds four blocks of a MiB. */
Test(one_strategy, is_replayed)
{
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay_block *blocks[6];
    weir_replay_stats stats;
    weir_replay *replay = NULL;

    options.device_bytes = 64 * MIB;
    options.limit_bytes = 15 * MIB;
    wt_ok(weir_replay_create("pages", &options, &replay));
    for (size_t i = 0; i < 5; i++) wt_ok(weir_replay_alloc(replay, MIB - 1, &blocks[i]));
    wt_ok(weir_replay_alloc(replay, 7 * MIB, &blocks[5]));
    weir_replay_get_stats(replay, &stats);
    cr_assert_eq(stats.in_use_bytes, 12 * MIB);
    cr_assert_eq(stats.reserved_bytes, 15 * MIB); /* two pages and the large block */
    cr_assert_eq(stats.driver_allocs, 3U);
    weir_replay_free(replay, blocks[4]); /* alone in its page */
    weir_replay_get_stats(replay, &stats);
    cr_assert_eq(stats.reserved_bytes, 11 * MIB);
    cr_assert_eq(stats.driver_frees, 1U);
    wt_fails(weir_replay_alloc(replay, 5 * MIB, &blocks[4]), WEIR_E_OUT_OF_MEMORY);
    cr_assert_eq(weir_replay_get_cause(replay), WEIR_OOM_LIMIT);
    weir_replay_destroy(replay);
}

/* Takes blocks as the row says, on a device; the default of the environment is WEIR_POOL. */
static void take_pages(const struct wt_device *dev, weir_context *context)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_block *blocks[3] = {NULL};
    weir_pool_stats stats;

    for (size_t i = 0; i < 3; i++) wt_ok(weir_pool_alloc(pool, NULL, MIB, "test", &blocks[i]));
    weir_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.reserved_bytes.current, PAGE_BYTES, "%s", dev->name);
    cr_assert_eq(stats.driver_allocs, 1U);
    for (size_t i = 0; i < 3; i++) weir_block_release(blocks[i]);
    wt_ok(weir_context_synchronize(context));
    weir_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.reserved_bytes.current, 0U, "%s", dev->name);
}

WEIR_DEVICE_TEST_BARE_TAGGED(one_strategy, is_chosen_by_options_or_environment)
{
    weir_context_options unchecked = WEIR_CONTEXT_OPTIONS_INIT;
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = NULL;

    unchecked.no_self_check = 1;
    memory.strategy = "paged";
    wt_fails(weir_device_configure(device, &memory), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "adaptive, pages"), "%s",
                       weir_last_error()->message);
    setenv("WEIR_POOL", "pages", 1);
    wt_ok(weir_device_configure(device, NULL));
    cr_assert_str_eq(weir_device_get_strategy(device), "pages");
    unsetenv("WEIR_POOL");
    wt_ok(weir_device_configure(device, NULL));
    cr_assert_str_eq(weir_device_get_strategy(device), "adaptive");
    memory.strategy = "pages";
    memory.limit_bytes = 16 * MIB;
    wt_ok(weir_device_configure(device, &memory));
    wt_ok(weir_context_create(device, &unchecked, &context));
    take_pages(dev, context);
    weir_context_release(context);
}
