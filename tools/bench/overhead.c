/* op.overhead: weir's own time for one operation: checking shapes, taking and giving back a block, setting arguments.
 * function.call: the same for the call of a captured function that is one kernel.
 *
 * A million of weir_add, or of calls, on the null ICD of tests/support, a driver that does nothing. What is left in the driver's
 * calls is measured apart: the driver counts its calls, and the same numbers of the same calls are made again without
 * weir. The difference of the two times is weir's. The replay runs each kind of call in a tight loop, which is the
 * fastest it can be, and leaves out kinds it does not know; so what is reported is never less than weir's own time.
 * Both are processor times of the one thread that works here. The peer columns hold the replay. */
#include "bench.h"

#include "child.h"
#include "command.h"
#include "device_choice.h"
#include "null_control.h"
#include "stopwatch.h"

#include <weir/context.h>
#include <weir/function.h>
#include <weir/ops.h>
#include <weir/system.h>

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMES 1000000
#define REPEATS 5

/* OpenCL objects of the replay, made without weir; all may be NULL. */
typedef struct replay {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
    const wt_null_control *control;
} replay;

/* What is measured: something done to two tensors, each result released at once, as a loop would. */
typedef struct work {
    const char *name;
    weir_status (*begin)(struct work *self);
    weir_status (*once)(const struct work *self, weir_tensor **out);
    weir_context *context;
    weir_tensor *a;
    weir_tensor *b;
    weir_function *function;
} work;

/* A kind of call that can be made again. */
typedef struct replay_call {
    const char *name;
    void (*make)(const replay *objects);
} replay_call;

static void call_set_argument(const replay *objects)
{
    (void)clSetKernelArg(objects->kernel, 0, sizeof objects->buffer, &objects->buffer);
}

static void call_launch(const replay *objects)
{
    size_t items = 1024;

    (void)clEnqueueNDRangeKernel(objects->queue, objects->kernel, 1, NULL, &items, NULL, 0, NULL,
                                 NULL);
}

static void call_flush(const replay *objects) { (void)clFlush(objects->queue); }

static void call_finish(const replay *objects) { (void)clFinish(objects->queue); }

/* A marker with its event: stands for the making of events, which is counted by their release. */
static void call_event(const replay *objects)
{
    cl_event event = NULL;

    if (clEnqueueMarkerWithWaitList(objects->queue, 0, NULL, &event) == CL_SUCCESS)
        (void)clReleaseEvent(event);
}

static const replay_call calls[] = {
    {"clSetKernelArg", call_set_argument},
    {"clEnqueueNDRangeKernel", call_launch},
    {"clFlush", call_flush},
    {"clFinish", call_finish},
    {"clReleaseEvent", call_event},
};

#define CALLS (sizeof calls / sizeof calls[0])

/* Points the OpenCL loader at the null ICD before its first use. Returns 1, or 0 and the reason. */
static int choose_driver(bench_row *row)
{
    char folder[4096] = "";
    char self[4000];
    const char *given = getenv("WEIR_NULL_VENDORS");

    if (given != NULL && given[0] != '\0') {
        (void)snprintf(folder, sizeof folder, "%s", given);
    } else if (child_self(self, sizeof self)) {
        *strrchr(self, '/') = '\0';
        (void)snprintf(folder, sizeof folder, "%s/../null_icd", self);
    }
    if (access(folder, R_OK) != 0) {
        (void)snprintf(
            row->reason, sizeof row->reason,
            "skipped: no null driver beside the program (set WEIR_NULL_VENDORS to its folder)");
        return 0;
    }
    return setenv("OCL_ICD_VENDORS", folder, 1) == 0 && unsetenv("OCL_ICD_FILENAMES") == 0 &&
           setenv("WEIR_CACHE", "0", 1) == 0;
}

static void replay_close(replay *objects)
{
    if (objects->buffer != NULL) (void)clReleaseMemObject(objects->buffer);
    if (objects->kernel != NULL) (void)clReleaseKernel(objects->kernel);
    if (objects->program != NULL) (void)clReleaseProgram(objects->program);
    if (objects->queue != NULL) (void)clReleaseCommandQueue(objects->queue);
    if (objects->context != NULL) (void)clReleaseContext(objects->context);
}

