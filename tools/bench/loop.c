/* loop.eager, loop.variable, loop.function, loop.tape: 10 000 steps of a (1, 1024) state plus fresh normals, against
 * other frameworks doing the same on the host's cores, and for the tape against weir's own eager loop. The two take
 * turns, so that whatever else the machine does meets both. Ours is the time of steps 2 to the last, or of the second
 * call, until their work is done; the others are warmed up by their own programs and read the sum inside their time. */
#include "bench.h"

#include "child.h"
#include "command.h"
#include "loop_run.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEPS 10000
#define REPEATS 5

/* A peer's program and how it is called. */
typedef struct peer_program {
    const char *label;    /* "torch inplacebuf" */
    const char *script;   /* in the folder of peers */
    const char *form;     /* its argument */
    const char *variable; /* of the environment, that names its python */
} peer_program;

/* Runs a peer once. Returns 1 and its seconds, or 0. */
static int time_peer(const bench_peers *peers, const char *python, const peer_program *program,
                     double *seconds, bench_row *row)
{
    char script[4096];
    char output[4096];
    char *argv[] = {(char *)python, script, (char *)program->form, "10000", "1024", NULL};
    json_t *root = NULL;
    int is_valid = 0;

    (void)snprintf(script, sizeof script, "%s/%s", peers->folder, program->script);
    if (child_run(argv, output, sizeof output) != 0) return 0;
    root = json_loads(output, 0, NULL);
    is_valid = json_is_number(json_object_get(root, "seconds")) &&
               json_is_string(json_object_get(root, "peer"));
    *seconds = json_number_value(json_object_get(root, "seconds"));
    if (is_valid)
        (void)snprintf(row->peer, sizeof row->peer, "%.200s %s",
                       json_string_value(json_object_get(root, "peer")), program->form);
    json_decref(root);
    return is_valid;
}

/* Returns 1 if a peer can be asked, else 0 and the reason as the row's peer. */
static int find_peer(const bench_peers *peers, const char *python, const peer_program *program,
                     bench_row *row)
{
    char script[4096];
    char missing[128] = "";

    (void)snprintf(script, sizeof script, "%s/%s", peers->folder == NULL ? "" : peers->folder,
                   program->script);
    if (python == NULL)
        (void)snprintf(missing, sizeof missing, "%s is not set", program->variable);
    else if (peers->folder == NULL)
        (void)snprintf(missing, sizeof missing, "neither --peers nor WEIR_PEERS_DIR is set");
    else if (access(python, X_OK) != 0)
        (void)snprintf(missing, sizeof missing, "the python of %s cannot be run",
                       program->variable);
    else if (access(script, R_OK) != 0)
        (void)snprintf(missing, sizeof missing, "the folder of peers has no %s", program->script);
    (void)snprintf(row->peer, sizeof row->peer, "%s%s%s", program->label,
                   missing[0] == '\0' ? "" : " missing: ", missing);
    return missing[0] == '\0';
}

static const loop_form *find_form(const char *name)
{
    size_t i = 0;

    while (i + 1 < loop_form_count() && strcmp(loop_form_at(i)->name, name) != 0) i++;
    return loop_form_at(i);
}

/* Runs a form once. Returns a program_exit; the reason is in the row. */
static int time_form(const loop_plan *plan, const char *form, double *seconds, bench_row *row)
{
    loop_result result;

    loop_run(plan, find_form(form), NULL, &result);
    *seconds = result.seconds;
    return result.status == WEIR_OK ? PROGRAM_OK : bench_fail(row, form);
}

static int measure(const bench_peers *peers, const char *python, const char *form,
                   const peer_program *program, bench_row *row)
{
    weir_system *system = NULL;
    loop_plan plan = {NULL, {2, {1, 1024}}, STEPS, 1};
    int has_peer = find_peer(peers, python, program, row);
    int code = bench_choose_device(&system, &plan.device);

    (void)snprintf(row->unit, sizeof row->unit, "s");
    for (int i = 0; i <= REPEATS && code == PROGRAM_OK; i++) {
        double seconds = 0;

        code = time_form(&plan, form, &seconds, row);
        if (code != PROGRAM_OK || i == 0)
            continue; /* the first run builds kernels and wakes threads */
        bench_samples_add(&row->samples, seconds);
        if (!has_peer) continue;
        has_peer = time_peer(peers, python, program, &seconds, row);
        if (has_peer)
            bench_samples_add(&row->peer_samples, seconds);
        else
            (void)snprintf(row->peer, sizeof row->peer, "%s missing: %s failed", program->label,
                           program->script);
    }
    weir_system_destroy(system);
    return code;
}

