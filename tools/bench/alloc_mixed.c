/* alloc.mixed: blocks of 256 bytes to 4 MiB, each size as likely as its half, taken and given back in random order.
 *
 * A slot of 512 is drawn; a block in it is given back, else one is taken, so half of the slots are filled. Every
 * sequence is the same, and so are those of the peers: malloc, and buffers of the driver. A sample is the fastest round, in
 * processor time of the thread for a pair, that is for two steps. Nothing is asked of the ratios: blocks of several MiB
 * have buffers of their own, which are taken from the driver now and then, and drivers that back buffers late seem cheap. */
#include "alloc.h"
#include "by_hand.h"
#include "command.h"
#include "stopwatch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 512
#define STEPS 20000
#define DRIVER_STEPS 4000

/* One kind of memory. take: NULL if there is none. */
typedef struct source {
    void *(*take)(const void *from, size_t bytes);
    void (*give)(void *memory);
    const void *from;
    int steps;
} source;

static void *take_block(const void *from, size_t bytes)
{
    const alloc_rig *rig = from;
    weir_block *block = NULL;

    return weir_pool_alloc(rig->pool, NULL, bytes, "mixed", &block) == WEIR_OK ? block : NULL;
}

static void give_block(void *memory) { weir_block_release(memory); }

static void *take_malloc(const void *from, size_t bytes)
{
    (void)from;
    return malloc(bytes);
}

static void *take_buffer(const void *from, size_t bytes) { return by_hand_buffer(from, bytes); }

static void give_buffer(void *memory) { (void)clReleaseMemObject(memory); }

/* Sizes and slots: a linear congruential generator, of which the high bits are used. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static size_t draw_bytes(uint64_t *state)
{
    const uint32_t random = next_random(state);
    const size_t octave = (size_t)256 << (random % 14);

    return octave + (random >> 8) % octave;
}

/* One round. Returns seconds a pair, negative if there is no memory. */
static double run_round(const source *from)
{
    void *slots[SLOTS] = {NULL};
    uint64_t state = 1;
    const double start = stopwatch_thread();
    double seconds = 0;
    int is_short = 0;

    for (int i = 0; i < from->steps && !is_short; i++) {
        void **slot = &slots[next_random(&state) % SLOTS];

        if (*slot != NULL) {
            from->give(*slot);
            *slot = NULL;
        } else {
            *slot = from->take(from->from, draw_bytes(&state));
            is_short = *slot == NULL;
        }
    }
    seconds = (stopwatch_thread() - start) / (from->steps / 2.0);
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i] != NULL) from->give(slots[i]);
    }
    return is_short ? -1 : seconds;
}

static double best_round(const source *from)
{
    double best = -1;

    for (int round = 0; round < ALLOC_ROUNDS; round++) {
        const double seconds = run_round(from);

        if (seconds < 0) return -1;
        if (best < 0 || seconds < best) best = seconds;
    }
    return best;
}

static int measure(int is_driver, bench_row *row)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    alloc_rig rig = {NULL, NULL, NULL, 0};
    by_hand hand;
    const source ours = {take_block, give_block, &rig, STEPS};
    const source peers[2] = {{take_malloc, free, NULL, STEPS},
                             {take_buffer, give_buffer, &hand, DRIVER_STEPS}};
    int code = bench_choose_device(&system, &device);

    memset(&hand, 0, sizeof hand);
    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "%s",
                   is_driver ? "clCreateBuffer + clReleaseMemObject" : "malloc + free");
    if (code != PROGRAM_OK) goto done;
    if (alloc_rig_open(&rig, device, 10) != WEIR_OK) code = bench_fail(row, "alloc.mixed");
    if (is_driver && !by_hand_open_context(&hand, weir_device_get_index(device)))
        (void)snprintf(row->peer, sizeof row->peer, "missing: the driver refuses a context");
    for (int i = 0; i <= ALLOC_REPEATS && code == PROGRAM_OK; i++) {
        const double seconds = best_round(&ours);
        const double peer_seconds =
            is_driver && hand.context == NULL ? -1 : best_round(&peers[is_driver]);

        code = alloc_add_sample(row, "alloc.mixed", i, seconds, peer_seconds);
    }
done:
    by_hand_close(&hand);
    alloc_rig_close(&rig);
    weir_system_destroy(system);
    return code;
}

static int run_malloc(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(0, row);
}

static int run_driver(const bench_peers *peers, bench_row *row)
{
    (void)peers;
    return measure(1, row);
}

const bench_measurement bench_alloc_mixed_malloc = {"alloc.mixed", run_malloc, BENCH_NO_TARGET, 0};
const bench_measurement bench_alloc_mixed_driver = {"alloc.mixed", run_driver, BENCH_NO_TARGET, 0};
