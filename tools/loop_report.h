/* What `weir loop` prints: JSON, or a table with what it teaches; failures go to stderr. */
#ifndef WEIR_TOOLS_LOOP_REPORT_H
#define WEIR_TOOLS_LOOP_REPORT_H

#include "loop_run.h"

#include <jansson.h>

/* A run and its results. */
typedef struct loop_report {
    const loop_plan *plan; /* device NULL: none was found */
    const char *pool;      /* name of the strategy in force; NULL: none, for want of a device */
    uint64_t limit_bytes;  /* set by --limit or WEIR_LIMIT; 0: none */
    const loop_result *results;
    size_t count;
} loop_report;

/** Returns the JSON object of design section 10, a new reference; NULL for want of host memory. */
json_t *loop_report_json(const loop_report *report);

/** Prints the table, and under it what it teaches, on stdout. */
void loop_report_table(const loop_report *report);

/** Prints every failed form on stderr; a build log, which errors hold in part, whole. log: NULL or "" if there is none.
 */
void loop_report_failures(const loop_report *report, const char *log);

/** Returns 1 if all forms of the same sum that finished ended in the same bits. */
int loop_report_agrees(const loop_report *report);

#endif
