/* Choosing from records made up for the purpose: needs, classes, duplicates, rank, and what is said about them. */
#include "made_record.h"

#include "device/twin.h"

#include <weir/select.h>

#include <stdio.h>
#include <stdlib.h>

TestSuite(select, .timeout = 120);

#define GIB ((uint64_t)1 << 30)
#define MANY 6

/* A set of records and what was chosen from it. */
typedef struct stock {
    weir_record *records[MANY];
    size_t count;
    weir_choice *choice;
} stock;

static weir_record *add(stock *s, unsigned platform, unsigned device, const char *name,
                        uint64_t type, int unified)
{
    cr_assert_lt(s->count, (size_t)MANY);
    s->records[s->count] = made_record(platform, device, name, type, unified);
    return s->records[s->count++];
}

static size_t choose(stock *s, const char *needs, const char *classes, const char *pick)
{
    weir_criteria criteria = WEIR_CRITERIA_INIT;

    criteria.needs = needs;
    criteria.classes = classes;
    criteria.pick = pick;
    weir_choice_destroy(s->choice);
    cr_assert_eq(
        weir_select((const weir_record *const *)s->records, s->count, &criteria, &s->choice),
        WEIR_OK, "%s", weir_last_error()->message);
    return weir_choice_get_chosen(s->choice);
}

static weir_candidate look(const stock *s, size_t i)
{
    weir_candidate c;

    cr_assert(weir_choice_get_candidate(s->choice, i, &c));
    return c;
}

static int warns(const stock *s, const char *part)
{
    for (size_t i = 0; weir_choice_get_warning(s->choice, i) != NULL; i++)
        if (strstr(weir_choice_get_warning(s->choice, i), part) != NULL) return 1;
    return 0;
}

static void drop(stock *s)
{
    weir_choice_destroy(s->choice);
    for (size_t i = 0; i < s->count; i++) wi_record_destroy(s->records[i]);
}

Test(select, class_goes_before_memory_and_order)
{
    stock s = {.count = 0};

    wi_record_set_number(add(&s, 0, 0, "FPGA Emulation Device", MADE_ACCELERATOR, 1),
                         WI_PROPERTY_GLOBAL_MEM_SIZE, 64 * GIB);
    wi_record_set_number(add(&s, 1, 0, "Some CPU", MADE_CPU, 1), WI_PROPERTY_GLOBAL_MEM_SIZE,
                         64 * GIB);
    wi_record_set_number(add(&s, 2, 0, "Some APU", MADE_GPU, 1), WI_PROPERTY_GLOBAL_MEM_SIZE,
                         16 * GIB);
    wi_record_set_number(add(&s, 3, 0, "Some card", MADE_GPU, 0), WI_PROPERTY_GLOBAL_MEM_SIZE, GIB);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 3U);
    cr_expect_not_null(
        strstr(weir_choice_get_reason(s.choice), "Some APU by 9999600.00, decided by class"), "%s",
        weir_choice_get_reason(s.choice));
    cr_expect_eq(choose(&s, "min-mem=2G", NULL, NULL), 2U);
    cr_expect_eq(choose(&s, "min-mem=32G", NULL, NULL), 1U);
    cr_expect_eq(choose(&s, NULL, "cpu,integrated", NULL), 2U);
    cr_expect_eq(choose(&s, NULL, "emulator", NULL), 0U);
    cr_expect_eq(choose(&s, NULL, NULL, "0.0"), 0U);
    cr_expect_eq(choose(&s, NULL, NULL, "type=accelerator"), SIZE_MAX);
    cr_expect_not_null(
        strstr(weir_choice_get_reason(s.choice), "class emulator must be asked for"));
    cr_expect_eq(choose(&s, "min-mem=65G", NULL, NULL), SIZE_MAX);
    cr_expect_str_eq(look(&s, 3).rejected, "min-mem=65G is not met");
    drop(&s);
}

