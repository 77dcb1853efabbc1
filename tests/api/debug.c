/* Debug levels: what they find, whom they name, where they say it, and that they find nothing in a program without
 * mistakes. Writes outside a block are made by commands on its root. */
#include "devices.h"

#include "base/memory.h"
#include "cl/queue.h"
#include "context/context.h"
#include "mem/block.h"
#include "mem/pool_state.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(debug, .timeout = WT_TIMEOUT);

#define KIB UINT64_C(1024)

/* What the log hook was told, one message a line. */
static char said[8192];

static void hear(weir_log_level level, const char *text, void *user)
{
    const size_t used = strlen(said);

    (void)user;
    if (level >= WEIR_LOG_WARNING) (void)snprintf(said + used, sizeof said - used, "%s\n", text);
}

static void configure(weir_context *ctx, unsigned level, const char *strategy, uint64_t limit)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    options.debug_level = level;
    options.strategy = strategy;
    options.limit_bytes = limit;
    wt_ok(weir_device_configure(weir_context_get_device(ctx), &options));
    said[0] = '\0';
    weir_log_set_hook(WEIR_LOG_WARNING, hear, NULL);
}

static weir_block *take(weir_context *ctx, uint64_t bytes, const char *owner)
{
    weir_block *block = NULL;
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, bytes, owner, &block));
    return block;
}

/* Writes one byte, `at` bytes from the start of a block. */
static void poke(weir_context *ctx, weir_block *block, int64_t at, unsigned char value)
{
    const uint64_t place = (uint64_t)((int64_t)wi_block_get_offset_bytes(block) + at);
    wt_ok(
        wi_queue_fill(wi_context_get_queue(ctx), wi_block_get_buffer(block), place, 1, &value, 1));
}

static void expect_said(const struct wt_device *dev, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_not_null(strstr(said, parts[i]), "%s: \"%s\" is not in: %s", dev->name, parts[i],
                           said);
}

#define EXPECT_SAID(...)                                 \
    expect_said(dev, (const char *const[]){__VA_ARGS__}, \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void nothing_found(weir_context *ctx, const struct wt_device *dev)
{
    cr_assert_str_eq(said, "", "%s", dev->name);
    wt_ok(weir_context_synchronize(ctx));
    cr_assert(wi_pool_check(weir_context_get_pool(ctx), NULL), "%s", dev->name);
}

WEIR_DEVICE_TEST_TAGGED(debug, a_write_outside_a_block_is_named_with_owner_side_and_offset)
{
    static const struct {
        int64_t at;
        const char *text;
    } rows[] = {{1000, "1 bytes behind it, the first 0 bytes after its end, 0x07"},
                {1003, "1 bytes behind it, the first 3 bytes after its end, 0x07"},
                {-1, "1 bytes before it, the first 1 bytes before its start, 0x07"},
                {-256, "1 bytes before it, the first 256 bytes before its start, 0x07"}};

    configure(ctx, 2, NULL, 0);
    wt_ok(weir_scope_push(weir_context_get_pool(ctx), "layer"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_block *block = take(ctx, 1000, "state");

        said[0] = '\0';
        poke(ctx, block, rows[i].at, 7);
        weir_block_release(block);
        EXPECT_SAID("weir_block_release", "a block of 1000 bytes (layer/state)", rows[i].text);
        wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
        cr_assert_not_null(strstr(weir_last_error()->message, rows[i].text), "%s",
                           weir_last_error()->message);
        wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
        weir_context_reset_error(ctx);
        wt_ok(weir_context_synchronize(ctx));
    }
    wt_ok(weir_scope_pop(weir_context_get_pool(ctx)));
}

WEIR_DEVICE_TEST_TAGGED(debug, a_read_by_the_host_tells_it_too)
{
    const weir_shape shape = {1, {4}};
    const uint32_t data[4] = {0x3f800000, 0x40000000, 0x40400000, 0x40800000};
    uint32_t back[4] = {0};
    weir_tensor *tensor = NULL;
    weir_block *block = NULL;

    configure(ctx, 2, NULL, 0);
    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, &tensor));
    block = take(ctx, 10, "small");
    poke(ctx, block, 10, 1);
    poke(ctx, block, 11, 2);
    weir_block_release(block);
    EXPECT_SAID("2 bytes behind it");
    wt_fails(weir_tensor_to_host(tensor, back, sizeof back), WEIR_E_MISUSE);
    weir_context_reset_error(ctx);
    wt_ok(weir_tensor_to_host(tensor, back, sizeof back));
    cr_assert_eq(memcmp(back, data, sizeof back), 0, "%s", dev->name);
    weir_tensor_release(tensor);
}

