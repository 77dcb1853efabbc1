/* Labels under scopes, the table of owners, and what the numbers of both have to do with each other. */
#include "devices.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

TestSuite(scope, .timeout = WT_TIMEOUT);

#define OWNERS_MAX 64

/* The entry of a label among all owners; all zero if there is none. */
static weir_owner_stats owner_of(weir_context *ctx, const char *label)
{
    weir_owner_stats all[OWNERS_MAX];
    const size_t count = weir_pool_get_owners(weir_context_get_pool(ctx), all, OWNERS_MAX);

    cr_assert_leq(count, (size_t)OWNERS_MAX);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].owner, label) == 0) return all[i];
    return (weir_owner_stats){0};
}

static weir_block *take(weir_context *ctx, uint64_t bytes, const char *owner)
{
    weir_block *block = NULL;
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, bytes, owner, &block));
    return block;
}

static void push(weir_context *ctx, const char *name)
{
    wt_ok(weir_scope_push(weir_context_get_pool(ctx), name));
}

static void pop(weir_context *ctx) { wt_ok(weir_scope_pop(weir_context_get_pool(ctx))); }

WEIR_DEVICE_TEST_TAGGED(scope, stands_before_the_names_of_blocks_and_operations)
{
    const weir_shape shape = {1, {1000}};
    weir_tensor *zeros = NULL;
    weir_tensor *sum = NULL;
    weir_block *blocks[4];

    push(ctx, "encoder");
    blocks[0] = take(ctx, 1000, "a");
    push(ctx, "layer 3");
    blocks[1] = take(ctx, 1000, NULL);
    blocks[2] = take(ctx, 1000, "/alone");
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &zeros));
    wt_ok(weir_add(ctx, zeros, zeros, &sum));
    pop(ctx);
    pop(ctx);
    blocks[3] = take(ctx, 1000, "a");
    cr_assert_eq(owner_of(ctx, "encoder/a").blocks.current, 1U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "encoder/layer 3/user").blocks.current, 1U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "alone").blocks.current, 1U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "encoder/layer 3/zeros").blocks.current, 1U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "encoder/layer 3/add").blocks.current, 1U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "a").blocks.current, 1U, "%s", dev->name);
    for (int i = 0; i < 4; i++) weir_block_release(blocks[i]);
    weir_tensor_release(zeros);
    weir_tensor_release(sum);
    cr_assert_eq(owner_of(ctx, "encoder/layer 3/add").blocks.current, 0U, "%s", dev->name);
}

WEIR_DEVICE_TEST_TAGGED(scope, a_pop_too_many_is_refused_and_changes_nothing)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *block = NULL;

    wt_fails(weir_scope_pop(pool), WEIR_E_ARG);
    cr_assert_neq(weir_last_error()->hint[0], '\0', "%s", dev->name);
    push(ctx, "one");
    wt_fails(weir_scope_push(pool, NULL), WEIR_E_ARG);
    wt_fails(weir_scope_push(pool, ""), WEIR_E_ARG);
    wt_fails(weir_scope_push(NULL, "two"), WEIR_E_ARG);
    wt_fails(weir_scope_pop(NULL), WEIR_E_ARG);
    pop(ctx);
    wt_fails(weir_scope_pop(pool), WEIR_E_ARG);
    block = take(ctx, 1, "after");
    cr_assert_eq(owner_of(ctx, "after").blocks.current, 1U, "%s", dev->name);
    weir_block_release(block);
    push(ctx, "left open"); /* closes with the context */
}

