/* Reads reference files and sums in wider precision. Numbers are parsed by strtod, which rounds correctly in glibc. */
#include "ref.h"

#include <criterion/criterion.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_data(const char *path)
{
    const char *folder = getenv("WEIR_TEST_DATA_DIR");
    char whole[1024];
    FILE *file = NULL;

    snprintf(whole, sizeof whole, "%s/%s", folder != NULL ? folder : WT_DATA_DIR, path);
    file = fopen(whole, "r");
    cr_assert_not_null(file, "%s cannot be opened", whole);
    return file;
}

/* 1 if a line holds a number, 0 if nothing; asserts that it holds nothing else. */
static int parse_line(const char *path, size_t line_number, char *line, double *out)
{
    char *end = NULL;

    line[strcspn(line, "#\r\n")] = '\0';
    while (isspace((unsigned char)*line)) line++;
    if (*line == '\0') return 0;
    *out = strtod(line, &end);
    while (isspace((unsigned char)*end)) end++;
    cr_assert(end != line && *end == '\0', "%s:%zu: not a number: %s", path, line_number, line);
    return 1;
}

double *wt_ref_read(const char *path, size_t *count)
{
    FILE *file = open_data(path);
    char line[256];
    double *values = NULL;
    size_t room = 0;
    size_t line_number = 0;

    *count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        double value = 0.0;
        cr_assert(strchr(line, '\n') != NULL || feof(file), "%s:%zu: a line is too long", path,
                  line_number + 1);
        if (!parse_line(path, ++line_number, line, &value)) continue;
        if (*count == room) {
            room = room == 0 ? 64 : 2 * room;
            values = realloc(values, room * sizeof *values);
            cr_assert_not_null(values);
        }
        values[(*count)++] = value;
    }
    cr_assert_not(ferror(file), "%s could not be read to its end", path);
    fclose(file);
    cr_assert_gt(*count, 0, "%s holds no number", path);
    return values;
}

static void add(double value, double *sum, double *carry)
{
    double next = *sum + value;

    *carry += fabs(*sum) >= fabs(value) ? (*sum - next) + value : (value - next) + *sum;
    *sum = next;
}

double wt_ref_sum_f64(const double *values, size_t count)
{
    double sum = 0.0;
    double carry = 0.0;

    for (size_t i = 0; i < count; i++) add(values[i], &sum, &carry);
    return sum + carry;
}

double wt_ref_sum_f32(const float *values, size_t count)
{
    double sum = 0.0;
    double carry = 0.0;

    for (size_t i = 0; i < count; i++) add((double)values[i], &sum, &carry);
    return sum + carry;
}

double wt_ref_abs_sum_f32(const float *values, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++) sum += fabs((double)values[i]);
    return sum;
}
