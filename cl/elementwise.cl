/* Operands of generated elementwise kernels: loads, draws, stores.
 *
 * The library writes one kernel for each operation and each kind of its operands (src/ops/kernel_text.c); it comes
 * after this text. Item g of it makes the elements g * S .. g * S + S - 1 with S = V * WEIR_WIDTH, as V vectors: V is
 * 4 if an operand is a draw, since a random quad gives four elements a lane, else 1. So element e is made from
 * elements e of the operands alone, whatever the width and the size of work-groups.
 *
 * Arguments, in this order:
 *   count            number of elements, > 0. Items past the last element do nothing
 *   first, n0 ..     if an operand is strided: the number of the first element in row-major order, and WI_DIMS extents;
 *                    see strided.h
 *   x, x_at          a buffer and the element in it where the operand begins; any alignment that float has
 *   x, x_at, x_s0 .. strided: the buffer, the element in it whose index is 0, and WI_DIMS strides
 *   x_seed, x_draw, x_quad   in place of them: a draw, and the quad of its first element, a multiple of WEIR_WIDTH
 *   parameters       float
 *   out, out_at      where the result goes. It may be the very elements of an operand: an item reads a vector before
 *                    it writes it, and no item touches another's. Any other overlap, and one with a strided operand, is the launcher's mistake
 * No local memory, no barriers; the result does not depend on the size of work-groups. Elements outside of the
 * operands are neither read nor written: the last vector is moved element by element.
 */

/* Elements from .. from + WEIR_WIDTH - 1 of `left` at `at`; past the end 0. */
WI_FN wi_f wi_load(__global const float *at, const ulong left, const ulong from)
{
#if WEIR_WIDTH == 1
    return from < left ? at[from] : 0.0f;
#else
    if (left >= from + WEIR_WIDTH) return WI_JOIN(vload, WEIR_WIDTH)(0, at + from);
    float lanes[WEIR_WIDTH];
    for (uint i = 0; i < WEIR_WIDTH; i++) lanes[i] = from + i < left ? at[from + i] : 0.0f;
    return WI_JOIN(vload, WEIR_WIDTH)(0, lanes);
#endif
}

/* The other way; every NaN becomes the one of lanes.h. */
WI_FN void wi_store(__global float *at, const ulong left, const ulong from, const wi_f value)
{
    const wi_f x = wi_canonical(value);
#if WEIR_WIDTH == 1
    if (from < left) at[from] = x;
#else
    if (left >= from + WEIR_WIDTH) {
        WI_JOIN(vstore, WEIR_WIDTH)(x, 0, at + from);
        return;
    }
    float lanes[WEIR_WIDTH];
    WI_JOIN(vstore, WEIR_WIDTH)(x, 0, lanes);
    for (uint i = 0; i < WEIR_WIDTH; i++) {
        if (from + i < left) at[from + i] = lanes[i];
    }
#endif
}

WI_FN wi_quad_u wi_draw_words(const ulong seed, const ulong draw, const ulong quad)
{
    const wi_quad_u counter =
        wi_counter((uint)quad, (uint)(quad >> 32), (uint)draw, (uint)(draw >> 32));
    return wi_philox(counter, (uint)seed, (uint)(seed >> 32));
}

/* The 4 * WEIR_WIDTH elements from quad `quad` on, in their order. */
WI_FN wi_quad_f wi_draw_normal(const ulong seed, const ulong draw, const ulong quad)
{
    return wi_in_order(wi_normal4(wi_draw_words(seed, draw, quad)));
}

WI_FN wi_quad_f wi_draw_uniform(const ulong seed, const ulong draw, const ulong quad)
{
    return wi_in_order(wi_uniform4(wi_draw_words(seed, draw, quad)));
}