Test(select, an_absent_value_fails_only_a_need)
{
    stock s = {.count = 0};

    add(&s, 0, 0, "Card", MADE_GPU, 0);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 0U);
    cr_expect_eq(choose(&s, "fp64", NULL, NULL), SIZE_MAX);
    cr_expect_str_eq(look(&s, 0).rejected, "fp64: the record does not say");
    made_text(s.records[0], WI_PROPERTY_EXTENSIONS, "cl_khr_fp64 cl_khr_icd");
    cr_expect_eq(choose(&s, "fp64,ext=cl_khr_icd", NULL, NULL), 0U);
    cr_expect_eq(choose(&s, "fp16", NULL, NULL), SIZE_MAX);
    cr_expect_str_eq(look(&s, 0).rejected, "fp16 is not met");
    wi_record_set_na(s.records[0], WI_PROPERTY_DOUBLE_FP_CONFIG);
    cr_expect_eq(choose(&s, "fp64", NULL, NULL), SIZE_MAX);
    wi_record_set_number(s.records[0], WI_PROPERTY_AVAILABLE, 0);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), SIZE_MAX);
    cr_expect_eq(choose(&s, NULL, NULL, "0.0"), 0U);
    drop(&s);
}

Test(select, every_need_has_two_sides)
{
    static const struct {
        const char *met;
        const char *unmet;
    } needs[] = {{"version=1.2", "version=2.1"},     {"address=32", "address=128"},
                 {"min-alloc=512M", "min-alloc=3G"}, {"min-local=32K", "min-local=65537"},
                 {"full-profile", "images"},         {"little-endian", "ext=cl_khr_fp1"}};
    stock s = {.count = 0};
    weir_record *r = add(&s, 0, 0, "Card", MADE_GPU, 0);

    made_text(r, WI_PROPERTY_VERSION, "OpenCL 2.0 x");
    made_text(r, WI_PROPERTY_PROFILE, "FULL_PROFILE");
    made_text(r, WI_PROPERTY_EXTENSIONS, "cl_khr_fp16");
    wi_record_set_number(r, WI_PROPERTY_ADDRESS_BITS, 64);
    wi_record_set_number(r, WI_PROPERTY_MAX_MEM_ALLOC_SIZE, GIB);
    wi_record_set_number(r, WI_PROPERTY_LOCAL_MEM_SIZE, 65536);
    wi_record_set_number(r, WI_PROPERTY_IMAGE_SUPPORT, 0);
    wi_record_set_number(r, WI_PROPERTY_ENDIAN_LITTLE, 1);
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        cr_expect_eq(choose(&s, needs[i].met, NULL, NULL), 0U, "%s", needs[i].met);
        cr_expect_eq(choose(&s, needs[i].unmet, NULL, NULL), SIZE_MAX, "%s", needs[i].unmet);
    }
    drop(&s);
}

Test(select, malformed_criteria_are_refused_with_what_is_known)
{
    static const char *const needs[] = {"",
                                        "fp65",
                                        "fp64,",
                                        ",fp64",
                                        "min-mem=",
                                        "min-mem=x",
                                        "min-mem=1T",
                                        "version=2",
                                        "ext=",
                                        "fp64=1",
                                        "min-mem=99999999999999999999",
                                        "version=1.23"};
    static const char *const classes[] = {"", "gpu", "cpu,", "CPU"};
    weir_criteria criteria = WEIR_CRITERIA_INIT;
    weir_choice *choice = NULL;

    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        criteria.needs = needs[i];
        cr_expect_eq(weir_select(NULL, 0, &criteria, &choice), WEIR_E_ARG, "\"%s\"", needs[i]);
        cr_expect_null(choice);
        cr_expect_not_null(strstr(weir_last_error()->hint, "min-alloc=SIZE"));
    }
    criteria.needs = NULL;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        criteria.classes = classes[i];
        cr_expect_eq(weir_select(NULL, 0, &criteria, &choice), WEIR_E_ARG, "\"%s\"", classes[i]);
        cr_expect_not_null(strstr(weir_last_error()->hint, "integrated"));
    }
    criteria.classes = NULL;
    criteria.pick = "";
    cr_expect_eq(weir_select(NULL, 0, &criteria, &choice), WEIR_E_ARG);
    cr_expect_eq(weir_select(NULL, 1, NULL, &choice), WEIR_E_ARG);
    cr_expect_eq(weir_select(NULL, 0, NULL, NULL), WEIR_E_ARG);
    cr_assert_eq(weir_select(NULL, 0, NULL, &choice), WEIR_OK);
    cr_expect_eq(weir_choice_get_chosen(choice), SIZE_MAX);
    weir_choice_destroy(choice);
    weir_choice_destroy(NULL);
}

