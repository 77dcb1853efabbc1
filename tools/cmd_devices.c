/* `weir devices`: what is known of every device, live or in a text, for people or as JSON.
 *
 * For people, each device is a table of the facts by which one chooses, with units and what they mean; the JSON has
 * every property. Without a device the reason goes to stderr in one line, and what was looked at to stdout. One
 * thread. */
#include "command.h"
#include "device_json.h"
#include "live.h"
#include "output.h"
#include "table.h"

#include <weir/records.h>
#include <weir/select.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct devices_settings {
    int is_json;
} devices_settings;

static const program_option options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(devices_settings, is_json),
     .help = "one JSON object with every property"},
    {.name = NULL},
};

static void write_text(const weir_property *property, text_table *table)
{
    table_add(table, "%s", property->text);
}

static void write_number(const weir_property *property, text_table *table)
{
    table_add(table, "%" PRIu64, property->number);
}

static void write_bytes(const weir_property *property, text_table *table)
{
    char text[32];

    table_add(table, "%s", output_bytes(property->number, text, sizeof text));
}

static void write_clock(const weir_property *property, text_table *table)
{
    if (property->number <= 1)
        table_add(table, "unknown");
    else
        table_add(table, "%" PRIu64 " MHz", property->number);
}

static void write_align(const weir_property *property, text_table *table)
{
    table_add(table, "%" PRIu64 " bytes", property->number / 8);
}

static void write_yes(const weir_property *property, text_table *table)
{
    table_add(table, property->number != 0 ? "yes" : "no");
}

/* A fact for people: a property, how its value is shown, and what it means. */
static const struct {
    const char *property;
    const char *title;
    void (*write)(const weir_property *property, text_table *table);
    const char *meaning;
} facts[] = {
    {"platform.name", "platform", write_text, "the OpenCL implementation"},
    {"board_name_amd", "board", write_text, "the card's name"},
    {"vendor", "vendor", write_text, "who made the device"},
    {"version", "version", write_text, "of OpenCL"},
    {"driver_version", "driver", write_text, "its version"},
    {"uuid_khr", "uuid", write_text, "may change with the driver's version"},
    {"global_mem_size", "memory", write_bytes, "for all buffers together"},
    {"max_mem_alloc_size", "largest buffer", write_bytes, "no single buffer may be larger"},
    {"local_mem_size", "local memory", write_bytes, "shared by a work-group"},
    {"local_mem_type", "local memory is", write_text,
     "local: on the chip; global: ordinary memory"},
    {"host_unified_memory", "unified memory", write_yes, "whether host and device share it"},
    {"mem_base_addr_align", "alignment", write_align,
     "of buffers; blocks begin at multiples of it"},
    {"max_compute_units", "compute units", write_number, "not comparable between vendors"},
    {"max_clock_frequency", "clock", write_clock, "at most"},
    {"max_work_group_size", "work-group", write_number, "most items of one"},
    {"double_fp_config", "f64", write_yes, "64-bit floating point"},
    {"half_fp_config", "f16", write_yes, "16-bit arithmetic; storing f16 needs no support"},
    {"address_bits", "address bits", write_number, "of the device"},
    {"available", "available", write_yes, "no: the driver lists it, but it cannot be used now"},
    {"compiler_available", "compiler", write_yes, "needed: kernels are compiled at run time"},
    {"kernel_exec_timeout_nv", "watchdog", write_yes,
     "yes: a kernel that runs for seconds is killed"},
};

static const table_column columns[] = {{"FACT", 0}, {"VALUE", 0}, {"MEANING", 0}, {NULL, 0}};

static void add_fact(const weir_record *record, size_t i, text_table *table)
{
    weir_property property;

    if (!weir_record_find(record, facts[i].property, &property)) return;
    if (property.state == WEIR_PROPERTY_ABSENT) return;
    table_add(table, "%s", facts[i].title);
    if (property.state == WEIR_PROPERTY_VALUE)
        facts[i].write(&property, table);
    else if (property.state == WEIR_PROPERTY_NA)
        table_add(table, "no");
    else
        table_add(table, "error -%" PRIu64, property.number);
    table_add(table, "%s", facts[i].meaning);
}

static int print_device(const weir_record *record)
{
    text_table *table = table_create(columns);
    weir_property name;
    char pci[32];

    if (table == NULL) {
        (void)fprintf(stderr, "weir devices: no host memory for a table\n");
        return PROGRAM_FAILED;
    }
    (void)weir_record_find(record, "name", &name);
    (void)printf("%s  %s  %s\n", weir_record_get_index(record),
                 weir_device_class_name(weir_record_get_class(record, NULL)),
                 name.text[0] != '\0' ? name.text : "(no name)");
    if (weir_record_get_pci(record, pci, sizeof pci)[0] != '\0') {
        table_add(table, "pci");
        table_add(table, "%s", pci);
        table_add(table, "where it is plugged in");
    }
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) add_fact(record, i, table);
    table_print(table, stdout, output_has_colours(stdout));
    output_quirks(record);
    table_destroy(table);
    (void)putchar('\n');
    return PROGRAM_OK;
}

