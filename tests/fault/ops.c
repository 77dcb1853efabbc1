/* Operations and updates with the n-th OpenCL call or host allocation failing, from the opening of the context on. A
 * failed call leaves its output NULL, the generator and the variable as they were, and leaks nothing. */
#include "devices.h"
#include "fault_null.h"

#include <weir/weir.h>

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

Test(fault_ops, each_call)
{
    cr_assert_gt(wt_fault_on_null_uncached(&wt_fault_calls, whole).failed, 20);
}

Test(fault_ops, every_call_from_the_nth_on)
{
    const wt_fault_options options = {
        .kind = WT_FAULT_CL, .tolerated = WT_FAULT_MADE_GOOD, .is_open = 1};

    (void)wt_fault_on_null_uncached(&options, whole);
}

Test(fault_ops, each_host_allocation)
{
    cr_assert_geq(wt_fault_on_null_uncached(&wt_fault_host, whole).failed, 10);
}
