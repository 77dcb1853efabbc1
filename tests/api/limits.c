/* Limits and what pools give back, for every strategy: on every device, and on the null ICD for what needs its control. */
#include "devices.h"
#include "null_device.h"

#include <weir/replay.h>
#include <weir/weir.h>

#include <stdlib.h>
#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static void clear_environment(void)
{
    unsetenv("WEIR_POOL");
    unsetenv("WEIR_LIMIT");
}

TestSuite(limits, .timeout = WT_TIMEOUT, .init = clear_environment);

/* A device whose configuration is free: strategies are tried one after the other, each in a system of its own. */
typedef struct fresh {
    weir_system *system;
    weir_device *device;
    weir_context *contexts[2];
} fresh;

static void begin(fresh *f, const char *index, const char *strategy, uint64_t limit_bytes)
{
    weir_context_options unchecked = WEIR_CONTEXT_OPTIONS_INIT;
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    memset(f, 0, sizeof *f);
    unchecked.no_self_check = 1;
    options.strategy = strategy;
    options.limit_bytes = limit_bytes;
    wt_ok(weir_system_create(&f->system));
    wt_ok(weir_system_find(f->system, index, &f->device));
    wt_ok(weir_device_configure(f->device, &options));
    for (size_t i = 0; i < 2; i++)
        wt_ok(weir_context_create(f->device, &unchecked, &f->contexts[i]));
}

static void end(fresh *f)
{
    for (size_t i = 0; i < 2; i++) weir_context_release(f->contexts[i]);
    weir_system_destroy(f->system);
}

static weir_pool *pool_of(const fresh *f, size_t i)
{
    return weir_context_get_pool(f->contexts[i]);
}

static weir_pool_stats stats_of(const fresh *f, size_t i)
{
    weir_pool_stats stats;

    weir_pool_get_stats(pool_of(f, i), &stats);
    cr_assert_leq(stats.requested_bytes.current, stats.in_use_bytes.current);
    cr_assert_leq(stats.in_use_bytes.current, stats.reserved_bytes.current);
    cr_assert_leq(stats.reserved_bytes.peak, stats.limit_bytes);
    cr_assert_eq(stats.limit_bytes, weir_device_get_limit_bytes(f->device));
    return stats;
}

/* Every strategy of the library. */
#define FOR_EACH_STRATEGY(Name) \
    for (size_t row = 0; ((Name) = weir_replay_strategy_name(row)) != NULL; row++)

