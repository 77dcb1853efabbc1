/* What the tests of operations share: the host's side of tensors. */
#ifndef WT_OPS_SUPPORT_H
#define WT_OPS_SUPPORT_H

#include "devices.h"

#include <weir/weir.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OPS_UNUSED __attribute__((unused))

/* A shape of one dimension. */
OPS_UNUSED static weir_shape ops_vector(uint64_t count)
{
    weir_shape shape = {0};

    shape.rank = 1;
    shape.extents[0] = count;
    return shape;
}

OPS_UNUSED static weir_tensor *ops_upload(weir_context *ctx, const float *data, uint64_t count)
{
    const weir_shape shape = ops_vector(count);
    weir_tensor *tensor = NULL;

    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, &tensor));
    return tensor;
}

OPS_UNUSED static void ops_download(weir_tensor *tensor, void *data)
{
    wt_ok(weir_tensor_to_host(tensor, data, weir_tensor_get_bytes(tensor)));
}

/* A tensor of `count` times `value`. */
OPS_UNUSED static weir_tensor *ops_full(weir_context *ctx, uint64_t count, double value)
{
    const weir_shape shape = ops_vector(count);
    weir_tensor *tensor = NULL;

    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, value, &tensor));
    return tensor;
}

OPS_UNUSED static uint32_t ops_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

OPS_UNUSED static uint64_t ops_launches(const weir_context *ctx)
{
    weir_context_stats stats;

    weir_context_get_stats(ctx, &stats);
    return stats.kernels_launched;
}

OPS_UNUSED static weir_pool_stats ops_pool(const weir_context *ctx)
{
    weir_pool_stats stats;

    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    return stats;
}

/* Host memory of `count` elements, at least one; asserts. */
OPS_UNUSED static float *ops_alloc(uint64_t count)
{
    float *data = calloc((size_t)count + 1, sizeof *data);

    cr_assert_not_null(data);
    return data;
}

#endif
