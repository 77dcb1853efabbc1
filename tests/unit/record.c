/* Records: states of properties, names, flags. */
#include "made_record.h"

#include <string.h>

TestSuite(record, .timeout = 120);

Test(record, starts_with_every_property_absent)
{
    weir_record *record = NULL;
    weir_property property;

    cr_assert_eq(wi_record_create(&record), WEIR_OK);
    cr_assert_gt(weir_property_count(), 100U);
    for (size_t i = 0; i < weir_property_count(); i++) {
        weir_record_get(record, i, &property);
        cr_assert_eq(property.state, WEIR_PROPERTY_ABSENT, "%s", property.name);
        cr_assert_neq(property.name[0], '\0');
        cr_assert_str_eq(property.text, "");
    }
    wi_record_destroy(record);
}

Test(record, keeps_absent_error_and_na_apart)
{
    weir_record *record = made_record(0, 0, "x", MADE_GPU, -1);
    weir_property property;

    wi_record_set_error(record, WI_PROPERTY_GLOBAL_MEM_SIZE, -30);
    wi_record_set_na(record, WI_PROPERTY_DOUBLE_FP_CONFIG);
    wi_record_set_number(record, WI_PROPERTY_MAX_CLOCK_FREQUENCY, 0);

    cr_assert(weir_record_find(record, "global_mem_size", &property));
    cr_assert_eq(property.state, WEIR_PROPERTY_ERROR);
    cr_assert_eq(property.number, 30U);
    cr_assert(weir_record_find(record, "double_fp_config", &property));
    cr_assert_eq(property.state, WEIR_PROPERTY_NA);
    cr_assert(weir_record_find(record, "max_clock_frequency", &property));
    cr_assert_eq(property.state, WEIR_PROPERTY_VALUE);
    cr_assert_eq(property.number, 0U);
    cr_assert(weir_record_find(record, "local_mem_size", &property));
    cr_assert_eq(property.state, WEIR_PROPERTY_ABSENT);
    cr_assert_eq(wi_record_get_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, 7), 7U);
    wi_record_destroy(record);
}

Test(record, trims_blanks_and_trailing_zero_bytes_only)
{
    static const char bytes[] = "  two words \t\0 \0";
    weir_record *record = made_record(0, 0, "", 0, -1);

    cr_assert_eq(wi_record_set_text(record, WI_PROPERTY_NAME, bytes, sizeof bytes), WEIR_OK);
    cr_assert_str_eq(wi_record_get_text(record, WI_PROPERTY_NAME), "two words");
    cr_assert_eq(wi_record_set_text(record, WI_PROPERTY_NAME, "\xff\xfe", 2), WEIR_OK);
    cr_assert_str_eq(wi_record_get_text(record, WI_PROPERTY_NAME), "\xff\xfe");
    cr_assert_eq(wi_record_set_text(record, WI_PROPERTY_NAME, NULL, 0), WEIR_OK);
    cr_assert_str_eq(wi_record_get_text(record, WI_PROPERTY_NAME), "");
    wi_record_destroy(record);
}

Test(record, control_characters_become_blanks)
{
    static const char bytes[] = "a\x1b[31m\nb\x7f!";
    weir_record *record = made_record(0, 0, "", 0, -1);

    cr_assert_eq(wi_record_set_text(record, WI_PROPERTY_NAME, bytes, sizeof bytes), WEIR_OK);
    cr_assert_str_eq(wi_record_get_text(record, WI_PROPERTY_NAME), "a [31m b !");
    wi_record_destroy(record);
}

Test(record, keeps_eight_numbers)
{
    const uint64_t numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    weir_record *record = made_record(0, 0, "x", 0, -1);
    weir_property property;

    wi_record_set_numbers(record, WI_PROPERTY_MAX_WORK_ITEM_SIZES, numbers, 3);
    cr_assert(weir_record_find(record, "max_work_item_sizes", &property));
    cr_assert_eq(property.count, 3U);
    cr_assert_eq(property.numbers[2], 3U);
    cr_assert_eq(property.number, 0U);
    wi_record_set_numbers(record, WI_PROPERTY_MAX_WORK_ITEM_SIZES, numbers, 10);
    cr_assert(weir_record_find(record, "max_work_item_sizes", &property));
    cr_assert_eq(property.count, 8U);
    cr_assert_eq(property.numbers[7], 8U);
    wi_record_destroy(record);
}

