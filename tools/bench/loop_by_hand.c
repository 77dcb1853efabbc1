/* loop.function against a kernel written by hand: philox4x32-10, Box-Muller and the sum in one loop on float8, which is
 * what weir's generator of fused loops has to come near. The kernel keeps its own text and its own functions, made for
 * speed: eight counters a work-item, 32 sums in registers. It must itself be fast, else being near it means nothing, and
 * end in the same sums but for rounding. The two take turns on the same device.
 *
 * Polynomials: own fits; log(1 + f) on [sqrt(1/2) - 1, sqrt(2) - 1] to 4e-9 relative, sine and cosine on a quarter turn
 * to 1e-8. */
#include "bench.h"

#include "by_hand.h"
#include "command.h"
#include "loop_run.h"

#include <weir/context.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10000
#define LANES 1024
#define SEED 1
#define REPEATS 5
#define NANOSECONDS_MOST 1.1 /* a normal, for the kernel by hand to count */
#define DIFFERENCE_MOST 0.02 /* between sums whose standard deviation is 100 */

static const char *const kernel_lines[] = {
    "float8 logarithm(float8 u)\n"
    "{\n"
    "    int8 bits = as_int8(u);\n"
    "    int8 power = (bits - 0x3f3504f3) >> 23;\n"
    "    float8 f = as_float8(bits - (power << 23)) - 1.0f;\n"
    "    float8 p = fma(f, 0.0714975376f, -0.115712007f);\n"
    "    p = fma(p, f, 0.116615111f);\n"
    "    p = fma(p, f, -0.124110507f);\n"
    "    p = fma(p, f, 0.142499365f);\n"
    "    p = fma(p, f, -0.166684802f);\n"
    "    p = fma(p, f, 0.200007075f);\n"
    "    p = fma(p, f, -0.24999989f);\n"
    "    p = fma(p, f, 0.333333312f);\n"
    "    p = fma(f * f, fma(p, f, -0.5f), f);\n"
    "    return fma(convert_float8(power), 0.693147182f, p);\n"
    "}\n",
    "void pair(uint8 first, uint8 second, float8 *x, float8 *y)\n"
    "{\n"
    "    float8 u = fma(convert_float8(first >> 8), 0x1p-24f, 0x1p-25f);\n"
    "    float8 radius = sqrt(-2.0f * logarithm(u));\n"
    "    uint8 quarter = (second + 0x20000000u) >> 30;\n"
    "    float8 a = convert_float8(as_int8(second - (quarter << 30))) * 1.46291807927e-9f;\n"
    "    float8 z = a * a;\n"
    "    float8 s = fma(fma(-0.000195879499f, z, 0.00833274863f), z, -0.166666647f);\n"
    "    float8 c = fma(fma(2.45478752e-05f, z, -0.00138883024f), z, 0.0416666646f);\n"
    "    s = fma(s, a * z, a);\n"
    "    c = fma(c, z * z, fma(z, -0.5f, 1.0f));\n"
    "    int8 swap = -as_int8(quarter & 1u);\n"
    "    uint8 sine = as_uint8(select(s, c, swap)) ^ ((quarter & 2u) << 30);\n"
    "    uint8 cosine = as_uint8(select(c, s, swap)) ^ (((quarter + 1u) & 2u) << 30);\n"
    "    *x = fma(radius, as_float8(cosine), *x);\n"
    "    *y = fma(radius, as_float8(sine), *y);\n"
    "}\n",
    "__kernel void loop(__global float *sums, uint trips)\n"
    "{\n"
    "    uint8 quad = (uint)get_global_id(0) * 8u + (uint8)(0, 1, 2, 3, 4, 5, 6, 7);\n"
    "    float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;\n"
    "    for (uint draw = 0; draw < trips; draw++) {\n"
    "        uint8 c0 = quad, c1 = 0, c2 = draw, c3 = 0;\n"
    "        uint k0 = 1, k1 = 0;\n"
    "        for (int round = 0; round < 10; round++) {\n"
    "            ulong8 a = convert_ulong8(c0) * 0xD2511F53ul;\n"
    "            ulong8 b = convert_ulong8(c2) * 0xCD9E8D57ul;\n"
    "            c0 = convert_uint8(b >> 32) ^ c1 ^ k0;\n"
    "            c1 = convert_uint8(b);\n"
    "            c2 = convert_uint8(a >> 32) ^ c3 ^ k1;\n"
    "            c3 = convert_uint8(a);\n"
    "            k0 += 0x9E3779B9u;\n"
    "            k1 += 0xBB67AE85u;\n"
    "        }\n"
    "        pair(c0, c1, &s0, &s1);\n"
    "        pair(c2, c3, &s2, &s3);\n"
    "    }\n",
    "    float each[4][8];\n"
    "    vstore8(s0, 0, each[0]);\n"
    "    vstore8(s1, 0, each[1]);\n"
    "    vstore8(s2, 0, each[2]);\n"
    "    vstore8(s3, 0, each[3]);\n"
    "    sums += get_global_id(0) * 32;\n"
    "    for (int i = 0; i < 32; i++) sums[i] = each[i & 3][i >> 2];\n"
    "}\n",
};

