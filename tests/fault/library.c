/* The whole path of an accumulation with the n-th OpenCL call, or the n-th host allocation, failing: from opening a
 * context to reading a sum back. Each failure is returned with its cause, outputs are NULL, nothing is left. */
#include "fault_null.h"
#include "null_device.h"

#include <weir/weir.h>

TestSuite(fault_library, .timeout = 300);

static weir_status accumulate(weir_context *context)
{
    const weir_shape shape = {2, {3, 100}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_status st = WEIR_OK;
    float host[300];
    float ones[300];
    weir_tensor *zeros = NULL;
    weir_tensor *data = NULL;
    weir_tensor *noise = NULL;
    weir_tensor *sum = NULL;
    weir_tensor *snapshot = NULL;
    weir_variable *variable = NULL;

    for (size_t i = 0; i < 300; i++) ones[i] = 1.0F;
    WT_FAULT_STEP(st, weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros), zeros);
    WT_FAULT_STEP(st, weir_tensor_from_host(context, WEIR_DTYPE_F32, &shape, ones, &data), data);
    WT_FAULT_STEP(st, weir_random_normal(context, &generator, &shape, &noise), noise);
    WT_FAULT_STEP(st, weir_add(context, data, noise, &sum), sum);
    WT_FAULT_STEP(
        st, weir_variable_create(context, "v", WEIR_DTYPE_F32, &shape, zeros, NULL, &variable),
        variable);
    if (st == WEIR_OK) st = weir_variable_assign_add(variable, sum);   /* copies: zeros is held */
    if (st == WEIR_OK) st = weir_variable_assign_sub(variable, noise); /* in place; writes noise */
    WT_FAULT_STEP(st, weir_variable_read(variable, &snapshot), snapshot);
    if (st == WEIR_OK) st = weir_tensor_to_host(snapshot, host, sizeof host);
    if (st == WEIR_OK) st = weir_context_synchronize(context);
    weir_tensor_release(zeros);
    weir_tensor_release(data);
    weir_tensor_release(noise);
    weir_tensor_release(sum);
    weir_tensor_release(snapshot);
    weir_variable_release(variable);
    return st;
}

static weir_status whole(void *user)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = user;
    weir_status st = WEIR_OK;

    options.no_self_check = 1; /* the null device computes nothing */
    st = weir_context_create(user, &options, &context);
    if (st != WEIR_OK) {
        cr_assert_null(context);
        return st;
    }
    st = accumulate(context);
    weir_context_release(context);
    return st;
}

/* With the strategy `direct` each refused buffer is a refused block; `growth` would ask for less. */
static weir_device *open_null_at(weir_system **system, unsigned debug_level)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    weir_device *device = NULL;

    options.strategy = "direct";
    options.debug_level = debug_level;
    /* Guards are read back. */
    cr_assert(debug_level < 2 || wt_null_use()->set("BACKED", "1"));
    device = wt_fault_open(system);
    cr_assert_eq(weir_device_configure(device, &options), WEIR_OK);
    return device;
}

static weir_device *open_null(weir_system **system) { return open_null_at(system, 0); }

/* Calls with another way to go: the cache on disk, logs, and what only hastens. */
#define TOLERATED \
    " clCreateProgramWithBinary clGetProgramInfo clGetProgramBuildInfo clBuildProgram clFlush "

Test(fault_library, each_opencl_call)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED}, whole, device);
    cr_assert_gt(result.failed, 20U);
    wt_fault_close(system);
}

Test(fault_library, each_opencl_call_and_all_after_it)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED, .is_open = 1}, whole,
        device);
    cr_assert_gt(result.failed, 20U);
    wt_fault_close(system);
}

Test(fault_library, each_host_allocation)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result = wt_fault_each(&wt_fault_host, whole, device);
    cr_assert_gt(result.failed, 15U);
    wt_fault_close(system);
}

Test(fault_library, a_failed_step_leaves_the_context_usable)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = NULL;
    options.no_self_check = 1;
    cr_assert_eq(weir_context_create(device, &options, &context), WEIR_OK);
    wt_fault_arm(WT_FAULT_CL, "clEnqueueNDRangeKernel", 1, -5, 0);
    cr_assert_neq(accumulate(context), WEIR_OK);
    cr_assert_eq(weir_last_error()->cl_status, -5);
    (void)wt_fault_disarm();
    weir_context_reset_error(context);
    cr_assert_eq(accumulate(context), WEIR_OK, "%s", weir_last_error()->message);
    weir_context_release(context);
    wt_fault_close(system);
}

/* Waits once more when all is released: a release cannot fail, so what failed in one shows there, if it sticks. */
static weir_status whole_and_wait(void *user)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_status st = WEIR_OK;

    options.no_self_check = 1;
    st = weir_context_create(user, &options, &context);
    if (st == WEIR_OK) st = accumulate(context);
    if (st == WEIR_OK) st = weir_context_synchronize(context);
    weir_context_release(context);
    return st;
}

/* Commands that check a block at its release; what does not stick is logged only. */
#define CHECKING " clEnqueueReadBuffer clEnqueueFillBuffer clEnqueueMarkerWithWaitList "

Test(fault_library, each_opencl_call_and_host_allocation_at_debug_level_3)
{
    weir_system *system = NULL;
    weir_device *device = open_null_at(&system, 3);
    wt_fault_result result =
        wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED CHECKING},
                      whole_and_wait, device);
    cr_assert_gt(result.failed, 30U);
    result = wt_fault_each(&wt_fault_host, whole_and_wait, device);
    cr_assert_gt(result.failed, 15U);
    wt_fault_close(system);
}
