/* `weir bench`: measurements beside what weir competes with, side by side in one run.
 *
 * Each measurement runs in a process of its own: one may choose another OpenCL driver, which a loader does once a
 * process, and a crash costs one row. The row comes back as JSON through a pipe. This process calls no OpenCL. */
#include "bench_report.h"
#include "command.h"
#include "interrupt.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command line. */
typedef struct bench_settings {
    const char *peers; /* NULL: WEIR_PEERS_DIR */
    int is_json;
} bench_settings;

static const bench_measurement *const measurements[] = {
    &bench_loop_eager,         &bench_loop_variable,        &bench_loop_tape,
    &bench_loop_function_hand, &bench_loop_function_torch,  &bench_loop_function_jax,
    &bench_loop_function_tf,   &bench_loop_function_tf_jit, &bench_capture_1000,
    &bench_function_call,      &bench_op_overhead,          &bench_start_warm,
    &bench_accumulate_f32,     &bench_alloc_pair,           &bench_alloc_pair_malloc,
    &bench_alloc_pair_driver,  &bench_alloc_pair_pyopencl,  &bench_alloc_pair_1000,
    &bench_alloc_pair_1000000, &bench_alloc_mixed_malloc,   &bench_alloc_mixed_driver,
    &bench_alloc_threads_2,    &bench_alloc_threads_4,      &bench_alloc_threads_8,
    &bench_replay_events,      &bench_replay_roots,         &bench_select_live,
    &bench_select_read,
};

#define MEASUREMENTS (sizeof measurements / sizeof measurements[0])

static const char *const later[] = {
    "accumulate.bf16", "as.call",     "elementwise.exp", "elementwise.tanh",
    "random.normal",   "sum.plain",   "sum.compensated", "sum.exact",
    "scatter.add",     "matmul.1024", "mlp.step",
};

static const program_option options[] = {
    {.name = "peers",
     .kind = OPTION_TEXT,
     .offset = offsetof(bench_settings, peers),
     .argument = "DIR",
     .help = "where torch_loop.py, jax_loop.py and tf_loop.py are\n"
             "(default: WEIR_PEERS_DIR)"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(bench_settings, is_json),
     .help = "one JSON object, with every repeat"},
    {.name = NULL},
};

/* A name stands for what has it, and for what has it before a dot: "alloc" for alloc.pair and others. */
static int is_meant(const char *measurement, const char *name)
{
    const size_t bytes = strlen(name);

    return strncmp(measurement, name, bytes) == 0 && bytes != 0 &&
           (measurement[bytes] == '\0' || measurement[bytes] == '.');
}

/* Returns the first measurement of a name, or NULL. */
static const bench_measurement *find(const char *name)
{
    for (size_t i = 0; i < MEASUREMENTS; i++) {
        if (is_meant(measurements[i]->name, name)) return measurements[i];
    }
    return NULL;
}

static int refuse(const char *name)
{
    char known[512] = "";
    int is_later = strncmp(name, "plan.", 5) == 0 && name[5] != '\0';

    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        is_later = is_later || is_meant(later[i], name);
    if (is_later) {
        output_usage("weir bench: %s: not in this build (see: weir bench --help)", name);
        return PROGRAM_USAGE;
    }
    for (size_t i = 0; i < MEASUREMENTS; i++) {
        if (find(measurements[i]->name) == measurements[i])
            output_append(known, sizeof known, "%s%s", i == 0 ? "" : ", ", measurements[i]->name);
    }
    output_usage(
        "weir bench: unknown measurement '%s'; expected one of %s (see: weir bench --help)", name,
        known);
    return PROGRAM_USAGE;
}

/* The measurement's own process: runs it and writes its row. */
static int serve(const bench_measurement *measurement, const bench_peers *peers, int to)
{
    bench_row row;
    json_t *json = NULL;
    int code = PROGRAM_OK;

    memset(&row, 0, sizeof row);
    code = measurement->run(peers, &row);
    json = bench_row_to_json(&row);
    if (json == NULL || json_dumpfd(json, to, 0) != 0) code = PROGRAM_FAILED;
    json_decref(json);
    return code;
}

static void wait_for(pid_t child, bench_result *result)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : PROGRAM_FAILED;
    if (WIFSIGNALED(status))
        (void)snprintf(result->row.reason, sizeof result->row.reason, "ended by signal %d",
                       WTERMSIG(status));
}

