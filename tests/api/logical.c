/* Logical devices: one device as several, with a limit each; on every device and on the null ICD. */
#include "devices.h"
#include "null_device.h"

#include <weir/weir.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define NULL_BYTES (16 * 1024 * MIB) /* memory of the null device */

static void two_null_devices(void)
{
    unsetenv("WEIR_POOL");
    unsetenv("WEIR_LIMIT");
    setenv("WT_NULL_DEVICES", "2", 1);
}

TestSuite(logical, .timeout = WT_TIMEOUT, .init = two_null_devices);

static weir_system *list(void)
{
    weir_system *system = NULL;

    wt_null_use();
    wt_ok(weir_system_create(&system));
    cr_assert_eq(weir_system_count(system), 2U);
    return system;
}

/* `count` options from limits in bytes. */
static const weir_memory_options *limits(size_t count, const uint64_t *bytes)
{
    static weir_memory_options options[WEIR_LOGICAL_MAX];

    for (size_t i = 0; i < count; i++) {
        options[i] = (weir_memory_options)WEIR_MEMORY_OPTIONS_INIT;
        options[i].limit_bytes = bytes[i];
    }
    return options;
}

static weir_status split2(weir_device *device, uint64_t first, uint64_t second, weir_device **out)
{
    const uint64_t bytes[] = {first, second};

    return weir_device_split(device, 2, limits(2, bytes), out);
}

static weir_context *open_unchecked(weir_device *device)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = NULL;

    options.no_self_check = 1;
    wt_ok(weir_context_create(device, &options, &context));
    return context;
}

static void expect_message(const char *part)
{
    cr_assert_not_null(strstr(weir_last_error()->message, part), "no \"%s\" in: %s", part,
                       weir_last_error()->message);
}

/* C1: after everything was listed. */
WEIR_DEVICE_TEST_BARE_TAGGED(logical, each_keeps_to_its_own_limit)
{
    weir_memory_options options[2] = {WEIR_MEMORY_OPTIONS_INIT, WEIR_MEMORY_OPTIONS_INIT};
    weir_device *parts[2] = {NULL};
    weir_context *contexts[2] = {NULL};
    weir_context *whole = NULL;
    weir_block *block = NULL;
    weir_block *more = NULL;
    weir_property property;
    char index[32];

    for (size_t i = 0; i < weir_property_count(); i++)
        weir_record_get(weir_device_get_record(device), i, &property);
    options[0].strategy = "direct";
    options[0].limit_bytes = 4 * MIB;
    options[1].strategy = "growth";
    options[1].limit_bytes = 8 * MIB;
    wt_ok(weir_device_split(device, 2, options, parts));
    cr_assert_eq(weir_device_logical_count(device), 2U, "%s", dev->name);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(weir_device_logical(device, i), parts[i]);
        cr_assert_eq(weir_device_get_parent(parts[i]), device);
        cr_assert_eq(weir_device_logical_count(parts[i]), 0U);
        snprintf(index, sizeof index, "%s:%zu", weir_device_get_index(device), i);
        cr_assert_str_eq(weir_device_get_index(parts[i]), index);
        cr_assert_str_eq(weir_device_get_name(parts[i]), weir_device_get_name(device));
        cr_assert_eq(weir_device_get_class(parts[i]), weir_device_get_class(device));
        cr_assert_eq(weir_device_get_record(parts[i]), weir_device_get_record(device));
        cr_assert(weir_device_is_limit_set(parts[i]));
        wt_ok(weir_context_create(parts[i], NULL, &contexts[i]));
        cr_assert_eq(weir_context_get_device(contexts[i]), parts[i]);
    }
    cr_assert_null(weir_device_logical(device, 2));
    cr_assert_null(weir_device_get_parent(device));
    cr_assert_str_eq(weir_device_get_strategy(parts[0]), "direct");
    cr_assert_str_eq(weir_device_get_strategy(parts[1]), "growth");

    /* One full, the other has all of its own. */
    wt_ok(weir_pool_alloc(weir_context_get_pool(contexts[0]), NULL, 4 * MIB, "a", &block));
    wt_fails(weir_pool_alloc(weir_context_get_pool(contexts[0]), NULL, 1, "a", &more),
             WEIR_E_OUT_OF_MEMORY);
    cr_assert_eq(weir_last_error()->oom.limit_bytes, 4 * MIB, "%s", dev->name);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_LIMIT);
    wt_ok(weir_pool_alloc(weir_context_get_pool(contexts[1]), NULL, 8 * MIB, "b", &more));

    wt_fails(weir_context_create(device, NULL, &whole), WEIR_E_ARG);
    cr_assert_null(whole);
    expect_message("is split into 2 logical devices");
    weir_block_release(block);
    weir_block_release(more);
    weir_context_release(contexts[0]);
    weir_context_release(contexts[1]);
}

