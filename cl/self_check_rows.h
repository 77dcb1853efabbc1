/* What the self-check evaluates, as text for device and host: operands, and one expression a row.
 *
 * Case i of a row works on three words. The first cases take them from the table, written for rounding, infinities,
 * NaN, exactness of fma, contraction and subnormals; the others from philox. Every word is mixed with a kernel argument
 * that is 0, so that no compiler evaluates a row itself. Comes after random.h.
 */
#ifndef WEIR_SELF_CHECK_ROWS_H
#define WEIR_SELF_CHECK_ROWS_H

#if !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__)
#include "random.h"
#endif

/* Counter of philox's third known answer; wi_check_words() has the rest of it and its key. */
#define WI_CHECK_COUNTER_0 0x243f6a88u

/* Cases that the table fills. */
#define WI_CHECK_TABLE_CASES 38

/* T(a, b, c) */
#define WI_CHECK_TABLE(T)                                                                         \
    T(0x3f800000u, 0x33800000u, 0x3f800000u) /* 1 + 2^-24: a tie, to even below */                \
    T(0x3f800001u, 0x33800000u, 0x3f800000u) /* a tie, to even above */                           \
    T(0x3f800000u, 0x33800001u, 0xbf800000u) /* just over the tie */                              \
    T(0xbf800000u, 0xb3800001u, 0x3f800000u) /* the same below zero */                            \
    T(0x4b800000u, 0x3f7fffffu, 0x3f000000u) /* 2^24 + almost 1 */                                \
    T(0x3f800003u, 0x3f800003u, 0xbf800006u) /* only fma has the product's tail */                \
    T(0x3f801001u, 0x3f801001u, 0xbf802002u)                                                      \
    T(0x3fffffffu, 0x3fffffffu, 0xc07ffffeu)                                                      \
    T(0x40490fdbu, 0x40490fdbu, 0xc11de9e7u)                                                      \
    T(0x3eaaaaabu, 0x40400000u, 0xbf800000u) /* 1/3 * 3 - 1 */                                    \
    T(0x3f800003u, 0xbf800006u, 0x3f800003u) /* the same for c * a + b, which must round twice */ \
    T(0x3f801001u, 0xbf802002u, 0x3f801001u)                                                      \
    T(0x3fffffffu, 0xc07ffffeu, 0x3fffffffu)                                                      \
    T(0x40490fdbu, 0xc11de9e7u, 0x40490fdbu)                                                      \
    T(0x3eaaaaabu, 0xbf800000u, 0x40400000u)                                                      \
    T(0x3f7fffffu, 0xbf7ffffeu, 0x3f7fffffu)                                                      \
    T(0x7f7fffffu, 0x7f7fffffu, 0x3f800000u) /* overflow */                                       \
    T(0x7f7fffffu, 0x73000000u, 0xff7fffffu) /* tie at the largest number */                      \
    T(0xff7fffffu, 0x40000000u, 0x7f7fffffu)                                                      \
    T(0x7f800000u, 0x3f800000u, 0x3f800000u) /* infinities */                                     \
    T(0xff800000u, 0x7f800000u, 0x7f800000u)                                                      \
    T(0x7f800000u, 0x00000000u, 0x3f800000u) /* inf * 0 */                                        \
    T(0x7fc00000u, 0x3f800000u, 0x3f800000u) /* NaN */                                            \
    T(0x3f800000u, 0xffc12345u, 0x3f800000u)                                                      \
    T(0x7f800001u, 0x7f800001u, 0x7f800001u) /* signalling */                                     \
    T(0x00000000u, 0x80000000u, 0x80000000u) /* zeros */                                          \
    T(0x80000000u, 0x80000000u, 0x80000000u)                                                      \
    T(0x80000000u, 0x3f800000u, 0x00000000u)                                                      \
    T(0x00800000u, 0x80000001u, 0x00000000u) /* subnormal sums */                                 \
    T(0x00c00000u, 0x80800000u, 0x00000001u)                                                      \
    T(0x00000001u, 0x00000001u, 0x00000001u)                                                      \
    T(0x007fffffu, 0x00000001u, 0x80000001u) /* sum of subnormals that is normal */               \
    T(0x00800000u, 0x3f000000u, 0x00000000u) /* subnormal products */                             \
    T(0x00400000u, 0x40000000u, 0x80000000u)                                                      \
    T(0x1a000000u, 0x1a000001u, 0x00000000u) /* product far below */                              \
    T(0x20000000u, 0x20000001u, 0x00800000u) /* subnormal product, normal sum */                  \
    T(0xc2aeac4fu, 0x42b17217u, 0x3f000000u) /* last arguments of exp */                          \
    T(0x3fffffffu, 0x3fffffffu, 0x41110000u) /* the one mantissa that division treats apart */

