/* Samples and medians: every raw number is kept, the value shown is the median, which one slow repeat does not move. */
#include "bench.h"

#include "command.h"
#include "device_choice.h"

#include <weir/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_samples_add(bench_samples *samples, double value)
{
    if (samples->count < BENCH_REPEATS_MAX) samples->repeats[samples->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_samples_median(const bench_samples *samples)
{
    double sorted[BENCH_REPEATS_MAX];
    size_t middle = samples->count / 2;

    if (samples->count == 0) return 0;
    memcpy(sorted, samples->repeats, samples->count * sizeof sorted[0]);
    qsort(sorted, samples->count, sizeof sorted[0], compare);
    return samples->count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

int bench_fail(bench_row *row, const char *what)
{
    (void)snprintf(row->reason, sizeof row->reason, "%.32s: %.200s", what,
                   weir_last_error()->message);
    return PROGRAM_FAILED;
}

static int is_without_device;

void bench_note_no_device(void) { is_without_device = 1; }

int bench_choose_device(weir_system **system, weir_device **device)
{
    const weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    int code = PROGRAM_NO_DEVICE;

    if (is_without_device) return code;
    code = device_choose("bench", NULL, system, device);
    return code == PROGRAM_OK ? device_configure("bench", *device, &memory) : code;
}