WEIR_DEVICE_TEST_BARE_TAGGED(logical, computes_the_same_on_each)
{
    const uint64_t bytes[] = {16 * MIB, 16 * MIB, 16 * MIB};
    const int64_t extents[] = {(int64_t)wt_scale(10000)};
    weir_device *parts[3] = {NULL};
    weir_shape shape;
    float *values[2] = {NULL};

    wt_ok(weir_shape_make(1, extents, &shape));
    wt_ok(weir_device_split(device, 3, limits(3, bytes), parts));
    for (size_t i = 0; i < 2; i++) {
        weir_generator generator = WEIR_GENERATOR_INIT;
        weir_context *context = NULL;
        weir_tensor *draw = NULL;

        values[i] = calloc((size_t)extents[0], sizeof(float));
        wt_ok(weir_context_create(parts[i + 1], NULL, &context));
        wt_ok(weir_random_normal(context, &generator, &shape, &draw));
        wt_ok(weir_tensor_to_host(draw, values[i], (size_t)extents[0] * sizeof(float)));
        weir_tensor_release(draw);
        weir_context_release(context);
    }
    cr_assert_eq(memcmp(values[0], values[1], (size_t)extents[0] * sizeof(float)), 0, "%s",
                 dev->name);
    free(values[0]);
    free(values[1]);
}

WEIR_DEVICE_TEST_BARE(logical, contexts_of_one_share_its_limit)
{
    weir_device *parts[2] = {NULL};
    weir_context *contexts[3] = {NULL};
    weir_block *blocks[3] = {NULL};
    weir_memory_options direct = WEIR_MEMORY_OPTIONS_INIT;

    wt_ok(split2(device, MIB, MIB, parts));
    direct.strategy = "direct";
    for (size_t i = 0; i < 2; i++) wt_ok(weir_device_configure(parts[i], &direct));
    contexts[0] = open_unchecked(parts[0]);
    contexts[1] = open_unchecked(parts[0]);
    contexts[2] = open_unchecked(parts[1]);
    wt_ok(weir_pool_alloc(weir_context_get_pool(contexts[0]), NULL, 768 * KIB, "a", &blocks[0]));
    wt_fails(weir_pool_alloc(weir_context_get_pool(contexts[1]), NULL, 512 * KIB, "b", &blocks[1]),
             WEIR_E_OUT_OF_MEMORY);
    wt_ok(weir_pool_alloc(weir_context_get_pool(contexts[2]), NULL, MIB, "c", &blocks[2]));
    wt_ok(weir_pool_alloc(weir_context_get_pool(contexts[1]), NULL, 256 * KIB, "b", &blocks[1]));
    for (size_t i = 0; i < 3; i++) {
        cr_assert_not_null(blocks[i], "%s", dev->name);
        weir_block_release(blocks[i]);
        weir_context_release(contexts[i]);
    }
}

/* C2 */
WEIR_DEVICE_TEST_BARE(logical, the_first_allocation_freezes_the_layout)
{
    weir_device *parts[2] = {NULL};
    weir_device *again[3] = {NULL};
    const uint64_t three[] = {MIB, MIB, MIB};
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_block *block = NULL;

    wt_ok(split2(device, 4 * MIB, 2 * MIB, parts));
    wt_ok(weir_context_create(parts[1], NULL, &context)); /* opening freezes nothing */
    wt_ok(split2(device, 3 * MIB, 3 * MIB, again));
    cr_assert_eq(again[1], parts[1]);
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 4096, "the weights", &block));

    wt_fails(weir_device_split(device, 3, limits(3, three), again), WEIR_E_CONFIG_FROZEN);
    expect_message("the weights");
    for (size_t i = 0; i < 3; i++) cr_assert_null(again[i], "%s", dev->name);
    wt_fails(split2(device, 3 * MIB, 2 * MIB, again), WEIR_E_CONFIG_FROZEN);
    options.limit_bytes = 2 * MIB;
    wt_fails(weir_device_configure(parts[1], &options), WEIR_E_CONFIG_FROZEN);
    expect_message("the weights");
    options.strategy = "no such thing";
    wt_fails(weir_device_configure(parts[1], &options), WEIR_E_ARG);

    wt_ok(split2(device, 3 * MIB, 3 * MIB, again)); /* the values in force: the same handles */
    cr_assert_eq(again[0], parts[0]);
    cr_assert_eq(again[1], parts[1]);
    options = (weir_memory_options)WEIR_MEMORY_OPTIONS_INIT;
    options.limit_bytes = 3 * MIB;
    wt_ok(weir_device_configure(parts[1], &options));
    weir_block_release(block);
    weir_context_release(context);
}