/* Runs one measurement in a process of its own. */
static void run_one(const bench_measurement *measurement, const bench_peers *peers,
                    bench_result *result)
{
    int ends[2] = {-1, -1};
    pid_t child = -1;
    json_t *json = NULL;

    memset(result, 0, sizeof *result);
    result->measurement = measurement;
    result->code = PROGRAM_FAILED;
    (void)fflush(stdout);
    if (pipe(ends) == 0) child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        exit(serve(measurement, peers, ends[1]));
    }
    if (ends[1] >= 0) (void)close(ends[1]);
    if (child > 0) {
        json = json_loadfd(ends[0], 0, NULL);
        (void)bench_row_from_json(json, &result->row);
        json_decref(json);
        wait_for(child, result);
    } else {
        (void)snprintf(result->row.reason, sizeof result->row.reason, "no process: %s",
                       strerror(errno));
    }
    if (ends[0] >= 0) (void)close(ends[0]);
}

/* Returns the exit code of all: no device if one found none, else failed if one failed. */
static int worst(const bench_result *results, size_t count)
{
    int code = PROGRAM_OK;

    for (size_t i = 0; i < count; i++) {
        if (results[i].code == PROGRAM_NO_DEVICE ||
            (results[i].code != PROGRAM_OK && code == PROGRAM_OK))
            code = results[i].code;
    }
    return code;
}

/* Writes the measurements of the names, all of them if there is none, to `out`; returns how many. A name stands for every
 * measurement that has it. out: room for MEASUREMENTS a name, and once MEASUREMENTS */
static size_t choose(const char *const *names, size_t count, const bench_measurement **out)
{
    size_t chosen = 0;

    for (size_t i = 0; i < MEASUREMENTS && count == 0; i++) out[chosen++] = measurements[i];
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < MEASUREMENTS; i++) {
            if (is_meant(measurements[i]->name, names[k])) out[chosen++] = measurements[i];
        }
    }
    return chosen;
}

/* Measures and prints. */
static int run_all(const bench_settings *settings, const bench_peers *peers,
                   const bench_measurement *const *chosen, size_t count, bench_result *results)
{
    int code = PROGRAM_OK;

    interrupt_catch();
    for (size_t i = 0; i < count && !interrupt_requested(); i++) {
        run_one(chosen[i], peers, &results[i]);
        if (results[i].code == PROGRAM_USAGE) return PROGRAM_USAGE; /* its environment is ours */
        if (results[i].code == PROGRAM_NO_DEVICE) bench_note_no_device();
    }
    if (interrupt_requested()) {
        (void)fprintf(stderr, "weir bench: interrupted\n");
        return PROGRAM_INTERRUPTED;
    }
    if (settings->is_json)
        code = output_json(bench_report_json(results, count));
    else
        bench_report_table(results, count);
    return code == PROGRAM_OK ? worst(results, count) : code;
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

static int run(const program_command *self, int argc, char **argv)
{
    bench_settings settings = {NULL, 0};
    bench_peers peers = {NULL, environment("WEIR_PEERS_TORCH"), environment("WEIR_PEERS_TF")};
    const char **names = calloc((size_t)argc + 1, sizeof *names);
    const bench_measurement **chosen = calloc((size_t)argc * MEASUREMENTS + 1, sizeof *chosen);
    bench_result *results = NULL;
    size_t count = 0;
    int code = PROGRAM_FAILED;

    if (names == NULL || chosen == NULL) goto done;
    code = option_parse(self, argc, argv, &settings, names, &count);
    if (code != OPTION_GO_ON) goto done;
    for (size_t i = 0; i < count; i++) {
        if (find(names[i]) == NULL) {
            code = refuse(names[i]);
            goto done;
        }
    }
    peers.folder = settings.peers == NULL ? environment("WEIR_PEERS_DIR") : settings.peers;
    count = choose(names, count, chosen);
    results = calloc(count, sizeof *results);
    code = results == NULL ? PROGRAM_FAILED : run_all(&settings, &peers, chosen, count, results);
done:
    free(results);
    free(chosen);
    free(names);
    return code;
}

const program_command command_bench = {
    .name = "bench",
    .summary = "measure weir beside what it competes with",
    .operands = "[NAME...]",
    .operand_max = 64,
    .options = options,
    .details =
        "Names: loop.eager loop.variable loop.tape loop.function capture.1000 "
        "function.call op.overhead\n"
        "start.warm accumulate.f32 alloc.pair alloc.mixed alloc.threads replay.events "
        "replay.roots\n"
        "select.live select.read; all of them if none is given, those of a group by what stands "
        "before the dot:\n"
        "alloc.\n"
        "Peers run on WEIR_PEERS_TORCH, a python that has torch, and WEIR_PEERS_TF, one that has "
        "tensorflow and\n"
        "jax; either may have pyopencl. WEIR_DEVICE chooses the device; WEIR_TRACES_DIR has the "
        "traces of\n"
        "replay.events.\n"
        "A missing peer is named; a target that is missed is shown and is no failure.\n"
        "Exit status: 0 all measured, 1 one failed, 2 bad usage, 3 no device, 130 interrupted.\n",
    .run = run,
};
