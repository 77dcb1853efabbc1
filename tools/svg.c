/* Presentation is in attributes and not in a style sheet, since simple readers of SVG know only these. The caller looks
 * once, at the end, whether the text found memory for everything. One thread. */
#include "svg.h"

#include <stddef.h>

/* Shapes as a path around 0,0; nine units wide at most. */
static const char *const shapes[] = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-4.5L4.5 3.5h-9z",
    "M0-4.8L4.8 0L0 4.8L-4.8 0z",
    "M0 4.5L4.5-3.5h-9z",
    "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "M-4.5 0L-2.2-4h4.4L4.5 0L2.2 4h-4.4z",
    "M-4.5-2.5h9v5h-9z",
};

void svg_begin(weir_text *picture, double width, double height, const char *title,
               const char *description)
{
    weir_text_append(picture,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%g\" "
                     "height=\"%g\" viewBox=\"0 0 %g %g\" "
                     "font-family=\"Helvetica, Arial, sans-serif\" fill=\"#000000\">\n<title>",
                     width, height, width, height);
    svg_escape(picture, title);
    weir_text_append(picture, "</title>\n<desc>");
    svg_escape(picture, description);
    weir_text_append(
        picture, "</desc>\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\" stroke=\"none\"/>\n",
        width, height);
}

void svg_end(weir_text *picture) { weir_text_append(picture, "</svg>\n"); }

void svg_group(weir_text *picture, const char *attributes, const char *title)
{
    weir_text_append(picture, "<g %s>\n", attributes);
    if (title == NULL) return;
    weir_text_append(picture, "<title>");
    svg_escape(picture, title);
    weir_text_append(picture, "</title>\n");
}

void svg_group_end(weir_text *picture) { weir_text_append(picture, "</g>\n"); }

/* Returns how many bytes the UTF-8 character at `at` has; 0 if it is none that XML allows. */
static size_t character_bytes(const unsigned char *at)
{
    static const struct {
        unsigned char mask, lead;
        unsigned bytes;
        unsigned long least;
    } forms[] = {{0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

    if (*at < 0x80) return *at >= ' ' && *at != 0x7F ? 1 : 0;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        unsigned long value = (unsigned long)(*at & ~forms[i].mask & 0xFFU);
        unsigned count = 1;

        if ((*at & forms[i].mask) != forms[i].lead) continue;
        for (; count < forms[i].bytes && (at[count] & 0xC0U) == 0x80; count++)
            value = value << 6U | (at[count] & 0x3FU);
        return count == forms[i].bytes && value >= forms[i].least && value <= 0x10FFFF &&
                       (value < 0xD800 || value > 0xDFFF) && value != 0xFFFE && value != 0xFFFF
                   ? count
                   : 0;
    }
    return 0;
}

void svg_escape(weir_text *picture, const char *text)
{
    while (*text != '\0') {
        size_t bytes = character_bytes((const unsigned char *)text);

        if (bytes == 0)
            weir_text_append(picture, "?");
        else if (*text == '&')
            weir_text_append(picture, "&amp;");
        else if (*text == '<')
            weir_text_append(picture, "&lt;");
        else if (*text == '>')
            weir_text_append(picture, "&gt;");
        else if (*text == '"')
            weir_text_append(picture, "&quot;");
        else
            weir_text_append_bytes(picture, text, bytes);
        text += bytes == 0 ? 1 : bytes;
    }
}

void svg_line(weir_text *picture, double x1, double y1, double x2, double y2,
              const svg_stroke *stroke)
{
    weir_text_append(picture,
                     "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                     "stroke-width=\"%g\"",
                     x1, y1, x2, y2, stroke->colour, stroke->width);
    if (stroke->dashes != NULL)
        weir_text_append(picture, " stroke-dasharray=\"%s\"", stroke->dashes);
    weir_text_append(picture, "/>\n");
}

void svg_text(weir_text *picture, double x, double y, double size, svg_anchor anchor,
              const char *style, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};

    weir_text_append(picture,
                     "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" text-anchor=\"%s\"%s%s>", x, y,
                     size, anchors[anchor], style[0] == '\0' ? "" : " ", style);
    svg_escape(picture, text);
    weir_text_append(picture, "</text>\n");
}

void svg_marker(weir_text *picture, unsigned shape, double x, double y, const char *colour)
{
    weir_text_append(picture,
                     "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"#ffffff\" "
                     "stroke=\"%s\" stroke-width=\"1.5\"/>\n",
                     x, y, shapes[shape % (sizeof shapes / sizeof shapes[0])], colour);
}
