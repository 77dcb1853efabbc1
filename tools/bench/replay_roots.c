/* replay.roots: events a second beside 32 000 live blocks that have buffers of their own, on numbers.
 *
 * A random block of 2 to 16 MiB goes and another comes, in a pool that moves blocks; what an event costs must not grow with
 * the number of buffers. Beside it the same among 20 blocks, whose books lie in the processor's cache. A sample is all
 * events of a new pool, in processor time: it is the first turns that trade buffers, then the slack has risen. */
#include "bench.h"
#include "command.h"
#include "stopwatch.h"

#include <weir/replay.h>
#include <weir/status.h>

#include <stdio.h>
#include <stdlib.h>

#define REPEATS 9
#define PAIRS 100000
#define MANY 32000
#define FEW 20
#define MIB ((uint64_t)1 << 20)

/* A pool on numbers that holds `count` blocks. */
typedef struct crowd {
    weir_replay *replay;
    weir_replay_block **blocks;
    size_t count;
    uint64_t state; /* of the sizes and places */
} crowd;

static uint64_t draw(crowd *all, uint64_t below)
{
    all->state = all->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (all->state >> 32) % below;
}

static weir_status take(crowd *all, size_t i)
{
    return weir_replay_alloc(all->replay, 2 * MIB + draw(all, 14 * MIB), &all->blocks[i]);
}

static weir_status fill(crowd *all, size_t count)
{
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_status status = WEIR_OK;

    options.device_bytes = UINT64_C(1) << 50;
    all->blocks = calloc(count, sizeof(weir_replay_block *));
    if (all->blocks == NULL) return WEIR_E_HOST_MEMORY;
    status = weir_replay_create("adaptive", &options, &all->replay);
    for (; all->count < count && status == WEIR_OK; all->count++) status = take(all, all->count);
    return status;
}

/* Returns the events a second beside so many blocks; 0 on failure. */
static double rate_beside(size_t count)
{
    crowd all = {NULL, NULL, 0, 1};
    weir_status status = fill(&all, count);
    double seconds = stopwatch_thread();

    for (int i = 0; i < PAIRS && status == WEIR_OK; i++) {
        const size_t which = (size_t)draw(&all, all.count);

        weir_replay_free(all.replay, all.blocks[which]);
        status = take(&all, which);
    }
    seconds = stopwatch_thread() - seconds;
    weir_replay_destroy(all.replay);
    free(all.blocks);
    return status == WEIR_OK && seconds > 0 ? 2 * PAIRS / seconds : 0;
}

static int run_roots(const bench_peers *peers, bench_row *row)
{
    int code = PROGRAM_OK;

    (void)peers;
    (void)snprintf(row->unit, sizeof row->unit, "events/s");
    (void)snprintf(row->peer, sizeof row->peer, "the same beside %d; here %d", FEW, MANY);
    for (int i = 0; i < REPEATS && code == PROGRAM_OK; i++) {
        const double rate = rate_beside(MANY);
        const double peer_rate = rate_beside(FEW);

        if (rate <= 0 || peer_rate <= 0) {
            code = bench_fail(row, "replay.roots");
        } else {
            bench_samples_add(&row->samples, rate);
            bench_samples_add(&row->peer_samples, peer_rate);
        }
    }
    return code;
}

const bench_measurement bench_replay_roots = {"replay.roots", run_roots, BENCH_VALUE_AT_LEAST, 1e6};
