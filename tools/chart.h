/* Axes of a chart: a range of values, where it lies on the paper, and its ticks. */
#ifndef WEIR_TOOLS_CHART_H
#define WEIR_TOOLS_CHART_H

#include <weir/text.h>

#include <stddef.h>
#include <stdint.h>

#define CHART_TICKS_MAX 12

/* One axis. Values from least to most lie from `from` to `to` in units of the picture; outside them the ends count.
 *
 * Invariants: least < most; is_log: least >= 1; ticks are in [least, most] and rise; count <= CHART_TICKS_MAX. */
typedef struct chart_axis {
    int is_log;
    double least;
    double most;
    double from;
    double to;
    double ticks[CHART_TICKS_MAX];
    size_t count;
} chart_axis;

/** Makes an axis for bytes: round powers of two, from 0 or, logarithmic, from below the smallest value above 0.
 * smallest, largest   of what will be shown; a largest of 0 gives an axis of 4 KiB */
void chart_bytes_axis(chart_axis *axis, uint64_t smallest, uint64_t largest, int is_log,
                      double from, double to);

/** Makes an axis for counts from 0 to `largest`, at least 1: ticks at round decimal numbers. */
void chart_count_axis(chart_axis *axis, uint64_t largest, double from, double to);

/** Returns where a value lies. */
double chart_place(const chart_axis *axis, double value);

/** Draws the grid, ticks and their labels of a frame whose sides are the two axes. */
void chart_frame(weir_text *picture, const chart_axis *x, const chart_axis *y);

#endif