/* C3, without its matrix product */
static void refuses_past_the_limit(const struct wt_device *dev, const char *strategy)
{
    enum { COUNT = 32 };
    weir_block *blocks[COUNT] = {NULL};
    weir_block *more = NULL;
    const weir_error *error = weir_last_error();
    weir_pool_stats before;
    int held = 0;
    fresh f;

    begin(&f, dev->index, strategy, 8 * MIB);
    while (held < COUNT &&
           weir_pool_alloc(pool_of(&f, 0), NULL, 512 * KIB, "holder", &blocks[held]) == WEIR_OK)
        held++;
    cr_assert_eq(held, 16, "%s, %s: %d blocks", dev->name, strategy, held);
    cr_assert_eq(error->status, WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(blocks[held]);
    before = stats_of(&f, 0);
    wt_fails(weir_pool_alloc(pool_of(&f, 0), NULL, 300 * KIB, "more", &more), WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(more);
    cr_assert(error->has_oom);
    cr_assert_eq(error->oom.requested_bytes, 300 * KIB);
    cr_assert_eq(error->oom.in_use_bytes, 8 * MIB);
    cr_assert_eq(error->oom.limit_bytes, 8 * MIB);
    cr_assert_eq(error->oom.cause, WEIR_OOM_LIMIT, "%s, %s: %s", dev->name, strategy,
                 weir_oom_cause_name(error->oom.cause));
    cr_assert_eq(error->oom.owner_count, 1U);
    cr_assert_str_eq(error->oom.owners[0].owner, "holder");
    cr_assert_eq(error->oom.owners[0].blocks, 16U);
    cr_assert_gt(strlen(error->hint), 10U);
    cr_assert_eq(stats_of(&f, 0).in_use_bytes.current, before.in_use_bytes.current);
    cr_assert_eq(stats_of(&f, 0).reserved_bytes.current, before.reserved_bytes.current,
                 "%s, %s: a failed request changes nothing", dev->name, strategy);
    cr_assert_eq(stats_of(&f, 0).oom_count, before.oom_count + 1);

    weir_block_release(blocks[--held]);
    cr_assert_eq(weir_pool_alloc(pool_of(&f, 0), NULL, 4 * KIB, "small", &more), WEIR_OK,
                 "%s, %s: %s", dev->name, strategy, weir_last_error()->message);
    weir_block_release(more);
    while (held > 0) weir_block_release(blocks[--held]);
    end(&f);
}

WEIR_DEVICE_TEST_BARE_TAGGED(limits, no_strategy_passes_one_and_a_smaller_request_succeeds)
{
    const char *strategy = NULL;

    (void)device;
    FOR_EACH_STRATEGY(strategy) refuses_past_the_limit(dev, strategy);
}

/* C5 */
static void gives_back(const struct wt_device *dev, const char *strategy)
{
    enum { COUNT = 40 };
    static const struct {
        const char *strategy;
        uint64_t least, most;                     /* of what was reserved, what stays so */
    } rows[] = {{"prealloc", 64 * MIB, 64 * MIB}, /* its limit */
                {"growth", 62 * MIB, 62 * MIB},   /* 2, 4, 8, 16 and 32 */
                {"ondemand", 40 * MIB, 40 * MIB}, /* 2 blocks a segment */
                {"direct", 0, 0},
                {"adaptive", 0, 16 * MIB}}; /* the slack of a pool that was emptied */
    weir_block *blocks[COUNT] = {NULL};
    weir_live base;
    size_t row = 0;
    uint64_t kept = 0;
    fresh f;

    begin(&f, dev->index, strategy, 64 * MIB);
    weir_live_get(&base);
    while (row < sizeof rows / sizeof rows[0] && strcmp(rows[row].strategy, strategy) != 0) row++;
    cr_assert_lt(row, sizeof rows / sizeof rows[0], "no figures for %s", strategy);
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < COUNT; i++)
            wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, MIB, "test", &blocks[i]));
        cr_assert_geq(stats_of(&f, 0).reserved_bytes.current, COUNT * MIB);
        for (size_t i = 0; i < COUNT; i++) weir_block_release(blocks[i]);
        wt_ok(weir_context_synchronize(f.contexts[0]));
        cr_assert_eq(stats_of(&f, 0).in_use_bytes.current, 0U, "%s, %s", dev->name, strategy);
        kept = stats_of(&f, 0).reserved_bytes.current;
        cr_assert(kept >= rows[row].least && kept <= rows[row].most, "%s, %s: %llu bytes stay",
                  dev->name, strategy, (unsigned long long)kept);
    }
    wt_ok(weir_pool_trim(pool_of(&f, 0), 0));
    cr_assert_eq(stats_of(&f, 0).reserved_bytes.current, 0U, "%s, %s", dev->name, strategy);
    cr_assert_eq(stats_of(&f, 0).driver_frees, stats_of(&f, 0).driver_allocs);
    wt_assert_live(&base, strategy);
    end(&f);
}

WEIR_DEVICE_TEST_BARE_TAGGED(limits,
                             released_memory_goes_back_by_the_strategy_s_rule_and_all_of_it_by_trim)
{
    const char *strategy = NULL;

    (void)device;
    FOR_EACH_STRATEGY(strategy) gives_back(dev, strategy);
}

