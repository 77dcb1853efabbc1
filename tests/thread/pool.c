/* Many threads take and give back blocks of one pool, under a limit that they reach, on two queues, and hand the blocks to
 * each other; meanwhile the pool is trimmed, reported and checked. Every strategy in turn.
 * Linked with the library's objects, for wi_pool_check().
 *
 * usage: pool [OPERATIONS [STRATEGY]]   by each of 8 threads; default 10000 divided by WEIR_TEST_SCALE, with
 *                                       WEIR_LONG_TESTS=1 a million
 */
#include "thread_frame.h"

#include "mem/pool.h"

#include <weir/weir.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 64
#define LIMIT_BYTES (UINT64_C(24) << 20)

typedef struct shared {
    weir_context *context;
    weir_pool *pool;
    weir_queue *queue;
    _Atomic(weir_block *) slots[SLOTS]; /* blocks on their way to another thread */
    atomic_ullong refused;
    long operations;
} shared;

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* From nothing to 8 MiB, each size as likely as its half. */
static uint64_t draw_bytes(uint64_t *state)
{
    const uint64_t below = UINT64_C(1) << (draw(state) % 24);

    return draw(state) % below;
}

/* Takes a block; that the limit leaves none is an answer, too. Returns 0 for any other failure. */
static int take(shared *all, uint64_t *state, weir_block **out)
{
    static const char *const owners[] = {"even", "odd", NULL};
    const uint64_t bytes = draw_bytes(state);
    weir_queue *queue = draw(state) % 2 == 0 ? all->queue : NULL;
    weir_status status = weir_pool_alloc(all->pool, queue, bytes, owners[draw(state) % 3], out);

    if (status == WEIR_OK) return *out != NULL && weir_block_get_bytes(*out) == bytes;
    if (status == WEIR_E_OUT_OF_MEMORY) atomic_fetch_add(&all->refused, 1);
    return status == WEIR_E_OUT_OF_MEMORY && *out == NULL;
}

/* What is not asked for every time. */
static int look_after(shared *all, long i)
{
    weir_pool_stats stats;
    weir_text *why = NULL;
    int ok = 1;

    if (i % 256 == 0) {
        weir_pool_get_stats(all->pool, &stats);
        ok = stats.requested_bytes.current <= stats.in_use_bytes.current &&
             stats.in_use_bytes.current <= stats.reserved_bytes.current &&
             stats.reserved_bytes.peak <= LIMIT_BYTES;
        if (!ok) (void)fprintf(stderr, "the statistics contradict each other\n");
    }
    if (i % 1000 == 0) WT_TRY(ok, weir_pool_trim(all->pool, i % 3000 == 0 ? 0 : LIMIT_BYTES / 2));
    if (i % 4096 == 0) {
        WT_TRY(ok, weir_text_create(&why));
        weir_pool_report(all->pool, why);
        weir_text_reset(why);
        if (!wi_pool_check(all->pool, why)) {
            (void)fprintf(stderr, "%s", weir_text_get(why));
            ok = 0;
        }
        weir_text_destroy(why);
    }
    return ok;
}

static int run(void *user, unsigned number)
{
    shared *all = user;
    uint64_t state = 1 + (uint64_t)number;

    for (long i = 1; i <= all->operations; i++) {
        weir_block *block = NULL;
        weir_block *other = NULL;

        if (!take(all, &state, &block) || !look_after(all, i)) return 0;
        if (block != NULL && i % 7 == 0 && weir_block_record(block, all->queue) != WEIR_OK)
            return 0;
        other = weir_block_retain(block);
        weir_block_release(block);
        other = atomic_exchange(&all->slots[draw(&state) % SLOTS], other);
        weir_block_release(other); /* most often another thread's */
    }
    return 1;
}

/* After all blocks are back: the books are right and empty. */
static int check_end(const shared *all)
{
    weir_pool_stats stats;
    weir_text *why = NULL;
    int ok = 1;

    WT_TRY(ok, weir_text_create(&why));
    if (!wi_pool_check(all->pool, why)) {
        (void)fprintf(stderr, "%s", weir_text_get(why));
        ok = 0;
    }
    weir_text_destroy(why);
    weir_pool_get_stats(all->pool, &stats);
    if (stats.blocks.current != 0 || stats.in_use_bytes.current != 0) {
        (void)fprintf(stderr, "left: %" PRIu64 " blocks\n", stats.blocks.current);
        ok = 0;
    }
    WT_TRY(ok, weir_pool_trim(all->pool, 0));
    weir_pool_get_stats(all->pool, &stats);
    if (stats.reserved_bytes.current != 0) {
        (void)fprintf(stderr, "left: %" PRIu64 " bytes\n", stats.reserved_bytes.current);
        ok = 0;
    }
    return ok;
}

static int run_strategy(const char *strategy, long operations)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    static shared all;
    wt_thread_place place;
    int ok = 1;

    memset(&all, 0, sizeof all);
    all.operations = operations;
    memory.strategy = strategy;
    memory.limit_bytes = LIMIT_BYTES;
    ok = wt_threads_open(&memory, &place);
    all.context = place.context;
    if (ok) all.pool = weir_context_get_pool(all.context);
    WT_TRY(ok, weir_queue_create(all.context, &all.queue));
    ok = ok && wt_threads_run(WT_THREADS, run, &all);
    for (unsigned i = 0; i < SLOTS; i++) weir_block_release(atomic_load(&all.slots[i]));
    ok = ok && check_end(&all);
    weir_queue_release(all.queue);
    ok = wt_threads_close(&place) && ok;
    (void)printf("%s: %d threads, %ld operations each, %llu refused: %s\n", strategy, WT_THREADS,
                 operations, (unsigned long long)atomic_load(&all.refused), ok ? "ok" : "failed");
    return ok;
}

/* Without an argument: as the environment of the tests says. */
static long default_operations(void)
{
    const char *is_long = getenv("WEIR_LONG_TESTS");
    const char *scale = getenv("WEIR_TEST_SCALE");
    const long divisor = scale != NULL ? strtol(scale, NULL, 10) : 1;

    if (is_long != NULL && strcmp(is_long, "1") == 0) return 1000000;
    return 10000 / (divisor > 0 ? divisor : 1);
}

int main(int argc, char **argv)
{
    const long operations = argc > 1 ? strtol(argv[1], NULL, 10) : default_operations();
    int ok = 1;

    for (size_t i = 0; weir_replay_strategy_name(i) != NULL; i++) {
        const char *name = weir_replay_strategy_name(i);

        if (argc < 3 || strcmp(argv[2], name) == 0) ok = run_strategy(name, operations) && ok;
        (void)fflush(stdout);
    }
    return ok ? 0 : 1;
}
