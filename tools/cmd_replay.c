/* `weir replay`: a recorded sequence of allocations through every strategy. On numbers no device is asked, so the memory of
 * a card that nobody has is an option like others; on a device everything is really allocated. One thread. */
#include "command.h"
#include "interrupt.h"
#include "output.h"
#include "output_file.h"
#include "replay_device.h"
#include "replay_picture.h"
#include "replay_report.h"
#include "replay_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_BYTES (UINT64_C(16) << 30U)

/* The command line. */
typedef struct replay_settings {
    const char *pool; /* "all" or a name */
    option_limit limit;
    uint64_t device_bytes;    /* 0: DEVICE_BYTES */
    uint64_t max_alloc_bytes; /* 0: a quarter of the device */
    option_device on_device;
    int is_without_compaction;
    int is_json;
    const char *svg; /* NULL: no picture */
} replay_settings;

static const option_choice pool_choices[] = {{"all", 1}, {NULL, 0}}; /* and each strategy */

static const program_option options[] = {
    {.name = "pool",
     .kind = OPTION_CHOICE,
     .offset = offsetof(replay_settings, pool),
     .argument = "NAME",
     .choices = pool_choices,
     .has_strategies = 1,
     .help = "which strategies play it (default: all)"},
    {.name = "limit",
     .kind = OPTION_LIMIT,
     .offset = offsetof(replay_settings, limit),
     .argument = "BYTES",
     .help = "most memory ever taken; K, M, G, or a percentage of the\n"
             "device's (default: each strategy's own)"},
    {.name = "device-memory",
     .kind = OPTION_SIZE,
     .offset = offsetof(replay_settings, device_bytes),
     .argument = "BYTES",
     .help = "memory of the device (default 16G)"},
    {.name = "max-alloc",
     .kind = OPTION_SIZE,
     .offset = offsetof(replay_settings, max_alloc_bytes),
     .argument = "BYTES",
     .help = "no buffer is larger (default: a quarter of the device's memory)"},
    {.name = "no-compaction",
     .kind = OPTION_FLAG,
     .offset = offsetof(replay_settings, is_without_compaction),
     .help = "blocks stay where they were placed"},
    {.name = "on-device",
     .kind = OPTION_DEVICE,
     .offset = offsetof(replay_settings, on_device),
     .argument = "[SEL]",
     .help = "really allocate, on this device: 0.1, pci=, uuid=, name~text, type=gpu\n"
             "(default: WEIR_DEVICE, else the best); TRACE is read once a strategy"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(replay_settings, is_json),
     .help = "one JSON object"},
    {.name = "svg",
     .kind = OPTION_TEXT,
     .offset = offsetof(replay_settings, svg),
     .argument = "FILE",
     .help = "draw what is reserved and in use over the events; -: in place of\n"
             "the table on standard output"},
    {.name = NULL},
};

/* Makes the options of the pools on numbers. Returns PROGRAM_OK or PROGRAM_USAGE. */
static int read_numbers(const replay_settings *settings, weir_replay_options *out)
{
    out->device_bytes = settings->device_bytes != 0 ? settings->device_bytes : DEVICE_BYTES;
    out->max_alloc_bytes = settings->max_alloc_bytes;
    out->limit_bytes = settings->limit.bytes;
    out->is_fixed = settings->is_without_compaction;
    if (settings->limit.fraction > 0) {
        out->limit_bytes = (uint64_t)((double)out->device_bytes * settings->limit.fraction);
        if (out->limit_bytes == 0) out->limit_bytes = 1;
        if (out->limit_bytes > out->device_bytes) out->limit_bytes = out->device_bytes;
    }
    if (out->limit_bytes > out->device_bytes) {
        output_usage(
            "weir replay: --limit: %llu bytes are above the device's %llu; expected at most "
            "--device-memory (see: weir replay --help)",
            (unsigned long long)out->limit_bytes, (unsigned long long)out->device_bytes);
        return PROGRAM_USAGE;
    }
    return PROGRAM_OK;
}

