/* Draws: their bits, when they are written, and that a draw computed inside another kernel is the same draw. */
#include "cl/random.h"
#include "ops_support.h"

#include <math.h>

TestSuite(random, .timeout = WT_TIMEOUT);

typedef weir_status draw_call(weir_context *context, weir_generator *generator,
                              const weir_shape *shape, weir_tensor **out);

/* Elements of a draw by the text of cl/random.h compiled for the host. */
static void host_draw(int is_normal, uint64_t seed, uint64_t draw, uint64_t count, float *out)
{
    for (uint64_t quad = 0; quad * 4 < count; quad++) {
        const wi_quad_u words = wi_philox(wi_counter((uint32_t)quad, (uint32_t)(quad >> 32),
                                                     (uint32_t)draw, (uint32_t)(draw >> 32)),
                                          (uint32_t)seed, (uint32_t)(seed >> 32));
        const wi_quad_f z = is_normal ? wi_normal4(words) : wi_uniform4(words);
        const float values[4] = {z.v0, z.v1, z.v2, z.v3};

        for (unsigned j = 0; j < 4 && quad * 4 + j < count; j++) out[quad * 4 + j] = values[j];
    }
}

static weir_tensor *device_draw(weir_context *ctx, draw_call *call, uint64_t seed, uint64_t draw,
                                uint64_t count)
{
    weir_generator generator = {seed, draw};
    const weir_shape shape = ops_vector(count);
    weir_tensor *tensor = NULL;

    wt_ok(call(ctx, &generator, &shape, &tensor));
    cr_assert_eq(generator.next_draw, draw + 1);
    cr_assert_eq(generator.seed, seed);
    return tensor;
}

static void check_draw(weir_context *ctx, int is_normal, uint64_t seed, uint64_t draw,
                       uint64_t count)
{
    float *expected = ops_alloc(count);
    float *got = ops_alloc(count);
    weir_tensor *tensor =
        device_draw(ctx, is_normal ? weir_random_normal : weir_random_uniform, seed, draw, count);

    host_draw(is_normal, seed, draw, count, expected);
    ops_download(tensor, got);
    for (uint64_t e = 0; e < count; e++) {
        cr_assert_eq(ops_bits(got[e]), ops_bits(expected[e]),
                     "%s, seed %llu, draw %llu, element %llu of %llu",
                     is_normal ? "normal" : "uniform", (unsigned long long)seed,
                     (unsigned long long)draw, (unsigned long long)e, (unsigned long long)count);
    }
    weir_tensor_release(tensor);
    free(got);
    free(expected);
}

WEIR_DEVICE_TEST_TAGGED(random, has_the_hosts_bits_at_every_length)
{
    static const uint64_t lengths[] = {0, 1, 3, 4, 5, 31, 32, 33, 63, 64, 65, 1023, 1024};

    (void)dev;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_draw(ctx, 1, 1, i, lengths[i]);
        check_draw(ctx, 0, 1, i, lengths[i]);
    }
}

WEIR_DEVICE_TEST(random, has_the_hosts_bits_for_large_seeds_and_draws)
{
    (void)dev;
    check_draw(ctx, 1, UINT64_C(0xfedcba9876543210), UINT64_C(0x123456789abcdef0),
               wt_scale(100003));
    check_draw(ctx, 0, UINT64_C(0xfedcba9876543210), UINT64_MAX - 1, wt_scale(100003));
}

/* N2: a short draw is the beginning of a long one, so neither length nor work-groups matter. */
WEIR_DEVICE_TEST(random, a_shorter_draw_is_a_prefix)
{
    const uint64_t longer = wt_scale(1000003);
    const uint64_t lengths[] = {1, 2, 7, 33, 513, wt_scale(100003)};
    float *all = ops_alloc(longer);
    float *got = ops_alloc(longer);
    weir_tensor *tensor = device_draw(ctx, weir_random_normal, 1, 5, longer);

    (void)dev;
    ops_download(tensor, all);
    weir_tensor_release(tensor);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if (lengths[i] > longer) continue;
        tensor = device_draw(ctx, weir_random_normal, 1, 5, lengths[i]);
        ops_download(tensor, got);
        weir_tensor_release(tensor);
        cr_assert_arr_eq(got, all, (size_t)lengths[i] * sizeof *got, "length %llu",
                         (unsigned long long)lengths[i]);
    }
    free(got);
    free(all);
}

/* N2, the statistics at a million draws: mean and variance within 4 standard errors, 1/sqrt(n) and sqrt(2/n), and no
 * value above the bound of 24-bit uniforms. */