static weir_record *card(stock *s, unsigned platform, unsigned device, uint64_t units,
                         uint64_t clock, uint64_t memory)
{
    weir_record *r = add(s, platform, device, "NVIDIA card", MADE_GPU, 0);

    wi_record_set_number(r, WI_PROPERTY_VENDOR_ID, 0x10de);
    wi_record_set_number(r, WI_PROPERTY_MAX_COMPUTE_UNITS, units);
    wi_record_set_number(r, WI_PROPERTY_MAX_CLOCK_FREQUENCY, clock);
    wi_record_set_number(r, WI_PROPERTY_GLOBAL_MEM_SIZE, memory);
    return r;
}

Test(select, units_and_clock_are_compared_within_one_maker)
{
    stock s = {.count = 0};
    weir_record *other = NULL;

    card(&s, 0, 0, 16, 1500, 8 * GIB);
    card(&s, 0, 1, 20, 1500, 4 * GIB);
    card(&s, 0, 2, 9999, 1500, 4 * GIB);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U);
    cr_expect(warns(&s, "the number of compute units is absurd"));
    cr_expect_not_null(strstr(weir_choice_get_reason(s.choice), "decided by speed"));
    wi_record_set_number(s.records[0], WI_PROPERTY_MAX_CLOCK_FREQUENCY, 1);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect(warns(&s, "the clock is unknown (0 or 1 MHz)"));
    wi_record_set_number(s.records[0], WI_PROPERTY_MAX_CLOCK_FREQUENCY, 1500);

    /* A card of another maker: units say nothing any more, memory does. */
    other = card(&s, 1, 0, 64, 2000, 2 * GIB);
    made_text(other, WI_PROPERTY_NAME, "Radeon");
    wi_record_set_number(other, WI_PROPERTY_VENDOR_ID, 0x1002);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 0U);
    cr_expect_not_null(strstr(weir_choice_get_reason(s.choice), "decided by memory"));
    drop(&s);
}

Test(select, ties_go_to_the_lowest_number_and_equal_cards_are_no_duplicates)
{
    stock s = {.count = 0};

    card(&s, 0, 0, 82, 1695, 24 * GIB);
    card(&s, 0, 1, 82, 1695, 24 * GIB);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 0U);
    cr_expect(look(&s, 1).is_eligible);
    cr_expect_eq(look(&s, 1).score, look(&s, 0).score);
    cr_expect_not_null(strstr(weir_choice_get_reason(s.choice), "the lower number"));
    drop(&s);
}

static void set_bus(weir_record *r, uint64_t domain, uint64_t bus, int has_domain)
{
    wi_record_set_number(r, WI_PROPERTY_PCI_BUS_ID_NV, bus);
    wi_record_set_number(r, WI_PROPERTY_PCI_SLOT_ID_NV, 0);
    if (has_domain) wi_record_set_number(r, WI_PROPERTY_PCI_DOMAIN_ID_NV, domain);
}

Test(select, one_card_on_two_platforms_is_a_duplicate_by_its_address)
{
    stock s = {.count = 0};

    made_text(card(&s, 0, 0, 40, 1500, 8 * GIB), WI_PROPERTY_PLATFORM_NAME,
              "Portable Computing Language");
    card(&s, 1, 0, 40, 1500, 8 * GIB);
    set_bus(s.records[0], 0, 4, 1);
    set_bus(s.records[1], 0, 4, 1);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U, "the maker's own driver");
    cr_expect_eq(look(&s, 0).duplicate_of, 1U);
    cr_expect_not_null(strstr(look(&s, 0).rejected, "duplicate of 1.0"));
    cr_expect(warns(&s, "duplicate"));

    /* Another domain: another card, whatever the names. */
    set_bus(s.records[1], 1, 4, 1);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U);
    cr_expect(look(&s, 0).is_eligible);
    drop(&s);
}

