/* clinfo's output for people: three generations, errors in place of values, a compiler's log in the table. */
#include "records_text.h"

TestSuite(records_human, .timeout = 120);

Test(records_human, the_oldest_generation)
{
    weir_records *r = text_read_fixture("human/g1.txt");

    cr_assert_eq(weir_records_count(r), 1U);
    cr_expect_str_eq(weir_records_get_format(r), "clinfo");
    cr_expect_str_eq(weir_records_get_reason(r), "");
    cr_expect_null(weir_records_get_warning(r, 0), "%s", weir_records_get_warning(r, 0));
    TEXT_IS(r, 0, "platform.name", "Old Works");
    TEXT_IS(r, 0, "platform.icd_suffix_khr", "OLD");
    TEXT_IS(r, 0, "name", "Old Card 7");
    NUMBER_IS(r, 0, "vendor_id", 0x1f2e);
    TEXT_IS(r, 0, "opencl_c_version", "OpenCL C 1.2");
    NUMBER_IS(r, 0, "type", 4);
    NUMBER_IS(r, 0, "pci_bus_id_nv", 5);
    NUMBER_IS(r, 0, "pci_slot_id_nv", 2 << 3 | 1);
    STATE_IS(r, 0, "pci_domain_id_nv", WEIR_PROPERTY_ABSENT);
    NUMBER_IS(r, 0, "max_clock_frequency", 905);
    NUMBER_IS(r, 0, "compute_capability_major_nv", 5);
    NUMBER_IS(r, 0, "compute_capability_minor_nv", 0);
    NUMBERS_ARE(r, 0, "max_work_item_sizes", 1024, 1024, 64);
    NUMBER_IS(r, 0, "kernel_preferred_work_group_size_multiple", 32);
    STATE_IS(r, 0, "preferred_work_group_size_multiple", WEIR_PROPERTY_ABSENT);
    NUMBER_IS(r, 0, "preferred_vector_width_char", 1);
    NUMBER_IS(r, 0, "native_vector_width_char", 2);
    STATE_IS(r, 0, "half_fp_config", WEIR_PROPERTY_NA);
    NUMBER_IS(r, 0, "single_fp_config", 7);
    STATE_IS(r, 0, "double_fp_config", WEIR_PROPERTY_NA);
    NUMBER_IS(r, 0, "address_bits", 64);
    NUMBER_IS(r, 0, "endian_little", 1);
    NUMBER_IS(r, 0, "global_mem_size", 1073741824);
    NUMBER_IS(r, 0, "mem_base_addr_align", 4096);
    TEXT_IS(r, 0, "global_mem_cache_type", "read_write_cache");
    NUMBER_IS(r, 0, "global_mem_cacheline_size", 128);
    NUMBER_IS(r, 0, "image2d_max_width", 16384);
    NUMBER_IS(r, 0, "image2d_max_height", 8192);
    NUMBER_IS(r, 0, "image3d_max_depth", 1024);
    TEXT_IS(r, 0, "local_mem_type", "local");
    NUMBER_IS(r, 0, "queue_properties", 3);
    NUMBER_IS(r, 0, "execution_capabilities", 1);
    NUMBER_IS(r, 0, "kernel_exec_timeout_nv", 1);
    NUMBER_IS(r, 0, "available", 1);
    weir_records_destroy(r);
}

Test(records_human, errors_logs_and_values_that_are_none)
{
    weir_records *r = text_read_fixture("human/g2.txt");

    cr_assert_eq(weir_records_count(r), 2U);
    cr_expect_str_eq(weir_record_get_index(weir_records_get(r, 1)), "0.1");
    NUMBERS_ARE(r, 0, "topology_amd", 3, 0, 0);
    NUMBER_IS(r, 0, "max_clock_frequency", 0);
    TEXT_IS(r, 0, "build_log", "fatal error: cannot open 'left-r600.bc'");
    STATE_IS(r, 0, "kernel_preferred_work_group_size_multiple", WEIR_PROPERTY_ERROR);
    cr_expect_eq(text_property(r, 0, "kernel_preferred_work_group_size_multiple").number, 46U);
    STATE_IS(r, 0, "global_mem_size", WEIR_PROPERTY_ERROR);
    NUMBERS_ARE(r, 0, "global_free_memory_amd", 823609);
    TEXT_IS(r, 0, "global_mem_cache_type", "none");
    NUMBER_IS(r, 1, "type", 3);
    STATE_IS(r, 1, "global_mem_size", WEIR_PROPERTY_ABSENT);
    STATE_IS(r, 1, "max_compute_units", WEIR_PROPERTY_ABSENT);
    TEXT_IS(r, 1, "extensions", "");
    STATE_IS(r, 1, "double_fp_config", WEIR_PROPERTY_NA);
    TEXT_IS(r, 1, "platform.name", "Middle");
    cr_expect(text_warns(r, "could not build a kernel"));
    cr_expect(text_warns(r, "embedded profile"));
    cr_expect(text_warns(r, "the value of global_mem_size is left out"));
    cr_expect(text_warns(r, "the value of max_compute_units is left out"));
    weir_records_destroy(r);
}

