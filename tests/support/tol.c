/* Distances and bounds between results and references.
 *
 * Floats are ordered like their bits once negative ones are mirrored; the difference of two such integers is the number
 * of steps between them.
 */
#include "tol.h"

#include <math.h>
#include <string.h>

double wt_unit_roundoff(weir_dtype dtype)
{
    switch (dtype) {
    case WEIR_DTYPE_F64:
        return ldexp(1.0, -53);
    case WEIR_DTYPE_F32:
        return ldexp(1.0, -24);
    case WEIR_DTYPE_F16:
        return ldexp(1.0, -11);
    case WEIR_DTYPE_BF16:
        return ldexp(1.0, -8);
    default:
        return 0.0;
    }
}

double wt_tol(weir_dtype dtype, uint64_t length)
{
    double product = (double)length * wt_unit_roundoff(dtype);

    return product < 1.0 ? product / (1.0 - product) : INFINITY;
}

double wt_diff(double got, double want)
{
    if (got == want || (isnan(got) && isnan(want))) return 0.0;
    return fabs(got - want);
}

uint32_t wt_ulps_f32(float a, float b)
{
    uint32_t bits[2];
    int64_t order[2];

    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT32_MAX;
    memcpy(&bits[0], &a, 4);
    memcpy(&bits[1], &b, 4);
    for (int i = 0; i < 2; i++) {
        int64_t magnitude = bits[i] & 0x7fffffffU;
        order[i] = (bits[i] >> 31) != 0 ? -magnitude : magnitude;
    }
    return (uint32_t)(order[0] > order[1] ? order[0] - order[1] : order[1] - order[0]);
}

uint64_t wt_ulps_f64(double a, double b)
{
    uint64_t bits[2];
    uint64_t magnitude[2];

    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
    memcpy(&bits[0], &a, 8);
    memcpy(&bits[1], &b, 8);
    for (int i = 0; i < 2; i++) magnitude[i] = bits[i] & 0x7fffffffffffffffU;
    if ((bits[0] >> 63) != (bits[1] >> 63)) return magnitude[0] + magnitude[1];
    return magnitude[0] > magnitude[1] ? magnitude[0] - magnitude[1] : magnitude[1] - magnitude[0];
}

double wt_ulp_error_f32(float got, double want)
{
    double rounded = (double)(float)want;
    int exponent = 0;

    if (isnan(got) || isnan(want) || isinf(got) || isinf(want)) return wt_diff((double)got, want);
    (void)frexp(
        rounded,
        &exponent); /* rounded = m 2^exponent, 0.5 <= |m| < 1: its unit is 2^(exponent-24) */
    if (rounded == 0.0 || exponent < -125) exponent = -125;
    return wt_diff((double)got, want) / ldexp(1.0, exponent - 24);
}
