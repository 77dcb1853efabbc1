/* On numbers a batch of events is played through one strategy after the other: so the trace is read once, also from a
 * pipe, its cost stays out of the times, and a strategy's tables stay in the cache while it is measured. Counts at the end
 * of the live lines are subtracted at the end. One thread. */
#include "replay_run.h"

#include "command.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "stopwatch.h"

#include <weir/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail_memory(void)
{
    (void)fprintf(stderr, "weir replay: no host memory\n");
    return PROGRAM_FAILED;
}

static int play(replay_row *row, const trace_event *events, size_t count)
{
    weir_replay *pool = row->pool;

    for (size_t i = 0; i < count; i++) {
        void **slot = &row->blocks[events[i].slot];
        weir_replay_block *block = NULL;

        if (events[i].bytes == 0)
            weir_replay_free(pool, *slot);
        else if (weir_replay_alloc(pool, events[i].bytes, &block) == WEIR_E_HOST_MEMORY)
            return fail_memory();
        *slot = block;
    }
    return PROGRAM_OK;
}

static void get_stats(const replay_row *row, weir_replay_stats *out)
{
    weir_replay_get_stats(row->pool, out);
}

static void reset_peak(replay_row *row) { weir_replay_reset_peak(row->pool); }

static void close_pool(replay_row *row) { weir_replay_destroy(row->pool); }

static const replay_place on_numbers = {play, get_stats, reset_peak, close_pool, stopwatch_thread};

static int add_row(replay_run *run, const char *name, const weir_replay_options *options)
{
    replay_row *row = &run->rows[run->count];
    weir_replay *pool = NULL;

    *row = (replay_row){.name = name, .place = &on_numbers, .curve = {.every = 1}};
    switch (weir_replay_create(name, options, &pool)) {
    case WEIR_OK:
        row->pool = pool;
        run->count++;
        return PROGRAM_OK;
    case WEIR_E_ARG:
        output_usage(
            "weir replay: %s; expected values of --device-memory, --max-alloc and --limit that fit "
            "together (see: weir replay --help)",
            weir_last_error()->message);
        return PROGRAM_USAGE;
    default:
        output_error("replay");
        return PROGRAM_FAILED;
    }
}

int replay_run_prepare(replay_run *run, const char *name, const weir_replay_options *options,
                       int is_sampled)
{
    int code = PROGRAM_OK;

    memset(run, 0, sizeof *run);
    run->is_sampled = is_sampled;
    for (size_t i = 0; weir_replay_strategy_name(i) != NULL && code == PROGRAM_OK; i++) {
        const char *each = weir_replay_strategy_name(i);

        if ((name == NULL || strcmp(name, each) == 0) && run->count < REPLAY_STRATEGIES_MAX)
            code = add_row(run, each, options);
    }
    return code;
}

void replay_row_close(replay_row *row)
{
    if (row->pool != NULL) row->place->close(row);
    free(row->blocks);
    row->pool = NULL;
    row->blocks = NULL;
    row->slot_count = 0;
}

void replay_run_dispose(replay_run *run)
{
    for (size_t i = 0; i < run->count; i++) replay_row_close(&run->rows[i]);
    run->count = 0;
}

