/* Parts of the null ICD: an OpenCL 1.2 driver that hands out objects, counts calls and does nothing else.
 *
 * It exists to measure what the library itself costs and leaks, and to be told to fail. Handles are real and checked,
 * sizes and ranges are checked, kernels never run. Images, samplers, native kernels, sharing and compile and link as
 * separate steps are absent: their entries of the dispatch table are NULL. The i-th device wants its buffers aligned to
 * 1024 << i bits.
 */
#ifndef NULL_ICD_H
#define NULL_ICD_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define NULL_DEVICES_MAX 8

/* Every function of the driver, by its OpenCL name. */
#define NULL_CALL_LIST(X)                       \
    X(clGetPlatformIDs)                         \
    X(clGetPlatformInfo)                        \
    X(clGetDeviceIDs)                           \
    X(clGetDeviceInfo)                          \
    X(clRetainDevice)                           \
    X(clReleaseDevice)                          \
    X(clGetExtensionFunctionAddress)            \
    X(clGetExtensionFunctionAddressForPlatform) \
    X(clCreateContext)                          \
    X(clCreateContextFromType)                  \
    X(clRetainContext)                          \
    X(clReleaseContext)                         \
    X(clGetContextInfo)                         \
    X(clCreateCommandQueue)                     \
    X(clRetainCommandQueue)                     \
    X(clReleaseCommandQueue)                    \
    X(clGetCommandQueueInfo)                    \
    X(clCreateBuffer)                           \
    X(clCreateSubBuffer)                        \
    X(clRetainMemObject)                        \
    X(clReleaseMemObject)                       \
    X(clGetMemObjectInfo)                       \
    X(clCreateProgramWithSource)                \
    X(clCreateProgramWithBinary)                \
    X(clRetainProgram)                          \
    X(clReleaseProgram)                         \
    X(clBuildProgram)                           \
    X(clUnloadCompiler)                         \
    X(clUnloadPlatformCompiler)                 \
    X(clGetProgramInfo)                         \
    X(clGetProgramBuildInfo)                    \
    X(clCreateKernel)                           \
    X(clRetainKernel)                           \
    X(clReleaseKernel)                          \
    X(clSetKernelArg)                           \
    X(clGetKernelInfo)                          \
    X(clGetKernelWorkGroupInfo)                 \
    X(clWaitForEvents)                          \
    X(clGetEventInfo)                           \
    X(clRetainEvent)                            \
    X(clReleaseEvent)                           \
    X(clGetEventProfilingInfo)                  \
    X(clFlush)                                  \
    X(clFinish)                                 \
    X(clEnqueueReadBuffer)                      \
    X(clEnqueueWriteBuffer)                     \
    X(clEnqueueCopyBuffer)                      \
    X(clEnqueueFillBuffer)                      \
    X(clEnqueueMapBuffer)                       \
    X(clEnqueueUnmapMemObject)                  \
    X(clEnqueueMigrateMemObjects)               \
    X(clEnqueueNDRangeKernel)                   \
    X(clEnqueueTask)                            \
    X(clEnqueueMarker)                          \
    X(clEnqueueBarrier)                         \
    X(clEnqueueMarkerWithWaitList)              \
    X(clEnqueueBarrierWithWaitList)

typedef enum null_call {
#define NULL_CALL_ENUM(Name) NULL_##Name,
    NULL_CALL_LIST(NULL_CALL_ENUM)
#undef NULL_CALL_ENUM
        NULL_CALL_COUNT
} null_call;

/* X(KIND, OpenCL type, code for a handle that is not one) */
#define NULL_KIND_LIST(X)                                  \
    X(CONTEXT, "cl_context", CL_INVALID_CONTEXT)           \
    X(QUEUE, "cl_command_queue", CL_INVALID_COMMAND_QUEUE) \
    X(BUFFER, "cl_mem", CL_INVALID_MEM_OBJECT)             \
    X(PROGRAM, "cl_program", CL_INVALID_PROGRAM)           \
    X(KERNEL, "cl_kernel", CL_INVALID_KERNEL)              \
    X(EVENT, "cl_event", CL_INVALID_EVENT)

typedef enum null_kind {
#define NULL_KIND_ENUM(KIND, Text, Code) NULL_KIND_##KIND,
    NULL_KIND_LIST(NULL_KIND_ENUM)
#undef NULL_KIND_ENUM
        NULL_KIND_COUNT
} null_kind;

