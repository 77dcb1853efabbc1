/* Platform and devices of the null ICD, and the three symbols through which a loader finds it.
 *
 * Device facts are a table of constants beside the few that settings change. The exported functions only call their
 * hidden twins: the loader exports the same names, and inside a process its definitions come first.
 */
#include "null_icd.h"

#include "../null_control.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

cl_icd_dispatch null_table;
struct _cl_platform_id null_platform = {&null_table};
struct _cl_device_id null_devices[NULL_DEVICES_MAX] = {
    {&null_table, 0}, {&null_table, 1}, {&null_table, 2}, {&null_table, 3},
    {&null_table, 4}, {&null_table, 5}, {&null_table, 6}, {&null_table, 7}};

typedef struct number_fact {
    cl_device_info property;
    unsigned bytes; /* 4 or 8 */
    uint64_t value;
} number_fact;

typedef struct text_fact {
    cl_uint property;
    const char *text;
} text_fact;

static const number_fact number_facts[] = {
    {CL_DEVICE_VENDOR_ID, 4, 0x7e1f},
    {CL_DEVICE_MAX_COMPUTE_UNITS, 4, 4},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 3},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, 1024},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4, 2},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 4, 2},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4, 0},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1000},
    {CL_DEVICE_ADDRESS_BITS, 4, 64},
    {CL_DEVICE_IMAGE_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 0},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8, 0},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8, 0},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8, 0},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8, 0},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8, 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8, 0},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8, 0},
    {CL_DEVICE_MAX_SAMPLERS, 4, 0},
    {CL_DEVICE_MAX_PARAMETER_SIZE, 8, 1024},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4, 128},
    {CL_DEVICE_SINGLE_FP_CONFIG, 8,
     CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA},
    {CL_DEVICE_DOUBLE_FP_CONFIG, 8, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4, CL_NONE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 64},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8, 0},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, 65536},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 4, 8},
    {CL_DEVICE_LOCAL_MEM_TYPE, 4, CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, 8, 32768},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8, 1},
    {CL_DEVICE_ENDIAN_LITTLE, 4, CL_TRUE},
    {CL_DEVICE_AVAILABLE, 4, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, 4, CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, 4, CL_FALSE},
    {CL_DEVICE_EXECUTION_CAPABILITIES, 8, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_PROPERTIES, 8, CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4, CL_TRUE},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, 8, 1048576},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8, 0},
    {CL_DEVICE_PARENT_DEVICE, 8, 0},
    {CL_DEVICE_REFERENCE_COUNT, 4, 1},
};

static const text_fact device_texts[] = {
    {CL_DRIVER_VERSION, "1.0"},
    {CL_DEVICE_PROFILE, "FULL_PROFILE"},
    {CL_DEVICE_VERSION, "OpenCL 1.2 null"},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 null"},
    {CL_DEVICE_EXTENSIONS, "cl_khr_global_int32_base_atomics cl_khr_local_int32_base_atomics"},
    {CL_DEVICE_BUILT_IN_KERNELS, ""},
};

static const text_fact platform_texts[] = {
    {CL_PLATFORM_PROFILE, "FULL_PROFILE"},    {CL_PLATFORM_VERSION, "OpenCL 1.2 null"},
    {CL_PLATFORM_NAME, "weir null"},          {CL_PLATFORM_EXTENSIONS, "cl_khr_icd"},
    {CL_PLATFORM_ICD_SUFFIX_KHR, "WEIRNULL"},
};

#define COUNT_OF(Array) (sizeof(Array) / sizeof(Array)[0])

cl_int null_answer(const void *data, size_t bytes, size_t room, void *out, size_t *bytes_ret)
{
    if (out != NULL && room < bytes) return CL_INVALID_VALUE;
    if (out != NULL && bytes > 0) memcpy(out, data, bytes);
    if (bytes_ret != NULL) *bytes_ret = bytes;
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t room, void *out, size_t *bytes_ret)
{
    return null_answer(text, strlen(text) + 1, room, out, bytes_ret);
}

static cl_int answer_number(uint64_t value, unsigned bytes, size_t room, void *out,
                            size_t *bytes_ret)
{
    uint32_t narrow = (uint32_t)value;

    return bytes == 4 ? null_answer(&narrow, 4, room, out, bytes_ret)
                      : null_answer(&value, 8, room, out, bytes_ret);
}

static cl_int CL_API_CALL null_clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    cl_int code = null_enter(NULL_clGetPlatformIDs);

    if (count != NULL) *count = 0;
    if (code != CL_SUCCESS) return code;
    if ((out == NULL && count == NULL) || (out != NULL && room == 0)) return CL_INVALID_VALUE;
    if (null_set.platforms == 0) return CL_PLATFORM_NOT_FOUND_KHR;
    if (out != NULL) *out = &null_platform;
    if (count != NULL) *count = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL null_clGetPlatformInfo(cl_platform_id platform, cl_platform_info property,
                                                 size_t room, void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetPlatformInfo);

    if (code != CL_SUCCESS) return code;
    if (platform != &null_platform) return CL_INVALID_PLATFORM;
    if (property == CL_PLATFORM_VENDOR) return answer_text(null_set.vendor, room, out, bytes_ret);
    for (size_t i = 0; i < COUNT_OF(platform_texts); i++)
        if (platform_texts[i].property == property)
            return answer_text(platform_texts[i].text, room, out, bytes_ret);
    return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL null_clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
                                              cl_uint room, cl_device_id *out, cl_uint *count)
{
    cl_int code = null_enter(NULL_clGetDeviceIDs);
    unsigned present =
        (type & (null_set.type | CL_DEVICE_TYPE_DEFAULT)) != 0 ? null_set.devices : 0;

    if (code != CL_SUCCESS) return code;
    if (platform != &null_platform) return CL_INVALID_PLATFORM;
    if ((out == NULL && count == NULL) || (out != NULL && room == 0)) return CL_INVALID_VALUE;
    if (type == CL_DEVICE_TYPE_DEFAULT && present > 1) present = 1;
    if (count != NULL) *count = present;
    if (present == 0) return CL_DEVICE_NOT_FOUND;
    for (unsigned i = 0; out != NULL && i < present && i < room; i++) out[i] = &null_devices[i];
    return CL_SUCCESS;
}

