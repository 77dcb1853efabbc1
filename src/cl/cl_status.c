/* The OpenCL codes in one table: core 1.0 to 3.0, the loader's own, and those of extensions that a program meets without
 * asking for them. The table is written out rather than taken from the headers, so that a code has its name whatever
 * version of the headers the library is built with. Looked up only when something failed, so the search is linear.
 */
#include "cl/cl_status.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

/* X(NAME without CL_, code, weir status without WEIR_E_ (or WEIR_), text). Most codes mean that weir and the driver
 * disagree on what is valid: DRIVER. CL_OUT_OF_RESOURCES is DRIVER as well, since drivers return it for faults and
 * launch limits too; where memory is taken it is judged apart. */
#define CODE_LIST(X)                                                                               \
    X(SUCCESS, 0, OK, "no error")                                                                  \
    X(DEVICE_NOT_FOUND, -1, E_NO_DEVICE, "the platform has no device of the type asked for")       \
    X(DEVICE_NOT_AVAILABLE, -2, E_DRIVER, "the device exists but cannot be used at present")       \
    X(COMPILER_NOT_AVAILABLE, -3, E_BUILD, "the driver has no compiler for program text")          \
    X(MEM_OBJECT_ALLOCATION_FAILURE, -4, E_OUT_OF_MEMORY, "no device memory for a buffer")         \
    X(OUT_OF_RESOURCES, -5, E_DRIVER, "no device resources, a launch limit passed, or a fault")    \
    X(OUT_OF_HOST_MEMORY, -6, E_HOST_MEMORY, "the driver got no host memory")                      \
    X(PROFILING_INFO_NOT_AVAILABLE, -7, E_DRIVER, "the queue or event has no profile")             \
    X(MEM_COPY_OVERLAP, -8, E_DRIVER, "source and destination of a copy overlap")                  \
    X(IMAGE_FORMAT_MISMATCH, -9, E_DRIVER, "two images have different formats")                    \
    X(IMAGE_FORMAT_NOT_SUPPORTED, -10, E_UNSUPPORTED, "the image format is not supported")         \
    X(BUILD_PROGRAM_FAILURE, -11, E_BUILD, "the driver's compiler refused a program")              \
    X(MAP_FAILURE, -12, E_DRIVER, "a buffer could not be mapped into host memory")                 \
    X(MISALIGNED_SUB_BUFFER_OFFSET, -13, E_DRIVER, "a sub-buffer's start breaks the alignment")    \
    X(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14, E_DRIVER, "a command waited for failed")     \
    X(COMPILE_PROGRAM_FAILURE, -15, E_BUILD, "the driver's compiler refused a program")            \
    X(LINKER_NOT_AVAILABLE, -16, E_BUILD, "the driver has no linker")                              \
    X(LINK_PROGRAM_FAILURE, -17, E_BUILD, "the driver's linker refused a program")                 \
    X(DEVICE_PARTITION_FAILED, -18, E_DRIVER, "the device could not be split")                     \
    X(KERNEL_ARG_INFO_NOT_AVAILABLE, -19, E_DRIVER, "the program keeps no facts on arguments")     \
    X(INVALID_VALUE, -30, E_DRIVER, "a value is not valid for the call")                           \
    X(INVALID_DEVICE_TYPE, -31, E_DRIVER, "the device type is not valid")                          \
    X(INVALID_PLATFORM, -32, E_DRIVER, "the platform is not valid")                                \
    X(INVALID_DEVICE, -33, E_DRIVER, "the device is not valid, or of another context")             \
    X(INVALID_CONTEXT, -34, E_DRIVER, "the context is not valid, or not the same for all objects") \
    X(INVALID_QUEUE_PROPERTIES, -35, E_UNSUPPORTED, "the device has no such kind of queue")        \
    X(INVALID_COMMAND_QUEUE, -36, E_DRIVER, "the queue is not valid; often an earlier fault")      \
    X(INVALID_HOST_PTR, -37, E_DRIVER, "a host pointer and the buffer's flags do not agree")       \
    X(INVALID_MEM_OBJECT, -38, E_DRIVER, "the buffer is not valid")                                \
    X(INVALID_IMAGE_FORMAT_DESCRIPTOR, -39, E_DRIVER, "the image format is not valid")             \
    X(INVALID_IMAGE_SIZE, -40, E_DRIVER, "the image is larger than the device allows")             \
    X(INVALID_SAMPLER, -41, E_DRIVER, "the sampler is not valid")                                  \
    X(INVALID_BINARY, -42, E_BUILD, "the driver refused a program binary")                         \
    X(INVALID_BUILD_OPTIONS, -43, E_BUILD, "the driver's compiler does not know an option")        \
    X(INVALID_PROGRAM, -44, E_DRIVER, "the program is not valid")                                  \
    X(INVALID_PROGRAM_EXECUTABLE, -45, E_BUILD, "the program was not built for this device")       \
    X(INVALID_KERNEL_NAME, -46, E_BUILD, "the program has no kernel of this name")                 \
    X(INVALID_KERNEL_DEFINITION, -47, E_BUILD, "the kernel differs between the devices")           \
    X(INVALID_KERNEL, -48, E_DRIVER, "the kernel is not valid")                                    \
    X(INVALID_ARG_INDEX, -49, E_DRIVER, "the kernel has no argument of this number")               \
    X(INVALID_ARG_VALUE, -50, E_DRIVER, "the argument's value does not fit its type")              \
    X(INVALID_ARG_SIZE, -51, E_DRIVER, "the argument's size does not fit its type")                \
    X(INVALID_KERNEL_ARGS, -52, E_DRIVER, "not all arguments of the kernel were set")              \
    X(INVALID_WORK_DIMENSION, -53, E_DRIVER, "the number of dimensions is not valid")              \
    X(INVALID_WORK_GROUP_SIZE, -54, E_DRIVER, "the work-group is too large or does not divide")    \
    X(INVALID_WORK_ITEM_SIZE, -55, E_DRIVER, "the work-group is too large in one dimension")       \
    X(INVALID_GLOBAL_OFFSET, -56, E_DRIVER, "the global offset is not valid")                      \
    X(INVALID_EVENT_WAIT_LIST, -57, E_DRIVER, "the list of events to wait for is not valid")       \
    X(INVALID_EVENT, -58, E_DRIVER, "the event is not valid")                                      \
    X(INVALID_OPERATION, -59, E_DRIVER, "the call is not allowed in this state")                   \
    X(INVALID_GL_OBJECT, -60, E_DRIVER, "the OpenGL object is not valid")                          \
    X(INVALID_BUFFER_SIZE, -61, E_DRIVER, "the size is 0 or larger than the device allows")        \
    X(INVALID_MIP_LEVEL, -62, E_DRIVER, "the mip level is not valid")                              \
    X(INVALID_GLOBAL_WORK_SIZE, -63, E_DRIVER, "the global size is 0 or too large")                \
    X(INVALID_PROPERTY, -64, E_DRIVER, "a property is not known or not supported")                 \
    X(INVALID_IMAGE_DESCRIPTOR, -65, E_DRIVER, "the image description is not valid")               \
    X(INVALID_COMPILER_OPTIONS, -66, E_BUILD, "the driver's compiler does not know an option")     \
    X(INVALID_LINKER_OPTIONS, -67, E_BUILD, "the driver's linker does not know an option")         \
    X(INVALID_DEVICE_PARTITION_COUNT, -68, E_DRIVER, "the device cannot be split so often")        \
    X(INVALID_PIPE_SIZE, -69, E_DRIVER, "the size of the pipe is not valid")                       \
    X(INVALID_DEVICE_QUEUE, -70, E_DRIVER, "the device-side queue is not valid")                   \
    X(INVALID_SPEC_ID, -71, E_DRIVER, "the program has no such specialization constant")           \
    X(MAX_SIZE_RESTRICTION_EXCEEDED, -72, E_DRIVER, "a size passes a limit of the kernel")         \
    X(INVALID_GL_SHAREGROUP_REFERENCE_KHR, -1000, E_DRIVER, "the OpenGL context cannot be shared") \
    X(PLATFORM_NOT_FOUND_KHR, -1001, E_NO_DEVICE, "the loader found no OpenCL driver")             \
    X(INVALID_D3D10_DEVICE_KHR, -1002, E_DRIVER, "the Direct3D 10 device is not valid")            \
    X(INVALID_D3D10_RESOURCE_KHR, -1003, E_DRIVER, "the Direct3D 10 resource is not valid")        \
    X(D3D10_RESOURCE_ALREADY_ACQUIRED_KHR, -1004, E_DRIVER, "the resource is in use by OpenCL")    \
    X(D3D10_RESOURCE_NOT_ACQUIRED_KHR, -1005, E_DRIVER, "the resource is not in use by OpenCL")    \
    X(DEVICE_PARTITION_FAILED_EXT, -1057, E_DRIVER, "the device could not be split")               \
    X(INVALID_PARTITION_COUNT_EXT, -1058, E_DRIVER, "the device cannot be split so often")         \
    X(INVALID_PARTITION_NAME_EXT, -1059, E_DRIVER, "a part of the device is not valid")            \
    X(EGL_RESOURCE_NOT_ACQUIRED_KHR, -1092, E_DRIVER, "the EGL resource is not in use by OpenCL")  \
    X(INVALID_EGL_OBJECT_KHR, -1093, E_DRIVER, "the EGL object is not valid")                      \
    X(INVALID_ACCELERATOR_INTEL, -1094, E_DRIVER, "the accelerator object is not valid")           \
    X(INVALID_ACCELERATOR_TYPE_INTEL, -1095, E_DRIVER, "the accelerator type is not valid")        \
    X(INVALID_ACCELERATOR_DESCRIPTOR_INTEL, -1096, E_DRIVER, "the description is not valid")       \
    X(ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL, -1097, E_UNSUPPORTED, "no such accelerator here")      \
    X(INVALID_VA_API_MEDIA_ADAPTER_INTEL, -1098, E_DRIVER, "the VA display is not valid")          \
    X(INVALID_VA_API_MEDIA_SURFACE_INTEL, -1099, E_DRIVER, "the VA surface is not valid")          \
    X(VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL, -1100, E_DRIVER, "the surface is in use")       \
    X(VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL, -1101, E_DRIVER, "the surface is not in use")       \
    X(COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM, -1108, E_DRIVER, "a kernel ended with failure")  \
    X(CONTEXT_TERMINATED_KHR, -1121, E_DRIVER, "the context was ended; its objects are lost")      \
    X(INVALID_COMMAND_BUFFER_KHR, -1138, E_DRIVER, "the command buffer is not valid")              \
    X(INVALID_SYNC_POINT_WAIT_LIST_KHR, -1139, E_DRIVER, "the list of sync points is not valid")   \
    X(INCOMPATIBLE_COMMAND_QUEUE_KHR, -1140, E_DRIVER, "the queue does not fit the commands")      \
    X(INVALID_MUTABLE_COMMAND_KHR, -1141, E_DRIVER, "the command cannot be changed")               \
    X(INVALID_SEMAPHORE_KHR, -1142, E_DRIVER, "the semaphore is not valid")                        \
    X(NV_INVALID_MEM_ACCESS, -9999, E_DRIVER, "NVIDIA: a kernel read or wrote outside its memory")

