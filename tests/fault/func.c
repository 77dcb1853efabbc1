/* Captures, calls and loops with the n-th OpenCL call or host allocation failing. A failed capture or call leaves its
 * outputs NULL and nothing behind; a function can be called again after a call that failed. */
#include "devices.h"
#include "fault_null.h"

#include <weir/weir.h>

#include <string.h>

TestSuite(fault_func, .timeout = 300);

#define COUNT 64

struct user {
    weir_device *device;
    weir_tensor *constant;
    weir_generator generator;
};

/* s = s + normal, in a kernel; and a sum over it, launch by launch. */
static weir_status inner_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    struct user *held = user;
    weir_tensor *noise = NULL;
    weir_tensor *number = NULL;
    weir_tensor *sum = NULL;
    weir_status st =
        weir_random_normal(ctx, &held->generator, weir_tensor_get_shape(in[0]), &noise);

    if (st == WEIR_OK) st = weir_from_scalar(ctx, index, weir_tensor_get_shape(in[0]), &number);
    if (st == WEIR_OK) st = weir_add(ctx, in[0], noise, &sum);
    if (st == WEIR_OK) st = weir_mul(ctx, sum, number, &out[0]);
    weir_tensor_release(noise);
    weir_tensor_release(number);
    weir_tensor_release(sum);
    return st;
}

static weir_status outer_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    struct user *held = user;
    weir_tensor *middle = NULL;
    weir_tensor *turned = NULL;
    weir_tensor *sum = NULL;
    weir_status st = weir_for(ctx, index, inner_trip, user, in, 1, &middle);

    if (st == WEIR_OK) st = weir_sum(ctx, middle, NULL, 0, 0, &sum);
    if (st == WEIR_OK) st = weir_transpose(ctx, middle, NULL, &turned);
    if (st == WEIR_OK) st = weir_add(ctx, turned, sum, &out[0]);
    if (st == WEIR_OK) st = weir_sub(ctx, in[1], held->constant, &out[1]);
    weir_tensor_release(middle);
    weir_tensor_release(turned);
    weir_tensor_release(sum);
    return st;
}

static weir_status body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                        void *user)
{
    weir_tensor *in[2] = {arguments[0].tensor, arguments[0].tensor};

    return weir_for(ctx, arguments[1].scalar, outer_trip, user, in, 2, outs);
}

static weir_status call(weir_function *f, weir_tensor *start)
{
    weir_argument arguments[2] = {{start, {0, 0, 0}}, {NULL, weir_scalar_of(3)}};
    weir_tensor *outs[2] = {start, start};
    weir_status st = weir_function_call(f, arguments, 2, outs, 2);

    cr_assert((outs[0] != NULL) == (st == WEIR_OK) && (outs[1] != NULL) == (st == WEIR_OK));
    weir_tensor_release(outs[0]);
    weir_tensor_release(outs[1]);
    return st;
}

static weir_status whole(void *user)
{
    struct user *held = user;
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_argument_spec specs[2];
    weir_context *ctx = NULL;
    weir_tensor *start = NULL;
    weir_function *f = NULL;
    weir_status st = WEIR_OK;

    memset(specs, 0, sizeof specs);
    specs[0].dtype = WEIR_DTYPE_F32;
    specs[0].shape.rank = 2;
    specs[0].shape.extents[0] = specs[0].shape.extents[1] = COUNT;
    specs[1].kind = WEIR_ARGUMENT_SCALAR;
    held->generator = (weir_generator)WEIR_GENERATOR_INIT;
    options.no_self_check = 1;
    st = weir_context_create(held->device, &options, &ctx);
    if (st == WEIR_OK) st = weir_full(ctx, WEIR_DTYPE_F32, &specs[0].shape, 1.0, &held->constant);
    if (st == WEIR_OK) st = weir_full(ctx, WEIR_DTYPE_F32, &specs[0].shape, 2.0, &start);
    if (st == WEIR_OK) st = weir_function_capture(ctx, specs, 2, 2, body, held, &f);
    cr_assert((f != NULL) == (st == WEIR_OK) || start == NULL);
    if (st == WEIR_OK) st = call(f, start);
    if (st == WEIR_OK) st = call(f, start);
    if (st == WEIR_OK) st = weir_context_synchronize(ctx);
    weir_function_release(f);
    weir_tensor_release(start);
    weir_tensor_release(held->constant);
    held->constant = NULL;
    weir_context_release(ctx);
    return st;
}

Test(fault_func, each_call)
{
    weir_system *system = NULL;
    struct user held = {NULL, NULL, WEIR_GENERATOR_INIT};
    wt_fault_result result;

    held.device = wt_fault_open_uncached(&system);
    result = wt_fault_each(&wt_fault_calls, whole, &held);
    cr_assert_gt(result.failed, 30);
    wt_fault_close(system);
}

Test(fault_func, each_host_allocation)
{
    weir_system *system = NULL;
    struct user held = {NULL, NULL, WEIR_GENERATOR_INIT};
    wt_fault_result result;

    held.device = wt_fault_open_uncached(&system);
    result = wt_fault_each(&wt_fault_host, whole, &held);
    cr_assert_gt(result.failed, 60);
    wt_fault_close(system);
}

/* A kept function: the call that fails may be made again. */
struct kept {
    weir_function *f;
    weir_tensor *start;
};

static weir_status call_again(void *user)
{
    const struct kept *kept = user;
    weir_context *ctx = weir_tensor_get_context(kept->start);
    weir_status called = WEIR_OK;
    weir_status waited = WEIR_OK;

    weir_context_reset_error(ctx);
    called = call(kept->f, kept->start);
    waited = weir_context_synchronize(ctx);
    if (called != WEIR_OK || waited != WEIR_OK) { /* the fault is over; events go */
        weir_context_reset_error(ctx);
        wt_ok(weir_context_synchronize(ctx));
    }
    return called != WEIR_OK ? called : waited;
}

Test(fault_func, a_function_survives_calls_that_fail)
{
    weir_system *system = NULL;
    weir_context *ctx = NULL;
    struct user held = {NULL, NULL, WEIR_GENERATOR_INIT};
    struct kept kept = {NULL, NULL};
    weir_argument_spec specs[2];

    held.device = wt_fault_open_uncached(&system);
    memset(specs, 0, sizeof specs);
    specs[0].dtype = WEIR_DTYPE_F32;
    specs[0].shape.rank = 2;
    specs[0].shape.extents[0] = specs[0].shape.extents[1] = COUNT;
    specs[1].kind = WEIR_ARGUMENT_SCALAR;
    wt_ok(weir_context_create(held.device, &(weir_context_options){sizeof(weir_context_options), 1},
                              &ctx));
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &specs[0].shape, 1.0, &held.constant));
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &specs[0].shape, 2.0, &kept.start));
    wt_ok(weir_function_capture(ctx, specs, 2, 2, body, &held, &kept.f));
    (void)wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = WT_FAULT_MADE_GOOD, .warms_up = 1},
        call_again, &kept);
    wt_ok(call(kept.f, kept.start));
    weir_function_release(kept.f);
    weir_tensor_release(kept.start);
    weir_tensor_release(held.constant);
    weir_context_release(ctx);
    wt_fault_close(system);
}
