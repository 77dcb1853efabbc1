/* JSON as people send it, made whole enough for a parser. */
#ifndef WI_RECORDS_JSON_TEXT_H
#define WI_RECORDS_JSON_TEXT_H

#include <weir/status.h>

#include <stddef.h>

#define WI_JSON_DEPTH_MAX 64

/* Invariants: bytes <= room; memory is owned. */
typedef struct wi_json_text {
    char *memory;
    size_t bytes;
    int is_cut; /* the text breaks off or nests too deeply: it was ended behind its last whole value */
    size_t pointers; /* hexadecimal numbers, which are no JSON, that became empty strings */
} wi_json_text;

/** Copies a text that begins with a brace: bytes that are not UTF-8 and control characters in strings are replaced, and
 * what is open at the end is closed; integers too long for a parser become strings. Errors: HOST_MEMORY. */
weir_status wi_json_text_create(const char *bytes, size_t count, wi_json_text *out);

void wi_json_text_destroy(wi_json_text *text);

/** Length of the value that begins with the brace at `bytes`, `count` if it does not end. */
size_t wi_json_text_bytes(const char *bytes, size_t count);

#endif
