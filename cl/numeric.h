/* The numeric text of weir: log, exp, tanh, sigmoid, sine and cosine, square root and division of f32 with the same bits on
 * every OpenCL device and on the host.
 *
 * One text, compiled as OpenCL C 1.2 and as C11. It uses only operations whose result IEEE 754 fixes: + - * with
 * contraction off, fma, comparisons, and integer arithmetic. Division and square root start from integers, not from
 * the device's estimates, so nothing depends on how good those are.
 *
 * Comes after lanes.h, which has the types and says in which order the texts stand.
 *
 * Rules of the text (each one bought with a device that broke it):
 *  - A comparison is used only as WI_MASK(a > b) inside a wi_select; a vector mask is never a number.
 *  - Subnormal operands are reached by integer operations; subnormal results of functions are zeros of their sign. So
 *    a device that flushes inside fma gives the same bits.
 *  - Every NaN result is WI_NAN; data that may be NaN move as integers.
 *  - No built-in math function but fma; no loops.
 *
 * Accuracy (against float64, all inputs): log 0.92 ulp, exp 0.99, tanh 1.82, sigmoid 1.53, sine and cosine 0.88; sqrt and division
 * are correctly rounded where the result is normal.
 */
#ifndef WEIR_NUMERIC_H
#define WEIR_NUMERIC_H

#if !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__)
#include "lanes.h"
#endif

/** 1/m to a few units in the last place, for positive normal m below 2^126. */
WI_FN wi_f wi_reciprocal_near(wi_f m)
{
    wi_f y = wi_float(0x7ef311c7u - wi_bits(m));
    wi_f e = wi_fma(-m, y, WI_F(1.0f));
    y = wi_fma(y, wi_fma(e, e, e), y);
    e = wi_fma(-m, y, WI_F(1.0f));
    return wi_fma(y, e, y);
}

/** 1/m correctly rounded, for m in [1, 2). One mantissa, all ones, escapes the last step. */
WI_FN wi_f wi_reciprocal_mantissa(wi_f m)
{
    wi_f y = wi_reciprocal_near(m);
    y = wi_fma(y, wi_fma(-m, y, WI_F(1.0f)), y);
    return wi_select_f(y, WI_F(0x1.000002p-1f), WI_MASK(wi_bits(m) == 0x3fffffffu));
}

/** log of the positive normal number with these bits, times 2^shift: exponent apart, polynomial on [2/3, 4/3). */
WI_FN wi_f wi_log_normal(wi_u bits, wi_i shift)
{
    wi_u e = (bits - 0x3f2aaaabu) & 0xff800000u;
    wi_f k = wi_from_int((wi_signed(e) >> 23) + shift);
    wi_f f = wi_float(bits - e) - 1.0f;
    wi_f p = WI_F(0x1.ea62c6p-4f);
    p = wi_fma(p, f, WI_F(-0x1.fd14b6p-4f));
    p = wi_fma(p, f, WI_F(0x1.b9356ep-4f));
    p = wi_fma(p, f, WI_F(-0x1.f74ba2p-4f));
    p = wi_fma(p, f, WI_F(0x1.24e7e2p-3f));
    p = wi_fma(p, f, WI_F(-0x1.55788ap-3f));
    p = wi_fma(p, f, WI_F(0x1.999818p-3f));
    p = wi_fma(p, f, WI_F(-0x1.ffffb4p-3f));
    p = wi_fma(p, f, WI_F(0x1.555556p-2f));
    p = wi_fma(p, f, WI_F(-0.5f));
    return wi_fma(k, WI_F(0x1.62e430p-1f), wi_fma(p, f * f, f));
}

