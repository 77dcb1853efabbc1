/* What the tests of functions share. */
#ifndef WT_FUNC_SUPPORT_H
#define WT_FUNC_SUPPORT_H

#include "ops_support.h"

/* The bits of two tensors are equal; releases neither. */
OPS_UNUSED static int func_equal(weir_tensor *a, weir_tensor *b)
{
    const uint64_t bytes = weir_tensor_get_bytes(a);
    unsigned char *x = malloc((size_t)bytes + 1);
    unsigned char *y = malloc((size_t)bytes + 1);
    int is_equal = 0;

    cr_assert(x != NULL && y != NULL);
    cr_assert_eq(weir_tensor_get_bytes(b), bytes);
    ops_download(a, x);
    ops_download(b, y);
    is_equal = memcmp(x, y, (size_t)bytes) == 0;
    free(x);
    free(y);
    return is_equal;
}

OPS_UNUSED static weir_shape func_matrix(uint64_t rows, uint64_t columns)
{
    weir_shape shape = {0};

    shape.rank = 2;
    shape.extents[0] = rows;
    shape.extents[1] = columns;
    return shape;
}

/* A tensor of draws of a seed of its own, written to memory. */
OPS_UNUSED static weir_tensor *func_values(weir_context *ctx, const weir_shape *shape,
                                           uint64_t seed)
{
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *draw = NULL;
    weir_tensor *out = NULL;

    generator.seed = seed;
    wt_ok(weir_random_normal(ctx, &generator, shape, &draw));
    wt_ok(weir_scale(ctx, draw, 1.0f, &out));
    weir_tensor_release(draw);
    return out;
}

OPS_UNUSED static weir_argument func_tensor(weir_tensor *tensor)
{
    const weir_argument argument = {tensor, {0, 0, 0}};

    return argument;
}

OPS_UNUSED static weir_argument func_number(int64_t value)
{
    const weir_argument argument = {NULL, weir_scalar_of(value)};

    return argument;
}

/* The specs of a state of that shape and a number of trips. */
OPS_UNUSED static void func_specs(const weir_shape *shape, weir_argument_spec specs[2])
{
    memset(specs, 0, 2 * sizeof specs[0]);
    specs[0].kind = WEIR_ARGUMENT_TENSOR;
    specs[0].dtype = WEIR_DTYPE_F32;
    specs[0].shape = *shape;
    specs[1].kind = WEIR_ARGUMENT_SCALAR;
}

#endif