WEIR_DEVICE_TEST(scope, of_a_path_too_long_the_end_is_kept)
{
    char expected[128];
    weir_owner_stats all[1];
    weir_block *block = NULL;

    for (int i = 0; i < 20; i++) push(ctx, i % 2 != 0 ? "odd level" : "even level");
    block = take(ctx, 1, "the name");
    cr_assert_eq(weir_pool_get_owners(weir_context_get_pool(ctx), all, 1), 1U);
    cr_assert_eq(strlen(all[0].owner), WEIR_OWNER_BYTES - 1U, "%s: %s", dev->name, all[0].owner);
    cr_assert_eq(strncmp(all[0].owner, "...", 3), 0, "%s", all[0].owner);
    (void)snprintf(expected, sizeof expected, "even level/odd level/the name");
    cr_assert_str_eq(all[0].owner + WEIR_OWNER_BYTES - 1 - strlen(expected), expected);
    weir_block_release(block);
    for (int i = 0; i < 20; i++) pop(ctx);
    wt_fails(weir_scope_pop(weir_context_get_pool(ctx)), WEIR_E_ARG);
}

WEIR_DEVICE_TEST_TAGGED(scope, a_variable_keeps_the_label_it_was_created_with)
{
    const weir_shape shape = {1, {1000}};
    weir_tensor *value = NULL;
    weir_tensor *held = NULL;
    weir_variable *variable = NULL;

    push(ctx, "layer");
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &value));
    wt_ok(weir_variable_create(ctx, "weights", WEIR_DTYPE_F32, &shape, value, NULL, &variable));
    pop(ctx);
    cr_assert_str_eq(weir_variable_get_name(variable), "weights");
    cr_assert_eq(owner_of(ctx, "layer/weights").blocks.current, 1U, "%s", dev->name);
    push(ctx, "step");
    wt_ok(weir_variable_read(variable, &held));
    wt_ok(weir_variable_assign_add(variable, value)); /* copies: the old value is held */
    cr_assert_eq(owner_of(ctx, "layer/weights").blocks.current, 2U, "%s", dev->name);
    weir_tensor_release(held);
    weir_tensor_release(value);
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &value));
    cr_assert_eq(owner_of(ctx, "step/zeros").blocks.current, 1U, "%s", dev->name);
    wt_ok(weir_variable_assign(variable, value));
    cr_assert_eq(owner_of(ctx, "step/zeros").blocks.current, 0U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "layer/weights").blocks.current, 1U, "%s", dev->name);
    pop(ctx);
    weir_tensor_release(value);
    weir_variable_release(variable);
}

WEIR_DEVICE_TEST_TAGGED(scope, what_only_a_tape_keeps_is_the_tapes_within_its_scope)
{
    const weir_shape shape = {1, {1000}};
    weir_tape *tape = NULL;
    weir_tensor *source = NULL;
    weir_tensor *inner = NULL;
    weir_tensor *outer = NULL;

    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &source));
    wt_ok(weir_tape_begin(ctx, NULL, &tape));
    wt_ok(weir_tape_watch(tape, source));
    push(ctx, "layer");
    wt_ok(weir_mul(ctx, source, source, &inner));
    wt_ok(weir_mul(ctx, inner, inner, &outer));
    pop(ctx);
    weir_tensor_release(inner);
    cr_assert_eq(owner_of(ctx, "layer/tape").blocks.current, 1U, "%s", dev->name);
    cr_assert_eq(owner_of(ctx, "layer/mul").blocks.current, 1U, "%s", dev->name);
    weir_tape_destroy(tape);
    weir_tensor_release(outer);
    weir_tensor_release(source);
}

typedef struct worker {
    weir_context *ctx;
    int number;
    int is_right;
    weir_block *held;
} worker;

/* Takes and releases under scopes of its own, and keeps one block. */
static void *work(void *user)
{
    worker *w = user;
    weir_pool *pool = weir_context_get_pool(w->ctx);
    char name[32];

    (void)snprintf(name, sizeof name, "thread %d", w->number);
    w->is_right = weir_scope_push(pool, name) == WEIR_OK;
    for (int i = 0; w->is_right && i < 1000; i++) {
        weir_block *block = NULL;
        w->is_right = weir_scope_push(pool, i % 2 != 0 ? "odd" : "even") == WEIR_OK &&
                      weir_pool_alloc(pool, NULL, 256, "block", &block) == WEIR_OK &&
                      weir_scope_pop(pool) == WEIR_OK;
        if (i == 999)
            w->held = block;
        else
            weir_block_release(block);
    }
    w->is_right =
        w->is_right && weir_scope_pop(pool) == WEIR_OK && weir_scope_pop(pool) == WEIR_E_ARG;
    return NULL;
}