/** Natural logarithm; -inf at both zeros, NaN below zero. */
WI_FN wi_f wi_log(wi_f x)
{
    wi_u u = wi_bits(x);
    wi_u mantissa =
        wi_bits(wi_from_int(wi_signed(u))); /* of a subnormal, exact; its unit is 2^-149 */
    wi_u scaled = wi_select_u(u, mantissa, WI_MASK(u < 0x00800000u));
    wi_i shift = wi_select_i(WI_I(0), WI_I(-149), WI_MASK(u < 0x00800000u));
    wi_u r = wi_bits(wi_log_normal(scaled, shift));
    r = wi_select_u(r, WI_U(WI_INF), WI_MASK(u == WI_INF));
    r = wi_select_u(r, WI_U(WI_NAN), WI_MASK(u > WI_INF));
    r = wi_select_u(r, WI_U(WI_INF | WI_SIGN), WI_MASK((u << 1) == 0u));
    return wi_float(r);
}

/** x = n log 2 + result, |result| <= 0.35, for |x| < 2^21. n is an integer in two's complement. */
WI_FN wi_f wi_exp_reduce(wi_f x, wi_u *n)
{
    wi_f t = wi_fma(x, WI_F(0x1.715476p0f),
                    WI_F(12582912.0f)); /* 1.5 * 2^23: the unit place holds the integer */
    wi_f whole = t - 12582912.0f;
    *n = wi_bits(t) - 0x4b400000u;
    return wi_fma(whole, WI_F(-0x1.7f7d1cp-20f), wi_fma(whole, WI_F(-0x1.62e400p-1f), x));
}

/** Exponential; a result below 2^-126 is 0. */
WI_FN wi_f wi_exp(wi_f x)
{
    wi_u u = wi_bits(x);
    wi_u n;
    wi_f r = wi_exp_reduce(x, &n);
    wi_f p = WI_F(0x1.a2d99ep-13f);
    p = wi_fma(p, r, WI_F(0x1.6d2e04p-10f));
    p = wi_fma(p, r, WI_F(0x1.110fc2p-7f));
    p = wi_fma(p, r, WI_F(0x1.555502p-5f));
    p = wi_fma(p, r, WI_F(0x1.555556p-3f));
    p = wi_fma(p, r, WI_F(0.5f));
    p = wi_fma(p, r * r, r);
    wi_u y = wi_bits(1.0f + p) + (n << 23);
    y = wi_select_u(y, WI_U(WI_INF), WI_MASK(x > 0x1.62e42ep6f));
    y = wi_select_u(y, WI_U(0u), WI_MASK(x < -0x1.5d589ep6f));
    y = wi_select_u(y, WI_U(WI_NAN), WI_MASK((u << 1) > 0xff000000u));
    return wi_float(y);
}

/** Hyperbolic tangent: E / (E + 2) with E = exp(2|x|) - 1, and x itself below 2^-12. */
WI_FN wi_f wi_tanh(wi_f x)
{
    wi_u u = wi_bits(x);
    wi_u magnitude = u & 0x7fffffffu;
    wi_f a = wi_float(
        wi_select_u(magnitude, WI_U(0x41110000u), WI_MASK(magnitude > 0x41110000u))); /* 9.0625 */
    wi_u n;
    wi_f r = wi_exp_reduce(a + a, &n);
    wi_f p = WI_F(0x1.6d4bfcp-10f);
    p = wi_fma(p, r, WI_F(0x1.120c06p-7f));
    p = wi_fma(p, r, WI_F(0x1.5554eap-5f));
    p = wi_fma(p, r, WI_F(0x1.5554dcp-3f));
    p = wi_fma(p, r, WI_F(0.5f));
    p = wi_fma(p, r * r, r);
    wi_f scale = wi_float((n << 23) + 0x3f800000u);
    wi_f e = wi_fma(scale, p, scale - 1.0f);
    wi_f y = wi_reciprocal_near(e + 2.0f);
    wi_f q = e * y;
    /* The residual takes E and 2 apart, since their sum was rounded. */
    q = wi_fma(wi_fma(-q, e, wi_fma(WI_F(-2.0f), q, e)), y, q);
    wi_u t = wi_select_u(wi_bits(q), magnitude, WI_MASK(magnitude < 0x39800000u));
    t = wi_select_u(t, WI_U(0u), WI_MASK(magnitude < 0x00800000u)) | (u & WI_SIGN);
    t = wi_select_u(t, WI_U(WI_NAN), WI_MASK(magnitude > WI_INF));
    return wi_float(t);
}

