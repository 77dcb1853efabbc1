/* Tolerances and references against values known from the formats themselves. */
#include "ref.h"
#include "tol.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TestSuite(tol, .timeout = 120);

Test(tol, unit_roundoff_is_half_of_epsilon)
{
    cr_assert_eq(wt_unit_roundoff(WEIR_DTYPE_F32), FLT_EPSILON / 2.0);
    cr_assert_eq(wt_unit_roundoff(WEIR_DTYPE_F64), DBL_EPSILON / 2.0);
    cr_assert_eq(wt_unit_roundoff(WEIR_DTYPE_I32), 0.0);
}

Test(tol, bound_grows_with_length_and_ends_where_nothing_is_promised)
{
    cr_assert_eq(wt_tol(WEIR_DTYPE_F32, 0), 0.0);
    cr_assert_eq(wt_tol(WEIR_DTYPE_BF16, 128), 1.0);
    cr_assert(isinf(wt_tol(WEIR_DTYPE_BF16, 256)));
    cr_assert(wt_tol(WEIR_DTYPE_F32, 1000) > 1000 * ldexp(1.0, -24));
    cr_assert(wt_tol(WEIR_DTYPE_F32, 1000) < 1001 * ldexp(1.0, -24));
}

Test(tol, nan_fails_every_comparison)
{
    cr_assert_not(wt_diff((double)NAN, 1.0) <= 1e300);
    cr_assert_not(wt_diff(1.0, (double)NAN) <= 1e300);
    cr_assert_eq(wt_diff((double)NAN, (double)NAN), 0.0);
    cr_assert_eq(wt_diff((double)INFINITY, (double)INFINITY), 0.0);
    cr_assert(isinf(wt_diff((double)INFINITY, 1.0)));
}

Test(tol, ulps_count_the_floats_between)
{
    cr_assert_eq(wt_ulps_f32(1.0F, nextafterf(1.0F, 2.0F)), 1);
    cr_assert_eq(wt_ulps_f32(0.0F, -0.0F), 0);
    cr_assert_eq(wt_ulps_f32(ldexpf(1.0F, -149), -ldexpf(1.0F, -149)), 2);
    cr_assert_eq(wt_ulps_f32(FLT_MAX, INFINITY), 1);
    cr_assert_eq(wt_ulps_f32(NAN, 1.0F), UINT32_MAX);
    cr_assert_eq(wt_ulps_f32(NAN, NAN), 0);
    cr_assert_eq(wt_ulps_f64(1.0, nextafter(1.0, 0.0)), 1);
    cr_assert_eq(wt_ulps_f64(-DBL_MAX, DBL_MAX), 2 * 0x7fefffffffffffffULL);
    cr_assert_eq(wt_ulps_f64((double)NAN, 1.0), UINT64_MAX);
}

Test(tol, ulp_error_is_in_units_of_the_reference)
{
    cr_assert_eq(wt_ulp_error_f32(1.0F, 1.0 + ldexp(1.0, -24)), 0.5);
    cr_assert_eq(wt_ulp_error_f32(nextafterf(8.0F, 9.0F), 8.0), 1.0);
    cr_assert_eq(wt_ulp_error_f32(0.0F, ldexp(1.0, -150)), 0.5);
    cr_assert_not(wt_ulp_error_f32(NAN, 1.0) <= 1e300);
}

Test(tol, a_compensated_sum_keeps_what_a_plain_one_loses)
{
    static const double values[] = {1.0, 1e100, 1.0, -1e100};
    static const float floats[] = {16777216.0F, 1.0F, -16777216.0F};

    cr_assert_eq(wt_ref_sum_f64(values, 4), 2.0);
    cr_assert_eq(wt_ref_sum_f32(floats, 3), 1.0);
    cr_assert_eq(wt_ref_abs_sum_f32(floats, 3), 33554433.0);
}

Test(tol, references_are_read_with_comments_and_hexadecimals)
{
    char path[] = "/tmp/weir_ref_XXXXXX";
    int handle = mkstemp(path);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "w");
    size_t count = 0;
    double *values = NULL;

    cr_assert_not_null(file);
    fputs("# heading\n0x1.8p+1\n\n -2.5 # why\ninf\n", file);
    fclose(file);
    setenv("WEIR_TEST_DATA_DIR", "/", 1);
    values = wt_ref_read(path, &count);
    unlink(path);
    cr_assert_eq(count, 3);
    cr_assert_eq(values[0], 3.0);
    cr_assert_eq(values[1], -2.5);
    cr_assert(isinf(values[2]));
    free(values);
}
