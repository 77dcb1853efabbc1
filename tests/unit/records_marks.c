/* What mails, issues and editors put before lines and at their ends changes nothing of what a text says: the project's own
 * texts, and those of WEIR_CLINFO_DIR where it names a folder. */
#include "records_compare.h"

#include <dirent.h>

TestSuite(records_marks, .timeout = 120);

static const char *const fixtures[] = {"human/g1.txt",    "human/g2.txt", "human/g3.txt",
                                       "amd/two.txt",     "raw/two.txt",  "json/clinfo.txt",
                                       "list/marked.txt", "list/raw.txt"};
#define FIXTURES (sizeof fixtures / sizeof fixtures[0])

typedef struct dress {
    const char *before;
    const char *end;
} dress;

/* Puts a dress on: `before` in front of every line, `end` in place of every newline. Returns memory from malloc. */
static char *dressed(const char *text, size_t bytes, const dress *d, size_t *out_bytes)
{
    char *out = malloc(bytes * 16 + 64);
    size_t used = 0;
    int is_start = 1;

    cr_assert_not_null(out);
    for (size_t i = 0; i < bytes; i++) {
        if (is_start) used += (size_t)sprintf(out + used, "%s", d->before);
        is_start = text[i] == '\n';
        if (is_start)
            used += (size_t)sprintf(out + used, "%s", d->end);
        else
            out[used++] = text[i];
    }
    *out_bytes = used;
    return out;
}

/* Reads a text in every dress. One that is refused is refused in every dress. */
static void read_dressed(const char *name, const char *text, size_t bytes, const dress *dresses,
                         size_t count)
{
    weir_records *whole = NULL;
    weir_status status = weir_records_read(text, bytes, NULL, &whole);

    for (size_t k = 0; k < count; k++) {
        size_t new_bytes = 0;
        char *new = dressed(text, bytes, &dresses[k], &new_bytes);
        weir_records *records = NULL;
        char what[128];

        snprintf(what, sizeof what, "%.80s dress %zu", name, k);
        cr_assert_eq(weir_records_read(new, new_bytes, NULL, &records), status, "%s: %s", what,
                     weir_last_error()->message);
        if (status == WEIR_OK) text_compare(whole, records, 0, what, 0);
        weir_records_destroy(records);
        free(new);
    }
    weir_records_destroy(whole);
}

Test(records_marks, of_any_kind_change_nothing)
{
    static const dress dresses[] = {{"", "\r\n"},
                                    {"", "\r"},
                                    {"> ", "\n"},
                                    {">", "\n"},
                                    {"> > ", "\n"},
                                    {"# ", "\r\n"},
                                    {"// ", "\n"},
                                    {"      ", "\n"},
                                    {"\t", "\n"},
                                    {"+", "\n"},
                                    {"\x1b[1m", "\x1b[0m\n"}};

    for (size_t i = 0; i < FIXTURES; i++) {
        size_t bytes = 0;
        char *text = text_fixture(fixtures[i], &bytes);

        read_dressed(fixtures[i], text, bytes, dresses, sizeof dresses / sizeof dresses[0]);
        free(text);
    }
}

/* Some of these are quoted, indented or diffs themselves, and some are one line: what is left are marks that add to that. */
Test(records_marks, change_nothing_of_texts_of_real_machines)
{
    static const dress dresses[] = {{"", "\r\n"},     {"", "\r"},   {"> ", "\n"},
                                    {"> > ", "\n"},   {"# ", "\n"}, {"// ", "\n"},
                                    {"> # ", "\r\n"}, {"", "  \n"}, {"\x1b[1m", "\x1b[0m\n"}};
    const char *folder = getenv("WEIR_CLINFO_DIR");
    DIR *directory = NULL;
    struct dirent *entry = NULL;
    size_t count = 0;

    if (folder == NULL || folder[0] == '\0')
        cr_skip_test("WEIR_CLINFO_DIR names no folder of recorded texts");
    directory = opendir(folder);
    cr_assert_not_null(directory, "%s", folder);
    while ((entry = readdir(directory)) != NULL) {
        char path[4096];
        size_t bytes = 0;
        char *text = NULL;

        if (strstr(entry->d_name, ".txt") == NULL) continue;
        snprintf(path, sizeof path, "%.2000s/%.1000s", folder, entry->d_name);
        text = text_load(path, &bytes);
        read_dressed(entry->d_name, text, bytes, dresses, sizeof dresses / sizeof dresses[0]);
        free(text);
        count++;
    }
    closedir(directory);
    cr_expect_gt(count, 0U);
}
