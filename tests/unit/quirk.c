/* Every row of the table of quirks on made records: one it is meant for, and near ones that it must leave alone. */
#include "device/quirk.h"
#include "device/class.h"
#include "device/rank.h"
#include "device/traits.h"
#include "made_record.h"

#include <weir/record.h>
#include <weir/select.h>

#include <stdio.h>
#include <stdlib.h>

TestSuite(quirk, .timeout = 120);

#define GIB ((uint64_t)1 << 30)
#define NONE WI_PROPERTY_COUNT, 0

typedef struct driver {
    const char *name;
    const char *vendor;
    const char *platform;
    const char *version;
    uint64_t type;
    wi_property_id property; /* WI_PROPERTY_COUNT: none is set */
    uint64_t number;
} driver;

static const struct {
    const char *quirk;
    driver meant;
    driver others[3]; /* the last ones may be empty */
} cases[] = {
    {"llvmpipe-compile",
     {"llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa/X.org", "rusticl", "", MADE_CPU, NONE},
     {{"AMD Radeon (radeonsi)", "AMD", "rusticl", "", MADE_GPU, NONE},
      {"llvmpiper", "x", "x", "", MADE_GPU, NONE}}},
    {"llvmpipe-loops",
     {"llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa/X.org", "rusticl", "", MADE_CPU, NONE},
     {{"softpipe", "Mesa/X.org", "rusticl", "", MADE_CPU, NONE}}},
    {"apple-cpu-groups",
     {"Intel(R) Core(TM) i7 CPU @ 2.8GHz", "Intel", "Apple", "", MADE_CPU, NONE},
     {{"Apple M1", "Apple", "Apple", "", MADE_GPU, NONE},
      {"Intel(R) Core(TM) i7 CPU @ 2.8GHz", "Intel", "Intel(R) OpenCL", "", MADE_CPU, NONE}}},
    {"amd-launch-32",
     {"gfx90a", "AMD", "AMD Accelerated Parallel Processing", "", MADE_GPU, NONE},
     {{"a processor", "AMD", "AMD Accelerated Parallel Processing", "", MADE_CPU, NONE},
      {"gfx90a", "AMD", "rusticl", "", MADE_GPU, NONE}}},
    {"nvidia-watchdog",
     {"GeForce", "NVIDIA Corporation", "NVIDIA CUDA", "", MADE_GPU,
      WI_PROPERTY_KERNEL_EXEC_TIMEOUT_NV, 1},
     {{"GeForce", "NVIDIA Corporation", "NVIDIA CUDA", "", MADE_GPU,
       WI_PROPERTY_KERNEL_EXEC_TIMEOUT_NV, 0},
      {"GeForce", "NVIDIA Corporation", "NVIDIA CUDA", "", MADE_GPU, NONE}}},
    {"intel-4-gib",
     {"Intel(R) Arc(TM) A770 Graphics", "Intel", "Intel(R) OpenCL Graphics", "", MADE_GPU, NONE},
     {{"Intel(R) Xeon(R)", "Intel", "Intel(R) OpenCL", "", MADE_CPU, NONE},
      {"Intel(R) Arc(TM) A770 Graphics", "Intel", "rusticl", "", MADE_GPU, NONE}}},
    {"addresses-32",
     {"a card", "x", "x", "", MADE_GPU, WI_PROPERTY_ADDRESS_BITS, 32},
     {{"a card", "x", "x", "", MADE_GPU, WI_PROPERTY_ADDRESS_BITS, 64},
      {"a card", "x", "x", "", MADE_GPU, NONE}}},
    {"small-alignment",
     {"a card", "x", "x", "", MADE_GPU, WI_PROPERTY_MEM_BASE_ADDR_ALIGN, 512},
     {{"a card", "x", "x", "", MADE_GPU, WI_PROPERTY_MEM_BASE_ADDR_ALIGN, 1024},
      {"a card", "x", "x", "", MADE_GPU, WI_PROPERTY_MEM_BASE_ADDR_ALIGN, 0},
      {"a card", "x", "x", "", MADE_GPU, NONE}}},
    {"clover-compiler",
     {"AMD HAWAII", "AMD", "Clover", "", MADE_GPU, NONE},
     {{"AMD HAWAII", "AMD", "rusticl", "", MADE_GPU, NONE}}},
    {"beignet-compiler",
     {"Iris Graphics", "Intel", "Intel Gen OCL Driver", "OpenCL 2.0 beignet 1.3", MADE_GPU, NONE},
     {{"Iris Graphics", "Intel", "Intel(R) OpenCL HD Graphics", "OpenCL 3.0 NEO", MADE_GPU, NONE}}},
    {"intel-experimental",
     {"a processor", "Intel", "Experimental OpenCL 2.1 CPU Only Platform", "", MADE_CPU, NONE},
     {{"a processor", "Intel", "Intel(R) OpenCL", "", MADE_CPU, NONE}}},
    {"loader-stub",
     {"stub", "x", "ICD_LOADER_TEST_OPENCL_STUB", "", MADE_GPU, NONE},
     {{"stub", "x", "x", "", MADE_GPU, NONE}}},
    {"nvidia-lazy-buffers",
     {"GeForce", "NVIDIA Corporation", "NVIDIA CUDA", "", MADE_GPU, NONE},
     {{"NVIDIA GeForce", "NVIDIA Corporation", "Portable Computing Language", "", MADE_GPU, NONE}}},
    {"pocl-over-commit",
     {"pthread-skylake", "GenuineIntel", "Portable Computing Language", "", MADE_CPU | 1, NONE},
     {{"NVIDIA GeForce", "NVIDIA Corporation", "Portable Computing Language", "", MADE_GPU, NONE},
      {"Intel(R) Xeon(R)", "Intel", "Intel(R) OpenCL", "", MADE_CPU, NONE}}},
    {"rusticl-finish",
     {"FD690", "freedreno", "rusticl", "", MADE_GPU, NONE},
     {{"FD690", "freedreno", "Clover", "", MADE_GPU, NONE}}},
    {"amd-carve-out",
     {"gfx902:xnack+", "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing", "",
      MADE_GPU, WI_PROPERTY_GLOBAL_MEM_SIZE, GIB / 4},
     {{"gfx90a", "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing", "",
       MADE_GPU, WI_PROPERTY_GLOBAL_MEM_SIZE, 64 * GIB},
      {"GT 610", "NVIDIA Corporation", "NVIDIA CUDA", "", MADE_GPU, WI_PROPERTY_GLOBAL_MEM_SIZE,
       GIB}}},
    {"arc-small-memory",
     {"Intel(R) Arc(TM) A770 Graphics", "Intel(R) Corporation", "Intel(R) OpenCL", "", MADE_GPU,
      WI_PROPERTY_GLOBAL_MEM_SIZE, (uint64_t)243 << 20},
     {{"Intel(R) Arc(TM) A770 Graphics", "Intel(R) Corporation", "Intel(R) OpenCL", "", MADE_GPU,
       WI_PROPERTY_GLOBAL_MEM_SIZE, 16 * GIB},
      {"Intel(R) UHD Graphics", "Intel(R) Corporation", "Intel(R) OpenCL", "", MADE_GPU,
       WI_PROPERTY_GLOBAL_MEM_SIZE, (uint64_t)243 << 20}}},
    {"oclgrind-threads",
     {"Oclgrind Simulator", "University of Bristol", "Oclgrind", "", MADE_CPU, NONE},
     {{"Simulator", "x", "x", "", MADE_CPU, NONE}}},
};

