/* The other formats: AMD's clinfo, --raw, --json, -l, and weir's own JSON. */
#include "records_text.h"

TestSuite(records_formats, .timeout = 120);

Test(records_formats, amds_clinfo)
{
    weir_records *r = text_read_fixture("amd/two.txt");

    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_records_get_format(r), "AMD's clinfo");
    cr_expect_null(weir_records_get_warning(r, 0), "%s", weir_records_get_warning(r, 0));
    TEXT_IS(r, 0, "platform.version", "OpenCL 2.0 RED (1)");
    TEXT_IS(r, 0, "name", "Red");
    TEXT_IS(r, 0, "board_name_amd", "Red Card 5");
    NUMBER_IS(r, 0, "vendor_id", 0x1002);
    NUMBERS_ARE(r, 0, "topology_amd", 7, 1, 2);
    NUMBERS_ARE(r, 0, "max_work_item_sizes", 256, 128, 64);
    NUMBER_IS(r, 0, "max_clock_frequency", 720);
    NUMBER_IS(r, 0, "mem_base_addr_align", 2048);
    NUMBER_IS(r, 0, "single_fp_config", 2 | 4 | 32);
    TEXT_IS(r, 0, "local_mem_type", "local");
    NUMBER_IS(r, 0, "svm_capabilities", 1);
    NUMBER_IS(r, 0, "host_unified_memory", 1);
    NUMBER_IS(r, 0, "error_correction_support", 0);
    NUMBER_IS(r, 0, "endian_little", 1);
    NUMBER_IS(r, 0, "queue_properties", 2);
    NUMBER_IS(r, 0, "queue_on_device_properties", 3);
    STATE_IS(r, 0, "double_fp_config", WEIR_PROPERTY_ABSENT);
    STATE_IS(r, 0, "half_fp_config", WEIR_PROPERTY_NA);
    TEXT_IS(r, 1, "name", "Red CPU");
    TEXT_IS(r, 1, "board_name_amd", "");
    NUMBER_IS(r, 1, "vendor_id", 4318);
    weir_records_destroy(r);
}

Test(records_formats, errors_of_amds_clinfo)
{
    static const char none[] = "ERROR: clGetPlatformIDs(-1001)\n";
    static const char closed[] = "Number of platforms:\t\t 1\n  Platform Profile:\t FULL_PROFILE\n"
                                 "  Platform Name:\t Red\n"
                                 "  Platform Vendor:\t Advanced Micro Devices, Inc.\n\n"
                                 "  Platform Name:\t Red\nERROR: clGetDeviceIDs(-1)\n";
    weir_records *r = text_read(none, sizeof none - 1);

    cr_expect_eq(strncmp(weir_records_get_reason(r), "no platforms", 12), 0);
    weir_records_destroy(r);
    r = text_read(closed, sizeof closed - 1);
    cr_expect_eq(strncmp(weir_records_get_reason(r), "no devices", 10), 0, "%s",
                 weir_records_get_reason(r));
    cr_expect_not_null(strstr(weir_records_get_reason(r), "permission"));
    weir_records_destroy(r);
}

Test(records_formats, raw_with_one_suffix_for_two_platforms)
{
    weir_records *r = text_read_fixture("raw/two.txt");

    cr_assert_eq(weir_records_count(r), 3U);
    cr_expect_null(weir_records_get_warning(r, 0), "%s", weir_records_get_warning(r, 0));
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "0.1");
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 2)), "1.0");
    TEXT_IS(r, 0, "platform.name", "New Works");
    TEXT_IS(r, 2, "platform.name", "New Other");
    TEXT_IS(r, 2, "platform.vendor", "New Vendor");
    TEXT_IS(r, 0, "driver_version", "9.9");
    NUMBER_IS(r, 0, "type", 5);
    NUMBER_IS(r, 0, "pci_bus_id_nv", 10);
    NUMBERS_ARE(r, 0, "max_work_item_sizes", 1024, 1024, 64);
    NUMBER_IS(r, 0, "single_fp_config", 1 | 128);
    NUMBERS_ARE(r, 0, "global_free_memory_amd", 16760832, 0);
    NUMBER_IS(r, 0, "svm_capabilities", 0);
    TEXT_IS(r, 0, "global_mem_cache_type", "read_write_cache");
    NUMBER_IS(r, 0, "queue_properties", 3);
    TEXT_IS(r, 0, "il_version", "");
    STATE_IS(r, 0, "double_fp_config", WEIR_PROPERTY_NA);
    STATE_IS(r, 2, "max_compute_units", WEIR_PROPERTY_ERROR);
    weir_records_destroy(r);
}

Test(records_formats, raw_lines_without_their_head)
{
    static const char text[] = "[NV/0]    CL_DEVICE_PCI_BUS_ID_NV     4\n\n"
                               "[NV/1]    CL_DEVICE_PCI_BUS_ID_NV     5\n"
                               "[AMD/1]   CL_DEVICE_NAME              other\n";
    weir_records *r = text_read(text, sizeof text - 1);

    cr_assert_eq(weir_records_count(r), 3U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "0.1");
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 2)), "1.0");
    NUMBER_IS(r, 1, "pci_bus_id_nv", 5);
    weir_records_destroy(r);
}

