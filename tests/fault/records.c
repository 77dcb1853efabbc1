/* The n-th allocation of the readers or of the library fails while a text is read and a device chosen. jansson's are left
 * alone: its lexer takes a lost allocation for a lost character, and tells nobody. */
#include <weir/records.h>
#include <weir/select.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(fault_records, .timeout = 120);

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

static size_t until_failure; /* 0: none fails */
static size_t live;

/* 1 if this allocation is the one that fails. */
static int strikes(void) { return until_failure > 0 && --until_failure == 0; }

static void *count(void *memory)
{
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t bytes) { return strikes() ? NULL : count(__real_malloc(bytes)); }

void *__wrap_calloc(size_t number, size_t bytes)
{
    return strikes() ? NULL : count(__real_calloc(number, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    void *larger = strikes() ? NULL : __real_realloc(memory, bytes);

    if (memory == NULL) return count(larger);
    return larger;
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

static weir_status read_and_choose(const char *path, size_t *devices)
{
    const weir_record *list[16];
    weir_records *records = NULL;
    weir_choice *choice = NULL;
    weir_status status = weir_records_read_file(path, &records);

    cr_assert_eq(status == WEIR_OK, records != NULL);
    if (status == WEIR_OK) {
        size_t found = weir_records_count(records);

        cr_assert_leq(found, sizeof list / sizeof list[0]);
        for (size_t i = 0; i < found; i++) list[i] = weir_records_get(records, i);
        status = weir_select(list, found, NULL, &choice);
        cr_assert_eq(status == WEIR_OK, choice != NULL);
    }
    *devices = weir_records_count(records);
    weir_choice_destroy(choice);
    weir_records_destroy(records);
    return status;
}

Test(fault_records, each_allocation_of_each_reader)
{
    static const char *const fixtures[] = {"human/g2.txt", "amd/two.txt",    "raw/two.txt",
                                           "list/raw.txt", "json/weir.json", "json/clinfo.txt"};

    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) {
        char path[512];
        size_t failed = 0;
        size_t wanted = 0;
        size_t devices = 0;
        weir_status status = WEIR_E_HOST_MEMORY;

        snprintf(path, sizeof path, "%s/records/%s", WT_DATA_DIR, fixtures[i]);
        cr_assert_eq(read_and_choose(path, &wanted), WEIR_OK);
        for (size_t n = 1; status != WEIR_OK; n++) {
            size_t before = live;
            int is_over = 0;

            weir_last_error_reset();
            until_failure = n;
            status = read_and_choose(path, &devices);
            is_over = until_failure > 0;
            until_failure = 0;
            cr_assert_eq(live, before, "%s: allocation %zu leaves %zd", fixtures[i], n,
                         (ssize_t)live - (ssize_t)before);
            if (is_over) break;
            /* stdio does without its buffer; everything else must show. */
            if (status == WEIR_OK) {
                cr_assert_eq(devices, wanted, "%s: allocation %zu loses devices", fixtures[i], n);
                status = WEIR_E_HOST_MEMORY;
                continue;
            }
            cr_assert(status == WEIR_E_HOST_MEMORY || status == WEIR_E_IO, "%s: %zu: %s",
                      fixtures[i], n, weir_status_name(status));
            cr_assert_eq(weir_last_error()->status, status);
            failed++;
        }
        cr_assert_eq(status, WEIR_OK, "%s", fixtures[i]);
        cr_assert_gt(failed, 10U, "%s: only %zu failed", fixtures[i], failed);
    }
}
