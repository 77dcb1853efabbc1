/* The results of a replay, for people and as JSON. */
#ifndef WEIR_TOOLS_REPLAY_REPORT_H
#define WEIR_TOOLS_REPLAY_REPORT_H

#include "replay_run.h"

#include <jansson.h>

/** Returns the design's object, a new reference; NULL for want of host memory. */
json_t *replay_report_json(const replay_run *run);

/** Prints a table with the best strategy marked, and a sentence that says why it is. */
void replay_report_table(const replay_run *run);

/** Returns the place of the best strategy for this trace among the rows: of those with the fewest requests that failed,
 * and with buffers for at most 5 % of the allocations where there are such, the one that reserves least at most; the
 * fewer buffers decide between equals. */
size_t replay_report_best(const replay_run *run);

/** Returns peak reserved over peak live; 0 for a trace without bytes. */
double replay_report_ratio(const replay_run *run, const replay_row *row);

#endif
