/* Blocks that are moved to make room: what they hold stays, what is pinned stays where it is, and it can be switched off. */
#include "devices.h"

#include "context/enqueue.h"
#include "mem/pool_state.h"

#include <weir/interop_cl.h>
#include <weir/weir.h>

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(compaction, .timeout = WT_TIMEOUT);

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define LIMIT (16 * MIB)
#define SMALL (64 * KIB)
#define LARGE (256 * KIB) /* 1/64 of the limit: what one buffer holds there */
#define COUNT (LIMIT / SMALL)

/* Blocks of one size, each full of a word of its own. */
typedef struct row {
    weir_context *context;
    weir_block *blocks[COUNT];
} row;

static uint64_t word_of(unsigned i) { return UINT64_C(0x1234567800000001) * (i + 1); }

static weir_pool_stats stats_of(weir_context *context)
{
    weir_pool_stats stats;

    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    return stats;
}

static void configure(weir_context *context, const char *strategy, int no_compaction)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    options.strategy = strategy;
    options.limit_bytes = LIMIT;
    options.no_compaction = no_compaction;
    wt_ok(weir_device_configure(weir_context_get_device(context), &options));
}

/* Fills the whole limit with small blocks. */
static void fill_limit(weir_context *context, row *out)
{
    memset(out, 0, sizeof *out);
    out->context = context;
    for (unsigned i = 0; i < COUNT; i++) {
        const uint64_t word = word_of(i);
        wi_span place = {NULL, 0};

        wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, SMALL, "row", &out->blocks[i]));
        place.block = out->blocks[i];
        wt_ok(wi_context_fill(context, &place, SMALL, &word, sizeof word));
    }
}

/* Lets each second block go: half of the limit is free, in pieces of one block. */
static void make_holes(row *all)
{
    for (unsigned i = 0; i < COUNT; i += 2) {
        weir_block_release(all->blocks[i]);
        all->blocks[i] = NULL;
    }
}

/* first: of the words that the blocks were filled with last */
static void verify_words(const row *all, unsigned first, const struct wt_device *dev)
{
    static uint64_t data[SMALL / sizeof(uint64_t)];
    weir_text *why = NULL;

    for (unsigned i = 0; i < COUNT; i++) {
        const wi_span place = {all->blocks[i], 0};

        if (place.block == NULL) continue;
        wt_ok(wi_context_read(all->context, &place, SMALL, data));
        for (unsigned k = 0; k < SMALL / sizeof(uint64_t); k++)
            cr_assert_eq(data[k], word_of(first + i), "%s: block %u, word %u", dev->name, i, k);
    }
    wt_ok(weir_text_create(&why));
    cr_assert(wi_pool_check(weir_context_get_pool(all->context), why), "%s: %s", dev->name,
              weir_text_get(why));
    cr_assert_leq(stats_of(all->context).reserved_bytes.peak, LIMIT, "%s", dev->name);
    weir_text_destroy(why);
}

static void verify(const row *all, const struct wt_device *dev) { verify_words(all, 0, dev); }

static void release(row *all)
{
    for (unsigned i = 0; i < COUNT; i++) weir_block_release(all->blocks[i]);
}

WEIR_DEVICE_TEST_TAGGED(compaction, makes_room_and_keeps_every_byte)
{
    static row all;
    weir_block *large = NULL;
    weir_text *text = NULL;

    configure(ctx, "adaptive", 0);
    fill_limit(ctx, &all);
    make_holes(&all);
    cr_assert_eq(stats_of(ctx).compactions, 0U, "%s", dev->name);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large));
    verify(&all, dev);
    cr_assert_geq(stats_of(ctx).compactions, 1U, "%s", dev->name);
    cr_assert_geq(stats_of(ctx).moved_bytes, SMALL, "%s", dev->name);
    cr_assert_leq(stats_of(ctx).moved_bytes, 2 * LARGE, "%s: more than it takes", dev->name);
    wt_ok(weir_text_create(&text));
    weir_pool_report(weir_context_get_pool(ctx), text);
    cr_assert_not_null(strstr(weir_text_get(text), "\ncompaction: 1 time, "), "%s: %s", dev->name,
                       weir_text_get(text));
    weir_text_destroy(text);
    weir_block_release(large);
    release(&all);
}