Test(record, tells_the_names_of_platform_and_device_apart)
{
    weir_record *platform = made_record(3, 0, "", 0, -1);
    weir_record *record = made_record(3, 1, "a device", 0, -1);
    weir_property property;

    made_text(platform, WI_PROPERTY_PLATFORM_NAME, "a platform");
    wi_record_set_error(platform, WI_PROPERTY_PLATFORM_VENDOR, -5);
    cr_assert_eq(wi_record_copy_platform(record, platform), WEIR_OK);
    cr_assert(weir_record_find(record, "name", &property));
    cr_assert_str_eq(property.text, "a device");
    cr_assert_not(property.is_platform);
    cr_assert(weir_record_find(record, "platform.name", &property));
    cr_assert_str_eq(property.text, "a platform");
    cr_assert(property.is_platform);
    cr_assert(weir_record_find(record, "platform.vendor", &property));
    cr_assert_eq(property.state, WEIR_PROPERTY_ERROR);
    cr_assert_str_eq(wi_record_get_index(record), "3.1");
    wi_record_destroy(platform);
    wi_record_destroy(record);
}

Test(record, finds_nothing_under_unknown_names)
{
    weir_record *record = made_record(0, 0, "x", 0, -1);
    weir_property property;

    cr_assert_not(weir_record_find(record, "no_such_property", &property));
    cr_assert_eq(property.state, WEIR_PROPERTY_ABSENT);
    cr_assert_str_eq(property.name, "");
    cr_assert_not(weir_record_find(record, "platform.global_mem_size", &property));
    cr_assert_not(weir_record_find(record, NULL, &property));
    cr_assert_not(weir_record_find(NULL, "name", &property));
    weir_record_get(record, weir_property_count(), &property);
    cr_assert_str_eq(property.name, "");
    wi_record_destroy(record);
}

Test(record, names_every_property_once)
{
    weir_record *record = made_record(0, 0, "x", 0, -1);

    for (size_t i = 0; i < weir_property_count(); i++)
        for (size_t j = 0; j < i; j++) {
            weir_property a;
            weir_property b;

            weir_record_get(record, i, &a);
            weir_record_get(record, j, &b);
            cr_assert(a.is_platform != b.is_platform || strcmp(a.name, b.name) != 0, "%s twice",
                      a.name);
            cr_assert_neq(wi_property_row_at(i)->query, wi_property_row_at(j)->query, "%s, %s",
                          a.name, b.name);
        }
    wi_record_destroy(record);
}

Test(record, names_flags_by_bit)
{
    cr_assert_str_eq(weir_property_flag_name("single_fp_config", 0), "denorm");
    cr_assert_str_eq(weir_property_flag_name("single_fp_config", 5), "fma");
    cr_assert_str_eq(weir_property_flag_name("type", 2), "gpu");
    cr_assert_null(weir_property_flag_name("type", 40));
    cr_assert_null(weir_property_flag_name("type", 64));
    cr_assert_null(weir_property_flag_name("global_mem_size", 0));
    cr_assert_null(weir_property_flag_name("nothing", 0));
}

Test(record, finds_whole_words_of_lists)
{
    cr_assert(wi_list_has("cl_khr_icd cl_khr_fp64", "cl_khr_fp64"));
    cr_assert(wi_list_has("cl_khr_icd", "cl_khr_icd"));
    cr_assert_not(wi_list_has("cl_khr_fp64x xcl_khr_fp64", "cl_khr_fp64"));
    cr_assert_not(wi_list_has("cl_khr_icd", ""));
}

Test(record, reads_versions)
{
    cr_assert_eq(wi_version_parse("OpenCL 1.2 CUDA"), 120U);
    cr_assert_eq(wi_version_parse("OpenCL 3.0 "), 300U);
    cr_assert_eq(wi_version_parse("OpenGL 3.0"), 0U);
    cr_assert_eq(wi_version_parse(""), 0U);
}
