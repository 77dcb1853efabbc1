/* Dense copies of strided elements, moved as integers so that every bit arrives.
 *
 * Item g writes elements g * WI_RUN .. g * WI_RUN + WI_RUN - 1. WI_WORD is an integer type of the element's size.
 *
 * Arguments, in this order:
 *   count      number of elements, > 0. Items past the last element do nothing
 *   first      number of the first of them in row-major order
 *   n0 ..      WI_DIMS extents, the innermost first
 *   x, x_at    the source and the element in it whose index is 0
 *   s0 ..      WI_DIMS strides of the source, in elements
 *   out, out_at
 * The kernel itself is written by src/ops/copy.c, which has the number of dimensions; this is its body. The source and
 * the result do not overlap. No local memory, no barriers; the result does not depend on the size of work-groups.
 */
#ifndef WI_WORD
#define WI_WORD uint
#endif
#define WI_RUN 8

WI_FN void wi_copy_run(const ulong count, const ulong first, const wi_dims extents,
                       __global const WI_WORD *x, const wi_dims strides, __global WI_WORD *out)
{
    const ulong element = (ulong)get_global_id(0) * WI_RUN;
    if (element >= count) return;
    const ulong left = count - element;
    wi_dims index;
    wi_index(first + element, extents, &index);
    out += element;
    if (left >= WI_RUN && index.at[0] + WI_RUN <= extents.at[0]) {
        x += wi_place(index, strides);
        for (uint i = 0; i < WI_RUN; i++) out[i] = x[i * strides.at[0]]; /* trips <= 8 */
        return;
    }
    for (uint i = 0; i < WI_RUN && i < left; i++) { /* trips <= 8 */
        out[i] = x[wi_place(index, strides)];
        wi_next(&index, extents);
    }
}
