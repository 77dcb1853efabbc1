/* A program's own OpenCL objects beside weir: a context, a queue and a kernel that adds to words of a buffer. */
#ifndef WT_INTEROP_SUPPORT_H
#define WT_INTEROP_SUPPORT_H

#include "devices.h"

#include <weir/interop_cl.h>

#include <string.h>
#include <time.h>

#define wt_cl(Expression) wt_cl_is((Expression), #Expression)

static inline void wt_cl_is(cl_int code, const char *call)
{
    cr_assert_eq(code, CL_SUCCESS, "%s gives %d", call, (int)code);
}

/* Bit by bit, whatever the type. */
static inline int is_same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

typedef struct own_cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel; /* a[first + i] += add for i < n */
} own_cl;

static inline cl_context own_context(cl_device_id device)
{
    cl_int code = CL_SUCCESS;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);

    wt_cl(code);
    return context;
}

static inline cl_command_queue own_queue(cl_context context, cl_device_id device)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);

    wt_cl(code);
    return queue;
}

static inline void own_build(own_cl *own)
{
    static const char *text = "kernel void add(global uint *a, ulong first, uint n, uint by)\n"
                              "{\n"
                              "    size_t i = get_global_id(0);\n"
                              "    if (i < n) a[first + i] += by;\n"
                              "}";
    cl_int code = CL_SUCCESS;

    own->program = clCreateProgramWithSource(own->context, 1, &text, NULL, &code);
    wt_cl(code);
    wt_cl(clBuildProgram(own->program, 1, &own->device, "", NULL, NULL));
    own->kernel = clCreateKernel(own->program, "add", &code);
    wt_cl(code);
}

static inline own_cl own_open(cl_device_id device)
{
    own_cl own = {.device = device};

    own.context = own_context(device);
    own.queue = own_queue(own.context, device);
    own_build(&own);
    return own;
}

static inline void own_add(const own_cl *own, cl_command_queue queue, cl_mem mem,
                           uint64_t offset_bytes, cl_uint count, cl_uint by)
{
    const cl_ulong first = offset_bytes / 4;
    const size_t items = count;

    wt_cl(clSetKernelArg(own->kernel, 0, sizeof mem, &mem));
    wt_cl(clSetKernelArg(own->kernel, 1, sizeof first, &first));
    wt_cl(clSetKernelArg(own->kernel, 2, sizeof count, &count));
    wt_cl(clSetKernelArg(own->kernel, 3, sizeof by, &by));
    wt_cl(clEnqueueNDRangeKernel(queue, own->kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

static inline cl_mem own_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                const void *data)
{
    cl_int code = CL_SUCCESS;
    cl_mem mem = clCreateBuffer(context, flags | (data != NULL ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                (void *)(uintptr_t)data, &code);

    wt_cl(code);
    return mem;
}

static inline cl_uint context_owners(cl_context context)
{
    cl_uint count = 0;
    wt_cl(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static inline cl_uint queue_owners(cl_command_queue queue)
{
    cl_uint count = 0;
    wt_cl(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static inline cl_uint buffer_owners(cl_mem mem)
{
    cl_uint count = 0;
    wt_cl(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

/* The count of an object's owners comes to what is expected. An implementation may own an object on behalf of commands
 * (OpenCL 3.0, glossary, "reference count"), and rusticl gives up what a command held only after it has told that the
 * command ended: such a count comes late, that of a leak never. */
#define wt_owners(Owners, Object, Expected)                                                      \
    do {                                                                                         \
        const struct timespec pause = {.tv_sec = 0, .tv_nsec = 1000000};                         \
        for (int turn = 0; Owners(Object) != (Expected) && turn < 60000; turn++) {               \
            (void)nanosleep(&pause, NULL);                                                       \
        }                                                                                        \
        cr_assert_eq(Owners(Object), (Expected), "%s: %s(%s) is %u, not %u", dev->name, #Owners, \
                     #Object, Owners(Object), (cl_uint)(Expected));                              \
    } while (0)

static inline void own_close(own_cl *own)
{
    wt_cl(clReleaseKernel(own->kernel));
    wt_cl(clReleaseProgram(own->program));
    wt_cl(clReleaseCommandQueue(own->queue));
    wt_cl(clReleaseContext(own->context));
}

#endif
