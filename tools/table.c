/* Cells are kept as one row-major list of strings; widths are found when the table is printed. Widths count bytes
 * that begin a UTF-8 character. One thread. */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A list of cells under columns.
 *
 * Invariants: count <= capacity; columns[width] is the first without a title. */
struct text_table {
    const table_column *columns;
    size_t width;
    char **cells; /* NULL: the cell found no memory */
    size_t count;
    size_t capacity;
};

text_table *table_create(const table_column *columns)
{
    text_table *made = calloc(1, sizeof *made);

    if (made == NULL) return NULL;
    made->columns = columns;
    while (columns[made->width].title != NULL) made->width++;
    return made;
}

void table_destroy(text_table *table)
{
    if (table == NULL) return;
    for (size_t i = 0; i < table->count; i++) free(table->cells[i]);
    free(table->cells);
    free(table);
}

WEIR_PRINTF(1, 0) static char *format_cell(const char *format, va_list arguments)
{
    va_list again;
    char *cell = NULL;
    int bytes = 0;

    va_copy(again, arguments);
    bytes = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (bytes >= 0) cell = malloc((size_t)bytes + 1);
    if (cell != NULL) (void)vsnprintf(cell, (size_t)bytes + 1, format, arguments);
    return cell;
}

void table_add(text_table *table, const char *format, ...)
{
    va_list arguments;

    if (table == NULL) return;
    if (table->count == table->capacity) {
        size_t capacity = table->capacity * 2 + 32;
        char **cells = realloc(table->cells, capacity * sizeof *cells);

        if (cells == NULL) return;
        table->cells = cells;
        table->capacity = capacity;
    }
    va_start(arguments, format);
    table->cells[table->count++] = format_cell(format, arguments);
    va_end(arguments);
}

static const char *cell_text(const text_table *table, size_t i)
{
    return table->cells[i] == NULL ? "?" : table->cells[i];
}

static size_t text_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0U) != 0x80U;
    return width;
}

static void print_cell(const text_table *table, FILE *stream, size_t column, size_t width,
                       const char *text)
{
    size_t padding = width - text_width(text);
    int is_right = table->columns[column].is_right;
    int is_last = column + 1 == table->width;

    if (is_right) (void)fprintf(stream, "%*s", (int)padding, "");
    (void)fputs(text, stream);
    if (!is_last) (void)fprintf(stream, "%*s", (int)(is_right ? 2 : padding + 2), "");
}

static size_t column_width(const text_table *table, size_t column)
{
    size_t width = text_width(table->columns[column].title);

    for (size_t i = column; i < table->count; i += table->width) {
        size_t cell = text_width(cell_text(table, i));

        width = cell > width ? cell : width;
    }
    return width;
}

void table_print(const text_table *table, FILE *stream, int is_coloured)
{
    if (table == NULL || table->width == 0) return;
    if (is_coloured) (void)fputs("\033[1m", stream);
    for (size_t column = 0; column < table->width; column++)
        print_cell(table, stream, column, column_width(table, column),
                   table->columns[column].title);
    (void)fputs(is_coloured ? "\033[0m\n" : "\n", stream);
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % table->width;

        print_cell(table, stream, column, column_width(table, column), cell_text(table, i));
        if (column + 1 == table->width || i + 1 == table->count) (void)fputc('\n', stream);
    }
}
