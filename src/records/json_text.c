/* Mending JSON: one pass with a stack of open brackets of fixed depth. It remembers the last place where everything
 * before is whole (before a comma, behind a closing bracket), so that a text cut anywhere can be ended there. */
#include "records/json_text.h"

#include <stdlib.h>
#include <string.h>

#define LONG_DIGITS 19 /* 2^63 has as many */

/* Where a pass stands. */
typedef struct scan {
    char open[WI_JSON_DEPTH_MAX];
    size_t depth;
    int is_string;
    int is_escaped;
} scan;

/* Takes one byte. Returns 1 if a value has just been closed, 2 if it was the outermost, -1 if brackets do not fit. */
static int step(scan *s, char c)
{
    if (s->is_string) {
        if (s->is_escaped)
            s->is_escaped = 0;
        else if (c == '\\')
            s->is_escaped = 1;
        else if (c == '"')
            s->is_string = 0;
        return 0;
    }
    if (c == '"') s->is_string = 1;
    if (c == '{' || c == '[') {
        if (s->depth == WI_JSON_DEPTH_MAX) return -1;
        s->open[s->depth++] = c;
    }
    if (c == '}' || c == ']') {
        if (s->depth == 0 || s->open[s->depth - 1] != (c == '}' ? '{' : '[')) return -1;
        return --s->depth == 0 ? 2 : 1;
    }
    return 0;
}

size_t wi_json_text_bytes(const char *bytes, size_t count)
{
    scan s = {.depth = 0};

    for (size_t i = 0; i < count; i++)
        if (step(&s, bytes[i]) == 2) return i + 1;
    return count;
}

/* Length of the UTF-8 sequence at `at`, 0 if it is none. */
static size_t utf8_bytes(const unsigned char *at, size_t count)
{
    size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

    if (bytes == 0 || bytes > count || at[0] > 0xf4) return 0;
    for (size_t i = 1; i < bytes; i++)
        if (at[i] < 0x80 || at[i] > 0xbf) return 0;
    if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
    if (at[0] == 0xed && at[1] > 0x9f) return 0;
    if (at[0] == 0xf0 && at[1] < 0x90) return 0;
    if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
    return bytes;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void append(wi_json_text *text, const char *bytes, size_t count)
{
    memcpy(text->memory + text->bytes, bytes, count);
    text->bytes += count;
}

/* Copies a number that no parser of JSON takes, as a string: 0x5618a5c482f0 becomes "", and what has more digits than a
 * signed integer keeps them. Returns how many bytes of the source that was, 0 for anything else. */
static size_t copy_number(wi_json_text *text, const char *at, size_t count, char before)
{
    size_t bytes = 0;

    if (!is_digit(at[0]) || is_hex(before) || before == '.' || before == '-' || before == '+')
        return 0;
    if (count > 2 && at[0] == '0' && at[1] == 'x' && is_hex(at[2])) {
        for (bytes = 3; bytes < count && is_hex(at[bytes]);) bytes++;
        append(text, "\"\"", 2);
        text->pointers++;
        return bytes;
    }
    while (bytes < count && is_digit(at[bytes])) bytes++;
    if (bytes < LONG_DIGITS || (bytes < count && strchr(".eE", at[bytes]) != NULL)) return 0;
    append(text, "\"", 1);
    append(text, at, bytes);
    append(text, "\"", 1);
    return bytes;
}

/* Copies one character, with what no string may hold replaced. Returns how many bytes it has. */
static size_t copy_character(wi_json_text *text, const char *at, size_t count, int is_string)
{
    size_t bytes = utf8_bytes((const unsigned char *)at, count);

    if (bytes == 0) {
        append(text, "?", 1);
        return 1;
    }
    if (is_string && (unsigned char)at[0] < 0x20)
        append(text, " ", 1);
    else
        append(text, at, bytes);
    return bytes;
}

/* Ends the text behind its last whole value. */
static void close_at(wi_json_text *text, const scan *s, size_t whole, size_t depth)
{
    text->is_cut = 1;
    text->bytes = whole;
    while (depth > 0) text->memory[text->bytes++] = s->open[--depth] == '{' ? '}' : ']';
}

static void mend(wi_json_text *text, const char *bytes, size_t count)
{
    scan s = {.depth = 0};
    size_t whole = 1; /* behind the first brace */
    size_t whole_depth = 1;

    for (size_t i = 0; i < count;) {
        size_t used = 0;
        int closed = 0;
        char before = ' ';

        if (i > 0) before = bytes[i - 1];
        if (!s.is_string) {
            used = copy_number(text, bytes + i, count - i, before);
            i += used;
            if (used > 0) continue;
            if (bytes[i] == ',') {
                whole = text->bytes;
                whole_depth = s.depth;
            }
        }
        used = copy_character(text, bytes + i, count - i, s.is_string);
        closed = used == 1 ? step(&s, text->memory[text->bytes - 1]) : 0;
        if (used > 1) s.is_escaped = 0;
        if (closed < 0) break;
        i += used;
        if (closed > 0) {
            whole = text->bytes;
            whole_depth = s.depth;
        }
        if (closed == 2) return;
    }
    close_at(text, &s, whole, whole_depth);
}

weir_status wi_json_text_create(const char *bytes, size_t count, wi_json_text *out)
{
    /* A long number grows by two quotes. */
    size_t room = count + count / LONG_DIGITS * 2 + WI_JSON_DEPTH_MAX + 4;

    memset(out, 0, sizeof *out);
    out->memory = malloc(room);
    if (out->memory == NULL)
        return weir_error_set(WEIR_E_HOST_MEMORY, "weir_records_read", NULL,
                              "%zu bytes for a copy of the text", room);
    if (count > 0) mend(out, bytes, count);
    return WEIR_OK;
}

void wi_json_text_destroy(wi_json_text *text)
{
    free(text->memory);
    text->memory = NULL;
}