Test(records_human, the_newest_generation)
{
    weir_records *r = text_read_fixture("human/g3.txt");

    cr_assert_eq(weir_records_count(r), 2U);
    TEXT_IS(r, 0, "uuid_khr", "1a2b3c4d-0001-0002-0003-00000000abcd");
    NUMBER_IS(r, 0, "luid_valid_khr", 0);
    NUMBER_IS(r, 0, "pci_domain_id_nv", 1);
    NUMBERS_ARE(r, 0, "pci_bus_info_khr", 1, 10, 0, 0);
    NUMBER_IS(r, 0, "partition_affinity_domain", 0);
    NUMBER_IS(r, 0, "preferred_work_group_size_multiple", 32);
    NUMBER_IS(r, 0, "kernel_preferred_work_group_size_multiple", 64);
    NUMBER_IS(r, 0, "half_fp_config", 5);
    NUMBER_IS(r, 0, "double_fp_config", 33);
    NUMBER_IS(r, 0, "svm_capabilities", 9);
    NUMBER_IS(r, 0, "atomic_memory_capabilities", 1 | 2 | 16);
    NUMBER_IS(r, 0, "queue_properties", 3);
    NUMBER_IS(r, 0, "queue_on_device_properties", 0);
    NUMBER_IS(r, 0, "device_enqueue_capabilities", 0);
    NUMBER_IS(r, 0, "execution_capabilities", 3);
    TEXT_IS(r, 0, "il_version", "");
    TEXT_IS(r, 0, "built_in_kernels", "");
    TEXT_IS(r, 1, "name", "New Card 9");
    NUMBER_IS(r, 1, "pci_bus_id_nv", 11);
    STATE_IS(r, 1, "half_fp_config", WEIR_PROPERTY_NA);
    STATE_IS(r, 1, "double_fp_config", WEIR_PROPERTY_ABSENT);
    cr_expect(text_warns(r, "platform 1 (New Idle) has no devices"));
    weir_records_destroy(r);
}

Test(records_human, two_values_for_one_property_are_no_value)
{
    static const char text[] = "  Device Name                 A card\n"
                               "  Global memory size          67331903488 (62.71GiB)\n"
                               "  Global memory size          67331903488 (62.71GiB)\n"
                               "  Max compute units           12\n"
                               "  Max compute units           13\n"
                               "  Max compute units           12\n";
    weir_records *r = text_read(text, sizeof text - 1);

    NUMBER_IS(r, 0, "global_mem_size", 67331903488);
    STATE_IS(r, 0, "max_compute_units", WEIR_PROPERTY_ABSENT);
    cr_expect(text_warns(r, "a second value for max_compute_units"));
    weir_records_destroy(r);
}

Test(records_human, a_reflowed_text)
{
    static const char text[] =
        "Number of platforms 2 Platform Name One\n"
        "Platform Vendor Somebody\n"
        "Platform Name Two\n"
        "Platform Name One\nNumber of devices 1\nDevice Name The card\n"
        "Device Vendor ID 0x10de\nMax size of kernel argument 4352 (4.25KiB)\n"
        "Platform Name Two\nNumber of devices 0\n";
    weir_records *r = text_read(text, sizeof text - 1);

    cr_assert_eq(weir_records_count(r), 1U);
    TEXT_IS(r, 0, "platform.name", "One");
    TEXT_IS(r, 0, "name", "The card");
    NUMBER_IS(r, 0, "vendor_id", 0x10de);
    NUMBER_IS(r, 0, "max_parameter_size", 4352);
    cr_expect(!text_warns(r, "truncated"));
    weir_records_destroy(r);
}

Test(records_human, a_middle_without_names)
{
    static const char text[] = "    Round to zero                                 Yes\n"
                               "  Address bits                                    64, Big-Endian\n"
                               "  Global memory size                              912680548\n"
                               "  Unified memory for Host and Device              Yes\n";
    weir_records *r = text_read(text, sizeof text - 1);

    cr_assert_eq(weir_records_count(r), 1U);
    STATE_IS(r, 0, "name", WEIR_PROPERTY_ABSENT);
    STATE_IS(r, 0, "single_fp_config", WEIR_PROPERTY_ABSENT);
    NUMBER_IS(r, 0, "endian_little", 0);
    NUMBER_IS(r, 0, "global_mem_size", 912680548);
    cr_expect_eq(weir_record_get_class(weir_records_get(r, 0), NULL), WEIR_DEVICE_INTEGRATED);
    weir_records_destroy(r);
}

Test(records_human, reasons_for_no_device)
{
    static const struct {
        const char *text;
        const char *reason;
    } cases[] = {
        {"Number of platforms       0\n", "no platforms"},
        {"Number of platforms       1\n  Platform Name   A\n\n  Platform Name   A\n"
         "Number of devices     0\n",
         "no devices"},
        {"Number of platforms       2\n  Platform Name   A\n", "truncated"},
        {"Number of platforms       1\n  Platform Name   A\nSegmentation fault\n", "truncated"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_records *r = text_read(cases[i].text, strlen(cases[i].text));

        cr_expect_eq(weir_records_count(r), 0U);
        cr_expect_eq(strncmp(weir_records_get_reason(r), cases[i].reason, strlen(cases[i].reason)),
                     0, "case %zu: %s", i, weir_records_get_reason(r));
        weir_records_destroy(r);
    }
}
