/* Reads a picture of `weir loop` from stdin, so that shell tests can compare it with the numbers it was made from.
 *
 * It is a strict reader of the XML that a picture may hold: one root, tags that match, attributes that are quoted and
 * not repeated, no bare & or <, only the five named entities, valid UTF-8 without control characters. Whatever breaks a
 * rule ends it with exit 1 and the place on stderr. Else it prints
 *   text CONTENT                      for each <text>
 *   FORM KIND FIRST LAST LARGEST      for each curve, in bytes, read back from where its path lies between the ends of
 *                                     its chart's axis; KIND is in-use, reserved or kept */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16
#define ATTRIBUTES_MAX 24

/* An attribute, pointing into the document. */
typedef struct attribute {
    const char *name;
    const char *value;
    size_t name_bytes;
    size_t value_bytes;
} attribute;

/* The document and how far it is read. */
typedef struct reader {
    const char *start;
    const char *at; /* ends with a zero byte */
    const char *open[DEPTH_MAX];
    size_t open_bytes[DEPTH_MAX];
    int depth;
    int roots;
    attribute attributes[ATTRIBUTES_MAX];
    size_t count;
    double least, most, bottom, top; /* of the chart at hand */
    int is_log;
} reader;

static void stop(const reader *r, const char *what)
{
    (void)fprintf(stderr, "svg_read: byte %ld: %s\n", (long)(r->at - r->start), what);
    exit(1);
}

static int is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':' || c == '_' || c == '.';
}

static void skip_space(reader *r)
{
    while (is_space(*r->at)) r->at++;
}

static size_t take_name(reader *r)
{
    const char *from = r->at;

    while (is_name(*r->at)) r->at++;
    if (r->at == from || (*from >= '0' && *from <= '9') || *from == '-' || *from == '.')
        stop(r, "a name is expected");
    return (size_t)(r->at - from);
}

/* Moves over one character of content or of a value. */
static void take_character(reader *r)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    unsigned char c = (unsigned char)*r->at;
    size_t more = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;

    if (c == '&') {
        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
            if (strncmp(r->at, entities[i], strlen(entities[i])) != 0) continue;
            r->at += strlen(entities[i]);
            return;
        }
        stop(r, "an & that begins no entity");
    }
    if (c == '<') stop(r, "a bare <");
    if ((c < ' ' && !is_space((char)c)) || c == 0x7F) stop(r, "a control character");
    if (c >= 0x80 && (c < 0xC2 || c > 0xF4)) stop(r, "a byte that is not UTF-8");
    r->at++;
    for (; more > 0; more--, r->at++) {
        if (((unsigned char)*r->at & 0xC0U) != 0x80) stop(r, "a cut UTF-8 character");
    }
}

static void take_attribute(reader *r)
{
    attribute *made = &r->attributes[r->count];

    if (r->count == ATTRIBUTES_MAX) stop(r, "too many attributes");
    made->name = r->at;
    made->name_bytes = take_name(r);
    for (size_t i = 0; i < r->count; i++) {
        if (r->attributes[i].name_bytes == made->name_bytes &&
            memcmp(r->attributes[i].name, made->name, made->name_bytes) == 0)
            stop(r, "an attribute is there twice");
    }
    if (*r->at++ != '=' || *r->at++ != '"') stop(r, "=\" is expected");
    made->value = r->at;
    while (*r->at != '"') take_character(r);
    made->value_bytes = (size_t)(r->at++ - made->value);
    r->count++;
}

static const attribute *find(const reader *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->attributes[i].name_bytes == strlen(name) &&
            memcmp(r->attributes[i].name, name, strlen(name)) == 0)
            return &r->attributes[i];
    }
    return NULL;
}

static double number_of(const reader *r, const char *name)
{
    const attribute *found = find(r, name);

    if (found == NULL) stop(r, name);
    return strtod(found->value, NULL);
}

/* Returns the bytes that a height on the chart stands for. */
static double bytes_at(const reader *r, double y)
{
    double share = (r->bottom - y) / (r->bottom - r->top);

    return r->is_log ? r->least * pow(r->most / r->least, share)
                     : r->least + share * (r->most - r->least);
}