/* The competitor; all may be NULL. */
typedef struct hand_loop {
    by_hand hand;
    cl_mem sums;
} hand_loop;

static void hand_close(hand_loop *peer)
{
    if (peer->sums != NULL) (void)clReleaseMemObject(peer->sums);
    by_hand_close(&peer->hand);
}

/* Returns 1, or 0 if the driver refuses something; `peer` may then be half made. */
static int hand_open(hand_loop *peer, const char *index)
{
    static const size_t groups[] = {1, 2, 4, 8, 16};
    cl_uint trips = STEPS;

    if (!by_hand_open(&peer->hand, index, kernel_lines,
                      sizeof kernel_lines / sizeof kernel_lines[0], "loop"))
        return 0;
    peer->hand.items = LANES / 32;
    peer->sums = by_hand_buffer(&peer->hand, LANES * sizeof(float));
    return peer->sums != NULL &&
           clSetKernelArg(peer->hand.kernel, 0, sizeof peer->sums, &peer->sums) == CL_SUCCESS &&
           clSetKernelArg(peer->hand.kernel, 1, sizeof trips, &trips) == CL_SUCCESS &&
           by_hand_tune(&peer->hand, groups, sizeof groups / sizeof groups[0], 1);
}

/* Runs the form once more and compares its sums with those by hand. Returns 1 if they agree. */
static int sums_agree(const loop_plan *plan, const loop_form *form, const hand_loop *peer)
{
    static float ours[LANES];
    static float theirs[LANES];
    loop_state loop;
    weir_tensor *state = NULL;
    weir_context *context = NULL;
    int is_read = 0;
    int agree = 1;

    memset(&loop, 0, sizeof loop);
    loop.shape = plan->shape;
    loop.generator.seed = plan->seed;
    if (weir_context_create(plan->device, NULL, &context) != WEIR_OK) return 0;
    loop.context = context;
    is_read = form->begin(&loop) == WEIR_OK && form->call(&loop, plan->steps) == WEIR_OK &&
              loop_state_read(&loop, &state) == WEIR_OK &&
              weir_tensor_to_host(state, ours, sizeof ours) == WEIR_OK &&
              clEnqueueReadBuffer(peer->hand.queue, peer->sums, CL_TRUE, 0, sizeof theirs, theirs,
                                  0, NULL, NULL) == CL_SUCCESS;
    for (size_t i = 0; i < LANES; i++)
        agree = agree && fabsf(ours[i] - theirs[i]) <= (float)DIFFERENCE_MOST;
    weir_tensor_release(state);
    loop_state_release(&loop);
    weir_context_release(context);
    return is_read && agree;
}

static int take_samples(const loop_plan *plan, const loop_form *form, const hand_loop *peer,
                        bench_row *row)
{
    loop_result result;

    for (int i = 0; i <= REPEATS; i++) {
        double peer_seconds = by_hand_time(&peer->hand, 1);

        loop_run(plan, form, NULL, &result);
        if (result.status != WEIR_OK) return bench_fail(row, form->name);
        if (i == 0) continue; /* builds kernels */
        bench_samples_add(&row->samples, result.seconds);
        if (peer_seconds > 0) bench_samples_add(&row->peer_samples, peer_seconds);
    }
    return PROGRAM_OK;
}

/* The comparison counts only if the kernel by hand is as fast as such a kernel is known to be. */
static void judge_peer(bench_row *row)
{
    double nanoseconds =
        bench_samples_median(&row->peer_samples) * 1e9 / ((double)STEPS * (double)LANES);

    if (nanoseconds <= NANOSECONDS_MOST) return;
    row->is_void = 1;
    (void)snprintf(row->reason, sizeof row->reason,
                   "void: the kernel by hand took %.2f ns a normal here, more than %.1f",
                   nanoseconds, NANOSECONDS_MOST);
}

static int run_function(const bench_peers *peers, bench_row *row)
{
    weir_system *system = NULL;
    loop_plan plan = {NULL, {2, {1, LANES}}, STEPS, SEED};
    hand_loop peer;
    int code = bench_choose_device(&system, &plan.device);

    (void)peers;
    memset(&peer, 0, sizeof peer);
    (void)snprintf(row->unit, sizeof row->unit, "s");
    (void)snprintf(row->peer, sizeof row->peer, "float8 kernel by hand");
    if (code != PROGRAM_OK) goto done;
    if (!hand_open(&peer, weir_device_get_index(plan.device))) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "the driver refuses the kernel written by hand");
        code = PROGRAM_FAILED;
        goto done;
    }
    code = take_samples(&plan, &loop_form_function, &peer, row);
    if (code == PROGRAM_OK && !sums_agree(&plan, &loop_form_function, &peer)) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "the kernel by hand ends in other sums, so it is no peer");
        code = PROGRAM_FAILED;
    }
    judge_peer(row);
done:
    hand_close(&peer);
    weir_system_destroy(system);
    return code;
}

const bench_measurement bench_loop_function_hand = {"loop.function", run_function,
                                                    BENCH_RATIO_AT_MOST, 1.3};