/* One context's pool holds the whole limit free: every strategy takes a root of 2 MiB, or of each block, for two of 1 MiB. */
static void lends(const struct wt_device *dev, const char *strategy)
{
    const uint64_t limit = 2 * MIB;
    const int is_kept = strcmp(strategy, "prealloc") == 0; /* never gives back but on trim */
    weir_block *block = NULL;
    weir_block *beside = NULL;
    weir_status status = WEIR_OK;
    fresh f;

    begin(&f, dev->index, strategy, limit);
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, MIB, "first", &block));
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, MIB, "first", &beside));
    weir_block_release(block);
    weir_block_release(beside);
    status = weir_pool_alloc(pool_of(&f, 1), NULL, MIB, "second", &block);
    if (is_kept) {
        cr_assert_eq(status, WEIR_E_OUT_OF_MEMORY);
        cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_LIMIT);
        cr_assert_not_null(strstr(weir_last_error()->message,
                                  "other contexts of the device reserve 2097152 bytes"),
                           "%s", weir_last_error()->message);
        wt_ok(weir_pool_trim(pool_of(&f, 0), 0));
        status = weir_pool_alloc(pool_of(&f, 1), NULL, MIB, "second", &block);
    }
    cr_assert_eq(status, WEIR_OK, "%s, %s: %s", dev->name, strategy, weir_last_error()->message);
    cr_assert_geq(stats_of(&f, 1).reserved_bytes.current, MIB);
    cr_assert_leq(stats_of(&f, 0).reserved_bytes.current,
                  limit - stats_of(&f, 1).reserved_bytes.current, "%s, %s", dev->name, strategy);
    weir_block_release(block);

    /* And back again: the first pool goes on as if nothing had been. */
    if (is_kept) wt_ok(weir_pool_trim(pool_of(&f, 1), 0));
    for (size_t i = 0; i < 4 && !is_kept; i++) {
        wt_ok(weir_pool_alloc(pool_of(&f, i % 2), NULL, MIB - KIB, "turn", &block));
        weir_block_release(block);
    }
    end(&f);
}

WEIR_DEVICE_TEST_BARE_TAGGED(
    limits, a_pool_gives_back_what_it_holds_free_when_another_of_the_device_lacks_it)
{
    const char *strategy = NULL;

    (void)device;
    FOR_EACH_STRATEGY(strategy) lends(dev, strategy);
}

WEIR_DEVICE_TEST_BARE_TAGGED(limits, opening_a_context_takes_back_what_another_holds_free)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *first = NULL;
    weir_context *second = NULL;
    weir_block *block = NULL;

    options.strategy = "growth";
    options.limit_bytes = MIB;
    wt_ok(weir_device_configure(device, &options));
    wt_ok(weir_context_create(device, NULL, &first));
    wt_ok(weir_pool_alloc(weir_context_get_pool(first), NULL, 100, NULL, &block));
    wt_fails(weir_context_create(device, NULL, &second), WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(second, "%s", dev->name);
    weir_block_release(block);
    wt_ok(weir_context_create(device, NULL, &second)); /* the self-check needs 4 KiB */
    weir_context_release(second);
    weir_context_release(first);
}

WEIR_DEVICE_TEST_BARE_TAGGED(limits, one_byte_is_a_limit)
{
    weir_context *context = NULL;
    weir_block *block = NULL;
    fresh f;

    (void)device;
    begin(&f, dev->index, "growth", 1);
    wt_fails(weir_context_create(f.device, NULL, &context), WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(context, "%s", dev->name);
    cr_assert_eq(weir_last_error()->oom.limit_bytes, 1U);
    wt_fails(weir_pool_alloc(pool_of(&f, 0), NULL, 1, NULL, &block), WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(block);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_LIMIT);
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, 0, NULL, &block)); /* an empty one takes nothing */
    weir_block_release(block);
    end(&f);
}

