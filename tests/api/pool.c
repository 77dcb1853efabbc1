/* Blocks, statistics, owners and limits of a context's pool, on every device. */
#include "devices.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <string.h>

TestSuite(pool, .timeout = 120);

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static weir_pool_stats stats_of(weir_context *context)
{
    weir_pool_stats stats;
    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    cr_assert_leq(stats.requested_bytes.current, stats.in_use_bytes.current);
    cr_assert_leq(stats.in_use_bytes.current, stats.reserved_bytes.current);
    cr_assert(stats.limit_bytes == 0 || stats.reserved_bytes.peak <= stats.limit_bytes);
    cr_assert_eq(stats.reserved_bytes.count, stats.driver_allocs);
    return stats;
}

WEIR_DEVICE_TEST_TAGGED(pool, opening_takes_no_memory_and_freezes_nothing)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_pool_stats stats = stats_of(ctx);
    cr_assert_eq(stats.reserved_bytes.current, 0U, "%s", dev->name);
    cr_assert_eq(stats.driver_allocs, 0U, "%s", dev->name);
    options.limit_bytes = 64 * MIB;
    cr_assert_eq(weir_device_configure(weir_context_get_device(ctx), &options), WEIR_OK, "%s: %s",
                 dev->name, weir_last_error()->message);
}

WEIR_DEVICE_TEST_TAGGED(pool, reuses_a_released_block_without_asking_the_driver)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *block = NULL;
    uint64_t root = 0;
    uint64_t offset = 0;
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(weir_pool_alloc(pool, NULL, 4096, "test", &block), WEIR_OK, "%s: %s",
                     dev->name, weir_last_error()->message);
        if (i == 0) {
            root = weir_block_get_root(block);
            offset = weir_block_get_offset_bytes(block);
        }
        cr_assert_eq(weir_block_get_root(block), root, "%s", dev->name);
        cr_assert_eq(weir_block_get_offset_bytes(block), offset, "%s", dev->name);
        weir_block_release(block);
    }
    weir_pool_stats stats = stats_of(ctx);
    cr_assert_eq(stats.driver_allocs, 1U, "%s", dev->name);
    cr_assert_eq(stats.in_use_bytes.current, 0U, "%s", dev->name);
    cr_assert_eq(stats.in_use_bytes.peak, 4096U, "%s", dev->name);
    cr_assert_eq(stats.blocks.count, 100U, "%s", dev->name);
}

WEIR_DEVICE_TEST_TAGGED(pool, an_empty_block_takes_nothing)
{
    weir_block *block = NULL;
    cr_assert_eq(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 0, NULL, &block), WEIR_OK);
    cr_assert_not_null(block);
    cr_assert_eq(weir_block_get_root(block), 0U);
    cr_assert_eq(weir_block_get_bytes(block), 0U);
    cr_assert_eq(stats_of(ctx).driver_allocs, 0U, "%s", dev->name);
    weir_block_release(block);
}

WEIR_DEVICE_TEST_TAGGED(pool, counts_bytes_and_blocks_by_owner)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *blocks[5] = {NULL};
    weir_text *text = NULL;
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(weir_pool_alloc(pool, NULL, 1000, i < 3 ? "layer" : "optimizer", &blocks[i]),
                     WEIR_OK);
    }
    weir_pool_stats stats = stats_of(ctx);
    cr_assert_eq(stats.requested_bytes.current, 5000U, "%s", dev->name);
    cr_assert_eq(stats.in_use_bytes.current % 256, 0U, "%s", dev->name);
    cr_assert_eq(stats.blocks.current, 5U, "%s", dev->name);
    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    weir_pool_report(pool, text);
    const char *layer = strstr(weir_text_get(text), "layer");
    const char *optimizer = strstr(weir_text_get(text), "optimizer");
    cr_assert_not_null(layer);
    cr_assert_not_null(optimizer);
    cr_assert_lt(layer, optimizer, "the larger owner stands first:\n%s", weir_text_get(text));
    weir_text_destroy(text);
    for (int i = 0; i < 5; i++) weir_block_release(blocks[i]);
    cr_assert_eq(stats_of(ctx).blocks.current, 0U, "%s", dev->name);
}

/* Limits are set before the context's first block. */
static void limit_to(weir_context *context, uint64_t bytes, const char *strategy)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    options.limit_bytes = bytes;
    options.strategy = strategy;
    cr_assert_eq(weir_device_configure(weir_context_get_device(context), &options), WEIR_OK, "%s",
                 weir_last_error()->message);
}

WEIR_DEVICE_TEST(pool, a_configuration_freezes_with_the_first_block_and_says_whose)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_block *block = NULL;
    weir_device *device = weir_context_get_device(ctx);
    limit_to(ctx, 16 * MIB, "growth");
    cr_assert_eq(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 4096, "first", &block), WEIR_OK);
    options.limit_bytes = 16 * MIB;
    options.strategy = "growth";
    cr_assert_eq(weir_device_configure(device, &options), WEIR_OK, "values in force are allowed");
    options.limit_bytes = 32 * MIB;
    cr_assert_eq(weir_device_configure(device, &options), WEIR_E_CONFIG_FROZEN, "%s", dev->name);
    cr_assert_not_null(strstr(weir_last_error()->message, "first"), "%s",
                       weir_last_error()->message);
    weir_block_release(block);
}

WEIR_DEVICE_TEST(pool, says_that_another_context_has_the_shared_limit)
{
    weir_block *first = NULL;
    weir_block *second = NULL;
    weir_context *other = NULL;

    limit_to(ctx, MIB, "direct");
    wt_ok(weir_context_create(weir_context_get_device(ctx), NULL, &other));
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 600 * KIB, "a", &first));
    wt_fails(weir_pool_alloc(weir_context_get_pool(other), NULL, 600 * KIB, "b", &second),
             WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(second, "%s", dev->name);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_LIMIT);
    cr_assert_not_null(
        strstr(weir_last_error()->message, "other contexts of the device reserve 614400 bytes"),
        "%s", weir_last_error()->message);
    weir_block_release(first);
    weir_context_release(other);
}

WEIR_DEVICE_TEST(pool, bad_arguments_are_named)
{
    weir_block *block = (weir_block *)ctx;
    cr_assert_eq(weir_pool_alloc(NULL, NULL, 1, NULL, &block), WEIR_E_ARG, "%s", dev->name);
    cr_assert_null(block);
    cr_assert_eq(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 1, NULL, NULL), WEIR_E_ARG);
    cr_assert_eq(weir_pool_alloc(weir_context_get_pool(ctx), NULL, UINT64_MAX - 5, "huge", &block),
                 WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(block);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_MAX_ALLOC, "%s",
                 weir_oom_cause_name(weir_last_error()->oom.cause));
    weir_block_release(NULL);
    cr_assert_null(weir_block_retain(NULL));
    cr_assert_eq(weir_pool_trim(NULL, 0), WEIR_E_ARG);
}

WEIR_DEVICE_TEST(pool, reset_peak_starts_from_the_current_values)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *a = NULL;
    weir_block *b = NULL;
    cr_assert_eq(weir_pool_alloc(pool, NULL, MIB, "a", &a), WEIR_OK, "%s", dev->name);
    cr_assert_eq(weir_pool_alloc(pool, NULL, MIB, "b", &b), WEIR_OK);
    weir_block_release(b);
    cr_assert_eq(stats_of(ctx).in_use_bytes.peak, 2 * MIB);
    weir_pool_reset_peak(pool);
    cr_assert_eq(stats_of(ctx).in_use_bytes.peak, MIB);
    weir_block_release(a);
}