static cl_int CL_API_CALL null_clGetDeviceInfo(cl_device_id device, cl_device_info property,
                                               size_t room, void *out, size_t *bytes_ret)
{
    static const size_t item_sizes[3] = {1024, 1024, 1024};
    static const cl_device_partition_property no_partition = 0;
    cl_int code = null_enter(NULL_clGetDeviceInfo);
    cl_platform_id platform = &null_platform;

    if (code != CL_SUCCESS) return code;
    if (device < null_devices || device >= null_devices + NULL_DEVICES_MAX)
        return CL_INVALID_DEVICE;
    switch (property) {
    case CL_DEVICE_TYPE:
        return answer_number(null_set.type, 8, room, out, bytes_ret);
    case CL_DEVICE_NAME:
        return answer_text(null_set.name, room, out, bytes_ret);
    case CL_DEVICE_VENDOR:
        return answer_text(null_set.vendor, room, out, bytes_ret);
    case CL_DEVICE_PLATFORM:
        return null_answer(&platform, sizeof platform, room, out, bytes_ret);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return answer_number(UINT64_C(1024) << (device - null_devices), 4, room, out, bytes_ret);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return answer_number(null_set.memory_bytes, 8, room, out, bytes_ret);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return answer_number(null_set.max_alloc_bytes, 8, room, out, bytes_ret);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return answer_number(null_set.unified, 4, room, out, bytes_ret);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return null_answer(item_sizes, sizeof item_sizes, room, out, bytes_ret);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        return null_answer(&no_partition, sizeof no_partition, room, out, bytes_ret);
    default:
        break;
    }
    for (size_t i = 0; i < COUNT_OF(number_facts); i++)
        if (number_facts[i].property == property)
            return answer_number(number_facts[i].value, number_facts[i].bytes, room, out,
                                 bytes_ret);
    for (size_t i = 0; i < COUNT_OF(device_texts); i++)
        if (device_texts[i].property == property)
            return answer_text(device_texts[i].text, room, out, bytes_ret);
    return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL null_clRetainDevice(cl_device_id device)
{
    cl_int code = null_enter(NULL_clRetainDevice);

    return code != CL_SUCCESS || device != NULL ? code : CL_INVALID_DEVICE;
}

static cl_int CL_API_CALL null_clReleaseDevice(cl_device_id device)
{
    cl_int code = null_enter(NULL_clReleaseDevice);

    return code != CL_SUCCESS || device != NULL ? code : CL_INVALID_DEVICE;
}

/* Functions as object pointers, which the loader's protocol wants and ISO C does not convert. */
typedef union address {
    cl_int(CL_API_CALL *list)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int(CL_API_CALL *info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    const void *object;
    void *plain;
} address;

static void *find_extension(const char *name)
{
    address found = {NULL};

    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) found.list = null_clGetPlatformIDs;
    if (strcmp(name, "clGetPlatformInfo") == 0) found.info = null_clGetPlatformInfo;
    if (strcmp(name, WT_NULL_CONTROL) == 0) found.object = null_control;
    return found.plain;
}

static void *CL_API_CALL null_clGetExtensionFunctionAddress(const char *name)
{
    return null_enter(NULL_clGetExtensionFunctionAddress) == CL_SUCCESS ? find_extension(name)
                                                                        : NULL;
}

static void *CL_API_CALL null_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                       const char *name)
{
    cl_int code = null_enter(NULL_clGetExtensionFunctionAddressForPlatform);

    return code == CL_SUCCESS && platform == &null_platform ? find_extension(name) : NULL;
}

void null_add_platform(cl_icd_dispatch *table)
{
    table->clGetPlatformIDs = null_clGetPlatformIDs;
    table->clGetPlatformInfo = null_clGetPlatformInfo;
    table->clGetDeviceIDs = null_clGetDeviceIDs;
    table->clGetDeviceInfo = null_clGetDeviceInfo;
    table->clRetainDevice = null_clRetainDevice;
    table->clReleaseDevice = null_clReleaseDevice;
    table->clGetExtensionFunctionAddress = null_clGetExtensionFunctionAddress;
    table->clGetExtensionFunctionAddressForPlatform = null_clGetExtensionFunctionAddressForPlatform;
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *func_name)
{
    return null_clGetExtensionFunctionAddress(func_name);
}

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms)
{
    return null_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                                            size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret)
{
    return null_clGetPlatformInfo(platform, param_name, param_value_size, param_value,
                                  param_value_size_ret);
}