#define CASES (sizeof cases / sizeof cases[0])

static weir_record *make(const driver *d)
{
    weir_record *record = made_record(0, 0, d->name, d->type, -1);

    made_text(record, WI_PROPERTY_VENDOR, d->vendor);
    made_text(record, WI_PROPERTY_PLATFORM_NAME, d->platform);
    if (d->version[0] != '\0') made_text(record, WI_PROPERTY_VERSION, d->version);
    if (d->property != WI_PROPERTY_COUNT) wi_record_set_number(record, d->property, d->number);
    return record;
}

static const driver *find_case(const char *quirk)
{
    for (size_t i = 0; i < CASES; i++)
        if (strcmp(cases[i].quirk, quirk) == 0) return &cases[i].meant;
    cr_assert_fail("no case for %s", quirk);
    return NULL;
}

static int has_quirk(const weir_record *record, const char *name)
{
    weir_quirk quirk;
    int found = 0;

    for (size_t i = 0; weir_record_get_quirk(record, i, &quirk); i++)
        found += strcmp(quirk.name, name) == 0;
    return found;
}

Test(quirk, every_row_takes_what_it_is_meant_for_and_nothing_near)
{
    size_t rows = 0;

    for (; wi_quirk_at(rows) != NULL; rows++) (void)find_case(wi_quirk_at(rows)->name);
    cr_assert_eq(rows, CASES);
    cr_assert_geq(rows, 12U);
    for (size_t i = 0; i < CASES; i++) {
        weir_record *record = make(&cases[i].meant);

        cr_assert_eq(has_quirk(record, cases[i].quirk), 1, "%s", cases[i].quirk);
        wi_record_destroy(record);
        for (size_t k = 0; k < 3 && cases[i].others[k].name != NULL; k++) {
            record = make(&cases[i].others[k]);
            cr_assert_eq(has_quirk(record, cases[i].quirk), 0, "%s takes %s (%zu)", cases[i].quirk,
                         cases[i].others[k].name, k);
            wi_record_destroy(record);
        }
    }
}

