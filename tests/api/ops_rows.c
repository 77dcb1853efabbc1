/* Every elementwise row of the op table, by the cases that the build writes from it (op_cases.inc): a new row is tested
 * here without a line of this file.
 *
 * Two references. The same text compiled for the host must give the same bits; the row's reference in double must be
 * within the row's bound.
 */
#include "cl/numeric.h"
#include "fence.h"
#include "op_case.h"
#include "ops_support.h"

#include <float.h>
#include <math.h>

TestSuite(ops, .timeout = WT_TIMEOUT);

#include "ops/op_cases.inc"

#define CASE_COUNT (sizeof op_cases / sizeof op_cases[0])

/* Values at which functions break, tried in every combination of two inputs. */
static const float specials[] = {
    0.0f,     -0.0f,    1.0f,      -1.0f,      INFINITY,         -INFINITY, NAN,      -NAN,
    FLT_MIN,  -FLT_MIN, 0x1p-149f, -0x1p-149f, 0x1.fffffcp-127f, FLT_MAX,   -FLT_MAX, 0.5f,
    0x1p-12f, 88.8f,    -88.0f,    2.0f,       0x1.fffffep0f,    0x1p24f};

#define SPECIAL_COUNT (sizeof specials / sizeof specials[0])

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number of the range: half of them spread evenly, half by magnitude as bit patterns are. */
static float draw_from(const op_range *range)
{
    if ((next_random() & 1) != 0) {
        return (float)(range->low +
                       (range->high - range->low) * ((double)(next_random() >> 11) * 0x1p-53));
    }
    for (unsigned tries = 0; tries < 64; tries++) {
        const uint32_t bits = (uint32_t)next_random();
        float x;

        memcpy(&x, &bits, sizeof x);
        if ((double)x >= range->low && (double)x <= range->high) return x;
    }
    return (float)range->low;
}

static float canonical(float x) { return isnan(x) ? wi_float(WI_NAN) : x; }

/* Error of `got` in units of the last place of f32 at the exact value. An infinity counts as 2^128, so that a result
 * that rounds up to it is judged as any other. Results below the normal range may be zeros of their sign. */
static double error_ulp(float got, double exact)
{
    const double wide = isinf(got) ? copysign(0x1p128, (double)got) : (double)got;
    const int has_its_sign = !signbit(got) == !signbit(exact);
    int exponent = 0;

    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0.0 : INFINITY;
    if (isinf(exact)) return isinf(got) && has_its_sign ? 0.0 : INFINITY;
    if (fabs(exact) < (double)FLT_MIN) {
        return has_its_sign && fabs(wide) <= (double)FLT_MIN ? 0.0 : INFINITY;
    }
    if (fabs(exact) >= 0x1p128) return isinf(got) && has_its_sign ? 0.0 : INFINITY;
    (void)frexp(exact, &exponent);
    return fabs(wide - exact) / ldexp(1.0, exponent - 24);
}

/* Bound of a row for the comparison: the reference itself is rounded, to 2^-53 of its value, 2^-29 ulp of f32. */
static double bound_of(const op_case *row) { return row->ulp + 1e-6; }

/* Fills the inputs, one after the other: special values first, in all combinations, then numbers of the domain. */
static void make_inputs(const op_case *row, float *inputs, uint64_t count)
{
    for (uint64_t e = 0; e < count; e++) {
        const uint64_t combination = e % 1031; /* they come again at other places of a vector */

        for (unsigned i = 0; i < row->inputs; i++) {
            const uint64_t which =
                i == 0 ? combination % SPECIAL_COUNT : combination / SPECIAL_COUNT;

            inputs[i * count + e] =
                which < SPECIAL_COUNT ? specials[which] : draw_from(&row->domain[i]);
        }
    }
}

static void check_elements(const op_case *row, const float *inputs, float parameter,
                           const float *got, uint64_t count)
{
    for (uint64_t e = 0; e < count; e++) {
        float x[VALUES_MAX] = {0.0f};
        double wide[VALUES_MAX] = {0.0};
        float same;
        double error;

        for (unsigned i = 0; i < row->inputs; i++) x[i] = inputs[i * count + e];
        if (row->parameters > 0) x[row->inputs] = parameter;
        for (unsigned i = 0; i < row->inputs + row->parameters; i++) wide[i] = (double)x[i];
        same = canonical(row->host(x));
        cr_assert_eq(ops_bits(got[e]), ops_bits(same),
                     "%s of (%a, %a), element %llu of %llu: device %08x, host %08x", row->name,
                     wide[0], row->inputs > 1 ? wide[1] : 0.0, (unsigned long long)e,
                     (unsigned long long)count, ops_bits(got[e]), ops_bits(same));
        error = error_ulp(got[e], row->reference(wide));
        cr_assert(error <= bound_of(row), "%s of (%a, %a) is %a, exact %a: %.3f ulp", row->name,
                  wide[0], row->inputs > 1 ? wide[1] : 0.0, (double)got[e], row->reference(wide),
                  error);
    }
}

static void check_length(weir_context *ctx, const op_case *row, uint64_t count)
{
    float *inputs = ops_alloc(2 * count);
    float *got = ops_alloc(count);
    weir_tensor *tensors[2] = {NULL, NULL};
    weir_tensor *result = NULL;
    const float parameters[1] = {row->parameters > 0 ? draw_from(&row->domain[row->inputs]) : 0.0f};

    make_inputs(row, inputs, count);
    for (unsigned i = 0; i < row->inputs; i++)
        tensors[i] = ops_upload(ctx, inputs + i * count, count);
    wt_ok(row->call(ctx, tensors, parameters, &result));
    cr_assert_eq(weir_tensor_get_count(result), count);
    ops_download(result, got);
    check_elements(row, inputs, parameters[0], got, count);
    weir_tensor_release(result);
    for (unsigned i = 0; i < 2; i++) weir_tensor_release(tensors[i]);
    free(inputs);
    free(got);
}