/* R(row, name, finding, bits): a, b, c are the operands' words, x, y, z the same as floats, w the random words of the
 * case, normal_cosine and normal_sine the pair from the first two. `finding` is what a difference tells first. Row 7
 * has a product of its own: compilers fuse only products that are used once. */
#define WI_CHECK_ROWS(R)                                                                 \
    R(0, "philox", PHILOX, w.v0)                                                         \
    R(1, "philox words 1 to 3", PHILOX, w.v1 + 3u * w.v2 + 5u * w.v3)                    \
    R(2, "integers", INTEGERS,                                                           \
      (a * b) ^ WI_MUL_HIGH(a, 0xd2511f53u) ^ wi_unsigned(wi_signed(a) >> 7) ^ (b << 9)) \
    R(3, "conversion", INTEGERS, wi_bits(wi_from_int(wi_signed(a) >> 7)))                \
    R(4, "a + b", ROUNDING, wi_bits(x + y))                                              \
    R(5, "a * b", ROUNDING, wi_bits((x)*y))                                              \
    R(6, "fma(a, b, c)", FMA, wi_bits(wi_fma(x, y, z)))                                  \
    R(7, "c * a + b", CONTRACTION, wi_bits((z)*x + y))                                   \
    R(8, "comparison", INTEGERS,                                                         \
      wi_select_u(wi_select_u(a, b, WI_MASK(x > y)), c, WI_MASK(x == z)))                \
    R(9, "log(c)", FUNCTIONS, wi_bits(wi_log(z)))                                        \
    R(10, "exp(a)", FUNCTIONS, wi_bits(wi_exp(x)))                                       \
    R(11, "tanh(b)", FUNCTIONS, wi_bits(wi_tanh(y)))                                     \
    R(12, "sqrt(c)", FUNCTIONS, wi_bits(wi_sqrt(z)))                                     \
    R(13, "a / b", FUNCTIONS, wi_bits(wi_div(x, y)))                                     \
    R(14, "normal of the cosine", FUNCTIONS, wi_bits(normal_cosine))                     \
    R(15, "normal of the sine", FUNCTIONS, wi_bits(normal_sine))

/** Random words of the cases first + lane. */
WI_FN wi_quad_u wi_check_words(wi_word first, wi_word zero)
{
    return wi_philox(wi_counter(WI_CHECK_COUNTER_0 + first, 0x85a308d3u, 0x13198a2eu, 0x03707344u),
                     0xa4093822u + zero, 0x299f31d0u);
}

/** A float of either sign from 2^-4 up to 2^4, from a random word. */
WI_FN wi_u wi_check_near_one(wi_u word)
{
    return (word & 0x807fffffu) | ((((word >> 24) & 7u) + 123u) << 23);
}

/** The operands: the table's words where they are not all zero, else random ones, the third of them positive. */
WI_FN wi_quad_u wi_check_operands(wi_quad_u w, wi_u a, wi_u b, wi_u c, wi_word zero)
{
    wi_quad_u q = w;
    wi_u empty = a | b | c;
    q.v0 = wi_select_u(a + zero, wi_check_near_one(w.v0), WI_MASK(empty == 0u));
    q.v1 = wi_select_u(b + zero, wi_check_near_one(w.v1), WI_MASK(empty == 0u));
    q.v2 = wi_select_u(c + zero, wi_check_near_one(w.v2) & 0x7fffffffu, WI_MASK(empty == 0u));
    return q;
}

#endif
