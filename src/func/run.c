/* Runs the steps of a function.
 *
 * Steps are enqueued one after the other. A loop that runs launch by launch gives each carry two places and writes them
 * by turns, so that the last trip writes the place of the result; the first trip reads the loop's start where it is. No
 * memory is taken and nothing is waited for. Locking: the function's.
 */
#include "func/run.h"

#include "base/memory.h"
#include "base/status.h"
#include "context/enqueue.h"
#include "ops/copy.h"
#include "ops/layout.h"
#include "ops/sum.h"

#include <string.h>

weir_status wi_run_init(weir_context *context, const wi_recorded *recorded, wi_steps *steps,
                        size_t n_arguments, wi_run *out)
{
    size_t n = n_arguments + recorded->n_constants + recorded->n_outs;
    size_t n_args = 0;
    wi_operand *operand = NULL;

    *out = (wi_run){.context = context, .recorded = recorded, .steps = steps};
    for (size_t b = 0; b < recorded->n_bodies; b++) n += 2 * (size_t)recorded->bodies[b].n_carries;
    for (size_t s = 0; s < steps->count; s++) {
        const size_t most = 4 + 2 * steps->items[s].n_slots;
        if (most > n_args) n_args = most;
    }
    out->operands = wi_calloc(n + 1, sizeof(wi_operand));
    out->bodies = wi_calloc(recorded->n_bodies, sizeof(wi_running));
    out->args = wi_calloc(n_args + 1, sizeof(wi_arg));
    if (out->operands == NULL || out->bodies == NULL || out->args == NULL) {
        wi_run_fini(out);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_prepare", "no host memory for calls");
    }
    operand = out->operands;
    out->argument_operands = operand;
    out->constant_operands = out->argument_operands + n_arguments;
    out->out_operands = out->constant_operands + recorded->n_constants;
    operand = out->out_operands + recorded->n_outs;
    for (size_t b = 0; b < recorded->n_bodies; b++) {
        const uint32_t carries = recorded->bodies[b].n_carries;

        if (carries == 0) continue;
        out->bodies[b].now = operand;
        out->bodies[b].next = operand + carries;
        operand += 2 * (size_t)carries;
    }
    return WEIR_OK;
}

void wi_run_fini(wi_run *run)
{
    wi_free(run->operands);
    wi_free(run->bodies);
    wi_free(run->args);
    *run = (wi_run){0};
}

static wi_operand in_arena(const wi_run *run, uint64_t offset_bytes)
{
    wi_operand operand = run->arena;

    operand.place.offset_bytes += offset_bytes;
    return operand;
}

/* A view of what `source` says. */
/* NOLINTNEXTLINE(misc-no-recursion): views are few (VIEWS_MAX) */
static wi_operand find_view(const wi_run *run, const wi_term *term)
{
    const wi_term *input = &run->recorded->terms[term->inputs[0]];
    wi_operand operand = wi_run_find(run, term->inputs[0]);
    int64_t strides[WEIR_RANK_MAX];

    if (term->op->view == WI_VIEW_RESHAPE) return operand;
    if (term->op->view == WI_VIEW_EXPAND) {
        wi_operand_broadcast(&operand, &input->shape, &term->shape);
        return operand;
    }
    if (operand.is_strided)
        memcpy(strides, operand.strides, sizeof strides);
    else
        wi_shape_strides(&input->shape, strides);
    for (unsigned i = 0; i < term->shape.rank; i++) operand.strides[i] = strides[term->axes[i]];
    operand.is_strided = 1;
    return operand;
}

/* NOLINTNEXTLINE(misc-no-recursion): views are few (VIEWS_MAX) */
wi_operand wi_run_find(const wi_run *run, uint32_t id)
{
    const wi_term *term = &run->recorded->terms[id];

    if (term->kind == WI_TERM_VIEW) return find_view(run, term);
    switch (term->place) {
    case WI_PLACE_CALL:
        return term->kind == WI_TERM_ARGUMENT ? run->argument_operands[term->at]
                                              : run->constant_operands[term->at];
    case WI_PLACE_OUT:
        return run->out_operands[term->place_at];
    case WI_PLACE_CARRY:
        return run->bodies[term->loop].now[term->at];
    case WI_PLACE_NEXT:
        return run->bodies[term->loop].next[term->place_at];
    case WI_PLACE_ARENA:
        return in_arena(run, term->offset_bytes);
    case WI_PLACE_NONE:
        break;
    }
    return (wi_operand){0};
}

static weir_status run_copy(wi_run *run, uint32_t id)
{
    const wi_term *term = &run->recorded->terms[id];
    const wi_term *input = &run->recorded->terms[term->inputs[0]];
    const wi_operand out = wi_run_find(run, id);
    wi_operand from = wi_run_find(run, term->inputs[0]);

    if (term->count == 0) return WEIR_OK;
    if (!weir_shape_equal(&input->shape, &term->shape)) {
        if (input->count == term->count && !from.is_strided) /* a reshape's source */
            return wi_context_copy(run->context, &from.place, &out.place, wi_term_bytes(term));
        wi_operand_broadcast(&from, &input->shape, &term->shape);
    }
    if (!from.is_strided) {
        return wi_context_copy(run->context, &from.place, &out.place, wi_term_bytes(term));
    }
    return wi_copy_write(weir_dtype_bytes(term->dtype))(run->context, &from, &term->shape,
                                                        &out.place, term->count);
}