static int measure_torch(const bench_peers *peers, const char *form, const peer_program *program,
                         bench_row *row)
{
    return measure(peers, peers->torch_python, form, program, row);
}

static int measure_function(const bench_peers *peers, const peer_program *program, bench_row *row)
{
    return measure(peers, peers->tf_python, "function", program, row);
}

static const peer_program torch_eager = {"torch eager", "torch_loop.py", "eager",
                                         "WEIR_PEERS_TORCH"};
static const peer_program torch_in_place = {"torch inplacebuf", "torch_loop.py", "inplacebuf",
                                            "WEIR_PEERS_TORCH"};
static const peer_program jax_jit = {"jax jit", "jax_loop.py", "jit", "WEIR_PEERS_TF"};
static const peer_program tf_function = {"tensorflow function", "tf_loop.py", "function",
                                         "WEIR_PEERS_TF"};
static const peer_program tf_function_jit = {"tensorflow functionjit", "tf_loop.py", "functionjit",
                                             "WEIR_PEERS_TF"};

static int run_eager(const bench_peers *peers, bench_row *row)
{
    return measure_torch(peers, "eager", &torch_eager, row);
}

static int run_variable(const bench_peers *peers, bench_row *row)
{
    return measure_torch(peers, "variable", &torch_in_place, row);
}

static int run_function_torch(const bench_peers *peers, bench_row *row)
{
    return measure_torch(peers, "function", &torch_in_place, row);
}

static int run_function_jax(const bench_peers *peers, bench_row *row)
{
    return measure_function(peers, &jax_jit, row);
}

static int run_function_tf(const bench_peers *peers, bench_row *row)
{
    return measure_function(peers, &tf_function, row);
}

static int run_function_tf_jit(const bench_peers *peers, bench_row *row)
{
    return measure_function(peers, &tf_function_jit, row);
}

static int run_tape(const bench_peers *peers, bench_row *row)
{
    weir_system *system = NULL;
    loop_plan plan = {NULL, {2, {1, 1024}}, STEPS, 1};
    int code = bench_choose_device(&system, &plan.device);

    (void)peers;
    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "weir's eager loop");
    for (int i = 0; i <= REPEATS && code == PROGRAM_OK; i++) {
        double tape = 0;
        double eager = 0;

        code = time_form(&plan, "tape", &tape, row);
        if (code == PROGRAM_OK) code = time_form(&plan, "eager", &eager, row);
        if (code != PROGRAM_OK || i == 0) continue;
        bench_samples_add(&row->samples, tape);
        bench_samples_add(&row->peer_samples, eager);
    }
    weir_system_destroy(system);
    return code;
}

const bench_measurement bench_loop_eager = {"loop.eager", run_eager, BENCH_RATIO_AT_MOST, 1.1};
const bench_measurement bench_loop_variable = {"loop.variable", run_variable, BENCH_RATIO_AT_MOST,
                                               1.5};
const bench_measurement bench_loop_tape = {"loop.tape", run_tape, BENCH_RATIO_AT_MOST, 1.3};
/* At least five times as fast as each of them. */
const bench_measurement bench_loop_function_torch = {"loop.function", run_function_torch,
                                                     BENCH_RATIO_AT_MOST, 0.2};
const bench_measurement bench_loop_function_jax = {"loop.function", run_function_jax,
                                                   BENCH_RATIO_AT_MOST, 0.2};
const bench_measurement bench_loop_function_tf = {"loop.function", run_function_tf,
                                                  BENCH_RATIO_AT_MOST, 0.2};
const bench_measurement bench_loop_function_tf_jit = {"loop.function", run_function_tf_jit,
                                                      BENCH_RATIO_AT_MOST, 0.2};
