/* Tapes with the n-th OpenCL call or host allocation failing: the call fails, its outputs are NULL, nothing leaks, and
 * the tape and the context can be used and closed as before. */
#include "devices.h"
#include "fault_null.h"

#include <weir/weir.h>

TestSuite(fault_tape, .timeout = 300);

/* What the scenario holds; released whatever happened. */
struct held {
    weir_context *ctx;
    weir_tape *outer; /* persistent, gives zeros */
    weir_tape *inner;
    weir_tensor *x;
    weir_tensor *row; /* broadcast to x */
    weir_tensor *stopped;
    weir_tensor *loss;
    weir_tensor *grads[3];
};

/* loss = sum(exp(x * row) + stop_gradient(x)) */
static weir_status compute_loss(struct held *held)
{
    weir_tensor *product = NULL;
    weir_tensor *curved = NULL;
    weir_tensor *sum = NULL;
    weir_status st = weir_mul(held->ctx, held->x, held->row, &product);

    cr_assert((product != NULL) == (st == WEIR_OK));
    if (st == WEIR_OK) st = weir_exp(held->ctx, product, &curved);
    weir_tensor_release(product);
    if (st == WEIR_OK) {
        st = weir_stop_gradient(held->ctx, held->x, &held->stopped);
        cr_assert((held->stopped != NULL) == (st == WEIR_OK));
    }
    if (st == WEIR_OK) st = weir_add(held->ctx, curved, held->stopped, &sum);
    weir_tensor_release(curved);
    if (st == WEIR_OK) st = weir_sum(held->ctx, sum, NULL, 0, 0, &held->loss);
    weir_tensor_release(sum);
    return st;
}

static weir_status ask(struct held *held, weir_tape *tape)
{
    weir_tensor *sources[3] = {held->x, held->row, held->stopped};
    weir_status st;

    for (unsigned i = 0; i < 3; i++) {
        weir_tensor_release(held->grads[i]);
        held->grads[i] = held->x; /* to be overwritten */
    }
    st = weir_tape_gradient(tape, &held->loss, 1, NULL, sources, 3, held->grads);
    for (unsigned i = 0; i < 3; i++) {
        const int is_there = st == WEIR_OK && (i < 2 || tape == held->outer);
        cr_assert((held->grads[i] != NULL) == is_there, "gradient %u", i);
    }
    return st;
}

static weir_status begin(struct held *held)
{
    weir_tape_options options = WEIR_TAPE_OPTIONS_INIT;
    weir_status st;

    options.is_persistent = 1;
    options.unconnected = WEIR_UNCONNECTED_ZERO;
    st = weir_tape_begin(held->ctx, &options, &held->outer);
    cr_assert((held->outer != NULL) == (st == WEIR_OK));
    if (st == WEIR_OK) st = weir_tape_watch(held->outer, held->x);
    if (st == WEIR_OK) st = weir_tape_watch(held->outer, held->row);
    if (st == WEIR_OK) st = weir_tape_begin(held->ctx, NULL, &held->inner);
    if (st == WEIR_OK) st = weir_tape_watch(held->inner, held->x);
    if (st == WEIR_OK) st = weir_tape_watch(held->inner, held->row);
    return st;
}

static weir_status whole(void *user)
{
    const weir_shape shape = {2, {8, 16}};
    const weir_shape row = {1, {16}};
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    struct held held = {0};
    weir_status st;

    options.no_self_check = 1;
    st = weir_context_create(user, &options, &held.ctx);
    if (st == WEIR_OK) st = weir_full(held.ctx, WEIR_DTYPE_F32, &shape, 0.5, &held.x);
    if (st == WEIR_OK) st = weir_full(held.ctx, WEIR_DTYPE_F32, &row, 0.5, &held.row);
    if (st == WEIR_OK) st = begin(&held);
    if (st == WEIR_OK) st = compute_loss(&held);
    if (st == WEIR_OK) st = ask(&held, held.inner);
    if (st == WEIR_OK) st = ask(&held, held.outer);
    if (st == WEIR_OK) st = weir_context_synchronize(held.ctx);
    weir_tape_reset(held.outer);
    weir_tape_destroy(held.inner);
    for (unsigned i = 0; i < 3; i++) weir_tensor_release(held.grads[i]);
    weir_tensor_release(held.loss);
    weir_tensor_release(held.stopped);
    weir_tensor_release(held.x);
    weir_tensor_release(held.row);
    weir_tape_destroy(held.outer);
    weir_context_release(held.ctx);
    return st;
}

Test(fault_tape, each_call)
{
    cr_assert_gt(wt_fault_on_null_uncached(&wt_fault_calls, whole).failed, 50);
}

Test(fault_tape, each_host_allocation)
{
    cr_assert_geq(wt_fault_on_null_uncached(&wt_fault_host, whole).failed, 30);
}

/* A failure in the middle of backward consumes the tape, and leaves nothing of it. */
Test(fault_tape, backward_that_fails_releases_what_was_saved)
{
    const weir_shape shape = {1, {1024}};
    weir_system *system = NULL;
    weir_device *device = wt_fault_open_uncached(&system);
    uint64_t failed = 0;

    for (uint64_t n = 1; n < 100; n++) {
        weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
        weir_context *ctx = NULL;
        weir_tape *tape = NULL;
        weir_tensor *x = NULL;
        weir_tensor *state = NULL;
        weir_tensor *gradient = NULL;
        weir_tensor *again = NULL;
        weir_pool_stats stats;
        weir_status st;

        options.no_self_check = 1;
        wt_ok(weir_context_create(device, &options, &ctx));
        wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 0.5, &x));
        wt_ok(weir_tape_begin(ctx, NULL, &tape));
        wt_ok(weir_tape_watch(tape, x));
        state = weir_tensor_retain(x);
        for (unsigned i = 0; i < 4; i++) {
            weir_tensor *next = NULL;

            wt_ok(weir_tanh(ctx, state, &next));
            weir_tensor_release(state);
            state = next;
        }
        cr_assert_eq(weir_tape_get_saved_bytes(tape), 4 * 4096);
        wt_fault_arm(WT_FAULT_CL, "clEnqueueNDRangeKernel", n, 0, 0);
        st = weir_tape_gradient(tape, &state, 1, NULL, &x, 1, &gradient);
        if (wt_fault_disarm()) {
            cr_assert_neq(st, WEIR_OK);
            failed++;
        }
        cr_assert((gradient != NULL) == (st == WEIR_OK));
        cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
        weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
        cr_assert_eq(stats.blocks.current, st == WEIR_OK ? 3 : 2);
        wt_fails(weir_tape_gradient(tape, &state, 1, NULL, &x, 1, &again), WEIR_E_TAPE_CONSUMED);
        cr_assert_null(again);
        weir_tape_destroy(tape);
        weir_tensor_release(gradient);
        weir_tensor_release(state);
        weir_tensor_release(x);
        weir_context_release(ctx);
        wt_assert_live(&(weir_live){0}, "after the context");
        if (st == WEIR_OK) break;
    }
    cr_assert_eq(failed, 4, "one a launch, not %llu", (unsigned long long)failed);
    wt_fault_close(system);
}