/* The head of every counted object; the loader finds the dispatch table at its start.
 *
 * Invariants: live: mark == NULL_MARK and holders >= 1; holders == (owners > 0) + objects whose parent it is. */
typedef struct null_object {
    cl_icd_dispatch *dispatch;
    uint32_t mark;
    null_kind kind;
    atomic_uint owners;  /* references of the application */
    atomic_uint holders; /* reasons to exist; freed at 0 */
    struct null_object *parent;
    void (*dispose)(void *object); /* frees what the object owns, not itself; may be NULL */
} null_object;

#define NULL_MARK 0x4e554c4cU

struct _cl_platform_id {
    cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
    cl_icd_dispatch *dispatch;
    unsigned index;
};

struct _cl_context {
    null_object head;
    cl_uint device_count;
    cl_device_id devices[NULL_DEVICES_MAX];
};

/* Invariants: completed <= enqueued. */
struct _cl_command_queue {
    null_object head;
    cl_device_id device;
    cl_command_queue_properties properties;
    _Atomic uint64_t enqueued;
    _Atomic uint64_t completed;
};

struct _cl_mem {
    null_object head; /* parent: the context, or whole */
    cl_context context;
    cl_mem whole; /* of a sub-buffer; else NULL */
    size_t origin;
    cl_mem_flags flags;
    size_t bytes;
    void *host;          /* host pointer of the application */
    unsigned char *data; /* made at the first write or map; NULL reads as zeros */
    atomic_uint maps;
};

struct _cl_program {
    null_object head;
    char *source;  /* zero-terminated */
    char *options; /* of the last build; NULL before */
    int is_binary; /* made from a binary, which is the source behind a heading */
    cl_build_status status;
    char *log;
};

struct _cl_kernel {
    null_object head;
    char *name;
};

struct _cl_event {
    null_object head;
    cl_command_queue queue;
    cl_command_type type;
    uint64_t sequence; /* complete when queue->completed reaches it */
};

/* What the environment or a test asked for. Texts are owned. */
typedef struct null_settings {
    unsigned platforms;
    unsigned devices;
    cl_device_type type;
    cl_bool unified;
    char *name;
    char *vendor;
    uint64_t memory_bytes;
    uint64_t max_alloc_bytes;
    uint64_t capacity_bytes;
    uint64_t refuse_above_bytes;
    int is_backed;
    int is_lazy;
    char *build_log;
    char *counts_path;
} null_settings;

extern cl_icd_dispatch null_table;
extern struct _cl_platform_id null_platform;
extern struct _cl_device_id null_devices[NULL_DEVICES_MAX];
extern null_settings null_set;
extern const void *const null_control;

/* Counts a call and applies the rules of FAIL; anything but CL_SUCCESS is to be returned at once. */
cl_int null_enter(null_call call);

/* Answers an Info query: copies `bytes` of `data` under the rules that all of them share. */
cl_int null_answer(const void *data, size_t bytes, size_t room, void *out, size_t *bytes_ret);

/* Stores a code where a creating function wants it. */
void null_tell(cl_int code, cl_int *out);

/* Makes an object with one owner, which holds its parent; NULL without memory. */
void *null_object_create(null_kind kind, size_t bytes, null_object *parent,
                         void (*dispose)(void *));

/* 1 if `object` is a live one of that kind. */
int null_object_is(const void *object, null_kind kind);

/* The error for a wrong handle of a kind. */
cl_int null_kind_code(null_kind kind);

cl_int null_object_retain(void *object, null_kind kind);
cl_int null_object_release(void *object, null_kind kind);
cl_uint null_object_get_owners(const void *object);

uint64_t null_live_get(const char *kind); /* as wt_null_control */
uint64_t null_buffer_bytes_get(void);
uint64_t null_buffer_bytes_peak_get(void);
uint64_t null_pending_peak_get(void);

/* Completes every command of a queue up to that number. */
void null_complete(cl_command_queue queue, uint64_t sequence);

/* Each part enters its functions. */
void null_add_platform(cl_icd_dispatch *table);
void null_add_context(cl_icd_dispatch *table);
void null_add_memory(cl_icd_dispatch *table);
void null_add_program(cl_icd_dispatch *table);
void null_add_command(cl_icd_dispatch *table);
void null_add_event(cl_icd_dispatch *table);

/* Counts a command, makes its event if one is wanted, completes it if it blocks or completion is not lazy. */
cl_int null_command(cl_command_queue queue, cl_command_type type, int is_blocking,
                    cl_uint wait_count, const cl_event *wait_list, cl_event *event);

#endif