WEIR_DEVICE_TEST_BARE(logical, a_device_that_was_used_is_not_split)
{
    weir_device *parts[2] = {NULL};
    weir_context *context = NULL;
    weir_block *block = NULL;

    wt_ok(weir_context_create(device, NULL, &context));
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 100, "first", &block));
    weir_block_release(block);
    wt_fails(split2(device, MIB, MIB, parts), WEIR_E_CONFIG_FROZEN);
    expect_message("first");
    cr_assert_eq(weir_device_logical_count(device), 0U, "%s", dev->name);
    weir_context_release(context);
}

WEIR_DEVICE_TEST_BARE(logical, one_that_a_later_split_has_no_room_for_is_not_configured)
{
    weir_device *parts[2] = {NULL};
    weir_device *gone = NULL;
    weir_device *one = NULL;
    const uint64_t whole[] = {MIB};
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    wt_ok(split2(device, MIB, 2 * MIB, parts));
    gone = parts[1];
    wt_ok(weir_device_split(device, 1, limits(1, whole), &one));
    options.limit_bytes = 3 * MIB;
    wt_fails(weir_device_configure(gone, &options), WEIR_E_ARG);
    expect_message("was split again");
    options.limit_bytes = 2 * MIB; /* what it has */
    wt_fails(weir_device_configure(gone, &options), WEIR_E_ARG);
    expect_message("was split again");
    wt_fails(weir_device_configure(gone, NULL), WEIR_E_ARG);
    cr_assert_eq(weir_device_get_limit_bytes(gone), 2 * MIB, "%s", dev->name);
    cr_assert_eq(weir_device_logical_count(device), 1U);
    cr_assert_null(weir_device_logical(device, 1));

    options.limit_bytes = 0;
    options.limit_fraction = 1.5;
    wt_fails(weir_device_configure(gone, &options), WEIR_E_ARG);
    wt_ok(split2(device, MIB, 4 * MIB, parts)); /* there again, as this split says */
    cr_assert_eq(parts[1], gone);
    cr_assert_eq(weir_device_get_limit_bytes(gone), 4 * MIB);
}

WEIR_DEVICE_TEST_BARE(logical, a_context_that_a_split_came_after_cannot_allocate)
{
    weir_device *parts[2] = {NULL};
    weir_device *one = NULL;
    const uint64_t whole[] = {MIB};
    weir_context *early = NULL;
    weir_context *second = NULL;
    weir_block *block = NULL;

    wt_ok(weir_context_create(device, NULL, &early));
    wt_ok(split2(device, MIB, MIB, parts));
    wt_fails(weir_pool_alloc(weir_context_get_pool(early), NULL, 100, NULL, &block), WEIR_E_ARG);
    expect_message("is split into 2");
    wt_ok(weir_context_create(parts[1], NULL, &second));
    wt_ok(weir_device_split(device, 1, limits(1, whole), &one));
    cr_assert_eq(one, parts[0]);
    wt_fails(weir_pool_alloc(weir_context_get_pool(second), NULL, 100, NULL, &block), WEIR_E_ARG);
    expect_message("was split again");
    cr_assert_null(block, "%s", dev->name);
    weir_context_release(second);
    second = NULL;
    wt_fails(weir_context_create(parts[1], NULL, &second), WEIR_E_ARG);
    weir_context_release(early);
}