/* Sums elements of a tensor on a logical device with a limit. Returns the most bytes reserved in it. */
static uint64_t sum_within(weir_device *part, uint64_t limit_bytes, weir_status expected)
{
    const weir_shape shape = {1, {wt_scale(1 << 20) + 4096 * 64}}; /* many chunks of 4096 */
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_tensor *a = NULL;
    weir_tensor *sum = NULL;
    weir_pool_stats before;
    weir_pool_stats stats;

    options.strategy = "direct";
    options.limit_bytes = limit_bytes;
    wt_ok(weir_device_configure(part, &options));
    wt_ok(weir_context_create(part, NULL, &context));
    wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, 0.5, &a));
    wt_ok(weir_context_synchronize(context));
    weir_pool_reset_peak(weir_context_get_pool(context));
    weir_pool_get_stats(weir_context_get_pool(context), &before);
    cr_assert_eq(weir_sum(context, a, NULL, 0, 0, &sum), expected, "%s",
                 weir_last_error()->message);
    cr_assert_eq(sum != NULL, expected == WEIR_OK);
    wt_ok(weir_context_synchronize(context));
    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    cr_assert_leq(stats.reserved_bytes.peak, limit_bytes);
    if (expected != WEIR_OK) {
        cr_assert_eq(weir_last_error()->oom.limit_bytes, limit_bytes);
        cr_assert_eq(stats.in_use_bytes.current, before.in_use_bytes.current);
        cr_assert_eq(stats.blocks.current, before.blocks.current);
    }
    weir_tensor_release(sum);
    weir_tensor_release(a);
    weir_context_release(context);
    return stats.reserved_bytes.peak;
}

WEIR_DEVICE_TEST_BARE_TAGGED(limits, the_scratch_of_an_operation_counts)
{
    weir_memory_options options[3] = {WEIR_MEMORY_OPTIONS_INIT, WEIR_MEMORY_OPTIONS_INIT,
                                      WEIR_MEMORY_OPTIONS_INIT};
    weir_device *parts[3] = {NULL};
    uint64_t needed = 0;

    for (size_t i = 0; i < 3; i++) options[i].limit_bytes = 32 * MIB;
    wt_ok(weir_device_split(device, 3, options, parts));
    needed = sum_within(parts[0], 32 * MIB, WEIR_OK);
    cr_assert_gt(needed, (wt_scale(1 << 20) + 4096 * 64) * 4 + 2 * 256, "%s", dev->name);
    cr_assert_leq(sum_within(parts[1], needed, WEIR_OK), needed);
    (void)sum_within(parts[2], needed - 1, WEIR_E_OUT_OF_MEMORY);
}

/* Without a limit set, two contexts together stop at the strategy's own. */
static void keeps_to_its_own(const char *strategy, uint64_t memory)
{
    enum { COUNT = 256 };
    weir_block *blocks[COUNT] = {NULL};
    uint64_t limit = 0;
    size_t held = 0;
    int is_open[2] = {1, 1};
    fresh f;

    begin(&f, "0.0", strategy, 0);
    cr_assert_not(weir_device_is_limit_set(f.device));
    limit = weir_device_get_limit_bytes(f.device);
    cr_assert(limit >= memory / 2 && limit <= memory);
    for (size_t i = 0; held < COUNT && (is_open[0] || is_open[1]); i++) {
        weir_status status = WEIR_OK;

        if (!is_open[i % 2]) continue;
        status = weir_pool_alloc(pool_of(&f, i % 2), NULL, 700 * KIB, NULL, &blocks[held]);
        is_open[i % 2] = status == WEIR_OK;
        held += status == WEIR_OK;
        if (status == WEIR_OK) continue;
        cr_assert_eq(status, WEIR_E_OUT_OF_MEMORY);
        cr_assert_eq(weir_last_error()->oom.limit_bytes, limit, "%s", strategy);
        cr_assert_neq(weir_last_error()->oom.cause, WEIR_OOM_DRIVER, "%s", strategy);
    }
    cr_assert_lt(held, (size_t)COUNT, "%s", strategy);
    cr_assert_leq(stats_of(&f, 0).reserved_bytes.current + stats_of(&f, 1).reserved_bytes.current,
                  limit, "%s", strategy);
    cr_assert_leq(wt_null_use()->get_buffer_bytes_peak(), limit, "%s", strategy);
    while (held > 0) weir_block_release(blocks[--held]);
    end(&f);
}

