/* How far a result may be from its reference. Compare as `wt_diff(got, want) <= wt_tol_...`, so that NaN fails. */
#ifndef WT_TOL_H
#define WT_TOL_H

#include <weir/dtype.h>

#include <stdint.h>

/* Half the distance from 1 to the next larger number: the largest relative error of one rounding. 0 for integers. */
double wt_unit_roundoff(weir_dtype dtype);

/* Largest relative error of `length` roundings in a row, relative to the sum of the magnitudes that were added:
 *
 *   gamma(n) = n u / (1 - n u),   u = wt_unit_roundoff(dtype)
 *
 * Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1. 0 for integers and for length 0; infinite
 * where n u >= 1, where nothing is promised. */
double wt_tol(weir_dtype dtype, uint64_t length);

/* |got - want|, 0 also for two equal infinities; NaN if exactly one is NaN, 0 if both are. */
double wt_diff(double got, double want);

/* Steps between two floats through the floats between them; -0 and +0 are one. 0 if both are NaN, UINT32_MAX (f64:
 * UINT64_MAX) if one is. */
uint32_t wt_ulps_f32(float a, float b);
uint64_t wt_ulps_f64(double a, double b);

/* |got - want| in units of the last place of `want` rounded to f32; a subnormal's unit is 2^-149. NaN as wt_diff(). */
double wt_ulp_error_f32(float got, double want);

#endif
