/* clinfo's human output, from 2014 on.
 *
 * A line is a label, two blanks or more, and a value; a longer label pushes its value to the right, so labels are found
 * by their text and never by a column. Generations differ in the order of lines and in a few labels, which are rows of
 * their own. Lines below a heading mean different things below another one. One thread.
 */
#include "records/compound.h"
#include "records/label_rows.h"
#include "records/reader.h"

#define CONTINUATION_INDENT 30 /* blanks before further values of a list */

static int read_platform_name(wi_table *table, const wi_label *label, wi_span value)
{
    wi_builder_begin_platform(table->builder);
    table->section = WI_IN_ANY;
    return wi_label_plain(table, label, value);
}

/* Platforms that follow each other have a vendor each: where there is one already the line with the name was lost. */
static int read_platform_vendor(wi_table *table, const wi_label *label, wi_span value)
{
    wi_builder *b = table->builder;
    weir_property old = {0};

    if (b->current < b->platform_count)
        weir_record_get(b->platforms[b->current].record, label->id, &old);
    if (old.state != WEIR_PROPERTY_ABSENT && b->device_count == 0) wi_builder_begin_platform(b);
    return wi_label_plain(table, label, value);
}

static int read_device_name(wi_table *table, const wi_label *label, wi_span value)
{
    wi_builder_begin_device(table->builder);
    table->section = WI_IN_ANY;
    return wi_label_plain(table, label, value);
}

#define VECTORS(Label, Type)                                                               \
    {                                                                                      \
        WI_IN_VECTORS, Label, wi_compound_pair, WI_PROPERTY_PREFERRED_VECTOR_WIDTH_##Type, \
            WI_PROPERTY_NATIVE_VECTOR_WIDTH_##Type                                         \
    }
#define FP_BITS(Section, Id)                                                                  \
    WI_ROW_BIT(Section, "Denormals", Id, 0), WI_ROW_BIT(Section, "Infinity and NANs", Id, 1), \
        WI_ROW_BIT(Section, "Round to nearest", Id, 2),                                       \
        WI_ROW_BIT(Section, "Round to zero", Id, 3),                                          \
        WI_ROW_BIT(Section, "Round to infinity", Id, 4),                                      \
        WI_ROW_BIT(Section, "IEEE754-2008 fused multiply-add", Id, 5),                        \
        WI_ROW_BIT(Section, "Support is emulated in software", Id, 6),                        \
        WI_ROW_BIT(Section, "Correctly-rounded divide and sqrt operations", Id, 7)

