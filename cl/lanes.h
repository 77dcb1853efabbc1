/* Lanes: the vector types and the few spellings that differ between OpenCL C at each width and host C11.
 *
 * Order of a program's text: (1) `#define WEIR_WIDTH n`, (2) lanes.h, (3) numeric.h, (4) random.h if it draws, (5) the
 * kernels. The pieces are concatenated; only the host includes. WEIR_WIDTH is the number of lanes of wi_f, wi_u and
 * wi_i: 1, 2, 4, 8 or 16; the host has 1. Contraction is switched off here for the whole program.
 */
#ifndef WEIR_LANES_H
#define WEIR_LANES_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define WI_ON_DEVICE 1
#else
#define WI_ON_DEVICE 0
#endif

#if WI_ON_DEVICE
#pragma OPENCL FP_CONTRACT OFF
#ifndef WEIR_WIDTH
#define WEIR_WIDTH 1
#endif
#else
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#ifndef WEIR_WIDTH
#define WEIR_WIDTH 1
#endif
#if WEIR_WIDTH != 1
#error "the host has one lane"
#endif
#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)
#error "numeric.h needs float arithmetic in float, without fast-math"
#endif
#endif

#define WI_NAN 0x7fc00000u
#define WI_INF 0x7f800000u
#define WI_SIGN 0x80000000u
#define WI_MANTISSA 0x007fffffu

/* Lane types, and what a language or width spells differently:
 * WI_FN          a function of this text
 * WI_F(c)        a constant in all lanes
 * WI_MASK(a<b)   all bits of a lane where the comparison holds
 * wi_select_*(a, b, mask)  b where the mask is set, else a
 * WI_MUL_HIGH(a, m)        upper 32 bits of the product with the scalar m
 * WI_LOAD_LANES(p), WI_STORE_LANES(v, p)      WEIR_WIDTH consecutive elements at p, aligned as one element (device)
 * wi_bits, wi_float, wi_signed, wi_unsigned   the same bits as another type; wi_from_int rounds a number to float */
#if WI_ON_DEVICE
#define WI_JOIN_(a, b) a##b
#define WI_JOIN(a, b) WI_JOIN_(a, b)
#if WEIR_WIDTH == 1
typedef float wi_f;
typedef uint wi_u;
typedef int wi_i;
#define WI_TYPED(name) name
#define WI_LOAD_LANES(p) (*(p))
#define WI_STORE_LANES(v, p) (*(p) = (v))
#define WI_MASK(comparison) (-(comparison))
#define WI_MUL_HIGH(a, m) ((uint)(((ulong)(a) * (m)) >> 32))
#else
/* Two lanes of 32 bits are one of 64, so that no vector is wider than the registers that the lanes fill. */
#if WEIR_WIDTH == 2
#define WI_PAIRS(name) name
#elif WEIR_WIDTH == 4
#define WI_PAIRS(name) WI_JOIN(name, 2)
#elif WEIR_WIDTH == 8
#define WI_PAIRS(name) WI_JOIN(name, 4)
#else
#define WI_PAIRS(name) WI_JOIN(name, 8)
#endif
#define WI_HIGH_OF_PAIRS(x, m)                             \
    (((((x) >> 32) * (ulong)(m)) & 0xffffffff00000000UL) | \
     ((((x)&0xffffffffUL) * (ulong)(m)) >> 32))
#define WI_MUL_HIGH(a, m) WI_TYPED(as_uint)(WI_HIGH_OF_PAIRS(WI_PAIRS(as_ulong)(a), m))
typedef WI_JOIN(float, WEIR_WIDTH) wi_f;
typedef WI_JOIN(uint, WEIR_WIDTH) wi_u;
typedef WI_JOIN(int, WEIR_WIDTH) wi_i;
#define WI_TYPED(name) WI_JOIN(name, WEIR_WIDTH)
#define WI_LOAD_LANES(p) WI_TYPED(vload)(0, (p))
#define WI_STORE_LANES(v, p) WI_TYPED(vstore)((v), 0, (p))
#define WI_MASK(comparison) (comparison)
#endif
#define WI_FN static inline __attribute__((always_inline))
#define wi_fma(a, b, c) fma((a), (b), (c))
#define wi_select_f(a, b, mask) select((a), (b), (mask))
#define wi_select_u(a, b, mask) select((a), (b), (mask))
#define wi_select_i(a, b, mask) select((a), (b), (mask))
#define wi_bits(x) WI_TYPED(as_uint)(x)
#define wi_float(x) WI_TYPED(as_float)(x)
#define wi_signed(x) WI_TYPED(as_int)(x)
#define wi_unsigned(x) WI_TYPED(as_uint)(x)
#define wi_from_int(x) WI_TYPED(convert_float)(x)
#else
typedef float wi_f;
typedef uint32_t wi_u;
typedef int32_t wi_i;
#define WI_MASK(comparison) (-(wi_i)(comparison))
#define WI_FN static inline
#define wi_fma(a, b, c) fmaf((a), (b), (c))
#define wi_select_f(a, b, mask) ((mask) != 0 ? (b) : (a))
#define wi_select_u(a, b, mask) ((mask) != 0 ? (b) : (a))
#define wi_select_i(a, b, mask) ((mask) != 0 ? (b) : (a))
#define wi_signed(x) ((wi_i)(x))
#define wi_unsigned(x) ((wi_u)(x))
#define wi_from_int(x) ((wi_f)(x))
#define WI_MUL_HIGH(a, m) ((wi_u)(((uint64_t)(a) * (m)) >> 32))

WI_FN wi_u wi_bits(wi_f x)
{
    wi_u u;
    memcpy(&u, &x, sizeof u);
    return u;
}

WI_FN wi_f wi_float(wi_u u)
{
    wi_f x;
    memcpy(&x, &u, sizeof x);
    return x;
}
#endif

#define WI_F(constant) ((wi_f)(constant))
#define WI_U(constant) ((wi_u)(constant))
#define WI_I(constant) ((wi_i)(constant))

/** x, or WI_NAN for any NaN: what plain + - * store, since NaN payloads differ between devices. */
WI_FN wi_f wi_canonical(wi_f x)
{
    wi_u u = wi_bits(x);
    return wi_float(wi_select_u(u, WI_U(WI_NAN), WI_MASK((u << 1) > 0xff000000u)));
}

#endif
