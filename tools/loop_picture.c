/* Two charts over the same steps, then a legend that is a table. Forms often hold the very same bytes, and paper has no
 * colours: so a curve has its own dashes and its own marker, and the markers of different curves stand at different
 * steps. A value is that of the interval that ends at its step, hence the stairs. Bytes are on a logarithmic scale if
 * the forms differ by more than one can see on a linear one. */
#include "loop_picture.h"

#include "chart.h"
#include "output.h"
#include "svg.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 900
#define LEFT 100.0
#define RIGHT 870.0
#define TOP 82.0
#define CHART_HEIGHT 250.0
#define CHART_GAP 84.0
#define ROW_HEIGHT 24.0
#define MARKERS 3        /* on each curve */
#define LINEAR_MOST 24.0 /* times the smallest peak that a linear scale still shows */

/* How the curve of each form looks, whichever of them are there. The last serves any further one. */
static const struct {
    const char *form;
    svg_stroke stroke;
} looks[] = {
    {"keep", {"#c03000", 3.4, NULL}},        {"eager", {"#0060a8", 3.0, "9 4"}},
    {"variable", {"#007a50", 2.6, "2.5 3"}}, {"tape", {"#9a3c80", 2.4, "12 3 2.5 3"}},
    {"tape-tanh", {"#000000", 1.4, "16 5"}}, {"stop", {"#a06a00", 2.0, "6 3 2 3 2 3"}},
    {"function", {"#4a4ad0", 1.6, "3.5 5"}}, {"", {"#606060", 1.6, "1.5 1.5"}},
};

/* One of the two charts. */
typedef struct panel {
    const char *kind; /* "in-use", "reserved" */
    const char *title;
    size_t member; /* offset of the value in a sample */
    chart_axis x;
    chart_axis y;
} panel;

/* What is drawn, and the peaks of each curve. */
typedef struct drawing {
    weir_text *picture;
    const loop_report *report;
    const loop_curve *curves;
} drawing;

static unsigned find_look(const loop_form *form)
{
    unsigned i = 0;

    while (looks[i].form[0] != '\0' && strcmp(looks[i].form, form->name) != 0) i++;
    return i;
}

static uint64_t value_of(const loop_sample *sample, size_t member)
{
    uint64_t value = 0;

    memcpy(&value, (const char *)sample + member, sizeof value);
    return value;
}

static uint64_t peak_of(const loop_curve *curve, size_t member)
{
    uint64_t peak = 0;

    for (size_t i = 0; i < curve->count; i++) {
        uint64_t value = value_of(&curve->samples[i], member);

        peak = value > peak ? value : peak;
    }
    return peak;
}

/* Chooses the scale: from the smallest to the largest peak, the limit included where it is near. */
static void make_axes(const drawing *d, panel *chart, double top)
{
    uint64_t smallest = UINT64_MAX;
    uint64_t largest = 0;
    int is_log = 0;

    for (size_t i = 0; i < d->report->count; i++) {
        uint64_t peak = peak_of(&d->curves[i], chart->member);

        if (peak > 0 && peak < smallest) smallest = peak;
        largest = peak > largest ? peak : largest;
    }
    if (smallest > largest) smallest = largest;
    is_log = (double)largest > LINEAR_MOST * (double)smallest;
    if (d->report->limit_bytes > largest && d->report->limit_bytes / 2 <= largest)
        largest = d->report->limit_bytes;
    chart_bytes_axis(&chart->y, smallest, largest, is_log, top + CHART_HEIGHT, top);
    chart_count_axis(&chart->x, d->report->plan->steps, LEFT, RIGHT);
}

static void draw_limit(const drawing *d, const panel *chart)
{
    const svg_stroke stroke = {"#000000", 1, "1 3"};
    double at = chart_place(&chart->y, (double)d->report->limit_bytes);
    char label[64];
    char bytes[32];

    if (d->report->limit_bytes == 0 || (double)d->report->limit_bytes > chart->y.most) return;
    svg_line(d->picture, LEFT, at, RIGHT, at, &stroke);
    (void)snprintf(label, sizeof label, "limit %s",
                   output_bytes(d->report->limit_bytes, bytes, sizeof bytes));
    svg_text(d->picture, RIGHT, at - 4, 12, SVG_END, "", label);
}

