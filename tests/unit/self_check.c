/* The self-check's judgement of words from devices that differ in one property each. */
#include "context/self_check.h"

#include "cl/self_check_rows.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

TestSuite(self_check, .timeout = 120);

#define WORDS (WI_SELF_CHECK_ROWS * WI_SELF_CHECK_CASES)

enum { ADD = 4, MULTIPLY = 5, FMA = 6, MULTIPLY_ADD = 7, LOG = 9 };

static uint32_t words[WORDS];
static wi_self_check report;

static uint32_t *row(unsigned index) { return words + (size_t)index * WI_SELF_CHECK_CASES; }

/* Compares and asserts that only `kind` differs, in as many cases as given; the check refuses if `refuses`. */
static void expect_only(wi_checked kind, int refuses, uint32_t cases, const char *what)
{
    int is_good = wi_self_check_compare(words, &report);

    cr_expect_eq(is_good, !refuses, "%s: %s", what, is_good ? "accepted" : "refused");
    for (unsigned k = 0; k < WI_CHECKED_COUNT; ++k) {
        const wi_finding *f = &report.findings[k];
        cr_expect_eq(f->differing, k == (unsigned)kind ? cases : 0U,
                     "%s: property %u differs in %u cases", what, k, (unsigned)f->differing);
        cr_expect_eq(f->state == WI_FINDING_PASS, f->differing == 0U);
    }
    cr_expect_eq(report.findings[kind].state, refuses ? WI_FINDING_FAIL : WI_FINDING_NAMED, "%s",
                 what);
}

static uint32_t flush(uint32_t u)
{
    uint32_t magnitude = u & 0x7fffffffU;

    return magnitude != 0 && magnitude < 0x00800000U ? u & 0x80000000U : u;
}

/* Runs flush over a row and returns how many words it changed. */
static uint32_t flush_row(unsigned index)
{
    uint32_t changed = 0;

    for (unsigned i = 0; i < WI_SELF_CHECK_CASES; ++i) {
        uint32_t u = flush(row(index)[i]);
        changed += u != row(index)[i];
        row(index)[i] = u;
    }
    return changed;
}

Test(self_check, accepts_the_words_of_the_host)
{
    wi_self_check_expect(words);
    cr_expect(wi_self_check_compare(words, &report));
    for (unsigned k = 0; k < WI_CHECKED_COUNT; ++k)
        cr_expect_eq(report.findings[k].state, WI_FINDING_PASS);
}

Test(self_check, knows_philox_by_its_known_answer)
{
    wi_self_check_expect(words);
    cr_expect_eq(words[0], 0xd16cfe09U);
    cr_expect_eq(row(1)[0], 0x94fdccebU + 3U * 0x5001e420U + 5U * 0x24126ea1U);
}

Test(self_check, has_cases_of_every_kind)
{
    unsigned nans = 0;
    unsigned infinities = 0;
    unsigned subnormals = 0;

    wi_self_check_expect(words);
    for (unsigned i = ADD * WI_SELF_CHECK_CASES; i < (MULTIPLY_ADD + 1) * WI_SELF_CHECK_CASES;
         ++i) {
        nans += isnan(wi_float(words[i])) != 0;
        infinities += isinf(wi_float(words[i])) != 0;
        subnormals += fpclassify(wi_float(words[i])) == FP_SUBNORMAL;
    }
    cr_expect(nans >= 12 && infinities >= 12 && subnormals >= 8,
              "%u NaN, %u infinities, %u subnormal", nans, infinities, subnormals);
}

Test(self_check, allows_other_payloads_of_nan_in_plain_arithmetic)
{
    wi_self_check_expect(words);
    for (unsigned i = ADD * WI_SELF_CHECK_CASES; i < (MULTIPLY_ADD + 1) * WI_SELF_CHECK_CASES; ++i)
        if (isnan(wi_float(words[i]))) words[i] = 0xffc54321U;
    cr_expect(wi_self_check_compare(words, &report));
}

Test(self_check, refuses_another_nan_from_a_function)
{
    uint32_t cases = 0;

    wi_self_check_expect(words);
    for (unsigned i = 0; i < WI_SELF_CHECK_CASES; ++i)
        if (row(LOG)[i] == WI_NAN) {
            row(LOG)[i] = 0xffc00000U;
            ++cases;
        }
    cr_assert(cases > 0);
    expect_only(WI_CHECKED_FUNCTIONS, 1, cases, "negative NaN");
}

Test(self_check, names_flushed_subnormals_without_refusing)
{
    wi_self_check_expect(words);
    uint32_t cases = flush_row(ADD) + flush_row(MULTIPLY) + flush_row(MULTIPLY_ADD);
    cr_assert(cases > 0);
    expect_only(WI_CHECKED_SUBNORMALS, 0, cases, "flushed results of + and *");

    wi_self_check_expect(words);
    cases = flush_row(FMA);
    cr_assert(cases > 0);
    expect_only(WI_CHECKED_FMA_ZEROS, 0, cases, "flushed results of fma");
}

