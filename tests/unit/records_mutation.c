/* Random damage to texts: no crash, no report of a sanitizer, no text that takes for ever.
 *
 * A run is decided by its seed, which is printed; WEIR_TEST_SEED sets it. WEIR_LONG_TESTS=1 makes a million mutations,
 * also of the texts in WEIR_CLINFO_DIR.
 */
#include "records_text.h"

#include <dirent.h>

TestSuite(records_mutation, .timeout = 7000);

#define SEED 20261130U
#define TEXTS_MAX 128

typedef struct text_set {
    char *texts[TEXTS_MAX];
    size_t bytes[TEXTS_MAX];
    size_t count;
} text_set;

/* Words that a mutation puts somewhere: labels, marks, brackets, numbers at the edge of a type. */
static const char *const words[] = {"Number of platforms ",
                                    "Number of devices:\t",
                                    "\n  Platform Name   ",
                                    "\n  Device Name   ",
                                    "\n[NV/0] CL_DEVICE_NAME ",
                                    "#PLATFORMS ",
                                    "\nPlatform #0: ",
                                    "0.0: ",
                                    "\n{ \"platforms\" : [ ",
                                    "NULL platform behavior",
                                    "=== CL_PROGRAM_BUILD_LOG ===",
                                    "\n> ",
                                    "\n# ",
                                    "\n+  ",
                                    "\n@@ -1 +1 @@\n",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "0xffffffffffffffff1",
                                    "error -",
                                    "(n/a)",
                                    "\r\n",
                                    "\x1b[",
                                    "\xff\xfe",
                                    "\"raw\" : -1",
                                    "{[{[{[{[{[",
                                    "\\u0000"};

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit == 0 ? 0 : (size_t)(next(state) % limit);
}

static void add_folder(text_set *set, const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry = NULL;

    cr_assert_not_null(directory, "%s", folder);
    while ((entry = readdir(directory)) != NULL && set->count < TEXTS_MAX) {
        char path[4096];

        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%.2000s/%.1000s", folder, entry->d_name);
        set->texts[set->count] = text_load(path, &set->bytes[set->count]);
        set->count++;
    }
    closedir(directory);
}

/* Replaces `gone` bytes at `at` by `bytes` of `put`; the text has room. */
static size_t splice(char *text, size_t size, size_t at, size_t gone, const char *put, size_t bytes)
{
    memmove(text + at + bytes, text + at + gone, size - at - gone);
    memcpy(text + at, put, bytes);
    return size - gone + bytes;
}

static size_t mutate(char *text, size_t size, const text_set *set, uint64_t *state)
{
    size_t at = below(state, size + 1);
    size_t rest = size - at;
    size_t other = below(state, set->count);
    size_t from = below(state, set->bytes[other]);
    size_t some = below(state, set->bytes[other] - from);
    const char *word = words[below(state, sizeof words / sizeof words[0])];

    switch (below(state, 7)) {
    case 0:
        if (rest > 0) text[at] = (char)next(state);
        return size;
    case 1:
        return splice(text, size, at, below(state, rest + 1), "", 0);
    case 2:
        return splice(text, size, at, 0, word, strlen(word));
    case 3:
        return at;
    case 4:
        return splice(text, size, 0, at, "", 0);
    case 5:
        return splice(text, size, at, below(state, rest + 1), set->texts[other] + from,
                      some < 2000 ? some : 2000);
    default:
        if (rest > 0) text[at] = "\n \t\0:[]{}\"|0xX-+`#>.,"[below(state, 22)];
        return size;
    }
}

static void read_and_look(const char *text, size_t size)
{
    char *exact = malloc(size > 0 ? size : 1); /* so that a byte too far is seen */
    weir_records *records = NULL;
    weir_status status = WEIR_OK;

    cr_assert_not_null(exact);
    memcpy(exact, text, size);
    status = weir_records_read(exact, size, "mutation", &records);
    cr_assert(status == WEIR_OK || status == WEIR_E_FORMAT, "%s", weir_last_error()->message);
    cr_assert((weir_records_count(records) == 0) ==
              (records == NULL || weir_records_get_reason(records)[0] != '\0'));
    weir_records_destroy(records);
    free(exact);
}

Test(records_mutation, damaged_at_random_a_text_is_read_or_refused)
{
    const char *is_long = getenv("WEIR_LONG_TESTS");
    const char *given = getenv("WEIR_TEST_SEED");
    const char *shared = getenv("WEIR_CLINFO_DIR");
    size_t rounds = is_long != NULL && strcmp(is_long, "1") == 0 ? 1000000 : 3000;
    uint64_t state = given != NULL ? strtoull(given, NULL, 0) : SEED;
    static const char *const folders[] = {"human", "amd", "raw", "json", "list"};
    text_set set = {.count = 0};
    char *text = NULL;
    size_t largest = 0;

    if (state == 0) state = SEED;
    cr_log_info("seed %llu, %zu mutations\n", (unsigned long long)state, rounds);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char folder[512];

        snprintf(folder, sizeof folder, "%s/records/%s", WT_DATA_DIR, folders[i]);
        add_folder(&set, folder);
    }
    if (shared != NULL && shared[0] != '\0') add_folder(&set, shared);
    for (size_t i = 0; i < set.count; i++)
        largest = set.bytes[i] > largest ? set.bytes[i] : largest;
    text = malloc(largest + 64 * 1024);
    cr_assert_not_null(text);

    for (size_t round = 0; round < rounds; round++) {
        size_t which = below(&state, set.count);
        size_t size = set.bytes[which];

        memcpy(text, set.texts[which], size);
        for (size_t k = 1 + below(&state, 8); k > 0; k--) size = mutate(text, size, &set, &state);
        read_and_look(text, size);
    }
    free(text);
    for (size_t i = 0; i < set.count; i++) free(set.texts[i]);
}