static const struct code_row {
    cl_int code;
    weir_status status;
    const char *name;
    const char *text;
} code_rows[] = {
#define CODE_ROW(NAME, Code, Status, Text) {Code, WEIR_##Status, "CL_" #NAME, Text},
    CODE_LIST(CODE_ROW)
#undef CODE_ROW
};

static const struct code_row unknown_row = {1, WEIR_E_DRIVER, "CL_UNKNOWN",
                                            "a code that no version of OpenCL lists"};

static const struct code_row *find_code(cl_int code)
{
    for (size_t i = 0; i < sizeof code_rows / sizeof code_rows[0]; i++) {
        if (code_rows[i].code == code) return &code_rows[i];
    }
    return &unknown_row;
}

const char *wi_cl_status_name(cl_int code) { return find_code(code)->name; }

const char *wi_cl_status_text(cl_int code) { return find_code(code)->text; }

weir_status wi_cl_status_map(cl_int code) { return find_code(code)->status; }

int wi_cl_is_allocation_failure(cl_int code)
{
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_INVALID_BUFFER_SIZE;
}

/* wi_fail_cl_v() takes a va_list, so the parts are joined by a variadic call of our own. */
static weir_status record(weir_status status, cl_int code, const char *call, const char *format,
                          ...) WEIR_PRINTF(4, 5);

static weir_status record(weir_status status, cl_int code, const char *call, const char *format,
                          ...)
{
    va_list arguments;
    va_start(arguments, format);
    status = wi_fail_cl_v(status, code, call, format, arguments);
    va_end(arguments);
    return status;
}

weir_status wi_cl_fail(cl_int code, const char *call, const char *format, ...)
{
    const struct code_row *row = find_code(code);
    char message[400];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return record(row->status, code, call, "%s: %s (%d): %s", call, row->name, (int)code, message);
}