Test(quirk, texts_are_whole_and_the_getter_ends)
{
    weir_record *plain = made_record(0, 0, "a card", MADE_GPU, 0);
    weir_quirk quirk;

    for (size_t i = 0; wi_quirk_at(i) != NULL; i++) {
        const wi_quirk *row = wi_quirk_at(i);
        weir_record *record = make(find_case(row->name));
        size_t k = 0;

        while (weir_record_get_quirk(record, k, &quirk) && strcmp(quirk.name, row->name) != 0) k++;
        cr_assert_lt(strlen(quirk.effect), sizeof quirk.effect - 1, "%s", row->name);
        cr_assert_gt(strlen(quirk.effect), 3U, "%s", row->name);
        cr_assert_str_eq(quirk.reason, row->reason);
        cr_assert(strncmp(quirk.report, "https://", 8) == 0 ||
                      strncmp(quirk.report, "measured ", 9) == 0,
                  "%s: %s", row->name, quirk.report);
        wi_record_destroy(record);
    }
    cr_assert_eq(weir_record_get_quirk(plain, 0, &quirk), 0);
    cr_assert_str_eq(quirk.name, "");
    cr_assert_str_eq(quirk.report, "");
    cr_assert_eq(weir_record_get_quirk(NULL, 0, &quirk), 0);
    cr_assert_eq(weir_record_get_quirk(plain, 0, NULL), 0);
    wi_record_destroy(plain);
}

/* A device of `name`'s driver that is large in every way. */
static wi_device_traits traits_of(const char *name)
{
    const driver *d = find_case(name);
    weir_record *record = make(d);
    wi_device_traits traits;

    wi_record_set_number(record, WI_PROPERTY_MAX_WORK_GROUP_SIZE, 1024);
    wi_record_set_number(record, WI_PROPERTY_GLOBAL_MEM_SIZE, 32 * GIB);
    wi_record_set_number(record, WI_PROPERTY_MAX_MEM_ALLOC_SIZE, 32 * GIB);
    if (d->property != WI_PROPERTY_ADDRESS_BITS)
        wi_record_set_number(record, WI_PROPERTY_ADDRESS_BITS, 64);
    wi_traits_make(record, &traits);
    traits.driver_version = "";
    wi_record_destroy(record);
    return traits;
}

Test(quirk, rows_change_the_traits)
{
    cr_assert_eq(traits_of("llvmpipe-compile").vector_width, 1U);
    cr_assert_eq(traits_of("llvmpipe-loops").loop_trips_max, 65535U);
    cr_assert_eq(traits_of("rusticl-finish").loop_trips_max, UINT32_MAX);
    cr_assert_eq(traits_of("apple-cpu-groups").max_group, 1U);
    cr_assert_eq(traits_of("apple-cpu-groups").group_size, 1U);
    cr_assert_eq(traits_of("amd-launch-32").launch_bits, 32U);
    cr_assert_eq(traits_of("amd-launch-32").address_bits, 64U);
    cr_assert_eq(traits_of("rusticl-finish").launch_bits, 64U);
    cr_assert_eq(traits_of("nvidia-watchdog").piece_ms, 25U);
    cr_assert_eq(traits_of("rusticl-finish").piece_ms, 100U);
    cr_assert_eq(traits_of("intel-4-gib").max_alloc_bytes, 4 * GIB);
    cr_assert_eq(traits_of("intel-4-gib").global_bytes, 32 * GIB);
    cr_assert_eq(traits_of("addresses-32").global_bytes, (uint64_t)4095 << 20);
    cr_assert_eq(traits_of("addresses-32").max_alloc_bytes, (uint64_t)4095 << 20);
    cr_assert_eq(traits_of("addresses-32").launch_bits, 32U);
    cr_assert_eq(traits_of("small-alignment").base_align_bytes, 128U);
    cr_assert_eq(traits_of("rusticl-finish").max_alloc_bytes, 32 * GIB);
}

