/* Host references: numbers read from text files, and sums in wider precision. */
#ifndef WT_REF_H
#define WT_REF_H

#include <stddef.h>

/* Reads a file of numbers, one a line, decimal or hexadecimal (0x1.8p+3), inf and nan allowed; empty lines and what
 * follows '#' are skipped.
 * path    relative to WEIR_TEST_DATA_DIR, else to tests/data of the source tree; asserts that it can be read whole
 * count   how many there are, at least 1
 * Returns an array from malloc. */
double *wt_ref_read(const char *path, size_t *count);

/* Sum of f32 or f64 values with a running compensation (Neumaier, ZAMM 54, 1974), error about 2 units of f64. */
double wt_ref_sum_f32(const float *values, size_t count);
double wt_ref_sum_f64(const double *values, size_t count);

/* Sum of magnitudes, the scale of wt_tol(). */
double wt_ref_abs_sum_f32(const float *values, size_t count);

#endif