/* Buffers near the limit are small: several have to be emptied and given back for one that is larger. */
WEIR_DEVICE_TEST_TAGGED(compaction, makes_room_for_more_than_a_buffer_holds)
{
    static const uint64_t sizes[] = {MIB, 2 * MIB, 4 * MIB};
    static row all;
    weir_block *large[3] = {NULL};

    configure(ctx, "adaptive", 0);
    fill_limit(ctx, &all);
    make_holes(&all);
    for (unsigned i = 0; i < 3; i++)
        wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, sizes[i], "large", &large[i]));
    cr_assert_geq(stats_of(ctx).compactions, 3U, "%s", dev->name);
    verify(&all, dev);
    for (unsigned i = 0; i < 3; i++) weir_block_release(large[i]);
    release(&all);
}

/* A sub-buffer that could not be made is nobody's, and pins nothing. */
WEIR_DEVICE_TEST(compaction, moves_blocks_of_which_a_part_was_refused)
{
    static row all;
    weir_block *large = NULL;

    configure(ctx, "adaptive", 0);
    fill_limit(ctx, &all);
    make_holes(&all);
    for (unsigned i = 1; i < COUNT; i += 2) {
        cl_mem part = (cl_mem)&all;

        wt_fails(weir_block_create_sub_buffer(all.blocks[i], 1, 100, &part), WEIR_E_ARG);
        cr_assert_null(part);
    }
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large));
    cr_assert_geq(stats_of(ctx).compactions, 1U, "%s", dev->name);
    verify(&all, dev);
    weir_block_release(large);
    release(&all);
}

/* Commands that are still queued when a block moves have used its old place, and are done there first. */
WEIR_DEVICE_TEST_TAGGED(compaction, keeps_what_queued_commands_are_about_to_write)
{
    static row all;
    weir_block *large = NULL;
    const uint64_t zero = 0;

    configure(ctx, "adaptive", 0);
    fill_limit(ctx, &all);
    make_holes(&all);
    wt_ok(weir_context_synchronize(ctx));
    for (unsigned i = 1; i < COUNT; i += 2) {
        const wi_span place = {all.blocks[i], 0};
        wt_ok(wi_context_fill(ctx, &place, SMALL, &zero, sizeof zero));
    }
    for (unsigned i = 1; i < COUNT; i += 2) {
        const wi_span place = {all.blocks[i], 0};
        const uint64_t word = word_of(i);
        wt_ok(wi_context_fill(ctx, &place, SMALL, &word, sizeof word));
    }
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large));
    cr_assert_geq(stats_of(ctx).compactions, 1U, "%s", dev->name);
    verify(&all, dev);
    weir_block_release(large);
    release(&all);
}

WEIR_DEVICE_TEST(compaction, never_moves_a_pinned_block)
{
    static row all;
    static uint64_t offsets[COUNT];
    static cl_mem buffers[COUNT];
    weir_block *large = NULL;

    configure(ctx, "adaptive", 0);
    fill_limit(ctx, &all);
    make_holes(&all);
    for (unsigned i = 1; i < COUNT; i += 2) {
        wi_block_pin(all.blocks[i]);
        if (i % 4 == 1) wi_block_pin(all.blocks[i]);
        buffers[i] = wi_block_get_buffer(all.blocks[i]);
        offsets[i] = wi_block_get_offset_bytes(all.blocks[i]);
    }
    wt_fails(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large),
             WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(large);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_PINNED, "%s: %s", dev->name,
                 weir_oom_cause_name(weir_last_error()->oom.cause));
    /* Pins are counted: those that are pinned twice stay. */
    for (unsigned i = 1; i < COUNT; i += 2) wi_block_unpin(all.blocks[i]);
    wt_fails(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large),
             WEIR_E_OUT_OF_MEMORY);
    for (unsigned i = 1; i < COUNT; i += 2) {
        cr_assert_eq(wi_block_get_buffer(all.blocks[i]), buffers[i], "%s: block %u", dev->name, i);
        cr_assert_eq(wi_block_get_offset_bytes(all.blocks[i]), offsets[i], "%s: block %u",
                     dev->name, i);
    }
    cr_assert_eq(stats_of(ctx).compactions, 0U, "%s", dev->name);
    /* One root without pins is enough. */
    for (unsigned i = 1; i < COUNT; i += 2)
        if (i % 4 == 1 && weir_block_get_root(all.blocks[i]) == weir_block_get_root(all.blocks[1]))
            wi_block_unpin(all.blocks[i]);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large));
    for (unsigned i = 1; i < COUNT; i += 2) {
        if (i % 4 != 1 || buffers[i] == buffers[1]) continue;
        cr_assert_eq(wi_block_get_buffer(all.blocks[i]), buffers[i], "%s: block %u", dev->name, i);
        cr_assert_eq(wi_block_get_offset_bytes(all.blocks[i]), offsets[i], "%s: block %u",
                     dev->name, i);
        wi_block_unpin(all.blocks[i]);
    }
    verify(&all, dev);
    weir_block_release(large);
    release(&all);
}

