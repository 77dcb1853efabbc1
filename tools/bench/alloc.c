/* alloc.pair: one warm pair of weir_pool_alloc(4096) and weir_block_release, which asks the driver for nothing.
 *
 * Both sides run in one process by turns, in rounds of some thousand pairs; a sample is the fastest round, in processor
 * time of the thread, since whatever else the machine does only adds. A context that holds many live blocks is compared
 * with one that holds ten: what a pair costs must not grow with them. */
#include "alloc.h"

#include "by_hand.h"
#include "command.h"
#include "stopwatch.h"

#include <weir/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS 20000
#define DRIVER_PAIRS 1000
#define FEW 10
#define LIVE_BYTES 256

weir_status alloc_rig_open(alloc_rig *rig, weir_device *device, size_t live_count)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_status status = WEIR_OK;

    memset(rig, 0, sizeof *rig);
    options.no_self_check = 1; /* nothing is computed */
    rig->live = calloc(live_count, sizeof(weir_block *));
    if (rig->live == NULL) return WEIR_E_HOST_MEMORY;
    status = weir_context_create(device, &options, &rig->context);
    if (status != WEIR_OK) return status;
    rig->pool = weir_context_get_pool(rig->context);
    while (rig->live_count < live_count && status == WEIR_OK) {
        status = weir_pool_alloc(rig->pool, NULL, LIVE_BYTES, "live", &rig->live[rig->live_count]);
        rig->live_count += status == WEIR_OK;
    }
    return status;
}

void alloc_rig_close(alloc_rig *rig)
{
    while (rig->live_count > 0) weir_block_release(rig->live[--rig->live_count]);
    weir_context_release(rig->context);
    free(rig->live);
}

static double best_of(double best, double seconds)
{
    return best < 0 || seconds < best ? seconds : best;
}

double alloc_rig_time(const alloc_rig *rig)
{
    double best = -1;

    for (int round = 0; round < ALLOC_ROUNDS; round++) {
        const double start = stopwatch_thread();

        for (int i = 0; i < PAIRS; i++) {
            weir_block *block = NULL;

            if (weir_pool_alloc(rig->pool, NULL, ALLOC_BYTES, "pair", &block) != WEIR_OK) return -1;
            weir_block_release(block);
        }
        best = best_of(best, (stopwatch_thread() - start) / PAIRS);
    }
    return best;
}

double alloc_malloc_time(void)
{
    double best = -1;

    for (int round = 0; round < ALLOC_ROUNDS; round++) {
        const double start = stopwatch_thread();

        for (int i = 0; i < PAIRS; i++) {
            void *volatile memory = malloc(ALLOC_BYTES); /* volatile: not to be left out */

            free(memory);
        }
        best = best_of(best, (stopwatch_thread() - start) / PAIRS);
    }
    return best;
}

int alloc_add_sample(bench_row *row, const char *name, int i, double seconds, double peer_seconds)
{
    if (seconds < 0) return bench_fail(row, name);
    if (i == 0) return PROGRAM_OK;
    bench_samples_add(&row->samples, seconds);
    if (peer_seconds >= 0) bench_samples_add(&row->peer_samples, peer_seconds);
    return PROGRAM_OK;
}

/* The driver's own pair; negative if it refuses. */
static double driver_time(const by_hand *hand)
{
    double best = -1;

    for (int round = 0; round < ALLOC_ROUNDS; round++) {
        const double start = stopwatch_thread();

        for (int i = 0; i < DRIVER_PAIRS; i++) {
            cl_mem buffer = by_hand_buffer(hand, ALLOC_BYTES);

            if (buffer == NULL) return -1;
            (void)clReleaseMemObject(buffer);
        }
        best = best_of(best, (stopwatch_thread() - start) / DRIVER_PAIRS);
    }
    return best;
}

/* What a pair is compared with. */
typedef enum pair_peer { PEER_NONE, PEER_MALLOC, PEER_DRIVER, PEER_FEW } pair_peer;

static const char *const peer_names[] = {
    [PEER_NONE] = "",
    [PEER_MALLOC] = "malloc(4096) + free",
    [PEER_DRIVER] = "clCreateBuffer + clReleaseMemObject",
    [PEER_FEW] = "the same beside 10 live blocks",
};

static double peer_time(pair_peer peer, const alloc_rig *few, const by_hand *hand)
{
    switch (peer) {
    case PEER_MALLOC:
        return alloc_malloc_time();
    case PEER_DRIVER:
        return driver_time(hand);
    case PEER_FEW:
        return alloc_rig_time(few);
    default:
        return -1;
    }
}

/* Measures pairs beside so many live blocks. */
static int measure(size_t live_count, pair_peer peer, bench_row *row)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    alloc_rig rig = {NULL, NULL, NULL, 0};
    alloc_rig few = {NULL, NULL, NULL, 0};
    by_hand hand;
    int code = bench_choose_device(&system, &device);

    memset(&hand, 0, sizeof hand);
    (void)snprintf(row->unit, sizeof row->unit, "s");
    if (live_count == FEW)
        (void)snprintf(row->peer, sizeof row->peer, "%s", peer_names[peer]);
    else
        (void)snprintf(row->peer, sizeof row->peer, "%s; here %zu", peer_names[peer], live_count);
    if (code != PROGRAM_OK) goto done;
    if (alloc_rig_open(&rig, device, live_count) != WEIR_OK ||
        (peer == PEER_FEW && alloc_rig_open(&few, device, FEW) != WEIR_OK)) {
        code = bench_fail(row, "alloc.pair");
        goto done;
    }
    if (peer == PEER_DRIVER && !by_hand_open_context(&hand, weir_device_get_index(device)))
        (void)snprintf(row->peer, sizeof row->peer, "missing: the driver refuses a context");
    for (int i = 0; i <= ALLOC_REPEATS && code == PROGRAM_OK; i++) {
        const double seconds = alloc_rig_time(&rig);
        const double peer_seconds = peer_time(peer, &few, &hand);

        code = alloc_add_sample(row, "alloc.pair", i, seconds, peer_seconds);
    }
done:
    by_hand_close(&hand);
    alloc_rig_close(&few);
    alloc_rig_close(&rig);
    weir_system_destroy(system);
    return code;
}

static int run_pair(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(FEW, PEER_NONE, row);
}

static int run_malloc(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(FEW, PEER_MALLOC, row);
}

static int run_driver(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(FEW, PEER_DRIVER, row);
}

static int run_1000(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(1000, PEER_FEW, row);
}

static int run_1000000(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(1000000, PEER_FEW, row);
}

const bench_measurement bench_alloc_pair = {"alloc.pair", run_pair, BENCH_VALUE_AT_MOST, 40e-9};
const bench_measurement bench_alloc_pair_malloc = {"alloc.pair", run_malloc, BENCH_RATIO_AT_MOST,
                                                   2.5};
const bench_measurement bench_alloc_pair_driver = {"alloc.pair", run_driver, BENCH_RATIO_AT_MOST,
                                                   1};
const bench_measurement bench_alloc_pair_1000 = {"alloc.pair", run_1000, BENCH_RATIO_AT_MOST, 1.5};
const bench_measurement bench_alloc_pair_1000000 = {"alloc.pair", run_1000000, BENCH_RATIO_AT_MOST,
                                                    1.5};
