/* The null ICD seen through the OpenCL loader: it counts, checks handles and ranges, and fails when told to. */
#include "null_device.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(null_icd, .timeout = 120);

struct objects {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static struct objects open_objects(void)
{
    struct objects o = {NULL, NULL, NULL};
    cl_platform_id platform = NULL;
    cl_int code = CL_SUCCESS;

    cr_assert_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    cr_assert_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &o.device, NULL), CL_SUCCESS);
    o.context = clCreateContext(NULL, 1, &o.device, NULL, NULL, &code);
    cr_assert_eq(code, CL_SUCCESS);
    o.queue = clCreateCommandQueue(o.context, o.device, 0, &code);
    cr_assert_eq(code, CL_SUCCESS);
    return o;
}

static void close_objects(struct objects *o)
{
    cr_assert_eq(clReleaseCommandQueue(o->queue), CL_SUCCESS);
    cr_assert_eq(clReleaseContext(o->context), CL_SUCCESS);
}

Test(null_icd, counts_calls_and_live_objects)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();
    cl_int code = CL_SUCCESS;
    cl_mem buffer = NULL;

    control->reset_calls();
    for (int i = 0; i < 3; i++) {
        buffer = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 1000, NULL, &code);
        cr_assert_eq(code, CL_SUCCESS);
        cr_assert_eq(control->get_live("cl_mem"), 1);
        cr_assert_eq(clReleaseMemObject(buffer), CL_SUCCESS);
    }
    cr_assert_eq(control->get_calls("clCreateBuffer"), 3);
    cr_assert_eq(control->get_calls("clReleaseMemObject"), 3);
    cr_assert_eq(control->get_calls(NULL), 6);
    cr_assert_eq(control->get_calls("clNoSuchCall"), UINT64_MAX);
    cr_assert_eq(control->get_live("cl_mem"), 0);
    cr_assert_eq(control->get_live(NULL), 2);
    cr_assert_eq(control->get_buffer_bytes(), 0);
    cr_assert_eq(control->get_buffer_bytes_peak(), 1000);
    close_objects(&o);
    cr_assert_eq(control->get_live(NULL), 0);
}

Test(null_icd, a_buffer_outlives_its_context_and_an_event_keeps_its_queue)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();
    cl_mem buffer = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_event event = NULL;
    cl_command_queue queue = NULL;
    size_t bytes = 0;

    cr_assert_eq(clEnqueueMarkerWithWaitList(o.queue, 0, NULL, &event), CL_SUCCESS);
    close_objects(&o);
    cr_assert_eq(control->get_live(NULL), 2);
    cr_assert_eq(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    cr_assert_eq(bytes, 64);
    cr_assert_eq(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(void *), &queue, NULL),
                 CL_SUCCESS);
    cr_assert_eq(queue, o.queue);
    cr_assert_eq(clReleaseEvent(event), CL_SUCCESS);
    cr_assert_eq(clReleaseMemObject(buffer), CL_SUCCESS);
    cr_assert_eq(control->get_live(NULL), 0);
}

Test(null_icd, reads_zeros_or_what_was_written_if_backed)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();
    cl_mem buffer = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_mem copy = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    unsigned char data[64];
    unsigned char back[64];
    unsigned pattern = 0x01020304U;

    memset(data, 7, sizeof data);
    memset(back, 9, sizeof back);
    cr_assert_eq(clEnqueueWriteBuffer(o.queue, buffer, CL_TRUE, 0, 64, data, 0, NULL, NULL),
                 CL_SUCCESS);
    cr_assert_eq(clEnqueueReadBuffer(o.queue, buffer, CL_TRUE, 0, 64, back, 0, NULL, NULL),
                 CL_SUCCESS);
    for (int i = 0; i < 64; i++) cr_assert_eq(back[i], 0);

    cr_assert(control->set("BACKED", "1"));
    cr_assert_eq(clEnqueueWriteBuffer(o.queue, buffer, CL_TRUE, 8, 8, data, 0, NULL, NULL),
                 CL_SUCCESS);
    cr_assert_eq(clEnqueueCopyBuffer(o.queue, buffer, copy, 0, 32, 16, 0, NULL, NULL), CL_SUCCESS);
    cr_assert_eq(clEnqueueFillBuffer(o.queue, copy, &pattern, 4, 0, 4, 0, NULL, NULL), CL_SUCCESS);
    cr_assert_eq(clEnqueueReadBuffer(o.queue, copy, CL_TRUE, 0, 64, back, 0, NULL, NULL),
                 CL_SUCCESS);
    cr_assert_eq(memcmp(back, &pattern, 4), 0);
    for (int i = 4; i < 64; i++) cr_assert_eq(back[i], i >= 40 && i < 48 ? 7 : 0);

    clReleaseMemObject(buffer);
    clReleaseMemObject(copy);
    close_objects(&o);
}