/* Looks for options that exclude each other. Returns PROGRAM_OK or PROGRAM_USAGE. */
static int check_settings(const replay_settings *settings, size_t operand_count)
{
    const char *invented = settings->device_bytes != 0      ? "--device-memory"
                           : settings->max_alloc_bytes != 0 ? "--max-alloc"
                                                            : NULL;

    if (settings->on_device.is_given && invented != NULL) {
        output_usage(
            "weir replay: %s: not with --on-device, which takes what the device has; expected "
            "one of the two (see: weir replay --help)",
            invented);
        return PROGRAM_USAGE;
    }
    if (settings->is_json && settings->svg != NULL && strcmp(settings->svg, "-") == 0) {
        output_usage("weir replay: --svg: '-' is not valid with --json, which writes to standard "
                     "output, too; expected a file (see: weir replay --help)");
        return PROGRAM_USAGE;
    }
    if (operand_count == 0) {
        output_usage(
            "weir replay: TRACE is missing; expected a file or - (see: weir replay --help)");
        return PROGRAM_USAGE;
    }
    return PROGRAM_OK;
}

static int write_picture(const replay_settings *settings, const replay_run *run, const char *trace)
{
    weir_text *picture = NULL;
    int code = PROGRAM_FAILED;

    if (weir_text_create(&picture) == WEIR_OK) replay_picture_draw(picture, run, trace);
    if (picture == NULL || weir_text_get_status(picture) != WEIR_OK)
        (void)fprintf(stderr, "weir replay: no host memory for the picture\n");
    else
        code = output_file_write("replay", settings->svg, weir_text_get(picture),
                                 weir_text_get_bytes(picture));
    weir_text_destroy(picture);
    return code;
}

static int print_all(const replay_settings *settings, const replay_run *run, const char *trace)
{
    int code = PROGRAM_OK;

    if (settings->is_json)
        code = output_json(replay_report_json(run));
    else if (settings->svg == NULL || strcmp(settings->svg, "-") != 0)
        replay_report_table(run);
    code = output_finish(code);
    if (settings->svg != NULL && write_picture(settings, run, trace) != PROGRAM_OK)
        code = PROGRAM_FAILED;
    return code;
}

static int play_on_numbers(const replay_settings *settings, const char *pool, const char *path,
                           replay_run *played)
{
    weir_replay_options pools = WEIR_REPLAY_OPTIONS_INIT;
    trace_reader *trace = NULL;
    int code = read_numbers(settings, &pools);

    if (code == PROGRAM_OK) code = replay_run_prepare(played, pool, &pools, settings->svg != NULL);
    if (code == PROGRAM_OK) code = trace_open(path, &trace);
    if (code == PROGRAM_OK) {
        interrupt_catch();
        code = replay_run_play(played, trace, 0);
    }
    trace_close(trace);
    return code;
}

static int play_on_device(const replay_settings *settings, const char *pool, const char *path,
                          replay_run *played, weir_system **system)
{
    const replay_device_settings device = {
        .selector = settings->on_device.selector,
        .pool = pool,
        .limit = settings->limit,
        .is_without_compaction = settings->is_without_compaction,
        .is_sampled = settings->svg != NULL,
    };

    return replay_device_play(played, path, &device, system);
}

static int run(const program_command *self, int argc, char **argv)
{
    static replay_run played;
    replay_settings settings = {.pool = "all"};
    const char **operands = calloc((size_t)argc, sizeof *operands);
    const char *pool = NULL;
    size_t operand_count = 0;
    weir_system *system = NULL;
    int code = PROGRAM_FAILED;

    if (operands == NULL) {
        (void)fprintf(stderr, "weir replay: no host memory\n");
        goto done;
    }
    code = option_parse(self, argc, argv, &settings, operands, &operand_count);
    if (code != OPTION_GO_ON) goto done;
    code = check_settings(&settings, operand_count);
    if (code != PROGRAM_OK) goto done;
    pool = strcmp(settings.pool, "all") == 0 ? NULL : settings.pool;
    code = settings.on_device.is_given
               ? play_on_device(&settings, pool, operands[0], &played, &system)
               : play_on_numbers(&settings, pool, operands[0], &played);
    if (code == PROGRAM_OK) code = print_all(&settings, &played, operands[0]);
done:
    replay_run_dispose(&played);
    weir_system_destroy(system);
    free(operands);
    return code;
}

const program_command command_replay = {
    .name = "replay",
    .summary =
        "play a trace of allocations through every pool strategy, on numbers or on a device, and "
        "tell which suits it",
    .operands = "TRACE|-",
    .operand_max = 1,
    .options = options,
    .details =
        "TRACE is CSV with the heading event,id,bytes,queue; events are live (a block that was "
        "there before; these\nlines come first), alloc and free (bytes empty).\n"
        "Exit status: 0 played, 1 failed, 2 bad usage or a bad trace, 3 no device matches, 130 "
        "interrupted.\n",
    .run = run,
};
