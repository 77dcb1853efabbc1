/* accumulate.f32: a += b on 64 MiB each, through weir_variable_assign_add(), against a float4 kernel written by hand
 * and launched with bare OpenCL on the same device. Both arrays of both sides are filled first, since drivers back
 * memory when it is first written. Sides take turns; a sample is the mean of some launches ended by a finish. The
 * kernel is tried with the driver's work-group size and with 256 and 64, and competes with the fastest. */
#include "bench.h"

#include "command.h"
#include "device_choice.h"
#include "stopwatch.h"

#include <weir/context.h>
#include <weir/ops.h>
#include <weir/update.h>

#include <CL/cl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS ((size_t)16 * 1024 * 1024)
#define BYTES (ELEMENTS * sizeof(float))
#define LAUNCHES 8
#define REPEATS 9

/* The kernel by hand and what it needs; all may be NULL. */
typedef struct by_hand {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem a;
    cl_mem b;
    size_t group; /* 0: the driver's choice */
} by_hand;

static const char *const kernel_text =
    "__kernel void accumulate(__global float4 *a, __global const float4 *b)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    a[i] += b[i];\n"
    "}\n";

/* Finds the device that weir calls "p.d": its platform and device as the loader lists them. Returns 1 or 0. */
static int find_device(const char *index, cl_device_id *out)
{
    cl_platform_id platforms[64];
    cl_device_id devices[64];
    cl_uint platform_count = 0;
    cl_uint device_count = 0;
    char *end = NULL;
    unsigned long platform = strtoul(index, &end, 10);
    unsigned long device = *end == '.' ? strtoul(end + 1, &end, 10) : ULONG_MAX;

    if (clGetPlatformIDs(64, platforms, &platform_count) != CL_SUCCESS ||
        platform >= platform_count || platform >= 64 ||
        clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices, &device_count) !=
            CL_SUCCESS ||
        device >= device_count || device >= 64)
        return 0;
    *out = devices[device];
    return 1;
}

static void hand_close(by_hand *hand)
{
    if (hand->a != NULL) (void)clReleaseMemObject(hand->a);
    if (hand->b != NULL) (void)clReleaseMemObject(hand->b);
    if (hand->kernel != NULL) (void)clReleaseKernel(hand->kernel);
    if (hand->program != NULL) (void)clReleaseProgram(hand->program);
    if (hand->queue != NULL) (void)clReleaseCommandQueue(hand->queue);
    if (hand->context != NULL) (void)clReleaseContext(hand->context);
}

