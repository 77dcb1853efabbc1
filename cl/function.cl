/* Values of captured functions: moved between memory and registers, and what loops need.
 *
 * Comes after elementwise.cl. The library writes one kernel for each step of a function (src/func/kernel_code.c), which
 * follows this text. An item makes 4 * WEIR_WIDTH consecutive elements as a wi_quad_f, or WEIR_WIDTH as a wi_f if nothing in it
 * draws or loops. Where something draws, an item holds its elements in the order of the draws, lane l of vector j being
 * element j of quad l, from the load to the store: so a loop of draws moves no lanes. Operations do not care.
 *
 * Arguments: count (elements, > 0; items past the last do nothing), first (element of item 0, a multiple of an item's
 * elements), begin and end (trips of the loop; begin > 0: it goes on from the stored state), then those that the
 * function's own text declares. Results overlap no operand. No local memory, no barriers; results do not depend on the
 * size of work-groups.
 */

/* One vector at `at`, of which `left` elements are there. */
WI_FN wi_f wi_load_one(__global const float *at, const ulong left) { return wi_load(at, left, 0); }

WI_FN void wi_store_one(__global float *at, const ulong left, const wi_f x)
{
    wi_store(at, left, 0, x);
}

/* 4 * WEIR_WIDTH elements in their order. */
WI_FN wi_quad_f wi_load_four(__global const float *at, const ulong left)
{
    wi_quad_f q;
    q.v0 = wi_load(at, left, 0);
    q.v1 = wi_load(at, left, WEIR_WIDTH);
    q.v2 = wi_load(at, left, 2 * WEIR_WIDTH);
    q.v3 = wi_load(at, left, 3 * WEIR_WIDTH);
    return q;
}

WI_FN void wi_store_four(__global float *at, const ulong left, const wi_quad_f q)
{
    wi_store(at, left, 0, q.v0);
    wi_store(at, left, WEIR_WIDTH, q.v1);
    wi_store(at, left, 2 * WEIR_WIDTH, q.v2);
    wi_store(at, left, 3 * WEIR_WIDTH, q.v3);
}

/* Takes what WI_ZIP put together apart: even lanes to a, odd lanes to b. */
#define WI_UNZIP(low, high, a, b) \
    do {                          \
        (a).lo = (low).even;      \
        (a).hi = (high).even;     \
        (b).lo = (low).odd;       \
        (b).hi = (high).odd;      \
    } while (0)

/* The inverse of wi_in_order(). */
WI_FN wi_quad_f wi_in_quads(const wi_quad_f r)
{
#if WEIR_WIDTH == 1
    return r;
#else
    wi_quad_f q;
    wi_f even_low, even_high, odd_low, odd_high;
    WI_UNZIP(r.v0, r.v1, even_low, odd_low);
    WI_UNZIP(r.v2, r.v3, even_high, odd_high);
    WI_UNZIP(even_low, even_high, q.v0, q.v2);
    WI_UNZIP(odd_low, odd_high, q.v1, q.v3);
    return q;
#endif
}

/* The same in the order of draws. */
WI_FN wi_quad_f wi_load_quads(__global const float *at, const ulong left)
{
    return wi_in_quads(wi_load_four(at, left));
}

WI_FN void wi_store_quads(__global float *at, const ulong left, const wi_quad_f q)
{
    wi_store_four(at, left, wi_in_order(q));
}

/* One number everywhere. */
WI_FN wi_quad_f wi_quad_of(const float x)
{
    wi_quad_f q;
    q.v0 = WI_F(x);
    q.v1 = q.v0;
    q.v2 = q.v0;
    q.v3 = q.v0;
    return q;
}

WI_FN wi_quad_f wi_quad_normal(const ulong seed, const ulong draw, const ulong quad)
{
    return wi_normal4(wi_draw_words(seed, draw, quad));
}

WI_FN wi_quad_f wi_quad_uniform(const ulong seed, const ulong draw, const ulong quad)
{
    return wi_uniform4(wi_draw_words(seed, draw, quad));
}

/* An index as f32, to nearest, ties to even: the device's own conversion need not round so beyond 24 bits. */
WI_FN float wi_index_float(const ulong index)
{
    const uint high = (uint)(index >> 32);
    const uint zeros = high != 0 ? clz(high) : 32 + clz((uint)index);
    if (zeros >= 40) return (float)(int)(uint)index;
    const uint shift = 40 - zeros;
    const ulong rest = index & (((ulong)1 << shift) - 1);
    const ulong middle = (ulong)1 << (shift - 1);
    uint mantissa = (uint)(index >> shift);
    mantissa += rest > middle || (rest == middle && (mantissa & 1) != 0) ? 1 : 0;
    return (float)(int)mantissa * as_float((127 + shift) << 23);
}
