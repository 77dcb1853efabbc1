/* The OpenCL functions that weir calls, passed on to the loader that is found at the first call.
 *
 * What is linked to the loader does not start where there is none, and cannot say so. This file stands in for it, in the
 * shared library and in the program: its functions are hidden, so nobody else's calls come here. Without a loader each
 * answers as a loader does that finds no platform; wi_loader_find() tells the two apart. State: the addresses, which are
 * found once and the same for the life of the process.
 */
#include "cl/loader.h"
#include "cl/opencl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define NO_PLATFORM (-1001) /* CL_PLATFORM_NOT_FOUND_KHR of cl_khr_icd */

/* X(name, parameters, arguments) of those that return a code */
#define STATUS_CALLS(X)                                                                            \
    X(clBuildProgram,                                                                              \
      (cl_program program, cl_uint num_devices, const cl_device_id *device_list,                   \
       const char *options, void(CL_CALLBACK * pfn_notify)(cl_program program, void *user_data),   \
       void *user_data),                                                                           \
      (program, num_devices, device_list, options, pfn_notify, user_data))                         \
    X(clEnqueueBarrierWithWaitList,                                                                \
      (cl_command_queue command_queue, cl_uint num_events_in_wait_list,                            \
       const cl_event *event_wait_list, cl_event *event),                                          \
      (command_queue, num_events_in_wait_list, event_wait_list, event))                            \
    X(clEnqueueCopyBuffer,                                                                         \
      (cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,    \
       size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,                            \
       const cl_event *event_wait_list, cl_event *event),                                          \
      (command_queue, src_buffer, dst_buffer, src_offset, dst_offset, size,                        \
       num_events_in_wait_list, event_wait_list, event))                                           \
    X(clEnqueueFillBuffer,                                                                         \
      (cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size,    \
       size_t offset, size_t size, cl_uint num_events_in_wait_list,                                \
       const cl_event *event_wait_list, cl_event *event),                                          \
      (command_queue, buffer, pattern, pattern_size, offset, size, num_events_in_wait_list,        \
       event_wait_list, event))                                                                    \
    X(clEnqueueMarkerWithWaitList,                                                                 \
      (cl_command_queue command_queue, cl_uint num_events_in_wait_list,                            \
       const cl_event *event_wait_list, cl_event *event),                                          \
      (command_queue, num_events_in_wait_list, event_wait_list, event))                            \
    X(clEnqueueNDRangeKernel,                                                                      \
      (cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,                         \
       const size_t *global_work_offset, const size_t *global_work_size,                           \
       const size_t *local_work_size, cl_uint num_events_in_wait_list,                             \
       const cl_event *event_wait_list, cl_event *event),                                          \
      (command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,     \
       num_events_in_wait_list, event_wait_list, event))                                           \
    X(clEnqueueReadBuffer,                                                                         \
      (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,        \
       size_t size, void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,   \
       cl_event *event),                                                                           \
      (command_queue, buffer, blocking_read, offset, size, ptr, num_events_in_wait_list,           \
       event_wait_list, event))                                                                    \
    X(clEnqueueWriteBuffer,                                                                        \
      (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,       \
       size_t size, const void *ptr, cl_uint num_events_in_wait_list,                              \
       const cl_event *event_wait_list, cl_event *event),                                          \
      (command_queue, buffer, blocking_write, offset, size, ptr, num_events_in_wait_list,          \
       event_wait_list, event))                                                                    \
    X(clFinish, (cl_command_queue command_queue), (command_queue))                                 \
    X(clFlush, (cl_command_queue command_queue), (command_queue))                                  \
    X(clGetCommandQueueInfo,                                                                       \
      (cl_command_queue command_queue, cl_command_queue_info param_name, size_t param_value_size,  \
       void *param_value, size_t *param_value_size_ret),                                           \
      (command_queue, param_name, param_value_size, param_value, param_value_size_ret))            \
    X(clGetContextInfo,                                                                            \
      (cl_context context, cl_context_info param_name, size_t param_value_size, void *param_value, \
       size_t *param_value_size_ret),                                                              \
      (context, param_name, param_value_size, param_value, param_value_size_ret))                  \
    X(clGetDeviceIDs,                                                                              \
      (cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,                   \
       cl_device_id * devices, cl_uint * num_devices),                                             \
      (platform, device_type, num_entries, devices, num_devices))                                  \
    X(clGetDeviceInfo,                                                                             \
      (cl_device_id device, cl_device_info param_name, size_t param_value_size, void *param_value, \
       size_t *param_value_size_ret),                                                              \
      (device, param_name, param_value_size, param_value, param_value_size_ret))                   \
    X(clGetEventInfo,                                                                              \
      (cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,       \
       size_t *param_value_size_ret),                                                              \
      (event, param_name, param_value_size, param_value, param_value_size_ret))                    \
    X(clGetKernelWorkGroupInfo,                                                                    \
      (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,                \
       size_t param_value_size, void *param_value, size_t *param_value_size_ret),                  \
      (kernel, device, param_name, param_value_size, param_value, param_value_size_ret))           \
    X(clGetMemObjectInfo,                                                                          \
      (cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void *param_value,          \
       size_t *param_value_size_ret),                                                              \
      (memobj, param_name, param_value_size, param_value, param_value_size_ret))                   \
    X(clGetPlatformIDs,                                                                            \
      (cl_uint num_entries, cl_platform_id * platforms, cl_uint * num_platforms),                  \
      (num_entries, platforms, num_platforms))                                                     \
    X(clGetPlatformInfo,                                                                           \
      (cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,              \
       void *param_value, size_t *param_value_size_ret),                                           \
      (platform, param_name, param_value_size, param_value, param_value_size_ret))                 \
    X(clGetProgramBuildInfo,                                                                       \
      (cl_program program, cl_device_id device, cl_program_build_info param_name,                  \
       size_t param_value_size, void *param_value, size_t *param_value_size_ret),                  \
      (program, device, param_name, param_value_size, param_value, param_value_size_ret))          \
    X(clGetProgramInfo,                                                                            \
      (cl_program program, cl_program_info param_name, size_t param_value_size, void *param_value, \
       size_t *param_value_size_ret),                                                              \
      (program, param_name, param_value_size, param_value, param_value_size_ret))                  \
    X(clReleaseCommandQueue, (cl_command_queue command_queue), (command_queue))                    \
    X(clReleaseContext, (cl_context context), (context))                                           \
    X(clReleaseDevice, (cl_device_id device), (device))                                            \
    X(clReleaseEvent, (cl_event event), (event))                                                   \
    X(clReleaseKernel, (cl_kernel kernel), (kernel))                                               \
    X(clReleaseMemObject, (cl_mem memobj), (memobj))                                               \
    X(clReleaseProgram, (cl_program program), (program))                                           \
    X(clRetainCommandQueue, (cl_command_queue command_queue), (command_queue))                     \
    X(clRetainContext, (cl_context context), (context))                                            \
    X(clRetainDevice, (cl_device_id device), (device))                                             \
    X(clRetainEvent, (cl_event event), (event))                                                    \
    X(clRetainMemObject, (cl_mem memobj), (memobj))                                                \
    X(clSetKernelArg,                                                                              \
      (cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value),               \
      (kernel, arg_index, arg_size, arg_value))                                                    \
    X(clWaitForEvents, (cl_uint num_events, const cl_event *event_list), (num_events, event_list))

