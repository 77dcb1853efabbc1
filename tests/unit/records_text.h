/* Reading a text in a test, from memory or from tests/data/records, and looking at what came out. */
#ifndef WT_UNIT_RECORDS_TEXT_H
#define WT_UNIT_RECORDS_TEXT_H

#include <weir/records.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a whole file; asserts that it can be read. Returns memory from malloc, with a zero behind it. */
static inline char *text_load(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = 0;

    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    text = malloc((size_t)size + 1);
    cr_assert_not_null(text);
    *bytes = fread(text, 1, (size_t)size, file);
    cr_assert_eq(*bytes, (size_t)size, "%s", path);
    text[*bytes] = '\0';
    fclose(file);
    return text;
}

static inline char *text_fixture(const char *name, size_t *bytes)
{
    char path[512];

    snprintf(path, sizeof path, "%s/records/%s", WT_DATA_DIR, name);
    return text_load(path, bytes);
}

static inline weir_records *text_read(const char *text, size_t bytes)
{
    weir_records *records = NULL;

    cr_assert_eq(weir_records_read(text, bytes, "a text", &records), WEIR_OK, "%s",
                 weir_last_error()->message);
    cr_assert_not_null(records);
    return records;
}

static inline weir_records *text_read_fixture(const char *name)
{
    size_t bytes = 0;
    char *text = text_fixture(name, &bytes);
    weir_records *records = text_read(text, bytes);

    free(text);
    return records;
}

static inline weir_property text_property(const weir_records *records, size_t i, const char *name)
{
    weir_property property;

    cr_assert(weir_record_find(weir_records_get(records, i), name, &property), "record %zu: %s", i,
              name);
    return property;
}

#define TEXT_IS(records, i, name, value)                                                          \
    do {                                                                                          \
        weir_property text_is = text_property(records, i, name);                                  \
        cr_expect_eq(text_is.state, WEIR_PROPERTY_VALUE, "%zu %s: state %d", (size_t)(i), name,   \
                     text_is.state);                                                              \
        cr_expect_str_eq(text_is.text, value, "%zu %s: \"%s\"", (size_t)(i), name, text_is.text); \
    } while (0)

#define NUMBER_IS(records, i, name, value)                                                        \
    do {                                                                                          \
        weir_property number_is = text_property(records, i, name);                                \
        cr_expect_eq(number_is.state, WEIR_PROPERTY_VALUE, "%zu %s: state %d", (size_t)(i), name, \
                     number_is.state);                                                            \
        cr_expect_eq(number_is.number, (uint64_t)(value), "%zu %s: %llu", (size_t)(i), name,      \
                     (unsigned long long)number_is.number);                                       \
    } while (0)

#define NUMBERS_ARE(records, i, name, ...)                                              \
    do {                                                                                \
        static const uint64_t wanted[] = {__VA_ARGS__};                                 \
        weir_property numbers_are = text_property(records, i, name);                    \
        cr_expect_eq(numbers_are.count, sizeof wanted / sizeof wanted[0], "%zu %s: %u", \
                     (size_t)(i), name, numbers_are.count);                             \
        cr_expect_arr_eq(numbers_are.numbers, wanted, sizeof wanted, "%s", name);       \
    } while (0)

#define STATE_IS(records, i, name, wanted)                                                       \
    cr_expect_eq(text_property(records, i, name).state, wanted, "%zu %s: state %d", (size_t)(i), \
                 name, text_property(records, i, name).state)

/* 1 if a warning contains `part`. */
static inline int text_warns(const weir_records *records, const char *part)
{
    for (size_t i = 0; weir_records_get_warning(records, i) != NULL; i++)
        if (strstr(weir_records_get_warning(records, i), part) != NULL) return 1;
    return 0;
}

#endif