Test(logical, the_sum_is_checked_against_the_device)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_memory_options halves[3] = {WEIR_MEMORY_OPTIONS_INIT, WEIR_MEMORY_OPTIONS_INIT,
                                     WEIR_MEMORY_OPTIONS_INIT};
    weir_device *parts[3] = {NULL};

    wt_ok(split2(device, NULL_BYTES - 1, 1, parts));
    wt_fails(split2(device, NULL_BYTES, 1, parts), WEIR_E_ARG);
    expect_message("17179869184");
    cr_assert_null(parts[0]);
    wt_fails(split2(device, UINT64_MAX, UINT64_MAX, parts), WEIR_E_ARG);
    wt_fails(split2(device, 1, UINT64_MAX, parts), WEIR_E_ARG);
    cr_assert_eq(weir_device_get_limit_bytes(weir_device_logical(device, 0)), NULL_BYTES - 1);

    for (size_t i = 0; i < 3; i++) halves[i].limit_fraction = 1.0 / 3;
    wt_ok(weir_device_split(device, 3, halves, parts));
    halves[2].limit_fraction = 0.34;
    wt_fails(weir_device_split(device, 3, halves, parts), WEIR_E_ARG);

    /* A logical device may grow into what the others leave, before its first allocation. */
    wt_ok(split2(device, MIB, 2 * MIB, parts));
    options.limit_bytes = NULL_BYTES - 2 * MIB;
    wt_ok(weir_device_configure(parts[0], &options));
    options.limit_bytes++;
    wt_fails(weir_device_configure(parts[0], &options), WEIR_E_ARG);
    cr_assert_eq(weir_device_get_limit_bytes(parts[0]), NULL_BYTES - 2 * MIB);

    /* A limit of the device's own. */
    device = weir_system_device(system, 1);
    options.limit_bytes = 10 * MIB;
    wt_ok(weir_device_configure(device, &options));
    wt_fails(split2(device, 8 * MIB, 2 * MIB + 1, parts), WEIR_E_ARG);
    expect_message("10485760");
    wt_ok(split2(device, 8 * MIB, 2 * MIB, parts));
    weir_system_destroy(system);
}

Test(logical, a_limit_in_the_environment_holds_for_the_sum)
{
    weir_system *system = NULL;
    weir_device *parts[2] = {NULL};

    setenv("WEIR_LIMIT", "6M", 1);
    setenv("WEIR_POOL", "ondemand", 1);
    system = list();
    wt_fails(split2(weir_system_device(system, 0), 4 * MIB, 4 * MIB, parts), WEIR_E_ARG);
    wt_ok(split2(weir_system_device(system, 0), 4 * MIB, 2 * MIB, parts));
    cr_assert_eq(weir_device_get_limit_bytes(parts[0]), 4 * MIB);
    cr_assert_str_eq(weir_device_get_strategy(parts[0]), "ondemand");
    weir_system_destroy(system);
}

Test(logical, takes_the_device_s_strategy_unless_it_has_its_own)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);
    weir_memory_options options[2] = {WEIR_MEMORY_OPTIONS_INIT, WEIR_MEMORY_OPTIONS_INIT};
    weir_device *parts[2] = {NULL};

    options[0].strategy = "ondemand";
    wt_ok(weir_device_configure(device, &options[0]));
    options[0].strategy = NULL;
    options[0].limit_bytes = options[1].limit_bytes = MIB;
    options[1].strategy = "prealloc";
    wt_ok(weir_device_split(device, 2, options, parts));
    cr_assert_str_eq(weir_device_get_strategy(parts[0]), "ondemand");
    cr_assert_str_eq(weir_device_get_strategy(parts[1]), "prealloc");
    weir_system_destroy(system);
}