/* X(type, name, parameters, arguments) of those that make an object and put their code at `errcode_ret` */
#define OBJECT_CALLS(X)                                                                           \
    X(cl_mem, clCreateBuffer,                                                                     \
      (cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret), \
      (context, flags, size, host_ptr, errcode_ret))                                              \
    X(cl_command_queue, clCreateCommandQueue,                                                     \
      (cl_context context, cl_device_id device, cl_command_queue_properties properties,           \
       cl_int * errcode_ret),                                                                     \
      (context, device, properties, errcode_ret))                                                 \
    X(cl_context, clCreateContext,                                                                \
      (const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices, \
       void(CL_CALLBACK * pfn_notify)(const char *errinfo, const void *private_info, size_t cb,   \
                                      void *user_data),                                           \
       void *user_data, cl_int *errcode_ret),                                                     \
      (properties, num_devices, devices, pfn_notify, user_data, errcode_ret))                     \
    X(cl_kernel, clCreateKernel,                                                                  \
      (cl_program program, const char *kernel_name, cl_int *errcode_ret),                         \
      (program, kernel_name, errcode_ret))                                                        \
    X(cl_program, clCreateProgramWithBinary,                                                      \
      (cl_context context, cl_uint num_devices, const cl_device_id *device_list,                  \
       const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,              \
       cl_int *errcode_ret),                                                                      \
      (context, num_devices, device_list, lengths, binaries, binary_status, errcode_ret))         \
    X(cl_program, clCreateProgramWithSource,                                                      \
      (cl_context context, cl_uint count, const char **strings, const size_t *lengths,            \
       cl_int *errcode_ret),                                                                      \
      (context, count, strings, lengths, errcode_ret))                                            \
    X(cl_mem, clCreateSubBuffer,                                                                  \
      (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,               \
       const void *buffer_create_info, cl_int *errcode_ret),                                      \
      (buffer, flags, buffer_create_type, buffer_create_info, errcode_ret))

