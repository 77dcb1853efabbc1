/* Views and broadcasts on the host, one element after the other from their definitions: the references for
 * tensors. Nothing here is fast or clever. */
#ifndef WT_OPS_MODEL_H
#define WT_OPS_MODEL_H

#include "ops_support.h"

/* A dense row-major array. data is owned. */
typedef struct ops_array {
    weir_shape shape;
    float *data;
} ops_array;

static uint64_t ops_random_state = 1;

OPS_UNUSED static uint64_t ops_random(void)
{
    uint64_t z = (ops_random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

OPS_UNUSED static unsigned ops_below(unsigned n) { return (unsigned)(ops_random() % n); }

/* The index of element number e, and back. */
OPS_UNUSED static void ops_unravel(const weir_shape *shape, uint64_t e, uint64_t *index)
{
    for (unsigned i = shape->rank; i-- > 0;) {
        index[i] = e % shape->extents[i];
        e /= shape->extents[i];
    }
}

OPS_UNUSED static uint64_t ops_ravel(const weir_shape *shape, const uint64_t *index)
{
    uint64_t e = 0;

    for (unsigned i = 0; i < shape->rank; i++) e = e * shape->extents[i] + index[i];
    return e;
}

OPS_UNUSED static ops_array ops_array_make(const weir_shape *shape)
{
    ops_array made = {*shape, ops_alloc(weir_shape_count(shape))};

    return made;
}

/* Random numbers of both signs and some size. */
OPS_UNUSED static ops_array ops_array_random(const weir_shape *shape)
{
    ops_array made = ops_array_make(shape);

    for (uint64_t e = 0; e < weir_shape_count(shape); e++)
        made.data[e] = (float)((int64_t)(ops_random() >> 40) - (1 << 23)) * 0x1p-20F;
    return made;
}

OPS_UNUSED static weir_tensor *ops_array_upload(weir_context *ctx, const ops_array *a)
{
    weir_tensor *tensor = NULL;

    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &a->shape, a->data, &tensor));
    return tensor;
}

/* Asserts that the tensor has the array's shape and bits. */
OPS_UNUSED static void ops_array_check(weir_tensor *tensor, const ops_array *a, const char *what)
{
    const uint64_t count = weir_shape_count(&a->shape);
    float *got = ops_alloc(count);
    char want_text[192];
    char got_text[192];

    cr_assert(weir_shape_equal(weir_tensor_get_shape(tensor), &a->shape), "%s: shape %s, not %s",
              what, weir_shape_format(weir_tensor_get_shape(tensor), got_text, sizeof got_text),
              weir_shape_format(&a->shape, want_text, sizeof want_text));
    ops_download(tensor, got);
    for (uint64_t e = 0; e < count; e++) {
        cr_assert_eq(ops_bits(got[e]), ops_bits(a->data[e]), "%s %s: element %llu is %a, not %a",
                     what, weir_shape_format(&a->shape, want_text, sizeof want_text),
                     (unsigned long long)e, (double)got[e], (double)a->data[e]);
    }
    free(got);
}

OPS_UNUSED static ops_array ops_array_transpose(const ops_array *a, const int *axes)
{
    weir_shape shape = a->shape;
    ops_array made;

    for (unsigned i = 0; i < shape.rank; i++) shape.extents[i] = a->shape.extents[axes[i]];
    made = ops_array_make(&shape);
    for (uint64_t e = 0; e < weir_shape_count(&shape); e++) {
        uint64_t to[WEIR_RANK_MAX] = {0};
        uint64_t from[WEIR_RANK_MAX] = {0};

        ops_unravel(&shape, e, to);
        for (unsigned i = 0; i < shape.rank; i++) from[axes[i]] = to[i];
        made.data[e] = a->data[ops_ravel(&a->shape, from)];
    }
    return made;
}

/* The element of `a` that stands at an index of a shape it broadcasts to. */
OPS_UNUSED static float ops_array_at(const ops_array *a, const weir_shape *shape,
                                     const uint64_t *index)
{
    uint64_t from[WEIR_RANK_MAX] = {0};

    for (unsigned i = 0; i < a->shape.rank; i++) {
        const uint64_t at = index[shape->rank - a->shape.rank + i];

        from[i] = a->shape.extents[i] == 1 ? 0 : at;
    }
    return a->data[ops_ravel(&a->shape, from)];
}

OPS_UNUSED static ops_array ops_array_expand(const ops_array *a, const weir_shape *shape)
{
    ops_array made = ops_array_make(shape);

    for (uint64_t e = 0; e < weir_shape_count(shape); e++) {
        uint64_t index[WEIR_RANK_MAX] = {0};

        ops_unravel(shape, e, index);
        made.data[e] = ops_array_at(a, shape, index);
    }
    return made;
}

OPS_UNUSED static ops_array ops_array_reshape(const ops_array *a, const weir_shape *shape)
{
    ops_array made = ops_array_make(shape);

    memcpy(made.data, a->data, weir_shape_count(shape) * sizeof(float));
    return made;
}

/* A shape of random rank, of extents up to `most` and a product up to `count_max`; now and then with a 0. */
OPS_UNUSED static weir_shape ops_random_shape(unsigned rank_max, unsigned most, uint64_t count_max)
{
    weir_shape shape = {.rank = ops_below(rank_max + 1)};
    uint64_t count = 1;

    for (unsigned i = 0; i < shape.rank; i++) {
        uint64_t extent = ops_below(3) == 0 ? 1 : 1 + ops_below(most);

        if (count * extent > count_max) extent = 1;
        shape.extents[i] = extent;
        count *= extent;
    }
    if (shape.rank > 0 && ops_below(20) == 0) shape.extents[ops_below(shape.rank)] = 0;
    return shape;
}

/* A random permutation of 0 .. rank - 1. */
OPS_UNUSED static void ops_random_axes(unsigned rank, int *axes)
{
    for (unsigned i = 0; i < rank; i++) axes[i] = (int)i;
    for (unsigned i = rank; i > 1; i--) {
        const unsigned k = ops_below(i);
        const int other = axes[k];

        axes[k] = axes[i - 1];
        axes[i - 1] = other;
    }
}

#endif
