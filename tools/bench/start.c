/* start.warm: how long a user waits for one step of weir when every cache is filled, against listing the devices with
 * clinfo, which pays for the same drivers' start. Both are whole processes, taking turns, after one run of each. */
#include "bench.h"

#include "child.h"
#include "command.h"
#include "stopwatch.h"

#include <stdio.h>

#define REPEATS 9

static double time_run(char *const *argv, int *code)
{
    double start = stopwatch_now();

    *code = child_run(argv, NULL, 0);
    return stopwatch_now() - start;
}

static int run_warm(const bench_peers *peers, bench_row *row)
{
    char self[4096];
    char *loop[] = {self, "loop", "--form", "variable", "--steps", "1", NULL};
    char *clinfo[] = {"clinfo", "-l", NULL};
    int code = PROGRAM_OK;
    int peer_code = 0;

    (void)peers;
    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "clinfo -l");
    if (!child_self(self, sizeof self)) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "this system does not tell where the program is");
        return PROGRAM_FAILED;
    }
    for (int i = 0; i <= REPEATS && code == PROGRAM_OK; i++) {
        double seconds = time_run(loop, &code);
        double peer_seconds = peer_code == 0 ? time_run(clinfo, &peer_code) : 0;

        if (i > 0 && code == PROGRAM_OK) bench_samples_add(&row->samples, seconds);
        if (i > 0 && peer_code == 0) bench_samples_add(&row->peer_samples, peer_seconds);
    }
    if (peer_code != 0) {
        row->peer_samples.count = 0;
        (void)snprintf(row->peer, sizeof row->peer, "clinfo -l missing: it ended with exit %d",
                       peer_code);
    }
    if (code != PROGRAM_OK)
        (void)snprintf(row->reason, sizeof row->reason, "weir loop ended with exit %d", code);
    return code;
}

const bench_measurement bench_start_warm = {"start.warm", run_warm, BENCH_DIFFERENCE_AT_MOST,
                                            0.150};
