/* Functions of numeric.h on the host against float64: accuracy, correct rounding, special values.
 *
 * The bounds are those that the header states. Sweeps take every 257th bit pattern, 2^24 in all, and the whole of small
 * classes; with WEIR_LONG_TESTS=1 they take all 2^32. The float64 functions are themselves compared with MPFR. */
#include "cl/numeric.h"

#include <criterion/criterion.h>
#include <mpfr.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(numeric, .timeout = 7200);

#define THREADS 2
#define STRIDE 257U

typedef struct subject {
    const char *name;
    float (*function)(float);
    double (*reference)(double);
    int (*mpfr)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    double bound_ulp; /* 0.5: correctly rounded */
} subject;

static double sigmoid(double x)
{
    return x < 0.0 ? exp(x) / (1.0 + exp(x)) : 1.0 / (1.0 + exp(-x));
}

static int sigmoid_mpfr(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding)
{
    (void)mpfr_neg(y, x, rounding);
    (void)mpfr_exp(y, y, rounding);
    (void)mpfr_add_ui(y, y, 1, rounding);
    return mpfr_ui_div(y, 1, y, rounding);
}

static const subject subjects[] = {
    {"log", wi_log, log, mpfr_log, 0.92},     {"exp", wi_exp, exp, mpfr_exp, 0.99},
    {"tanh", wi_tanh, tanh, mpfr_tanh, 1.83}, {"sigmoid", wi_sigmoid, sigmoid, sigmoid_mpfr, 1.53},
    {"sqrt", wi_sqrt, sqrt, mpfr_sqrt, 0.5},
};

#define SUBJECTS (sizeof subjects / sizeof subjects[0])

static int is_long(void)
{
    const char *value = getenv("WEIR_LONG_TESTS");

    return value != NULL && strcmp(value, "1") == 0;
}

/* Unit in the last place of a float near x, as if exponents had no lower end. */
static double ulp(double x)
{
    int exponent;

    (void)frexp(x, &exponent);
    return ldexp(1.0, exponent - 24);
}

/* x rounded to 24 bits, as if exponents had no ends; numbers near the ends of double stay as they are. */
static double round24(double x)
{
    double unit = ulp(x);

    return fabs(x) < 1e-200 || fabs(x) > 1e200 ? x : rint(x / unit) * unit;
}

/* The largest error of one sweep, and the first input whose result breaks a rule. */
typedef struct outcome {
    double worst_ulp;
    uint32_t worst_input;
    uint64_t above_one;
    uint64_t misrounded;
    uint64_t broken;
    uint32_t broken_input;
    uint32_t broken_result;
} outcome;

/* Compares one result with the exact value r (given as a double). */
static void judge(outcome *o, uint32_t input, float result, double r, double bound)
{
    uint32_t bits = wi_bits(result);
    int is_good;

    if (isnan(r)) {
        is_good = bits == WI_NAN;
    } else if (r == 0.0 || isinf(r)) {
        is_good = bits == wi_bits((float)r);
    } else {
        double rounded = round24(r);
        if (fabs(rounded) < (double)FLT_MIN) {
            is_good = bits == (signbit(r) ? WI_SIGN : 0U);
        } else if (fabs(rounded) > (double)FLT_MAX) {
            is_good = bits == (signbit(r) ? WI_INF | WI_SIGN : WI_INF);
        } else {
            double error = fabs((double)result - r) / ulp(r);
            is_good = error <= bound;
            if (error > o->worst_ulp) {
                o->worst_ulp = error;
                o->worst_input = input;
            }
            o->above_one += error > 1.0;
            o->misrounded += (double)result != rounded;
            if (bound == 0.5 && (double)result != rounded) is_good = 0;
        }
    }
    if (!is_good && o->broken++ == 0) {
        o->broken_input = input;
        o->broken_result = bits;
    }
}

static void merge(outcome *into, const outcome *from)
{
    if (from->worst_ulp > into->worst_ulp) {
        into->worst_ulp = from->worst_ulp;
        into->worst_input = from->worst_input;
    }
    if (into->broken == 0) {
        into->broken_input = from->broken_input;
        into->broken_result = from->broken_result;
    }
    into->above_one += from->above_one;
    into->misrounded += from->misrounded;
    into->broken += from->broken;
}