static void watch_strategy(weir_context *ctx, const struct wt_device *dev, const char *strategy)
{
    enum { COUNT = 20 };
    weir_block *blocks[COUNT];

    configure(ctx, 3, strategy, 0);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < COUNT; i++) {
            const uint64_t bytes = 1 + i * i * 97;
            unsigned char fresh[2] = {0};

            blocks[i] = take(ctx, bytes, "block");
            cr_assert_eq(weir_block_get_offset_bytes(blocks[i]) % 256, 0U, "%s", dev->name);
            cr_assert_eq(weir_block_get_bytes(blocks[i]), bytes);
            wt_ok(wi_queue_read(wi_context_get_queue(ctx), wi_block_get_buffer(blocks[i]),
                                wi_block_get_offset_bytes(blocks[i]), 1, &fresh[0]));
            wt_ok(wi_queue_read(wi_context_get_queue(ctx), wi_block_get_buffer(blocks[i]),
                                wi_block_get_offset_bytes(blocks[i]) + bytes - 1, 1, &fresh[1]));
            cr_assert_eq(fresh[0], 0xa5, "%s, %s: 0x%02x", dev->name, strategy, fresh[0]);
            cr_assert_eq(fresh[1], 0xa5, "%s, %s: 0x%02x", dev->name, strategy, fresh[1]);
            poke(ctx, blocks[i], 0, 1);
            poke(ctx, blocks[i], (int64_t)bytes - 1, 2);
        }
        nothing_found(ctx, dev);
        if (round == 1) poke(ctx, blocks[7], 1 + 7 * 7 * 97, 3);
        for (int i = 0; i < COUNT; i++) weir_block_release(blocks[i]);
        if (round == 0) nothing_found(ctx, dev);
    }
    EXPECT_SAID("a block of 4754 bytes (block)");
    wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
    weir_context_reset_error(ctx);
    wt_ok(weir_pool_trim(weir_context_get_pool(ctx), 0));
    cr_assert(wi_pool_check(weir_context_get_pool(ctx), NULL));
}

WEIR_DEVICE_TEST_TAGGED(debug, guards_work_with_growth) { watch_strategy(ctx, dev, "growth"); }
WEIR_DEVICE_TEST(debug, guards_work_with_ondemand) { watch_strategy(ctx, dev, "ondemand"); }
WEIR_DEVICE_TEST_TAGGED(debug, guards_work_with_direct) { watch_strategy(ctx, dev, "direct"); }
WEIR_DEVICE_TEST(debug, guards_work_with_adaptive) { watch_strategy(ctx, dev, "adaptive"); }

WEIR_DEVICE_TEST(debug, guards_work_with_prealloc)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    options.limit_bytes = 4 * KIB * KIB;
    wt_ok(weir_device_configure(weir_context_get_device(ctx), &options));
    watch_strategy(ctx, dev, "prealloc");
}

WEIR_DEVICE_TEST_TAGGED(debug, released_memory_is_overwritten)
{
    unsigned char data[300];
    weir_block *keeper = NULL;
    weir_block *block = NULL;
    cl_mem root = NULL;
    uint64_t offset = 0;

    configure(ctx, 2, "growth", 0);
    keeper = take(ctx, 300, "keeper");
    block = take(ctx, 300, "block");
    root = wi_block_get_buffer(block);
    offset = wi_block_get_offset_bytes(block);
    cr_assert_eq(wi_block_get_buffer(keeper), root);
    weir_block_release(block);
    wt_ok(wi_queue_read(wi_context_get_queue(ctx), root, offset, sizeof data, data));
    for (size_t i = 0; i < sizeof data; i++)
        cr_assert_eq(data[i], 0xdd, "%s: byte %zu is 0x%02x", dev->name, i, data[i]);
    weir_block_release(keeper);
    nothing_found(ctx, dev);
}