Test(records_formats, clinfos_json)
{
    weir_records *r = text_read_fixture("json/clinfo.txt");

    cr_assert_eq(weir_records_count(r), 1U);
    TEXT_IS(r, 0, "name", "New \"Card\" 9");
    NUMBER_IS(r, 0, "platform.numeric_version", 12582912);
    NUMBER_IS(r, 0, "numeric_version", 12582912);
    NUMBER_IS(r, 0, "vendor_id", 4318);
    NUMBER_IS(r, 0, "type", 4);
    NUMBER_IS(r, 0, "available", 1);
    NUMBERS_ARE(r, 0, "max_work_item_sizes", 1024, 1024, 64);
    NUMBER_IS(r, 0, "partition_affinity_domain", 0);
    NUMBER_IS(r, 0, "max_mem_alloc_size", UINT64_MAX);
    STATE_IS(r, 0, "global_mem_cache_size", WEIR_PROPERTY_ABSENT);
    NUMBER_IS(r, 0, "double_fp_config", 63);
    NUMBERS_ARE(r, 0, "pci_bus_info_khr", 1, 10, 0, 0);
    TEXT_IS(r, 0, "local_mem_type", "local");
    STATE_IS(r, 0, "half_fp_config", WEIR_PROPERTY_NA);
    cr_expect(text_warns(r, "platform 1 (Idle) has no devices"));
    cr_expect(text_warns(r, "2 hexadecimal numbers"));
    weir_records_destroy(r);
}

Test(records_formats, json_with_bytes_that_are_no_text)
{
    static const char text[] = "log line\n{ \"platforms\" : [ { \"CL_PLATFORM_NAME\" : \"A\xff\x01"
                               "B\" } ],\n \"devices\" : [ { \"online\" : [ {\n"
                               "\"CL_DEVICE_NAME\" : \"\xc3\xa9 \xc3\", \"CL_DEVICE_TYPE\" : 4.5,\n"
                               "\"CL_DEVICE_MAX_COMPUTE_UNITS\" : -3 } ] } ] }\ntail";
    weir_records *r = text_read(text, sizeof text - 1);

    cr_assert_eq(weir_records_count(r), 1U);
    TEXT_IS(r, 0, "platform.name", "A? B");
    TEXT_IS(r, 0, "name", "\xc3\xa9 ?");
    STATE_IS(r, 0, "type", WEIR_PROPERTY_ABSENT);
    STATE_IS(r, 0, "max_compute_units", WEIR_PROPERTY_ABSENT);
    cr_expect(text_warns(r, "the value of max_compute_units is left out"));
    weir_records_destroy(r);
}

Test(records_formats, weirs_own_json)
{
    weir_records *r = text_read_fixture("json/weir.json");

    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "2.1");
    TEXT_IS(r, 0, "platform.name", "New Works");
    TEXT_IS(r, 1, "platform.name", "Third");
    NUMBER_IS(r, 0, "type", 5);
    NUMBER_IS(r, 0, "available", 1);
    NUMBER_IS(r, 0, "max_mem_alloc_size", UINT64_MAX);
    NUMBER_IS(r, 0, "max_constant_buffer_size", 65536);
    STATE_IS(r, 0, "half_fp_config", WEIR_PROPERTY_NA);
    NUMBER_IS(r, 0, "double_fp_config", 1 | 32 | 0x400);
    STATE_IS(r, 0, "max_compute_units", WEIR_PROPERTY_ERROR);
    cr_expect_eq(text_property(r, 0, "max_compute_units").number, 30U);
    STATE_IS(r, 0, "local_mem_size", WEIR_PROPERTY_ABSENT);
    cr_expect(text_warns(r, "platform 1 (Second) has no devices"));
    cr_expect(!text_warns(r, "truncated"));
    weir_records_destroy(r);
}

Test(records_formats, a_list_in_a_table_keeps_its_platforms)
{
    static const char text[] = "| Platform #0: A\n|  `-- Device #0: first\n"
                               "| Platform #1: B\n|  `-- Device #0: second\n";
    weir_records *r = text_read(text, sizeof text - 1);

    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "1.0");
    TEXT_IS(r, 1, "platform.name", "B");
    TEXT_IS(r, 1, "name", "second");
    weir_records_destroy(r);
}

Test(records_formats, a_list_without_its_first_lines_keeps_its_numbers)
{
    static const char text[] = "Platform #2: B\n +-- Device #1: first\n `-- Device #3: second\n";
    weir_records *r = text_read(text, sizeof text - 1);

    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 0)), "2.1");
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "2.3");
    TEXT_IS(r, 1, "platform.name", "B");
    weir_records_destroy(r);
}

Test(records_formats, lists)
{
    weir_records *r = text_read_fixture("list/marked.txt");

    cr_assert_eq(weir_records_count(r), 3U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 0)), "1.0");
    TEXT_IS(r, 0, "name", "New Card 9");
    TEXT_IS(r, 1, "name", "New Card 8");
    TEXT_IS(r, 2, "platform.name", "Portable");
    cr_expect(text_warns(r, "a list has names only"));
    weir_records_destroy(r);

    r = text_read_fixture("list/raw.txt");
    cr_assert_eq(weir_records_count(r), 3U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "0.1");
    TEXT_IS(r, 2, "platform.name", "Portable");
    weir_records_destroy(r);

    r = text_read_fixture("list/braces.txt");
    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "1.0");
    TEXT_IS(r, 1, "name", "Some CPU");
    weir_records_destroy(r);
}
