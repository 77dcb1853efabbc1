/* `weir loop`: the accumulation loop in several forms, each in a context of its own, so that one form's memory,
 * kernels and failures are not another's. Options are checked before any driver is asked. One thread. */
#include "command.h"
#include "device_choice.h"
#include "interrupt.h"
#include "loop_picture.h"
#include "loop_report.h"
#include "loop_run.h"
#include "output.h"
#include "output_file.h"

#include <weir/log.h>
#include <weir/system.h>

#include <stdlib.h>
#include <string.h>

/* The command line. */
typedef struct loop_settings {
    const char *form; /* "all" or the name of one */
    uint64_t steps;
    const char *shape;
    const char *pool; /* NULL: WEIR_POOL, else the library's default */
    option_limit limit;
    const char *device; /* NULL: WEIR_DEVICE, else the best */
    uint64_t seed;
    int is_json;
    const char *svg; /* NULL: no picture */
} loop_settings;

static const option_choice form_choices[] = {{"all", 1},      {"keep", 1},     {"eager", 1},
                                             {"variable", 1}, {"tape", 1},     {"tape-tanh", 1},
                                             {"stop", 1},     {"function", 1}, {NULL, 0}};

static const program_option options[] = {
    {.name = "form",
     .kind = OPTION_CHOICE,
     .offset = offsetof(loop_settings, form),
     .argument = "FORM",
     .choices = form_choices,
     .help = "keep: every old state is held to the end\n"
             "eager: s = add(s, draw), the old state released each step\n"
             "variable: assign_add(state, draw), in place\n"
             "tape: as eager, under a tape that watches the first state\n"
             "tape-tanh: s = add(tanh(s), draw) under the tape\n"
             "stop: s = stop_gradient(add(s, draw)) under the tape\n"
             "function: the whole loop captured once and called\n"
             "all: each of them (default)"},
    {.name = "steps",
     .kind = OPTION_NUMBER,
     .offset = offsetof(loop_settings, steps),
     .argument = "N",
     .max = INT64_MAX,
     .help = "how many draws are added (default 10000)"},
    {.name = "shape",
     .kind = OPTION_TEXT,
     .offset = offsetof(loop_settings, shape),
     .argument = "LIST",
     .is_empty_allowed = 1,
     .help = "extents of the state (default 1,1024)"},
    {.name = "pool",
     .kind = OPTION_CHOICE,
     .offset = offsetof(loop_settings, pool),
     .argument = "NAME",
     .has_strategies = 1,
     .help = "how device memory is taken (default: WEIR_POOL, else adaptive)"},
    {.name = "limit",
     .kind = OPTION_LIMIT,
     .offset = offsetof(loop_settings, limit),
     .argument = "BYTES",
     .help = "most device memory ever taken; K, M, G, or a percentage of\n"
             "the device's (default: WEIR_LIMIT, else the strategy's own)"},
    {.name = "device",
     .kind = OPTION_TEXT,
     .offset = offsetof(loop_settings, device),
     .argument = "SEL",
     .help = "0.1, pci=0000:01:00.0, uuid=..., name~text or type=gpu\n"
             "(default: WEIR_DEVICE, else the best)"},
    {.name = "seed",
     .kind = OPTION_NUMBER,
     .offset = offsetof(loop_settings, seed),
     .argument = "N",
     .help = "key of the random numbers (default 1)"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(loop_settings, is_json),
     .help = "one JSON object"},
    {.name = "svg",
     .kind = OPTION_TEXT,
     .offset = offsetof(loop_settings, svg),
     .argument = "FILE",
     .help = "draw the memory over the steps, from a second run; -: in place\n"
             "of the table on standard output"},
    {.name = NULL},
};

