/* The clinfo of AMD: APP SDK, ROCm, Windows' clinfo.exe.
 *
 * A line is a label, a colon, tabs or blanks, and a value. A platform begins with its profile, a device with its type;
 * the device's name comes near the end of its lines. After the platforms, each is named again before its devices. One
 * thread.
 */
#include "records/label_rows.h"
#include "records/reader.h"

#define PLATFORM_NOT_FOUND (-1001)
#define DEVICE_NOT_FOUND (-1)

/* A platform's lines begin with its profile. A name on its own is the second naming. */
static int read_platform(wi_table *table, const wi_label *label, wi_span value)
{
    wi_builder *b = table->builder;
    weir_property old = {0};

    if (b->current != SIZE_MAX && b->current < b->platform_count)
        weir_record_get(b->platforms[b->current].record, label->id, &old);
    if (label->id == WI_PROPERTY_PLATFORM_PROFILE || old.state != WEIR_PROPERTY_ABSENT)
        wi_builder_begin_platform(b);
    table->section = WI_IN_ANY;
    return wi_label_plain(table, label, value);
}

static int read_device_type(wi_table *table, const wi_label *label, wi_span value)
{
    if (!wi_span_starts(value, "CL_DEVICE_TYPE_")) return 0;
    wi_builder_begin_device(table->builder);
    table->section = WI_IN_ANY;
    return wi_label_plain(table, label, value);
}

/* One of the three lines of work-item sizes; `argument` is its place. Without a line before it the sizes are left out. */
static int read_work_items(wi_table *table, const wi_label *label, wi_span value)
{
    weir_record *record = wi_builder_device(table->builder);
    weir_property sizes;
    uint64_t number = 0;

    if (record == NULL || !wi_span_number(&value, &number) || value.bytes > 0) return 0;
    if (table->line->is_open) return 1;
    weir_record_get(record, label->id, &sizes);
    if (sizes.count != label->argument) {
        weir_record_set_absent(record, label->id);
        return 0;
    }
    sizes.numbers[sizes.count] = number;
    weir_record_set_numbers(record, label->id, sizes.numbers, sizes.count + 1);
    return 1;
}

static int read_endian(wi_table *table, const wi_label *label, wi_span value)
{
    if (!wi_span_is(value, "Little") && !wi_span_is(value, "Big")) return 0;
    wi_builder_set_number(table->builder, label->id, (uint64_t)wi_span_is(value, "Little"),
                          table->line);
    return 1;
}

