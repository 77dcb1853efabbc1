/* Selectors: the grammar, and choices from made-up records. */
#include "device/selector.h"
#include "made_record.h"

#include <weir/status.h>

TestSuite(selector, .timeout = 120);

#define COUNT 8

static weir_record *machine[COUNT];

/* A machine with one of everything. */
static void make_machine(void)
{
    const uint64_t khr[4] = {1, 0x41, 0, 0};
    const uint64_t amd[3] = {3, 0, 0};

    machine[0] = made_record(0, 0, "Intel(R) FPGA Emulation Device", MADE_ACCELERATOR, 1);
    machine[1] = made_record(1, 0, "pthread-haswell", MADE_CPU, 1);
    machine[2] = made_record(2, 0, "Intel(R) UHD Graphics 770", MADE_GPU, 1);
    machine[3] = made_record(3, 0, "NVIDIA GeForce RTX 3090", MADE_GPU, 0);
    machine[4] = made_record(3, 1, "NVIDIA GeForce RTX 3090", MADE_GPU, 0);
    machine[5] = made_record(4, 0, "gfx803", MADE_GPU, 0);
    machine[6] = made_record(5, 0, "llvmpipe (LLVM 15.0.6, 256 bits)", MADE_CPU, 1);
    machine[7] = made_record(12, 10, "Oclgrind Simulator", MADE_CPU, 1);
    wi_record_set_number(machine[3], WI_PROPERTY_PCI_BUS_ID_NV, 1);
    wi_record_set_number(machine[3], WI_PROPERTY_PCI_SLOT_ID_NV, 2 << 3 | 1);
    wi_record_set_numbers(machine[4], WI_PROPERTY_PCI_BUS_INFO_KHR, khr, 4);
    wi_record_set_numbers(machine[5], WI_PROPERTY_TOPOLOGY_AMD, amd, 3);
    made_text(machine[5], WI_PROPERTY_BOARD_NAME_AMD, "Radeon RX 580");
    made_text(machine[4], WI_PROPERTY_UUID_KHR, "8680a056-0800-0000-0300-0000000000ff");
    made_text(machine[7], WI_PROPERTY_PLATFORM_NAME, "Oclgrind");
}

static void drop_machine(void)
{
    for (size_t i = 0; i < COUNT; i++) wi_record_destroy(machine[i]);
}

/* Index into the machine; COUNT: no match. Asserts that the text is well formed. */
static size_t choose(const char *text)
{
    wi_selector selector;

    cr_assert_eq(wi_selector_parse(text, &selector), WEIR_OK, "%s: %s", text,
                 weir_last_error()->message);
    return wi_selector_choose(&selector, (const weir_record *const *)machine, COUNT);
}

Test(selector, chooses_by_every_form)
{
    static const struct {
        const char *text;
        size_t expected;
    } rows[] = {
        {NULL, 3},
        {"0.0", 0},
        {"1.0", 1},
        {"3.1", 4},
        {"03.01", 4},
        {"12.10", 7},
        {"3.2", COUNT},
        {"9.0", COUNT},
        {"pci=0000:01:02.1", 3},
        {"pci=01:02.1", 3},
        {"pci=0001:41:00.0", 4},
        {"pci=0000:41:00.0", COUNT},
        {"pci=0000:03:00.0", 5},
        {"uuid=8680a056-0800-0000-0300-0000000000ff", 4},
        {"uuid=8680A0560800000003000000000000FF", 4},
        {"uuid=8680a056-0800-0000-0300-0000000000fe", COUNT},
        {"name~rtx 3090", 3},
        {"name~3090", 3},
        {"name~uhd", 2},
        {"name~radeon", 5},
        {"name~ ", 3},
        {"name~oclgrind", 7},
        {"name~emulation", 0},
        {"name~voodoo", COUNT},
        {"type=gpu", 3},
        {"type=cpu", 1},
        {"type=accelerator", COUNT},
    };

    make_machine();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t found = choose(rows[i].text);
        cr_assert_eq(found, rows[i].expected, "%s gives %zu, expected %zu",
                     rows[i].text == NULL ? "NULL" : rows[i].text, found, rows[i].expected);
    }
    drop_machine();
}

