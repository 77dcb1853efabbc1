/* src/cl with the n-th OpenCL call or host allocation failing. Outputs of failed calls are checked by the rig. */
#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_context.h"
#include "cl/cl_query.h"
#include "cl_rig.h"
#include "fault_null.h"
#include "null_device.h"

#include <string.h>

TestSuite(fault_cl, .timeout = 300);

/* Enough for markers to be set and retired. */
#define LAUNCHES (WI_QUEUE_AHEAD + 2 * WI_QUEUE_MARK)

static weir_status use_queue(struct wt_rig *rig)
{
    uint32_t values[4] = {1, 2, 3, 4};
    weir_status st = wt_rig_fill(rig->queue, rig->buffer, 1);

    for (int i = 0; st == WEIR_OK && i < LAUNCHES; i++)
        st = wt_rig_launch(rig->queue, rig->kernel, rig->buffer, 1, (uint32_t)(i % 3));
    if (st == WEIR_OK) st = wi_queue_write(rig->queue, rig->buffer, 0, sizeof values, values);
    if (st == WEIR_OK) st = wi_queue_copy(rig->queue, rig->buffer, 0, rig->buffer, 64, 16);
    if (st == WEIR_OK) st = wi_queue_read(rig->queue, rig->buffer, 64, sizeof values, values);
    if (st == WEIR_OK) st = wt_rig_fill(rig->queue, rig->buffer, 1);
    if (st == WEIR_OK) st = wi_queue_finish(rig->queue);
    /* what a driver refuses to say while nobody waits shows here at the latest */
    return st == WEIR_OK ? wi_queue_finish(rig->queue) : st;
}

static weir_status whole(void *user)
{
    struct wt_rig rig;
    weir_status st = wt_rig_open(&rig, user);

    if (st == WEIR_OK) st = use_queue(&rig);
    if (st == WEIR_OK) wi_program_store(rig.program);
    wt_rig_close(&rig);
    return st;
}

/* Calls that have another way to go when they fail: the cache, and the log of a build that went well. */
#define TOLERATED \
    " clCreateProgramWithBinary clGetProgramInfo clGetProgramBuildInfo clBuildProgram "

static const wt_fault_options calls = {.kind = WT_FAULT_CL, .tolerated = TOLERATED};

Test(fault_cl, each_call_without_a_cache)
{
    const wt_fault_options options = {.kind = WT_FAULT_CL, .tolerated = " clGetProgramBuildInfo "};

    cr_assert_gt(wt_fault_on_null_uncached(&options, whole).failed, LAUNCHES);
}

Test(fault_cl, each_call_from_the_cache)
{
    cr_assert_gt(wt_fault_on_null(&calls, whole).failed, LAUNCHES);
}

Test(fault_cl, every_call_from_the_nth_on)
{
    wt_fault_options options = calls;

    options.is_open = 1;
    options.step = 7;
    (void)wt_fault_on_null(&options, whole);
}

Test(fault_cl, each_host_allocation)
{
    cr_assert_geq(wt_fault_on_null(&wt_fault_host, whole).failed, 4);
}

static weir_status query(void *user)
{
    cl_platform_id *platforms = user;
    cl_device_id *devices = user;
    void *name = user;
    size_t count = 7;
    size_t bytes = 7;
    cl_int code = CL_SUCCESS;
    weir_status st = wi_cl_query_platforms(&platforms, &count);

    if (st != WEIR_OK || count == 0) {
        cr_assert(platforms == NULL && count == 0);
        return st;
    }
    st = wi_cl_query_devices(platforms[0], &devices, &count, &code);
    if (st == WEIR_OK && count == 0) st = wi_fail(WEIR_E_DRIVER, "query", "code %d", code);
    if (st != WEIR_OK) cr_assert(devices == NULL && count == 0);
    if (st == WEIR_OK) {
        st = wi_cl_query_device(devices[0], CL_DEVICE_NAME, &name, &bytes, &code);
        if (st == WEIR_OK && code != CL_SUCCESS) st = wi_fail(WEIR_E_DRIVER, "query", "no name");
        if (st != WEIR_OK) {
            cr_assert(name == NULL && bytes == 0);
        } else {
            cr_assert_eq(strlen(name) + 1, bytes);
            wi_free(name);
        }
    }
    wi_free(devices);
    wi_free(platforms);
    return st;
}

Test(fault_cl, each_query)
{
    wt_fault_result result;

    (void)wt_null_use();
    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL}, query, &result);
    cr_assert_eq(result.failed, 6);
    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST}, query, &result);
    cr_assert_eq(result.failed, 3);
}
