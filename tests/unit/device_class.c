/* Classes of made-up devices, after texts of real ones. */
#include "device/class.h"
#include "device/match.h"
#include "device/traits.h"
#include "made_record.h"

TestSuite(device_class, .timeout = 120);

static const struct {
    const char *name;
    const char *vendor;
    const char *platform;
    uint64_t type;
    int unified;
    weir_device_class expected;
} devices[] = {
    {"GeForce GTX 1650", "NVIDIA Corporation", "NVIDIA CUDA", MADE_GPU, 0, WEIR_DEVICE_DISCRETE},
    {"GeForce GTX 1650", "NVIDIA Corporation", "NVIDIA CUDA", MADE_GPU, -1, WEIR_DEVICE_DISCRETE},
    {"Tonga", "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing", MADE_GPU, 0,
     WEIR_DEVICE_DISCRETE},
    {"Spectre", "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing", MADE_GPU, 1,
     WEIR_DEVICE_INTEGRATED},
    {"AMD PALM (DRM 2.50.0)", "AMD", "Clover", MADE_GPU, 0, WEIR_DEVICE_INTEGRATED},
    {"gfx902:xnack+", "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing",
     MADE_GPU, -1, WEIR_DEVICE_INTEGRATED},
    {"gfx906:sramecc+:xnack-", "Advanced Micro Devices, Inc.",
     "AMD Accelerated Parallel Processing", MADE_GPU, 0, WEIR_DEVICE_DISCRETE},
    {"gfx90a", "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing", MADE_GPU, -1,
     WEIR_DEVICE_DISCRETE},
    {"Intel(R) HD Graphics", "Intel(R) Corporation", "Intel(R) OpenCL", MADE_GPU, 1,
     WEIR_DEVICE_INTEGRATED},
    {"Intel(R) UHD Graphics 770", "Intel(R) Corporation", "Intel(R) OpenCL", MADE_GPU, -1,
     WEIR_DEVICE_INTEGRATED},
    {"Intel(R) Arc(TM) A770 Graphics", "Intel(R) Corporation", "Intel(R) OpenCL", MADE_GPU, -1,
     WEIR_DEVICE_DISCRETE},
    {"Intel(R) Graphics [0x56a0]", "Intel(R) Corporation", "Intel(R) OpenCL HD Graphics", 0, -1,
     WEIR_DEVICE_DISCRETE},
    {"Intel(R) Graphics [0xe20b]", "Intel(R) Corporation", "Intel(R) OpenCL Graphics", MADE_GPU, 0,
     WEIR_DEVICE_DISCRETE},
    {"Apple M4 Pro", "Apple", "Apple", MADE_GPU, -1, WEIR_DEVICE_INTEGRATED},
    {"Mali-G610 r0p0", "ARM", "ARM Platform", MADE_GPU, -1, WEIR_DEVICE_INTEGRATED},
    {"QUALCOMM Adreno(TM)", "QUALCOMM", "QUALCOMM Snapdragon(TM)", MADE_GPU, -1,
     WEIR_DEVICE_INTEGRATED},
    {"pthread-skylake-avx512", "GenuineIntel", "Portable Computing Language", MADE_CPU, 1,
     WEIR_DEVICE_CPU},
    {"Apple M1", "Apple", "Portable Computing Language", MADE_CPU, -1, WEIR_DEVICE_CPU},
    {"llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa/X.org", "rusticl", MADE_CPU, 1,
     WEIR_DEVICE_SOFTWARE},
    {"SwiftShader Device (LLVM 10.0.0)", "Google", "clvk", MADE_GPU, 1, WEIR_DEVICE_SOFTWARE},
    {"Nallatech A10", "Altera", "Altera SDK for OpenCL", MADE_ACCELERATOR, -1,
     WEIR_DEVICE_ACCELERATOR},
    {"a board", "x", "x", 16, -1, WEIR_DEVICE_ACCELERATOR},
    {"Intel(R) FPGA Emulation Device", "Intel(R) Corporation",
     "Intel(R) FPGA Emulation Platform for OpenCL(TM)", MADE_ACCELERATOR, 1, WEIR_DEVICE_EMULATOR},
    {"Oclgrind Simulator", "University of Bristol", "Oclgrind",
     MADE_CPU | MADE_GPU | MADE_ACCELERATOR, 1, WEIR_DEVICE_EMULATOR},
    {"", "x", "Oclgrind", MADE_CPU, -1, WEIR_DEVICE_EMULATOR},
    {"", "", "", 0, 1, WEIR_DEVICE_INTEGRATED},
    {"", "", "", 0, 0, WEIR_DEVICE_DISCRETE},
};

static weir_record *make(size_t i)
{
    weir_record *record = made_record(0, 0, devices[i].name, devices[i].type, devices[i].unified);

    made_text(record, WI_PROPERTY_VENDOR, devices[i].vendor);
    made_text(record, WI_PROPERTY_PLATFORM_NAME, devices[i].platform);
    return record;
}

Test(device_class, follows_names_type_and_memory)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        const char *why = NULL;
        weir_record *record = make(i);
        weir_device_class found = wi_record_class(record, &why);

        cr_assert_eq(found, devices[i].expected, "%s (unified %d) is %s: %s", devices[i].name,
                     devices[i].unified, weir_device_class_name(found), why);
        cr_assert_neq(why[0], '\0');
        wi_record_destroy(record);
    }
}