WEIR_DEVICE_TEST_TAGGED(debug, a_released_block_is_named_by_the_call_that_uses_it)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *keeper = NULL;
    weir_block *block = NULL;
    weir_block *empty = NULL;
    weir_pool_stats stats;

    configure(ctx, 3, NULL, 0);
    wt_ok(weir_scope_push(pool, "layer"));
    keeper = take(ctx, 1, "keeper");
    block = take(ctx, 1000, "cache");
    empty = take(ctx, 0, "nothing");
    wt_ok(weir_scope_pop(pool));
    weir_block_release(block);
    weir_block_release(empty);
    for (int i = 0; i < 500; i++) { /* neither the object nor the label is used for another block */
        char name[16];
        (void)snprintf(name, sizeof name, "v%d", i);
        weir_block_release(take(ctx, 1000, name));
    }
    nothing_found(ctx, dev);

    cr_assert_eq(weir_block_get_bytes(block), 0U);
    EXPECT_SAID("use after release: weir_block_get_bytes()", "1000 bytes (layer/cache)");
    cr_assert_eq(weir_block_get_offset_bytes(block), 0U);
    cr_assert_eq(weir_block_get_root(block), 0U);
    cr_assert_eq(weir_block_retain(block), block);
    wt_fails(weir_block_record(block, weir_context_get_queue(ctx)), WEIR_E_MISUSE);
    weir_block_release(block);
    weir_block_release(empty);
    EXPECT_SAID("weir_block_record()", "weir_block_get_offset_bytes()", "weir_block_get_root()",
                "weir_block_retain()", "weir_block_release()", "0 bytes (empty)");
    wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
    cr_assert_not_null(strstr(weir_last_error()->message, "layer/cache"));
    cr_assert_str_eq(weir_last_error()->where, "weir_block_get_bytes");
    weir_context_reset_error(ctx);
    wt_ok(weir_context_synchronize(ctx));
    weir_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.blocks.current, 1U, "%s", dev->name);
    cr_assert(wi_pool_check(pool, NULL));
    weir_block_release(keeper);
}

/* Below level 3 the object waits to be used again, and its label may be dropped meanwhile. */
WEIR_DEVICE_TEST_TAGGED(debug, below_level_3_a_released_block_is_told_without_its_label)
{
    weir_block *block = NULL;
    weir_block *next = NULL;

    configure(ctx, 2, NULL, 0);
    block = take(ctx, 1000, "cache");
    next = take(ctx, 1000, "next");
    weir_block_release(block);
    weir_block_release(next);
    for (int i = 0; i < 500; i++) { /* in the object of `next` */
        char name[16];
        (void)snprintf(name, sizeof name, "v%d", i);
        weir_block_release(take(ctx, 1000, name));
    }
    nothing_found(ctx, dev);
    weir_block_release(block);
    EXPECT_SAID("use after release: weir_block_release()",
                "1000 bytes (its label is known at debug level 3)");
    wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
    weir_context_reset_error(ctx);
    said[0] = '\0';
    nothing_found(ctx, dev);
}

WEIR_DEVICE_TEST_TAGGED(debug, wrong_books_are_told_at_the_next_trim)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *block = NULL;

    configure(ctx, 1, NULL, 0);
    block = take(ctx, 1000, "block");
    wt_ok(weir_pool_trim(pool, 0));
    nothing_found(ctx, dev);
    pool->in_use.current += 256;
    wt_ok(weir_pool_trim(pool, 0));
    EXPECT_SAID("weir_pool_trim", "the books of the pool are wrong", "owners' bytes == in_use");
    wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
    weir_context_reset_error(ctx);
    said[0] = '\0';
    for (int i = 0; i < 600; i++) weir_block_release(take(ctx, 1000, "block"));
    EXPECT_SAID("the books of the pool are wrong");
    pool->in_use.current -= 256;
    weir_context_reset_error(ctx);
    said[0] = '\0';
    weir_block_release(block);
    nothing_found(ctx, dev);
}