/* Returns 1, or 0 if the driver refuses something; `hand` may then be half made. */
static int hand_open(by_hand *hand, cl_device_id device)
{
    cl_float one = 1.0F;
    cl_int error = CL_SUCCESS;

    hand->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (hand->context == NULL) return 0;
    hand->queue = clCreateCommandQueue(hand->context, device, 0, &error);
    hand->program =
        clCreateProgramWithSource(hand->context, 1, (const char **)&kernel_text, NULL, &error);
    hand->a = clCreateBuffer(hand->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    hand->b = clCreateBuffer(hand->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    if (hand->queue == NULL || hand->program == NULL || hand->a == NULL || hand->b == NULL ||
        clBuildProgram(hand->program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 0;
    hand->kernel = clCreateKernel(hand->program, "accumulate", &error);
    return hand->kernel != NULL &&
           clEnqueueFillBuffer(hand->queue, hand->a, &one, sizeof one, 0, BYTES, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clEnqueueFillBuffer(hand->queue, hand->b, &one, sizeof one, 0, BYTES, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clSetKernelArg(hand->kernel, 0, sizeof hand->a, &hand->a) == CL_SUCCESS &&
           clSetKernelArg(hand->kernel, 1, sizeof hand->b, &hand->b) == CL_SUCCESS &&
           clFinish(hand->queue) == CL_SUCCESS;
}

/* Returns seconds a launch, or a negative number if the driver refuses. */
static double hand_time(const by_hand *hand, size_t group)
{
    size_t items = ELEMENTS / 4;
    double start = stopwatch_now();

    for (int i = 0; i < LAUNCHES; i++) {
        if (clEnqueueNDRangeKernel(hand->queue, hand->kernel, 1, NULL, &items,
                                   group == 0 ? NULL : &group, 0, NULL, NULL) != CL_SUCCESS)
            return -1;
    }
    return clFinish(hand->queue) == CL_SUCCESS ? (stopwatch_now() - start) / LAUNCHES : -1;
}

/* Chooses the fastest work-group size. Returns 1, or 0 if none runs. */
static int hand_tune(by_hand *hand)
{
    static const size_t groups[] = {0, 64, 256};
    double best = -1;

    for (int turn = 0; turn < 2; turn++) { /* the first turn compiles */
        best = -1;
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
            double seconds = hand_time(hand, groups[i]);

            if (seconds >= 0 && (best < 0 || seconds < best)) {
                best = seconds;
                hand->group = groups[i];
            }
        }
    }
    return best >= 0;
}

static weir_status weir_time(weir_context *context, weir_variable *a, weir_tensor *b,
                             double *seconds)
{
    double start = stopwatch_now();
    weir_status status = WEIR_OK;

    for (int i = 0; i < LAUNCHES && status == WEIR_OK; i++) status = weir_variable_assign_add(a, b);
    if (status == WEIR_OK) status = weir_context_synchronize(context);
    *seconds = (stopwatch_now() - start) / LAUNCHES;
    return status;
}

static weir_status take_samples(weir_context *context, weir_variable *a, weir_tensor *b,
                                const by_hand *hand, bench_row *row)
{
    weir_status status = WEIR_OK;
    double bytes = 3.0 * (double)BYTES; /* two reads and a write */
    double seconds = 0;

    for (int i = 0; i <= REPEATS; i++) {
        double peer_seconds = hand_time(hand, hand->group);

        status = weir_time(context, a, b, &seconds);
        if (status != WEIR_OK) return status;
        if (i == 0) /* builds kernels */
            continue;
        bench_samples_add(&row->samples, bytes / seconds);
        if (peer_seconds > 0) bench_samples_add(&row->peer_samples, bytes / peer_seconds);
    }
    return status;
}

static weir_status measure(weir_context *context, const by_hand *hand, bench_row *row)
{
    weir_shape shape = {1, {ELEMENTS}};
    weir_tensor *initial = NULL;
    weir_tensor *b = NULL;
    weir_variable *a = NULL;
    weir_status status = weir_full(context, WEIR_DTYPE_F32, &shape, 1, &initial);

    if (status == WEIR_OK) status = weir_full(context, WEIR_DTYPE_F32, &shape, 1, &b);
    if (status == WEIR_OK)
        status = weir_variable_create(context, "a", WEIR_DTYPE_F32, &shape, initial, NULL, &a);
    weir_tensor_release(initial); /* else the first update would copy */
    if (status == WEIR_OK) status = take_samples(context, a, b, hand, row);
    weir_variable_release(a);
    weir_tensor_release(b);
    return status;
}

static int run_f32(const bench_peers *peers, bench_row *row)
{
    weir_context *context = NULL;
    weir_system *system = NULL;
    weir_device *device = NULL;
    cl_device_id bare = NULL;
    by_hand hand;
    int code = device_choose("bench", NULL, &system, &device);

    (void)peers;
    memset(&hand, 0, sizeof hand);
    (void)snprintf(row->unit, sizeof row->unit, "B/s");
    (void)snprintf(row->peer, sizeof row->peer, "float4 kernel by hand");
    if (code != PROGRAM_OK) goto done;
    if (!find_device(weir_device_get_index(device), &bare) || !hand_open(&hand, bare) ||
        !hand_tune(&hand)) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "the driver refuses the kernel written by hand");
        code = PROGRAM_FAILED;
        goto done;
    }
    if (weir_context_create(device, NULL, &context) != WEIR_OK ||
        measure(context, &hand, row) != WEIR_OK)
        code = bench_fail(row, "accumulate.f32");
done:
    hand_close(&hand);
    weir_context_release(context);
    weir_system_destroy(system);
    return code;
}

const bench_measurement bench_accumulate_f32 = {"accumulate.f32", run_f32, BENCH_RATIO_AT_LEAST,
                                                0.95};
