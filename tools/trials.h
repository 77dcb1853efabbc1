/* Every driver asked in a child of its own, all at the same time. */
#ifndef WEIR_TOOLS_TRIALS_H
#define WEIR_TOOLS_TRIALS_H

#include "icd_list.h"
#include "probe.h"

#include <stddef.h>

/* Zeroed: none. Invariants: the lists have `count` entries, that of driver i at place i. */
typedef struct trials {
    probe **probes; /* NULL: not started, or ended */
    icd_folder *folders;
    probe_result *results; /* PROBE_NOT_STARTED until a probe has ended */
    size_t count;
} trials;

/** Starts a probe of each driver alone, each for `seconds`; a driver whose probe cannot be started has its result already.
 * drivers   is_used of each is changed
 * out       trials_end() in any case
 * Returns 1, or 0 for want of host memory. */
int trials_start(icd_list *drivers, unsigned seconds, trials *out);

/** 1 once all are over. Does not wait. */
int trials_are_over(const trials *t);

/** Waits until all are over, and takes their results. */
void trials_wait(trials *t);

/** Ends those that are not over, and frees everything. */
void trials_end(trials *t);

#endif