/* Has room for the trace's slots. Returns 1, or 0 for want of host memory. */
static int make_room(replay_row *row, size_t slots)
{
    const size_t count = slots + slots / 2 + 64;
    void **blocks = NULL;

    if (slots <= row->slot_count) return 1;
    blocks = realloc(row->blocks, count * sizeof *blocks);
    if (blocks == NULL) return 0;
    for (size_t k = row->slot_count; k < count; k++) blocks[k] = NULL;
    row->blocks = blocks;
    row->slot_count = count;
    return 1;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Makes two samples one. */
static void halve(replay_curve *curve)
{
    for (size_t i = 0; i < curve->count; i += 2) {
        replay_sample *into = &curve->samples[i / 2];
        const replay_sample *first = &curve->samples[i];
        const replay_sample *second = i + 1 < curve->count ? &curve->samples[i + 1] : first;

        *into = (replay_sample){second->event, larger(first->in_use, second->in_use),
                                larger(first->reserved, second->reserved)};
    }
    curve->count = (curve->count + 1) / 2;
    curve->every *= 2;
}

/* Takes the peaks since the last time over into the row, and as a sample. */
static void take_peaks(replay_row *row, uint64_t event)
{
    weir_replay_stats stats;

    row->place->get_stats(row, &stats);
    row->place->reset_peak(row);
    row->peak_in_use = larger(row->peak_in_use, stats.peak_in_use_bytes);
    row->peak_reserved = larger(row->peak_reserved, stats.peak_reserved_bytes);
    if (row->curve.count == REPLAY_SAMPLES_MAX) halve(&row->curve);
    row->curve.samples[row->curve.count++] =
        (replay_sample){event, stats.peak_in_use_bytes, stats.peak_reserved_bytes};
}

/* As play(), ending a piece wherever a sample is due. before: events done */
static int play_sampled(replay_row *row, const trace_batch *batch, uint64_t before)
{
    for (size_t done = 0; done < batch->count;) {
        const uint64_t every = row->curve.every;
        const uint64_t left = every - (before + done) % every;
        const size_t piece = left < batch->count - done ? (size_t)left : batch->count - done;
        const int code = row->place->play(row, batch->events + done, piece);

        if (code != PROGRAM_OK) return code;
        done += piece;
        if ((before + done) % every == 0) take_peaks(row, before + done);
    }
    return PROGRAM_OK;
}

static int play_batch(replay_run *run, const trace_batch *batch, size_t first)
{
    for (size_t i = first; i < run->count; i++) {
        replay_row *row = &run->rows[i];
        const double start = row->place->now();
        const int code = run->is_sampled ? play_sampled(row, batch, run->events)
                                         : row->place->play(row, batch->events, batch->count);

        if (code != PROGRAM_OK) return code;
        if (batch->is_live) {
            weir_replay_stats stats;

            row->place->get_stats(row, &stats);
            row->driver_allocs = stats.driver_allocs;
            row->driver_frees = stats.driver_frees;
            row->compactions = stats.compactions;
            row->moved_bytes = stats.moved_bytes;
        } else {
            row->seconds += row->place->now() - start;
        }
    }
    run->events += batch->count;
    run->timed_events += batch->is_live ? 0 : batch->count;
    return PROGRAM_OK;
}

static void finish_row(replay_row *row, uint64_t events)
{
    weir_replay_stats stats;

    take_peaks(row, events);
    row->place->get_stats(row, &stats);
    row->driver_allocs = stats.driver_allocs - row->driver_allocs;
    row->driver_frees = stats.driver_frees - row->driver_frees;
    row->compactions = stats.compactions - row->compactions;
    row->moved_bytes = stats.moved_bytes - row->moved_bytes;
    row->ooms = stats.oom_count;
    row->limit = stats.limit_bytes;
}

static int make_rooms(replay_run *run, size_t slots, size_t first)
{
    for (size_t i = first; i < run->count; i++)
        if (!make_room(&run->rows[i], slots)) return fail_memory();
    return PROGRAM_OK;
}

int replay_run_play(replay_run *run, trace_reader *trace, size_t first)
{
    static trace_batch batch;
    progress line;
    int code = PROGRAM_OK;

    run->events = 0;
    run->timed_events = 0;
    progress_begin(&line);
    do {
        uint64_t done = 0;
        uint64_t total = 0;

        code = trace_read(trace, &batch);
        if (code == PROGRAM_OK) code = make_rooms(run, trace_slots(trace), first);
        if (code == PROGRAM_OK) code = play_batch(run, &batch, first);
        if (code == PROGRAM_OK && interrupt_requested()) code = PROGRAM_INTERRUPTED;
        trace_progress(trace, &done, &total);
        progress_show(&line, "bytes of the trace", done, total);
    } while (code == PROGRAM_OK && batch.count > 0);
    progress_end(&line);
    if (code == PROGRAM_INTERRUPTED)
        (void)fprintf(stderr, "weir replay: interrupted after %llu events\n",
                      (unsigned long long)run->events);
    if (code != PROGRAM_OK) return code;
    run->peak_live = trace_peak_live(trace);
    run->allocs = trace_allocs(trace);
    for (size_t i = first; i < run->count; i++) finish_row(&run->rows[i], run->events);
    return PROGRAM_OK;
}
