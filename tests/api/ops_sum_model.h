/* Sums on the host: in the order that weir_sum() publishes, and in double. */
#ifndef WT_OPS_SUM_MODEL_H
#define WT_OPS_SUM_MODEL_H

#include "ops_model.h"

#include <math.h>

OPS_UNUSED static int ops_is_axis(unsigned i, const int *axes, unsigned n_axes)
{
    for (unsigned k = 0; k < n_axes; k++) {
        if (axes[k] == (int)i) return 1;
    }
    return 0;
}

/* The order that weir_sum() publishes, written out over one list of numbers. */
OPS_UNUSED static float ops_tree_sum(const float *x, uint64_t count)
{
    const uint64_t chunks = (count + 4095) / 4096;
    float *parts = ops_alloc(chunks);
    float sum;

    if (count == 0) {
        free(parts);
        return 0.0F;
    }
    for (uint64_t c = 0; c < chunks; c++) {
        const uint64_t left = count - c * 4096 < 4096 ? count - c * 4096 : 4096;
        float lanes[32];

        for (unsigned j = 0; j < 32 && j < left; j++) {
            lanes[j] = x[c * 4096 + j];
            for (uint64_t e = j + 32; e < left; e += 32) lanes[j] += x[c * 4096 + e];
        }
        for (unsigned step = 16; step > 0; step /= 2) {
            for (unsigned j = 0; j < step; j++) {
                if (j + step < left) lanes[j] += lanes[j + step];
            }
        }
        parts[c] = lanes[0];
    }
    for (uint64_t stride = 1; stride < chunks; stride *= 2) {
        for (uint64_t c = 0; c + stride < chunks; c += 2 * stride) parts[c] += parts[c + stride];
    }
    sum = parts[0];
    free(parts);
    return sum;
}

/* Sum along ascending axes. wide, scale: NULL, or arrays for the sums in double and of magnitudes. */
OPS_UNUSED static ops_array ops_array_sum(const ops_array *a, const int *axes, unsigned n_axes,
                                          int keep_dims, double *wide, double *scale)
{
    weir_shape kept = {0};
    weir_shape full = a->shape;
    ops_array made;
    uint64_t length = 1;
    float *list = NULL;

    for (unsigned i = 0; i < a->shape.rank; i++) {
        const int is_gone = ops_is_axis(i, axes, n_axes);

        if (is_gone) length *= a->shape.extents[i];
        if (is_gone) full.extents[i] = 1;
        if (!is_gone || keep_dims) kept.extents[kept.rank++] = full.extents[i];
    }
    made = ops_array_make(&kept);
    list = ops_alloc(length);
    for (uint64_t r = 0; r < weir_shape_count(&full); r++) {
        uint64_t base[WEIR_RANK_MAX] = {0};
        weir_shape gone = {0};
        double sum = 0.0;
        double magnitude = 0.0;

        ops_unravel(&full, r, base);
        for (unsigned i = 0; i < a->shape.rank; i++) {
            if (ops_is_axis(i, axes, n_axes)) gone.extents[gone.rank++] = a->shape.extents[i];
        }
        for (uint64_t e = 0; e < length; e++) {
            uint64_t inner[WEIR_RANK_MAX] = {0};
            unsigned next = 0;

            ops_unravel(&gone, e, inner);
            for (unsigned i = 0; i < a->shape.rank; i++) {
                if (ops_is_axis(i, axes, n_axes)) base[i] = inner[next++];
            }
            list[e] = a->data[ops_ravel(&a->shape, base)];
            sum += (double)list[e];
            magnitude += fabs((double)list[e]);
        }
        made.data[r] = ops_tree_sum(list, length);
        if (wide != NULL) wide[r] = sum;
        if (scale != NULL) scale[r] = magnitude;
    }
    free(list);
    return made;
}

#endif