Test(limits, contexts_without_a_limit_keep_to_the_strategy_s_own_together)
{
    const uint64_t memory = 64 * MIB;
    const char *strategy = NULL;

    setenv("WT_NULL_MEMORY", "67108864", 1);
    setenv("WT_NULL_MAX_ALLOC", "16777216", 1);
    wt_null_use();
    FOR_EACH_STRATEGY(strategy) keeps_to_its_own(strategy, memory);
}

/* More than there is: the limit never binds, the driver does. */
Test(limits, one_above_the_device_leaves_the_refusal_to_the_driver)
{
    weir_block *block = NULL;
    fresh f;

    setenv("WT_NULL_MEMORY", "67108864", 1);
    setenv("WT_NULL_CAPACITY", "67108864", 1);
    setenv("WT_NULL_MAX_ALLOC", "67108864", 1);
    wt_null_use();
    begin(&f, "0.0", "direct", 100 * MIB);
    cr_assert_eq(weir_device_get_limit_bytes(f.device), 100 * MIB);
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, 60 * MIB, NULL, &block));
    weir_block_release(block);
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, 40 * MIB, NULL, &block));
    {
        weir_block *more = NULL;

        wt_fails(weir_pool_alloc(pool_of(&f, 1), NULL, 40 * MIB, NULL, &more),
                 WEIR_E_OUT_OF_MEMORY);
        cr_assert_null(more);
        cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_DRIVER);
    }
    weir_block_release(block);
    end(&f);
}

/* Design: of `prealloc` what was got becomes the limit, and is told as such. */
Test(limits, what_prealloc_got_is_the_limit_that_is_told)
{
    weir_block *block = NULL;
    weir_pool_stats stats;
    fresh f;

    setenv("WT_NULL_MEMORY", "67108864", 1);
    setenv("WT_NULL_CAPACITY", "41943040", 1);
    setenv("WT_NULL_MAX_ALLOC", "16777216", 1);
    wt_null_use();
    begin(&f, "0.0", "prealloc", 64 * MIB);
    weir_pool_get_stats(pool_of(&f, 0), &stats);
    cr_assert_eq(stats.limit_bytes, 64 * MIB);
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, MIB, NULL, &block));
    weir_pool_get_stats(pool_of(&f, 0), &stats);
    cr_assert_eq(stats.reserved_bytes.current, 32 * MIB);
    cr_assert_eq(stats.limit_bytes, 32 * MIB);
    {
        weir_block *others[2] = {NULL, NULL};

        wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, 16 * MIB, NULL, &others[0]));
        wt_fails(weir_pool_alloc(pool_of(&f, 0), NULL, 16 * MIB, NULL, &others[1]),
                 WEIR_E_OUT_OF_MEMORY);
        cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_DRIVER);
        cr_assert_eq(weir_last_error()->oom.limit_bytes, 32 * MIB);
        weir_block_release(others[0]);
    }
    weir_block_release(block);
    end(&f);
}

/* What the driver refuses, another context may hold free. */
Test(limits, a_pool_gives_back_when_the_driver_refuses_another)
{
    weir_block *block = NULL;
    fresh f;

    setenv("WT_NULL_CAPACITY", "8388608", 1);
    wt_null_use();
    begin(&f, "0.0", "growth", 0);
    wt_ok(weir_pool_alloc(pool_of(&f, 0), NULL, 8 * MIB, NULL, &block));
    weir_block_release(block);
    wt_ok(weir_pool_alloc(pool_of(&f, 1), NULL, 6 * MIB, NULL, &block));
    weir_block_release(block);
    end(&f);
}