Test(selector, calls_malformed_texts_malformed)
{
    static const char *const texts[] = {
        "",
        "0",
        "0.",
        ".0",
        "0.0.0",
        "0.0 ",
        " 0.0",
        "-1.0",
        "+1.0",
        "0,0",
        "1.x",
        "gpu",
        "cpu",
        "type=",
        "type=GPU",
        "type=fpga",
        "type=gpu ",
        "name~",
        "name=x",
        "Name~x",
        "pci=",
        "pci=1",
        "pci=01:00",
        "pci=01:00.8",
        "pci=01:20.0",
        "pci=100:00.0",
        "pci=0000:01:00.0x",
        "pci=0000:0g:00.0",
        "pci=:01:00.0",
        "uuid=",
        "uuid=8680a056",
        "uuid=8680a056-0800-0000-0300-0000000000f",
        "uuid=8680a056-0800-0000-0300-0000000000ff0",
        "uuid=8680a056-0800-0000-0300-0000000000fg",
        "uuid=-8680a056-0800-0000-0300-0000000000ff",
        "uuid=8680a056-0800-0000-0300-0000000000ff-",
        "99999999999.0",
        "0.99999999999",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        wi_selector selector;

        weir_last_error_reset();
        cr_assert_eq(wi_selector_parse(texts[i], &selector), WEIR_E_ARG, "\"%s\" was accepted",
                     texts[i]);
        cr_assert_eq(weir_last_error()->status, WEIR_E_ARG);
        cr_assert_not_null(strstr(weir_last_error()->hint, "type=gpu|cpu|accelerator"));
        cr_assert_eq(selector.kind, WI_SELECT_BEST);
    }
}

Test(selector, prefers_the_best_class_then_the_lowest_index)
{
    static const size_t order[] = {3, 4, 5, 2, 1, 6};
    const weir_record *left[COUNT];

    make_machine();
    for (size_t i = 0; i < COUNT; i++) left[i] = machine[i];
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const wi_selector best = {.kind = WI_SELECT_BEST};
        size_t found = wi_selector_choose(&best, left, COUNT);

        cr_assert_eq(found, order[i], "choice %zu is %zu", i, found);
        left[found] = machine[7]; /* gone: an emulator is never taken by default */
    }
    drop_machine();
}

Test(selector, orders_indices_as_numbers_whatever_the_order_of_the_list)
{
    weir_record *a = made_record(10, 0, "twin", MADE_GPU, 0);
    weir_record *b = made_record(9, 1, "twin", MADE_GPU, 0);
    weir_record *c = made_record(9, 0, "twin", MADE_GPU, 0);
    const weir_record *list[] = {a, b, c};
    wi_selector selector;

    cr_assert_eq(wi_selector_parse("name~twin", &selector), WEIR_OK);
    cr_assert_eq(wi_selector_choose(&selector, list, 3), 2U);
    cr_assert_eq(wi_selector_choose(&selector, list, 2), 1U);
    cr_assert_eq(wi_selector_choose(&selector, list, 0), 0U);
    wi_record_destroy(a);
    wi_record_destroy(b);
    wi_record_destroy(c);
}

Test(selector, takes_accelerators_and_emulators_only_when_named)
{
    const weir_record *only[1];
    wi_selector selector;

    make_machine();
    only[0] = machine[7];
    cr_assert_eq(wi_selector_parse(NULL, &selector), WEIR_OK);
    cr_assert_eq(wi_selector_choose(&selector, only, 1), 1U);
    cr_assert_eq(wi_selector_parse("type=cpu", &selector), WEIR_OK);
    cr_assert_eq(wi_selector_choose(&selector, only, 1), 1U);
    cr_assert_eq(wi_selector_parse("12.10", &selector), WEIR_OK);
    cr_assert_eq(wi_selector_choose(&selector, only, 1), 0U);
    cr_assert_eq(wi_selector_parse("name~sim", &selector), WEIR_OK);
    cr_assert_eq(wi_selector_choose(&selector, only, 1), 0U);
    drop_machine();
}

Test(selector, passes_over_devices_that_cannot_be_used)
{
    make_machine();
    wi_record_set_number(machine[3], WI_PROPERTY_COMPILER_AVAILABLE, 0);
    cr_assert_eq(choose(NULL), 4U);
    cr_assert_eq(choose("name~3090"), 4U);
    cr_assert_eq(choose("type=gpu"), 4U);
    cr_assert_eq(choose("3.0"), 3U);
    cr_assert_eq(choose("pci=0000:01:02.1"), 3U);
    drop_machine();
}

Test(selector, lists_records_for_people)
{
    weir_text *text = NULL;

    make_machine();
    wi_record_set_number(machine[1], WI_PROPERTY_AVAILABLE, 0);
    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    wi_selector_list((const weir_record *const *)machine, COUNT, "; ", text);
    cr_assert_not_null(strstr(weir_text_get(text), "3.1 discrete NVIDIA GeForce RTX 3090"));
    cr_assert_not_null(strstr(weir_text_get(text), "1.0 cpu pthread-haswell (), not available"));
    cr_assert_not_null(
        strstr(weir_text_get(text), "12.10 emulator Oclgrind Simulator (Oclgrind), only if named"));
    weir_text_destroy(text);
    drop_machine();
}
