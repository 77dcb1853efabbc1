/* The whole path of an accumulation, from listing devices to reading the state, with the n-th OpenCL call or host
 * allocation failing. The driver is the null ICD: thousands of runs take seconds, and its own count of live objects is
 * compared with the library's. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"

#include <weir/weir.h>

#include <stdlib.h>

TestSuite(fault_path, .timeout = 300);

static const wt_null_control *null;

/* Everything that one run holds; all NULL at the start, so that closing it works from anywhere. */
struct path {
    weir_system *system;
    weir_device *device;
    weir_context *ctx;
    weir_tensor *noise;
    weir_tensor *sum;
    weir_tensor *snapshot;
    weir_variable *state;
    weir_block *block;
    weir_text *text;
};

static void close_path(struct path *p)
{
    weir_block_release(p->block);
    weir_tensor_release(p->noise);
    weir_tensor_release(p->sum);
    weir_tensor_release(p->snapshot);
    weir_variable_release(p->state);
    weir_context_release(p->ctx);
    weir_text_destroy(p->text);
    weir_system_destroy(p->system);
}

static weir_status open_path(struct path *p)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_status st = weir_system_create(&p->system);

    cr_assert_eq(st == WEIR_OK, p->system != NULL);
    if (st != WEIR_OK) return st;
    st = weir_system_find(p->system, "0.0", &p->device);
    cr_assert_eq(st == WEIR_OK, p->device != NULL);
    if (st != WEIR_OK) return st;
    options.no_self_check = 1;
    st = weir_context_create(p->device, &options, &p->ctx);
    cr_assert_eq(st == WEIR_OK, p->ctx != NULL);
    return st;
}

/* Replaces *at by the next value, or returns the failure with *at as it was. */
static weir_status accumulate(struct path *p, weir_tensor **at)
{
    weir_tensor *next = *at;
    weir_status st = weir_add(p->ctx, *at, p->noise, &next);

    cr_assert_eq(st == WEIR_OK, next != NULL);
    if (st != WEIR_OK) return st;
    weir_tensor_release(*at);
    *at = next;
    return WEIR_OK;
}

static weir_status work(struct path *p)
{
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_shape shape = {.rank = 2, .extents = {1, 64}};
    float data[64] = {0};
    weir_status st = weir_tensor_from_host(p->ctx, WEIR_DTYPE_F32, &shape, data, &p->sum);

    if (st == WEIR_OK) st = weir_random_normal(p->ctx, &generator, &shape, &p->noise);
    if (st == WEIR_OK) st = accumulate(p, &p->sum);
    if (st == WEIR_OK) st = accumulate(p, &p->sum);
    if (st == WEIR_OK)
        st = weir_variable_create(p->ctx, "state", WEIR_DTYPE_F32, &shape, p->sum, NULL, &p->state);
    cr_assert(st != WEIR_OK || p->state != NULL);
    if (st == WEIR_OK) st = weir_variable_assign_add(p->state, p->noise);
    if (st == WEIR_OK) st = weir_variable_read(p->state, &p->snapshot);
    cr_assert(st != WEIR_OK || p->snapshot != NULL);
    if (st == WEIR_OK) st = weir_variable_assign_sub(p->state, p->noise);
    if (st == WEIR_OK) st = weir_tensor_to_host(p->snapshot, data, sizeof data);
    if (st == WEIR_OK)
        st = weir_pool_alloc(weir_context_get_pool(p->ctx), NULL, 1000, NULL, &p->block);
    cr_assert(st != WEIR_OK || p->block != NULL);
    if (st == WEIR_OK) st = weir_text_create(&p->text);
    if (st == WEIR_OK) {
        weir_pool_report(weir_context_get_pool(p->ctx), p->text);
        st = weir_text_get_status(p->text);
        if (st != WEIR_OK) return st;
    }
    return st == WEIR_OK ? weir_context_synchronize(p->ctx) : st;
}