/* Appends the stairs of one member: up or down where an interval begins, then along it. */
static void append_stairs(const drawing *d, const panel *chart, const loop_curve *curve,
                          size_t member)
{
    for (size_t i = 0; i < curve->count; i++) {
        const loop_sample *sample = &curve->samples[i];
        double x = chart_place(&chart->x, (double)sample->step);
        double y = chart_place(&chart->y, (double)value_of(sample, member));

        if (i == 0)
            weir_text_append(d->picture, "M%.2f %.2f", x, y);
        else
            weir_text_append(d->picture, "V%.2fH%.2f", y, x);
    }
}

/* Draws what the tape keeps as an area below the bytes in use. */
static void draw_kept(const drawing *d, const panel *chart, size_t i)
{
    const loop_curve *curve = &d->curves[i];
    const loop_sample *last = &curve->samples[curve->count - 1];
    char title[160];

    if (peak_of(curve, offsetof(loop_sample, saved)) == 0) return;
    (void)snprintf(title, sizeof title, "%s: the tape keeps %llu bytes after step %llu",
                   d->report->results[i].form->name, (unsigned long long)last->saved,
                   (unsigned long long)last->step);
    svg_group(d->picture, "class=\"kept\" fill=\"url(#hatch)\" stroke=\"none\"", title);
    weir_text_append(d->picture, "<path data-form=\"%s\" data-kind=\"kept\" d=\"",
                     d->report->results[i].form->name);
    append_stairs(d, chart, curve, offsetof(loop_sample, saved));
    weir_text_append(d->picture, "V%.2fH%.2fz\"/>\n", chart->y.from,
                     chart_place(&chart->x, (double)curve->samples[0].step));
    svg_group_end(d->picture);
}

/* Returns the sample whose interval has the given share of the curve's steps behind it. */
static const loop_sample *sample_at(const loop_curve *curve, double share)
{
    double step = share * (double)curve->samples[curve->count - 1].step;
    size_t i = 0;

    while (i + 1 < curve->count && (double)curve->samples[i].step < step) i++;
    return &curve->samples[i];
}

static void draw_markers(const drawing *d, const panel *chart, size_t i)
{
    const loop_curve *curve = &d->curves[i];
    unsigned look = find_look(d->report->results[i].form);
    double last = (double)curve->samples[curve->count - 1].step;

    for (unsigned k = 0; k < MARKERS; k++) {
        double share = (k + ((double)i + 0.5) / (double)d->report->count) / MARKERS;
        const loop_sample *sample = sample_at(curve, share);

        svg_marker(d->picture, look, chart_place(&chart->x, share * last),
                   chart_place(&chart->y, (double)value_of(sample, chart->member)),
                   looks[look].stroke.colour);
    }
}

/* Marks where a form could not go on. */
static void draw_end(const drawing *d, const panel *chart, size_t i)
{
    const loop_sample *last = &d->curves[i].samples[d->curves[i].count - 1];
    const svg_stroke stroke = {"#000000", 2.2, NULL};
    double x = chart_place(&chart->x, (double)last->step);
    double y = chart_place(&chart->y, (double)value_of(last, chart->member));

    if (d->report->results[i].status == WEIR_OK) return;
    svg_line(d->picture, x - 6, y - 6, x + 6, y + 6, &stroke);
    svg_line(d->picture, x - 6, y + 6, x + 6, y - 6, &stroke);
}

