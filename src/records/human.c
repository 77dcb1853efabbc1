/* clinfo's human output, from 2014 on.
 *
 * A line is a label, two blanks or more, and a value; a longer label pushes its value to the right, so labels are found
 * by their text and never by a column. Generations differ in the order of lines and in a few labels, which are rows of
 * their own. Lines below a heading mean different things below another one. One thread.
 */
#include "records/reader.h"

#define CONTINUATION_INDENT 30 /* blanks before further values of a list */

static int read_platform_name(wi_table *table, const wi_label *label, wi_span value)
{
    wi_builder_begin_platform(table->builder);
    table->section = WI_IN_ANY;
    return wi_label_plain(table, label, value);
}

static int read_device_name(wi_table *table, const wi_label *label, wi_span value)
{
    wi_builder_begin_device(table->builder);
    table->section = WI_IN_ANY;
    return wi_label_plain(table, label, value);
}

/* "64, Little-Endian" */
static int read_address_bits(wi_table *table, const wi_label *label, wi_span value)
{
    size_t comma = wi_span_find_byte(value, ',');
    wi_span bits = {value.at, comma};
    wi_span order = wi_span_trim(wi_span_skip(value, comma + 1));

    if (wi_span_is(order, "Little-Endian") || wi_span_is(order, "Big-Endian"))
        wi_builder_set_number(table->builder, WI_PROPERTY_ENDIAN_LITTLE,
                              (uint64_t)wi_span_is(order, "Little-Endian"), table->line);
    (void)wi_builder_set(table->builder, label->id, bits, table->line);
    return 1;
}

/* "7.5", "16 / 16   (n/a)": two properties, the second is label->argument. */
static int read_pair(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t first = 0;
    uint64_t second = 0;
    int code = 0;

    if (wi_span_starts(value, "<") && wi_value_error(value, &code))
        return wi_builder_set(table->builder, label->id, value, table->line);
    if (!wi_span_number(&value, &first)) return 0;
    value = wi_span_trim(value);
    if (!wi_span_starts(value, "/") && !wi_span_starts(value, ".")) return 0;
    value = wi_span_trim(wi_span_skip(value, 1));
    if (!wi_span_number(&value, &second)) return 0;
    if (value.bytes == 0 && table->line->is_open) return 1;
    wi_builder_set_number(table->builder, label->id, first, table->line);
    wi_builder_set_number(table->builder, (wi_property_id)label->argument, second, table->line);
    return 1;
}

/* "16384x16384 pixels": as many properties as label->argument says, one behind the other in the table. */
static int read_extents(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t numbers[3] = {0};
    size_t pixels = wi_span_find(value, " pixels");
    wi_span text = {value.at, pixels};

    if (pixels == value.bytes && table->line->is_open) return 1;
    if (wi_value_numbers(text, numbers, 3) != label->argument) return 0;
    for (unsigned i = 0; i < label->argument; i++)
        wi_builder_set_number(table->builder, (wi_property_id)(label->id + i), numbers[i],
                              table->line);
    return 1;
}

/* NVIDIA's slot has device and function in one number. */
static int read_topology_nv(wi_table *table, const wi_label *label, wi_span value)
{
    uint64_t pci[4];
    int kind = wi_value_pci(value, pci);

    (void)label;
    if (kind == 0) return 0;
    if (kind == 2)
        wi_builder_set_number(table->builder, WI_PROPERTY_PCI_DOMAIN_ID_NV, pci[0], table->line);
    wi_builder_set_number(table->builder, WI_PROPERTY_PCI_BUS_ID_NV, pci[1], table->line);
    wi_builder_set_number(table->builder, WI_PROPERTY_PCI_SLOT_ID_NV, pci[2] << 3 | pci[3],
                          table->line);
    return 1;
}

#define P(Id) WI_PROPERTY_##Id
#define ROW(Label, Id)                             \
    {                                              \
        WI_IN_ANY, Label, wi_label_plain, P(Id), 0 \
    }
#define NOTHING(Label)                                 \
    {                                                  \
        WI_IN_ANY, Label, wi_label_nothing, P(NAME), 0 \
    }
#define HEADING(Label)                                           \
    {                                                            \
        WI_IN_ANY, Label, wi_label_heading, P(NAME), WI_IN_OTHER \
    }
#define FLAGS(Label, Id, Section)                        \
    {                                                    \
        WI_IN_ANY, Label, wi_label_flags, P(Id), Section \
    }
