/* The OpenCL functions that fault tests can make fail. The build reads the names from here for ld's --wrap.
 *
 * Functions that release are absent: they are how a failed call cleans up, and the library cannot act on their codes.
 * X(name, code it fails with unless a test says otherwise, parameters, arguments)
 * WT_FAULT_STATUS_CALLS return their code; WT_FAULT_OBJECT_CALLS return an object and store the code in `errcode`.
 */
#ifndef WT_FAULT_CALLS_H
#define WT_FAULT_CALLS_H

#include <CL/cl.h>

/* One row a function.
 * clang-format off */
#define WT_FAULT_OBJECT_CALLS(X)                                                                 \
    X(cl_context, clCreateContext, CL_OUT_OF_HOST_MEMORY,                                        \
      (const cl_context_properties *p, cl_uint n, const cl_device_id *d,                         \
       void(CL_CALLBACK * f)(const char *, const void *, size_t, void *), void *u,               \
       cl_int *errcode),                                                                         \
      (p, n, d, f, u, errcode))                                                                  \
    X(cl_command_queue, clCreateCommandQueue, CL_OUT_OF_RESOURCES,                               \
      (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int * errcode),           \
      (c, d, p, errcode))                                                                        \
    X(cl_mem, clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,                                  \
      (cl_context c, cl_mem_flags f, size_t n, void *h, cl_int *errcode), (c, f, n, h, errcode)) \
    X(cl_mem, clCreateSubBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,                               \
      (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void *i, cl_int *errcode),       \
      (m, f, t, i, errcode))                                                                     \
    X(cl_program, clCreateProgramWithSource, CL_OUT_OF_HOST_MEMORY,                              \
      (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *errcode),               \
      (c, n, s, l, errcode))                                                                     \
    X(cl_program, clCreateProgramWithBinary, CL_INVALID_BINARY,                                  \
      (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b, \
       cl_int *s, cl_int *errcode),                                                              \
      (c, n, d, l, b, s, errcode))                                                               \
    X(cl_kernel, clCreateKernel, CL_OUT_OF_RESOURCES,                                            \
      (cl_program p, const char *n, cl_int *errcode), (p, n, errcode))                           \
    X(void *, clEnqueueMapBuffer, CL_MAP_FAILURE,                                                \
      (cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o, size_t n, cl_uint c,   \
       const cl_event *w, cl_event *e, cl_int *errcode),                                         \
      (q, m, b, f, o, n, c, w, e, errcode))