static void is_refused(weir_context *ctx, const struct wt_device *dev, const char *strategy,
                       int no_compaction)
{
    static row all;
    weir_block *large = NULL;

    configure(ctx, strategy, no_compaction);
    fill_limit(ctx, &all);
    make_holes(&all);
    wt_fails(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large),
             WEIR_E_OUT_OF_MEMORY);
    cr_assert_eq(weir_last_error()->oom.cause, WEIR_OOM_FRAGMENTED, "%s, %s: %s", dev->name,
                 strategy, weir_oom_cause_name(weir_last_error()->oom.cause));
    cr_assert_eq(stats_of(ctx).compactions, 0U, "%s, %s", dev->name, strategy);
    verify(&all, dev);
    release(&all);
}

WEIR_DEVICE_TEST(compaction, can_be_switched_off) { is_refused(ctx, dev, "adaptive", 1); }

WEIR_DEVICE_TEST(compaction, is_not_done_by_prealloc) { is_refused(ctx, dev, "prealloc", 0); }

WEIR_DEVICE_TEST(compaction, is_not_done_by_growth) { is_refused(ctx, dev, "growth", 0); }

WEIR_DEVICE_TEST(compaction, is_frozen_with_the_configuration)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_block *block = NULL;

    configure(ctx, "adaptive", 0);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 1, NULL, &block));
    wt_ok(weir_device_configure(weir_context_get_device(ctx), &options));
    options.no_compaction = 1;
    wt_fails(weir_device_configure(weir_context_get_device(ctx), &options), WEIR_E_CONFIG_FROZEN);
    cr_assert_not_null(strstr(weir_last_error()->message, "adaptive without compaction"), "%s: %s",
                       dev->name, weir_last_error()->message);
    weir_block_release(block);
}

/* A thread that reads a block of a queue that stands still, and one that lets the queue go on after a time. */
typedef struct standstill {
    row *all;
    cl_event end; /* what the queue waits for */
    atomic_int is_reading;
    atomic_int is_over;
    weir_status status;
    uint64_t word;
} standstill;

#define STANDSTILL_SECONDS 120

static void *read_one(void *user)
{
    standstill *it = user;
    const wi_span place = {it->all->blocks[1], 0};

    atomic_store(&it->is_reading, 1);
    it->status = wi_context_read(it->all->context, &place, sizeof it->word, &it->word);
    return NULL;
}

static void *let_go_on(void *user)
{
    standstill *it = user;
    const struct timespec rest = {0, 10 * 1000 * 1000};

    for (int i = 0; i < STANDSTILL_SECONDS * 100 && !atomic_load(&it->is_over); i++)
        (void)nanosleep(&rest, NULL);
    atomic_store(&it->is_over, 1);
    (void)clSetUserEventStatus(it->end, CL_COMPLETE);
    return NULL;
}

WEIR_DEVICE_TEST(compaction, does_not_wait_for_those_who_wait_for_the_device)
{
    static row all;
    standstill it = {.all = &all};
    const struct timespec rest = {0, 100 * 1000 * 1000};
    pthread_t reader;
    pthread_t watch;
    weir_block *large = NULL;
    cl_command_queue queue = NULL;

    configure(ctx, "adaptive", 0);
    fill_limit(ctx, &all);
    make_holes(&all);
    wt_ok(weir_context_synchronize(ctx));
    queue = wi_queue_get_handle(wi_context_get_queue(ctx));
    it.end = clCreateUserEvent(wi_context_get_cl_context(ctx), NULL);
    cr_assert_not_null(it.end, "%s", dev->name);
    cr_assert_eq(clEnqueueBarrierWithWaitList(queue, 1, &it.end, NULL), CL_SUCCESS, "%s",
                 dev->name);
    cr_assert_eq(pthread_create(&watch, NULL, let_go_on, &it), 0);
    cr_assert_eq(pthread_create(&reader, NULL, read_one, &it), 0);
    while (!atomic_load(&it.is_reading)) (void)nanosleep(&rest, NULL);
    (void)nanosleep(&rest, NULL); /* most often it waits for the device then */
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large));
    cr_assert_eq(atomic_exchange(&it.is_over, 1), 0,
                 "%s: blocks were moved after the read had ended", dev->name);
    (void)pthread_join(watch, NULL);
    (void)pthread_join(reader, NULL);
    (void)clReleaseEvent(it.end);
    cr_assert_eq(it.status, WEIR_OK, "%s", dev->name);
    cr_assert_eq(it.word, word_of(1), "%s", dev->name);
    cr_assert_geq(stats_of(ctx).compactions, 1U, "%s", dev->name);
    verify(&all, dev);
    weir_block_release(large);
    release(&all);
}

