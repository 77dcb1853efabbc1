/* Random numbers without state: philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
 * 1, 2, 3", SC11), normals by Box and Muller, and uniforms. Comes after numeric.h and follows its rules.
 *
 * Element e of draw d under a seed comes from word e % 4 of the quad e / 4, whose counter is {lo32(e/4), hi32(e/4),
 * lo32(d), hi32(d)} and whose key is {lo32(seed), hi32(seed)}. It depends on nothing else, so neither on sizes nor on
 * how work is divided.
 *
 * A kernel makes 4 * WEIR_WIDTH consecutive elements from the quads first .. first + WEIR_WIDTH - 1:
 *     wi_quad_u words = wi_philox(wi_counter(first_lo, first_hi, draw_lo, draw_hi), seed_lo, seed_hi);
 *     wi_quad_f z = wi_in_order(wi_normal4(words));
 * and then lane l of z.v0 is element l of them, of z.v1 element WEIR_WIDTH + l, and so on.
 */
#ifndef WEIR_RANDOM_H
#define WEIR_RANDOM_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
typedef uint wi_word;
#else
#include "numeric.h"
typedef uint32_t wi_word;
#endif

/* Four vectors. Out of philox, lane l of vj is word j of the lane's own quad. */
typedef struct wi_quad_u {
    wi_u v0, v1, v2, v3;
} wi_quad_u;

typedef struct wi_quad_f {
    wi_f v0, v1, v2, v3;
} wi_quad_f;

/** Counters of the quads first + lane. No lane may carry into the upper half; none does if `first` is a multiple of
 * WEIR_WIDTH. */
WI_FN wi_quad_u wi_counter(wi_word first_lo, wi_word first_hi, wi_word draw_lo, wi_word draw_hi)
{
    wi_quad_u c;
#if WEIR_WIDTH == 1
    c.v0 = first_lo;
#elif WEIR_WIDTH == 2
    c.v0 = first_lo + (wi_u)(0, 1);
#elif WEIR_WIDTH == 4
    c.v0 = first_lo + (wi_u)(0, 1, 2, 3);
#elif WEIR_WIDTH == 8
    c.v0 = first_lo + (wi_u)(0, 1, 2, 3, 4, 5, 6, 7);
#else
    c.v0 = first_lo + (wi_u)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
    c.v1 = WI_U(first_hi);
    c.v2 = WI_U(draw_lo);
    c.v3 = WI_U(draw_hi);
    return c;
}

/* One round; the key of round i is key + i * (0x9e3779b9, 0xbb67ae85). */
#define WI_PHILOX_ROUND(c, k0, k1, i)                            \
    do {                                                         \
        wi_u high0 = WI_MUL_HIGH((c).v0, 0xd2511f53u);           \
        wi_u high1 = WI_MUL_HIGH((c).v2, 0xcd9e8d57u);           \
        wi_u low0 = (c).v0 * 0xd2511f53u;                        \
        wi_u low1 = (c).v2 * 0xcd9e8d57u;                        \
        (c).v0 = high1 ^ (c).v1 ^ ((k0) + (i##u * 0x9e3779b9u)); \
        (c).v2 = high0 ^ (c).v3 ^ ((k1) + (i##u * 0xbb67ae85u)); \
        (c).v1 = low1;                                           \
        (c).v3 = low0;                                           \
    } while (0)

/** Four random words a lane from its counter and the key that all lanes share. */
WI_FN wi_quad_u wi_philox(wi_quad_u counter, wi_word key0, wi_word key1)
{
    wi_quad_u c = counter;
    wi_u k0 = WI_U(key0);
    wi_u k1 = WI_U(key1);
    WI_PHILOX_ROUND(c, k0, k1, 0);
    WI_PHILOX_ROUND(c, k0, k1, 1);
    WI_PHILOX_ROUND(c, k0, k1, 2);
    WI_PHILOX_ROUND(c, k0, k1, 3);
    WI_PHILOX_ROUND(c, k0, k1, 4);
    WI_PHILOX_ROUND(c, k0, k1, 5);
    WI_PHILOX_ROUND(c, k0, k1, 6);
    WI_PHILOX_ROUND(c, k0, k1, 7);
    WI_PHILOX_ROUND(c, k0, k1, 8);
    WI_PHILOX_ROUND(c, k0, k1, 9);
    return c;
}

/** A uniform of [0, 1) from a word: its upper 24 bits over 2^24. */
WI_FN wi_f wi_uniform(wi_u word) { return wi_from_int(wi_signed(word >> 8)) * 0x1p-24f; }

/** Two standard normals from two words: radius from the first, angle from the second; returns the cosine's.
 *
 * The radius uses u = (upper 24 bits + 1/2) / 2^24 in (0, 1]. The largest u rounds to 1, where both normals are 0; the
 * smallest bounds them by 5.89. Neither log nor square root meets a special value, so the short forms serve. */
WI_FN wi_f wi_normal_pair(wi_u radius_word, wi_u angle_word, wi_f *sine)
{
    wi_f u = wi_fma(wi_from_int(wi_signed(radius_word >> 8)), WI_F(0x1p-24f), WI_F(0x1p-25f));
    wi_f l = wi_log_normal(wi_bits(u), WI_I(0));
    wi_f radius = wi_sqrt_positive(WI_F(0.0f) - (l + l));
    wi_f c;
    wi_f s = wi_sincos_turn(angle_word, &c);
    *sine = radius * s;
    return radius * c;
}

/** Four standard normals a lane from the four words of its quad. */
WI_FN wi_quad_f wi_normal4(wi_quad_u words)
{
    wi_quad_f z;
    z.v0 = wi_normal_pair(words.v0, words.v1, &z.v1);
    z.v2 = wi_normal_pair(words.v2, words.v3, &z.v3);
    return z;
}

/** Four uniforms a lane. */
WI_FN wi_quad_f wi_uniform4(wi_quad_u words)
{
    wi_quad_f u;
    u.v0 = wi_uniform(words.v0);
    u.v1 = wi_uniform(words.v1);
    u.v2 = wi_uniform(words.v2);
    u.v3 = wi_uniform(words.v3);
    return u;
}

/* Alternates the lanes of a and b: a0 b0 a1 b1 ... over low and then high. */
#define WI_ZIP(a, b, low, high) \
    do {                        \
        (low).even = (a).lo;    \
        (low).odd = (b).lo;     \
        (high).even = (a).hi;   \
        (high).odd = (b).hi;    \
    } while (0)

/** Turns "vector j has element j of each lane's quad" into the order of elements. */
WI_FN wi_quad_f wi_in_order(wi_quad_f q)
{
#if WEIR_WIDTH == 1
    return q;
#else
    wi_quad_f r;
    wi_f even_low, even_high, odd_low, odd_high;
    WI_ZIP(q.v0, q.v2, even_low, even_high);
    WI_ZIP(q.v1, q.v3, odd_low, odd_high);
    WI_ZIP(even_low, odd_low, r.v0, r.v1);
    WI_ZIP(even_high, odd_high, r.v2, r.v3);
    return r;
#endif
}

#endif
