/* Operations and updates with the n-th OpenCL call or host allocation failing, from the opening of the context on. A
 * failed call leaves its output NULL, the generator and the variable as they were, and leaks nothing. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"
#include "own_cache.h"

#include <weir/weir.h>

#include <stdlib.h>

TestSuite(fault_ops, .timeout = 300);

#define COUNT 100

/* What the scenario holds; released whatever happened. */
struct held {
    weir_context *ctx;
    weir_tensor *a;
    weir_tensor *noise;
    weir_tensor *sum;
    weir_tensor *snapshot;
    weir_variable *state;
    weir_generator generator;
};

static weir_status make_tensors(struct held *held, const weir_shape *shape)
{
    weir_status st = weir_full(held->ctx, WEIR_DTYPE_F32, shape, 1.0, &held->a);

    if (st != WEIR_OK) {
        cr_assert_null(held->a);
        return st;
    }
    st = weir_random_normal(held->ctx, &held->generator, shape, &held->noise);
    cr_assert_eq(held->generator.next_draw, st == WEIR_OK ? 1 : 0);
    if (st != WEIR_OK) {
        cr_assert_null(held->noise);
        return st;
    }
    st = weir_add(held->ctx, held->a, held->noise, &held->sum);
    cr_assert((held->sum != NULL) == (st == WEIR_OK));
    return st;
}

/* In place, then as a copy beside a held snapshot, with a draw that must be written for its second reader. */
static weir_status update_state(struct held *held, const weir_shape *shape)
{
    weir_tensor *before = NULL;
    weir_status st = weir_variable_create(held->ctx, "state", WEIR_DTYPE_F32, shape, held->sum,
                                          NULL, &held->state);

    if (st != WEIR_OK) {
        cr_assert_null(held->state);
        return st;
    }
    weir_tensor_release(held->sum);
    held->sum = NULL;
    st = weir_variable_assign_add(held->state, held->a);
    if (st == WEIR_OK) st = weir_variable_read(held->state, &held->snapshot);
    if (st != WEIR_OK) return st;
    st = weir_variable_assign_sub(held->state, held->noise);
    wt_ok(weir_variable_read(held->state, &before));
    cr_assert_eq(before == held->snapshot, st != WEIR_OK,
                 "an update that failed changed the value");
    weir_tensor_release(before);
    return st;
}

static weir_status whole(void *user)
{
    static const int64_t extents[] = {COUNT};
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    struct held held = {.generator = WEIR_GENERATOR_INIT};
    float values[COUNT];
    weir_shape shape;
    weir_status st;

    wt_ok(weir_shape_make(1, extents, &shape));
    options.no_self_check = 1;
    st = weir_context_create(user, &options, &held.ctx);
    if (st == WEIR_OK) st = make_tensors(&held, &shape);
    if (st == WEIR_OK) st = update_state(&held, &shape);
    if (st == WEIR_OK) st = weir_tensor_to_host(held.snapshot, values, sizeof values);
    if (st == WEIR_OK) st = weir_context_synchronize(held.ctx);
    weir_variable_release(held.state);
    weir_tensor_release(held.snapshot);
    weir_tensor_release(held.sum);
    weir_tensor_release(held.noise);
    weir_tensor_release(held.a);
    weir_context_release(held.ctx);
    return st;
}

/* Calls with another way to go: the log of a build that went well, the pool's first root, which it then takes in a
 * smaller size (a root is touched by a write), and a look at a queue's progress, which is taken again later. */
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

Test(fault_ops, each_call)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result;

    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED}, whole,
                           device);
    cr_assert_gt(result.failed, 20);
    weir_system_destroy(system);
    wt_cache_end();
}

Test(fault_ops, every_call_from_the_nth_on)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);

    (void)wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_CL, .tolerated = TOLERATED, .is_open = 1}, whole,
        device);
    weir_system_destroy(system);
    wt_cache_end();
}

Test(fault_ops, each_host_allocation)
{
    weir_system *system = NULL;
    weir_device *device = open_null(&system);
    wt_fault_result result;

    result = wt_fault_each(
        &(wt_fault_options){.kind = WT_FAULT_HOST, .tolerated = "the cache does without"}, whole,
        device);
    cr_assert_geq(result.failed, 10);
    weir_system_destroy(system);
    wt_cache_end();
}
