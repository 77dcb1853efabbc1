/* Texts that were recorded on real machines, where a folder of them is given: WEIR_CLINFO_DIR with expected.csv. */
#include "records_text.h"

#include <weir/select.h>

#include <ctype.h>

TestSuite(records_shared, .timeout = 120);

/* Splits a line at commas in place; returns how many fields there are. */
static size_t split(char *line, char *fields[5])
{
    size_t count = 0;

    for (char *at = line; at != NULL && count < 5; count++) {
        char *comma = strchr(at, ',');

        fields[count] = at;
        if (comma != NULL) *comma++ = '\0';
        at = comma;
    }
    return count;
}

/* 1 if `text` has `word`, which is in lower case, in any case. */
static int mentions(const char *text, const char *word)
{
    size_t bytes = strlen(word);

    for (; *text != '\0'; text++) {
        size_t i = 0;

        while (i < bytes && tolower((unsigned char)text[i]) == word[i]) i++;
        if (i == bytes) return 1;
    }
    return bytes == 0;
}

static int is_mentioned(const weir_records *records, const weir_choice *choice, const char *word)
{
    for (size_t i = 0; weir_records_get_warning(records, i) != NULL; i++)
        if (mentions(weir_records_get_warning(records, i), word)) return 1;
    for (size_t i = 0; weir_choice_get_warning(choice, i) != NULL; i++)
        if (mentions(weir_choice_get_warning(choice, i), word)) return 1;
    return mentions(weir_records_get_reason(records), word) ||
           mentions(weir_choice_get_reason(choice), word);
}

/* fields: file, result, part of the name, class, word */
static void check_choice(const weir_records *records, char *fields[5])
{
    const weir_record *list[64];
    weir_choice *choice = NULL;
    size_t count = weir_records_count(records);
    size_t chosen = 0;

    cr_assert_leq(count, sizeof list / sizeof list[0]);
    for (size_t i = 0; i < count; i++) list[i] = weir_records_get(records, i);
    cr_assert_eq(weir_select(list, count, NULL, &choice), WEIR_OK);
    chosen = weir_choice_get_chosen(choice);
    cr_expect_eq(chosen != SIZE_MAX, strcmp(fields[1], "chosen") == 0, "%s", fields[0]);
    if (chosen != SIZE_MAX) {
        const char *name = text_property(records, chosen, "name").text;
        const char *board = text_property(records, chosen, "board_name_amd").text;

        cr_expect(strstr(name, fields[2]) != NULL || strstr(board, fields[2]) != NULL, "%s: %s",
                  fields[0], name);
        cr_expect_str_eq(weir_device_class_name(weir_record_get_class(list[chosen], NULL)),
                         fields[3], "%s", fields[0]);
    }
    cr_expect(is_mentioned(records, choice, fields[4]), "%s does not mention %s", fields[0],
              fields[4]);
    weir_choice_destroy(choice);
}

static void check_row(const char *folder, char *fields[5])
{
    char path[4096];
    weir_records *records = NULL;
    weir_status status = WEIR_OK;

    snprintf(path, sizeof path, "%.2000s/%.1000s", folder, fields[0]);
    status = weir_records_read_file(path, &records);
    if (strcmp(fields[1], "unreadable") == 0) {
        cr_expect_eq(status, WEIR_E_FORMAT, "%s", fields[0]);
    } else {
        cr_expect_eq(status, WEIR_OK, "%s: %s", fields[0], weir_last_error()->message);
        if (status == WEIR_OK) check_choice(records, fields);
    }
    weir_records_destroy(records);
}

Test(records_shared, every_recorded_text_is_read_and_chosen_from_as_expected)
{
    const char *folder = getenv("WEIR_CLINFO_DIR");
    char path[1024];
    char line[1024];
    size_t rows = 0;
    FILE *file = NULL;

    if (folder == NULL || folder[0] == '\0')
        cr_skip_test("WEIR_CLINFO_DIR names no folder of recorded texts");
    snprintf(path, sizeof path, "%s/expected.csv", folder);
    file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[5] = {"", "", "", "", ""};

        line[strcspn(line, "\r\n")] = '\0';
        if (split(line, fields) < 5 || strcmp(fields[0], "file") == 0) continue;
        check_row(folder, fields);
        rows++;
    }
    fclose(file);
    cr_expect_gt(rows, 0U);
}
