/* What the tests of tapes share. */
#ifndef WT_TAPE_SUPPORT_H
#define WT_TAPE_SUPPORT_H

#include "ops_support.h"

OPS_UNUSED static weir_tape *tape_open(weir_context *ctx, int is_persistent)
{
    weir_tape_options options = WEIR_TAPE_OPTIONS_INIT;
    weir_tape *tape = NULL;

    options.is_persistent = is_persistent;
    wt_ok(weir_tape_begin(ctx, &options, &tape));
    return tape;
}

/* A watched tensor of `count` times `value`. */
OPS_UNUSED static weir_tensor *tape_source(weir_context *ctx, weir_tape *tape, uint64_t count,
                                           double value)
{
    weir_tensor *tensor = ops_full(ctx, count, value);

    wt_ok(weir_tape_watch(tape, tensor));
    return tensor;
}

/* The gradient of one target by one source; NULL: there is none. */
OPS_UNUSED static weir_tensor *tape_gradient(weir_tape *tape, weir_tensor *target,
                                             weir_tensor *source)
{
    weir_tensor *gradient = NULL;

    wt_ok(weir_tape_gradient(tape, &target, 1, NULL, &source, 1, &gradient));
    return gradient;
}

/* Asserts that all elements are `value`, and releases the tensor. */
OPS_UNUSED static void tape_expect(weir_tensor *tensor, float value)
{
    uint64_t count = 0;
    float *data = NULL;

    cr_assert_not_null(tensor, "no gradient");
    count = weir_tensor_get_count(tensor);
    data = ops_alloc(count);
    ops_download(tensor, data);
    for (uint64_t i = 0; i < count; i++) {
        cr_assert_eq(data[i], value, "element %llu is %a, not %a", (unsigned long long)i,
                     (double)data[i], (double)value);
    }
    free(data);
    weir_tensor_release(tensor);
}

OPS_UNUSED static weir_tensor *tape_mul(weir_context *ctx, weir_tensor *a, weir_tensor *b)
{
    weir_tensor *product = NULL;

    wt_ok(weir_mul(ctx, a, b, &product));
    return product;
}

OPS_UNUSED static weir_tensor *tape_add(weir_context *ctx, weir_tensor *a, weir_tensor *b)
{
    weir_tensor *sum = NULL;

    wt_ok(weir_add(ctx, a, b, &sum));
    return sum;
}

/* Replaces *state by `next`. */
OPS_UNUSED static void tape_step(weir_tensor **state, weir_tensor *next)
{
    weir_tensor_release(*state);
    *state = next;
}

#endif