WEIR_DEVICE_TEST(random, normals_have_mean_0_and_variance_1)
{
    const uint64_t count = wt_scale(1000003);
    float *got = ops_alloc(count);
    weir_tensor *tensor = device_draw(ctx, weir_random_normal, 1, 0, count);
    const double n = (double)count;
    double sum = 0.0;
    double squares = 0.0;
    double mean;

    (void)dev;
    ops_download(tensor, got);
    weir_tensor_release(tensor);
    for (uint64_t e = 0; e < count; e++) {
        cr_assert(fabs((double)got[e]) <= 5.89, "element %llu is %a", (unsigned long long)e,
                  (double)got[e]);
        sum += (double)got[e];
    }
    mean = sum / n;
    for (uint64_t e = 0; e < count; e++)
        squares += ((double)got[e] - mean) * ((double)got[e] - mean);
    cr_assert(fabs(mean) <= 4.0 / sqrt(n), "mean %g", mean);
    cr_assert(fabs(squares / n - 1.0) <= 4.0 * sqrt(2.0 / n), "variance %g", squares / n);
    free(got);
}

WEIR_DEVICE_TEST(random, uniforms_are_in_the_half_open_interval)
{
    const uint64_t count = wt_scale(1000003);
    float *got = ops_alloc(count);
    weir_tensor *tensor = device_draw(ctx, weir_random_uniform, 1, 0, count);
    double sum = 0.0;

    (void)dev;
    ops_download(tensor, got);
    weir_tensor_release(tensor);
    for (uint64_t e = 0; e < count; e++) {
        const double scaled = (double)got[e] * 0x1p24;

        cr_assert(got[e] >= 0.0f && got[e] < 1.0f && scaled == floor(scaled), "element %llu is %a",
                  (unsigned long long)e, (double)got[e]);
        sum += (double)got[e];
    }
    /* The standard error of the mean of n uniforms is 1/sqrt(12 n). */
    cr_assert(fabs(sum / (double)count - 0.5) <= 4.0 / sqrt(12.0 * (double)count), "mean %g",
              sum / (double)count);
    free(got);
}

/* Makes draw 3 of seed 1; if `is_written`, has it written to memory first by reading it to the host. */
static weir_tensor *draw_for_fusion(weir_context *ctx, draw_call *call, uint64_t draw,
                                    uint64_t count, int is_written)
{
    weir_tensor *tensor = device_draw(ctx, call, 1, draw, count);

    cr_assert_null(weir_tensor_get_block(tensor), "a draw holds no block");
    if (is_written) {
        float *sink = ops_alloc(count);

        ops_download(tensor, sink);
        cr_assert(count == 0 || weir_tensor_get_block(tensor) != NULL,
                  "reading it to the host writes it");
        free(sink);
    }
    return tensor;
}

/* One of the operations below on draws that are either inside the kernel or in memory. Returns the launches of the
 * operation itself. */
static uint64_t fused(weir_context *ctx, unsigned which, uint64_t count, int is_written, float *out)
{
    weir_tensor *n = draw_for_fusion(ctx, weir_random_normal, 3, count, is_written);
    weir_tensor *u = draw_for_fusion(ctx, weir_random_uniform, 4, count, is_written);
    weir_tensor *a = ops_full(ctx, count, 0.75);
    weir_tensor *result = NULL;
    const uint64_t before = ops_launches(ctx);
    uint64_t launches;

    switch (which) {
    case 0:
        wt_ok(weir_add(ctx, a, n, &result));
        break;
    case 1:
        wt_ok(weir_sub(ctx, n, a, &result));
        break;
    case 2:
        wt_ok(weir_mul(ctx, n, u, &result));
        break;
    case 3:
        wt_ok(weir_div(ctx, u, n, &result));
        break;
    case 4:
        wt_ok(weir_tanh(ctx, n, &result));
        break;
    default:
        wt_ok(weir_scale(ctx, u, 3.5f, &result));
        break;
    }
    launches = ops_launches(ctx) - before;
    ops_download(result, out);
    weir_tensor_release(result);
    weir_tensor_release(a);
    weir_tensor_release(u);
    weir_tensor_release(n);
    return launches;
}