Test(select, equal_uuids_join_and_different_ones_part_nothing)
{
    stock s = {.count = 0};

    made_text(card(&s, 0, 0, 40, 1500, 8 * GIB), WI_PROPERTY_NAME, "one driver's name");
    made_text(card(&s, 1, 0, 40, 1500, 6 * GIB), WI_PROPERTY_NAME, "another's");
    made_text(s.records[0], WI_PROPERTY_UUID_KHR, "8680a056-0800-0000-0300-000000000000");
    made_text(s.records[1], WI_PROPERTY_UUID_KHR, "8680a056-0800-0000-0300-000000000000");
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect_eq(look(&s, 1).duplicate_of, 0U);
    cr_expect_not_null(strstr(look(&s, 1).rejected, "the same UUID"));

    /* No bytes at all are no identity. */
    made_text(s.records[0], WI_PROPERTY_UUID_KHR, "00000000-0000-0000-0000-000000000000");
    made_text(s.records[1], WI_PROPERTY_UUID_KHR, "00000000-0000-0000-0000-000000000000");
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect(look(&s, 1).is_eligible);

    /* A driver of another version lays the same bytes out differently: the name still tells. */
    made_text(s.records[0], WI_PROPERTY_UUID_KHR, "8680a056-0800-0000-0300-000000000000");
    made_text(s.records[1], WI_PROPERTY_UUID_KHR, "8680a056-0000-0800-0000-030000000000");
    made_text(s.records[1], WI_PROPERTY_NAME, "one driver's name");
    wi_record_set_number(s.records[1], WI_PROPERTY_GLOBAL_MEM_SIZE, 8 * GIB);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect_eq(look(&s, 1).duplicate_of, 0U);
    drop(&s);
}

Test(select, an_address_without_its_domain_needs_maker_and_memory_too)
{
    stock s = {.count = 0};

    card(&s, 0, 0, 40, 1500, 8 * GIB);
    card(&s, 1, 0, 40, 1500, 8 * GIB);
    set_bus(s.records[0], 0, 4, 0);
    set_bus(s.records[1], 0, 4, 0);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect_eq(look(&s, 1).duplicate_of, 0U);
    wi_record_set_number(s.records[1], WI_PROPERTY_GLOBAL_MEM_SIZE, 16 * GIB);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect(look(&s, 1).is_eligible);
    drop(&s);
}

Test(select, names_pair_off_between_platforms_with_as_many)
{
    stock s = {.count = 0};

    card(&s, 0, 0, 40, 1500, 8 * GIB);
    card(&s, 0, 1, 40, 1500, 8 * GIB);
    card(&s, 1, 0, 40, 1500, 8 * GIB);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect(look(&s, 2).is_eligible, "one beside two: not the same set");
    card(&s, 1, 1, 40, 1500, 8 * GIB);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect_eq(look(&s, 2).duplicate_of, 0U);
    cr_expect_eq(look(&s, 3).duplicate_of, 1U);
    drop(&s);
}

Test(select, one_processor_on_three_platforms)
{
    stock s = {.count = 0};

    add(&s, 0, 0, "Intel(R) Xeon(R) CPU E5-2637 v4 @ 3.50GHz", 0, -1);
    add(&s, 1, 0, "pthread-Intel(R) Xeon(R) CPU E5-2637 v4 @ 3.50GHz", 0, -1);
    add(&s, 2, 0, "Intel(R) Xeon(R) CPU E5-2637 v4 @ 3.50GHz", 0, -1);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 0U);
    cr_expect_eq(look(&s, 0).device_class, WEIR_DEVICE_CPU);
    cr_expect_eq(look(&s, 1).duplicate_of, 0U);
    cr_expect_eq(look(&s, 2).duplicate_of, 0U);
    drop(&s);
}

Test(select, one_processor_with_a_short_name)
{
    stock s = {.count = 0};

    add(&s, 0, 0, "pthread-skylake-avx512-AMD EPYC", 0, -1);
    add(&s, 1, 0, "AMD EPYC", 0, -1);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 0U);
    cr_expect_eq(look(&s, 1).duplicate_of, 0U);
    drop(&s);
}

Test(select, a_rejected_twin_does_not_hide_the_other)
{
    stock s = {.count = 0};

    card(&s, 0, 0, 40, 1500, 8 * GIB);
    card(&s, 1, 0, 40, 1500, 8 * GIB);
    set_bus(s.records[0], 0, 4, 1);
    set_bus(s.records[1], 0, 4, 1);
    wi_record_set_number(s.records[0], WI_PROPERTY_COMPILER_AVAILABLE, 0);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U);
    cr_expect_str_eq(look(&s, 0).rejected, "no compiler");
    drop(&s);
}

