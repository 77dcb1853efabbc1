/* Views, broadcasts and sums with the n-th OpenCL call or host allocation failing. A failed call leaves its output NULL
 * and its input what it was, and leaks nothing. */
#include "fault_null.h"

#include <weir/weir.h>

#include <stdlib.h>

TestSuite(fault_views, .timeout = 300);

#define TENSORS 8

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
    WT_FAULT_STEP(st, weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &t[0]), t[0]);
    WT_FAULT_STEP(st, weir_transpose(ctx, t[0], NULL, &t[1]), t[1]);
    WT_FAULT_STEP(st, weir_full(ctx, WEIR_DTYPE_F32, &column, 2.0, &t[2]), t[2]);
    WT_FAULT_STEP(st, weir_mul(ctx, t[1], t[2], &t[3]), t[3]);       /* strided, repeated */
    WT_FAULT_STEP(st, weir_sum(ctx, t[0], axes, 1, 0, &t[4]), t[4]); /* with scratch */
    WT_FAULT_STEP(st, weir_reshape(ctx, t[1], &flat, &t[5]), t[5]);  /* writes t[1] */
    WT_FAULT_STEP(st, weir_expand(ctx, t[2], &(weir_shape){2, {9000, 5}}, &t[6]), t[6]);
    WT_FAULT_STEP(st, weir_add(ctx, t[6], t[3], &t[7]), t[7]);
    if (st == WEIR_OK) st = weir_tensor_to_host(t[4], sums, sizeof sums);
    if (st == WEIR_OK) st = weir_tensor_to_host(t[6], values, 45000 * sizeof *values);
    if (st == WEIR_OK) st = weir_context_synchronize(ctx);
    for (unsigned i = 0; i < TENSORS; i++) weir_tensor_release(t[i]);
    weir_context_release(ctx);
    free(values);
    return st;
}

Test(fault_views, each_call)
{
    cr_assert_gt(wt_fault_on_null_uncached(&wt_fault_calls, whole).failed, 40);
}

Test(fault_views, each_host_allocation)
{
    cr_assert_geq(wt_fault_on_null_uncached(&wt_fault_host, whole).failed, 20);
}