static const uint32_t table[WI_SELF_CHECK_CASES][3] = {
#define ENTRY(a, b, c) {a, b, c},
    WI_CHECK_TABLE(ENTRY)
#undef ENTRY
};

/* What a compiler that contracts, and one that lacks fma, make of the cases with finite numbers. */
Test(self_check, refuses_contraction_and_fma_in_two_steps)
{
    for (unsigned which = 0; which < 2; ++which) {
        uint32_t told = 0;
        uint32_t told_by_random = 0;

        wi_self_check_expect(words);
        for (unsigned i = 0; i < WI_SELF_CHECK_CASES; ++i) {
            wi_quad_u q =
                wi_check_operands(wi_check_words(i, 0U), table[i][0], table[i][1], table[i][2], 0U);
            float x = wi_float(q.v0);
            float y = wi_float(q.v1);
            float z = wi_float(q.v2);
            float product = x * y;
            float r = which == 0 ? fmaf(z, x, y) : product + z;
            uint32_t *word = &row(which == 0 ? MULTIPLY_ADD : FMA)[i];
            if (!isfinite(r) || !isfinite(wi_float(*word)) || fabsf(r) < 0x1p-100F) continue;
            told += *word != wi_bits(r);
            told_by_random += i >= WI_CHECK_TABLE_CASES && *word != wi_bits(r);
            *word = wi_bits(r);
        }
        cr_expect(told >= 6 && told_by_random >= 1, "%u cases tell, %u of them random",
                  (unsigned)told, (unsigned)told_by_random);
        expect_only(which == 0 ? WI_CHECKED_CONTRACTION : WI_CHECKED_FMA, 1, told,
                    which == 0 ? "fused" : "split");
    }
}

Test(self_check, refuses_what_is_wrong_in_one_bit)
{
    static const struct {
        unsigned row;
        wi_checked kind;
    } rows[] = {{0, WI_CHECKED_PHILOX},     {1, WI_CHECKED_PHILOX},      {2, WI_CHECKED_INTEGERS},
                {3, WI_CHECKED_INTEGERS},   {4, WI_CHECKED_ROUNDING},    {5, WI_CHECKED_ROUNDING},
                {6, WI_CHECKED_FMA},        {7, WI_CHECKED_CONTRACTION}, {8, WI_CHECKED_INTEGERS},
                {9, WI_CHECKED_FUNCTIONS},  {10, WI_CHECKED_FUNCTIONS},  {11, WI_CHECKED_FUNCTIONS},
                {12, WI_CHECKED_FUNCTIONS}, {13, WI_CHECKED_FUNCTIONS},  {14, WI_CHECKED_FUNCTIONS},
                {15, WI_CHECKED_FUNCTIONS}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        for (unsigned k = WI_CHECK_TABLE_CASES; k < WI_SELF_CHECK_CASES; ++k) {
            wi_self_check_expect(words);
            row(rows[i].row)[k] ^= 1U;
            expect_only(rows[i].kind, 1, 1, wi_self_check_row_name(rows[i].row));
        }
}

/* Case 16 of the table overflows in its sum, case 21 is infinity times zero, case 25 the sum 0 + -0. */
Test(self_check, tells_infinities_nan_and_zeros_apart)
{
    wi_self_check_expect(words);
    cr_assert_eq(row(ADD)[16], 0x7f800000U);
    row(ADD)[16] = 0x7f7fffffU;
    expect_only(WI_CHECKED_INFINITIES, 1, 1, "overflow to the largest number");

    wi_self_check_expect(words);
    cr_assert(isnan(wi_float(row(MULTIPLY)[21])));
    row(MULTIPLY)[21] = 0;
    expect_only(WI_CHECKED_NAN, 1, 1, "infinity times zero is zero");

    wi_self_check_expect(words);
    cr_assert_eq(row(ADD)[25], 0U);
    row(ADD)[25] = 0x80000000U;
    expect_only(WI_CHECKED_ROUNDING, 1, 1, "0 + -0 is -0");
}

Test(self_check, says_what_differs)
{
    weir_text *text = NULL;

    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    wi_self_check_expect(words);
    row(ADD)[40] ^= 1U;
    (void)wi_self_check_compare(words, &report);
    wi_self_check_write(&report, text);
    cr_expect_not_null(strstr(weir_text_get(text), "not run"));
    weir_text_reset(text);
    report.width = 8;
    wi_self_check_write(&report, text);
    cr_expect_not_null(strstr(weir_text_get(text), "rounding: fail"));
    cr_expect_not_null(strstr(weir_text_get(text), "1 cases, first a + b of"));
    cr_expect_not_null(strstr(weir_text_get(text), "fma: pass"));
    cr_expect_str_eq(wi_self_check_row_name(WI_SELF_CHECK_ROWS), "?");
    weir_text_destroy(text);
}