Test(select, doubtful_devices_go_behind_the_sound_of_their_class)
{
    stock s = {.count = 0};
    weir_record *broken = card(&s, 0, 0, 80, 1500, 8 * GIB);

    card(&s, 0, 1, 4, 900, 2 * GIB);
    wi_record_set_error(broken, WI_PROPERTY_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, -46);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U);
    cr_expect(warns(&s, "could not build a kernel"));
    wi_record_set_absent(broken, WI_PROPERTY_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 0U);
    made_text(broken, WI_PROPERTY_PROFILE, "EMBEDDED_PROFILE");
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U);
    made_text(broken, WI_PROPERTY_PROFILE, "FULL_PROFILE");
    made_text(broken, WI_PROPERTY_VERSION, "OpenCL 3.0 x");
    wi_record_set_number(broken, WI_PROPERTY_GLOBAL_MEM_SIZE, 243U << 20);
    cr_expect_eq(choose(&s, NULL, NULL, NULL), 1U);
    cr_expect(warns(&s, "memory size is implausible"));
    wi_record_set_number(broken, WI_PROPERTY_MAX_CLOCK_FREQUENCY, 1);
    (void)choose(&s, NULL, NULL, NULL);
    cr_expect(warns(&s, "the clock is unknown"));
    drop(&s);
}

Test(select, the_score_is_the_sum_of_its_terms_and_equal_records_give_equal_choices)
{
    stock s = {.count = 0};
    weir_choice *again = NULL;

    card(&s, 0, 0, 16, 1500, 8 * GIB);
    card(&s, 0, 1, 20, 1500, 4 * GIB);
    add(&s, 1, 0, "llvmpipe (LLVM 15)", MADE_CPU, 1);
    (void)choose(&s, NULL, NULL, NULL);
    cr_assert_eq(weir_select((const weir_record *const *)s.records, s.count, NULL, &again),
                 WEIR_OK);
    cr_expect_str_eq(weir_choice_get_reason(again), weir_choice_get_reason(s.choice));
    for (size_t i = 0; i < s.count; i++) {
        weir_candidate c = look(&s, i);
        weir_term term;
        double sum = 0;

        cr_assert_gt(c.term_count, 0U);
        for (size_t t = 0; t < c.term_count; t++) {
            cr_assert(weir_choice_get_term(s.choice, i, t, &term));
            cr_expect_neq(term.meaning[0], '\0');
            sum += term.weight * term.value;
        }
        cr_expect_eq(sum, c.score);
        cr_expect(!weir_choice_get_term(s.choice, i, c.term_count, &term));
    }
    cr_expect_eq(look(&s, 2).device_class, WEIR_DEVICE_SOFTWARE);
    weir_choice_destroy(again);
    drop(&s);
}

/* "10 000 000" for 1e7. */
static void write_grouped(double number, char out[32])
{
    char plain[32];
    size_t used = 0;
    size_t digits = (size_t)snprintf(plain, sizeof plain, "%.0f", number);

    for (size_t i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0) out[used++] = ' ';
        out[used++] = plain[i];
    }
    out[used] = '\0';
}

Test(select, the_guide_has_the_terms_with_their_weights)
{
    static char guide[65536];
    FILE *file = fopen(WT_DATA_DIR "/../../docs/devices.md", "rb");
    stock s = {.count = 0};
    weir_term term;
    size_t bytes = 0;

    cr_assert_not_null(file);
    bytes = fread(guide, 1, sizeof guide - 1, file);
    guide[bytes] = '\0';
    fclose(file);
    card(&s, 0, 0, 16, 1500, 8 * GIB);
    (void)choose(&s, NULL, NULL, NULL);
    for (size_t t = 0; weir_choice_get_term(s.choice, 0, t, &term); t++) {
        char weight[32];
        char row[96];

        write_grouped(term.weight, weight);
        snprintf(row, sizeof row, "\n| %s | %s | ", term.name, weight);
        cr_expect_not_null(strstr(guide, row), "docs/devices.md lacks %s", row);
    }
    drop(&s);
}
