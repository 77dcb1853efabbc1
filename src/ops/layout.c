/* Shapes and strides into the few dimensions that a kernel needs.
 *
 * Dimensions of extent 1 go; two neighbours become one where, in every operand, the outer one's stride is the inner
 * one's stride times its extent. So a broadcast of a row, a column or a scalar has one or two dimensions whatever the
 * rank. The number of dimensions is part of a kernel's text, and is rounded up so that there are four texts at most.
 */
#include "ops/layout.h"

#include <string.h>

void wi_shape_strides(const weir_shape *shape, int64_t *strides)
{
    uint64_t stride = 1;

    for (unsigned i = shape->rank; i-- > 0;) {
        strides[i] = (int64_t)stride;
        stride *= shape->extents[i];
    }
}

int wi_shape_broadcast(const weir_shape *a, const weir_shape *b, weir_shape *out)
{
    weir_shape result = {.rank = a->rank > b->rank ? a->rank : b->rank};

    for (unsigned i = 0; i < result.rank; i++) { /* from the last dimension on */
        const uint64_t x = i < a->rank ? a->extents[a->rank - 1 - i] : 1;
        const uint64_t y = i < b->rank ? b->extents[b->rank - 1 - i] : 1;

        if (x != y && x != 1 && y != 1) return 0;
        result.extents[result.rank - 1 - i] = x == 1 ? y : x;
    }
    *out = result;
    return 1;
}

void wi_operand_broadcast(wi_operand *operand, const weir_shape *from, const weir_shape *to)
{
    int64_t own[WEIR_RANK_MAX] = {0};
    const unsigned added = to->rank - from->rank;

    if (operand->is_strided)
        memcpy(own, operand->strides, sizeof own);
    else
        wi_shape_strides(from, own);
    for (unsigned i = 0; i < to->rank; i++) {
        const int is_repeated = i < added || from->extents[i - added] == 1;

        operand->strides[i] = is_repeated ? 0 : own[i - added];
    }
    operand->is_strided = 1;
}

/* 1 if the elements are one stretch in row-major order. */
static int is_dense(const weir_shape *shape, const int64_t *strides)
{
    uint64_t stride = 1;

    for (unsigned i = shape->rank; i-- > 0;) {
        if (shape->extents[i] == 1) continue;
        if (strides[i] != (int64_t)stride) return 0;
        stride *= shape->extents[i];
    }
    return 1;
}

/* 1 if dimension `outer` continues the layout's last one in every strided operand. */
static int continues(const wi_operand *operands, unsigned count, unsigned outer,
                     const wi_layout *layout)
{
    const unsigned last = layout->rank - 1;

    for (unsigned o = 0; o < count; o++) {
        if (!operands[o].is_strided) continue;
        if (operands[o].strides[outer] !=
            layout->strides[o][last] * (int64_t)layout->extents[last]) {
            return 0;
        }
    }
    return 1;
}

void wi_layout_make(const weir_shape *shape, wi_operand *operands, unsigned count, wi_layout *out)
{
    for (unsigned o = 0; o < count; o++) {
        if (operands[o].is_strided && is_dense(shape, operands[o].strides))
            operands[o].is_strided = 0;
    }
    wi_layout_merge(shape, operands, count, out);
}

void wi_layout_merge(const weir_shape *shape, const wi_operand *operands, unsigned count,
                     wi_layout *out)
{
    *out = (wi_layout){0};
    for (unsigned i = shape->rank; i-- > 0;) {
        if (shape->extents[i] == 1) continue;
        if (out->rank > 0 && continues(operands, count, i, out)) {
            out->extents[out->rank - 1] *= shape->extents[i];
            continue;
        }
        for (unsigned o = 0; o < count; o++) {
            if (operands[o].is_strided) out->strides[o][out->rank] = operands[o].strides[i];
        }
        out->extents[out->rank++] = shape->extents[i];
    }
    for (unsigned i = out->rank; i < WEIR_RANK_MAX; i++) out->extents[i] = 1;
    while (out->rank != 1 && out->rank != 2 && out->rank != 4 && out->rank != 8) out->rank++;
}