WEIR_DEVICE_TEST(scope, of_one_thread_does_not_label_the_blocks_of_another)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    worker workers[THREADS];
    char label[64];

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ctx, i, 0, NULL};
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        weir_owner_stats odd;
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
        cr_assert(workers[i].is_right, "%s: thread %d", dev->name, i);
        (void)snprintf(label, sizeof label, "thread %d/odd/block", i);
        odd = owner_of(ctx, label);
        cr_assert_eq(odd.blocks.current, 1U, "%s: %s", dev->name, label);
        cr_assert_eq(odd.blocks.count, 500U, "%s: %s", dev->name, label);
        (void)snprintf(label, sizeof label, "thread %d/even/block", i);
        cr_assert_eq(owner_of(ctx, label).blocks.count, 500U, "%s: %s", dev->name, label);
        weir_block_release(workers[i].held);
    }
}

WEIR_DEVICE_TEST_TAGGED(scope, the_report_of_a_failed_request_has_the_paths)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *held = NULL;
    weir_block *more = NULL;
    weir_text *text = NULL;
    const weir_error *error = weir_last_error();
    const char *const parts[] = {"out of memory (limit)", "asked for",       "1.00 MiB", "limit",
                                 "model/layer/cache",     "weir_pool_diff()"};

    options.limit_bytes = 1 << 20;
    wt_ok(weir_device_configure(weir_context_get_device(ctx), &options));
    push(ctx, "model");
    push(ctx, "layer");
    held = take(ctx, 300000, "cache");
    wt_fails(weir_pool_alloc(pool, NULL, 1 << 20, "next", &more), WEIR_E_OUT_OF_MEMORY);
    cr_assert(error->has_oom);
    cr_assert_str_eq(error->oom.owners[0].owner, "model/layer/cache");
    cr_assert_eq(strncmp(error->message, "model/layer/next asked for 1048576 bytes", 40), 0, "%s",
                 error->message);
    wt_ok(weir_text_create(&text));
    weir_oom_report_write(&error->oom, text);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        cr_assert_not_null(strstr(weir_text_get(text), parts[i]), "%s: no \"%s\" in\n%s", dev->name,
                           parts[i], weir_text_get(text));
    }
    weir_oom_report_write(NULL, text);
    weir_oom_report_write(&error->oom, NULL);
    weir_text_destroy(text);
    weir_block_release(held);
    pop(ctx);
    pop(ctx);
}

/* A pseudo-random number below `limit`. */
static uint64_t next(uint64_t *state, uint64_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % limit;
}

#define NAMES 4 /* under two levels of three scopes: fewer labels than make the table forget */
#define HELD 40

