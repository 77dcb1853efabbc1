/* Spans: bytes with a length, so that nothing depends on a zero byte. No state. */
#include "records/span.h"

#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t'; }

wi_span wi_span_of(const char *text)
{
    wi_span span = {text, strlen(text)};
    return span;
}

wi_span wi_span_skip(wi_span span, size_t count)
{
    if (count > span.bytes) count = span.bytes;
    span.at += count;
    span.bytes -= count;
    return span;
}

wi_span wi_span_trim(wi_span span)
{
    while (span.bytes > 0 && is_blank(span.at[0])) span = wi_span_skip(span, 1);
    while (span.bytes > 0 && is_blank(span.at[span.bytes - 1])) span.bytes--;
    return span;
}

int wi_span_is(wi_span span, const char *text)
{
    size_t bytes = strlen(text);
    return span.bytes == bytes && memcmp(span.at, text, bytes) == 0;
}

int wi_span_starts(wi_span span, const char *text)
{
    size_t bytes = strlen(text);
    return span.bytes >= bytes && memcmp(span.at, text, bytes) == 0;
}

size_t wi_span_find(wi_span span, const char *text)
{
    wi_span rest = span;

    while (rest.bytes > 0) {
        rest = wi_span_skip(rest, wi_span_find_byte(rest, text[0]));
        if (rest.bytes > 0 && wi_span_starts(rest, text)) return (size_t)(rest.at - span.at);
        rest = wi_span_skip(rest, 1);
    }
    return span.bytes;
}

size_t wi_span_find_byte(wi_span span, char c)
{
    const char *found = span.bytes > 0 ? memchr(span.at, c, span.bytes) : NULL;
    return found != NULL ? (size_t)(found - span.at) : span.bytes;
}

int wi_span_is_plain(wi_span span)
{
    for (size_t i = 0; i < span.bytes; i++)
        if ((unsigned char)span.at[i] >= 0x80) return 0;
    return 1;
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9') return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
    return 99;
}

int wi_span_number(wi_span *span, uint64_t *out)
{
    unsigned base = wi_span_starts(*span, "0x") || wi_span_starts(*span, "0X") ? 16 : 10;
    wi_span rest = wi_span_skip(*span, base == 16 ? 2 : 0);
    uint64_t value = 0;
    size_t digits = 0;

    for (; rest.bytes > 0 && digit_of(rest.at[0]) < base; digits++) {
        unsigned digit = digit_of(rest.at[0]);

        if (value > (UINT64_MAX - digit) / base) return 0;
        value = value * base + digit;
        rest = wi_span_skip(rest, 1);
    }
    if (digits == 0) return 0;
    *out = value;
    *span = rest;
    return 1;
}

const char *wi_span_quote(wi_span span, char buffer[WI_QUOTE_BYTES])
{
    size_t count = span.bytes < WI_QUOTE_BYTES - 1 ? span.bytes : WI_QUOTE_BYTES - 4;

    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)span.at[i];
        buffer[i] = (char)(c >= 0x20 && c < 0x7f ? c : '?');
    }
    if (count < span.bytes) {
        memcpy(buffer + count, "...", 3);
        count += 3;
    }
    buffer[count] = '\0';
    return buffer;
}
