/* Places of elements in memory that is not dense: extents and strides of WI_DIMS dimensions, the innermost first.
 *
 * Comes after random.h. WI_DIMS is 1, 2, 4 or 8; the host merges dimensions before a launch and fills up with extent 1
 * and stride 0 (src/ops/layout.c), so most launches have one or two. Extents and strides are arguments, never text.
 * Device only.
 */
#ifndef WEIR_STRIDED_H
#define WEIR_STRIDED_H

#ifndef WI_DIMS
#define WI_DIMS 2
#endif

/* One number a dimension: extents, strides in elements modulo 2^64, or the index of an element. */
typedef struct wi_dims {
    ulong at[WI_DIMS];
} wi_dims;

/* n / d; most numbers have 32 bits, for which devices divide several times faster. */
WI_FN ulong wi_divide(const ulong n, const ulong d)
{
    return ((n | d) >> 32) == 0 ? (ulong)((uint)n / (uint)d) : n / d;
}

/* Index of element number `element` in row-major order. (Through a pointer, as below: a function that returns a struct of
 * this size leaves a mark of aliasing where it is inlined, which Oclgrind 21.10 does not know.) */
WI_FN void wi_index(ulong element, const wi_dims extents, wi_dims *index)
{
    for (uint k = 0; k + 1 < WI_DIMS; k++) { /* trips <= 7 */
        const ulong rest = wi_divide(element, extents.at[k]);
        index->at[k] = element - rest * extents.at[k];
        element = rest;
    }
    index->at[WI_DIMS - 1] = element;
}

/* Moves on to the next element. */
WI_FN void wi_next(wi_dims *index, const wi_dims extents)
{
    index->at[0]++;
    for (uint k = 0; k + 1 < WI_DIMS; k++) { /* trips <= 7 */
        const int is_past = index->at[k] == extents.at[k];
        index->at[k] = is_past ? 0 : index->at[k];
        index->at[k + 1] += is_past ? 1 : 0;
    }
}

/* Distance in elements from the element whose index is 0. */
WI_FN ulong wi_place(const wi_dims index, const wi_dims strides)
{
    ulong place = 0;
    for (uint k = 0; k < WI_DIMS; k++) place += index.at[k] * strides.at[k]; /* trips <= 8 */
    return place;
}

/* The WEIR_WIDTH elements that follow `index`, the first of which is number `from` of `left`; past the end 0. */
WI_FN wi_f wi_load_strided(__global const float *x, const ulong left, const ulong from,
                           wi_dims index, const wi_dims extents, const wi_dims strides)
{
    float lanes[WEIR_WIDTH];
#if WEIR_WIDTH > 1
    if (from + WEIR_WIDTH <= left && index.at[0] + WEIR_WIDTH <= extents.at[0]) {
        const ulong place = wi_place(index, strides);
        if (strides.at[0] == 1) return WI_LOAD_LANES(x + place);
        if (strides.at[0] == 0) return WI_F(x[place]);
        for (uint i = 0; i < WEIR_WIDTH; i++) lanes[i] = x[place + i * strides.at[0]];
        return WI_LOAD_LANES(lanes);
    }
#endif
    for (uint i = 0; i < WEIR_WIDTH; i++) {
        lanes[i] = from + i < left ? x[wi_place(index, strides)] : 0.0f;
        wi_next(&index, extents);
    }
    return WI_LOAD_LANES(lanes);
}

#endif