#define WT_FAULT_STATUS_CALLS(X)                                                                \
    X(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY, (cl_uint n, cl_platform_id * p, cl_uint * c),    \
      (n, p, c))                                                                                \
    X(clGetDeviceIDs, CL_OUT_OF_HOST_MEMORY,                                                    \
      (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id * d, cl_uint * c),           \
      (p, t, n, d, c))                                                                          \
    X(clGetPlatformInfo, CL_OUT_OF_HOST_MEMORY,                                                 \
      (cl_platform_id p, cl_platform_info i, size_t n, void *v, size_t *r), (p, i, n, v, r))    \
    X(clGetDeviceInfo, CL_OUT_OF_RESOURCES,                                                     \
      (cl_device_id d, cl_device_info i, size_t n, void *v, size_t *r), (d, i, n, v, r))        \
    X(clGetContextInfo, CL_OUT_OF_RESOURCES,                                                    \
      (cl_context c, cl_context_info i, size_t n, void *v, size_t *r), (c, i, n, v, r))         \
    X(clGetMemObjectInfo, CL_OUT_OF_RESOURCES,                                                  \
      (cl_mem m, cl_mem_info i, size_t n, void *v, size_t *r), (m, i, n, v, r))                 \
    X(clGetCommandQueueInfo, CL_OUT_OF_RESOURCES,                                               \
      (cl_command_queue q, cl_command_queue_info i, size_t n, void *v, size_t *r),              \
      (q, i, n, v, r))                                                                          \
    X(clRetainDevice, CL_OUT_OF_RESOURCES, (cl_device_id d), (d))                               \
    X(clRetainContext, CL_OUT_OF_HOST_MEMORY, (cl_context c), (c))                              \
    X(clRetainCommandQueue, CL_OUT_OF_HOST_MEMORY, (cl_command_queue q), (q))                   \
    X(clRetainMemObject, CL_OUT_OF_HOST_MEMORY, (cl_mem m), (m))                                \
    X(clBuildProgram, CL_BUILD_PROGRAM_FAILURE,                                                 \
      (cl_program p, cl_uint n, const cl_device_id *d, const char *o,                           \
       void(CL_CALLBACK * f)(cl_program, void *), void *u),                                     \
      (p, n, d, o, f, u))                                                                       \
    X(clGetProgramInfo, CL_OUT_OF_RESOURCES,                                                    \
      (cl_program p, cl_program_info i, size_t n, void *v, size_t *r), (p, i, n, v, r))         \
    X(clGetProgramBuildInfo, CL_OUT_OF_RESOURCES,                                               \
      (cl_program p, cl_device_id d, cl_program_build_info i, size_t n, void *v, size_t *r),    \
      (p, d, i, n, v, r))                                                                       \
    X(clGetKernelInfo, CL_OUT_OF_RESOURCES,                                                     \
      (cl_kernel k, cl_kernel_info i, size_t n, void *v, size_t *r), (k, i, n, v, r))           \
    X(clGetKernelWorkGroupInfo, CL_OUT_OF_RESOURCES,                                            \
      (cl_kernel k, cl_device_id d, cl_kernel_work_group_info i, size_t n, void *v, size_t *r), \
      (k, d, i, n, v, r))                                                                       \
    X(clSetKernelArg, CL_OUT_OF_RESOURCES, (cl_kernel k, cl_uint i, size_t n, const void *v),   \
      (k, i, n, v))                                                                             \
    X(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES,                                              \
      (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,            \
       const size_t *l, cl_uint c, const cl_event *w, cl_event *e),                             \
      (q, k, d, o, g, l, c, w, e))                                                              \
    X(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES,                                                 \
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *v, cl_uint c,         \
       const cl_event *w, cl_event *e),                                                         \
      (q, m, b, o, n, v, c, w, e))                                                              \
    X(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES,                                                \
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void *v, cl_uint c,   \
       const cl_event *w, cl_event *e),                                                         \
      (q, m, b, o, n, v, c, w, e))                                                              \
    X(clEnqueueCopyBuffer, CL_OUT_OF_RESOURCES,                                                 \
      (cl_command_queue q, cl_mem f, cl_mem t, size_t fo, size_t to, size_t n, cl_uint c,       \
       const cl_event *w, cl_event *e),                                                         \
      (q, f, t, fo, to, n, c, w, e))                                                            \
    X(clEnqueueFillBuffer, CL_OUT_OF_RESOURCES,                                                 \
      (cl_command_queue q, cl_mem m, const void *p, size_t pn, size_t o, size_t n, cl_uint c,   \
       const cl_event *w, cl_event *e),                                                         \
      (q, m, p, pn, o, n, c, w, e))                                                             \
    X(clEnqueueUnmapMemObject, CL_OUT_OF_RESOURCES,                                             \
      (cl_command_queue q, cl_mem m, void *v, cl_uint c, const cl_event *w, cl_event *e),       \
      (q, m, v, c, w, e))                                                                       \
    X(clEnqueueMarkerWithWaitList, CL_OUT_OF_HOST_MEMORY,                                       \
      (cl_command_queue q, cl_uint c, const cl_event *w, cl_event *e), (q, c, w, e))            \
    X(clEnqueueBarrierWithWaitList, CL_OUT_OF_HOST_MEMORY,                                      \
      (cl_command_queue q, cl_uint c, const cl_event *w, cl_event *e), (q, c, w, e))            \
    X(clWaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,                            \
      (cl_uint n, const cl_event *e), (n, e))                                                   \
    X(clGetEventInfo, CL_OUT_OF_RESOURCES,                                                      \
      (cl_event e, cl_event_info i, size_t n, void *v, size_t *r), (e, i, n, v, r))             \
    X(clFlush, CL_OUT_OF_RESOURCES, (cl_command_queue q), (q))                                  \
    X(clFinish, CL_OUT_OF_RESOURCES, (cl_command_queue q), (q))
/* clang-format on */

#endif
