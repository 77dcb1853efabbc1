/* alloc.threads: pairs of 4096 bytes by several threads on one pool, beside malloc(4096) + free by as many. A sample is
 * the time from the first start to the last end by all the pairs that were made meanwhile, in the fastest round. */
#include "alloc.h"
#include "command.h"
#include "stopwatch.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define PAIRS 20000 /* of a thread */
#define ROUNDS 5
#define THREADS_MOST 8

/* What the threads of a round share. */
typedef struct crowd {
    atomic_int gate; /* 0: wait, 1: go, -1: go home */
    weir_pool *pool; /* NULL: malloc */
} crowd;

static void *make_pairs(void *user)
{
    crowd *all = user;
    void *failed = NULL;

    while (atomic_load(&all->gate) == 0) (void)sched_yield();
    if (atomic_load(&all->gate) < 0) return all;
    for (int i = 0; i < PAIRS && failed == NULL; i++) {
        weir_block *block = NULL;

        if (all->pool == NULL) {
            void *volatile memory = malloc(ALLOC_BYTES);

            free(memory);
        } else if (weir_pool_alloc(all->pool, NULL, ALLOC_BYTES, "pair", &block) != WEIR_OK) {
            failed = all;
        }
        weir_block_release(block);
    }
    return failed;
}

/* One round. Returns seconds a pair, negative if something failed. */
static double run_round(weir_pool *pool, unsigned count)
{
    crowd all = {.pool = pool};
    pthread_t threads[THREADS_MOST];
    unsigned started = 0;
    double start = 0;
    int ok = 1;

    while (started < count && pthread_create(&threads[started], NULL, make_pairs, &all) == 0)
        started++;
    start = stopwatch_now();
    atomic_store(&all.gate, started == count ? 1 : -1);
    while (started > 0) {
        void *failed = NULL;

        (void)pthread_join(threads[--started], &failed);
        ok = ok && failed == NULL;
    }
    return ok ? (stopwatch_now() - start) / ((double)count * PAIRS) : -1;
}

static double best_round(weir_pool *pool, unsigned count)
{
    double best = -1;

    for (int round = 0; round < ROUNDS; round++) {
        const double seconds = run_round(pool, count);

        if (seconds < 0) return -1;
        if (best < 0 || seconds < best) best = seconds;
    }
    return best;
}

static int measure(unsigned count, bench_row *row)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    alloc_rig rig = {NULL, NULL, NULL, 0};
    int code = bench_choose_device(&system, &device);

    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "malloc(4096) + free, %u threads each", count);
    if (code == PROGRAM_OK && alloc_rig_open(&rig, device, 10) != WEIR_OK)
        code = bench_fail(row, "alloc.threads");
    for (int i = 0; i <= ALLOC_REPEATS && code == PROGRAM_OK; i++) {
        const double seconds = best_round(rig.pool, count);
        const double peer_seconds = best_round(NULL, count);

        code = alloc_add_sample(row, "alloc.threads", i, seconds, peer_seconds);
    }
    alloc_rig_close(&rig);
    weir_system_destroy(system);
    return code;
}

static int run_2(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(2, row);
}

static int run_4(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(4, row);
}

static int run_8(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(8, row);
}

const bench_measurement bench_alloc_threads_2 = {"alloc.threads", run_2, BENCH_NO_TARGET, 0};
const bench_measurement bench_alloc_threads_4 = {"alloc.threads", run_4, BENCH_NO_TARGET, 0};
const bench_measurement bench_alloc_threads_8 = {"alloc.threads", run_8, BENCH_NO_TARGET, 0};
