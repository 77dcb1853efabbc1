/* loop.eager, loop.variable: 10 000 steps of a (1, 1024) state plus fresh normals, against PyTorch doing the same on
 * the host's cores. The two take turns, so that whatever else the machine does meets both. Ours is the time of steps 2
 * to the last until their work is done; torch is warmed up by its own program and reads the sum inside its time. */
#include "bench.h"

#include "child.h"
#include "command.h"
#include "device_choice.h"
#include "loop_run.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEPS 10000
#define REPEATS 5

/* Runs torch_loop.py once. Returns 1 and its seconds, or 0. */
static int time_torch(const bench_peers *peers, const char *form, double *seconds, char *version,
                      size_t bytes)
{
    char script[4096];
    char output[4096];
    char *argv[] = {(char *)peers->torch_python, script, (char *)form, "10000", "1024", NULL};
    json_t *root = NULL;
    int is_valid = 0;

    (void)snprintf(script, sizeof script, "%s/torch_loop.py", peers->folder);
    if (child_run(argv, output, sizeof output) != 0) return 0;
    root = json_loads(output, 0, NULL);
    is_valid = json_is_number(json_object_get(root, "seconds"));
    *seconds = json_number_value(json_object_get(root, "seconds"));
    (void)snprintf(version, bytes, "%s %s", json_string_value(json_object_get(root, "peer")), form);
    json_decref(root);
    return is_valid;
}

/* Returns 1 if torch can be asked, else 0 and the reason as the row's peer. */
static int find_torch(const bench_peers *peers, const char *form, bench_row *row)
{
    char script[4096];
    const char *missing = NULL;

    (void)snprintf(script, sizeof script, "%s/torch_loop.py",
                   peers->folder == NULL ? "" : peers->folder);
    if (peers->torch_python == NULL)
        missing = "WEIR_PEERS_TORCH is not set";
    else if (peers->folder == NULL)
        missing = "neither --peers nor WEIR_PEERS_DIR is set";
    else if (access(peers->torch_python, X_OK) != 0)
        missing = "the python of WEIR_PEERS_TORCH cannot be run";
    else if (access(script, R_OK) != 0)
        missing = "the folder of peers has no torch_loop.py";
    (void)snprintf(row->peer, sizeof row->peer, "torch %s%s%s", form,
                   missing == NULL ? "" : " missing: ", missing == NULL ? "" : missing);
    return missing == NULL;
}

static const loop_form *find_form(const char *name)
{
    size_t i = 0;

    while (i + 1 < loop_form_count() && strcmp(loop_form_at(i)->name, name) != 0) i++;
    return loop_form_at(i);
}

static int measure(const bench_peers *peers, const char *form, const char *peer_form,
                   bench_row *row)
{
    weir_system *system = NULL;
    loop_plan plan = {NULL, {2, {1, 1024}}, STEPS, 1};
    loop_result result;
    int has_peer = find_torch(peers, peer_form, row);
    int code = device_choose("bench", NULL, &system, &plan.device);

    (void)snprintf(row->unit, sizeof row->unit, "s");
    for (int i = 0; i <= REPEATS && code == PROGRAM_OK; i++) {
        double seconds = 0;

        loop_run(&plan, find_form(form), NULL, &result);
        if (result.status != WEIR_OK)
            code = bench_fail(row, form);
        else if (i > 0) /* the first run builds kernels and wakes threads */
            bench_samples_add(&row->samples, result.seconds);
        if (code != PROGRAM_OK || !has_peer || i == 0) continue;
        has_peer = time_torch(peers, peer_form, &seconds, row->peer, sizeof row->peer);
        if (has_peer)
            bench_samples_add(&row->peer_samples, seconds);
        else
            (void)snprintf(row->peer, sizeof row->peer, "torch %s missing: torch_loop.py failed",
                           peer_form);
    }
    weir_system_destroy(system);
    return code;
}

static int run_eager(const bench_peers *peers, bench_row *row)
{
    return measure(peers, "eager", "eager", row);
}

static int run_variable(const bench_peers *peers, bench_row *row)
{
    return measure(peers, "variable", "inplacebuf", row);
}

const bench_measurement bench_loop_eager = {"loop.eager", run_eager, BENCH_RATIO_AT_MOST, 1.1};
const bench_measurement bench_loop_variable = {"loop.variable", run_variable, BENCH_RATIO_AT_MOST,
                                               1.5};
