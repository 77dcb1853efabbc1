/* accumulate.f32: a += b on 64 MiB each, through weir_variable_assign_add(), against a float4 kernel written by hand
 * and launched with bare OpenCL on the same device. Both arrays of both sides are filled first, since drivers back
 * memory when it is first written. Sides take turns; a sample is the mean of some launches ended by a finish. The
 * kernel is tried with the driver's work-group size and with 256 and 64, and competes with the fastest. */
#include "bench.h"

#include "by_hand.h"
#include "command.h"
#include "stopwatch.h"

#include <weir/context.h>
#include <weir/ops.h>
#include <weir/update.h>

#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#define ELEMENTS ((size_t)16 * 1024 * 1024)
#define BYTES (ELEMENTS * sizeof(float))
#define LAUNCHES 8
#define REPEATS 9

/* The competitor; all may be NULL. */
typedef struct hand_accumulate {
    by_hand hand;
    cl_mem a;
    cl_mem b;
} hand_accumulate;

static const char *const kernel_lines[] = {
    "__kernel void accumulate(__global float4 *a, __global const float4 *b)\n",
    "{\n",
    "    size_t i = get_global_id(0);\n",
    "    a[i] += b[i];\n",
    "}\n",
};

static void hand_close(hand_accumulate *peer)
{
    if (peer->a != NULL) (void)clReleaseMemObject(peer->a);
    if (peer->b != NULL) (void)clReleaseMemObject(peer->b);
    by_hand_close(&peer->hand);
}

/* Returns 1, or 0 if the driver refuses something; `peer` may then be half made. */
static int hand_open(hand_accumulate *peer, const char *index)
{
    static const size_t groups[] = {0, 64, 256};
    by_hand *hand = &peer->hand;
    cl_float one = 1.0F;

    if (!by_hand_open(hand, index, kernel_lines, sizeof kernel_lines / sizeof kernel_lines[0],
                      "accumulate"))
        return 0;
    hand->items = ELEMENTS / 4;
    peer->a = by_hand_buffer(hand, BYTES);
    peer->b = by_hand_buffer(hand, BYTES);
    return peer->a != NULL && peer->b != NULL &&
           clEnqueueFillBuffer(hand->queue, peer->a, &one, sizeof one, 0, BYTES, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clEnqueueFillBuffer(hand->queue, peer->b, &one, sizeof one, 0, BYTES, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clSetKernelArg(hand->kernel, 0, sizeof peer->a, &peer->a) == CL_SUCCESS &&
           clSetKernelArg(hand->kernel, 1, sizeof peer->b, &peer->b) == CL_SUCCESS &&
           clFinish(hand->queue) == CL_SUCCESS &&
           by_hand_tune(hand, groups, sizeof groups / sizeof groups[0], LAUNCHES);
}

static weir_status weir_time(weir_context *context, weir_variable *a, weir_tensor *b,
                             double *seconds)
{
    double start = stopwatch_now();
    weir_status status = WEIR_OK;

    for (int i = 0; i < LAUNCHES && status == WEIR_OK; i++) status = weir_variable_assign_add(a, b);
    if (status == WEIR_OK) status = weir_context_synchronize(context);
    *seconds = (stopwatch_now() - start) / LAUNCHES;
    return status;
}

static weir_status take_samples(weir_context *context, weir_variable *a, weir_tensor *b,
                                const by_hand *hand, bench_row *row)
{
    weir_status status = WEIR_OK;
    double bytes = 3.0 * (double)BYTES; /* two reads and a write */
    double seconds = 0;

    for (int i = 0; i <= REPEATS; i++) {
        double peer_seconds = by_hand_time(hand, LAUNCHES);

        status = weir_time(context, a, b, &seconds);
        if (status != WEIR_OK) return status;
        if (i == 0) /* builds kernels */
            continue;
        bench_samples_add(&row->samples, bytes / seconds);
        if (peer_seconds > 0) bench_samples_add(&row->peer_samples, bytes / peer_seconds);
    }
    return status;
}

static weir_status measure(weir_context *context, const by_hand *hand, bench_row *row)
{
    weir_shape shape = {1, {ELEMENTS}};
    weir_tensor *initial = NULL;
    weir_tensor *b = NULL;
    weir_variable *a = NULL;
    weir_status status = weir_full(context, WEIR_DTYPE_F32, &shape, 1, &initial);

    if (status == WEIR_OK) status = weir_full(context, WEIR_DTYPE_F32, &shape, 1, &b);
    if (status == WEIR_OK)
        status = weir_variable_create(context, "a", WEIR_DTYPE_F32, &shape, initial, NULL, &a);
    weir_tensor_release(initial); /* else the first update would copy */
    if (status == WEIR_OK) status = take_samples(context, a, b, hand, row);
    weir_variable_release(a);
    weir_tensor_release(b);
    return status;
}

static int run_f32(const bench_peers *peers, bench_row *row)
{
    weir_context *context = NULL;
    weir_system *system = NULL;
    weir_device *device = NULL;
    hand_accumulate peer;
    int code = bench_choose_device(&system, &device);

    (void)peers;
    memset(&peer, 0, sizeof peer);
    (void)snprintf(row->unit, sizeof row->unit, "B/s");
    (void)snprintf(row->peer, sizeof row->peer, "float4 kernel by hand");
    if (code != PROGRAM_OK) goto done;
    if (!hand_open(&peer, weir_device_get_index(device))) {
        (void)snprintf(row->reason, sizeof row->reason,
                       "the driver refuses the kernel written by hand");
        code = PROGRAM_FAILED;
        goto done;
    }
    if (weir_context_create(device, NULL, &context) != WEIR_OK ||
        measure(context, &peer.hand, row) != WEIR_OK)
        code = bench_fail(row, "accumulate.f32");
done:
    hand_close(&peer);
    weir_context_release(context);
    weir_system_destroy(system);
    return code;
}

const bench_measurement bench_accumulate_f32 = {"accumulate.f32", run_f32, BENCH_RATIO_AT_LEAST,
                                                0.95};