WEIR_DEVICE_TEST(debug, a_pool_that_closes_lists_what_is_held)
{
    weir_block *first = NULL;
    weir_block *held = NULL;
    weir_pool *pool = NULL;
    const wi_pool_options options = {.context = wi_context_get_cl_context(ctx),
                                     .device = weir_context_get_device(ctx),
                                     .queues = weir_context_get_queue(ctx)->set};

    configure(ctx, 1, NULL, 0);
    wt_ok(wi_pool_create(&options, &pool));
    wt_ok(weir_pool_alloc(pool, NULL, 1000, "forgotten", &held));
    wt_ok(weir_pool_alloc(pool, NULL, 1000, "returned", &first));
    weir_block_release(first);
    wi_pool_destroy(pool);
    EXPECT_SAID("the pool is closed while 1 blocks are held", "forgotten");
    cr_assert_null(strstr(said, "returned"), "%s: %s", dev->name, said);
    wi_free(held);
}

/* A block that is moved takes its guards along, and damage done before the move and after it is found. */
WEIR_DEVICE_TEST(debug, guards_move_with_their_blocks)
{
    enum { COUNT = 300, BYTES = 60 * KIB }; /* four with their guards in a buffer */
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *blocks[COUNT] = {NULL};
    uint64_t offsets[COUNT];
    uint64_t roots[COUNT];
    weir_block *large = NULL;
    int held = 0;
    int moved = -1;

    configure(ctx, 2, "adaptive", 16 * KIB * KIB);
    while (held < COUNT && weir_pool_alloc(pool, NULL, BYTES, "part", &blocks[held]) == WEIR_OK)
        held++;
    cr_assert_gt(held, 200, "%s", dev->name);
    for (int i = 0; i < held; i++) {
        roots[i] = weir_block_get_root(blocks[i]);
        offsets[i] = weir_block_get_offset_bytes(blocks[i]);
        poke(ctx, blocks[i], 0, (unsigned char)i);
        poke(ctx, blocks[i], BYTES - 1, (unsigned char)(i + 1));
        if (i % 4 != 1) continue;
        poke(ctx, blocks[i], BYTES, 9);
        poke(ctx, blocks[i], -1, 9);
    }
    for (int i = 0; i < held; i++) {
        if (i % 4 == 1 || i % 4 == 2) continue;
        weir_block_release(blocks[i]);
        blocks[i] = NULL;
    }
    cr_assert_str_eq(said, "", "%s", dev->name);
    wt_ok(weir_pool_alloc(pool, NULL, 640 * KIB, "large", &large));
    for (int i = 0; i < held; i++) {
        unsigned char ends[2] = {0};
        if (blocks[i] == NULL) continue;
        if (weir_block_get_root(blocks[i]) != roots[i] ||
            weir_block_get_offset_bytes(blocks[i]) != offsets[i])
            moved = i;
        cr_assert_eq(weir_block_get_offset_bytes(blocks[i]) % 256, 0U);
        wt_ok(wi_queue_read(wi_context_get_queue(ctx), wi_block_get_buffer(blocks[i]),
                            wi_block_get_offset_bytes(blocks[i]), 1, &ends[0]));
        wt_ok(wi_queue_read(wi_context_get_queue(ctx), wi_block_get_buffer(blocks[i]),
                            wi_block_get_offset_bytes(blocks[i]) + BYTES - 1, 1, &ends[1]));
        cr_assert_eq(ends[0], (unsigned char)i, "%s: block %d", dev->name, i);
        cr_assert_eq(ends[1], (unsigned char)(i + 1), "%s: block %d", dev->name, i);
    }
    cr_assert_geq(moved, 0, "%s: nothing was moved", dev->name);
    for (int i = 0; i < held; i++) {
        said[0] = '\0';
        if (blocks[i] == NULL) continue;
        weir_block_release(blocks[i]);
        if (i % 4 == 2)
            cr_assert_str_eq(said, "", "%s: block %d", dev->name, i);
        else
            EXPECT_SAID("1 bytes before it", "1 bytes behind it");
    }
    said[0] = '\0';
    weir_block_release(large);
    weir_context_reset_error(ctx);
    nothing_found(ctx, dev);
}

