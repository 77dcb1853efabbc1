/* Mending JSON: one pass with a stack of open brackets of fixed depth. It remembers the last place where everything
 * before is whole (before a comma, behind a closing bracket), so that a text cut anywhere can be ended there. */
#include "records/json_text.h"

#include <stdlib.h>
#include <string.h>

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

static int is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* 0x5618a5c482f0 outside strings becomes "" and blanks. Returns how many bytes that was. */
static size_t replace_pointer(wi_json_text *text, size_t at, size_t end)
{
    size_t bytes = 2;

    if (text->memory[at] != '0' || at + 2 >= end || text->memory[at + 1] != 'x') return 0;
    while (at + bytes < end && is_hex(text->memory[at + bytes])) bytes++;
    if (bytes < 3) return 0;
    memset(text->memory + at, ' ', bytes);
    memcpy(text->memory + at, "\"\"", 2);
    text->pointers++;
    return bytes;
}

/* Replaces bytes that no string may hold. Returns how many bytes the character at `at` has. */
static size_t mend_character(wi_json_text *text, size_t at, size_t end, int is_string)
{
    size_t bytes = utf8_bytes((const unsigned char *)text->memory + at, end - at);

    if (bytes == 0) {
        text->memory[at] = '?';
        bytes = 1;
    }
    if (is_string && (unsigned char)text->memory[at] < 0x20) text->memory[at] = ' ';
    return bytes;
}

/* Ends the text behind its last whole value. */
static void close_at(wi_json_text *text, const scan *s, size_t whole, size_t depth)
{
    text->is_cut = 1;
    text->bytes = whole;
    while (depth > 0) text->memory[text->bytes++] = s->open[--depth] == '{' ? '}' : ']';
}

static void mend(wi_json_text *text)
{
    scan s = {.depth = 0};
    size_t whole = 1; /* behind the first brace */
    size_t whole_depth = 1;
    size_t end = text->bytes;

    for (size_t i = 0; i < end;) {
        size_t bytes = s.is_string ? 0 : replace_pointer(text, i, end);
        int closed = 0;

        if (bytes > 0) {
            i += bytes;
            continue;
        }
        bytes = mend_character(text, i, end, s.is_string);
        if (!s.is_string && text->memory[i] == ',') {
            whole = i;
            whole_depth = s.depth;
        }
        closed = bytes == 1 ? step(&s, text->memory[i]) : 0;
        if (bytes > 1) s.is_escaped = 0;
        if (closed < 0) break;
        i += bytes;
        if (closed > 0) {
            whole = i;
            whole_depth = s.depth;
        }
        if (closed == 2) {
            text->bytes = i;
            return;
        }
    }
    close_at(text, &s, whole, whole_depth);
}

weir_status wi_json_text_create(const char *bytes, size_t count, wi_json_text *out)
{
    memset(out, 0, sizeof *out);
    out->memory = malloc(count + WI_JSON_DEPTH_MAX + 1);
    if (out->memory == NULL)
        return weir_error_set(WEIR_E_HOST_MEMORY, "weir_records_read", NULL,
                              "%zu bytes for a copy of the text", count + WI_JSON_DEPTH_MAX + 1);
    memcpy(out->memory, bytes, count);
    out->bytes = count;
    if (count > 0) mend(out);
    return WEIR_OK;
}

void wi_json_text_destroy(wi_json_text *text)
{
    free(text->memory);
    text->memory = NULL;
}
