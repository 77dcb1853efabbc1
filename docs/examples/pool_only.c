#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <stdlib.h>
#include <weir/interop_cl.h>

enum { STEPS = 1000, COUNT = 65536, DEVICES = 16 };

static const char *const source =
    "kernel void axpy(float a, global const float *x, ulong x0, global float *y, ulong y0)\n"
    "{ size_t i = get_global_id(0); y[y0 + i] += a * x[x0 + i]; }\n";

static void must(int is_good, const char *what)
{
    if (is_good) return;
    printf("%s failed; weir says: %s\n", what, weir_last_error()->message);
    exit(1);
}

/* Kernel arguments of a block: the buffer it lies in, and where. */
static void set_block(cl_kernel kernel, cl_uint arg, weir_block *block)
{
    cl_mem mem = NULL;
    uint64_t offset_bytes = 0;
    cl_ulong first = 0;

    weir_block_get_cl_mem(block, &mem, &offset_bytes);
    first = offset_bytes / sizeof(float);
    must(!clSetKernelArg(kernel, arg, sizeof mem, &mem) &&
             !clSetKernelArg(kernel, arg + 1, sizeof first, &first),
         "clSetKernelArg");
}

static void fill(cl_command_queue queue, weir_block *block, float value)
{
    cl_mem mem = NULL;
    uint64_t offset_bytes = 0;

    weir_block_get_cl_mem(block, &mem, &offset_bytes);
    must(!clEnqueueFillBuffer(queue, mem, &value, sizeof value, offset_bytes, COUNT * sizeof value,
                              0, NULL, NULL),
         "clEnqueueFillBuffer");
}

/* y[i] += x[i] / 2, a thousand times, with x in a block of its own that is taken and let go in each step. */
static float work(cl_command_queue queue, cl_kernel kernel, weir_pool *pool)
{
    const size_t items = COUNT;
    const float half = 0.5F;
    weir_block *y = NULL;
    cl_mem mem = NULL;
    uint64_t offset_bytes = 0;
    float last = 0;

    must(!weir_pool_alloc(pool, NULL, COUNT * sizeof(float), "y", &y), "weir_pool_alloc");
    fill(queue, y, 0);
    must(!clSetKernelArg(kernel, 0, sizeof half, &half), "clSetKernelArg");
    set_block(kernel, 3, y);
    for (int step = 0; step < STEPS; step++) {
        const uint64_t bytes = COUNT * sizeof(float) * (uint64_t)(1 + step % 7);
        weir_block *x = NULL;

        must(!weir_pool_alloc(pool, NULL, bytes, "x", &x), "weir_pool_alloc");
        fill(queue, x, 1);
        set_block(kernel, 1, x);
        must(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
        weir_block_release(x); /* no waiting: what comes next in the queue may use the bytes */
    }
    weir_block_get_cl_mem(y, &mem, &offset_bytes);
    must(!clEnqueueReadBuffer(queue, mem, CL_TRUE, offset_bytes + (COUNT - 1) * sizeof last,
                              sizeof last, &last, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    weir_block_release(y);
    return last;
}

/* pool_only [PLATFORM [DEVICE]]: numbers from 0. */
int main(int argc, char **argv)
{
    const unsigned long p = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const unsigned long d = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    cl_platform_id platforms[DEVICES] = {NULL};
    cl_device_id devices[DEVICES] = {NULL};
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_pool_stats stats;
    weir_context *lent = NULL;

    must(p < DEVICES && d < DEVICES && !clGetPlatformIDs(DEVICES, platforms, NULL) &&
             platforms[p] != NULL &&
             !clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES, devices, NULL) &&
             devices[d] != NULL,
         "listing the devices");
    cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, devices[d], 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, NULL);
    must(!clBuildProgram(program, 1, &devices[d], "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "axpy", NULL);

    options.no_self_check = 1; /* nothing is computed by weir */
    must(!weir_context_adopt(context, devices[d], queue, &options, &lent), "weir_context_adopt");
    memory.strategy = "adaptive";
    memory.limit_bytes = 16 << 20;
    must(!weir_device_configure(weir_context_get_device(lent), &memory), "weir_device_configure");

    printf("y is %g\n", (double)work(queue, kernel, weir_context_get_pool(lent)));
    weir_pool_get_stats(weir_context_get_pool(lent), &stats);
    printf("%llu blocks of %llu KiB together\n", (unsigned long long)stats.blocks.count,
           (unsigned long long)stats.requested_bytes.total >> 10);
    printf("at most %llu KiB in use at a time, in %s 4 MiB of buffers\n",
           (unsigned long long)stats.in_use_bytes.peak >> 10,
           stats.reserved_bytes.peak <= 4 << 20 ? "no more than" : "more than");
    printf("clCreateBuffer was called %s\n",
           stats.driver_allocs <= 10 ? "ten times at most" : "more than ten times");

    weir_context_release(lent); /* weir lets go of context and queue, which are as they were */
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
