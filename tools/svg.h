/* Elements of a picture, appended to a text as SVG 1.1: readable in a browser, and on paper without colours. */
#ifndef WEIR_TOOLS_SVG_H
#define WEIR_TOOLS_SVG_H

#include <weir/text.h>

/* How a line is drawn. */
typedef struct svg_stroke {
    const char *colour; /* "#000000" */
    double width;       /* in units of the picture */
    const char *dashes; /* lengths of strokes and gaps, "6 3"; NULL: solid */
} svg_stroke;

/* Where a piece of text begins, is centred or ends. */
typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

/** Begins a picture on white paper.
 * title, description   for readers that show no picture */
void svg_begin(weir_text *picture, double width, double height, const char *title,
               const char *description);
void svg_end(weir_text *picture);

/** Begins a group; `attributes` stands inside its tag as it is. title: shown by browsers under the pointer, or NULL. */
void svg_group(weir_text *picture, const char *attributes, const char *title);
void svg_group_end(weir_text *picture);

/** Appends text as the content of an element or the value of an attribute. Control characters, and bytes that are no
 * UTF-8, become question marks. */
void svg_escape(weir_text *picture, const char *text);

/** Draws a straight line. */
void svg_line(weir_text *picture, double x1, double y1, double x2, double y2,
              const svg_stroke *stroke);

/** Writes a text. size: of the letters; style: more attributes, "" for none. */
void svg_text(weir_text *picture, double x, double y, double size, svg_anchor anchor,
              const char *style, const char *text);

/** Draws marker number `shape` (any number; there are eight) around a point, white inside. */
void svg_marker(weir_text *picture, unsigned shape, double x, double y, const char *colour);

#endif
