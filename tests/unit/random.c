/* Random numbers of random.h on the host: known answers of philox, values worked out elsewhere (tests/data), accuracy
 * of the normals, and their statistics. */
#include "cl/random.h"

#include "../data/random_reference.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(random, .timeout = 300);

#define NORMALS 1000003U

static wi_quad_u words_of(uint64_t seed, uint64_t draw, uint64_t element)
{
    uint64_t quad = element / 4;
    wi_quad_u counter =
        wi_counter((uint32_t)quad, (uint32_t)(quad >> 32), (uint32_t)draw, (uint32_t)(draw >> 32));

    return wi_philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static uint32_t word_at(wi_quad_u q, uint64_t i)
{
    return i == 0 ? q.v0 : i == 1 ? q.v1 : i == 2 ? q.v2 : q.v3;
}
static float float_at(wi_quad_f q, uint64_t i)
{
    return i == 0 ? q.v0 : i == 1 ? q.v1 : i == 2 ? q.v2 : q.v3;
}

/* N1 */
Test(random, philox_gives_the_known_answers)
{
    static const uint32_t cases[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U},
        {~0U, ~0U, ~0U, ~0U, ~0U, ~0U, 0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU},
        {0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U, 0xa4093822U, 0x299f31d0U, 0xd16cfe09U,
         0x94fdccebU, 0x5001e420U, 0x24126ea1U}};

    for (size_t i = 0; i < 3; ++i) {
        const uint32_t *c = cases[i];
        wi_quad_u counter = {c[0], c[1], c[2], c[3]};
        wi_quad_u got = wi_philox(counter, c[4], c[5]);
        cr_expect(got.v0 == c[6] && got.v1 == c[7] && got.v2 == c[8] && got.v3 == c[9],
                  "case %zu: %08x %08x %08x %08x", i, (unsigned)got.v0, (unsigned)got.v1,
                  (unsigned)got.v2, (unsigned)got.v3);
    }
}

static double ulp(double x)
{
    int exponent;

    (void)frexp(x, &exponent);
    return ldexp(1.0, exponent - 24);
}

Test(random, elements_are_those_of_the_reference)
{
    for (size_t i = 0; i < sizeof random_reference / sizeof random_reference[0]; ++i) {
        uint64_t e = random_reference[i].element;
        wi_quad_u words = words_of(random_reference[i].seed, random_reference[i].draw, e);
        float normal = float_at(wi_normal4(words), e % 4);
        float uniform = float_at(wi_uniform4(words), e % 4);
        double error =
            fabs((double)normal - random_reference[i].normal) / ulp(random_reference[i].normal);
        cr_expect_eq(word_at(words, e % 4), random_reference[i].word,
                     "row %zu: %08x, expected %08x", i, (unsigned)word_at(words, e % 4),
                     (unsigned)random_reference[i].word);
        cr_expect((double)uniform == random_reference[i].uniform,
                  "row %zu: uniform %a, expected %a", i, (double)uniform,
                  random_reference[i].uniform);
        cr_expect(error <= 3.0, "row %zu: normal %a, expected %a, %.2f ulp off", i, (double)normal,
                  random_reference[i].normal, error);
    }
}

/* Box and Muller in float64 from the same u and angle. */
static void reference_pair(uint32_t radius_word, uint32_t angle_word, double *c, double *s)
{
    double u = (double)(float)(((double)(radius_word >> 8) + 0.5) * 0x1p-24);
    double radius = sqrt(-2.0 * log(u));
    uint32_t rest = (angle_word >> 6) & 0xffffffU; /* of a quarter turn, in 2^-24 quarters */
    double angle = (double)rest * (1.5707963267948966192 * 0x1p-24);
    double x = rest == 0 ? 1.0 : cos(angle);
    double y = sin(angle);

    switch (angle_word >> 30) {
    case 0:
        *c = x, *s = y;
        break;
    case 1:
        *c = -y, *s = x;
        break;
    case 2:
        *c = -x, *s = -y;
        break;
    default:
        *c = y, *s = -x;
        break;
    }
    *c *= radius;
    *s *= radius;
}

/* The cosine of an angle near a quarter turn is small and its float64 reference then has an absolute error of 2^-53, so
 * errors count in units of the result or of 2^-24, whichever is larger. */
Test(random, normals_are_accurate)
{
    double worst = 0.0;
    uint32_t worst_radius = 0;
    uint32_t worst_angle = 0;

    for (uint32_t i = 0; i < 1U << 22; ++i) {
        wi_quad_u w = words_of(7, 3, (uint64_t)i * 4);
        uint32_t radius_word =
            i < 1U << 21 ? w.v0 : i * 2048U; /* half of them on a grid up to the ends */
        double c;
        double s;
        float sine;
        float cosine = wi_normal_pair(radius_word, w.v1, &sine);
        reference_pair(radius_word, w.v1, &c, &s);
        double error = fmax(fabs((double)cosine - c) / ulp(fmax(fabs(c), 0x1p-24)),
                            fabs((double)sine - s) / ulp(fmax(fabs(s), 0x1p-24)));
        if (!(error <= worst)) {
            worst = error;
            worst_radius = radius_word;
            worst_angle = w.v1;
        }
    }
    printf("normals: worst %.3f ulp at %08x %08x\n", worst, (unsigned)worst_radius,
           (unsigned)worst_angle);
    cr_expect(worst <= 3.0, "%.3f ulp at %08x %08x", worst, (unsigned)worst_radius,
              (unsigned)worst_angle);
}

