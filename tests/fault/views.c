/* Views, broadcasts and sums with the n-th OpenCL call or host allocation failing. A failed call leaves its output NULL
 * and its input what it was, and leaks nothing. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"
#include "own_cache.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(fault_views, .timeout = 300);

#define TENSORS 8

/* Calls, and asserts that the output is there or not as the status says. */
#define STEP(Call, Out)                                                              \
    do {                                                                             \
        if (st == WEIR_OK) {                                                         \
            (Out) = (weir_tensor *)(uintptr_t)16;                                    \
            st = (Call);                                                             \
            cr_assert_eq((Out) == NULL, st != WEIR_OK, "%s left its output", #Call); \
        }                                                                            \
    } while (0)

static weir_status whole(void *user)
{
    static const int axes[] = {1};
    const weir_shape shape = {2, {5, 9000}};
    const weir_shape column = {2, {9000, 1}};
    const weir_shape flat = {1, {45000}};
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *ctx = NULL;
    weir_tensor *t[TENSORS] = {NULL};
    float *values = calloc(45000, sizeof *values);
    float sums[5];
    weir_status st;

    cr_assert_not_null(values);
    options.no_self_check = 1;
    st = weir_context_create(user, &options, &ctx);
    STEP(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &t[0]), t[0]);
    STEP(weir_transpose(ctx, t[0], NULL, &t[1]), t[1]);
    STEP(weir_full(ctx, WEIR_DTYPE_F32, &column, 2.0, &t[2]), t[2]);
    STEP(weir_mul(ctx, t[1], t[2], &t[3]), t[3]);       /* strided, repeated */
    STEP(weir_sum(ctx, t[0], axes, 1, 0, &t[4]), t[4]); /* with scratch */
    STEP(weir_reshape(ctx, t[1], &flat, &t[5]), t[5]);  /* writes t[1] */
    STEP(weir_expand(ctx, t[2], &(weir_shape){2, {9000, 5}}, &t[6]), t[6]);
    STEP(weir_add(ctx, t[6], t[3], &t[7]), t[7]);
    if (st == WEIR_OK) st = weir_tensor_to_host(t[4], sums, sizeof sums);
    if (st == WEIR_OK) st = weir_tensor_to_host(t[6], values, 45000 * sizeof *values);
    if (st == WEIR_OK) st = weir_context_synchronize(ctx);
    for (unsigned i = 0; i < TENSORS; i++) weir_tensor_release(t[i]);
    weir_context_release(ctx);
    free(values);
    return st;
}

/* As in ops.c. */
#define TOLERATED " clGetProgramBuildInfo clCreateBuffer clEnqueueWriteBuffer clGetEventInfo "

static weir_device *open_null(weir_system **system)
{
    wt_cache_begin();
    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    (void)wt_null_use();
    wt_host_count_begin();
    wt_ok(weir_system_create(system));
    return weir_system_device(*system, 0);
}

Test(fault_views, each_call)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result;

    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED}, whole,
                           device);
    cr_assert_gt(result.failed, 40);
    weir_system_destroy(system);
    wt_cache_end();
}

Test(fault_views, each_host_allocation)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result;

    result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_HOST, .tolerated = "the cache does without"}, whole,
        device);
    cr_assert_geq(result.failed, 20);
    weir_system_destroy(system);
    wt_cache_end();
}