#define BIT(Section, Label, Id, Bit)             \
    {                                            \
        Section, Label, wi_label_bit, P(Id), Bit \
    }
#define VECTORS(Label, Type)                                               \
    {                                                                      \
        WI_IN_VECTORS, Label, read_pair, P(PREFERRED_VECTOR_WIDTH_##Type), \
            P(NATIVE_VECTOR_WIDTH_##Type)                                  \
    }
#define FP_BITS(Section, Id)                                                           \
    BIT(Section, "Denormals", Id, 0), BIT(Section, "Infinity and NANs", Id, 1),        \
        BIT(Section, "Round to nearest", Id, 2), BIT(Section, "Round to zero", Id, 3), \
        BIT(Section, "Round to infinity", Id, 4),                                      \
        BIT(Section, "IEEE754-2008 fused multiply-add", Id, 5),                        \
        BIT(Section, "Support is emulated in software", Id, 6),                        \
        BIT(Section, "Correctly-rounded divide and sqrt operations", Id, 7)

/* clang-format off */
static const wi_label labels[] = {
    {WI_IN_ANY, "Number of platforms", wi_label_platform_count, P(NAME), 0},
    {WI_IN_ANY, "Number of devices", wi_label_device_count, P(NAME), 0},
    {WI_IN_ANY, "Platform Name", read_platform_name, P(PLATFORM_NAME), 0},
    ROW("Platform Vendor", PLATFORM_VENDOR),
    ROW("Platform Version", PLATFORM_VERSION),
    ROW("Platform Profile", PLATFORM_PROFILE),
    ROW("Platform Extensions", PLATFORM_EXTENSIONS),
    NOTHING("Platform Extensions with Version"),
    ROW("Platform Numeric Version", PLATFORM_NUMERIC_VERSION),
    ROW("Platform Extensions function suffix", PLATFORM_ICD_SUFFIX_KHR),
    ROW("Platform Host timer resolution", PLATFORM_HOST_TIMER_RESOLUTION),
    {WI_IN_ANY, "Device Name", read_device_name, P(NAME), 0},
    ROW("Device Vendor", VENDOR),
    ROW("Device Vendor ID", VENDOR_ID),
    ROW("Device Version", VERSION),
    ROW("Device UUID", UUID_KHR),
    ROW("Driver UUID", DRIVER_UUID_KHR),
    ROW("Valid Device LUID", LUID_VALID_KHR),
    ROW("Device LUID", LUID_KHR),
    ROW("Device Numeric Version", NUMERIC_VERSION),
    ROW("Driver Version", DRIVER_VERSION),
    ROW("Device OpenCL C Version", OPENCL_C_VERSION),
    NOTHING("Device OpenCL C Numeric Version"),
    NOTHING("Device OpenCL C all versions"),
    NOTHING("Device OpenCL C features"),
    ROW("Latest conformance test passed", LATEST_CONFORMANCE_VERSION_PASSED),
    ROW("Latest comfornace test passed", LATEST_CONFORMANCE_VERSION_PASSED),
    ROW("Device Type", TYPE),
    ROW("Device Board Name (AMD)", BOARD_NAME_AMD),
    {WI_IN_ANY, "Device Topology (NV)", read_topology_nv, P(NAME), 0},
    ROW("Device Topology (AMD)", TOPOLOGY_AMD),
    ROW("Device PCI bus info (KHR)", PCI_BUS_INFO_KHR),
    ROW("Device Profile", PROFILE),
    ROW("Device Available", AVAILABLE),
    ROW("Compiler Available", COMPILER_AVAILABLE),
    ROW("Linker Available", LINKER_AVAILABLE),
    ROW("Max compute units", MAX_COMPUTE_UNITS),
    ROW("Max clock frequency", MAX_CLOCK_FREQUENCY),
    {WI_IN_ANY, "Compute Capability (NV)", read_pair, P(COMPUTE_CAPABILITY_MAJOR_NV), P(COMPUTE_CAPABILITY_MINOR_NV)},
    {WI_IN_ANY, "Graphics IP (AMD)", read_pair, P(GFXIP_MAJOR_AMD), P(GFXIP_MINOR_AMD)},
    ROW("SIMD per compute unit (AMD)", SIMD_PER_COMPUTE_UNIT_AMD),
    ROW("Wavefront width (AMD)", WAVEFRONT_WIDTH_AMD),
    ROW("Device IP (Intel)", IP_VERSION_INTEL),
    ROW("Device ID (Intel)", ID_INTEL),
    HEADING("Device Partition"),
    ROW("Max number of sub-devices", PARTITION_MAX_SUB_DEVICES),
    ROW("Supported affinity domains", PARTITION_AFFINITY_DOMAIN),
    ROW("Max work item dimensions", MAX_WORK_ITEM_DIMENSIONS),
    ROW("Max work item sizes", MAX_WORK_ITEM_SIZES),
    ROW("Max work group size", MAX_WORK_GROUP_SIZE),
    ROW("Preferred work group size multiple", KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    ROW("Preferred work group size multiple (kernel)", KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    ROW("Preferred work group size multiple (device)", PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    ROW("Warp size (NV)", WARP_SIZE_NV),
    ROW("Max sub-groups per work group", MAX_NUM_SUB_GROUPS),
    {WI_IN_ANY, "Preferred / native vector sizes", wi_label_heading, P(NAME), WI_IN_VECTORS},
    VECTORS("char", CHAR),
    VECTORS("short", SHORT),
    VECTORS("int", INT),
    VECTORS("long", LONG),
    VECTORS("half", HALF),
    VECTORS("float", FLOAT),
    VECTORS("double", DOUBLE),
    FLAGS("Half-precision Floating-point support", HALF_FP_CONFIG, WI_IN_HALF),
    FLAGS("Single-precision Floating-point support", SINGLE_FP_CONFIG, WI_IN_SINGLE),
    FLAGS("Double-precision Floating-point support", DOUBLE_FP_CONFIG, WI_IN_DOUBLE),
    FP_BITS(WI_IN_HALF, HALF_FP_CONFIG),
    FP_BITS(WI_IN_SINGLE, SINGLE_FP_CONFIG),
    FP_BITS(WI_IN_DOUBLE, DOUBLE_FP_CONFIG),
    {WI_IN_ANY, "Address bits", read_address_bits, P(ADDRESS_BITS), 0},
    ROW("Global memory size", GLOBAL_MEM_SIZE),
    ROW("Global free memory (AMD)", GLOBAL_FREE_MEMORY_AMD),
    ROW("Error Correction support", ERROR_CORRECTION_SUPPORT),
    ROW("Max memory allocation", MAX_MEM_ALLOC_SIZE),
    ROW("Unified memory for Host and Device", HOST_UNIFIED_MEMORY),
    ROW("Integrated memory (NV)", INTEGRATED_MEMORY_NV),
    FLAGS("Shared Virtual Memory (SVM) capabilities", SVM_CAPABILITIES, WI_IN_SVM),
    BIT(WI_IN_SVM, "Coarse-grained buffer sharing", SVM_CAPABILITIES, 0),
    BIT(WI_IN_SVM, "Fine-grained buffer sharing", SVM_CAPABILITIES, 1),
    BIT(WI_IN_SVM, "Fine-grained system sharing", SVM_CAPABILITIES, 2),
    BIT(WI_IN_SVM, "Atomics", SVM_CAPABILITIES, 3),
    ROW("Minimum alignment for any data type", MIN_DATA_TYPE_ALIGN_SIZE),
    ROW("Alignment of base address", MEM_BASE_ADDR_ALIGN),
    HEADING("Preferred alignment for atomics"),
    ROW("Atomic memory capabilities", ATOMIC_MEMORY_CAPABILITIES),
    ROW("Atomic fence capabilities", ATOMIC_FENCE_CAPABILITIES),
    ROW("Max size for global variable", MAX_GLOBAL_VARIABLE_SIZE),
    ROW("Preferred total size of global vars", GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE),
    ROW("Global Memory cache type", GLOBAL_MEM_CACHE_TYPE),
    ROW("Global Memory cache size", GLOBAL_MEM_CACHE_SIZE),
    ROW("Global Memory cache line", GLOBAL_MEM_CACHELINE_SIZE),
    ROW("Global Memory cache line size", GLOBAL_MEM_CACHELINE_SIZE),
    ROW("Image support", IMAGE_SUPPORT),
    ROW("Max number of samplers per kernel", MAX_SAMPLERS),
    ROW("Max size for 1D images from buffer", IMAGE_MAX_BUFFER_SIZE),
    ROW("Max 1D or 2D image array size", IMAGE_MAX_ARRAY_SIZE),
    {WI_IN_ANY, "Max 2D image size", read_extents, P(IMAGE2D_MAX_WIDTH), 2},
    {WI_IN_ANY, "Max 3D image size", read_extents, P(IMAGE3D_MAX_WIDTH), 3},
    ROW("Max number of read image args", MAX_READ_IMAGE_ARGS),
    ROW("Max number of write image args", MAX_WRITE_IMAGE_ARGS),
    ROW("Local memory type", LOCAL_MEM_TYPE),
    ROW("Local memory size", LOCAL_MEM_SIZE),
    ROW("Max number of constant args", MAX_CONSTANT_ARGS),
    ROW("Max constant buffer size", MAX_CONSTANT_BUFFER_SIZE),
    ROW("Generic address space support", GENERIC_ADDRESS_SPACE_SUPPORT),
    ROW("Max size of kernel argument", MAX_PARAMETER_SIZE),
    FLAGS("Queue properties", QUEUE_PROPERTIES, WI_IN_QUEUE),
    FLAGS("Queue properties (on host)", QUEUE_PROPERTIES, WI_IN_QUEUE),
    FLAGS("Queue properties (on device)", QUEUE_ON_DEVICE_PROPERTIES, WI_IN_QUEUE_ON_DEVICE),
    HEADING("Required queue properties for command buffer"),
    BIT(WI_IN_QUEUE, "Out-of-order execution", QUEUE_PROPERTIES, 0),
    BIT(WI_IN_QUEUE, "Profiling", QUEUE_PROPERTIES, 1),
    BIT(WI_IN_QUEUE_ON_DEVICE, "Out-of-order execution", QUEUE_ON_DEVICE_PROPERTIES, 0),
    BIT(WI_IN_QUEUE_ON_DEVICE, "Profiling", QUEUE_ON_DEVICE_PROPERTIES, 1),
    ROW("Device enqueue capabilities", DEVICE_ENQUEUE_CAPABILITIES),
    ROW("Prefer user sync for interop", PREFERRED_INTEROP_USER_SYNC),
    ROW("Profiling timer resolution", PROFILING_TIMER_RESOLUTION),
    FLAGS("Execution capabilities", EXECUTION_CAPABILITIES, WI_IN_EXECUTION),
    BIT(WI_IN_EXECUTION, "Run OpenCL kernels", EXECUTION_CAPABILITIES, 0),
    BIT(WI_IN_EXECUTION, "Run native kernels", EXECUTION_CAPABILITIES, 1),
    ROW("Non-uniform work-groups", NON_UNIFORM_WORK_GROUP_SUPPORT),
    ROW("Kernel execution timeout (NV)", KERNEL_EXEC_TIMEOUT_NV),
    ROW("IL version", IL_VERSION),
    NOTHING("ILs with version"),
    ROW("SPIR versions", SPIR_VERSIONS),
    ROW("printf() buffer size", PRINTF_BUFFER_SIZE),
    ROW("Built-in kernels", BUILT_IN_KERNELS),
    NOTHING("Built-in kernels with version"),
    ROW("Device Extensions", EXTENSIONS),
    NOTHING("Device Extensions with Version"),
};
/* clang-format on */

void wi_human_index(wi_label_index *index)
{
    wi_label_index_make(index, labels, sizeof labels / sizeof labels[0]);
}

/* Where the label ends: at two blanks, a tab, or the line's end. */
static size_t gap_at(wi_span text)
{
    size_t i = 0;

    for (; i < text.bytes; i++) {
        if (text.at[i] == '\t') break;
        if (text.at[i] == ' ' && i + 1 < text.bytes && text.at[i + 1] == ' ') break;
    }
    return i;
}

/* Finds the label before one blank, as texts that a web page or a mail has reflowed have it: the longest known one.
 * Only tried where the line has no wider gap, and labels are short, so a line is looked at a bounded number of times. */
static const wi_label *find_reflowed(const wi_label_index *index, wi_span text, wi_section section,
                                     wi_span *value)
{
    const wi_label *best = NULL;
    size_t bytes = text.bytes < 48 ? text.bytes : 48;

    for (size_t i = 0; i < bytes; i++) {
        wi_span label = {text.at, i};
        const wi_label *found = NULL;

        if (text.at[i] != ' ') continue;
        found = wi_label_find(index, label, section);
        if (found == NULL) continue;
        best = found;
        *value = wi_span_trim(wi_span_skip(text, i));
    }
    return best;
}

static const wi_label *find(const wi_label_index *index, wi_span text, wi_section section,
                            wi_span *value)
{
    size_t end = gap_at(text);
    wi_span label = {text.at, end};
    const wi_label *found = wi_label_find(index, label, section);

    *value = wi_span_trim(wi_span_skip(text, end));
    if (found != NULL) return found;
    return end == text.bytes || wi_span_starts(text, "Number of ")
               ? find_reflowed(index, text, section, value)
               : NULL;
}

int wi_human_knows(const wi_label_index *index, const wi_line *line)
{
    wi_span value;
    const wi_label *found = find(index, line->text, WI_IN_ANY, &value);
    int is_named = wi_span_starts(line->text, "Platform ") || wi_span_starts(line->text, "Device ");

    if (found == NULL || found->read == wi_label_nothing || value.bytes == 0) return 0;
    if (found->read == wi_label_platform_count || found->read == wi_label_device_count) {
        uint64_t count = 0;
        return wi_span_number(&value, &count) ? 2 : 0;
    }
    return is_named ? 2 : found->id != WI_PROPERTY_NAME;
}

/* A count, and behind it the next line: a reflowed "Number of platforms 2  Platform Name ...". */
static int read_counts(wi_table *table, const wi_label *found, wi_span *text, wi_span value)
{
    uint64_t count = 0;

    if (found->read != wi_label_platform_count && found->read != wi_label_device_count) return 0;
    if (!found->read(table, found, value) || !wi_span_number(&value, &count)) return 0;
    *text = wi_span_trim(value);
    return text->bytes > 0;
}

static int read_row(const wi_label_index *index, wi_table *table, const wi_line *line)
{
    wi_span text = line->text;
    wi_span value;
    const wi_label *found = find(index, text, table->section, &value);

    table->line = line;
    while (found != NULL && read_counts(table, found, &text, value))
        found = find(index, text, table->section, &value);
    if (found == NULL) return 0;
    if (found->read == wi_label_platform_count || found->read == wi_label_device_count) return 1;
    if (!found->read(table, found, value) && value.bytes > 0)
        wi_builder_refuse(table->builder, found->text, line);
    return 1;
}

/* The compiler's words between "=== CL_PROGRAM_BUILD_LOG ===" and the next row; the first line is kept. */
static void read_log_line(wi_builder *builder, const wi_line *line)
{
    weir_record *record = builder->has_device ? wi_builder_device(builder) : NULL;
    weir_property log;

    if (record == NULL || line->text.bytes == 0) return;
    weir_record_get(record, WI_PROPERTY_BUILD_LOG, &log);
    if (log.state == WEIR_PROPERTY_ABSENT)
        (void)wi_builder_set(builder, WI_PROPERTY_BUILD_LOG, line->text, line);
}

/* Behind the devices clinfo names platforms and devices once more; those lines are no devices. */
static int is_trailer(const wi_line *line)
{
    return wi_span_starts(line->text, "NULL platform behavior") ||
           wi_span_starts(line->text, "ICD loader properties");
}

void wi_human_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                   wi_builder *builder)
{
    wi_table table = {builder, WI_IN_ANY, NULL};
    wi_cursor cursor = {part.from, part.line};
    wi_line line;
    int is_log = 0;

    while (builder->status == WEIR_OK && wi_lines_next(lines, part.to, &cursor, &line)) {
        if (line.text.bytes == 0) continue;
        if (is_trailer(&line)) break;
        if (wi_span_starts(line.text, "=== CL_PROGRAM_BUILD_LOG ===")) {
            is_log = 1;
            continue;
        }
        if (read_row(&readers->human, &table, &line)) {
            is_log = 0;
        } else if (is_log) {
            read_log_line(builder, &line);
        } else if (!wi_builder_is_death(builder, &line)) {
            /* A row this build does not know, or a list that goes on, is no noise. */
            size_t gap = gap_at(line.text);
            int is_row = gap < line.text.bytes || line.indent >= 2;

            if (gap == line.text.bytes && line.indent >= 2 && line.indent < CONTINUATION_INDENT)
                table.section = WI_IN_OTHER;
            if (!is_row) wi_builder_odd_line(builder, &line);
        }
    }
    wi_builder_finish(builder);
}