/* Ends of the radius: the largest u is 1, the smallest 2^-25. */
Test(random, normals_are_zero_at_one_end_and_bounded_at_the_other)
{
    for (uint32_t angle = 0; angle < 4096; ++angle) {
        float sine;
        float cosine = wi_normal_pair(0xffffffffU, angle << 20, &sine);
        cr_expect(cosine == 0.0F && sine == 0.0F);
        cosine = wi_normal_pair(0x000000ffU, angle << 20, &sine);
        cr_expect(fabsf(cosine) <= 5.89F && fabsf(sine) <= 5.89F);
        cr_expect(hypot((double)cosine, (double)sine) >= 5.88);
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Largest distance of the sample's distribution from `cdf`; sorts the sample. */
static double kolmogorov_smirnov(float *sample, size_t n, double (*cdf)(double))
{
    double worst = 0.0;

    qsort(sample, n, sizeof sample[0], compare_floats);
    for (size_t i = 0; i < n; ++i) {
        double f = cdf((double)sample[i]);
        worst = fmax(worst, fmax((double)(i + 1) / (double)n - f, f - (double)i / (double)n));
    }
    return worst;
}

static double normal_cdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
static double uniform_cdf(double x) { return x; }

static double correlation(const float *z, size_t n, size_t lag, double mean, double variance)
{
    double sum = 0.0;

    for (size_t i = 0; i + lag < n; ++i) sum += ((double)z[i] - mean) * ((double)z[i + lag] - mean);
    return sum / (double)(n - lag) / variance;
}

/* N2, with limits of 4 standard errors and the critical distance for 1e-4. */
Test(random, normals_have_the_moments_and_the_distribution)
{
    float *z = malloc(NORMALS * sizeof *z);
    double sum = 0.0;
    double squares = 0.0;
    double fourth = 0.0;

    cr_assert_not_null(z);
    for (uint32_t e = 0; e < NORMALS; ++e) {
        z[e] = float_at(wi_normal4(words_of(1, 0, e)), e % 4);
        cr_assert(fabsf(z[e]) <= 5.89F, "element %u is %g", (unsigned)e, (double)z[e]);
        sum += (double)z[e];
    }
    double mean = sum / NORMALS;
    for (uint32_t e = 0; e < NORMALS; ++e) {
        double d = (double)z[e] - mean;
        squares += d * d;
        fourth += d * d * d * d;
    }
    double variance = squares / NORMALS;
    double kurtosis = fourth / NORMALS / (variance * variance);
    cr_expect(fabs(mean) <= 0.0040, "mean %g", mean);
    cr_expect(fabs(variance - 1.0) <= 0.0057, "variance %g", variance);
    cr_expect(fabs(kurtosis - 3.0) <= 0.0196, "kurtosis %g", kurtosis); /* 4 * sqrt(24 / n) */
    for (size_t lag = 1; lag <= 8; ++lag) {
        double r = correlation(z, NORMALS, lag, mean, variance);
        cr_expect(fabs(r) <= 0.0045, "correlation at lag %zu: %g", lag, r);
    }
    double distance = kolmogorov_smirnov(z, NORMALS, normal_cdf);
    printf("normals: mean %.5f, variance %.5f, kurtosis %.4f, distance %.5f\n", mean, variance,
           kurtosis, distance);
    cr_expect(distance < 0.00223, "distance %g", distance);
    free(z);
}

Test(random, uniforms_have_the_moments_and_the_distribution)
{
    float *u = malloc(NORMALS * sizeof *u);
    double sum = 0.0;

    cr_assert_not_null(u);
    for (uint32_t e = 0; e < NORMALS; ++e) {
        u[e] = float_at(wi_uniform4(words_of(1, 1, e)), e % 4);
        cr_assert(u[e] >= 0.0F && u[e] < 1.0F, "element %u is %g", (unsigned)e, (double)u[e]);
        sum += (double)u[e];
    }
    double mean = sum / NORMALS;
    cr_expect(fabs(mean - 0.5) <= 0.00116, "mean %g", mean); /* 4 / sqrt(12 n) */
    double distance = kolmogorov_smirnov(u, NORMALS, uniform_cdf);
    cr_expect(distance < 0.00223, "distance %g", distance);
    free(u);
}

/* Draws and seeds are streams of their own: equal elements of neighbours do not correlate. */
Test(random, neighbouring_draws_and_seeds_do_not_correlate)
{
    static const uint64_t others[3][2] = {{1, 1}, {2, 0}, {UINT64_C(1) + (UINT64_C(1) << 32), 0}};

    for (size_t k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (uint32_t e = 0; e < 1U << 20; ++e) {
            float a = float_at(wi_normal4(words_of(1, 0, e)), e % 4);
            float b = float_at(wi_normal4(words_of(others[k][0], others[k][1], e)), e % 4);
            sum += (double)a * (double)b;
        }
        cr_expect(fabs(sum / (1U << 20)) <= 0.0040, "pair %zu: %g", k, sum / (1U << 20));
    }
}

Test(random, every_compiler_gives_the_same_bits)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a, word by word */

    for (uint32_t i = 0; i < 1U << 20; ++i) {
        wi_quad_f z = wi_normal4(words_of(1, i >> 8, (uint64_t)(i & 255U) * 4));
        uint32_t results[] = {wi_bits(z.v0), wi_bits(z.v1), wi_bits(z.v2), wi_bits(z.v3)};
        for (size_t k = 0; k < 4; ++k) hash = (hash ^ results[k]) * UINT64_C(1099511628211);
    }
    cr_expect_eq(hash, UINT64_C(0x31a45d936a68991d), "the fingerprint is %016llx",
                 (unsigned long long)hash);
}
