/* What is needed, and which loops fit into a kernel.
 *
 * Needed is what the results depend on. A carry is needed if something needs its result or, inside the body, its
 * present value; it then needs its start and what the body returns for it. Marking goes from term to term with a stack
 * of its own, so a chain of any length needs no recursion. Draws that nobody needs still count: their numbers are kept
 * by the bodies.
 *
 * A loop fits into a kernel if element e of every value in its body depends on elements e alone: then each work-item
 * keeps its elements in registers from the first trip to the last. Locking: none.
 */
#include "func/steps.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

typedef struct stack {
    uint32_t *terms;
    size_t count;
    size_t room;
} stack;

static weir_status push(wi_recorded *recorded, stack *waiting, uint32_t term)
{
    void *terms = waiting->terms;

    if (recorded->terms[term].is_live) return WEIR_OK;
    if (!wi_reserve(&terms, &waiting->room, waiting->count, sizeof term)) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture",
                       "no host memory to look through %zu terms", recorded->n_terms);
    }
    waiting->terms = terms;
    recorded->terms[term].is_live = 1;
    waiting->terms[waiting->count++] = term;
    return WEIR_OK;
}

/* Carry i of a loop is needed. */
static weir_status push_carry(wi_recorded *recorded, stack *waiting, uint32_t loop, uint32_t i)
{
    const wi_body *body = &recorded->bodies[loop];
    weir_status status = push(recorded, waiting, body->term);

    if (status == WEIR_OK) status = push(recorded, waiting, body->inits[i]);
    if (status == WEIR_OK) status = push(recorded, waiting, body->carries[i]);
    if (status == WEIR_OK) status = push(recorded, waiting, body->results[i]);
    return status == WEIR_OK ? push(recorded, waiting, body->outs[i]) : status;
}

weir_status wi_mark_live(wi_recorded *recorded)
{
    stack waiting = {0};
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < recorded->n_outs && status == WEIR_OK; i++) {
        status = push(recorded, &waiting, recorded->outs[i]);
    }
    while (status == WEIR_OK && waiting.count > 0) {
        const wi_term term = recorded->terms[waiting.terms[--waiting.count]];

        for (uint32_t i = 0; i < term.n_inputs && status == WEIR_OK; i++) {
            status = push(recorded, &waiting, term.inputs[i]);
        }
        if (status == WEIR_OK && (term.kind == WI_TERM_CARRY || term.kind == WI_TERM_RESULT)) {
            status = push_carry(recorded, &waiting, term.loop, term.at);
        }
    }
    wi_free(waiting.terms);
    return status;
}

weir_status wi_loop_externals(const wi_recorded *recorded, uint32_t loop,
                              weir_status (*visit)(void *user, uint32_t term), void *user)
{
    const wi_body *body = &recorded->bodies[loop];
    weir_status status = WEIR_OK;

    for (uint32_t c = 0; c < body->n_carries && status == WEIR_OK; c++) {
        if (recorded->terms[body->carries[c]].is_live) status = visit(user, body->inits[c]);
    }
    for (uint32_t n = body->carries[0]; n < body->term && status == WEIR_OK; n++) {
        const wi_term *term = &recorded->terms[n];
        const wi_body *own = &recorded->bodies[term->body];

        if (!term->is_live || !wi_body_is_within(recorded, term->body, loop)) continue;
        for (uint32_t i = 0; i < term->n_inputs && status == WEIR_OK; i++) {
            if (!wi_body_is_within(recorded, recorded->terms[term->inputs[i]].body, loop)) {
                status = visit(user, term->inputs[i]);
            }
        }
        if (term->kind != WI_TERM_CARRY || term->loop == loop || status != WEIR_OK) continue;
        if (!wi_body_is_within(recorded, recorded->terms[own->inits[term->at]].body, loop)) {
            status = visit(user, own->inits[term->at]);
        }
    }
    return status;
}

/* 1 if a term of a body may be computed element by element with `count` elements. */
static int is_lane_local(const wi_recorded *recorded, const wi_term *term, uint64_t count)
{
    switch (term->kind) {
    case WI_TERM_LOOP:
        return recorded->bodies[term->loop].is_inside;
    case WI_TERM_FILL:
    case WI_TERM_SCALAR:
        return term->dtype == WEIR_DTYPE_F32;
    case WI_TERM_CARRY:
    case WI_TERM_RESULT:
    case WI_TERM_DRAW:
    case WI_TERM_ELEMENTWISE:
        return term->dtype == WEIR_DTYPE_F32 && term->count == count;
    case WI_TERM_ARGUMENT:
    case WI_TERM_CONSTANT:
    case WI_TERM_VIEW:
    case WI_TERM_COPY:
    case WI_TERM_SUM:
        break;
    }
    return 0;
}

static weir_status count_external(void *user, uint32_t term)
{
    (void)term;
    ++*(size_t *)user;
    return WEIR_OK;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
uint64_t wi_loop_iterations(const wi_recorded *recorded, uint32_t loop)
{
    uint64_t iterations = 1;

    for (size_t b = loop + (size_t)1; b < recorded->n_bodies; b++) {
        const wi_body *inner = &recorded->bodies[b];
        uint64_t all = 0;

        if (inner->parent != loop ||
            (inner->trips.kind == WI_SCALAR_NUMBER && inner->trips.value <= 0))
            continue;
        if (inner->trips.kind != WI_SCALAR_NUMBER ||
            !wi_mul_u64((uint64_t)inner->trips.value, wi_loop_iterations(recorded, (uint32_t)b),
                        &all) ||
            !wi_add_u64(iterations, all, &iterations)) {
            return UINT64_MAX;
        }
    }
    return iterations;
}

void wi_mark_inside(wi_recorded *recorded, size_t externals_max, uint32_t loop_trips_max)
{
    for (size_t b = recorded->n_bodies; b-- > 1;) { /* inner loops have larger numbers */
        wi_body *body = &recorded->bodies[b];
        uint64_t count = 0;
        size_t externals = 0;
        int fits = recorded->terms[body->term].is_live;

        if (loop_trips_max != UINT32_MAX &&
            wi_loop_iterations(recorded, (uint32_t)b) > loop_trips_max / 4)
            fits = 0;

        body->is_inside = 0;
        for (uint32_t c = 0; c < body->n_carries; c++) {
            if (!recorded->terms[body->carries[c]].is_live) continue;
            count = recorded->terms[body->carries[c]].count;
            externals++;
        }
        for (size_t n = body->carries[0]; fits && n < body->term; n++) {
            const wi_term *term = &recorded->terms[n];

            if (term->is_live && term->body == b) fits = is_lane_local(recorded, term, count);
        }
        if (!fits) continue;
        (void)wi_loop_externals(recorded, (uint32_t)b, count_external, &externals);
        body->is_inside = externals <= externals_max;
    }
}
