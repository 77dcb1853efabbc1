/* Each strategy gets a list of devices of its own, since configuration freezes with the first block, and has the device for
 * itself, since one that takes the whole memory leaves nothing to the others; so the trace is read once a strategy.
 * Times are of the clock and not of this thread: drivers work in threads of theirs. One thread. */
#include "replay_device.h"

#include "command.h"
#include "device_choice.h"
#include "interrupt.h"
#include "output.h"
#include "stopwatch.h"

#include <weir/context.h>
#include <weir/pool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device opened for one row. */
typedef struct opened {
    weir_system *system;
    weir_context *context;
    weir_pool *pool;
} opened;

static int play(replay_row *row, const trace_event *events, size_t count)
{
    weir_pool *pool = ((const opened *)row->pool)->pool;

    for (size_t i = 0; i < count; i++) {
        void **slot = &row->blocks[events[i].slot];
        weir_block *block = NULL;
        weir_status status = WEIR_OK;

        if (events[i].bytes == 0)
            weir_block_release(*slot);
        else
            status = weir_pool_alloc(pool, NULL, events[i].bytes, "trace", &block);
        *slot = block;
        if (status == WEIR_OK || status == WEIR_E_OUT_OF_MEMORY) continue;
        output_error("replay");
        return PROGRAM_FAILED;
    }
    return PROGRAM_OK;
}

static void get_stats(const replay_row *row, weir_replay_stats *out)
{
    weir_pool_stats stats;

    weir_pool_get_stats(((const opened *)row->pool)->pool, &stats);
    *out = (weir_replay_stats){
        .requested_bytes = stats.requested_bytes.current,
        .in_use_bytes = stats.in_use_bytes.current,
        .reserved_bytes = stats.reserved_bytes.current,
        .peak_requested_bytes = stats.requested_bytes.peak,
        .peak_in_use_bytes = stats.in_use_bytes.peak,
        .peak_reserved_bytes = stats.reserved_bytes.peak,
        .limit_bytes = stats.limit_bytes,
        .driver_allocs = stats.driver_allocs,
        .driver_frees = stats.driver_frees,
        .oom_count = stats.oom_count,
        .compactions = stats.compactions,
        .moved_bytes = stats.moved_bytes,
    };
}

static void reset_peak(replay_row *row) { weir_pool_reset_peak(((const opened *)row->pool)->pool); }

static void close_device(replay_row *row)
{
    opened *device = row->pool;

    for (size_t i = 0; i < row->slot_count; i++) weir_block_release(row->blocks[i]);
    weir_context_release(device->context);
    weir_system_destroy(device->system);
    free(device);
}

static const replay_place on_device = {play, get_stats, reset_peak, close_device, stopwatch_now};

/* Opens the device with a strategy, in a system of its own. Returns a program_exit. */
static int open_device(opened *device, const char *index, const char *strategy,
                       const replay_device_settings *settings)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_device *found = NULL;
    int code = PROGRAM_OK;

    memory.strategy = strategy;
    memory.limit_bytes = settings->limit.bytes;
    memory.limit_fraction = settings->limit.fraction;
    memory.no_compaction = settings->is_without_compaction;
    options.no_self_check = 1; /* nothing is computed */
    if (weir_system_create(&device->system) != WEIR_OK ||
        weir_system_find(device->system, index, &found) != WEIR_OK) {
        output_error("replay");
        return PROGRAM_FAILED;
    }
    code = device_configure("replay", found, &memory);
    if (code != PROGRAM_OK) return code;
    if (weir_context_create(found, &options, &device->context) != WEIR_OK) {
        output_error("replay");
        return PROGRAM_FAILED;
    }
    device->pool = weir_context_get_pool(device->context);
    return PROGRAM_OK;
}

static int add_row(replay_run *run, const char *strategy, const replay_device_settings *settings)
{
    replay_row *row = &run->rows[run->count];
    opened *device = calloc(1, sizeof *device);

    *row = (replay_row){.name = strategy, .place = &on_device, .curve = {.every = 1}};
    if (device == NULL) {
        (void)fprintf(stderr, "weir replay: no host memory\n");
        return PROGRAM_FAILED;
    }
    row->pool = device;
    run->count++;
    return open_device(device, weir_device_get_index(run->device), strategy, settings);
}

static int play_strategy(replay_run *run, const char *trace, const char *strategy,
                         const replay_device_settings *settings)
{
    trace_reader *reader = NULL;
    const size_t at = run->count;
    int code = trace_open(trace, &reader); /* a bad trace costs no device */

    if (code == PROGRAM_OK) code = add_row(run, strategy, settings);
    if (code == PROGRAM_OK) code = replay_run_play(run, reader, at);
    if (run->count > at) replay_row_close(&run->rows[at]);
    trace_close(reader);
    return code;
}

/* Returns PROGRAM_OK or PROGRAM_USAGE. */
static int check(const replay_run *run, const char *trace, const replay_device_settings *settings)
{
    weir_property memory;

    if (settings->pool == NULL && strcmp(trace, "-") == 0) {
        output_usage(
            "weir replay: --on-device reads TRACE once for each strategy; expected a file, or "
            "--pool with one name (see: weir replay --help)");
        return PROGRAM_USAGE;
    }
    if (weir_record_find(weir_device_get_record(run->device), "global_mem_size", &memory) &&
        memory.state == WEIR_PROPERTY_VALUE && settings->limit.bytes > memory.number) {
        output_usage(
            "weir replay: --limit: %llu bytes are above the device's %llu; expected at most "
            "what device %s has (see: weir replay --help)",
            (unsigned long long)settings->limit.bytes, (unsigned long long)memory.number,
            weir_device_get_index(run->device));
        return PROGRAM_USAGE;
    }
    return PROGRAM_OK;
}

int replay_device_play(replay_run *run, const char *trace, const replay_device_settings *settings,
                       weir_system **system)
{
    weir_device *device = NULL;
    int code = device_choose_by("replay", "--on-device", settings->selector, system, &device);

    memset(run, 0, sizeof *run);
    run->is_sampled = settings->is_sampled;
    run->device = device;
    if (code == PROGRAM_OK) code = check(run, trace, settings);
    interrupt_catch();
    for (size_t i = 0; weir_replay_strategy_name(i) != NULL && code == PROGRAM_OK; i++) {
        const char *each = weir_replay_strategy_name(i);

        if ((settings->pool == NULL || strcmp(settings->pool, each) == 0) &&
            run->count < REPLAY_STRATEGIES_MAX)
            code = play_strategy(run, trace, each, settings);
    }
    return code;
}