/** 1 / (1 + exp(-x)): with e = exp(-|x|) it is 1 / (1 + e), below zero e / (1 + e); a result below 2^-126 is 0. */
WI_FN wi_f wi_sigmoid(wi_f x)
{
    wi_u u = wi_bits(x);
    wi_u magnitude = u & 0x7fffffffu;
    wi_f a = wi_float(magnitude);
    wi_u n;
    wi_f r = wi_exp_reduce(-a, &n);
    wi_f p = WI_F(0x1.6d4bfcp-10f);
    p = wi_fma(p, r, WI_F(0x1.120c06p-7f));
    p = wi_fma(p, r, WI_F(0x1.5554eap-5f));
    p = wi_fma(p, r, WI_F(0x1.5554dcp-3f));
    p = wi_fma(p, r, WI_F(0.5f));
    p = wi_fma(p, r * r, r);
    wi_u tail = wi_bits(1.0f + p) + (n << 23);
    wi_f e = wi_float(wi_select_u(tail, WI_U(0u), WI_MASK(a > 0x1.5d589ep6f)));
    wi_f y = wi_reciprocal_near(e + 1.0f);
    wi_f numerator = wi_select_f(WI_F(1.0f), e, WI_MASK(x < 0.0f));
    wi_f q = numerator * y;
    /* The residual takes 1 and e apart, since their sum was rounded. */
    q = wi_fma(wi_fma(-q, e, numerator - q), y, q);
    /* A zero may have either sign: devices differ in that of fma's zeros. */
    wi_u t = wi_bits(q) & 0x7fffffffu;
    return wi_float(wi_select_u(t, WI_U(WI_NAN), WI_MASK(magnitude > WI_INF)));
}

/** Square root of zero or of m >= 2^-100, correctly rounded on [1, 4). */
WI_FN wi_f wi_sqrt_positive(wi_f m)
{
    wi_f y = wi_float(0x5f3759dfu - (wi_bits(m) >> 1));
    wi_f e = wi_fma(-(m * y), y, WI_F(1.0f));
    y = wi_fma(y * e, wi_fma(e, WI_F(0.375f), WI_F(0.5f)), y);
    wi_f g = m * y;
    wi_f h = y * 0.5f;
    wi_f r = wi_fma(-h, g, WI_F(0.5f));
    g = wi_fma(g, r, g);
    h = wi_fma(h, r, h);
    return wi_fma(h, wi_fma(-g, g, m), g);
}

/** Square root; keeps the sign of zero, NaN below zero. */
WI_FN wi_f wi_sqrt(wi_f x)
{
    wi_u u = wi_bits(x);
    wi_u mantissa = wi_bits(wi_from_int(wi_signed(u)));
    wi_u scaled = wi_select_u(u, mantissa, WI_MASK(u < 0x00800000u));
    wi_u exponent = (scaled >> 23) - wi_select_u(WI_U(0u), WI_U(149u), WI_MASK(u < 0x00800000u));
    wi_u base = 128u - (exponent &
                        1u); /* the root is taken of the mantissa with this exponent, in [1, 4) */
    wi_f g = wi_sqrt_positive(wi_float((scaled & WI_MANTISSA) | (base << 23)));
    wi_u r = wi_bits(g) + (wi_unsigned(wi_signed(exponent - base) >> 1) << 23);
    r = wi_select_u(r, WI_U(WI_INF), WI_MASK(u == WI_INF));
    r = wi_select_u(r, WI_U(WI_NAN), WI_MASK(u > WI_INF));
    r = wi_select_u(r, u, WI_MASK((u << 1) == 0u));
    return wi_float(r);
}

/** a / b; a quotient that rounds below 2^-126 is a zero of its sign.
 * Markstein: with the reciprocal correctly rounded, one residual step rounds the quotient correctly. */
