/* The live reader and a text of the installed clinfo say the same of the same machine. */
#include <weir/records.h>
#include <weir/system.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(records_live, .timeout = 120);

#define TEXT_BYTES_MAX ((size_t)1 << 20)

/* Runs `clinfo ARGUMENT` with the drivers of this process. Returns memory from malloc; "" if it is not installed. */
static char *run_clinfo(const char *argument, size_t *bytes)
{
    char command[64];
    char *text = malloc(TEXT_BYTES_MAX);
    FILE *pipe = NULL;

    cr_assert_not_null(text);
    snprintf(command, sizeof command, "clinfo %s 2>/dev/null", argument);
    pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    *bytes = fread(text, 1, TEXT_BYTES_MAX - 1, pipe);
    text[*bytes] = '\0';
    pclose(pipe);
    return text;
}

static int is_equal(const weir_property *live, const weir_property *text, int has_raw_bits)
{
    uint64_t mask = UINT64_MAX;

    /* clinfo shows "correctly rounded divide and sqrt" for single precision only. */
    if (!has_raw_bits &&
        (strcmp(live->name, "double_fp_config") == 0 || strcmp(live->name, "half_fp_config") == 0))
        mask = ~(uint64_t)0x80;
    return live->state == text->state && (live->number & mask) == (text->number & mask) &&
           live->count == text->count &&
           memcmp(live->numbers, text->numbers, sizeof live->numbers) == 0 &&
           strcmp(live->text, text->text) == 0;
}

static size_t compare(const weir_record *live, const weir_record *text, const char *format)
{
    size_t compared = 0;

    cr_assert_not_null(text, "%s", format);
    cr_expect_str_eq(weir_record_get_index(live), weir_record_get_index(text));
    for (size_t i = 0; i < weir_property_count(); i++) {
        weir_property a;
        weir_property b;

        weir_record_get(live, i, &a);
        weir_record_get(text, i, &b);
        if (b.state == WEIR_PROPERTY_ABSENT) continue;
        /* Said by texts only: of a kernel, not of the device. */
        if (strcmp(a.name, "kernel_preferred_work_group_size_multiple") == 0) continue;
        /* Change while one looks. */
        if (strcmp(a.name, "global_free_memory_amd") == 0 ||
            strcmp(a.name, "max_clock_frequency") == 0)
            continue;
        compared++;
        cr_expect(is_equal(&a, &b, strcmp(format, "--json") == 0),
                  "%s of %s: %s: live state %d, %llu, \"%.60s\"; text state %d, %llu, \"%.60s\"",
                  format, weir_record_get_index(live), a.name, a.state,
                  (unsigned long long)a.number, a.text, b.state, (unsigned long long)b.number,
                  b.text);
    }
    return compared;
}

Test(records_live, every_format_of_clinfo_says_what_the_driver_says)
{
    static const char *const formats[] = {"--human", "--raw", "--json"};
    weir_system *system = NULL;

    cr_assert_eq(weir_system_create(&system), WEIR_OK);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t bytes = 0;
        char *text = run_clinfo(formats[i], &bytes);
        weir_records *records = NULL;

        if (bytes == 0) {
            free(text);
            weir_system_destroy(system);
            cr_skip_test("clinfo is not installed, or too old for --json");
        }
        cr_assert_eq(weir_records_read(text, bytes, "clinfo", &records), WEIR_OK, "%s",
                     weir_last_error()->message);
        cr_assert_eq(weir_records_count(records), weir_system_count(system), "%s", formats[i]);
        for (size_t k = 0; k < weir_system_count(system); k++)
            cr_expect_gt(compare(weir_device_get_record(weir_system_device(system, k)),
                                 weir_records_get(records, k), formats[i]),
                         70U, "%s compares too little", formats[i]);
        weir_records_destroy(records);
        free(text);
    }
    weir_system_destroy(system);
}

Test(records_live, lists_name_the_same_devices)
{
    static const char *const formats[] = {"-l", "-l --raw"};
    weir_system *system = NULL;

    cr_assert_eq(weir_system_create(&system), WEIR_OK);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        size_t bytes = 0;
        char *text = run_clinfo(formats[i], &bytes);
        weir_records *records = NULL;

        if (bytes == 0) {
            free(text);
            weir_system_destroy(system);
            cr_skip_test("clinfo is not installed");
        }
        cr_assert_eq(weir_records_read(text, bytes, "clinfo", &records), WEIR_OK, "%s",
                     weir_last_error()->message);
        cr_assert_eq(weir_records_count(records), weir_system_count(system), "%s", formats[i]);
        for (size_t k = 0; k < weir_system_count(system); k++) {
            weir_property name;

            (void)weir_record_find(weir_records_get(records, k), "name", &name);
            cr_expect_str_eq(name.text, weir_device_get_name(weir_system_device(system, k)));
            cr_expect_str_eq(weir_record_get_index(weir_records_get(records, k)),
                             weir_device_get_index(weir_system_device(system, k)));
        }
        weir_records_destroy(records);
        free(text);
    }
    weir_system_destroy(system);
}

Test(records_live, a_list_made_of_the_live_names_is_read)
{
    weir_system *system = NULL;
    weir_records *records = NULL;
    char *text = malloc(TEXT_BYTES_MAX);
    size_t used = 0;
    const char *platform = NULL;

    cr_assert_not_null(text);
    cr_assert_eq(weir_system_create(&system), WEIR_OK);
    cr_assert_gt(weir_system_count(system), 0U);
    for (size_t i = 0; i < weir_system_count(system); i++) {
        const weir_device *device = weir_system_device(system, i);

        if (platform == NULL || strcmp(platform, weir_device_get_platform_name(device)) != 0) {
            platform = weir_device_get_platform_name(device);
            used += (size_t)snprintf(text + used, TEXT_BYTES_MAX - used, "Platform #%zu: %s\n", i,
                                     platform);
        }
        used += (size_t)snprintf(text + used, TEXT_BYTES_MAX - used, " +-- Device #%zu: %s\n", i,
                                 weir_device_get_name(device));
    }
    cr_assert_eq(weir_records_read(text, used, "list", &records), WEIR_OK);
    cr_assert_eq(weir_records_count(records), weir_system_count(system));
    for (size_t i = 0; i < weir_system_count(system); i++) {
        weir_property name;

        (void)weir_record_find(weir_records_get(records, i), "name", &name);
        cr_expect_str_eq(name.text, weir_device_get_name(weir_system_device(system, i)));
    }
    weir_records_destroy(records);
    weir_system_destroy(system);
    free(text);
}