/* Guards are written and read by the queue that the block belongs to, and what is found is told by its wait as well. */
WEIR_DEVICE_TEST_TAGGED(debug, blocks_of_other_queues_are_guarded)
{
    weir_queue *queue = NULL;
    weir_block *block = NULL;
    unsigned char value = 5;

    configure(ctx, 3, NULL, 0);
    wt_ok(weir_queue_create(ctx, &queue));
    for (int i = 0; i < 10; i++) {
        wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), i % 2 != 0 ? queue : NULL, 100, "block",
                              &block));
        wt_ok(wi_queue_fill(i % 2 != 0 ? queue->queue : wi_context_get_queue(ctx),
                            wi_block_get_buffer(block), wi_block_get_offset_bytes(block),
                            i == 9 ? 101 : 100, &value, 1));
        cr_assert_str_eq(said, "", "%s: block %d", dev->name, i);
        weir_block_release(block);
    }
    EXPECT_SAID("a block of 100 bytes (block)", "1 bytes behind it");
    wt_fails(weir_queue_synchronize(queue), WEIR_E_MISUSE);
    wt_fails(weir_context_synchronize(ctx), WEIR_E_MISUSE);
    weir_context_reset_error(ctx);
    wt_ok(weir_queue_synchronize(queue));
    weir_queue_release(queue);
}

/* A program without mistakes, of all parts that take memory. */
WEIR_DEVICE_TEST_TAGGED(debug, finds_nothing_in_a_right_program)
{
    const uint64_t rows = 7;
    const weir_shape shape = {2, {rows, 33}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *initial = NULL;
    weir_variable *variable = NULL;

    configure(ctx, 3, NULL, 0);
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &initial));
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, initial, NULL, &variable));
    for (int i = 0; i < 5; i++) {
        weir_tape *tape = NULL;
        weir_tensor *value = NULL;
        weir_tensor *noise = NULL;
        weir_tensor *curved = NULL;
        weir_tensor *sum = NULL;
        weir_tensor *gradient = NULL;

        wt_ok(weir_tape_begin(ctx, NULL, &tape));
        wt_ok(weir_variable_read(variable, &value));
        wt_ok(weir_tape_watch(tape, value));
        wt_ok(weir_random_normal(ctx, &generator, &shape, &noise));
        wt_ok(weir_tanh(ctx, value, &curved));
        wt_ok(weir_add(ctx, curved, noise, &sum));
        wt_ok(weir_tape_gradient(tape, &sum, 1, NULL, &value, 1, &gradient));
        wt_ok(weir_variable_assign_add(variable, gradient));
        wt_ok(weir_variable_assign_sub(variable, noise));
        weir_tensor_release(value);
        weir_tensor_release(noise);
        weir_tensor_release(curved);
        weir_tensor_release(sum);
        weir_tensor_release(gradient);
        weir_tape_destroy(tape);
    }
    weir_tensor_release(initial);
    weir_variable_release(variable);
    nothing_found(ctx, dev);
}

WEIR_DEVICE_TEST_BARE(debug, the_level_comes_from_the_program_else_from_the_environment)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *ctx = NULL;
    weir_block *block = NULL;

    setenv("WEIR_MEMORY_DEBUG", "4", 1);
    wt_fails(weir_context_create(device, NULL, &ctx), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "WEIR_MEMORY_DEBUG"));
    options.debug_level = 4;
    wt_fails(weir_device_configure(device, &options), WEIR_E_ARG);
    options.debug_level = 1;
    wt_ok(weir_device_configure(device, &options));
    options.debug_level = 0;
    options.strategy = "growth";
    wt_ok(weir_device_configure(device, &options));
    ctx = wt_open(dev, NULL);
    block = take(ctx, 1000, NULL);
    cr_assert_eq(weir_context_get_pool(ctx)->debug.level, 1U);
    options.debug_level = 2;
    wt_fails(weir_device_configure(device, &options), WEIR_E_CONFIG_FROZEN);
    weir_block_release(block);
    weir_context_release(ctx);
}