Test(device_class, nvidia_tegra_is_integrated_by_its_own_property)
{
    weir_record *record = made_record(0, 0, "Orin", MADE_GPU, 0);

    wi_record_set_number(record, WI_PROPERTY_INTEGRATED_MEMORY_NV, 1);
    cr_assert_eq(wi_record_class(record, NULL), WEIR_DEVICE_INTEGRATED);
    wi_record_destroy(record);
}

Test(device_class, looks_for_whole_words_in_any_case)
{
    cr_assert(wi_text_has_word("AMD PALM (DRM)", "palm"));
    cr_assert(wi_text_has_word("gfx902:xnack+", "gfx902"));
    cr_assert_not(wi_text_has_word("gfx9020", "gfx902"));
    cr_assert_not(wi_text_has_word("agfx902", "gfx902"));
    cr_assert(wi_text_has_word("xgfx902 gfx902", "gfx902"));
    cr_assert(wi_text_has_word("Arc(TM)A770", "Arc(TM)"));
    cr_assert_not(wi_text_has_word("anything", ""));
    cr_assert(wi_text_contains("GeForce RTX", "force rt"));
    cr_assert_not(wi_text_contains("GeForce", "geforce2"));
}

Test(device_class, names_its_values)
{
    cr_assert_str_eq(weir_device_class_name(WEIR_DEVICE_DISCRETE), "discrete");
    cr_assert_str_eq(weir_device_class_name(WEIR_DEVICE_EMULATOR), "emulator");
    cr_assert_str_eq(weir_device_class_name((weir_device_class)99), "unknown");
}

Test(device_class, rejects_what_cannot_be_used_but_not_what_is_unknown)
{
    weir_record *record = made_record(0, 0, "x", MADE_GPU, -1);

    cr_assert_null(wi_record_unusable(record));
    wi_record_set_error(record, WI_PROPERTY_AVAILABLE, -30);
    cr_assert_null(wi_record_unusable(record));
    wi_record_set_number(record, WI_PROPERTY_COMPILER_AVAILABLE, 0);
    cr_assert_str_eq(wi_record_unusable(record), "no compiler");
    wi_record_set_number(record, WI_PROPERTY_AVAILABLE, 0);
    cr_assert_str_eq(wi_record_unusable(record), "not available");
    wi_record_destroy(record);
}

Test(device_class, traits_prefer_wide_items_on_cpus_and_one_lane_on_llvmpipe)
{
    static const struct {
        const char *name;
        uint64_t type;
        int unified;
        uint32_t vector_width;
        uint32_t group_size;
    } rows[] = {{"a card", MADE_GPU, 0, 4, 64},
                {"a chip", MADE_GPU, 1, 4, 64},
                {"a processor", MADE_CPU, 1, 8, 16},
                {"llvmpipe (LLVM 15.0.6, 256 bits)", MADE_CPU, 1, 1, 16}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_record *record = made_record(0, 0, rows[i].name, rows[i].type, rows[i].unified);
        wi_device_traits traits;

        wi_record_set_number(record, WI_PROPERTY_MAX_WORK_GROUP_SIZE, 1024);
        wi_traits_make(record, &traits);
        cr_assert_eq(traits.vector_width, rows[i].vector_width, "%s", rows[i].name);
        cr_assert_eq(traits.group_size, rows[i].group_size, "%s", rows[i].name);
        wi_record_destroy(record);
    }
}

Test(device_class, traits_keep_to_the_limits_of_the_device)
{
    const uint64_t sizes[3] = {100, 64, 64};
    weir_record *record = made_record(0, 0, "a card", MADE_GPU, 0);
    wi_device_traits traits;

    wi_record_set_number(record, WI_PROPERTY_MAX_WORK_GROUP_SIZE, 12);
    wi_traits_make(record, &traits);
    cr_assert_eq(traits.group_size, 8U);
    cr_assert_eq(traits.max_group, 12U);

    wi_record_set_number(record, WI_PROPERTY_MAX_WORK_GROUP_SIZE, 256);
    wi_record_set_numbers(record, WI_PROPERTY_MAX_WORK_ITEM_SIZES, sizes, 3);
    wi_traits_make(record, &traits);
    cr_assert_eq(traits.max_group, 100U);
    cr_assert_eq(traits.group_size, 64U);
    wi_record_destroy(record);
}

Test(device_class, traits_count_alignment_in_bytes_and_fill_gaps)
{
    weir_record *record = made_record(0, 0, "a card", MADE_GPU, 0);
    wi_device_traits traits;

    wi_traits_make(record, &traits);
    cr_assert_eq(traits.base_align_bytes, 128U);
    cr_assert_eq(traits.max_alloc_bytes, UINT64_C(128) << 20);
    cr_assert_eq(traits.global_bytes, traits.max_alloc_bytes);
    cr_assert_eq(traits.compute_units, 1U);
    cr_assert_eq(traits.group_size, 1U);

    wi_record_set_number(record, WI_PROPERTY_MEM_BASE_ADDR_ALIGN, 2048);
    wi_record_set_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, 1000);
    wi_record_set_number(record, WI_PROPERTY_MAX_MEM_ALLOC_SIZE, 2000);
    wi_traits_make(record, &traits);
    cr_assert_eq(traits.base_align_bytes, 256U);
    cr_assert_eq(traits.max_alloc_bytes, 1000U);

    wi_record_set_number(record, WI_PROPERTY_MEM_BASE_ADDR_ALIGN, 0);
    wi_traits_make(record, &traits);
    cr_assert_eq(traits.base_align_bytes, 1U);
    wi_record_destroy(record);
}
