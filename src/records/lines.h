/* A text as lines: what people's tools put around clinfo's output is taken off first. */
#ifndef WI_RECORDS_LINES_H
#define WI_RECORDS_LINES_H

#include "records/span.h"

#include <weir/status.h>

/* A cleaned copy of a text.
 *
 * Invariants: memory[0 .. bytes) has no zero byte and no control character but tab and newline; it has as many lines as
 * the original, so numbers of lines are those of the original. */
typedef struct wi_lines {
    char *memory;
    size_t bytes;
    int is_ended;     /* the text ends with a newline */
    size_t marked;    /* lines from which a quote or comment mark was taken */
    const char *mark; /* that mark; "" for none */
    int is_diff;      /* the text is a diff: its new side is read */
    size_t dropped;   /* lines of the old side */
    size_t replaced;  /* control characters and zero bytes that were left out or became blanks */
    size_t controls; /* of those the control characters: a text has hardly any, a binary has many */
    size_t strange;  /* bytes that are not UTF-8; they are kept */
} wi_lines;

/** 1 if what was read is no text but a program's or an archive's bytes, whatever words are among them. */
int wi_lines_are_binary(const wi_lines *lines);

/* One line, without the blanks around it. */
typedef struct wi_line {
    wi_span text;
    size_t indent; /* blanks before it; a tab counts as one */
    size_t number; /* from 1 */
    int is_open;   /* the text ends inside this line */
} wi_line;

/* Where a walk over lines stands. Start from zero. */
typedef struct wi_cursor {
    size_t offset; /* of the next line */
    size_t number; /* of the last line read, from 1 */
} wi_cursor;

/** Makes the copy. Errors: HOST_MEMORY. */
weir_status wi_lines_create(const char *bytes, size_t count, wi_lines *out);

void wi_lines_destroy(wi_lines *lines);

/** Reads the next line before offset `end`; returns 0 at the end. */
int wi_lines_next(const wi_lines *lines, size_t end, wi_cursor *cursor, wi_line *out);

#endif