WI_FN wi_f wi_div(wi_f a, wi_f b)
{
    wi_u ua = wi_bits(a) & 0x7fffffffu;
    wi_u ub = wi_bits(b) & 0x7fffffffu;
    wi_u sign = (wi_bits(a) ^ wi_bits(b)) & WI_SIGN;
    wi_u sa = wi_select_u(ua, wi_bits(wi_from_int(wi_signed(ua))), WI_MASK(ua < 0x00800000u));
    wi_u sb = wi_select_u(ub, wi_bits(wi_from_int(wi_signed(ub))), WI_MASK(ub < 0x00800000u));
    wi_u shift = wi_select_u(WI_U(0u), WI_U(149u), WI_MASK(ua < 0x00800000u)) -
                 wi_select_u(WI_U(0u), WI_U(149u), WI_MASK(ub < 0x00800000u));
    wi_f ma = wi_float((sa & WI_MANTISSA) | 0x3f800000u);
    wi_f mb = wi_float((sb & WI_MANTISSA) | 0x3f800000u);
    wi_f y = wi_reciprocal_mantissa(mb);
    wi_f q = ma * y;
    q = wi_fma(wi_fma(-mb, q, ma), y, q);
    wi_i exponent = wi_signed((wi_bits(q) >> 23) + (sa >> 23) - (sb >> 23) - shift);
    wi_u r = (wi_bits(q) & WI_MANTISSA) | (wi_unsigned(exponent) << 23);
    r = wi_select_u(r, WI_U(WI_INF), WI_MASK(exponent > 254));
    r = wi_select_u(r, WI_U(0u), WI_MASK(exponent < 1));
    r = wi_select_u(r, WI_U(0u), WI_MASK(ua == 0u));
    r = wi_select_u(r, WI_U(WI_INF), WI_MASK(ub == 0u));
    r = wi_select_u(r, WI_U(0u), WI_MASK(ub == WI_INF));
    r = wi_select_u(r, WI_U(WI_INF), WI_MASK(ua == WI_INF)) | sign;
    /* 0/0 and inf/inf: both are one of the two, and the same one */
    r = wi_select_u(r, WI_U(WI_NAN), WI_MASK(((ua | ub) == 0u)));
    r = wi_select_u(r, WI_U(WI_NAN), WI_MASK((ua & ub) == WI_INF));
    r = wi_select_u(r, WI_U(WI_NAN), WI_MASK(ua > WI_INF));
    r = wi_select_u(r, WI_U(WI_NAN), WI_MASK(ub > WI_INF));
    return wi_float(r);
}

/** Sine and cosine of floor(n / 64) / 2^26 of a turn: the lower 6 bits of n do not count. */
WI_FN wi_f wi_sincos_turn(wi_u n, wi_f *cosine)
{
    wi_u quadrant = (n + 0x20000000u) >> 30;
    wi_f r =
        wi_from_int(wi_signed(n << 2) >> 8) * 0x1p-24f; /* quarters of a turn, in [-1/2, 1/2] */
    wi_f z = r * r;
    wi_f p = WI_F(-0x1.2dbcd4p-8f);
    p = wi_fma(p, z, WI_F(0x1.465fc2p-4f));
    p = wi_fma(p, z, WI_F(-0x1.4abbbep-1f));
    p = wi_fma(z, p, WI_F(-0x1.777a5cp-25f));
    wi_u s = wi_bits(wi_fma(r, WI_F(0x1.921fb6p0f), r * p));
    p = WI_F(0x1.d685dp-11f);
    p = wi_fma(p, z, WI_F(-0x1.55b7dp-6f));
    p = wi_fma(p, z, WI_F(0x1.03c1b8p-2f));
    p = wi_fma(p, z, WI_F(-0x1.3bd3ccp0f));
    wi_u c = wi_bits(wi_fma(p, z, WI_F(1.0f)));
    wi_u sine = wi_select_u(s, c, WI_MASK((quadrant & 1u) != 0u)) ^ ((quadrant & 2u) << 30);
    *cosine = wi_float(wi_select_u(c, s, WI_MASK((quadrant & 1u) != 0u)) ^
                       (((quadrant + 1u) & 2u) << 30));
    return wi_float(sine);
}

#endif
