/* The forms of `weir loop` that record, step by step: gradients against a reference in f64 on the host. The draws come
 * from the numeric text that kernels and host share, which is tested on its own. */
#include "devices.h"
#include "tol.h"

#include "cl/random.h"
#include "loop_form.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(loop_forms, .timeout = WT_TIMEOUT);

#define COUNT 1024
#define SEED 7
#define U 5.9604644775390625e-8 /* unit roundoff of f32 */

static const loop_form *find(const char *name)
{
    for (size_t i = 0; i < loop_form_count(); i++) {
        if (strcmp(loop_form_at(i)->name, name) == 0) return loop_form_at(i);
    }
    cr_assert_fail("no form %s", name);
    return NULL;
}

/* Runs a form and gives its gradient, NULL where there is none. */
static float *run(weir_context *ctx, const char *name, uint64_t steps, uint64_t *saved)
{
    const loop_form *form = find(name);
    loop_state loop;
    weir_tensor *gradient = NULL;
    float *out = NULL;

    memset(&loop, 0, sizeof loop);
    loop.context = ctx;
    loop.shape.rank = 1;
    loop.shape.extents[0] = COUNT;
    loop.generator.seed = SEED;
    wt_ok(form->begin(&loop));
    for (uint64_t i = 0; i < steps; i++) wt_ok(form->step(&loop));
    *saved = loop_state_get_saved_bytes(&loop);
    wt_ok(loop_state_gradient(&loop, &gradient));
    if (gradient != NULL) {
        out = calloc(COUNT, sizeof *out);
        cr_assert_not_null(out);
        wt_ok(weir_tensor_to_host(gradient, out, COUNT * sizeof *out));
    }
    weir_tensor_release(gradient);
    loop_state_release(&loop);
    return out;
}

static void draw_all(float *draws, uint64_t draw)
{
    for (uint32_t quad = 0; quad < COUNT / 4; quad++) {
        wi_quad_u words = wi_philox(wi_counter(quad, 0, (uint32_t)draw, 0), SEED, 0);
        wi_quad_f normals = wi_normal4(words);
        float values[4] = {normals.v0, normals.v1, normals.v2, normals.v3};

        memcpy(&draws[4 * (size_t)quad], values, sizeof values);
    }
}

/* d s_n / d s_0 of s_k+1 = tanh(s_k) + draw: the product of 1 - tanh(s_k)^2, in f64. */
static void reference(double *gradient, uint64_t steps)
{
    static float draws[COUNT];
    static double sums[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        sums[i] = 0;
        gradient[i] = 1;
    }
    for (uint64_t k = 0; k < steps; k++) {
        draw_all(draws, k);
        for (size_t i = 0; i < COUNT; i++) {
            double bent = tanh(sums[i]);

            gradient[i] *= 1 - bent * bent;
            sums[i] = bent + (double)draws[i];
        }
    }
}

/* With u the unit roundoff: a step adds at most 2 ulp of tanh and half an ulp of a sum below 8, 10 u together, to the
 * error of the sums, and tanh stretches none; so after k steps a tanh is off by 10 k u and a factor 1 - y^2 by 20 k u.
 * All factors are at most 1, so the product is off by at most the sum of their errors, 10 n (n + 1) u. */
WEIR_DEVICE_TEST_TAGGED(loop_forms, gradient_of_tape_tanh_is_that_of_the_host)
{
    static double want[COUNT];
    static const uint64_t steps[] = {0, 1, 2, 3, 8};

    (void)dev;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        double tolerance = 10 * U * (double)(steps[k] * (steps[k] + 1));
        uint64_t saved = 0;
        float *got = run(ctx, "tape-tanh", steps[k], &saved);

        reference(want, steps[k]);
        cr_assert_not_null(got);
        cr_assert_eq(saved, steps[k] * COUNT * sizeof(float), "%llu bytes are kept",
                     (unsigned long long)saved);
        for (size_t i = 0; i < COUNT; i++)
            cr_assert(wt_diff((double)got[i], want[i]) <= tolerance,
                      "step %llu, element %zu: %.9g, expected %.9g", (unsigned long long)steps[k],
                      i, (double)got[i], want[i]);
        free(got);
    }
}

WEIR_DEVICE_TEST_TAGGED(loop_forms, gradient_of_tape_is_ones_and_of_stop_none)
{
    uint64_t saved = 1;
    float *got = run(ctx, "tape", 9, &saved);

    (void)dev;
    cr_assert_eq(saved, 0);
    cr_assert_not_null(got);
    for (size_t i = 0; i < COUNT; i++) cr_assert(got[i] == 1.0F);
    free(got);
    saved = 1;
    cr_assert_null(run(ctx, "stop", 9, &saved));
    cr_assert_eq(saved, 0);
}