static void draw_curve(const drawing *d, const panel *chart, size_t i)
{
    const loop_result *result = &d->report->results[i];
    const svg_stroke *stroke = &looks[find_look(result->form)].stroke;
    char title[160];

    if (d->curves[i].count == 0) return;
    (void)snprintf(title, sizeof title, "%s: at most %llu bytes %s", result->form->name,
                   (unsigned long long)peak_of(&d->curves[i], chart->member), chart->title);
    svg_group(d->picture, "class=\"curve\" fill=\"none\" stroke-linejoin=\"round\"", title);
    weir_text_append(d->picture,
                     "<path data-form=\"%s\" data-kind=\"%s\" stroke=\"%s\" stroke-width=\"%g\"",
                     result->form->name, chart->kind, stroke->colour, stroke->width);
    if (stroke->dashes != NULL)
        weir_text_append(d->picture, " stroke-dasharray=\"%s\"", stroke->dashes);
    weir_text_append(d->picture, " d=\"");
    append_stairs(d, chart, &d->curves[i], chart->member);
    weir_text_append(d->picture, "\"/>\n");
    draw_markers(d, chart, i);
    draw_end(d, chart, i);
    svg_group_end(d->picture);
}

static void draw_panel(const drawing *d, panel *chart, double top)
{
    char text[320];

    make_axes(d, chart, top);
    (void)snprintf(text, sizeof text,
                   "class=\"panel\" data-kind=\"%s\" data-scale=\"%s\" data-least=\"%.0f\" "
                   "data-most=\"%.0f\" data-bottom=\"%g\" data-top=\"%g\"",
                   chart->kind, chart->y.is_log ? "log" : "linear", chart->y.least, chart->y.most,
                   chart->y.from, chart->y.to);
    svg_group(d->picture, text, NULL);
    (void)snprintf(text, sizeof text, "bytes %s%s", chart->title,
                   chart->y.is_log ? ", logarithmic scale" : "");
    svg_text(d->picture, LEFT, top - 8, 14, SVG_START, "font-weight=\"bold\"", text);
    chart_frame(d->picture, &chart->x, &chart->y);
    (void)snprintf(text, sizeof text, "transform=\"rotate(-90 20 %.1f)\"", top + CHART_HEIGHT / 2);
    (void)svg_text(d->picture, 20, top + CHART_HEIGHT / 2, 13, SVG_MIDDLE, text,
                   "bytes (1 KiB = 1024)");
    svg_text(d->picture, (LEFT + RIGHT) / 2, top + CHART_HEIGHT + 38, 13, SVG_MIDDLE, "",
             "steps done");
    draw_limit(d, chart);
    for (size_t i = 0; i < d->report->count && chart->member == offsetof(loop_sample, in_use);
         i++) {
        if (d->curves[i].count > 0) draw_kept(d, chart, i);
    }
    for (size_t i = 0; i < d->report->count; i++) draw_curve(d, chart, i);
    svg_group_end(d->picture);
}

static void draw_legend_row(const drawing *d, size_t i, double y)
{
    const loop_result *result = &d->report->results[i];
    const loop_curve *curve = &d->curves[i];
    unsigned look = find_look(result->form);
    const size_t members[] = {offsetof(loop_sample, in_use), offsetof(loop_sample, reserved),
                              offsetof(loop_sample, saved)};
    const double at[] = {350, 490, 630};
    char text[96];

    svg_line(d->picture, LEFT, y - 4, LEFT + 70, y - 4, &looks[look].stroke);
    svg_marker(d->picture, look, LEFT + 35, y - 4, looks[look].stroke.colour);
    svg_text(d->picture, LEFT + 84, y, 13, SVG_START, "", result->form->name);
    for (size_t k = 0; k < 3; k++)
        svg_text(d->picture, at[k], y, 13, SVG_END, "",
                 output_bytes(peak_of(curve, members[k]), text, sizeof text));
    if (result->status == WEIR_OK)
        (void)snprintf(text, sizeof text, "done");
    else
        (void)snprintf(text, sizeof text, "%s at step %llu", weir_status_name(result->status),
                       (unsigned long long)result->steps_done + 1);
    svg_text(d->picture, 660, y, 13, SVG_START, "", text);
}

