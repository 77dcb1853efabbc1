/* capture.1000: how long it takes to record a function of 1000 operations. A capture builds no kernels and takes no
 * device memory, so what is measured is the recording, its checks and its plan; each sample is a fresh function. */
#include "bench.h"

#include "command.h"
#include "stopwatch.h"

#include <weir/context.h>
#include <weir/function.h>
#include <weir/ops.h>

#include <stdio.h>

#define OPS 1000
#define REPEATS 9

/* Replaces *at by an operation on it. */
static weir_status apply(weir_context *context, int i, weir_tensor *argument, weir_tensor **at)
{
    weir_tensor *next = NULL;
    weir_status status = WEIR_OK;

    switch (i % 4) {
    case 0:
        status = weir_add(context, *at, argument, &next);
        break;
    case 1:
        status = weir_tanh(context, *at, &next);
        break;
    case 2:
        status = weir_mul(context, *at, argument, &next);
        break;
    default:
        status = weir_neg(context, *at, &next);
    }
    if (status != WEIR_OK) return status;
    weir_tensor_release(*at);
    *at = next;
    return WEIR_OK;
}

static weir_status body(weir_context *context, const weir_argument *arguments, weir_tensor **outs,
                        void *user)
{
    weir_tensor *at = weir_tensor_retain(arguments[0].tensor);
    weir_status status = WEIR_OK;

    (void)user;
    for (int i = 0; i < OPS && status == WEIR_OK; i++)
        status = apply(context, i, arguments[0].tensor, &at);
    if (status == WEIR_OK)
        outs[0] = at;
    else
        weir_tensor_release(at);
    return status;
}

static int run_capture(const bench_peers *peers, bench_row *row)
{
    const weir_argument_spec spec = {WEIR_ARGUMENT_TENSOR, WEIR_DTYPE_F32, {2, {1, 1024}}};
    weir_context *context = NULL;
    weir_system *system = NULL;
    weir_device *device = NULL;
    int code = bench_choose_device(&system, &device);

    (void)peers;
    (void)snprintf(row->unit, sizeof row->unit, "s");
    if (code == PROGRAM_OK && weir_context_create(device, NULL, &context) != WEIR_OK)
        code = bench_fail(row, "capture.1000");
    for (int i = 0; i <= REPEATS && code == PROGRAM_OK; i++) {
        weir_function *function = NULL;
        double start = stopwatch_now();

        if (weir_function_capture(context, &spec, 1, 1, body, NULL, &function) != WEIR_OK)
            code = bench_fail(row, "capture.1000");
        else if (i > 0)
            bench_samples_add(&row->samples, stopwatch_now() - start);
        weir_function_release(function);
    }
    weir_context_release(context);
    weir_system_destroy(system);
    return code;
}

const bench_measurement bench_capture_1000 = {"capture.1000", run_capture, BENCH_VALUE_AT_MOST,
                                              0.020};