static weir_status whole(void *user)
{
    struct path p = {.system = NULL};
    weir_status st = open_path(&p);

    (void)user;
    if (st == WEIR_OK) st = work(&p);
    close_path(&p);
    cr_assert_eq(null->get_live(NULL), 0, "the driver still has %llu objects",
                 (unsigned long long)null->get_live(NULL));
    return st;
}

static void begin(void)
{
    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    null = wt_null_use();
}

/* A property that a driver will not tell is recorded as such and not an error; nor is a program's log. A driver that
 * refuses or does not back a root is asked for a smaller one. A queue that is taken down waits where asking failed. */
#define TOLERATED                                                                               \
    " clGetDeviceInfo clGetPlatformInfo clGetProgramBuildInfo clGetProgramInfo clGetEventInfo " \
    "clCreateBuffer clEnqueueWriteBuffer "

/* Host memory that a run can do without: the logs of its four builds that went well, and the label under which reports
 * list the variable's block. */
#define DISPENSABLE 5

Test(fault_path, each_opencl_call_once)
{
    wt_fault_result result;

    begin();
    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED}, whole,
                           NULL);
    cr_assert_gt(result.failed, 20, "%llu of %llu runs failed", (unsigned long long)result.failed,
                 (unsigned long long)result.runs);
}

Test(fault_path, each_opencl_call_and_all_after_it)
{
    wt_fault_result result;

    begin();
    result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_CL, .is_open = 1, .tolerated = TOLERATED}, whole,
        NULL);
    cr_assert_gt(result.failed, 20);
}

/* Calls tolerated above are so only where a root is taken: one create and one touch of a run. */
Test(fault_path, a_buffer_refused_or_unbacked_once_costs_nothing_and_any_other_failure_shows)
{
    static const char *const calls[] = {"clCreateBuffer", "clEnqueueWriteBuffer"};

    begin();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        wt_fault_options options = {.kind = WT_FAULT_CL, .call = calls[i], .tolerated = TOLERATED};
        wt_fault_result result = wt_fault_each(&options, whole, NULL);
        cr_assert_leq(result.tolerated, 1, "%s: %llu tolerated", calls[i],
                      (unsigned long long)result.tolerated);
    }
}

Test(fault_path, each_host_allocation_once)
{
    wt_fault_result result;

    begin();
    result =
        wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST, .tolerated = "logs"}, whole, NULL);
    cr_assert_gt(result.failed, 20);
    cr_assert_leq(result.tolerated, DISPENSABLE);
}

Test(fault_path, each_host_allocation_and_all_after_it)
{
    wt_fault_result result;

    begin();
    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST, .is_open = 1}, whole, NULL);
    cr_assert_gt(result.failed, 20);
}

/* The trap itself, without its growth: what the library and the driver hold does not depend on the number of steps. */
Test(fault_path, ten_thousand_steps_hold_no_more_than_ten)
{
    struct path p = {.system = NULL};
    uint64_t bytes = 0;
    uint64_t objects = 0;
    uint64_t buffers = 0;

    begin();
    wt_host_count_begin();
    wt_ok(open_path(&p));
    wt_ok(work(&p));
    for (int i = 0; i < 10; i++) wt_ok(accumulate(&p, &p.sum));
    bytes = wt_host_live_bytes();
    objects = null->get_live(NULL);
    buffers = null->get_calls("clCreateBuffer");
    for (int i = 0; i < 10000; i++) {
        wt_ok(accumulate(&p, &p.sum));
        wt_ok(weir_variable_assign_add(p.state, p.noise));
    }
    cr_assert_eq(wt_host_live_bytes(), bytes);
    cr_assert_leq(null->get_live(NULL), objects + 8, "%llu driver objects, %llu after ten steps",
                  (unsigned long long)null->get_live(NULL), (unsigned long long)objects);
    cr_assert_eq(null->get_calls("clCreateBuffer"), buffers);
    close_path(&p);
    cr_assert_eq(null->get_live(NULL), 0);
    cr_assert_eq(wt_host_live_blocks(), 0);
}