Test(logical, refuses_nonsense_and_changes_nothing)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);
    const uint64_t fine[] = {MIB, MIB};
    const uint64_t unlimited[] = {MIB, 0};
    const size_t unset[] = {
        0, 1, 13, sizeof(weir_memory_options) + 1, SIZE_MAX / 2 + 1, SIZE_MAX - 7, SIZE_MAX};
    weir_memory_options options[2] = {WEIR_MEMORY_OPTIONS_INIT, WEIR_MEMORY_OPTIONS_INIT};
    weir_device *parts[WEIR_LOGICAL_MAX + 1] = {NULL};

    wt_fails(weir_device_split(NULL, 2, limits(2, fine), parts), WEIR_E_ARG);
    wt_fails(weir_device_split(device, 2, NULL, parts), WEIR_E_ARG);
    wt_fails(weir_device_split(device, 2, limits(2, fine), NULL), WEIR_E_ARG);
    wt_fails(weir_device_split(device, 0, limits(2, fine), parts), WEIR_E_ARG);
    wt_fails(weir_device_split(device, WEIR_LOGICAL_MAX + 1, limits(2, fine), parts), WEIR_E_ARG);
    wt_fails(weir_device_split(device, SIZE_MAX, limits(2, fine), parts), WEIR_E_ARG);
    wt_fails(weir_device_split(device, 2, limits(2, unlimited), parts), WEIR_E_ARG);
    expect_message("logical device 1 of 0.0 has no limit");
    options[0].limit_bytes = options[1].limit_bytes = MIB;
    options[1].struct_size = 0;
    wt_fails(weir_device_split(device, 2, options, parts), WEIR_E_ARG);
    options[1].struct_size = sizeof options[1];
    /* What stands there where nobody set it: nothing behind the first entry may be looked at. */
    for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) {
        options[0].struct_size = unset[i];
        wt_fails(weir_device_split(device, 2, options, parts), WEIR_E_ARG);
        expect_message("struct_size");
    }
    options[0].struct_size = sizeof options[0];
    options[1].strategy = "puddle";
    wt_fails(weir_device_split(device, 2, options, parts), WEIR_E_ARG);
    expect_message("puddle");
    options[1].strategy = NULL;
    options[1].limit_fraction = 0.5;
    wt_fails(weir_device_split(device, 2, options, parts), WEIR_E_ARG);
    cr_assert_eq(weir_device_logical_count(device), 0U);
    cr_assert_eq(weir_device_logical_count(NULL), 0U);
    cr_assert_null(weir_device_logical(NULL, 0));
    cr_assert_null(weir_device_get_parent(NULL));

    wt_ok(split2(device, MIB, MIB, parts));
    wt_fails(split2(parts[0], 1, 1, &parts[2]), WEIR_E_ARG);
    expect_message("0.0:0 is a logical device");
    wt_fails(weir_device_configure(parts[0], NULL), WEIR_E_ARG);
    expect_message("needs a limit");
    options[0].limit_bytes = 5 * MIB;
    wt_fails(weir_device_configure(device, &options[0]), WEIR_E_ARG);
    expect_message("is split into 2");
    cr_assert_eq(weir_device_get_limit_bytes(parts[0]), MIB);
    weir_system_destroy(system);
}

Test(logical, listing_gives_physical_devices_and_finding_both)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 1);
    weir_device *parts[2] = {NULL};
    weir_device *found = NULL;

    wt_fails(weir_system_find(system, "0.1:1", &found), WEIR_E_NO_DEVICE);
    expect_message("0.1:1");
    wt_ok(split2(device, MIB, MIB, parts));
    cr_assert_eq(weir_system_count(system), 2U);
    cr_assert_eq(weir_system_device(system, 1), device);
    wt_ok(weir_system_find(system, "0.1:1", &found));
    cr_assert_eq(found, parts[1]);
    cr_assert_str_eq(weir_device_get_index(found), "0.1:1");
    wt_ok(weir_system_find(system, "0.1", &found));
    cr_assert_eq(found, device);
    wt_fails(weir_system_find(system, "0.1:2", &found), WEIR_E_NO_DEVICE);
    cr_assert_null(found);
    wt_fails(weir_system_find(system, "0.0:0", &found), WEIR_E_NO_DEVICE);
    wt_fails(weir_system_find(system, "0.1:", &found), WEIR_E_ARG);
    wt_fails(weir_system_find(system, "0.1:x", &found), WEIR_E_ARG);
    wt_fails(weir_system_find(system, "0.1:1:1", &found), WEIR_E_ARG);
    weir_system_destroy(system);
}

Test(logical, other_devices_are_not_affected)
{
    weir_system *system = list();
    weir_device *parts[2] = {NULL};
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_context *other = NULL;
    weir_block *block = NULL;

    wt_ok(split2(weir_system_device(system, 0), MIB, MIB, parts));
    context = open_unchecked(parts[0]);
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 100, NULL, &block));
    weir_block_release(block);
    options.limit_bytes = 3 * MIB;
    wt_ok(weir_device_configure(weir_system_device(system, 1), &options));
    wt_ok(split2(weir_system_device(system, 1), MIB, 2 * MIB, parts));
    other = open_unchecked(parts[1]);
    wt_ok(weir_pool_alloc(weir_context_get_pool(other), NULL, 2 * MIB, NULL, &block));
    weir_block_release(block);
    weir_context_release(other);
    weir_context_release(context);
    weir_system_destroy(system);
}
