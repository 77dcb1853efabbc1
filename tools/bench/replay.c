/* replay.events: how many events a second weir's own strategy takes on numbers, through the public calls.
 *
 * The events are in memory before the clock runs, so no parsing is timed. They are those of every .csv in the folder
 * WEIR_TRACES_DIR, one trace after the other, or else a made training of 40 layers whose shapes change from step to
 * step. A sample is the fastest of some rounds, in processor time; each starts with an empty pool. */
#include "bench.h"
#include "command.h"
#include "replay_trace.h"
#include "stopwatch.h"

#include <weir/replay.h>
#include <weir/status.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 9
#define ROUNDS 10
#define LAYERS ((size_t)40)
#define STEPS 400
#define DEVICE_BYTES (UINT64_C(1) << 40)

/* Events of one trace after the other. Owns both. */
typedef struct play {
    trace_event *events;
    size_t count;
    size_t room;
    size_t *ends; /* where the traces end */
    size_t traces;
    size_t slots; /* of the trace that needs most */
} play;

static void dispose(play *all)
{
    free(all->events);
    free(all->ends);
}

/* Has room for more events. Returns 1, or 0 for want of memory. */
static int reserve(play *all, size_t more)
{
    trace_event *events = NULL;
    size_t room = all->room;

    if (all->count + more <= room) return 1;
    while (room < all->count + more) room = room == 0 ? 65536 : room * 2;
    events = realloc(all->events, room * sizeof *events);
    if (events == NULL) return 0;
    all->events = events;
    all->room = room;
    return 1;
}

static int end_trace(play *all, size_t slots)
{
    size_t *ends = realloc(all->ends, (all->traces + 1) * sizeof *ends);

    if (ends == NULL) return 0;
    ends[all->traces++] = all->count;
    all->ends = ends;
    if (slots > all->slots) all->slots = slots;
    return 1;
}

/* Reads a trace. Returns a program_exit. */
static int read_trace(play *all, const char *path)
{
    static trace_batch batch;
    trace_reader *reader = NULL;
    int code = trace_open(path, &reader);

    while (code == PROGRAM_OK) {
        code = trace_read(reader, &batch);
        if (code != PROGRAM_OK || batch.count == 0) break;
        if (!reserve(all, batch.count)) {
            code = PROGRAM_FAILED;
            break;
        }
        memcpy(all->events + all->count, batch.events, batch.count * sizeof batch.events[0]);
        all->count += batch.count;
    }
    if (code == PROGRAM_OK && !end_trace(all, trace_slots(reader))) code = PROGRAM_FAILED;
    trace_close(reader);
    return code;
}

static int is_trace(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

/* Reads every trace of a folder. Returns a program_exit. */
static int read_traces(play *all, const char *folder, bench_row *row)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_trace, alphasort);
    int code = PROGRAM_OK;

    for (int i = 0; i < count; i++) {
        char path[4096];

        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (code == PROGRAM_OK) code = read_trace(all, path);
        free(entries[i]);
    }
    free(entries);
    if (code == PROGRAM_OK && count <= 0) {
        (void)snprintf(row->reason, sizeof row->reason, "no .csv in WEIR_TRACES_DIR");
        code = PROGRAM_FAILED;
    }
    return code;
}

static void add(play *all, size_t slot, uint64_t bytes)
{
    all->events[all->count++] = (trace_event){bytes, slot};
}

/* A training: each layer leaves an activation and uses a scratch block forward, and gives the activation back backward,
 * where its gradient lives for two layers. Lengths of batches vary by step. */
static int make_training(play *all)
{
    const size_t scratch = 3 * LAYERS; /* the slot after all others */

    if (!reserve(all, STEPS * LAYERS * 6 + LAYERS)) return PROGRAM_FAILED;
    for (size_t layer = 0; layer < LAYERS; layer++) /* weights stay */
        add(all, layer, (uint64_t)(layer % 5 + 1) << 20);
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint64_t length = 128 + step * 37 % 129;

        for (size_t layer = 0; layer < LAYERS; layer++) {
            add(all, scratch, length * 512);
            add(all, LAYERS + layer, length * 4096 * (layer % 3 + 1));
            add(all, scratch, 0);
        }
        for (size_t layer = LAYERS; layer-- > 0;) {
            add(all, 2 * LAYERS + layer, length * 4096);
            if (layer + 1 < LAYERS) add(all, 2 * LAYERS + layer + 1, 0);
            add(all, LAYERS + layer, 0);
        }
        add(all, 2 * LAYERS, 0);
    }
    return end_trace(all, scratch + 1) ? PROGRAM_OK : PROGRAM_FAILED;
}

/* Plays a trace on an empty pool. Returns the seconds of its events, negative on failure. */
static double play_once(const trace_event *events, size_t count, weir_replay_block **blocks)
{
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay *replay = NULL;
    double start = 0;
    int ok = 1;

    options.device_bytes = DEVICE_BYTES;
    if (weir_replay_create("adaptive", &options, &replay) != WEIR_OK) return -1;
    start = stopwatch_thread();
    for (size_t i = 0; i < count && ok; i++) {
        if (events[i].bytes == 0)
            weir_replay_free(replay, blocks[events[i].slot]);
        else
            ok = weir_replay_alloc(replay, events[i].bytes, &blocks[events[i].slot]) == WEIR_OK;
    }
    start = stopwatch_thread() - start;
    weir_replay_destroy(replay);
    return ok ? start : -1;
}

/* Returns the events a second of the fastest round; 0 on failure. */
static double best_rate(const play *all, weir_replay_block **blocks)
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double seconds = 0;
        size_t from = 0;

        for (size_t i = 0; i < all->traces; i++) {
            const double spent = play_once(all->events + from, all->ends[i] - from, blocks);

            if (spent < 0) return 0;
            seconds += spent;
            from = all->ends[i];
        }
        if (seconds > 0 && (double)all->count / seconds > best) best = (double)all->count / seconds;
    }
    return best;
}

static int run_events(const bench_peers *peers, bench_row *row)
{
    const char *folder = getenv("WEIR_TRACES_DIR");
    play all = {NULL, 0, 0, NULL, 0, 0};
    weir_replay_block **blocks = NULL;
    int code = PROGRAM_OK;

    (void)peers;
    (void)snprintf(row->unit, sizeof row->unit, "events/s");
    code =
        folder == NULL || folder[0] == '\0' ? make_training(&all) : read_traces(&all, folder, row);
    if (code != PROGRAM_OK) goto done;
    blocks = calloc(all.slots + 1, sizeof(weir_replay_block *));
    if (blocks == NULL) code = PROGRAM_FAILED;
    for (int i = 0; i < REPEATS && code == PROGRAM_OK; i++) {
        const double rate = best_rate(&all, blocks);

        if (rate > 0)
            bench_samples_add(&row->samples, rate);
        else
            code = bench_fail(row, "replay.events");
    }
done:
    free(blocks);
    dispose(&all);
    return code;
}

const bench_measurement bench_replay_events = {"replay.events", run_events, BENCH_VALUE_AT_LEAST,
                                               10e6};