/* Reads --shape. Returns PROGRAM_OK or PROGRAM_USAGE. */
static int read_shape(const char *text, weir_shape *shape)
{
    if (weir_shape_parse(text, shape) != WEIR_OK) {
        output_usage("weir loop: --shape: '%s' is not valid: %s; expected up to %d extents of 0 or "
                     "more, as in 1,1024 "
                     "(see: weir loop --help)",
                     text, weir_last_error()->message, WEIR_RANK_MAX);
        return PROGRAM_USAGE;
    }
    if (weir_shape_count(shape) > INT64_MAX / sizeof(float)) {
        output_usage("weir loop: --shape: '%s' is not valid: its bytes overflow; expected at most "
                     "%lld elements (see: "
                     "weir loop --help)",
                     text, (long long)(INT64_MAX / (long long)sizeof(float)));
        return PROGRAM_USAGE;
    }
    return PROGRAM_OK;
}

/* Returns a program_exit. */
static int configure(const loop_settings *settings, weir_device *device)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;

    memory.strategy = settings->pool;
    memory.limit_bytes = settings->limit.bytes;
    memory.limit_fraction = settings->limit.fraction;
    return device_configure("loop", device, &memory);
}

/* Keeps what the library logs as an error, which is where a whole build log goes. */
static void keep_log(weir_log_level level, const char *text, void *user)
{
    (void)level;
    weir_text_append(user, "%s\n", text);
}

/* Runs the forms asked for. curves: NULL, or one for each. Returns how many have a result, the interrupted one included.
 */
static size_t run_forms(const loop_settings *settings, const loop_plan *plan, loop_curve *curves,
                        loop_result *results)
{
    size_t count = 0;

    for (size_t i = 0; i < loop_form_count() && !interrupt_requested(); i++) {
        const loop_form *form = loop_form_at(i);

        if (strcmp(settings->form, "all") == 0 || strcmp(settings->form, form->name) == 0) {
            loop_run(plan, form, curves == NULL ? NULL : &curves[count], &results[count]);
            count++;
        }
    }
    return count;
}

/* The results of one run of the forms, and of the sampled second one. */
typedef struct loop_runs {
    loop_result *timed;
    loop_result *sampled;
    loop_curve *curves;
    size_t timed_count;
    size_t sampled_count;
    weir_text *log;
    weir_text *picture;
} loop_runs;

static void runs_dispose(loop_runs *runs)
{
    free(runs->timed);
    free(runs->sampled);
    free(runs->curves);
    weir_text_destroy(runs->log);
    weir_text_destroy(runs->picture);
}

/* Returns 1, or 0 for want of host memory. */
static int runs_prepare(loop_runs *runs, int is_sampled)
{
    memset(runs, 0, sizeof *runs);
    runs->timed = calloc(loop_form_count(), sizeof *runs->timed);
    if (runs->timed == NULL || weir_text_create(&runs->log) != WEIR_OK) return 0;
    if (!is_sampled) return 1;
    runs->sampled = calloc(loop_form_count(), sizeof *runs->sampled);
    runs->curves = calloc(loop_form_count(), sizeof *runs->curves);
    return runs->sampled != NULL && runs->curves != NULL &&
           weir_text_create(&runs->picture) == WEIR_OK;
}

/* Tells where Ctrl-C came. */
static int tell_interrupted(const loop_plan *plan, const loop_result *results, size_t count)
{
    const loop_result *last = &results[count == 0 ? 0 : count - 1];

    (void)fprintf(stderr, "weir loop: interrupted%s%s after step %llu of %llu\n",
                  last->form == NULL ? "" : " in form ", last->form == NULL ? "" : last->form->name,
                  (unsigned long long)last->steps_done, (unsigned long long)plan->steps);
    return PROGRAM_INTERRUPTED;
}