WEIR_DEVICE_TEST_TAGGED(random, a_draw_inside_an_operation_is_the_written_draw)
{
    static const uint64_t lengths[] = {1, 5, 33, 1024};

    (void)dev;
    for (unsigned which = 0; which < 6; which++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            float inside[1024];
            float written[1024];

            cr_assert_eq(fused(ctx, which, lengths[i], 0, inside), 1, "operation %u", which);
            cr_assert_eq(fused(ctx, which, lengths[i], 1, written), 1, "operation %u", which);
            cr_assert_arr_eq(inside, written, (size_t)lengths[i] * sizeof *inside,
                             "operation %u, length %llu", which, (unsigned long long)lengths[i]);
        }
    }
}

WEIR_DEVICE_TEST_TAGGED(random, a_second_reader_has_the_draw_written)
{
    weir_tensor *n = device_draw(ctx, weir_random_normal, 1, 0, 33);
    weir_tensor *first = NULL;
    weir_tensor *second = NULL;
    float expected[33];
    float got[33];

    (void)dev;
    wt_ok(weir_neg(ctx, n, &first));
    cr_assert_null(weir_tensor_get_block(n));
    cr_assert_eq(ops_launches(ctx), 1);
    wt_ok(weir_neg(ctx, n, &second));
    cr_assert_not_null(weir_tensor_get_block(n));
    cr_assert_eq(ops_launches(ctx), 3, "one launch writes the draw");
    host_draw(1, 1, 0, 33, expected);
    for (unsigned e = 0; e < 33; e++) expected[e] = -expected[e];
    ops_download(first, got);
    cr_assert_arr_eq(got, expected, sizeof got);
    ops_download(second, got);
    cr_assert_arr_eq(got, expected, sizeof got);
    weir_tensor_release(second);
    weir_tensor_release(first);
    weir_tensor_release(n);
}

WEIR_DEVICE_TEST_TAGGED(random, a_draw_may_stand_on_both_sides)
{
    weir_tensor *n = device_draw(ctx, weir_random_normal, 1, 7, 100);
    weir_tensor *twice = NULL;
    float expected[100];
    float got[100];

    (void)dev;
    wt_ok(weir_add(ctx, n, n, &twice));
    host_draw(1, 1, 7, 100, expected);
    for (unsigned e = 0; e < 100; e++) expected[e] += expected[e];
    ops_download(twice, got);
    cr_assert_arr_eq(got, expected, sizeof got);
    weir_tensor_release(twice);
    weir_tensor_release(n);
}

WEIR_DEVICE_TEST_TAGGED(random, one_shape_or_another_gives_the_same_elements)
{
    static const int64_t extents[] = {3, 11};
    weir_generator generator = {1, 9};
    weir_shape shape;
    weir_tensor *tensor = NULL;
    float expected[33];
    float got[33];

    (void)dev;
    wt_ok(weir_shape_make(2, extents, &shape));
    wt_ok(weir_random_normal(ctx, &generator, &shape, &tensor));
    host_draw(1, 1, 9, 33, expected);
    ops_download(tensor, got);
    cr_assert_arr_eq(got, expected, sizeof got);
    weir_tensor_release(tensor);
}

WEIR_DEVICE_TEST_TAGGED(random, a_generator_gives_up_a_number_only_on_success)
{
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_shape shape = ops_vector(4);
    const weir_shape empty = ops_vector(0);
    weir_tensor *tensor = NULL;

    (void)dev;
    cr_assert_eq(generator.seed, 1);
    wt_ok(weir_random_normal(ctx, &generator, &empty, &tensor));
    cr_assert_eq(generator.next_draw, 1, "an empty draw counts");
    weir_tensor_release(tensor);
    wt_fails(weir_random_normal(NULL, &generator, &shape, &tensor), WEIR_E_ARG);
    wt_fails(weir_random_normal(ctx, NULL, &shape, &tensor), WEIR_E_ARG);
    wt_fails(weir_random_normal(ctx, &generator, NULL, &tensor), WEIR_E_ARG);
    wt_fails(weir_random_normal(ctx, &generator, &shape, NULL), WEIR_E_ARG);
    shape.extents[0] = UINT64_C(1) << 62;
    wt_fails(weir_random_uniform(ctx, &generator, &shape, &tensor), WEIR_E_SHAPE);
    cr_assert_null(tensor);
    cr_assert_eq(generator.next_draw, 1);
    shape.extents[0] = 4;
    generator.next_draw = UINT64_MAX;
    tensor = (weir_tensor *)&generator;
    wt_fails(weir_random_normal(ctx, &generator, &shape, &tensor), WEIR_E_ARG);
    cr_assert_null(tensor);
    cr_assert_eq(generator.next_draw, UINT64_MAX);
}