/* Returns 1, or 0 if the driver lacks something; objects may then be half made. */
static int replay_open(replay *objects)
{
    static const char *const text = "__kernel void nothing(__global float *x) { x[0] = 0.0f; }";
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int error = CL_SUCCESS;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 0;
    /* A pointer to data from a function's address: what the driver's entry point gives by its definition. */
    objects->control = (const wt_null_control *)clGetExtensionFunctionAddressForPlatform(
        platform, WT_NULL_CONTROL);
    objects->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (objects->context == NULL || objects->control == NULL) return 0;
    objects->queue = clCreateCommandQueue(objects->context, device, 0, &error);
    objects->program =
        clCreateProgramWithSource(objects->context, 1, (const char **)&text, NULL, &error);
    objects->buffer = clCreateBuffer(objects->context, CL_MEM_READ_WRITE, 4096, NULL, &error);
    if (objects->queue == NULL || objects->program == NULL || objects->buffer == NULL ||
        clBuildProgram(objects->program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 0;
    objects->kernel = clCreateKernel(objects->program, "nothing", &error);
    return objects->kernel != NULL;
}

static weir_status begin_add(work *self)
{
    (void)self;
    return WEIR_OK;
}

static weir_status add_once(const work *self, weir_tensor **out)
{
    return weir_add(self->context, self->a, self->b, out);
}

/* (a + b) * a: a chain, so one kernel. */
static weir_status body(weir_context *context, const weir_argument *arguments, weir_tensor **outs,
                        void *user)
{
    weir_tensor *sum = NULL;
    weir_status status = weir_add(context, arguments[0].tensor, arguments[1].tensor, &sum);

    (void)user;
    if (status == WEIR_OK) status = weir_mul(context, sum, arguments[0].tensor, &outs[0]);
    weir_tensor_release(sum);
    return status;
}

static weir_status begin_call(work *self)
{
    weir_argument_spec spec = {WEIR_ARGUMENT_TENSOR, WEIR_DTYPE_F32,
                               *weir_tensor_get_shape(self->a)};
    weir_argument_spec specs[2] = {spec, spec};

    return weir_function_capture(self->context, specs, 2, 1, body, NULL, &self->function);
}

static weir_status call_once(const work *self, weir_tensor **out)
{
    weir_argument arguments[2] = {{self->a, {0, 0, 0}}, {self->b, {0, 0, 0}}};

    return weir_function_call(self->function, arguments, 2, out, 1);
}

static weir_status repeat(const work *self, int count)
{
    weir_status status = WEIR_OK;

    for (int i = 0; i < count && status == WEIR_OK; i++) {
        weir_tensor *result = NULL;

        status = self->once(self, &result);
        weir_tensor_release(result);
    }
    return status;
}

/* Times the work, then the calls it made; one sample of each, in seconds a time. */
static weir_status take_sample(const work *self, const replay *objects, bench_row *row)
{
    uint64_t counts[CALLS];
    double start = 0;
    double whole = 0;
    double inside = 0;
    weir_status status = WEIR_OK;

    objects->control->reset_calls();
    start = stopwatch_thread();
    status = repeat(self, TIMES);
    whole = stopwatch_thread() - start;
    for (size_t i = 0; i < CALLS; i++) counts[i] = objects->control->get_calls(calls[i].name);
    start = stopwatch_thread();
    for (size_t i = 0; i < CALLS; i++) {
        for (uint64_t call = 0; call < counts[i] && counts[i] != UINT64_MAX; call++)
            calls[i].make(objects);
    }
    inside = stopwatch_thread() - start;
    bench_samples_add(&row->samples, (whole - inside) / TIMES);
    bench_samples_add(&row->peer_samples, inside / TIMES);
    return status;
}

static weir_status measure(work *self, const replay *objects, bench_row *row)
{
    weir_shape shape = {2, {1, 1024}};
    weir_status status = weir_full(self->context, WEIR_DTYPE_F32, &shape, 1, &self->a);

    if (status == WEIR_OK) status = weir_full(self->context, WEIR_DTYPE_F32, &shape, 2, &self->b);
    if (status == WEIR_OK) status = self->begin(self);
    if (status == WEIR_OK) status = repeat(self, 1000);
    for (int i = 0; i < REPEATS && status == WEIR_OK; i++) status = take_sample(self, objects, row);
    weir_function_release(self->function);
    weir_tensor_release(self->a);
    weir_tensor_release(self->b);
    return status;
}

static int run_work(work *self, bench_row *row)
{
    const weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_system *system = NULL;
    weir_device *device = NULL;
    replay objects;
    int code = PROGRAM_OK;

    memset(&objects, 0, sizeof objects);
    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "the same cl* calls without weir");
    if (!choose_driver(row)) return PROGRAM_OK;
    options.no_self_check = 1; /* the driver computes nothing */
    if (!replay_open(&objects)) {
        (void)snprintf(row->reason, sizeof row->reason, "the null driver does not answer");
        code = PROGRAM_FAILED;
    } else if (weir_system_create(&system) != WEIR_OK ||
               weir_system_find(system, "0.0", &device) != WEIR_OK) {
        code = bench_fail(row, self->name);
    } else {
        code = device_configure("bench", device, &memory);
    }
    if (code == PROGRAM_OK && (weir_context_create(device, &options, &self->context) != WEIR_OK ||
                               measure(self, &objects, row) != WEIR_OK))
        code = bench_fail(row, self->name);
    replay_close(&objects);
    weir_context_release(self->context);
    weir_system_destroy(system);
    return code;
}

static int run_overhead(const bench_peers *peers, bench_row *row)
{
    work add = {.name = "op.overhead", .begin = begin_add, .once = add_once};

    (void)peers;
    return run_work(&add, row);
}

static int run_call(const bench_peers *peers, bench_row *row)
{
    work call = {.name = "function.call", .begin = begin_call, .once = call_once};

    (void)peers;
    return run_work(&call, row);
}

const bench_measurement bench_op_overhead = {"op.overhead", run_overhead, BENCH_VALUE_AT_MOST,
                                             1e-6};
const bench_measurement bench_function_call = {"function.call", run_call, BENCH_VALUE_AT_MOST,
                                               2e-6};