/* Prints the timed results and writes the picture. */
static int print_all(const loop_settings *settings, const loop_report *timed, const loop_runs *runs)
{
    int code = PROGRAM_OK;

    if (settings->is_json)
        code = output_json(loop_report_json(timed));
    else if (settings->svg == NULL || strcmp(settings->svg, "-") != 0)
        loop_report_table(timed);
    code = output_finish(code);
    loop_report_failures(timed, weir_text_get(runs->log));
    for (size_t i = 0; i < timed->count; i++)
        code = timed->results[i].status == WEIR_OK ? code : PROGRAM_FAILED;
    if (settings->svg != NULL) {
        loop_report sampled = *timed;

        sampled.results = runs->sampled;
        sampled.count = runs->sampled_count;
        loop_picture_draw(runs->picture, &sampled, runs->curves);
        if (weir_text_get_status(runs->picture) != WEIR_OK) {
            (void)fprintf(stderr, "weir loop: no host memory for the picture\n");
            code = PROGRAM_FAILED;
        } else if (output_file_write("loop", settings->svg, weir_text_get(runs->picture),
                                     weir_text_get_bytes(runs->picture)) != PROGRAM_OK) {
            code = PROGRAM_FAILED;
        }
    }
    return loop_report_agrees(timed) ? code : PROGRAM_FAILED;
}

/* Runs and prints. `plan` has a configured device. Times are measured in the first run, samples taken in the second. */
static int run_and_print(const loop_settings *settings, const loop_plan *plan)
{
    int code = PROGRAM_FAILED;
    loop_runs runs;
    loop_report timed = {
        plan, weir_device_get_strategy(plan->device),
        weir_device_is_limit_set(plan->device) ? weir_device_get_limit_bytes(plan->device) : 0,
        NULL, 0};

    if (!runs_prepare(&runs, settings->svg != NULL)) {
        (void)fprintf(stderr, "weir loop: no host memory for the results\n");
        goto done;
    }
    weir_log_set_hook(WEIR_LOG_ERROR, keep_log, runs.log);
    interrupt_catch();
    runs.timed_count = run_forms(settings, plan, NULL, runs.timed);
    weir_log_set_hook(WEIR_LOG_ERROR, NULL, NULL);
    if (interrupt_requested()) {
        code = tell_interrupted(plan, runs.timed, runs.timed_count);
        goto done;
    }
    if (settings->svg != NULL)
        runs.sampled_count = run_forms(settings, plan, runs.curves, runs.sampled);
    if (interrupt_requested()) {
        code = tell_interrupted(plan, runs.sampled, runs.sampled_count);
        goto done;
    }
    timed.results = runs.timed;
    timed.count = runs.timed_count;
    code = print_all(settings, &timed, &runs);
done:
    runs_dispose(&runs);
    return code;
}

static int run(const program_command *self, int argc, char **argv)
{
    loop_settings settings = {.form = "all", .steps = 10000, .shape = "1,1024", .seed = 1};
    loop_plan plan;
    weir_system *system = NULL;
    int code = option_parse(self, argc, argv, &settings, NULL, NULL);

    if (code != OPTION_GO_ON) return code;
    memset(&plan, 0, sizeof plan);
    plan.steps = settings.steps;
    plan.seed = settings.seed;
    if (settings.is_json && settings.svg != NULL && strcmp(settings.svg, "-") == 0) {
        output_usage(
            "weir loop: --svg: '-' is not valid with --json, which writes to standard output, too; "
            "expected a file (see: weir loop --help)");
        return PROGRAM_USAGE;
    }
    code = read_shape(settings.shape, &plan.shape);
    if (code == PROGRAM_OK) code = device_choose("loop", settings.device, &system, &plan.device);
    if ((code == PROGRAM_NO_DEVICE || code == PROGRAM_FAILED) && settings.is_json) {
        loop_report none = {&plan, settings.pool, settings.limit.bytes, NULL, 0};

        if (output_json(loop_report_json(&none)) != PROGRAM_OK) code = PROGRAM_FAILED;
    }
    if (code == PROGRAM_OK) code = configure(&settings, plan.device);
    if (code == PROGRAM_OK) code = run_and_print(&settings, &plan);
    weir_system_destroy(system);
    return code;
}

const program_command command_loop = {
    .name = "loop",
    .summary = "add fresh N(0,1) noise to a state, step by step, in several forms, and show who "
               "holds what memory",
    .operands = "",
    .options = options,
    .details = "Exit status: 0 all forms finished with the same bits, 1 a form failed, 2 bad "
               "usage, 3 no device,\n"
               "130 interrupted. Size of a state: 4 bytes an element.\n",
    .run = run,
};
