/* What `weir bench` prints. */
#ifndef WEIR_TOOLS_BENCH_REPORT_H
#define WEIR_TOOLS_BENCH_REPORT_H

#include "bench/bench.h"

#include <jansson.h>

/* One measurement that was made. */
typedef struct bench_result {
    const bench_measurement *measurement;
    bench_row row;
    int code; /* program_exit of the measurement */
} bench_result;

/** Returns the JSON object of design section 10, a new reference; NULL for want of host memory. */
json_t *bench_report_json(const bench_result *results, size_t count);

/** Prints the table on stdout, and under it what is missing. */
void bench_report_table(const bench_result *results, size_t count);

/** Writes a row to JSON and reads it back: how a measurement's process hands it over. json: NULL gives 0. */
json_t *bench_row_to_json(const bench_row *row);
int bench_row_from_json(const json_t *json, bench_row *row);

#endif
