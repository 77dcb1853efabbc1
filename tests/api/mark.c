/* Marks of a pool and what grew between them, against a plain model, and the leak of a layer found by its label. */
#include "devices.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(mark, .timeout = WT_TIMEOUT);

static weir_block *take(weir_context *ctx, uint64_t bytes, const char *owner)
{
    weir_block *block = NULL;
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, bytes, owner, &block));
    return block;
}

static weir_mark *mark_of(weir_context *ctx)
{
    weir_mark *mark = NULL;
    wt_ok(weir_pool_mark(weir_context_get_pool(ctx), &mark));
    return mark;
}

#define LAYERS 5
#define LEAKING 3

/* Calls the layers of a model; layer LEAKING makes a new tensor each time and keeps it. */
static void forward(weir_context *ctx, weir_tensor *input, weir_tensor **kept)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_tensor *value = weir_tensor_retain(input);

    wt_ok(weir_scope_push(pool, "model"));
    for (int i = 0; i < LAYERS; i++) {
        char name[16];
        weir_tensor *next = NULL;
        weir_tensor *curved = NULL;

        (void)snprintf(name, sizeof name, "layer %d", i);
        wt_ok(weir_scope_push(pool, name));
        wt_ok(weir_tanh(ctx, value, &curved));
        wt_ok(weir_add(ctx, curved, value, &next));
        if (i == LEAKING) *kept = weir_tensor_retain(curved);
        wt_ok(weir_scope_pop(pool));
        weir_tensor_release(curved);
        weir_tensor_release(value);
        value = next;
    }
    wt_ok(weir_scope_pop(pool));
    weir_tensor_release(value);
}

WEIR_DEVICE_TEST_TAGGED(mark, a_layer_that_keeps_a_tensor_each_pass_is_named_first)
{
    enum { PASSES = 12 };
    const weir_shape shape = {1, {4096}};
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_tensor *kept[PASSES] = {NULL};
    weir_tensor *input = NULL;
    weir_mark *first = NULL;
    weir_mark *second = NULL;
    weir_growth grown[4];
    weir_text *text = NULL;
    size_t count = 0;

    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &input));
    forward(ctx, input, &kept[0]);
    first = mark_of(ctx);
    for (int i = 1; i < PASSES; i++) forward(ctx, input, &kept[i]);
    second = mark_of(ctx);
    wt_ok(weir_pool_diff(pool, first, second, grown, 4, &count));
    cr_assert_eq(count, 1U, "%s: %zu owners grew", dev->name, count);
    cr_assert_str_eq(grown[0].owner, "model/layer 3/tanh", "%s", dev->name);
    cr_assert_eq(grown[0].bytes, (PASSES - 1) * 16384, "%s", dev->name);
    cr_assert_eq(grown[0].blocks, PASSES - 1, "%s", dev->name);
    cr_assert_eq(grown[1].owner[0], '\0');
    wt_ok(weir_text_create(&text));
    wt_ok(weir_pool_diff_report(pool, first, NULL, text));
    cr_assert_not_null(strstr(weir_text_get(text), "model/layer 3/tanh"), "%s",
                       weir_text_get(text));
    cr_assert_not_null(strstr(weir_text_get(text), "+176.00 KiB"), "%s", weir_text_get(text));
    cr_assert_not_null(strstr(weir_text_get(text), "(all owners)"), "%s", weir_text_get(text));
    for (int i = 0; i < PASSES; i++) weir_tensor_release(kept[i]);
    wt_ok(weir_pool_diff(pool, first, NULL, grown, 4, &count));
    cr_assert_eq(count, 0U, "%s", dev->name);
    wt_ok(weir_pool_diff(pool, first, second, NULL, 0, &count)); /* marks stay what they were */
    cr_assert_eq(count, 1U, "%s", dev->name);
    weir_text_destroy(text);
    weir_mark_destroy(first);
    weir_mark_destroy(second);
    weir_tensor_release(input);
}

WEIR_DEVICE_TEST_TAGGED(mark, wrong_arguments_are_refused)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_context *other = NULL;
    weir_mark *mark = NULL;
    weir_growth grown = {"x", 1, 1};
    weir_text *text = NULL;
    size_t count = 9;

    wt_fails(weir_pool_mark(NULL, &mark), WEIR_E_ARG);
    wt_fails(weir_pool_mark(pool, NULL), WEIR_E_ARG);
    wt_ok(weir_pool_mark(pool, &mark)); /* an empty pool has a mark, too */
    wt_fails(weir_pool_diff(NULL, mark, NULL, NULL, 0, NULL), WEIR_E_ARG);
    wt_fails(weir_pool_diff(pool, NULL, mark, &grown, 1, &count), WEIR_E_ARG);
    cr_assert_eq(count, 0U, "%s", dev->name);
    cr_assert_eq(grown.owner[0], '\0', "%s", dev->name);
    wt_fails(weir_pool_diff_report(pool, mark, NULL, NULL), WEIR_E_ARG);
    wt_ok(weir_context_create(
        weir_context_get_device(ctx),
        &(weir_context_options){.struct_size = sizeof(weir_context_options), .no_self_check = 1},
        &other));
    wt_fails(weir_pool_diff(weir_context_get_pool(other), mark, NULL, NULL, 0, NULL),
             WEIR_E_CONTEXT);
    wt_ok(weir_text_create(&text));
    wt_ok(weir_pool_diff_report(pool, mark, mark, text));
    cr_assert_not_null(strstr(weir_text_get(text), "+0 B"), "%s", weir_text_get(text));
    weir_text_destroy(text);
    weir_context_release(other);
    weir_mark_destroy(mark);
    weir_mark_destroy(NULL);
}