/* The index of the one taken of a device with a quirk (0.0) and a plain one of its type (1.0). */
static size_t choose(const char *name, const char *pick)
{
    const driver *d = find_case(name);
    weir_record *records[2] = {make(d), made_record(1, 0, "another", d->type, -1)};
    weir_criteria criteria = WEIR_CRITERIA_INIT;
    weir_choice *choice = NULL;
    size_t chosen = 0;

    criteria.pick = pick;
    cr_assert_eq(wi_record_class(records[0], NULL), wi_record_class(records[1], NULL), "%s", name);
    cr_assert_eq(weir_select((const weir_record *const *)records, 2, &criteria, &choice), WEIR_OK);
    chosen = weir_choice_get_chosen(choice);
    weir_choice_destroy(choice);
    wi_record_destroy(records[0]);
    wi_record_destroy(records[1]);
    return chosen;
}

Test(quirk, rows_change_the_choice)
{
    wi_doubts doubts;
    weir_record *record = make(find_case("beignet-compiler"));

    cr_assert_eq(choose("clover-compiler", NULL), 1U);
    cr_assert_eq(choose("clover-compiler", "name~hawaii"), 0U);
    cr_assert_eq(choose("nvidia-lazy-buffers", NULL), 0U);
    cr_assert_eq(choose("intel-experimental", NULL), 1U);
    cr_assert_eq(choose("intel-experimental", "0.0"), 0U);
    cr_assert_eq(choose("intel-experimental", "name~processor"), SIZE_MAX);
    cr_assert_eq(choose("loader-stub", NULL), 1U);
    wi_doubts_find(record, &doubts);
    cr_assert_eq(doubts.is_unsound, 1);
    cr_assert_not_null(strstr(doubts.texts[0], "NEO"));
    wi_record_destroy(record);
}

/* A row as the guide has it. */
static const char *guide_row(const wi_quirk *row, char *line, size_t bytes)
{
    static const char *const fields[] = {"device", "platform", "vendor", "version", "any text"};
    const wi_property_row *property =
        row->property < WI_PROPERTY_COUNT ? wi_property_row_at(row->property) : NULL;
    char effect[64];
    char match[256] = "";
    size_t used = 0;

    if (row->word[0] != '\0')
        used = (size_t)snprintf(match, sizeof match, "%s \"%s\"", fields[row->field], row->word);
    if (row->also[0] != '\0')
        used += (size_t)snprintf(match + used, sizeof match - used, " and \"%s\"", row->also);
    if (property != NULL && row->low == row->high)
        (void)snprintf(match + used, sizeof match - used, "%s`%s` %llu", used > 0 ? ", " : "",
                       property->name, (unsigned long long)row->low);
    else if (property != NULL)
        (void)snprintf(match + used, sizeof match - used, "%s`%s` %llu to %llu",
                       used > 0 ? ", " : "", property->name, (unsigned long long)row->low,
                       (unsigned long long)row->high);
    (void)snprintf(line, bytes, "| %s | %s | %s | %s | %s |", row->name, match,
                   wi_quirk_effect_text(row, effect, sizeof effect), row->reason, row->report);
    return line;
}

Test(quirk, the_guide_has_every_row)
{
    static char guide[65536];
    static char missing[16384];
    const char *path = getenv("WEIR_DEVICES_GUIDE");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    size_t rows = 0;
    size_t listed = 0;
    size_t used = 0;

    cr_assert_not_null(file, "WEIR_DEVICES_GUIDE names docs/devices.md");
    guide[fread(guide, 1, sizeof guide - 1, file)] = '\0';
    (void)fclose(file);
    for (; wi_quirk_at(rows) != NULL; rows++) {
        char line[1024];

        if (strstr(guide, guide_row(wi_quirk_at(rows), line, sizeof line)) == NULL)
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s\n", line);
    }
    cr_assert_str_empty(missing, "the guide lacks:\n%s", missing);
    for (const char *at = strstr(guide, "| quirk |"); at != NULL && at[0] == '|'; listed++) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    cr_assert_eq(listed, rows + 2, "the guide has %zu lines of quirks", listed);
}
