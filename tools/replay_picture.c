/* A chart for each strategy below the other, on the same axes: curves of several in one chart would lie on top of each
 * other, and the bytes in use nearly do. The area is what is in use, the line what is reserved: the white between them is
 * what a strategy hoards. A value is that of the interval that ends at its event, hence the stairs. A strategy that
 * reserves far more than all others would flatten them: the axis ends at a multiple of what is in use, and the numbers
 * beside the chart say how far the line really goes. */
#include "replay_picture.h"

#include "chart.h"
#include "output.h"
#include "replay_report.h"
#include "svg.h"

#include <stdio.h>

#define WIDTH 960
#define LEFT 92.0
#define RIGHT 740.0
#define TOP 84.0
#define CHART_HEIGHT 116.0
#define CHART_STEP 172.0
#define AXIS_MOST 2 /* times the most in use */

typedef enum member { IN_USE, RESERVED } member;

static uint64_t value_of(const replay_sample *sample, member which)
{
    return which == IN_USE ? sample->in_use : sample->reserved;
}

/* Appends the stairs of a curve, from the first event on. */
static void append_stairs(weir_text *picture, const chart_axis *x, const chart_axis *y,
                          const replay_curve *curve, member which)
{
    for (size_t i = 0; i < curve->count; i++) {
        const replay_sample *sample = &curve->samples[i];
        const double to = chart_place(x, (double)sample->event);
        const double at = chart_place(y, (double)value_of(sample, which));

        if (i == 0)
            weir_text_append(picture, "M%.2f %.2fH%.2f", x->from, at, to);
        else
            weir_text_append(picture, "V%.2fH%.2f", at, to);
    }
}

static void draw_curves(weir_text *picture, const chart_axis *x, const chart_axis *y,
                        const replay_row *row)
{
    const double end = chart_place(x, (double)row->curve.samples[row->curve.count - 1].event);

    weir_text_append(picture, "<path fill=\"#a9cbe8\" stroke=\"none\" d=\"");
    append_stairs(picture, x, y, &row->curve, IN_USE);
    weir_text_append(picture, "L%.2f %.2fL%.2f %.2fz\"/>\n", end, y->from, x->from, y->from);
    weir_text_append(picture,
                     "<path data-form=\"%s\" data-kind=\"in-use\" fill=\"none\" "
                     "stroke=\"#0060a8\" stroke-width=\"1\" d=\"",
                     row->name);
    append_stairs(picture, x, y, &row->curve, IN_USE);
    weir_text_append(picture,
                     "\"/>\n<path data-form=\"%s\" data-kind=\"reserved\" fill=\"none\" "
                     "stroke=\"#c03000\" stroke-width=\"2\" d=\"",
                     row->name);
    append_stairs(picture, x, y, &row->curve, RESERVED);
    weir_text_append(picture, "\"/>\n");
}

/* Writes the row's numbers beside its chart. */
static void draw_numbers(weir_text *picture, const replay_run *run, const replay_row *row,
                         double top)
{
    char line[96];
    char bytes[32];

    (void)snprintf(line, sizeof line, "most reserved %s",
                   output_bytes(row->peak_reserved, bytes, sizeof bytes));
    svg_text(picture, RIGHT + 14, top + 14, 12, SVG_START, "", line);
    (void)snprintf(line, sizeof line, "= %.3f times peak live", replay_report_ratio(run, row));
    svg_text(picture, RIGHT + 14, top + 32, 12, SVG_START, "", line);
    (void)snprintf(line, sizeof line, "%llu buffer%s asked for",
                   (unsigned long long)row->driver_allocs, row->driver_allocs == 1 ? "" : "s");
    svg_text(picture, RIGHT + 14, top + 50, 12, SVG_START, "", line);
    (void)snprintf(line, sizeof line, "%llu given back", (unsigned long long)row->driver_frees);
    svg_text(picture, RIGHT + 14, top + 68, 12, SVG_START, "", line);
    (void)snprintf(line, sizeof line, "%llu request%s failed", (unsigned long long)row->ooms,
                   row->ooms == 1 ? "" : "s");
    if (row->ooms > 0) svg_text(picture, RIGHT + 14, top + 86, 12, SVG_START, "", line);
}

static void draw_row(weir_text *picture, const replay_run *run, size_t i, uint64_t most)
{
    const replay_row *row = &run->rows[i];
    const double top = TOP + CHART_STEP * (double)i;
    chart_axis x;
    chart_axis y;
    char text[320];

    chart_bytes_axis(&y, 0, most, 0, top + CHART_HEIGHT, top);
    chart_count_axis(&x, run->events, LEFT, RIGHT);
    (void)snprintf(text, sizeof text,
                   "class=\"panel\" data-kind=\"%s\" data-scale=\"linear\" data-least=\"%.0f\" "
                   "data-most=\"%.0f\" data-bottom=\"%g\" data-top=\"%g\"",
                   row->name, y.least, y.most, y.from, y.to);
    svg_group(picture, text, row->name);
    svg_text(picture, LEFT, top - 8, 14, SVG_START, "font-weight=\"bold\"", row->name);
    if (row->peak_reserved > (uint64_t)y.most)
        svg_text(picture, RIGHT, top - 8, 12, SVG_END, "", "reserved goes beyond the chart");
    draw_curves(picture, &x, &y, row);
    chart_frame(picture, &x, &y);
    draw_numbers(picture, run, row, top);
    svg_group_end(picture);
}

void replay_picture_draw(weir_text *picture, const replay_run *run, const char *trace)
{
    const svg_stroke reserved = {"#c03000", 2, NULL};
    uint64_t in_use = 0;
    uint64_t most = 0;
    char line[400];

    for (size_t i = 0; i < run->count; i++) {
        in_use = run->rows[i].peak_in_use > in_use ? run->rows[i].peak_in_use : in_use;
        most = run->rows[i].peak_reserved > most ? run->rows[i].peak_reserved : most;
    }
    if (in_use > 0 && most / AXIS_MOST > in_use) most = in_use * AXIS_MOST;
    svg_begin(picture, WIDTH, TOP + CHART_STEP * (double)run->count,
              "weir replay: memory over a trace",
              "A chart for each pool strategy over the events of a trace: bytes reserved from the "
              "driver as a line, bytes in use as an area below it.");
    (void)snprintf(line, sizeof line, "Memory over the %llu events of %.200s",
                   (unsigned long long)run->events, trace);
    svg_text(picture, LEFT, 24, 17, SVG_START, "font-weight=\"bold\"", line);
    weir_text_append(picture,
                     "<rect x=\"%g\" y=\"36\" width=\"36\" height=\"12\" fill=\"#a9cbe8\" "
                     "stroke=\"#0060a8\" stroke-width=\"1\"/>\n",
                     LEFT);
    svg_text(picture, LEFT + 44, 47, 12, SVG_START, "", "in use");
    svg_line(picture, LEFT + 110, 42, LEFT + 146, 42, &reserved);
    svg_text(picture, LEFT + 154, 47, 12, SVG_START, "",
             "reserved from the driver; bytes (1 KiB = 1024) over events of the trace");
    for (size_t i = 0; i < run->count; i++) draw_row(picture, run, i, most);
    svg_end(picture);
}
