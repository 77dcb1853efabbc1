/* A piece of a text that belongs to somebody else. */
#ifndef WI_RECORDS_SPAN_H
#define WI_RECORDS_SPAN_H

#include <stddef.h>
#include <stdint.h>

typedef struct wi_span {
    const char *at;
    size_t bytes;
} wi_span;

wi_span wi_span_of(const char *text);

/** Without the first `count` bytes, at most all. */
wi_span wi_span_skip(wi_span span, size_t count);

/** Without blanks and tabs at both ends. */
wi_span wi_span_trim(wi_span span);

int wi_span_is(wi_span span, const char *text);
int wi_span_starts(wi_span span, const char *text);

/** Position of `text`, or span.bytes if it is not there. */
size_t wi_span_find(wi_span span, const char *text);

/** Position of the byte `c`, or span.bytes. */
size_t wi_span_find_byte(wi_span span, char c);

/** 1 if every byte is below 128. */
int wi_span_is_plain(wi_span span);

/** Reads digits at the start of *span, decimal or after 0x hexadecimal, and steps past them. Returns 0, and leaves *span
 * alone, without a digit or above 2^64 - 1. */
int wi_span_number(wi_span *span, uint64_t *out);

#define WI_QUOTE_BYTES 96

/** Writes the span for a message: cut to fit, what does not print as '?'. Returns buffer. */
const char *wi_span_quote(wi_span span, char buffer[WI_QUOTE_BYTES]);

#endif
