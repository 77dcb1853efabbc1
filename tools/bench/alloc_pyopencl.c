/* alloc.pair beside the memory pool of PyOpenCL, whose pair is two calls from Python: what a Python program pays there
 * and a C program here. Its program is given to the python on the command line, so nothing has to be installed. */
#include "alloc.h"
#include "child.h"
#include "command.h"

#include <jansson.h>
#include <stdio.h>

static const char script[] =
    "import json, sys, time\n"
    "import pyopencl as cl\n"
    "from pyopencl.tools import ImmediateAllocator, MemoryPool\n"
    "platform, device = (int(part) for part in sys.argv[1].split('.'))\n"
    "size, pairs, rounds = (int(part) for part in sys.argv[2:5])\n"
    "context = cl.Context([cl.get_platforms()[platform].get_devices()[device]])\n"
    "allocate = MemoryPool(ImmediateAllocator(cl.CommandQueue(context))).allocate\n"
    "held = [allocate(size) for _ in range(10)]\n"
    "def once():\n"
    "    start = time.thread_time()\n"
    "    for _ in range(pairs): allocate(size).release()\n"
    "    return (time.thread_time() - start) / pairs\n"
    "seconds = min(once() for _ in range(rounds))\n"
    "print(json.dumps({'peer': 'pyopencl ' + cl.VERSION_TEXT, 'seconds': seconds}))\n";

/* Runs it once with a python. Returns 1 and its seconds, or 0. */
static int time_pool(const char *python, const char *index, double *seconds, bench_row *row)
{
    char output[4096];
    char *argv[] = {(char *)python, "-c",   (char *)script, (char *)index,
                    "4096",         "5000", "20",           NULL};
    json_t *root = NULL;
    int is_valid = 0;

    if (python == NULL || child_run(argv, output, sizeof output) != 0) return 0;
    root = json_loads(output, 0, NULL);
    is_valid = json_is_number(json_object_get(root, "seconds")) &&
               json_is_string(json_object_get(root, "peer"));
    *seconds = json_number_value(json_object_get(root, "seconds"));
    if (is_valid)
        (void)snprintf(row->peer, sizeof row->peer, "%.200s MemoryPool",
                       json_string_value(json_object_get(root, "peer")));
    json_decref(root);
    return is_valid;
}

/* Returns the first python that can run the peer; NULL, and the row's peer says so. */
static const char *find_python(const bench_peers *peers, const char *index, bench_row *row)
{
    const char *const pythons[] = {peers->torch_python, peers->tf_python};
    double seconds = 0;

    for (size_t i = 0; i < sizeof pythons / sizeof pythons[0]; i++) {
        if (time_pool(pythons[i], index, &seconds, row)) return pythons[i];
    }
    (void)snprintf(row->peer, sizeof row->peer, "pyopencl missing: %s",
                   pythons[0] == NULL && pythons[1] == NULL
                       ? "WEIR_PEERS_TORCH and WEIR_PEERS_TF are not set"
                       : "no python of WEIR_PEERS_TORCH or WEIR_PEERS_TF runs it on this device");
    return NULL;
}

static int run_pyopencl(const bench_peers *peers, bench_row *row)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    alloc_rig rig = {NULL, NULL, NULL, 0};
    const char *python = NULL;
    int code = bench_choose_device(&system, &device);

    (void)snprintf(row->unit, sizeof row->unit, "s");
    if (code != PROGRAM_OK) goto done;
    python = find_python(peers, weir_device_get_index(device), row);
    if (alloc_rig_open(&rig, device, 10) != WEIR_OK || alloc_rig_time(&rig) < 0)
        code = bench_fail(row, "alloc.pair");
    for (int i = 0; i < ALLOC_REPEATS && code == PROGRAM_OK; i++) {
        double seconds = 0;

        bench_samples_add(&row->samples, alloc_rig_time(&rig));
        if (python != NULL && time_pool(python, weir_device_get_index(device), &seconds, row))
            bench_samples_add(&row->peer_samples, seconds);
    }
done:
    alloc_rig_close(&rig);
    weir_system_destroy(system);
    return code;
}

const bench_measurement bench_alloc_pair_pyopencl = {"alloc.pair", run_pyopencl,
                                                     BENCH_RATIO_AT_MOST, 1};