/* Another queue, which stands still, is about to write blocks, the odd ones or the even ones; then the even ones go. What it
 * writes must not come after the moves, from where the odd ones are and to where the even ones were. */
static void moves_after_another_queue(weir_context *ctx, const struct wt_device *dev, int is_even)
{
    static row all;
    standstill it = {.all = &all};
    pthread_t watch;
    weir_queue *queue = NULL;
    weir_context *view = NULL;
    weir_block *large = NULL;

    configure(ctx, "adaptive", 0);
    wt_ok(weir_queue_create(ctx, &queue));
    wt_ok(weir_context_on_queue(ctx, queue, &view));
    fill_limit(ctx, &all);
    wt_ok(weir_context_synchronize(ctx));
    it.end = clCreateUserEvent(wi_context_get_cl_context(ctx), NULL);
    cr_assert_not_null(it.end, "%s", dev->name);
    cr_assert_eq(clEnqueueBarrierWithWaitList(wi_queue_get_handle(wi_context_get_queue(view)), 1,
                                              &it.end, NULL),
                 CL_SUCCESS, "%s", dev->name);
    for (unsigned i = is_even ? 0 : 1; i < COUNT; i += 2) {
        const wi_span place = {all.blocks[i], 0};
        const uint64_t word = word_of(i + COUNT);
        wt_ok(wi_context_fill(view, &place, SMALL, &word, sizeof word));
    }
    make_holes(&all);
    cr_assert_eq(pthread_create(&watch, NULL, let_go_on, &it), 0);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, LARGE, "large", &large));
    cr_assert_geq(stats_of(ctx).compactions, 1U, "%s", dev->name);
    cr_assert_eq(atomic_exchange(&it.is_over, 1), 0, "%s: blocks were moved after a wait",
                 dev->name);
    (void)pthread_join(watch, NULL);
    (void)clReleaseEvent(it.end);
    verify_words(&all, is_even ? 0 : COUNT, dev);
    weir_block_release(large);
    release(&all);
    weir_context_release(view);
    weir_queue_release(queue);
}

WEIR_DEVICE_TEST(compaction, moves_what_another_queue_is_about_to_write)
{
    moves_after_another_queue(ctx, dev, 0);
}

WEIR_DEVICE_TEST(compaction, moves_to_where_another_queue_is_about_to_write)
{
    moves_after_another_queue(ctx, dev, 1);
}

/* What a reader of all values of a walk gets. */
typedef struct walk {
    uint64_t sum; /* of all elements, each weighted with its index, as integers */
    uint64_t compactions;
    unsigned refused;
    float last;
} walk;

#define WALK_LIMIT (48 * MIB) /* so that roots of 2 MiB are small parts */
#define WALK_TENSORS 4096
#define WALK_STEPS 2500
#define WALK_FLOATS 131072 /* of the largest tensor */
#define WALK_BYTES (WALK_LIMIT - WALK_LIMIT / 20)

/* The tensors that live. */
typedef struct crowd {
    weir_tensor *tensors[WALK_TENSORS];
    unsigned count;
    uint64_t bytes;
    uint64_t random; /* which one goes next: refused requests let more of them go */
} crowd;

static uint64_t draw_below(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (*random >> 33) % below;
}

static uint64_t rounded(uint64_t floats) { return (floats * sizeof(float) + 255) / 256 * 256; }

/* Adds what one of the tensors holds, and releases it. */
static void end_one(crowd *all, walk *out)
{
    static float data[WALK_FLOATS];
    weir_tensor **at = &all->tensors[draw_below(&all->random, all->count)];
    weir_tensor *tensor = *at;
    const uint64_t count = weir_tensor_get_count(tensor);

    wt_ok(weir_tensor_to_host(tensor, data, count * sizeof data[0]));
    for (uint64_t k = 0; k < count; k++) out->sum += (uint64_t)(data[k] * 65536.0f) * (k + 1);
    all->bytes -= rounded(count);
    *at = all->tensors[--all->count];
    weir_tensor_release(tensor);
}

