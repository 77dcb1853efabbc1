/* Cleaning a text and walking over its lines.
 *
 * Two passes, each linear: bytes first (line ends, zero bytes, terminal sequences), then marks before lines (quotes,
 * comments, diffs), which are recognised by how many lines carry them. Both write into one buffer that only shrinks.
 */
#include "records/lines.h"

#include <stdlib.h>
#include <string.h>

#define MARK_ROUNDS_MAX 4
#define BINARY_CONTROLS_LEAST 16
#define BINARY_SHARE 32 /* of all bytes; programs have a sixth and more, texts none */

/* Marks that stand before every line of a quoted or commented text. `except` begins lines that are clinfo's own. */
static const struct {
    const char *mark;
    const char *except;
} marks[] = {{">", NULL}, {"#", "#PLATFORMS"}, {"//", NULL}};

/* Length of a terminal sequence at `at`, which begins with ESC: ESC [ parameters letter, else ESC alone. */
static size_t escape_bytes(const char *at, size_t count)
{
    size_t used = 2;

    if (count < 2 || at[1] != '[') return 1;
    while (used < count && (unsigned char)at[used] >= 0x20 && (unsigned char)at[used] < 0x40)
        used++;
    return used < count && (unsigned char)at[used] >= 0x40 && (unsigned char)at[used] < 0x7f
               ? used + 1
               : 1;
}

/* How many bytes at `at` are left out altogether. */
static size_t skipped_bytes(const char *at, size_t count, int is_first)
{
    if (is_first && count >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) return 3;
    if (is_first && count >= 2 &&
        (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0))
        return 2;
    if (at[0] == '\0') return 1;
    if (at[0] == '\r' && count > 1 && at[1] == '\n') return 1;
    /* UTF-16: the zero byte of the carriage return stands between. */
    if (at[0] == '\r' && count > 2 && at[1] == '\0' && at[2] == '\n') return 1;
    if (at[0] == 0x1b) return escape_bytes(at, count);
    return 0;
}

static void clean_bytes(const char *bytes, size_t count, wi_lines *out)
{
    size_t used = 0;

    for (size_t i = 0; i < count;) {
        size_t skipped = skipped_bytes(bytes + i, count - i, i == 0);
        unsigned char c = (unsigned char)bytes[i];

        if (skipped > 0) {
            out->replaced += c == '\0' || c == 0x1b;
            i += skipped;
            continue;
        }
        if (c == 0xc2 && i + 1 < count && (unsigned char)bytes[i + 1] == 0xa0) {
            /* A no-break space, as web pages put them. */
            out->memory[used++] = ' ';
            i += 2;
            continue;
        }
        if (c == '\r') {
            c = '\n';
        } else if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) {
            c = ' ';
            out->replaced++;
            out->controls++;
        }
        out->memory[used++] = (char)c;
        i++;
    }
    out->bytes = used;
    out->is_ended = used > 0 && out->memory[used - 1] == '\n';
}

/* Bytes of the UTF-8 character at `at`, 0 if there is none. */
static size_t utf8_bytes(const unsigned char *at, size_t count)
{
    size_t bytes = 0;

    if (at[0] < 0x80) return 1;
    if (at[0] >= 0xc2 && at[0] < 0xe0) bytes = 2;
    if (at[0] >= 0xe0 && at[0] < 0xf0) bytes = 3;
    if (at[0] >= 0xf0 && at[0] < 0xf5) bytes = 4;
    if (bytes > count) return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return bytes;
}

static void count_strange(wi_lines *lines)
{
    for (size_t i = 0; i < lines->bytes;) {
        size_t bytes = utf8_bytes((const unsigned char *)lines->memory + i, lines->bytes - i);

        lines->strange += bytes == 0;
        i += bytes > 0 ? bytes : 1;
    }
}

static size_t line_bytes(const wi_lines *lines, size_t at)
{
    const char *end = memchr(lines->memory + at, '\n', lines->bytes - at);
    return end != NULL ? (size_t)(end - (lines->memory + at)) : lines->bytes - at;
}

static int has_mark(wi_span line, size_t i)
{
    line = wi_span_trim(line);
    return wi_span_starts(line, marks[i].mark) &&
           (marks[i].except == NULL || !wi_span_starts(line, marks[i].except));
}