/* clang-format off */
static const wi_label labels[] = {
    WI_ROW_READ("Number of platforms", wi_label_platform_count, NAME, 0),
    WI_ROW_READ("Number of devices", wi_label_device_count, NAME, 0),
    WI_ROW_READ("Platform Name", read_platform_name, PLATFORM_NAME, 0),
    WI_ROW_READ("Platform Vendor", read_platform_vendor, PLATFORM_VENDOR, 0),
    WI_ROW("Platform Version", PLATFORM_VERSION),
    WI_ROW("Platform Profile", PLATFORM_PROFILE),
    WI_ROW("Platform Extensions", PLATFORM_EXTENSIONS),
    WI_ROW_NOTHING("Platform Extensions with Version"),
    WI_ROW("Platform Numeric Version", PLATFORM_NUMERIC_VERSION),
    WI_ROW("Platform Extensions function suffix", PLATFORM_ICD_SUFFIX_KHR),
    WI_ROW("Platform Host timer resolution", PLATFORM_HOST_TIMER_RESOLUTION),
    WI_ROW_READ("Device Name", read_device_name, NAME, 0),
    WI_ROW("Device Vendor", VENDOR),
    WI_ROW("Device Vendor ID", VENDOR_ID),
    WI_ROW("Device Version", VERSION),
    WI_ROW("Device UUID", UUID_KHR),
    WI_ROW("Driver UUID", DRIVER_UUID_KHR),
    WI_ROW("Valid Device LUID", LUID_VALID_KHR),
    WI_ROW("Device LUID", LUID_KHR),
    WI_ROW("Device Numeric Version", NUMERIC_VERSION),
    WI_ROW("Driver Version", DRIVER_VERSION),
    WI_ROW("Device OpenCL C Version", OPENCL_C_VERSION),
    WI_ROW_NOTHING("Device OpenCL C Numeric Version"),
    WI_ROW_NOTHING("Device OpenCL C all versions"),
    WI_ROW_NOTHING("Device OpenCL C features"),
    WI_ROW("Latest conformance test passed", LATEST_CONFORMANCE_VERSION_PASSED),
    WI_ROW("Latest comfornace test passed", LATEST_CONFORMANCE_VERSION_PASSED),
    WI_ROW("Device Type", TYPE),
    WI_ROW("Device Board Name (AMD)", BOARD_NAME_AMD),
    WI_ROW_READ("Device Topology (NV)", wi_compound_topology_nv, NAME, 0),
    WI_ROW("Device Topology (AMD)", TOPOLOGY_AMD),
    WI_ROW("Device PCI bus info (KHR)", PCI_BUS_INFO_KHR),
    WI_ROW("Device Profile", PROFILE),
    WI_ROW("Device Available", AVAILABLE),
    WI_ROW("Compiler Available", COMPILER_AVAILABLE),
    WI_ROW("Linker Available", LINKER_AVAILABLE),
    WI_ROW("Max compute units", MAX_COMPUTE_UNITS),
    WI_ROW("Max clock frequency", MAX_CLOCK_FREQUENCY),
    WI_ROW_READ("Compute Capability (NV)", wi_compound_pair, COMPUTE_CAPABILITY_MAJOR_NV, WI_PROPERTY_COMPUTE_CAPABILITY_MINOR_NV),
    WI_ROW_READ("Graphics IP (AMD)", wi_compound_pair, GFXIP_MAJOR_AMD, WI_PROPERTY_GFXIP_MINOR_AMD),
    WI_ROW("SIMD per compute unit (AMD)", SIMD_PER_COMPUTE_UNIT_AMD),
    WI_ROW("Wavefront width (AMD)", WAVEFRONT_WIDTH_AMD),
    WI_ROW("Device IP (Intel)", IP_VERSION_INTEL),
    WI_ROW("Device ID (Intel)", ID_INTEL),
    WI_ROW_HEADING("Device Partition", WI_IN_OTHER),
    WI_ROW("Max number of sub-devices", PARTITION_MAX_SUB_DEVICES),
    WI_ROW("Supported affinity domains", PARTITION_AFFINITY_DOMAIN),
    WI_ROW("Max work item dimensions", MAX_WORK_ITEM_DIMENSIONS),
    WI_ROW("Max work item sizes", MAX_WORK_ITEM_SIZES),
    WI_ROW("Max work group size", MAX_WORK_GROUP_SIZE),
    WI_ROW("Preferred work group size multiple", KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    WI_ROW("Preferred work group size multiple (kernel)", KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    WI_ROW("Preferred work group size multiple (device)", PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    WI_ROW("Warp size (NV)", WARP_SIZE_NV),
    WI_ROW("Max sub-groups per work group", MAX_NUM_SUB_GROUPS),
    WI_ROW_HEADING("Preferred / native vector sizes", WI_IN_VECTORS),
    WI_VECTOR_TYPES(VECTORS),
    WI_ROW_FLAGS("Half-precision Floating-point support", HALF_FP_CONFIG, WI_IN_HALF),
    WI_ROW_FLAGS("Single-precision Floating-point support", SINGLE_FP_CONFIG, WI_IN_SINGLE),
    WI_ROW_FLAGS("Double-precision Floating-point support", DOUBLE_FP_CONFIG, WI_IN_DOUBLE),
    WI_FP_TYPES(FP_BITS),
    WI_ROW_READ("Address bits", wi_compound_address_bits, ADDRESS_BITS, 0),
    WI_ROW("Global memory size", GLOBAL_MEM_SIZE),
    WI_ROW("Global free memory (AMD)", GLOBAL_FREE_MEMORY_AMD),
    WI_ROW("Error Correction support", ERROR_CORRECTION_SUPPORT),
    WI_ROW("Max memory allocation", MAX_MEM_ALLOC_SIZE),
    WI_ROW("Unified memory for Host and Device", HOST_UNIFIED_MEMORY),
    WI_ROW("Integrated memory (NV)", INTEGRATED_MEMORY_NV),
    WI_ROW_FLAGS("Shared Virtual Memory (SVM) capabilities", SVM_CAPABILITIES, WI_IN_SVM),
    WI_ROW_BIT(WI_IN_SVM, "Coarse-grained buffer sharing", SVM_CAPABILITIES, 0),
    WI_ROW_BIT(WI_IN_SVM, "Fine-grained buffer sharing", SVM_CAPABILITIES, 1),
    WI_ROW_BIT(WI_IN_SVM, "Fine-grained system sharing", SVM_CAPABILITIES, 2),
    WI_ROW_BIT(WI_IN_SVM, "Atomics", SVM_CAPABILITIES, 3),
    WI_ROW("Minimum alignment for any data type", MIN_DATA_TYPE_ALIGN_SIZE),
    WI_ROW("Alignment of base address", MEM_BASE_ADDR_ALIGN),
    WI_ROW_HEADING("Preferred alignment for atomics", WI_IN_OTHER),
    WI_ROW("Atomic memory capabilities", ATOMIC_MEMORY_CAPABILITIES),
    WI_ROW("Atomic fence capabilities", ATOMIC_FENCE_CAPABILITIES),
    WI_ROW("Max size for global variable", MAX_GLOBAL_VARIABLE_SIZE),
    WI_ROW("Preferred total size of global vars", GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE),
    WI_ROW("Global Memory cache type", GLOBAL_MEM_CACHE_TYPE),
    WI_ROW("Global Memory cache size", GLOBAL_MEM_CACHE_SIZE),
    WI_ROW("Global Memory cache line", GLOBAL_MEM_CACHELINE_SIZE),
    WI_ROW("Global Memory cache line size", GLOBAL_MEM_CACHELINE_SIZE),
    WI_ROW("Image support", IMAGE_SUPPORT),
    WI_ROW("Max number of samplers per kernel", MAX_SAMPLERS),
    WI_ROW("Max size for 1D images from buffer", IMAGE_MAX_BUFFER_SIZE),
    WI_ROW("Max 1D or 2D image array size", IMAGE_MAX_ARRAY_SIZE),
    WI_ROW_READ("Max 2D image size", wi_compound_extents, IMAGE2D_MAX_WIDTH, 2),
    WI_ROW_READ("Max 3D image size", wi_compound_extents, IMAGE3D_MAX_WIDTH, 3),
    WI_ROW("Max number of read image args", MAX_READ_IMAGE_ARGS),
    WI_ROW("Max number of write image args", MAX_WRITE_IMAGE_ARGS),
    WI_ROW("Local memory type", LOCAL_MEM_TYPE),
    WI_ROW("Local memory size", LOCAL_MEM_SIZE),
    WI_ROW("Max number of constant args", MAX_CONSTANT_ARGS),
    WI_ROW("Max constant buffer size", MAX_CONSTANT_BUFFER_SIZE),
    WI_ROW("Generic address space support", GENERIC_ADDRESS_SPACE_SUPPORT),
    WI_ROW("Max size of kernel argument", MAX_PARAMETER_SIZE),
    WI_ROW_FLAGS("Queue properties", QUEUE_PROPERTIES, WI_IN_QUEUE),
    WI_ROW_FLAGS("Queue properties (on host)", QUEUE_PROPERTIES, WI_IN_QUEUE),
    WI_ROW_FLAGS("Queue properties (on device)", QUEUE_ON_DEVICE_PROPERTIES, WI_IN_QUEUE_ON_DEVICE),
    WI_ROW_HEADING("Required queue properties for command buffer", WI_IN_OTHER),
    WI_ROW_BIT(WI_IN_QUEUE, "Out-of-order execution", QUEUE_PROPERTIES, 0),
    WI_ROW_BIT(WI_IN_QUEUE, "Profiling", QUEUE_PROPERTIES, 1),
    WI_ROW_BIT(WI_IN_QUEUE_ON_DEVICE, "Out-of-order execution", QUEUE_ON_DEVICE_PROPERTIES, 0),
    WI_ROW_BIT(WI_IN_QUEUE_ON_DEVICE, "Profiling", QUEUE_ON_DEVICE_PROPERTIES, 1),
    WI_ROW("Device enqueue capabilities", DEVICE_ENQUEUE_CAPABILITIES),
    WI_ROW("Prefer user sync for interop", PREFERRED_INTEROP_USER_SYNC),
    WI_ROW("Profiling timer resolution", PROFILING_TIMER_RESOLUTION),
    WI_ROW_FLAGS("Execution capabilities", EXECUTION_CAPABILITIES, WI_IN_EXECUTION),
    WI_ROW_BIT(WI_IN_EXECUTION, "Run OpenCL kernels", EXECUTION_CAPABILITIES, 0),
    WI_ROW_BIT(WI_IN_EXECUTION, "Run native kernels", EXECUTION_CAPABILITIES, 1),
    WI_ROW("Non-uniform work-groups", NON_UNIFORM_WORK_GROUP_SUPPORT),
    WI_ROW("Kernel execution timeout (NV)", KERNEL_EXEC_TIMEOUT_NV),
    WI_ROW("IL version", IL_VERSION),
    WI_ROW_NOTHING("ILs with version"),
    WI_ROW("SPIR versions", SPIR_VERSIONS),
    WI_ROW("printf() buffer size", PRINTF_BUFFER_SIZE),
    WI_ROW("Built-in kernels", BUILT_IN_KERNELS),
    WI_ROW_NOTHING("Built-in kernels with version"),
    WI_ROW("Device Extensions", EXTENSIONS),
    WI_ROW_NOTHING("Device Extensions with Version"),
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
    if (wi_label_is_count(found)) {
        uint64_t count = 0;
        return wi_span_number(&value, &count) ? 2 : 0;
    }
    return is_named ? 2 : found->id != WI_PROPERTY_NAME;
}

/* A count, and behind it the next line: a reflowed "Number of platforms 2  Platform Name ...". */
static int read_counts(wi_table *table, const wi_label *found, wi_span *text, wi_span value)
{
    uint64_t count = 0;

    if (!wi_label_is_count(found)) return 0;
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
    if (wi_label_is_count(found)) return 1;
    wi_label_take(table, found, value);
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

/* Behind the devices clinfo names platforms and devices once more; those lines are no devices. A text may begin there. */
static int is_trailer(const wi_line *line)
{
    static const char *const starts[] = {"NULL platform behavior",   "clGetPlatformInfo(NULL",
                                         "clGetDeviceIDs(NULL",      "clCreateContext(NULL",
                                         "clCreateContextFromType(", "ICD loader "};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (wi_span_starts(line->text, starts[i])) return 1;
    return 0;
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
        if (is_trailer(&line)) {
            builder->is_ended = 1;
            break;
        }
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

            int is_plain = wi_span_is_plain(line.text);

            /* Rows are plain text: this one is damaged, and perhaps a bit or a heading. */
            if (!is_plain) wi_builder_spoil_flags(builder, &line);
            if (!is_plain ||
                (gap == line.text.bytes && line.indent >= 2 && line.indent < CONTINUATION_INDENT))
                table.section = WI_IN_OTHER;
            if (!is_row) wi_builder_odd_line(builder, &line);
        }
    }
    wi_builder_finish(builder);
}
