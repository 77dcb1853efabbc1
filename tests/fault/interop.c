/* Adopting, wrapping and sub-buffers with the n-th OpenCL call or host allocation failing. Whatever fails, the program's
 * objects have the references they had, and nothing of weir's is left. On the null ICD, whose own counts are compared. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"

#include <weir/interop_cl.h>
#include <weir/weir.h>

#include <stdlib.h>

TestSuite(fault_interop, .timeout = 300);

/* The unwrapped calls: asking must not fail. Names with two underscores are the linker's for --wrap. NOLINTBEGIN */
cl_int CL_API_CALL __real_clGetContextInfo(cl_context, cl_context_info, size_t, void *, size_t *);
cl_int CL_API_CALL __real_clGetCommandQueueInfo(cl_command_queue, cl_command_queue_info, size_t,
                                                void *, size_t *);
cl_int CL_API_CALL __real_clGetMemObjectInfo(cl_mem, cl_mem_info, size_t, void *, size_t *);
/* NOLINTEND */

/* What the program has. */
typedef struct own {
    const wt_null_control *null;
    cl_platform_id platform;
    cl_device_id devices[2];
    cl_context context;
    cl_command_queue queue;
    cl_command_queue second;
    cl_mem mem;
    weir_device *device; /* NULL: the adopted context makes its own */
} own;

static void expect_untouched(const own *o)
{
    cl_uint count[4] = {0, 0, 0, 0};

    (void)__real_clGetContextInfo(o->context, CL_CONTEXT_REFERENCE_COUNT, sizeof(cl_uint),
                                  &count[0], NULL);
    (void)__real_clGetCommandQueueInfo(o->queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint),
                                       &count[1], NULL);
    (void)__real_clGetMemObjectInfo(o->mem, CL_MEM_REFERENCE_COUNT, sizeof(cl_uint), &count[2],
                                    NULL);
    (void)__real_clGetCommandQueueInfo(o->second, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint),
                                       &count[3], NULL);
    for (int i = 0; i < 4; i++) cr_assert_eq(count[i], 1U, "object %d has %u owners", i, count[i]);
    cr_assert_eq(o->null->get_live(NULL), 4U);
}

static weir_status use(weir_context *context, const own *o)
{
    cl_mem mem = o->mem;
    const weir_shape shape = {1, {64}};
    weir_tensor *tensor = (weir_tensor *)&shape;
    weir_tensor *sum = NULL;
    weir_block *block = NULL;
    weir_queue *queue = NULL;
    cl_mem part = NULL;
    weir_status st = weir_tensor_wrap_cl_mem(context, mem, 256, WEIR_DTYPE_F32, &shape, &tensor);

    cr_assert_eq(st == WEIR_OK, tensor != NULL);
    if (st == WEIR_OK) st = weir_add(context, tensor, tensor, &sum);
    if (st == WEIR_OK)
        st = weir_pool_alloc(weir_context_get_pool(context), NULL, 4096, NULL, &block);
    if (st == WEIR_OK) {
        part = mem;
        st = weir_block_create_sub_buffer(block, 1024, 100, &part);
        cr_assert_eq(st == WEIR_OK, part != NULL);
    }
    if (st == WEIR_OK) {
        queue = (weir_queue *)&shape;
        st = weir_queue_adopt(context, o->second, &queue);
        cr_assert_eq(st == WEIR_OK, queue != NULL);
    }
    if (st == WEIR_OK) st = weir_block_record(block, queue);
    if (st == WEIR_OK) st = weir_queue_synchronize(queue);
    if (part != NULL) (void)clReleaseMemObject(part);
    weir_queue_release(queue);
    weir_block_release(block);
    weir_tensor_release(sum);
    weir_tensor_release(tensor);
    /* A failed wait for what was released is told by the next call that synchronizes. */
    if (st == WEIR_OK) st = weir_pool_trim(weir_context_get_pool(context), 0);
    if (st == WEIR_OK) st = weir_context_synchronize(context);
    return st;
}