/* Reads a path of the commands M x y, V y, H x, z, with the heights of V and M, and prints its line. */
static void print_curve(const reader *r)
{
    const attribute *form = find(r, "data-form");
    const attribute *kind = find(r, "data-kind");
    const attribute *path = find(r, "d");
    const char *at = NULL;
    const char *end = NULL;
    double first = NAN;
    double last = NAN;
    double largest = 0;
    double smallest_x = -INFINITY;

    if (kind == NULL || path == NULL) stop(r, "a curve without a kind or a path");
    for (at = path->value, end = at + path->value_bytes; at < end;) {
        char command = *at++;
        char *next = NULL;
        double x = smallest_x;
        double y = NAN;

        if (command == 'z') break;
        if (strchr("MVH", command) == NULL) stop(r, "a path of other commands");
        if (command != 'V') x = strtod(at, &next);
        if (command == 'M') at = next;
        if (command != 'H') y = bytes_at(r, strtod(at, &next));
        if (next == NULL || next == at) stop(r, "a number is expected");
        at = next;
        if (strncmp(kind->value, "kept", 4) == 0 && *at == 'H' && strchr(at, 'z') != NULL &&
            memchr(at, 'V', (size_t)(end - at)) == NULL)
            break; /* the area's way back along the axis */
        if (x < smallest_x) stop(r, "a curve that goes back");
        smallest_x = x;
        if (command == 'H') continue;
        if (isnan(first)) first = y;
        last = y;
        largest = y > largest ? y : largest;
    }
    (void)printf("%.*s %.*s %.0f %.0f %.0f\n", (int)form->value_bytes, form->value,
                 (int)kind->value_bytes, kind->value, first, last, largest);
}

static void read_element(const reader *r, const char *name, size_t bytes)
{
    const attribute *scale = find(r, "data-scale");

    if (scale != NULL) {
        reader *chart = (reader *)r;

        chart->is_log = strncmp(scale->value, "log", 3) == 0;
        chart->least = number_of(r, "data-least");
        chart->most = number_of(r, "data-most");
        chart->bottom = number_of(r, "data-bottom");
        chart->top = number_of(r, "data-top");
    }
    if (bytes == 4 && memcmp(name, "path", 4) == 0 && find(r, "data-form") != NULL) print_curve(r);
}

static void take_tag(reader *r)
{
    const char *name = ++r->at;
    size_t bytes = 0;

    if (*name == '/') {
        name = ++r->at;
        bytes = take_name(r);
        if (r->depth == 0 || bytes != r->open_bytes[r->depth - 1] ||
            memcmp(name, r->open[r->depth - 1], bytes) != 0)
            stop(r, "an end that matches no beginning");
        if (*r->at++ != '>') stop(r, "> is expected");
        r->depth--;
        return;
    }
    if (r->depth == 0 && r->roots++ > 0) stop(r, "a second root");
    bytes = take_name(r);
    r->count = 0;
    for (skip_space(r); is_name(*r->at); skip_space(r)) take_attribute(r);
    read_element(r, name, bytes);
    if (r->at[0] == '/' && r->at[1] == '>') {
        r->at += 2;
        return;
    }
    if (*r->at++ != '>') stop(r, "> is expected");
    if (r->depth == DEPTH_MAX) stop(r, "too deep");
    r->open[r->depth] = name;
    r->open_bytes[r->depth++] = bytes;
}

static void take_content(reader *r)
{
    const char *from = r->at;
    int is_text = r->depth > 0 && r->open_bytes[r->depth - 1] == 4 &&
                  memcmp(r->open[r->depth - 1], "text", 4) == 0;

    while (*r->at != '<' && *r->at != '\0') {
        if (r->depth == 0 && !is_space(*r->at)) stop(r, "content outside the root");
        take_character(r);
    }
    if (is_text) (void)printf("text %.*s\n", (int)(r->at - from), from);
}

int main(void)
{
    static const char heading[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    size_t room = (size_t)16 << 20U;
    char *data = malloc(room + 1);
    size_t bytes = data == NULL ? 0 : fread(data, 1, room, stdin);
    reader r;

    if (data == NULL) return 1;
    data[bytes] = '\0';
    memset(&r, 0, sizeof r);
    r.start = data;
    r.at = data;
    if (strncmp(r.at, heading, sizeof heading - 1) != 0) stop(&r, "the XML heading is expected");
    r.at += sizeof heading - 1;
    while (*r.at != '\0') {
        if (*r.at == '<')
            take_tag(&r);
        else
            take_content(&r);
    }
    if (r.depth != 0 || r.roots != 1 || (size_t)(r.at - r.start) != bytes)
        stop(&r, "the end is missing");
    free(data);
    return 0;
}