static int print_default(const weir_records *devices)
{
    const weir_criteria criteria = WEIR_CRITERIA_INIT;
    size_t count = weir_records_count(devices);
    const weir_record **records = calloc(count + 1, sizeof *records);
    weir_choice *choice = NULL;
    size_t chosen = SIZE_MAX;
    weir_status status = WEIR_E_HOST_MEMORY;

    for (size_t i = 0; i < count && records != NULL; i++) records[i] = weir_records_get(devices, i);
    if (records != NULL) status = weir_select(records, count, &criteria, &choice);
    chosen = weir_choice_get_chosen(choice);
    if (status != WEIR_OK)
        (void)fprintf(stderr, "weir devices: no host memory for a choice\n");
    else if (chosen != SIZE_MAX)
        (void)printf("%s is taken unless --device or WEIR_DEVICE names another: discrete goes "
                     "before integrated, cpu and "
                     "software;\naccelerator and emulator are taken only when named.\n",
                     weir_record_get_index(records[chosen]));
    else
        (void)printf("None is taken unless --device or WEIR_DEVICE names it.\n");
    weir_choice_destroy(choice);
    free(records);
    return status == WEIR_OK ? PROGRAM_OK : PROGRAM_FAILED;
}

static int print_devices(const live_devices *live)
{
    int code = PROGRAM_OK;

    for (size_t i = 0; i < live->count && code == PROGRAM_OK; i++)
        code = print_device(weir_records_get(live->records, i));
    for (size_t i = 0; live_warning(live, i) != NULL; i++)
        (void)printf("note: %s\n", live_warning(live, i));
    return code == PROGRAM_OK ? print_default(live->records) : code;
}

/* The reason on stderr; for people, what was looked at on stdout. */
static int print_none(const live_devices *live, int is_json)
{
    for (size_t i = 0; i < live->dropped && !is_json; i++)
        (void)printf("note: %s\n", live_warning(live, i));
    if (!is_json) (void)fputs(live->explanation, stdout);
    output_usage("weir devices: %s", live->reason);
    return PROGRAM_NO_DEVICE;
}

static int run_live(int is_json)
{
    live_devices live = {0};
    int code = live_read("devices", &live);

    if (code == PROGRAM_OK && is_json) code = output_json(json_incref(live.listing));
    if (code == PROGRAM_OK && live.count == 0)
        code = print_none(&live, is_json);
    else if (code == PROGRAM_OK && !is_json)
        code = print_devices(&live);
    live_dispose(&live);
    return code;
}

static int print_records(const weir_records *records)
{
    const char *source = weir_records_get_source(records);
    int code = PROGRAM_OK;

    for (size_t i = 0; i < weir_records_count(records) && code == PROGRAM_OK; i++)
        code = print_device(weir_records_get(records, i));
    for (size_t i = 0; weir_records_get_warning(records, i) != NULL; i++)
        (void)printf("note: %s\n", weir_records_get_warning(records, i));
    (void)printf("Read from %s (%s).\n", strcmp(source, "-") == 0 ? "standard input" : source,
                 weir_records_get_format(records));
    return code;
}

static int run_text(const char *path, int is_json)
{
    weir_records *records = NULL;
    weir_status status = weir_records_read_file(path, &records);
    int code = PROGRAM_OK;

    if (status != WEIR_OK) {
        output_usage("weir devices: %s%s%s", weir_last_error()->message,
                     weir_last_error()->hint[0] == '\0' ? "" : "; expected ",
                     weir_last_error()->hint);
        return status == WEIR_E_HOST_MEMORY ? PROGRAM_FAILED : PROGRAM_USAGE;
    }
    code = is_json ? output_json(device_json_records(records)) : print_records(records);
    if (code == PROGRAM_OK && weir_records_count(records) == 0) {
        output_usage("weir devices: %s: %s", path, weir_records_get_reason(records));
        code = PROGRAM_NO_DEVICE;
    }
    weir_records_destroy(records);
    return code;
}

static int run(const program_command *self, int argc, char **argv)
{
    devices_settings settings = {0};
    const char **operands = calloc((size_t)argc, sizeof *operands);
    size_t operand_count = 0;
    int code = PROGRAM_FAILED;

    if (operands == NULL) {
        (void)fprintf(stderr, "weir devices: no host memory\n");
        return PROGRAM_FAILED;
    }
    code = option_parse(self, argc, argv, &settings, operands, &operand_count);
    if (code == OPTION_GO_ON)
        code = operand_count > 0 ? run_text(operands[0], settings.is_json)
                                 : run_live(settings.is_json);
    free(operands);
    return code;
}

const program_command command_devices = {
    .name = "devices",
    .summary = "list the OpenCL devices with their facts",
    .operands = "[FILE|-]",
    .operand_max = 1,
    .options = options,
    .details = "FILE is what clinfo (for people, --raw, --json, -l), AMD's clinfo or weir devices "
               "--json printed;\nwithout one the live devices are listed.\n"
               "Exit status: 0 there is a device, 1 failed, 2 bad usage or a text of no known "
               "format, 3 no device (the\nreason is on stderr).\n",
    .run = run,
};
