/* The fault machinery itself: faults strike where they were armed, and the loop sees what a scenario did wrong. */
#include "fault_null.h"

#include "base/memory.h"
#include "base/status.h"
#include "label.h"
#include "null_device.h"

#include <CL/cl.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(fault, .timeout = 120);

static weir_status two_allocations(void *user)
{
    void *a = wi_malloc(100);
    char *b = a == NULL ? NULL : wi_strdup("text");
    weir_status status =
        b != NULL ? WEIR_OK : wi_fail(WEIR_E_HOST_MEMORY, "two_allocations", "100 host bytes");

    (void)user;
    wi_free(a);
    wi_free(b);
    return status;
}

Test(fault, the_loop_ends_after_as_many_failures_as_there_are_allocations)
{
    wt_fault_result result =
        wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST}, two_allocations, NULL);

    cr_assert_eq(result.runs, 3);
    cr_assert_eq(result.failed, 2);
    cr_assert_eq(result.tolerated, 0);
}

Test(fault, counts_host_memory_through_growth)
{
    void *memory = NULL;

    wt_host_count_begin();
    memory = wi_malloc(10);
    cr_assert_eq(wt_host_live_bytes(), 10);
    memory = wi_realloc(memory, 1000);
    cr_assert_eq(wt_host_live_bytes(), 1000);
    cr_assert_eq(wt_host_live_blocks(), 1);
    wt_fault_arm(WT_FAULT_HOST, NULL, 1, 0, 0);
    cr_assert_null(wi_realloc(memory, 2000));
    cr_assert(wt_fault_disarm());
    cr_assert_eq(wt_host_live_bytes(), 1000);
    wi_free(memory);
    cr_assert_eq(wt_host_live_bytes(), 0);
    cr_assert_eq(wt_host_live_blocks(), 0);
}

static weir_status leaks_on_failure(void *user)
{
    void *a = wi_malloc(100);
    void *b = a == NULL ? NULL : wi_malloc(1);

    *(void **)user = a;
    if (b == NULL) return wi_fail(WEIR_E_HOST_MEMORY, "leaks_on_failure", "1 host byte");
    wi_free(a);
    wi_free(b);
    return WEIR_OK;
}

static weir_status hides_failure(void *user)
{
    (void)user;
    wi_free(wi_malloc(1));
    return WEIR_OK;
}

static void loop_over_leak(void *user)
{
    (void)wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST}, leaks_on_failure, user);
}

static void loop_over_hidden_failure(void *user)
{
    (void)wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST}, hides_failure, user);
}

Test(fault, the_loop_fails_on_a_leak)
{
    void *leaked = NULL;

    cr_assert(wt_would_fail(loop_over_leak, &leaked));
    cr_assert_not_null(strstr(wt_caught(), "100 host bytes in 1 blocks, 0 in 0 expected"), "%s",
                       wt_caught());
    wi_free(leaked);
}

Test(fault, the_loop_fails_on_a_hidden_failure_unless_it_is_tolerated)
{
    wt_fault_result result = {0, 0, 0};

    cr_assert(wt_would_fail(loop_over_hidden_failure, NULL));
    cr_assert_not_null(strstr(wt_caught(), "the scenario did not"), "%s", wt_caught());
    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST, .tolerated = "all"},
                           hides_failure, NULL);
    cr_assert_eq(result.tolerated, 1);
    cr_assert_eq(result.runs, 2);
}

Test(fault, a_wrapped_call_fails_at_its_turn_with_the_code_of_its_row)
{
    const wt_null_control *control = wt_null_use();
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_context context = NULL;
    cl_mem buffer = NULL;
    cl_int code = CL_SUCCESS;

    cr_assert_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    cr_assert_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    wt_fault_arm(WT_FAULT_CL, "clCreateBuffer", 2, 0, 0);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, &code);
    cr_assert(buffer != NULL && code == CL_SUCCESS);
    cr_assert_null(clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, &code));
    cr_assert_eq(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cr_assert_str_eq(wt_fault_struck(), "clCreateBuffer");
    cr_assert(wt_fault_disarm());
    cr_assert_eq(control->get_calls("clCreateBuffer"), 1);

    wt_fault_arm(WT_FAULT_CL, NULL, 1, -36, 1);
    cr_assert_eq(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
    cr_assert_null(clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, &code));
    cr_assert_eq(code, -36);
    cr_assert(wt_fault_disarm());
    clReleaseMemObject(buffer);
    clReleaseContext(context);
}

/* A call that returns a status and leaves something in its output, or does not touch it. */
struct call {
    weir_status status;
    void *output;
    int is_written;
};

static weir_status make(const struct call *call, void **out)
{
    if (call->is_written) *out = call->output;
    return call->status;
}

static void take_step(void *user)
{
    void *out = NULL;
    weir_status status = WEIR_OK;

    WT_FAULT_STEP(status, make(user, &out), out);
}

Test(fault, a_step_fails_unless_its_output_is_there_exactly_after_success)
{
    static char thing;
    struct call right[] = {{WEIR_OK, &thing, 1}, {WEIR_E_DRIVER, NULL, 1}};
    struct call wrong[] = {
        {WEIR_OK, NULL, 1},
        {WEIR_OK, NULL, 0},
        {WEIR_E_DRIVER, &thing, 1},
        {WEIR_E_DRIVER, NULL, 0},
    };

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        cr_assert_not(wt_would_fail(take_step, &right[i]), "call %zu: %s", i, wt_caught());
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert(wt_would_fail(take_step, &wrong[i]), "call %zu", i);
}

Test(fault, a_step_after_a_failure_is_not_taken)
{
    struct call call = {WEIR_OK, &call, 1};
    void *out = NULL;
    weir_status status = WEIR_E_DRIVER;

    WT_FAULT_STEP(status, make(&call, &out), out);
    cr_assert_null(out);
    cr_assert_eq(status, WEIR_E_DRIVER);
}