/* Slope of the reference along value v, from two points; its error is about 1e-10 of the slope for the rows' domains. */
static double slope_of(const op_case *row, const double *x, unsigned v)
{
    const double h = 1e-5 * (1.0 + fabs(x[v]));
    double near[VALUES_MAX];
    double above;

    memcpy(near, x, sizeof near);
    near[v] = x[v] + h;
    above = row->reference(near);
    near[v] = x[v] - h;
    return (above - row->reference(near)) / ((x[v] + h) - (x[v] - h));
}

/* Gradients are a few roundings of f32 away: 16 units of the largest term, which is at most 16 in these domains. */
Test(ops, every_gradient_is_the_slope_of_its_reference)
{
    unsigned found = 0;

    random_state = 3000;
    for (size_t r = 0; r < CASE_COUNT; r++) {
        const op_case *row = &op_cases[r];

        for (unsigned trial = 0; trial < 1000 * row->inputs; trial++) {
            const unsigned input = trial % row->inputs;
            float x[VALUES_MAX] = {0};
            double wide[VALUES_MAX] = {0};
            double got, want;

            if (row->gradient[input] == NULL) continue;
            for (unsigned v = 0; v < row->inputs + row->parameters; v++) {
                const op_range *range = &row->gradient_domain[v];

                x[v] = (float)(range->low + (range->high - range->low) *
                                                ((double)(next_random() >> 11) * 0x1p-53));
                wide[v] = (double)x[v];
            }
            got = (double)row->gradient[input](x, 3.0f, row->host(x));
            want = 3.0 * slope_of(row, wide, input);
            cr_assert(fabs(got - want) <= 16 * 0x1p-24 * (16.0 + fabs(want)),
                      "%s at (%a, %a): gradient of input %u is %.9g, slope %.9g", row->name,
                      wide[0], wide[1], input, got, want);
            found++;
        }
    }
    cr_assert_gt(found, 5000);
}

WEIR_DEVICE_TEST_TAGGED(ops, every_row_matches_its_references_at_every_length)
{
    static const uint64_t lengths[] = {0, 1, 3, 4, 5, 31, 32, 33, 1023, 1024};

    (void)dev;
    for (size_t r = 0; r < CASE_COUNT; r++) {
        random_state = 1000 + r;
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
            check_length(ctx, &op_cases[r], lengths[i]);
    }
}

WEIR_DEVICE_TEST(ops, every_row_matches_its_references_over_its_domain)
{
    (void)dev;
    for (size_t r = 0; r < CASE_COUNT; r++) {
        random_state = 2000 + r;
        check_length(ctx, &op_cases[r], wt_scale(100003));
    }
}

/* Results between the posts of a fence, of sizes that fill a hole (4352 bytes) but not the last work-group: its items
 * without elements must not write. What a vector does at its end shows in elementwise.c. */
WEIR_DEVICE_TEST_TAGGED(ops, rows_write_nothing_outside_of_their_result)
{
    (void)dev;
    for (uint64_t count = 1085; count <= 1088; count++) {
        wt_fence fence = wt_fence_open(ctx, count * sizeof(float));
        unsigned covered = 0;

        for (size_t r = 0; r < CASE_COUNT; r++) {
            weir_tensor *x = ops_full(ctx, count, 0.5);
            weir_tensor *inputs[2] = {x, x};
            const float parameters[1] = {2.0f};
            weir_tensor *result = NULL;

            wt_ok(op_cases[r].call(ctx, inputs, parameters, &result));
            covered += wt_fence_covers(&fence, result) ? 1 : 0;
            wt_fence_check(&fence, op_cases[r].name);
            weir_tensor_release(result);
            weir_tensor_release(x);
        }
        cr_assert(covered > 0, "no result lay between posts");
        wt_fence_close(&fence);
    }
}

WEIR_DEVICE_TEST_TAGGED(ops, an_operation_is_one_launch)
{
    weir_tensor *a = ops_full(ctx, 1024, 1.0);
    weir_tensor *b = ops_full(ctx, 1024, 2.0);
    const uint64_t before = ops_launches(ctx);
    weir_tensor *sum = NULL;
    float got[1024];

    (void)dev;
    cr_assert_eq(before, 0, "a fill is no launch");
    wt_ok(weir_add(ctx, a, b, &sum));
    cr_assert_eq(ops_launches(ctx) - before, 1);
    ops_download(sum, got);
    for (unsigned e = 0; e < 1024; e++) cr_assert_eq(got[e], 3.0f);
    weir_tensor_release(sum);
    weir_tensor_release(b);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(ops, empty_tensors_launch_nothing)
{
    static const int64_t extents[] = {3, 0, 2};
    weir_shape shape;
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;
    weir_context_stats before;
    weir_context_stats after;

    (void)dev;
    wt_ok(weir_shape_make(3, extents, &shape));
    weir_context_get_stats(ctx, &before);
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &x));
    for (size_t r = 0; r < CASE_COUNT; r++) {
        weir_tensor *inputs[2] = {x, x};
        const float parameters[1] = {2.0f};

        wt_ok(op_cases[r].call(ctx, inputs, parameters, &y));
        cr_assert(weir_shape_equal(weir_tensor_get_shape(y), &shape));
        cr_assert_null(weir_tensor_get_block(y));
        weir_tensor_release(y);
    }
    weir_context_get_stats(ctx, &after);
    cr_assert_eq(after.kernels_launched, before.kernels_launched);
    cr_assert_eq(after.copies_enqueued, before.copies_enqueued);
    weir_tensor_release(x);
}