#define PLATFORM(Label, Id) WI_ROW_READ(Label, read_platform, Id, 0)
#define VECTORS(Label, Type)                                                \
    WI_ROW("Preferred vector width " Label, PREFERRED_VECTOR_WIDTH_##Type), \
        WI_ROW("Native vector width " Label, NATIVE_VECTOR_WIDTH_##Type)
#define FP_BITS(Section, Id)                                                         \
    WI_ROW_BIT(Section, "Denorms", Id, 0), WI_ROW_BIT(Section, "Quiet NaNs", Id, 1), \
        WI_ROW_BIT(Section, "Round to nearest even", Id, 2),                         \
        WI_ROW_BIT(Section, "Round to zero", Id, 3),                                 \
        WI_ROW_BIT(Section, "Round to +ve and infinity", Id, 4),                     \
        WI_ROW_BIT(Section, "IEEE754-2008 fused multiply-add", Id, 5)

/* clang-format off */
static const wi_label labels[] = {
    WI_ROW_READ("Number of platforms", wi_label_platform_count, NAME, 0),
    WI_ROW_READ("Number of devices", wi_label_device_count, NAME, 0),
    PLATFORM("Platform Profile", PLATFORM_PROFILE),
    PLATFORM("Platform Version", PLATFORM_VERSION),
    PLATFORM("Platform Name", PLATFORM_NAME),
    PLATFORM("Platform Vendor", PLATFORM_VENDOR),
    PLATFORM("Platform Extensions", PLATFORM_EXTENSIONS),
    WI_ROW_READ("Device Type", read_device_type, TYPE, 0),
    WI_ROW("Vendor ID", VENDOR_ID),
    WI_ROW("Device ID", VENDOR_ID),
    WI_ROW("Board name", BOARD_NAME_AMD),
    WI_ROW("Device Topology", TOPOLOGY_AMD),
    WI_ROW("Max compute units", MAX_COMPUTE_UNITS),
    WI_ROW("Max work items dimensions", MAX_WORK_ITEM_DIMENSIONS),
    WI_ROW_READ("Max work items[0]", read_work_items, MAX_WORK_ITEM_SIZES, 0),
    WI_ROW_READ("Max work items[1]", read_work_items, MAX_WORK_ITEM_SIZES, 1),
    WI_ROW_READ("Max work items[2]", read_work_items, MAX_WORK_ITEM_SIZES, 2),
    WI_ROW("Max work group size", MAX_WORK_GROUP_SIZE),
    WI_VECTOR_TYPES(VECTORS),
    WI_ROW("Max clock frequency", MAX_CLOCK_FREQUENCY),
    WI_ROW("Address bits", ADDRESS_BITS),
    WI_ROW("Max memory allocation", MAX_MEM_ALLOC_SIZE),
    WI_ROW("Image support", IMAGE_SUPPORT),
    WI_ROW("Max number of images read arguments", MAX_READ_IMAGE_ARGS),
    WI_ROW("Max number of images write arguments", MAX_WRITE_IMAGE_ARGS),
    WI_ROW("Max image 2D width", IMAGE2D_MAX_WIDTH),
    WI_ROW("Max image 2D height", IMAGE2D_MAX_HEIGHT),
    WI_ROW("Max image 3D width", IMAGE3D_MAX_WIDTH),
    WI_ROW("Max image 3D height", IMAGE3D_MAX_HEIGHT),
    WI_ROW("Max image 3D depth", IMAGE3D_MAX_DEPTH),
    WI_ROW("Max samplers within kernel", MAX_SAMPLERS),
    WI_ROW("Max size of kernel argument", MAX_PARAMETER_SIZE),
    WI_ROW("Alignment (bits) of base address", MEM_BASE_ADDR_ALIGN),
    WI_ROW("Minimum alignment (bytes) for any datatype", MIN_DATA_TYPE_ALIGN_SIZE),
    WI_ROW_FLAGS("Half precision floating point capability", HALF_FP_CONFIG, WI_IN_HALF),
    WI_ROW_FLAGS("Single precision floating point capability", SINGLE_FP_CONFIG, WI_IN_SINGLE),
    WI_ROW_FLAGS("Double precision floating point capability", DOUBLE_FP_CONFIG, WI_IN_DOUBLE),
    WI_FP_TYPES(FP_BITS),
    WI_ROW("Cache type", GLOBAL_MEM_CACHE_TYPE),
    WI_ROW("Cache line size", GLOBAL_MEM_CACHELINE_SIZE),
    WI_ROW("Cache size", GLOBAL_MEM_CACHE_SIZE),
    WI_ROW("Global memory size", GLOBAL_MEM_SIZE),
    WI_ROW("Constant buffer size", MAX_CONSTANT_BUFFER_SIZE),
    WI_ROW("Max number of constant args", MAX_CONSTANT_ARGS),
    WI_ROW("Local memory type", LOCAL_MEM_TYPE),
    WI_ROW("Local memory size", LOCAL_MEM_SIZE),
    WI_ROW("Max global variable size", MAX_GLOBAL_VARIABLE_SIZE),
    WI_ROW("Max global variable preferred total size", GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE),
    WI_ROW_FLAGS("SVM capabilities", SVM_CAPABILITIES, WI_IN_SVM),
    WI_ROW_BIT(WI_IN_SVM, "Coarse grain buffer", SVM_CAPABILITIES, 0),
    WI_ROW_BIT(WI_IN_SVM, "Fine grain buffer", SVM_CAPABILITIES, 1),
    WI_ROW_BIT(WI_IN_SVM, "Fine grain system", SVM_CAPABILITIES, 2),
    WI_ROW_BIT(WI_IN_SVM, "Atomics", SVM_CAPABILITIES, 3),
    WI_ROW("Kernel Preferred work group size multiple", KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    WI_ROW("Error correction support", ERROR_CORRECTION_SUPPORT),
    WI_ROW("Unified memory for Host and Device", HOST_UNIFIED_MEMORY),
    WI_ROW("Profiling timer resolution", PROFILING_TIMER_RESOLUTION),
    WI_ROW_READ("Device endianess", read_endian, ENDIAN_LITTLE, 0),
    WI_ROW_READ("Device endianness", read_endian, ENDIAN_LITTLE, 0),
    WI_ROW("Available", AVAILABLE),
    WI_ROW("Compiler available", COMPILER_AVAILABLE),
    WI_ROW_FLAGS("Execution capabilities", EXECUTION_CAPABILITIES, WI_IN_EXECUTION),
    WI_ROW_BIT(WI_IN_EXECUTION, "Execute OpenCL kernels", EXECUTION_CAPABILITIES, 0),
    WI_ROW_BIT(WI_IN_EXECUTION, "Execute native function", EXECUTION_CAPABILITIES, 1),
    WI_ROW_FLAGS("Queue properties", QUEUE_PROPERTIES, WI_IN_QUEUE),
    WI_ROW_FLAGS("Queue on Host properties", QUEUE_PROPERTIES, WI_IN_QUEUE),
    WI_ROW_FLAGS("Queue on Device properties", QUEUE_ON_DEVICE_PROPERTIES, WI_IN_QUEUE_ON_DEVICE),
    WI_ROW_BIT(WI_IN_QUEUE, "Out-of-Order", QUEUE_PROPERTIES, 0),
    WI_ROW_BIT(WI_IN_QUEUE, "Profiling", QUEUE_PROPERTIES, 1),
    WI_ROW_BIT(WI_IN_QUEUE_ON_DEVICE, "Out-of-Order", QUEUE_ON_DEVICE_PROPERTIES, 0),
    WI_ROW_BIT(WI_IN_QUEUE_ON_DEVICE, "Profiling", QUEUE_ON_DEVICE_PROPERTIES, 1),
    WI_ROW("Name", NAME),
    WI_ROW("Vendor", VENDOR),
    WI_ROW("Device OpenCL C version", OPENCL_C_VERSION),
    WI_ROW("Driver version", DRIVER_VERSION),
    WI_ROW("Profile", PROFILE),
    WI_ROW("Version", VERSION),
    WI_ROW("Extensions", EXTENSIONS),
};
/* clang-format on */

void wi_amd_index(wi_label_index *index)
{
    wi_label_index_make(index, labels, sizeof labels / sizeof labels[0]);
}

/* The label ends at a colon before a blank or the line's end; headings of floating-point lines have none. */
static const wi_label *find(const wi_label_index *index, wi_span text, wi_section section,
                            wi_span *value)
{
    size_t colon = wi_span_find_byte(text, ':');
    wi_span label = {text.at, colon};

    *value = wi_span_trim(wi_span_skip(text, colon + 1));
    if (colon < text.bytes && colon + 1 < text.bytes && text.at[colon + 1] != ' ' &&
        text.at[colon + 1] != '\t')
        return NULL;
    return wi_label_find(index, wi_span_trim(label), section);
}

/* A line that reports a failed call, as "ERROR: NAME(-1)": the code behind `call`; 0 if the line is something else. */
static int error_of(wi_span text, const char *call)
{
    wi_span rest = wi_span_skip(text, sizeof "ERROR: " - 1);
    uint64_t number = 0;

    if (!wi_span_starts(text, "ERROR: ") || !wi_span_starts(rest, call)) return 0;
    rest = wi_span_skip(rest, wi_span_find(rest, "(-") + 2);
    if (!wi_span_number(&rest, &number) || number > 100000) return 0;
    return wi_span_starts(rest, ")") ? -(int)number : 0;
}

int wi_amd_knows(const wi_label_index *index, const wi_line *line)
{
    wi_span value;
    wi_span rest;
    uint64_t number = 0;
    const wi_label *found = find(index, line->text, WI_IN_ANY, &value);

    if (error_of(line->text, "clGetPlatformIDs") != 0 ||
        error_of(line->text, "clGetDeviceIDs") != 0)
        return 2;
    if (found == NULL || value.bytes == 0) return 0;
    rest = value;
    if (wi_label_is_count(found)) return wi_span_number(&rest, &number) ? 2 : 0;
    if (found->read == read_device_type) return wi_span_starts(value, "CL_DEVICE_TYPE_") ? 2 : 0;
    if (found->read == read_platform) return 2;
    /* Name, Vendor, Version and the like stand in many texts. */
    return wi_span_find_byte(line->text, ' ') < wi_span_find_byte(line->text, ':');
}

static int read_error(wi_builder *builder, const wi_line *line)
{
    int platforms = error_of(line->text, "clGetPlatformIDs");
    int devices = error_of(line->text, "clGetDeviceIDs");

    if (platforms == 0 && devices == 0) return 0;
    if (platforms == PLATFORM_NOT_FOUND) {
        wi_builder_announce_platforms(builder, 0);
    } else if (devices == DEVICE_NOT_FOUND) {
        wi_builder_announce_devices(builder, 0);
    } else {
        char quote[WI_QUOTE_BYTES];

        wi_note(&builder->notes, "line %zu: the driver failed: \"%s\"", line->number,
                wi_span_quote(line->text, quote));
        if (platforms == 0) wi_builder_announce_devices(builder, 0);
        builder->is_cut = 1;
    }
    return 1;
}

void wi_amd_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                 wi_builder *builder)
{
    wi_table table = {builder, WI_IN_ANY, NULL};
    wi_cursor cursor = {part.from, part.line};
    wi_line line;

    while (builder->status == WEIR_OK && wi_lines_next(lines, part.to, &cursor, &line)) {
        wi_span value;
        const wi_label *found = NULL;

        if (line.text.bytes == 0) continue;
        if (wi_span_starts(line.text, "NULL platform behavior")) break;
        if (read_error(builder, &line)) continue;
        found = find(&readers->amd, line.text, table.section, &value);
        table.line = &line;
        if (found != NULL) {
            wi_label_take(&table, found, value);
        } else if (!wi_span_is_plain(line.text)) {
            /* A damaged row, perhaps a bit or a heading. */
            wi_builder_spoil_flags(builder, &line);
            table.section = WI_IN_OTHER;
        } else if (wi_span_find_byte(line.text, ':') == line.text.bytes &&
                   !wi_builder_is_death(builder, &line)) {
            wi_builder_odd_line(builder, &line);
        }
    }
    wi_builder_finish(builder);
}