/* Finds the mark that at least half of the lines carry; -1 if none does. */
static int find_mark(const wi_lines *lines)
{
    size_t counts[sizeof marks / sizeof marks[0]] = {0};
    size_t filled = 0;

    for (size_t at = 0; at < lines->bytes; at += line_bytes(lines, at) + 1) {
        wi_span line = {lines->memory + at, line_bytes(lines, at)};

        filled += wi_span_trim(line).bytes > 0;
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
            counts[i] += (size_t)has_mark(line, i);
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (filled > 0 && counts[i] * 2 >= filled) return (int)i;
    return -1;
}

/* Rewrites every line as the part of it that `keep` returns. */
static void rewrite(wi_lines *lines, wi_span (*keep)(wi_lines *lines, wi_span line, int choice),
                    int choice)
{
    size_t used = 0;
    size_t total = lines->bytes;

    for (size_t at = 0; at < total;) {
        size_t bytes = line_bytes(lines, at);
        wi_span line = {lines->memory + at, bytes};
        wi_span kept = keep(lines, line, choice);
        int has_end = at + bytes < total;

        memmove(lines->memory + used, kept.at, kept.bytes);
        used += kept.bytes;
        if (has_end) lines->memory[used++] = '\n';
        at += bytes + 1;
    }
    lines->bytes = used;
}

static wi_span keep_unmarked(wi_lines *lines, wi_span line, int choice)
{
    if (!has_mark(line, (size_t)choice)) return line;
    lines->marked++;
    lines->mark = marks[choice].mark;
    line = wi_span_skip(wi_span_trim(line), strlen(marks[choice].mark));
    return wi_span_skip(line, wi_span_starts(line, " ") ? 1 : 0);
}

/* A diff has hunk headings, or lines of a table behind a plus. */
static int is_diff(const wi_lines *lines)
{
    static const char *const signs[] = {"@@ -",        "+  ",  "+Number of ", "+#PLATFORMS",
                                        "+Platform #", "+0: ", "+[",          "+{"};

    for (size_t at = 0; at < lines->bytes; at += line_bytes(lines, at) + 1) {
        wi_span line = {lines->memory + at, line_bytes(lines, at)};

        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
            if (wi_span_starts(line, signs[i])) return 1;
    }
    return 0;
}

static wi_span keep_new_side(wi_lines *lines, wi_span line, int choice)
{
    static const char *const headings[] = {"@@ ", "+++ ", "--- ", "diff ", "index "};

    (void)choice;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (wi_span_starts(line, headings[i])) return wi_span_skip(line, line.bytes);
    if (wi_span_starts(line, "-")) {
        lines->dropped++;
        return wi_span_skip(line, line.bytes);
    }
    return wi_span_skip(line, wi_span_starts(line, "+") || wi_span_starts(line, " ") ? 1 : 0);
}

static void take_marks(wi_lines *lines)
{
    for (int round = 0; round < MARK_ROUNDS_MAX; round++) {
        int mark = find_mark(lines);

        if (mark < 0) break;
        lines->marked = 0;
        rewrite(lines, keep_unmarked, mark);
    }
    if (is_diff(lines)) {
        lines->is_diff = 1;
        rewrite(lines, keep_new_side, 0);
    }
}

weir_status wi_lines_create(const char *bytes, size_t count, wi_lines *out)
{
    memset(out, 0, sizeof *out);
    out->mark = "";
    out->memory = malloc(count + 1);
    if (out->memory == NULL)
        return weir_error_set(WEIR_E_HOST_MEMORY, "weir_records_read", NULL,
                              "%zu bytes for a copy of the text", count + 1);
    clean_bytes(bytes, count, out);
    count_strange(out);
    take_marks(out);
    return WEIR_OK;
}

int wi_lines_are_binary(const wi_lines *lines)
{
    return lines->controls > BINARY_CONTROLS_LEAST && lines->controls > lines->bytes / BINARY_SHARE;
}

void wi_lines_destroy(wi_lines *lines)
{
    free(lines->memory);
    lines->memory = NULL;
}

int wi_lines_next(const wi_lines *lines, size_t end, wi_cursor *cursor, wi_line *out)
{
    wi_span line = {NULL, 0};

    if (end > lines->bytes) end = lines->bytes;
    if (cursor->offset >= end) return 0;
    line.at = lines->memory + cursor->offset;
    line.bytes = line_bytes(lines, cursor->offset);
    out->is_open = cursor->offset + line.bytes >= lines->bytes;
    cursor->offset += line.bytes + 1;
    cursor->number++;
    out->text = wi_span_trim(line);
    out->indent = (size_t)(out->text.at - line.at);
    out->number = cursor->number;
    return 1;
}