Test(null_icd, refuses_what_a_strict_driver_refuses)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    unsigned char data[64] = {0};

    cr_assert_eq(clEnqueueReadBuffer(o.queue, buffer, CL_TRUE, 60, 8, data, 0, NULL, NULL),
                 CL_INVALID_VALUE);
    cr_assert_eq(clEnqueueCopyBuffer(o.queue, buffer, buffer, 0, 8, 16, 0, NULL, NULL),
                 CL_MEM_COPY_OVERLAP);
    cr_assert_eq(clEnqueueFillBuffer(o.queue, buffer, data, 3, 0, 6, 0, NULL, NULL),
                 CL_INVALID_VALUE);
    cr_assert_eq(clReleaseKernel((cl_kernel)(void *)buffer), CL_INVALID_KERNEL);
    cr_assert_null(clCreateBuffer(o.context, CL_MEM_READ_WRITE, 0, NULL, &code));
    cr_assert_eq(code, CL_INVALID_BUFFER_SIZE);

    cr_assert(control->set("MAX_ALLOC", "4096"));
    cr_assert_null(clCreateBuffer(o.context, CL_MEM_READ_WRITE, 4097, NULL, &code));
    cr_assert_eq(code, CL_INVALID_BUFFER_SIZE);
    cr_assert(control->set("REFUSE_ABOVE", "1024"));
    cr_assert_null(clCreateBuffer(o.context, CL_MEM_READ_WRITE, 1025, NULL, &code));
    cr_assert_eq(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cr_assert(control->set("CAPACITY", "100"));
    cr_assert_null(clCreateBuffer(o.context, CL_MEM_READ_WRITE, 37, NULL, &code));
    cr_assert_eq(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cr_assert_eq(control->get_buffer_bytes(), 64);

    clReleaseMemObject(buffer);
    close_objects(&o);
}

Test(null_icd, follows_rules_of_failure)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();

    control->reset_calls();
    cr_assert(control->set("FAIL", "clFinish:2:-5;clFlush:2+:-36"));
    cr_assert_eq(clFinish(o.queue), CL_SUCCESS);
    cr_assert_eq(clFinish(o.queue), CL_OUT_OF_RESOURCES);
    cr_assert_eq(clFinish(o.queue), CL_SUCCESS);
    cr_assert_eq(clFlush(o.queue), CL_SUCCESS);
    cr_assert_eq(clFlush(o.queue), CL_INVALID_COMMAND_QUEUE);
    cr_assert_eq(clFlush(o.queue), CL_INVALID_COMMAND_QUEUE);
    control->reset_calls();
    cr_assert(control->set("FAIL", "*:1:-6"));
    cr_assert_eq(clFlush(o.queue), CL_OUT_OF_HOST_MEMORY);
    cr_assert_not(control->set("FAIL", "clFinish:0:-5"));
    cr_assert_not(control->set("FAIL", "clFinish:1:5"));
    cr_assert_not(control->set("FAIL", "clNothing:1:-5"));
    cr_assert_not(control->set("DEVICES", "9"));
    cr_assert_not(control->set("NOTHING", "1"));
    cr_assert(control->set("FAIL", ""));
    close_objects(&o);
}