static void draw_legend(const drawing *d, double y)
{
    const svg_stroke rule = {"#000000", 0.8, NULL};
    const char *bold = "font-weight=\"bold\"";
    char kept[256] = "hatched: what the tape keeps for the gradient, of the bytes in use by";
    int has_kept = 0;

    svg_group(d->picture, "class=\"legend\"", NULL);
    svg_text(d->picture, LEFT, y, 13, SVG_START, bold, "form");
    svg_text(d->picture, 350, y, 13, SVG_END, bold, "most in use");
    svg_text(d->picture, 490, y, 13, SVG_END, bold, "most reserved");
    svg_text(d->picture, 630, y, 13, SVG_END, bold, "kept by the tape");
    svg_text(d->picture, 660, y, 13, SVG_START, bold, "end");
    svg_line(d->picture, LEFT, y + 6, RIGHT, y + 6, &rule);
    for (size_t i = 0; i < d->report->count; i++) {
        y += ROW_HEIGHT;
        draw_legend_row(d, i, y);
        if (peak_of(&d->curves[i], offsetof(loop_sample, saved)) == 0) continue;
        output_append(kept, sizeof kept, "%s %s", has_kept ? "," : "",
                      d->report->results[i].form->name);
        has_kept = 1;
    }
    if (has_kept) {
        weir_text_append(d->picture,
                         "<rect x=\"%g\" y=\"%g\" width=\"70\" height=\"14\" fill=\"url(#hatch)\" "
                         "stroke=\"#808080\" stroke-width=\"0.8\"/>\n",
                         LEFT, y + ROW_HEIGHT - 12);
        svg_text(d->picture, LEFT + 84, y + ROW_HEIGHT, 13, SVG_START, "", kept);
    }
    svg_group_end(d->picture);
}

static void draw_heading(const drawing *d)
{
    const loop_report *report = d->report;
    const loop_plan *plan = report->plan;
    char line[512];
    char shape[192];
    char limit[32];

    (void)snprintf(line, sizeof line, "Memory of %llu step%s of f32%s plus N(0,1)",
                   (unsigned long long)plan->steps, plan->steps == 1 ? "" : "s",
                   weir_shape_format(&plan->shape, shape, sizeof shape));
    svg_text(d->picture, LEFT, 24, 17, SVG_START, "font-weight=\"bold\"", line);
    (void)snprintf(
        line, sizeof line, "%.100s (%.60s, %s); pool %s, %s%s", weir_device_get_name(plan->device),
        weir_device_get_platform_name(plan->device),
        weir_device_class_name(weir_device_get_class(plan->device)), report->pool,
        report->limit_bytes == 0 ? "no limit" : "limit ",
        report->limit_bytes == 0 ? "" : output_bytes(report->limit_bytes, limit, sizeof limit));
    svg_text(d->picture, LEFT, 43, 12, SVG_START, "", line);
}

void loop_picture_draw(weir_text *picture, const loop_report *report, const loop_curve *curves)
{
    const drawing d = {picture, report, curves};
    panel in_use = {.kind = "in-use", .title = "in use", .member = offsetof(loop_sample, in_use)};
    panel reserved = {
        .kind = "reserved", .title = "reserved", .member = offsetof(loop_sample, reserved)};
    double legend = TOP + 2 * CHART_HEIGHT + CHART_GAP + 70;

    svg_begin(picture, WIDTH, legend + ROW_HEIGHT * ((double)report->count + 1) + 16,
              "weir loop: memory over the steps",
              "Two charts over the steps of an accumulation loop: bytes in use, and bytes reserved "
              "from the driver, one curve for each form of the loop; a table of the peaks below.");
    weir_text_append(picture,
                     "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" "
                     "patternUnits=\"userSpaceOnUse\"><path d=\"M-1 1L1-1M0 7L7 0M6 8L8 6\" "
                     "stroke=\"#909090\" stroke-width=\"0.9\" fill=\"none\"/></pattern></defs>\n");
    draw_heading(&d);
    draw_panel(&d, &in_use, TOP);
    draw_panel(&d, &reserved, TOP + CHART_HEIGHT + CHART_GAP);
    draw_legend(&d, legend);
    svg_end(picture);
}