/* One thread's part of a sweep: first, first + step, ... below `end`. */
typedef struct part {
    const void *subject;
    void (*judge)(outcome *, const void *subject, uint32_t input);
    uint64_t first;
    uint64_t end;
    uint64_t step;
    outcome result;
} part;

static void *run_part(void *user)
{
    part *p = user;

    for (uint64_t i = p->first; i < p->end; i += p->step)
        p->judge(&p->result, p->subject, (uint32_t)i);
    return NULL;
}

static outcome sweep(void (*judge_one)(outcome *, const void *, uint32_t), const void *user,
                     uint64_t end, uint64_t step)
{
    part parts[THREADS];
    pthread_t threads[THREADS];
    outcome all;

    memset(&all, 0, sizeof all);
    for (unsigned t = 0; t < THREADS; ++t) {
        memset(&parts[t], 0, sizeof parts[t]);
        parts[t].subject = user;
        parts[t].judge = judge_one;
        parts[t].first = t * step;
        parts[t].end = end;
        parts[t].step = THREADS * step;
        cr_assert_eq(pthread_create(&threads[t], NULL, run_part, &parts[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; ++t) {
        cr_assert_eq(pthread_join(threads[t], NULL), 0);
        merge(&all, &parts[t].result);
    }
    return all;
}

static void show(const char *name, const outcome *o, uint64_t count)
{
    printf("%s: %llu inputs, worst %.4f ulp at %08x, %llu above 1 ulp, %.3f %% not correctly "
           "rounded\n",
           name, (unsigned long long)count, o->worst_ulp, (unsigned)o->worst_input,
           (unsigned long long)o->above_one, 100.0 * (double)o->misrounded / (double)count);
    fflush(stdout);
}

#define EXPECT_GOOD(name, o)                                                                    \
    cr_expect_eq((o).broken, 0U,                                                                \
                 "%s: %llu inputs break a rule, first %08x gives %08x; worst %.4f ulp", (name), \
                 (unsigned long long)(o).broken, (unsigned)(o).broken_input,                    \
                 (unsigned)(o).broken_result, (o).worst_ulp)

static void judge_function(outcome *o, const void *user, uint32_t input)
{
    const subject *s = user;
    float x = wi_float(input);

    judge(o, input, s->function(x), s->reference((double)x), s->bound_ulp);
}

Test(numeric, functions_stay_within_their_bounds)
{
    uint64_t step = is_long() ? 1 : STRIDE;
    uint64_t end = UINT64_C(1) << 32;

    for (size_t i = 0; i < SUBJECTS; ++i) {
        outcome o = sweep(judge_function, &subjects[i], end, step);
        show(subjects[i].name, &o, (end + step - 1) / step);
        EXPECT_GOOD(subjects[i].name, o);
    }
}

/* Argument n stands for floor(n / 64) / 2^26 of a turn. The reference takes the sine and cosine of at most an eighth of
 * a turn, where float64 has no cancellation. */
static void turn_reference(uint32_t n, double *sine, double *cosine)
{
    int32_t step = (int32_t)(n >> 6);         /* of 2^-26 turns */
    int32_t eighth = step / (1 << 23);        /* 0 .. 7 */
    int32_t quarter = ((eighth + 1) / 2) & 3; /* nearest */
    int32_t rest = step - ((eighth + 1) / 2) * (1 << 24);
    double angle = (double)rest * 0x1p-26 * 6.283185307179586477;
    double s = sin(angle);
    double c = cos(angle);

    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

static void judge_turn(outcome *o, const void *user, uint32_t input)
{
    uint32_t n = input << 6 | (input & 63U); /* the lower 6 bits must not count */
    double s;
    double c;
    float cosine;
    float sine = wi_sincos_turn(n, &cosine);

    turn_reference(n, &s, &c);
    if (s == 0.0) s = (double)sine * 0.0; /* zeros of either sign are right */
    if (c == 0.0) c = (double)cosine * 0.0;
    judge(o, n, *(const int *)user ? cosine : sine, *(const int *)user ? c : s, 0.88);
}

Test(numeric, sine_and_cosine_of_a_turn_stay_within_their_bound)
{
    static const char *const names[] = {"sine", "cosine"};
    uint64_t step = is_long() ? 1 : 5;

    for (int which = 0; which < 2; ++which) {
        outcome o = sweep(judge_turn, &which, UINT64_C(1) << 26, step);
        show(names[which], &o, (UINT64_C(1) << 26) / step);
        EXPECT_GOOD(names[which], o);
    }
}

/* Quotient against float64: 53 bits are more than 2 * 24 + 1, so rounding twice rounds correctly. */
static void judge_quotient(outcome *o, uint32_t a, uint32_t b)
{
    double x = (double)wi_float(a);
    double y = (double)wi_float(b);

    judge(o, a, wi_div(wi_float(a), wi_float(b)), x / y, 0.5);
}

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Random pairs: a quarter any bits, a quarter near exponents, a quarter quotients close to a midpoint, a quarter around
 * the ends of the range. */
static void judge_pair(outcome *o, const void *user, uint32_t input)
{
    uint64_t r = mix(input);
    uint32_t a = (uint32_t)r;
    uint32_t b = (uint32_t)(r >> 32);
    float q;

    (void)user;
    switch (input & 3U) {
    case 0:
        break;
    case 1:
        a = (a & 0x807fffffU) | (((a >> 23) & 7U) + 124U) << 23;
        b = (b & 0x807fffffU) | (((b >> 23) & 7U) + 124U) << 23;
        break;
    case 2: /* a = RN(b * (q + half an ulp)), so a / b lies next to the midpoint above q */
        b = (b & WI_MANTISSA) | 0x3f800000U;
        q = wi_float((a & WI_MANTISSA) | 0x3f800000U);
        a = wi_bits((float)((double)wi_float(b) * ((double)q + 0x1p-24)));
        break;
    default:
        a = (a & 0x80ffffffU) | (a & 0x02000000U ? 0x7e000000U : 0U);
        b = (b & 0x807fffffU) | (((b >> 23) & 3U) + 126U) << 23;
        break;
    }
    judge_quotient(o, a, b);
}

/* All mantissas over 1 and 1 over all mantissas: the reciprocal, on which the proof of division rests. */
static void judge_reciprocal(outcome *o, const void *user, uint32_t input)
{
    float m = wi_float(input | 0x3f800000U);
    float y = wi_reciprocal_mantissa(m);

    (void)user;
    judge(o, input, y, 1.0 / (double)m, 0.5);
}

static void judge_hard_divisor(outcome *o, const void *user, uint32_t input)
{
    judge_quotient(o, input | 0x3f800000U, *(const uint32_t *)user);
}

Test(numeric, division_is_correctly_rounded)
{
    uint64_t pairs = is_long() ? UINT64_C(1) << 32 : UINT64_C(1) << 24;
    outcome o = sweep(judge_reciprocal, NULL, 1U << 23, 1);

    EXPECT_GOOD("reciprocal", o);
    o = sweep(judge_pair, NULL, pairs, 1);
    show("division", &o, pairs);
    EXPECT_GOOD("division", o);
    for (uint32_t i = 0; i < (is_long() ? 64U : 2U); ++i) {
        uint32_t small = 0x3f800000U + i;
        uint32_t large = 0x3fffffffU - i;
        o = sweep(judge_hard_divisor, &small, 1U << 23, 1);
        EXPECT_GOOD("division by the smallest mantissas", o);
        o = sweep(judge_hard_divisor, &large, 1U << 23, 1);
        EXPECT_GOOD("division by the largest mantissas", o);
    }
}

/* All of [1, 4), from which every other root is scaled. */
static void judge_root(outcome *o, const void *user, uint32_t input)
{
    float m = wi_float(input + 0x3f800000U);

    (void)user;
    judge(o, input, wi_sqrt_positive(m), sqrt((double)m), 0.5);
}

Test(numeric, square_root_is_correctly_rounded_on_all_mantissas)
{
    outcome o = sweep(judge_root, NULL, 1U << 24, 1);

    EXPECT_GOOD("sqrt on [1, 4)", o);
}

/* Expected bits of the cases that no ulp describes. */
Test(numeric, special_values)
{
    static const struct {
        const char *name;
        float (*function)(float);
        uint32_t input;
        uint32_t expected;
    } cases[] = {
        {"log", wi_log, 0x00000000u, 0xff800000u},
        {"log", wi_log, 0x80000000u, 0xff800000u},
        {"log", wi_log, 0x3f800000u, 0x00000000u},
        {"log", wi_log, 0x7f800000u, 0x7f800000u},
        {"log", wi_log, 0xff800000u, WI_NAN},
        {"log", wi_log, 0xbf800000u, WI_NAN},
        {"log", wi_log, 0x80000001u, WI_NAN},
        {"log", wi_log, 0x7f800001u, WI_NAN},
        {"log", wi_log, 0xffffffffu, WI_NAN},
        {"log", wi_log, 0x7fc12345u, WI_NAN},
        {"exp", wi_exp, 0x00000000u, 0x3f800000u},
        {"exp", wi_exp, 0x80000000u, 0x3f800000u},
        {"exp", wi_exp, 0x7f800000u, 0x7f800000u},
        {"exp", wi_exp, 0xff800000u, 0x00000000u},
        {"exp", wi_exp, 0x42b17218u, 0x7f800000u},
        {"exp", wi_exp, 0xc2aeac50u, 0x00000000u},
        {"exp", wi_exp, 0x00000001u, 0x3f800000u},
        {"exp", wi_exp, 0x807fffffu, 0x3f800000u},
        {"exp", wi_exp, 0xffc00000u, WI_NAN},
        {"exp", wi_exp, 0x7fa00001u, WI_NAN},
        {"tanh", wi_tanh, 0x00000000u, 0x00000000u},
        {"tanh", wi_tanh, 0x80000000u, 0x80000000u},
        {"tanh", wi_tanh, 0x7f800000u, 0x3f800000u},
        {"tanh", wi_tanh, 0xff800000u, 0xbf800000u},
        {"tanh", wi_tanh, 0x00000001u, 0x00000000u},
        {"tanh", wi_tanh, 0x807fffffu, 0x80000000u},
        {"tanh", wi_tanh, 0x00800000u, 0x00800000u},
        {"tanh", wi_tanh, 0x7f800001u, WI_NAN},
        {"tanh", wi_tanh, 0xffc00000u, WI_NAN},
        {"tanh", wi_tanh, 0x41a00000u, 0x3f800000u},
        {"sigmoid", wi_sigmoid, 0x00000000u, 0x3f000000u},
        {"sigmoid", wi_sigmoid, 0x80000000u, 0x3f000000u},
        {"sigmoid", wi_sigmoid, 0x7f800000u, 0x3f800000u},
        {"sigmoid", wi_sigmoid, 0xff800000u, 0x00000000u},
        {"sigmoid", wi_sigmoid, 0x00000001u, 0x3f000000u},
        {"sigmoid", wi_sigmoid, 0x807fffffu, 0x3f000000u},
        {"sigmoid", wi_sigmoid, 0x42000000u, 0x3f800000u},
        {"sigmoid", wi_sigmoid, 0xc2c80000u, 0x00000000u},
        {"sigmoid", wi_sigmoid, 0x7f800001u, WI_NAN},
        {"sigmoid", wi_sigmoid, 0xffc00000u, WI_NAN},
        {"sqrt", wi_sqrt, 0x00000000u, 0x00000000u},
        {"sqrt", wi_sqrt, 0x80000000u, 0x80000000u},
        {"sqrt", wi_sqrt, 0x7f800000u, 0x7f800000u},
        {"sqrt", wi_sqrt, 0xff800000u, WI_NAN},
        {"sqrt", wi_sqrt, 0x80000001u, WI_NAN},
        {"sqrt", wi_sqrt, 0xbf800000u, WI_NAN},
        {"sqrt", wi_sqrt, 0x7f800001u, WI_NAN},
        {"sqrt", wi_sqrt, 0xffc00000u, WI_NAN},
        {"sqrt", wi_sqrt, 0x00000004u, 0x1ab504f3u},
        {"sqrt", wi_sqrt, 0x40800000u, 0x40000000u},
        {"canonical", wi_canonical, 0xff800001u, WI_NAN},
        {"canonical", wi_canonical, 0x7fc00000u, WI_NAN},
        {"canonical", wi_canonical, 0xff800000u, 0xff800000u},
        {"canonical", wi_canonical, 0x80000001u, 0x80000001u},
        {"canonical", wi_canonical, 0x80000000u, 0x80000000u},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t got = wi_bits(cases[i].function(wi_float(cases[i].input)));
        cr_expect_eq(got, cases[i].expected, "%s of %08x is %08x, expected %08x", cases[i].name,
                     (unsigned)cases[i].input, (unsigned)got, (unsigned)cases[i].expected);
    }
}

Test(numeric, division_of_special_values)
{
    static const uint32_t values[] = {0x00000000U, 0x80000000U, 0x3f800000U, 0xc0400000U,
                                      0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc12345U,
                                      0x7f800001U, 0x00000001U, 0x807fffffU, 0x00800000U,
                                      0x7f7fffffU, 0xff7fffffU, 0x3fffffffU};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i)
        for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
            outcome o;
            memset(&o, 0, sizeof o);
            judge_quotient(&o, values[i], values[k]);
            cr_expect_eq(o.broken, 0U, "%08x / %08x gives %08x", (unsigned)values[i],
                         (unsigned)values[k], (unsigned)o.broken_result);
        }
}

/* The references above are float64 functions of the C library: here they are held against 100 bits. */
Test(numeric, references_agree_with_mpfr)
{
    mpfr_t x;
    mpfr_t y;
    mpfr_t difference;

    mpfr_inits2(100, x, y, difference, (mpfr_ptr)0);
    for (size_t i = 0; i < SUBJECTS; ++i) {
        unsigned compared = 0;
        for (uint32_t k = 0; k < 20000; ++k) {
            float input = wi_float((uint32_t)mix(k + 100000U * (uint32_t)i));
            double r = subjects[i].reference((double)input);
            if (isnan(r) || isinf(r) || r == 0.0 || fabs(r) < 1e-300) continue;
            mpfr_set_d(x, (double)input, MPFR_RNDN);
            subjects[i].mpfr(y, x, MPFR_RNDN);
            mpfr_sub_d(difference, y, r, MPFR_RNDN);
            double relative = fabs(mpfr_get_d(difference, MPFR_RNDN) / r);
            cr_expect(relative <= 0x1p-50, "%s(%a): float64 is off by %g", subjects[i].name,
                      (double)input, relative);
            ++compared;
        }
        cr_expect(compared >= 4000, "%s: only %u of 20000 inputs compared", subjects[i].name,
                  compared);
    }
    mpfr_clears(x, y, difference, (mpfr_ptr)0);
    mpfr_free_cache();
}

/* A fingerprint of results over 2^20 inputs a function: compilers and their options must not change a bit. */
Test(numeric, every_compiler_gives_the_same_bits)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a, word by word */

    for (uint32_t i = 0; i < 1U << 20; ++i) {
        uint64_t r = mix(i);
        uint32_t a = (uint32_t)r;
        uint32_t b = (uint32_t)(r >> 32);
        float cosine;
        float sine = wi_sincos_turn(b, &cosine);
        uint32_t results[] = {wi_bits(wi_log(wi_float(a))),
                              wi_bits(wi_exp(wi_float(a))),
                              wi_bits(wi_exp(wi_float((a & 0x807fffffU) | 0x42000000U))),
                              wi_bits(wi_tanh(wi_float(a))),
                              wi_bits(wi_tanh(wi_float((a & 0x807fffffU) | 0x3f800000U))),
                              wi_bits(wi_sqrt(wi_float(a & 0x7fffffffU))),
                              wi_bits(wi_div(wi_float(a), wi_float(b))),
                              wi_bits(sine),
                              wi_bits(cosine),
                              wi_bits(wi_sigmoid(wi_float(a))),
                              wi_bits(wi_sigmoid(wi_float((a & 0x807fffffu) | 0x40000000u)))};
        for (size_t k = 0; k < sizeof results / sizeof results[0]; ++k)
            hash = (hash ^ results[k]) * UINT64_C(1099511628211);
    }
    cr_expect_eq(hash, UINT64_C(0xb0b382ce18b98c55), "the fingerprint is %016llx",
                 (unsigned long long)hash);
}