Test(null_icd, lazy_commands_complete_when_something_waits)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();
    cl_event events[3] = {NULL, NULL, NULL};
    cl_int status = CL_SUCCESS;

    cr_assert(control->set("LAZY", "1"));
    for (int i = 0; i < 3; i++)
        cr_assert_eq(clEnqueueMarkerWithWaitList(o.queue, 0, NULL, &events[i]), CL_SUCCESS);
    cr_assert_eq(control->get_pending_peak(), 3);
    cr_assert_eq(clWaitForEvents(1, &events[1]), CL_SUCCESS);
    for (int i = 0; i < 3; i++) {
        clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        cr_assert_eq(status, i < 2 ? CL_COMPLETE : CL_SUBMITTED, "event %d has status %d", i,
                     status);
    }
    cr_assert_eq(clFinish(o.queue), CL_SUCCESS);
    clGetEventInfo(events[2], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    cr_assert_eq(status, CL_COMPLETE);
    for (int i = 0; i < 3; i++) clReleaseEvent(events[i]);
    close_objects(&o);
}

static cl_program make_program(struct objects *o, const char *source)
{
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(o->context, 1, &source, NULL, &code);

    cr_assert_eq(code, CL_SUCCESS);
    return program;
}

Test(null_icd, builds_or_fails_with_a_log)
{
    const wt_null_control *control = wt_null_use();
    struct objects o = open_objects();
    cl_program program = make_program(&o, "kernel void known(void) {}");
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = NULL;
    char log[64] = "";

    cr_assert(control->set("BUILD_LOG", "a.cl:1:2: error: no"));
    cr_assert_eq(clBuildProgram(program, 1, &o.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cr_assert_eq(
        clGetProgramBuildInfo(program, o.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL),
        CL_SUCCESS);
    cr_assert_str_eq(log, "a.cl:1:2: error: no");
    cr_assert_null(clCreateKernel(program, "known", &code));
    cr_assert_eq(code, CL_INVALID_PROGRAM_EXECUTABLE);

    cr_assert(control->set("BUILD_LOG", ""));
    cr_assert_eq(clBuildProgram(program, 1, &o.device, "", NULL, NULL), CL_SUCCESS);
    cr_assert_null(clCreateKernel(program, "unknown", &code));
    cr_assert_eq(code, CL_INVALID_KERNEL_NAME);
    kernel = clCreateKernel(program, "known", &code);
    cr_assert_not_null(kernel);
    clReleaseProgram(program);
    cr_assert_eq(control->get_live("cl_program"), 0);
    cr_assert_eq(clSetKernelArg(kernel, 0, 4, &code), CL_SUCCESS);
    clReleaseKernel(kernel);
    close_objects(&o);
    cr_assert_eq(control->get_live(NULL), 0);
}

Test(null_icd, a_binary_comes_back_as_a_program_and_rubbish_does_not)
{
    struct objects o;
    cl_program program = NULL;
    cl_program again = NULL;
    cl_int code = CL_SUCCESS;
    unsigned char binary[128];
    unsigned char *place = binary;
    const unsigned char *bytes = binary;
    size_t size = 0;

    (void)wt_null_use();
    o = open_objects();
    program = make_program(&o, "kernel void known(void) {}");
    cr_assert_eq(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cr_assert_eq(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
                 CL_SUCCESS);
    cr_assert(size > 0 && size <= sizeof binary);
    cr_assert_eq(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, NULL),
                 CL_SUCCESS);
    again = clCreateProgramWithBinary(o.context, 1, &o.device, &size, &bytes, NULL, &code);
    cr_assert_eq(code, CL_SUCCESS);
    cr_assert_eq(clBuildProgram(again, 1, &o.device, NULL, NULL, NULL), CL_SUCCESS);
    clReleaseProgram(program);
    clReleaseProgram(again);

    binary[0] ^= 1;
    cr_assert_null(clCreateProgramWithBinary(o.context, 1, &o.device, &size, &bytes, NULL, &code));
    cr_assert_eq(code, CL_INVALID_BINARY);
    close_objects(&o);
}
