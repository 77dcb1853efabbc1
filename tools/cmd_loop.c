/* `weir loop`: the accumulation loop in several forms, each in a context of its own, so that one form's memory,
 * kernels and failures are not another's. Options are checked before any driver is asked. One thread. */
#include "command.h"
#include "device_choice.h"
#include "interrupt.h"
#include "loop_report.h"
#include "loop_run.h"
#include "output.h"

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
} loop_settings;

static const option_choice form_choices[] = {{"all", 1},      {"keep", 1},     {"eager", 1},
                                             {"variable", 1}, {"tape", 0},     {"tape-tanh", 0},
                                             {"stop", 0},     {"function", 0}, {NULL, 0}};

static const option_choice pool_choices[] = {{"growth", 1},   {"prealloc", 1}, {"direct", 1},
                                             {"ondemand", 0}, {"adaptive", 0}, {NULL, 0}};

static const program_option options[] = {
    {.name = "form",
     .kind = OPTION_CHOICE,
     .offset = offsetof(loop_settings, form),
     .argument = "FORM",
     .choices = form_choices,
     .help = "keep: every old state is held to the end\n"
             "eager: s = add(s, draw), the old state released each step\n"
             "variable: assign_add(state, draw), in place\n"
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
     .choices = pool_choices,
     .help = "growth, prealloc or direct (default: WEIR_POOL, else growth)"},
    {.name = "limit",
     .kind = OPTION_LIMIT,
     .offset = offsetof(loop_settings, limit),
     .argument = "BYTES",
     .help = "most device memory ever taken; K, M, G, or a percentage of\n"
             "the device's (default: WEIR_LIMIT, else none)"},
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
    {.name = "svg", .kind = OPTION_LATER, .argument = "FILE", .help = ""},
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

/* Sets pool and limit. Returns PROGRAM_OK, or PROGRAM_USAGE: WEIR_POOL and WEIR_LIMIT are input like the options. */
static int configure(const loop_settings *settings, weir_device *device)
{
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;

    memory.strategy = settings->pool;
    memory.limit_bytes = settings->limit.bytes;
    memory.limit_fraction = settings->limit.fraction;
    switch (weir_device_configure(device, &memory)) {
    case WEIR_OK:
        return PROGRAM_OK;
    case WEIR_E_ARG:
        output_usage("weir loop: %s", weir_last_error()->message);
        return PROGRAM_USAGE;
    default:
        output_error("loop");
        return PROGRAM_FAILED;
    }
}

/* Keeps what the library logs as an error, which is where a whole build log goes. */
static void keep_log(weir_log_level level, const char *text, void *user)
{
    (void)level;
    weir_text_append(user, "%s\n", text);
}

/* Runs the forms asked for. Returns how many have a result, the interrupted one included. */
static size_t run_forms(const loop_settings *settings, const loop_plan *plan, loop_result *results)
{
    size_t count = 0;

    for (size_t i = 0; i < loop_form_count() && !interrupt_requested(); i++) {
        const loop_form *form = loop_form_at(i);

        if (strcmp(settings->form, "all") == 0 || strcmp(settings->form, form->name) == 0)
            loop_run(plan, form, &results[count++]);
    }
    return count;
}

static int print_report(const loop_settings *settings, const loop_report *report, const char *log)
{
    int code = PROGRAM_OK;

    if (settings->is_json)
        code = output_json(loop_report_json(report));
    else
        loop_report_table(report);
    code = output_finish(code);
    loop_report_failures(report, log);
    for (size_t i = 0; i < report->count; i++)
        code = report->results[i].status == WEIR_OK ? code : PROGRAM_FAILED;
    return loop_report_agrees(report) ? code : PROGRAM_FAILED;
}

/* Runs and prints. `plan` has a configured device. */
static int run_and_print(const loop_settings *settings, const loop_plan *plan)
{
    int code = PROGRAM_FAILED;
    weir_text *log = NULL;
    loop_result *results = calloc(loop_form_count(), sizeof *results);
    loop_report report = {plan, weir_device_get_strategy(plan->device),
                          weir_device_get_limit_bytes(plan->device), results, 0};

    if (results == NULL || weir_text_create(&log) != WEIR_OK) {
        (void)fprintf(stderr, "weir loop: no host memory for the results\n");
        goto done;
    }
    weir_log_set_hook(WEIR_LOG_ERROR, keep_log, log);
    interrupt_catch();
    report.count = run_forms(settings, plan, results);
    weir_log_set_hook(WEIR_LOG_ERROR, NULL, NULL);
    if (interrupt_requested()) {
        const loop_result *last = &results[report.count == 0 ? 0 : report.count - 1];

        (void)fprintf(stderr, "weir loop: interrupted%s%s after step %llu of %llu\n",
                      last->form == NULL ? "" : " in form ",
                      last->form == NULL ? "" : last->form->name,
                      (unsigned long long)last->steps_done, (unsigned long long)plan->steps);
        code = PROGRAM_INTERRUPTED;
        goto done;
    }
    code = print_report(settings, &report, weir_text_get(log));
done:
    weir_text_destroy(log);
    free(results);
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