/* A new pool often has the address of one that is gone. */
WEIR_DEVICE_TEST_BARE_TAGGED(mark, a_mark_of_a_pool_that_is_gone_is_of_no_other)
{
    const weir_context_options options = {.struct_size = sizeof options, .no_self_check = 1};
    weir_context *ctx = NULL;
    weir_block *block = NULL;
    weir_mark *mark = NULL;
    weir_mark *own = NULL;

    wt_ok(weir_context_create(device, &options, &ctx));
    block = take(ctx, 1000, "before");
    mark = mark_of(ctx);
    weir_block_release(block);
    weir_context_release(ctx);
    for (int i = 0; i < 4; i++) {
        weir_growth grown;
        size_t count = 0;

        wt_ok(weir_context_create(device, &options, &ctx));
        wt_fails(weir_pool_diff(weir_context_get_pool(ctx), mark, NULL, NULL, 0, NULL),
                 WEIR_E_CONTEXT);
        own = mark_of(ctx);
        wt_fails(weir_pool_diff(weir_context_get_pool(ctx), own, mark, NULL, 0, NULL),
                 WEIR_E_CONTEXT);
        block = take(ctx, 1000, "after");
        wt_ok(weir_pool_diff(weir_context_get_pool(ctx), own, NULL, &grown, 1, &count));
        cr_assert(count == 1 && strcmp(grown.owner, "after") == 0, "%s", dev->name);
        weir_mark_destroy(own);
        weir_block_release(block);
        weir_context_release(ctx);
    }
    weir_mark_destroy(mark);
}

/* A pseudo-random number below `limit`. */
static uint64_t next(uint64_t *state, uint64_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % limit;
}

#define LABELS 30
#define HELD 200

/* What the labels held when a mark was made. */
typedef struct model {
    int64_t bytes[LABELS];
    int64_t blocks[LABELS];
} model;

static void check_diff(weir_context *ctx, const weir_mark *from, const weir_mark *to,
                       const model *before, const model *after, const char *const *names)
{
    weir_growth grown[LABELS];
    weir_growth few[3];
    size_t count = 0;
    size_t expected = 0;

    wt_ok(weir_pool_diff(weir_context_get_pool(ctx), from, to, grown, LABELS, &count));
    for (size_t i = 0; i < LABELS; i++) {
        const int64_t bytes = after->bytes[i] - before->bytes[i];
        const int64_t blocks = after->blocks[i] - before->blocks[i];
        size_t at = 0;

        if (bytes < 0 || (bytes == 0 && blocks <= 0)) continue;
        expected++;
        while (at < count && strcmp(grown[at].owner, names[i]) != 0) at++;
        cr_assert_lt(at, count, "%s is missing", names[i]);
        cr_assert_eq(grown[at].bytes, bytes);
        cr_assert_eq(grown[at].blocks, blocks);
    }
    cr_assert_eq(count, expected);
    for (size_t i = 1; i < count; i++) cr_assert_geq(grown[i - 1].bytes, grown[i].bytes);
    wt_ok(weir_pool_diff(weir_context_get_pool(ctx), from, to, few, 3, &count));
    cr_assert_eq(count, expected);
    for (size_t i = 0; i < 3 && i < count; i++) cr_assert_str_eq(few[i].owner, grown[i].owner);
}

static int64_t in_use(weir_context *ctx)
{
    weir_pool_stats stats;
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    return (int64_t)stats.in_use_bytes.current;
}

WEIR_DEVICE_TEST(mark, differences_are_those_of_a_plain_model)
{
    static char texts[LABELS][16];
    const char *names[LABELS];
    weir_block *held[HELD] = {NULL};
    size_t labels[HELD] = {0};
    int64_t sizes[HELD] = {0}; /* rounded, as the strategy says */
    model now = {0};
    model marked = {0};
    weir_mark *mark = mark_of(ctx);
    uint64_t state = 3;

    (void)dev;
    for (size_t i = 0; i < LABELS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "owner %zu", i);
        names[i] = texts[i];
    }
    for (uint64_t step = 0; step < wt_scale(5000); step++) {
        const uint64_t at = next(&state, HELD);

        if (held[at] != NULL) {
            now.bytes[labels[at]] -= sizes[at];
            now.blocks[labels[at]]--;
        }
        weir_block_release(held[at]);
        held[at] = NULL;
        if (next(&state, 3) != 0) {
            const int64_t before = in_use(ctx);
            labels[at] = next(&state, LABELS);
            held[at] = take(ctx, 1 + next(&state, 50000), names[labels[at]]);
            sizes[at] = in_use(ctx) - before;
            now.bytes[labels[at]] += sizes[at];
            now.blocks[labels[at]]++;
        }
        if (step % 100 != 99) continue;
        check_diff(ctx, mark, NULL, &marked, &now, names);
        if (step % 300 == 299) {
            weir_mark *later = mark_of(ctx);
            check_diff(ctx, mark, later, &marked, &now, names);
            check_diff(ctx, later, mark, &now, &marked, names);
            weir_mark_destroy(mark);
            mark = later;
            marked = now;
        }
    }
    for (int i = 0; i < HELD; i++) weir_block_release(held[i]);
    weir_mark_destroy(mark);
}
