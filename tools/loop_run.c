/* Runs one form. The clock is stopped at two places: when the work of step 1 is done, which includes the builds that
 * it causes, and when that of the last step is; a form that does all steps in one call is called twice instead, from
 * the same state. Nothing is sampled in between; statistics are read before and after. Ctrl-C is looked at between
 * steps, and steps that take long are not enqueued far ahead: the queue would hold up to 1024 of them, which nothing can
 * call back. The first failure is kept, whatever is called while clearing up. One thread. */
#include "loop_run.h"

#include "interrupt.h"
#include "progress.h"
#include "stopwatch.h"

#include <weir/context.h>
#include <weir/pool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Counters at one moment. */
typedef struct counters {
    weir_pool_stats pool;
    weir_context_stats context;
} counters;

static void read_counters(const weir_context *context, counters *out)
{
    weir_pool_get_stats(weir_context_get_pool(context), &out->pool);
    weir_context_get_stats(context, &out->context);
}

/* Keeps what happened between two moments; peaks are those of the pool. */
static void store_counters(const counters *before, const counters *after, loop_result *out)
{
    out->peak_in_use = after->pool.in_use_bytes.peak;
    out->peak_reserved = after->pool.reserved_bytes.peak;
    out->peak_blocks = after->pool.blocks.peak;
    out->driver_allocs = after->pool.driver_allocs - before->pool.driver_allocs;
    out->kernels_launched = after->context.kernels_launched - before->context.kernels_launched;
    out->cow_copies = after->context.cow_copies - before->context.cow_copies;
}

/* Keeps the first failure with its record. A failure of the program itself, for want of host memory, has none. */
static void note_status(loop_result *out, weir_status status)
{
    const weir_error *last = weir_last_error();

    if (status == WEIR_OK || out->status != WEIR_OK) return;
    out->status = status;
    if (last->status == status) {
        out->error = *last;
        return;
    }
    memset(&out->error, 0, sizeof out->error);
    out->error.status = status;
    (void)strncpy(out->error.message, weir_status_text(status), sizeof out->error.message - 1);
}

/* How far enqueueing may run ahead of the device. */
#define AHEAD_SECONDS 0.2

/* When the loop waits for the device next.
 *
 * Invariants: next > steps, or next == 0: never again before the end. */
typedef struct pacing {
    double at;      /* when it waited last */
    uint64_t steps; /* done by then */
    uint64_t next;  /* wait after this one */
} pacing;

/* Chooses `next` from what a step took since the last wait. Steps of which the library lets no more run ahead than
 * AHEAD_SECONDS need no waiting; a step that was slow by chance is corrected at the next wait. */
static void choose_next(pacing *pace, double now, uint64_t steps)
{
    const double step_seconds = (now - pace->at) / (double)(steps - pace->steps);

    pace->at = now;
    pace->steps = steps;
    if (step_seconds * 1024 < AHEAD_SECONDS)
        pace->next = 0;
    else
        pace->next =
            steps + (step_seconds < AHEAD_SECONDS ? (uint64_t)(AHEAD_SECONDS / step_seconds) : 1);
}

/* After the first step, whose time with its builds stands alone, the loop waits; so it does after the second. */
static weir_status wait_for_steps(const loop_state *loop, loop_result *out, pacing *pace)
{
    weir_status status = WEIR_OK;
    double now = 0;

    if (out->steps_done != pace->next) return WEIR_OK;
    status = weir_context_synchronize(loop->context);
    now = stopwatch_now();
    if (out->steps_done == 1) {
        out->first_seconds = now - pace->at;
        *pace = (pacing){.at = now, .steps = 1, .next = 2};
    } else {
        choose_next(pace, now, out->steps_done);
    }
    return status;
}

/* What a run reads and writes while it goes on. */
typedef struct running {
    const loop_plan *plan;
    loop_state *loop;
    loop_curve *curve; /* NULL: nothing is sampled */
    loop_result *out;
    counters before; /* from here on counters count */
} running;

static void take_sample(const running *run)
{
    if (run->curve != NULL)
        loop_curve_take(run->curve, weir_context_get_pool(run->loop->context), run->out->steps_done,
                        loop_state_get_saved_bytes(run->loop));
}

static void run_steps(const running *run)
{
    loop_result *out = run->out;
    progress line;
    const double start = stopwatch_now();
    pacing pace = {.at = start, .next = 1};

    progress_begin(&line);
    while (out->status == WEIR_OK && out->steps_done < run->plan->steps && !interrupt_requested()) {
        weir_status status = out->form->step(run->loop);

        note_status(out, status);
        if (status != WEIR_OK) break;
        out->steps_done++;
        note_status(out, wait_for_steps(run->loop, out, &pace));
        if (loop_curve_is_due(run->curve, out->steps_done)) take_sample(run);
        progress_show(&line, out->form->name, out->steps_done, run->plan->steps);
    }
    note_status(out, weir_context_synchronize(run->loop->context));
    if (out->steps_done > 1) out->seconds = stopwatch_now() - start - out->first_seconds;
    if (out->steps_done > 0) out->timed_steps = out->steps_done - 1;
    progress_end(&line);
}

