/* A table for people: cells are gathered, then printed with columns as wide as they need. */
#ifndef WEIR_TOOLS_TABLE_H
#define WEIR_TOOLS_TABLE_H

#include <weir/export.h>

#include <stddef.h>
#include <stdio.h>

typedef struct text_table text_table;

/* Heading of one column. Lists end with an entry without a title. */
typedef struct table_column {
    const char *title;
    int is_right; /* 1: aligned to the right, as numbers are */
} table_column;

/** Makes an empty table. columns: borrowed until table_destroy(). NULL for want of host memory. */
text_table *table_create(const table_column *columns);

/** Frees a table. NULL is allowed. */
void table_destroy(text_table *table);

/** Appends a cell as printf does; rows fill from the left and follow each other. NULL is ignored. A cell that finds no
 * host memory is shown as "?". */
void table_add(text_table *table, const char *format, ...) WEIR_PRINTF(2, 3);

/** Prints headings and rows, two blanks between columns, no blanks at the ends of lines.
 * is_coloured   1: headings in bold */
void table_print(const text_table *table, FILE *stream, int is_coloured);

#endif
