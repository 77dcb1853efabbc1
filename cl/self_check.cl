/* Evaluates the rows of self_check_rows.h on its 64 cases; comes after that text.
 *
 * words          16 rows of 64 words, written
 * offset         of words, in elements
 * zero           0
 * Contract: 64 / WEIR_WIDTH items, any group size. */

#define WI_CHECK_A(a, b, c) a,
#define WI_CHECK_B(a, b, c) b,
#define WI_CHECK_C(a, b, c) c,

__constant uint weir_check_a[64] = {WI_CHECK_TABLE(WI_CHECK_A)};
__constant uint weir_check_b[64] = {WI_CHECK_TABLE(WI_CHECK_B)};
__constant uint weir_check_c[64] = {WI_CHECK_TABLE(WI_CHECK_C)};

#define WI_CHECK_STORE(row, name, finding, bits) WI_STORE_LANES(bits, out + (row)*64u);

__kernel void weir_self_check(__global uint *words, ulong offset, uint zero)
{
    uint first = (uint)get_global_id(0) * WEIR_WIDTH;
    __global uint *out = words + offset + first;
    wi_quad_u w = wi_check_words(first, zero);
    wi_quad_u operands = wi_check_operands(w, WI_LOAD_LANES(weir_check_a + first),
                                           WI_LOAD_LANES(weir_check_b + first),
                                           WI_LOAD_LANES(weir_check_c + first), zero);
    wi_u a = operands.v0;
    wi_u b = operands.v1;
    wi_u c = operands.v2;
    wi_f x = wi_float(a);
    wi_f y = wi_float(b);
    wi_f z = wi_float(c);
    wi_f normal_sine;
    wi_f normal_cosine = wi_normal_pair(w.v0, w.v1, &normal_sine);
    WI_CHECK_ROWS(WI_CHECK_STORE)
}