static weir_status run_sum(wi_run *run, const wi_step *step)
{
    const wi_term *term = &run->recorded->terms[step->members[0]];
    const wi_term *input = &run->recorded->terms[term->inputs[0]];
    const wi_operand x = wi_run_find(run, term->inputs[0]);
    const wi_operand out = wi_run_find(run, step->members[0]);
    const wi_operand scratch = in_arena(run, step->scratch_offset);
    wi_sum_plan plan;

    wi_sum_plan_make(&input->shape, term->axes, term->n_axes, &plan);
    return wi_sum_launch(run->context, &plan, &input->shape, &x, &scratch, &out, 0);
}

static weir_status run_fill(wi_run *run, uint32_t id)
{
    static const unsigned char zeros[16] = {0};
    const wi_term *term = &run->recorded->terms[id];
    const wi_operand out = wi_run_find(run, id);

    return wi_context_fill(run->context, &out.place, wi_term_bytes(term), zeros,
                           weir_dtype_bytes(term->dtype));
}

static weir_status run_body(wi_run *run, uint32_t body_id);

/* Without trips the result is the start. */
static weir_status copy_starts(wi_run *run, const wi_body *body)
{
    weir_status status = WEIR_OK;

    for (uint32_t c = 0; c < body->n_carries && status == WEIR_OK; c++) {
        const wi_term *result = &run->recorded->terms[body->outs[c]];

        if (!run->recorded->terms[body->carries[c]].is_live || body->results[c] == body->carries[c])
            continue;
        const wi_operand from = wi_run_find(run, body->inits[c]);
        const wi_operand out = wi_run_find(run, body->outs[c]);
        status = wi_context_copy(run->context, &from.place, &out.place, wi_term_bytes(result));
    }
    return status;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static weir_status run_loop(wi_run *run, uint32_t loop)
{
    const wi_body *body = &run->recorded->bodies[loop];
    const uint64_t trips = wi_run_trips(run, loop);
    wi_running *running = &run->bodies[loop];
    weir_status status = WEIR_OK;

    if (trips == 0) return copy_starts(run, body);
    for (size_t g = 0; g < run->recorded->n_generators; g++) {
        running->numbers[g] =
            wi_run_number(run, body->parent, (uint32_t)g, body->number) + body->before[g];
    }
    for (uint32_t c = 0; c < body->n_carries; c++) {
        if (run->recorded->terms[body->carries[c]].is_live)
            running->now[c] = wi_run_find(run, body->inits[c]);
    }
    for (uint64_t trip = 0; trip < trips && status == WEIR_OK; trip++) {
        running->trip = trip;
        for (uint32_t c = 0; c < body->n_carries; c++) {
            if (!run->recorded->terms[body->carries[c]].is_live ||
                body->results[c] == body->carries[c])
                continue;
            running->next[c] = (trips - trip) % 2 == 1 ? wi_run_find(run, body->outs[c])
                                                       : in_arena(run, body->other_offsets[c]);
        }
        status = run_body(run, loop);
        for (size_t g = 0; g < run->recorded->n_generators; g++) {
            running->numbers[g] =
                wi_run_number(run, loop, (uint32_t)g, body->n_loops) + body->draws[g];
        }
        for (uint32_t c = 0; c < body->n_carries; c++) {
            if (body->results[c] != body->carries[c]) running->now[c] = running->next[c];
        }
    }
    running->trip = 0;
    return status;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static weir_status run_step(wi_run *run, wi_step *step)
{
    switch (step->kind) {
    case WI_STEP_KERNEL:
        return wi_run_kernel(run, step);
    case WI_STEP_LOOP:
        return run_loop(run, step->loop);
    case WI_STEP_COPY:
        return run_copy(run, step->members[0]);
    case WI_STEP_SUM:
        return run_sum(run, step);
    case WI_STEP_FILL:
        break;
    }
    return run_fill(run, step->members[0]);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static weir_status run_body(wi_run *run, uint32_t body_id)
{
    const wi_body *body = &run->recorded->bodies[body_id];
    weir_status status = WEIR_OK;

    for (uint32_t i = 0; i < body->n_steps && status == WEIR_OK; i++) {
        status = run_step(run, &run->steps->items[body->steps[i]]);
    }
    return status;
}

weir_status wi_run_all(wi_run *run)
{
    for (size_t g = 0; g < run->recorded->n_generators; g++) {
        run->bodies[WI_FUNCTION_BODY].numbers[g] = run->recorded->generators[g].start;
    }
    return run_body(run, WI_FUNCTION_BODY);
}