static struct {
/* A member's name takes no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define STATUS_ENTRY(Name, Parameters, Arguments) __typeof__(Name) *Name;
#define OBJECT_ENTRY(Type, Name, Parameters, Arguments) __typeof__(Name) *Name;
    /* NOLINTEND(bugprone-macro-parentheses) */
    STATUS_CALLS(STATUS_ENTRY)
    OBJECT_CALLS(OBJECT_ENTRY)
    __typeof__(clGetExtensionFunctionAddressForPlatform) *clGetExtensionFunctionAddressForPlatform;
} entries;

/* Standard C has no conversion of an object's address to a function's; POSIX has them of one representation. */
static void find_entry(void *loader, const char *name, void *entry)
{
    void *address = dlsym(loader, name);

    memcpy(entry, &address, sizeof address);
}

static void find_entries(void)
{
    char why[256];
    void *loader = wi_loader_find(why, sizeof why);

    if (loader == NULL) return;
#define FIND_STATUS(Name, Parameters, Arguments) find_entry(loader, #Name, &entries.Name);
#define FIND_OBJECT(Type, Name, Parameters, Arguments) find_entry(loader, #Name, &entries.Name);
    STATUS_CALLS(FIND_STATUS)
    OBJECT_CALLS(FIND_OBJECT)
    find_entry(loader, "clGetExtensionFunctionAddressForPlatform",
               &entries.clGetExtensionFunctionAddressForPlatform);
}

static void look(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, find_entries);
}

#define STATUS_CALL(Name, Parameters, Arguments)                            \
    cl_int CL_API_CALL Name Parameters                                      \
    {                                                                       \
        look();                                                             \
        return entries.Name != NULL ? entries.Name Arguments : NO_PLATFORM; \
    }

#define OBJECT_CALL(Type, Name, Parameters, Arguments)           \
    Type CL_API_CALL Name Parameters                             \
    {                                                            \
        look();                                                  \
        if (entries.Name != NULL) return entries.Name Arguments; \
        if (errcode_ret != NULL) *errcode_ret = NO_PLATFORM;     \
        return NULL;                                             \
    }

STATUS_CALLS(STATUS_CALL)
OBJECT_CALLS(OBJECT_CALL)

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                           const char *func_name)
{
    look();
    return entries.clGetExtensionFunctionAddressForPlatform != NULL
               ? entries.clGetExtensionFunctionAddressForPlatform(platform, func_name)
               : NULL;
}
