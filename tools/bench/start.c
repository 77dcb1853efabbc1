/* Whole processes against clinfo -l, which pays for the same drivers' start; both take turns, after one run of each.
 *
 * start.warm: how long a user waits for one step of weir when every cache is filled. select.live: how long for the
 * choice of a device. */
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

/* Times `weir ARGV`; argv[0] is filled here. */
static int run_beside_clinfo(char **argv, bench_row *row)
{
    char self[4096];
    char *clinfo[] = {"clinfo", "-l", NULL};
    int code = PROGRAM_OK;
    int peer_code = 0;

    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "clinfo -l");
    if (!child_self(self, sizeof self)) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "this system does not tell where the program is");
        return PROGRAM_FAILED;
    }
    argv[0] = self;
    for (int i = 0; i <= REPEATS && code == PROGRAM_OK; i++) {
        double seconds = time_run(argv, &code);
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
        (void)snprintf(row->reason, sizeof row->reason, "weir %s ended with exit %d", argv[1],
                       code);
    return code;
}

static int run_warm(const bench_peers *peers, bench_row *row)
{
    char *argv[] = {NULL, "loop", "--form", "variable", "--steps", "1", NULL};

    (void)peers;
    return run_beside_clinfo(argv, row);
}

static int run_select(const bench_peers *peers, bench_row *row)
{
    char *argv[] = {NULL, "select", NULL};

    (void)peers;
    return run_beside_clinfo(argv, row);
}

const bench_measurement bench_start_warm = {"start.warm", run_warm, BENCH_DIFFERENCE_AT_MOST,
                                            0.150};
const bench_measurement bench_select_live = {"select.live", run_select, BENCH_DIFFERENCE_AT_MOST,
                                             0.100};
