/* Bytes are labelled in powers of 1024, so their ticks are multiples of a power of two; counts have the decimal steps
 * 1, 2, 5. A logarithmic axis has its ticks at powers of 2, 4, 16, ..., whichever are few enough to be read. */
#include "chart.h"

#include "svg.h"

#include <math.h>
#include <stdio.h>

#define TICKS_WANTED 6

/* Adds a tick; returns 1 if there may be more. */
static int add_tick(chart_axis *axis, double tick)
{
    if (tick > axis->most || axis->count == CHART_TICKS_MAX) return 0;
    axis->ticks[axis->count++] = tick;
    return 1;
}

/* Ticks at 0, step, 2 step, ... */
static void add_linear_ticks(chart_axis *axis, double step)
{
    while (add_tick(axis, step * (double)axis->count)) continue;
}

/* Ticks at the powers of 2^power. */
static void add_log_ticks(chart_axis *axis, double power)
{
    double first = ceil(log2(axis->least) / power);

    while (add_tick(axis, exp2((first + (double)axis->count) * power))) continue;
}

void chart_bytes_axis(chart_axis *axis, uint64_t smallest, uint64_t largest, int is_log,
                      double from, double to)
{
    double top = largest == 0 ? 4096 : (double)largest;
    double power = 1;
    double step = 1;

    axis->is_log = is_log;
    axis->from = from;
    axis->to = to;
    axis->count = 0;
    if (is_log) {
        axis->least = exp2(floor(log2(smallest < 1 ? 1 : (double)smallest)) - 1);
        axis->most = exp2(ceil(log2(top * 1.2)));
        while (log2(top / axis->least) / power > TICKS_WANTED + 1) power *= 2;
        add_log_ticks(axis, power);
    } else {
        while (step * TICKS_WANTED < top) step *= 2;
        axis->least = 0;
        axis->most = step * (floor(top * 1.05 / step) + 1);
        add_linear_ticks(axis, step);
    }
}

void chart_count_axis(chart_axis *axis, uint64_t largest, double from, double to)
{
    static const double factors[] = {2, 2.5, 2}; /* 1, 2, 5, 10 */
    double top = largest == 0 ? 1 : (double)largest;
    double step = 1;

    for (unsigned i = 0; step * TICKS_WANTED < top; i = (i + 1) % 3) step *= factors[i];
    axis->is_log = 0;
    axis->from = from;
    axis->to = to;
    axis->least = 0;
    axis->most = top;
    axis->count = 0;
    add_linear_ticks(axis, step);
}

double chart_place(const chart_axis *axis, double value)
{
    double share = 0;

    if (value <= axis->least) return axis->from;
    if (value >= axis->most) return axis->to;
    share = axis->is_log ? log2(value / axis->least) / log2(axis->most / axis->least)
                         : (value - axis->least) / (axis->most - axis->least);
    return axis->from + share * (axis->to - axis->from);
}

/* Writes "512 B", "16 KiB", "2.5 GiB". */
static void format_bytes(double value, char *buffer, size_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"};
    unsigned unit = 0;

    for (; value >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++) value /= 1024;
    (void)snprintf(buffer, bytes, "%.4g %s", value, value == 0 ? "" : units[unit]);
    if (value == 0) (void)snprintf(buffer, bytes, "0");
}

/* Writes a count with a blank between thousands. */
static void format_count(double value, char *buffer, size_t bytes)
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;

    for (int i = 0; i < count && used + 2 < bytes; i++) {
        if (i > 0 && (count - i) % 3 == 0) buffer[used++] = ' ';
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
}

void chart_frame(weir_text *picture, const chart_axis *x, const chart_axis *y)
{
    const svg_stroke grid = {"#d0d0d0", 0.6, NULL};
    const svg_stroke line = {"#000000", 1, NULL};
    char label[64];

    for (size_t i = 0; i < y->count; i++) {
        double at = chart_place(y, y->ticks[i]);

        svg_line(picture, x->from, at, x->to, at, &grid);
        svg_line(picture, x->from - 5, at, x->from, at, &line);
        format_bytes(y->ticks[i], label, sizeof label);
        svg_text(picture, x->from - 8, at + 4, 12, SVG_END, "", label);
    }
    for (size_t i = 0; i < x->count; i++) {
        double at = chart_place(x, x->ticks[i]);

        svg_line(picture, at, y->from, at, y->to, &grid);
        svg_line(picture, at, y->from, at, y->from + 5, &line);
        format_count(x->ticks[i], label, sizeof label);
        svg_text(picture, at, y->from + 18, 12, SVG_MIDDLE, "", label);
    }
    svg_line(picture, x->from, y->from, x->from, y->to, &line);
    svg_line(picture, x->from, y->from, x->to, y->from, &line);
}
