/* The competitor gets what one would give it by hand: a build, warm caches, and the best of some work-group sizes. */
#include "by_hand.h"

#include "stopwatch.h"

#include <limits.h>
#include <stdlib.h>

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

int by_hand_open_context(by_hand *hand, const char *index)
{
    cl_int error = CL_SUCCESS;

    if (!find_device(index, &hand->device)) return 0;
    hand->context = clCreateContext(NULL, 1, &hand->device, NULL, NULL, &error);
    return hand->context != NULL;
}

int by_hand_open(by_hand *hand, const char *index, const char *const *lines, size_t count,
                 const char *name)
{
    cl_int error = CL_SUCCESS;

    if (!by_hand_open_context(hand, index)) return 0;
    hand->queue = clCreateCommandQueue(hand->context, hand->device, 0, &error);
    hand->program = clCreateProgramWithSource(hand->context, (cl_uint)count, (const char **)lines,
                                              NULL, &error);
    if (hand->queue == NULL || hand->program == NULL ||
        clBuildProgram(hand->program, 1, &hand->device, "", NULL, NULL) != CL_SUCCESS)
        return 0;
    hand->kernel = clCreateKernel(hand->program, name, &error);
    return hand->kernel != NULL;
}

void by_hand_close(by_hand *hand)
{
    if (hand->kernel != NULL) (void)clReleaseKernel(hand->kernel);
    if (hand->program != NULL) (void)clReleaseProgram(hand->program);
    if (hand->queue != NULL) (void)clReleaseCommandQueue(hand->queue);
    if (hand->context != NULL) (void)clReleaseContext(hand->context);
}

cl_mem by_hand_buffer(const by_hand *hand, size_t bytes)
{
    cl_int error = CL_SUCCESS;

    return clCreateBuffer(hand->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
}

double by_hand_time(const by_hand *hand, int launches)
{
    double start = stopwatch_now();

    for (int i = 0; i < launches; i++) {
        if (clEnqueueNDRangeKernel(hand->queue, hand->kernel, 1, NULL, &hand->items,
                                   hand->group == 0 ? NULL : &hand->group, 0, NULL,
                                   NULL) != CL_SUCCESS)
            return -1;
    }
    return clFinish(hand->queue) == CL_SUCCESS ? (stopwatch_now() - start) / launches : -1;
}

int by_hand_tune(by_hand *hand, const size_t *groups, size_t count, int launches)
{
    size_t fastest = 0;
    double best = -1;

    for (int turn = 0; turn < 2; turn++) { /* the first turn compiles */
        best = -1;
        for (size_t i = 0; i < count; i++) {
            double seconds = 0;

            hand->group = groups[i];
            seconds = by_hand_time(hand, launches);
            if (seconds < 0 || (best >= 0 && seconds >= best)) continue;
            best = seconds;
            fastest = groups[i];
        }
    }
    hand->group = fastest;
    return best >= 0;
}