/* Calls once; returns how long it took. */
static double run_call(const running *run)
{
    double start = stopwatch_now();

    note_status(run->out, run->out->form->call(run->loop, run->plan->steps));
    note_status(run->out, weir_context_synchronize(run->loop->context));
    return stopwatch_now() - start;
}

/* Runs a form that does all steps in a call. It cannot be stopped in between, so Ctrl-C ends the program. */
static void run_calls(running *run)
{
    loop_result *out = run->out;
    char line[128];

    (void)snprintf(line, sizeof line, "weir loop: interrupted in form %s after step 0 of %llu\n",
                   out->form->name, (unsigned long long)run->plan->steps);
    interrupt_end_with(line);
    if (interrupt_requested()) { /* before the line was there */
        interrupt_end_with(NULL);
        return;
    }
    out->first_seconds = run_call(run);
    if (out->status == WEIR_OK) {
        out->steps_done = run->plan->steps;
        take_sample(run);
        read_counters(run->loop->context, &run->before);
        out->seconds = run_call(run);
        out->timed_steps = run->plan->steps;
    }
    interrupt_end_with(NULL);
}

/* Gives a copy of a tensor's elements, free(); NULL on failure. */
static weir_status read_elements(weir_tensor *tensor, void **out)
{
    uint64_t bytes = weir_tensor_get_bytes(tensor);
    weir_status status = WEIR_OK;

    *out = malloc(bytes == 0 ? 1 : (size_t)bytes);
    if (*out == NULL) return WEIR_E_HOST_MEMORY;
    status = weir_tensor_to_host(tensor, *out, bytes);
    if (status == WEIR_OK) return WEIR_OK;
    free(*out);
    *out = NULL;
    return status;
}

static weir_status read_checksum(loop_state *loop, loop_result *out)
{
    weir_tensor *state = NULL;
    void *data = NULL;
    weir_status status = loop_state_read(loop, &state);

    if (status == WEIR_OK) status = read_elements(state, &data);
    if (status == WEIR_OK) {
        out->checksum = XXH64(data, (size_t)weir_tensor_get_bytes(state), 0);
        out->has_checksum = 1;
    }
    free(data);
    weir_tensor_release(state);
    return status;
}

static weir_status read_gradient(loop_state *loop, loop_result *out)
{
    weir_tensor *gradient = NULL;
    void *data = NULL;
    weir_status status = loop_state_gradient(loop, &gradient);

    if (status == WEIR_OK && gradient == NULL) out->gradient = LOOP_GRADIENT_NONE;
    if (status != WEIR_OK || gradient == NULL) return status;
    status = read_elements(gradient, &data);
    if (status == WEIR_OK) {
        const float *elements = data;

        out->gradient = LOOP_GRADIENT_ONES;
        for (uint64_t i = 0; i < weir_tensor_get_count(gradient); i++)
            out->gradient = elements[i] == 1.0F ? out->gradient : LOOP_GRADIENT_DENSE;
    }
    free(data);
    weir_tensor_release(gradient);
    return status;
}

void loop_run(const loop_plan *plan, const loop_form *form, loop_curve *curve, loop_result *out)
{
    loop_state loop;
    running run = {.plan = plan, .loop = &loop, .curve = curve, .out = out};
    counters after;
    weir_context *context = NULL;

    memset(&loop, 0, sizeof loop);
    memset(out, 0, sizeof *out);
    out->form = form;
    weir_last_error_reset();
    note_status(out, weir_context_create(plan->device, NULL, &context));
    if (out->status != WEIR_OK) goto done;
    loop.context = context;
    loop.shape = plan->shape;
    loop.generator.seed = plan->seed;
    if (curve != NULL) loop_curve_begin(curve, plan->steps);
    weir_pool_reset_peak(weir_context_get_pool(context));
    read_counters(context, &run.before);
    note_status(out, form->begin(&loop));
    out->is_started = out->status == WEIR_OK;
    take_sample(&run);
    if (out->is_started && form->call != NULL)
        run_calls(&run);
    else if (out->is_started)
        run_steps(&run);
    out->is_interrupted = interrupt_requested();
    read_counters(context, &after);
    store_counters(&run.before, &after, out);
    take_sample(&run);
    out->saved_bytes = loop_state_get_saved_bytes(&loop);
    out->host_bytes = loop_state_get_host_bytes(&loop);
    if (out->is_interrupted) goto done;
    if (out->status == WEIR_OK) note_status(out, read_checksum(&loop, out));
    if (out->status == WEIR_OK && loop.tape != NULL) note_status(out, read_gradient(&loop, out));
done:
    loop_state_release(&loop);
    weir_context_release(context);
}