/* Relations between the statistics of the pool and of its owners. */
static void check_relations(weir_context *ctx, uint64_t step)
{
    weir_owner_stats all[OWNERS_MAX];
    weir_owner_stats some[3];
    weir_pool_stats stats;
    weir_counter bytes = {0};
    weir_counter blocks = {0};
    size_t count = 0;

    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    count = weir_pool_get_owners(weir_context_get_pool(ctx), all, OWNERS_MAX);
    cr_assert_leq(count, (size_t)OWNERS_MAX);
    for (size_t i = 0; i < count; i++) {
        cr_assert_leq(all[i].bytes.current, all[i].bytes.peak, "step %" PRIu64, step);
        cr_assert_leq(all[i].bytes.peak, all[i].bytes.total, "step %" PRIu64, step);
        cr_assert_leq(all[i].blocks.peak, all[i].blocks.total, "step %" PRIu64, step);
        cr_assert_leq(all[i].bytes.peak, stats.in_use_bytes.peak, "step %" PRIu64, step);
        if (i != 0) cr_assert_geq(all[i - 1].bytes.current, all[i].bytes.current);
        bytes.current += all[i].bytes.current;
        bytes.peak += all[i].bytes.peak;
        bytes.total += all[i].bytes.total;
        bytes.count += all[i].bytes.count;
        blocks.current += all[i].blocks.current;
        blocks.total += all[i].blocks.total;
    }
    cr_assert_eq(bytes.current, stats.in_use_bytes.current, "step %" PRIu64, step);
    cr_assert_geq(bytes.peak, stats.in_use_bytes.peak, "step %" PRIu64, step);
    cr_assert_eq(bytes.total, stats.in_use_bytes.total, "step %" PRIu64, step);
    cr_assert_eq(bytes.count, stats.in_use_bytes.count, "step %" PRIu64, step);
    cr_assert_eq(blocks.current, stats.blocks.current, "step %" PRIu64, step);
    cr_assert_eq(blocks.total, stats.blocks.total, "step %" PRIu64, step);
    cr_assert_leq(stats.requested_bytes.current, stats.in_use_bytes.current);
    cr_assert_leq(stats.in_use_bytes.current, stats.reserved_bytes.current);
    cr_assert_eq(weir_pool_get_owners(weir_context_get_pool(ctx), some, 3), count);
    for (size_t i = 0; i < 3 && i < count; i++) cr_assert_str_eq(some[i].owner, all[i].owner);
}

WEIR_DEVICE_TEST(scope, statistics_of_owners_add_up_to_those_of_the_pool)
{
    static const char *const names[NAMES] = {"a", "b", "c", "d"};
    const uint64_t steps = wt_scale(2000);
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *held[HELD] = {NULL};
    weir_pool_stats stats;
    weir_owner_stats one;
    uint64_t state = 1;
    int depth = 0;

    for (uint64_t step = 0; step < steps; step++) {
        const uint64_t at = next(&state, HELD);
        switch (next(&state, 16)) {
        case 0:
            if (depth < 2) push(ctx, names[next(&state, 3)]), depth++;
            break;
        case 1:
            if (depth > 0) pop(ctx), depth--;
            break;
        case 2:
            weir_pool_reset_peak(pool);
            break;
        case 3:
            wt_ok(weir_pool_trim(pool, next(&state, 1 << 20)));
            break;
        default:
            weir_block_release(held[at]);
            held[at] = NULL;
            if (next(&state, 2) != 0)
                held[at] = take(ctx, next(&state, 20000), names[next(&state, NAMES)]);
        }
        if (step % 16 == 0) check_relations(ctx, step);
    }
    for (int i = 0; i < HELD; i++) weir_block_release(held[i]);
    weir_pool_reset_peak(pool);
    check_relations(ctx, steps);
    for (uint64_t keep = 4 << 20; keep != 0; keep /= 4) {
        wt_ok(weir_pool_trim(pool, keep));
        weir_pool_get_stats(pool, &stats);
        cr_assert_leq(stats.reserved_bytes.current, keep, "%s: nothing is held", dev->name);
    }
    weir_pool_reset_peak(pool);
    weir_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.reserved_bytes.peak, stats.reserved_bytes.current, "%s", dev->name);
    cr_assert_eq(stats.in_use_bytes.peak, 0U, "%s", dev->name);
    cr_assert_eq(weir_pool_get_owners(pool, &one, 1) != 0, 1, "%s", dev->name);
    cr_assert_eq(one.bytes.peak, 0U, "%s: %s", dev->name, one.owner);
    cr_assert_eq(weir_pool_get_owners(pool, NULL, 0), weir_pool_get_owners(pool, NULL, 5), "%s",
                 dev->name);
    cr_assert_eq(weir_pool_get_owners(NULL, NULL, 0), 0U);
}
