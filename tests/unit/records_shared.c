/* Texts that were recorded on real machines, where a folder of them is given: WEIR_CLINFO_DIR with expected.csv. */
#include "records_text.h"

TestSuite(records_shared, .timeout = 60);

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

static int has_name(const weir_records *records, const char *part)
{
    for (size_t i = 0; i < weir_records_count(records); i++)
        if (strstr(text_property(records, i, "name").text, part) != NULL ||
            strstr(text_property(records, i, "board_name_amd").text, part) != NULL)
            return 1;
    return 0;
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
        if (strcmp(fields[1], "chosen") == 0)
            cr_expect(has_name(records, fields[2]), "%s: no device named %s", fields[0], fields[2]);
        else
            cr_expect(weir_records_count(records) > 0 ||
                          weir_records_get_reason(records)[0] != '\0',
                      "%s", fields[0]);
    }
    weir_records_destroy(records);
}

Test(records_shared, every_recorded_text_reads_or_is_refused_as_expected)
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
        if (split(line, fields) < 3 || strcmp(fields[0], "file") == 0) continue;
        check_row(folder, fields);
        rows++;
    }
    fclose(file);
    cr_expect_gt(rows, 0U);
}