static weir_status adopt_and_use(void *user)
{
    own *o = user;
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_context *context = user;
    weir_status st = WEIR_OK;

    options.no_self_check = 1; /* the null device computes nothing */
    options.device = o->device;
    st = weir_context_adopt(o->context, o->devices[0], o->queue, &options, &context);
    cr_assert_eq(st == WEIR_OK, context != NULL);
    if (st == WEIR_OK) st = use(context, o);
    weir_context_release(context);
    expect_untouched(o);
    return st;
}

static own open_own(void)
{
    own o = {.null = NULL};

    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    cr_assert_eq(setenv("WEIR_POOL", "direct", 1), 0); /* a refused buffer is a refused block */
    o.null = wt_null_use();
    wt_host_count_begin();
    cr_assert(o.null->set("DEVICES", "2"));
    cr_assert_eq(clGetPlatformIDs(1, &o.platform, NULL), CL_SUCCESS);
    cr_assert_eq(clGetDeviceIDs(o.platform, CL_DEVICE_TYPE_ALL, 2, o.devices, NULL), CL_SUCCESS);
    o.context = clCreateContext(NULL, 2, o.devices, NULL, NULL, NULL);
    o.queue = clCreateCommandQueue(o.context, o.devices[0], 0, NULL);
    o.second = clCreateCommandQueue(o.context, o.devices[0], 0, NULL);
    o.mem = clCreateBuffer(o.context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    cr_assert(o.context != NULL && o.queue != NULL && o.second != NULL && o.mem != NULL);
    return o;
}

static void close_own(own *o)
{
    weir_live live;

    weir_live_get(&live);
    cr_assert_eq(live.total, 0U);
    expect_untouched(o);
    (void)clReleaseMemObject(o->mem);
    (void)clReleaseCommandQueue(o->queue);
    (void)clReleaseCommandQueue(o->second);
    (void)clReleaseContext(o->context);
    cr_assert_eq(o->null->get_live(NULL), 0U);
}

/* Properties that a driver cannot tell are left out of the record; what only hastens or tells may fail, and the wait for
 * what is let go. */
#define TOLERATED                                                                         \
    " clGetDeviceInfo clGetPlatformInfo clGetPlatformIDs clGetDeviceIDs clGetProgramInfo" \
    " clGetProgramBuildInfo clFlush clGetEventInfo clEnqueueMarkerWithWaitList clWaitForEvents "

static void each_call(int is_open)
{
    own o = open_own();
    const wt_fault_result result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED, .is_open = is_open},
        adopt_and_use, &o);

    cr_assert_gt(result.failed, 20U);
    close_own(&o);
}

Test(fault_interop, each_opencl_call) { each_call(0); }

Test(fault_interop, each_opencl_call_and_all_after_it) { each_call(1); }

Test(fault_interop, each_host_allocation)
{
    own o = open_own();
    wt_fault_result result = {0};

    result =
        wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST, .tolerated = "texts of the log"},
                      adopt_and_use, &o);
    cr_assert_gt(result.failed, 20U);
    close_own(&o);
}

Test(fault_interop, each_opencl_call_on_a_device_of_a_system)
{
    own o = open_own();
    weir_system *system = NULL;

    wt_ok(weir_system_create(&system));
    o.device = weir_system_device(system, 0);
    (void)wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED},
                        adopt_and_use, &o);
    weir_system_destroy(system);
    close_own(&o);
}

/* A wrapped buffer that cannot be held, and a sub-buffer that cannot be had, say so and leave the context usable. */
Test(fault_interop, a_refusal_leaves_the_context_usable)
{
    static const char *const calls[] = {"clGetMemObjectInfo", "clRetainMemObject",
                                        "clCreateSubBuffer", "clRetainCommandQueue"};
    own o = open_own();
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_context *context = NULL;

    options.no_self_check = 1;
    wt_ok(weir_context_adopt(o.context, o.devices[0], NULL, &options, &context));
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        wt_fault_arm(WT_FAULT_CL, calls[i], 1, CL_OUT_OF_RESOURCES, 0);
        cr_assert_neq(use(context, &o), WEIR_OK, "%s", calls[i]);
        cr_assert(wt_fault_disarm());
        cr_assert_eq(weir_last_error()->cl_status, CL_OUT_OF_RESOURCES, "%s", calls[i]);
        wt_ok(use(context, &o));
    }
    weir_context_release(context);
    close_own(&o);
}
