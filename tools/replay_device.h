/* A trace through the pools of a real device, one strategy after the other. */
#ifndef WEIR_TOOLS_REPLAY_DEVICE_H
#define WEIR_TOOLS_REPLAY_DEVICE_H

#include "option.h"
#include "replay_run.h"

#include <weir/system.h>

typedef struct replay_device_settings {
    const char *selector; /* NULL: WEIR_DEVICE, else the best */
    const char *pool;     /* NULL: every strategy */
    option_limit limit;
    int is_without_compaction;
    int is_sampled;
} replay_device_settings;

/** Plays the trace of a file, which is read once for each strategy, each time on a new context.
 * run      replay_run_dispose() in any case
 * system   of run->device; owned by the caller, weir_system_destroy() after the run; NULL if it could not be listed
 * Returns PROGRAM_OK; PROGRAM_NO_DEVICE, PROGRAM_USAGE (also a trace on standard input for several strategies, or a limit
 * above the device's memory) or PROGRAM_FAILED after a line on stderr; PROGRAM_INTERRUPTED. */
int replay_device_play(replay_run *run, const char *trace, const replay_device_settings *settings,
                       weir_system **system);

#endif
