/* The live devices, from drivers of which none can take the program down. */
#ifndef WEIR_TOOLS_LIVE_H
#define WEIR_TOOLS_LIVE_H

#include <weir/records.h>

#include <jansson.h>

/* What was listed. Invariants: dropped <= number of warnings in `listing`. */
typedef struct live_devices {
    json_t *listing;       /* {source,records,warnings}, as `weir devices --json` prints it */
    weir_records *records; /* NULL if there are none */
    size_t count;
    size_t dropped;    /* so many warnings, the first, are of drivers that were left out */
    char *reason;      /* why there is no device, one line; "" if there are some */
    char *explanation; /* what was looked at; "" if there are some */
} live_devices;

/** Lists the devices in a child process, within WEIR_PROBE_SECONDS. If a driver crashes or hangs there, each is tried
 * alone, and those that fail are left out with a warning that names their ICD file.
 * out   live_dispose() in any case
 * Returns PROGRAM_OK, also without devices; PROGRAM_USAGE, PROGRAM_FAILED or PROGRAM_INTERRUPTED, with a line on
 * stderr. */
int live_read(const char *command, live_devices *out);

void live_dispose(live_devices *live);

/** Returns warning i, NULL past the last. */
const char *live_warning(const live_devices *live, size_t i);

/** Before this process calls OpenCL: makes sure that it loads only drivers which answer, once. A driver left out is
 * a line on stderr. live_guard_end() once the drivers are loaded.
 * Returns as live_read(), and PROGRAM_NO_DEVICE if no driver answers. */
int live_guard(const char *command);

/** Gives the environment back what it had. */
void live_guard_end(void);

#endif