/* Makes tensors of ever changing sizes by kernels, most of them small, and lets others go to stay below WALK_BYTES and
 * where one is refused; a variable that is never replaced is updated in each step. */
static void take_walk(weir_context *ctx, walk *out)
{
    static crowd all;
    const weir_shape one = {1, {1000}};
    float values[1000];
    weir_tensor *step = NULL;
    weir_tensor *draw = NULL;
    weir_variable *steps = NULL;
    uint64_t sizes = 1;

    memset(out, 0, sizeof *out);
    memset(&all, 0, sizeof all);
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &one, 1.0, &step));
    wt_ok(weir_variable_create(ctx, "steps", WEIR_DTYPE_F32, &one, step, NULL, &steps));
    for (unsigned i = 0; i < WALK_STEPS; i++) {
        weir_generator generator = {7, i};
        weir_shape shape = {1, {0}};
        weir_tensor *made = NULL;

        shape.extents[0] = 1 + draw_below(&sizes, i % 4 == 0 ? WALK_FLOATS : WALK_FLOATS / 32);
        all.bytes += rounded(shape.extents[0]);
        while (all.bytes > WALK_BYTES || all.count == WALK_TENSORS) end_one(&all, out);
        wt_ok(weir_random_uniform(ctx, &generator, &shape, &draw));
        while (weir_exp(ctx, draw, &made) != WEIR_OK) {
            cr_assert_eq(weir_last_error()->status, WEIR_E_OUT_OF_MEMORY, "%s",
                         weir_last_error()->message);
            out->refused++;
            end_one(&all, out);
        }
        weir_tensor_release(draw);
        all.tensors[all.count++] = made;
        wt_ok(weir_variable_assign_add(steps, step));
    }
    while (all.count != 0) end_one(&all, out);
    wt_ok(weir_variable_read(steps, &draw));
    wt_ok(weir_tensor_to_host(draw, values, sizeof values));
    out->last = values[999];
    weir_tensor_release(draw);
    weir_variable_release(steps);
    weir_tensor_release(step);
    out->compactions = stats_of(ctx).compactions;
}

WEIR_DEVICE_TEST_BARE(compaction, changes_no_result_of_operations)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_context *context = NULL;
    walk free_walk;
    walk tight_walk;

    options.strategy = "adaptive";
    wt_ok(weir_device_configure(device, &options));
    wt_ok(weir_context_create(device, NULL, &context));
    take_walk(context, &free_walk);
    weir_context_release(context);
    wt_close(NULL); /* and what was configured with it */

    device = wt_find(dev);
    options.limit_bytes = WALK_LIMIT;
    wt_ok(weir_device_configure(device, &options));
    wt_ok(weir_context_create(device, NULL, &context));
    take_walk(context, &tight_walk);
    weir_context_release(context);

    cr_assert_eq(free_walk.compactions, 0U, "%s", dev->name);
    cr_assert_eq(free_walk.refused, 0U, "%s", dev->name);
    cr_assert_geq(tight_walk.compactions, 10U, "%s: %llu compactions, %u refused", dev->name,
                  (unsigned long long)tight_walk.compactions, tight_walk.refused);
    cr_assert_eq(tight_walk.sum, free_walk.sum, "%s", dev->name);
    cr_assert_eq(tight_walk.last, (float)(WALK_STEPS + 1), "%s", dev->name);
}

/* The child has a copy of a gate that another thread had closed, and nobody there who opens it. */
WEIR_DEVICE_TEST(compaction, a_child_forked_during_a_move_may_ask_where_blocks_are)
{
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *block = NULL;
    cl_mem mem = NULL;
    uint64_t offset = 0;
    int ended = 0;
    pid_t child;

    configure(ctx, "adaptive", 0);
    wt_ok(weir_pool_alloc(pool, NULL, SMALL, "block", &block));
    wi_gate_close(&pool->gate);
    child = fork();
    if (child == 0) {
        (void)alarm(120);
        weir_block_get_cl_mem(block, &mem, &offset);
        _exit(mem == NULL && offset == 0 && weir_block_get_root(block) != 0 ? 0 : 1);
    }
    wi_gate_open(&pool->gate);
    cr_assert_gt(child, 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "%s: the child ended by %d", dev->name,
              ended);
    weir_block_release(block);
}
