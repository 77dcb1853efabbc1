/* Gathers terms into kernels.
 *
 * Node by term in the order of recording: a term joins the first kernel of its body that runs no earlier than the steps
 * of its inputs and has as many elements; without one it begins a kernel. Terms are pure and steps are in one order, so
 * joining an earlier kernel is always allowed. Draws wait for their first reader and are computed there; numbers that
 * are the same everywhere are parameters of every kernel that uses them. A kernel has one loop at most, so that its
 * launch can be cut into pieces by trips. Locking: none.
 */
#include "func/steps.h"

#include "base/memory.h"
#include "base/status.h"
#include "ops/sum.h"

typedef struct gathering {
    wi_recorded *recorded;
    wi_steps *steps;
    size_t externals_max;
    size_t members_max;
    uint32_t *inputs; /* of the loop that is placed */
    size_t n_inputs;
    size_t inputs_room;
} gathering;

static weir_status fail_memory(void)
{
    return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "no host memory for steps");
}

static weir_status add_step(gathering *at, wi_step_kind kind, uint32_t body_id, uint64_t count,
                            uint32_t *out)
{
    wi_body *body = &at->recorded->bodies[body_id];
    void *items = at->steps->items;
    uint32_t *grown = NULL;

    if (!wi_reserve(&items, &at->steps->room, at->steps->count, sizeof(wi_step)))
        return fail_memory();
    at->steps->items = items;
    if ((body->n_steps & (body->n_steps - 1)) == 0) { /* room is the next power of two */
        grown = wi_realloc(body->steps,
                           (body->n_steps == 0 ? 1 : 2 * (size_t)body->n_steps) * sizeof *grown);
        if (grown == NULL) return fail_memory();
        body->steps = grown;
    }
    *out = (uint32_t)at->steps->count;
    at->steps->items[at->steps->count++] =
        (wi_step){.kind = kind, .body = body_id, .count = count, .loop = WI_NO_TERM};
    body->steps[body->n_steps++] = *out;
    return WEIR_OK;
}

/* Adds a member, in ascending order. */
static weir_status add_member(gathering *at, uint32_t step_id, uint32_t term)
{
    wi_step *step = &at->steps->items[step_id];
    void *members = step->members;
    size_t i = 0;

    if (!wi_reserve(&members, &step->members_room, step->n_members, sizeof term))
        return fail_memory();
    step->members = members;
    for (i = step->n_members; i > 0 && step->members[i - 1] > term; i--)
        step->members[i] = step->members[i - 1];
    step->members[i] = term;
    step->n_members++;
    at->recorded->terms[term].step = step_id;
    return WEIR_OK;
}

static weir_status add_single(gathering *at, wi_step_kind kind, uint32_t term)
{
    uint32_t step = WI_NO_STEP;
    const weir_status status =
        add_step(at, kind, at->recorded->terms[term].body, at->recorded->terms[term].count, &step);

    return status == WEIR_OK ? add_member(at, step, term) : status;
}

/* What a term asks of the kernel it joins. */
typedef struct wish {
    uint32_t body;
    uint64_t count;
    uint32_t earliest; /* step; WI_NO_STEP: any */
    const uint32_t *inputs;
    size_t n_inputs;
    int has_loop;
} wish;

static int does_load(const wi_step *step, uint32_t id)
{
    for (size_t i = 0; i < step->n_loads; i++) {
        if (step->loads[i] == id) return 1;
    }
    return 0;
}

/* 1 if the kernel would have to load a term from memory. Draws of its body join it instead. */
static int is_external(const gathering *at, uint32_t step, uint32_t id)
{
    const wi_term *term = &at->recorded->terms[id];

    if (wi_term_is_uniform(term) || term->step == step) return 0;
    return term->kind != WI_TERM_DRAW || term->step != WI_NO_STEP;
}

/* Values that a kernel would load in addition. */
static size_t count_new_loads(const gathering *at, uint32_t step, const wish *wanted)
{
    size_t count = 0;

    for (size_t i = 0; i < wanted->n_inputs; i++) {
        const uint32_t id = wanted->inputs[i];
        count += is_external(at, step, id) && !does_load(&at->steps->items[step], id) ? 1 : 0;
    }
    return count;
}

/* The kernel that a term joins; its inputs are noted there. */
static weir_status join_kernel(gathering *at, const wish *wanted, uint32_t *out)
{
    const wi_body *body = &at->recorded->bodies[wanted->body];
    weir_status status = WEIR_OK;
    wi_step *step = NULL;

    *out = WI_NO_STEP;
    for (uint32_t i = 0; i < body->n_steps && *out == WI_NO_STEP; i++) {
        step = &at->steps->items[body->steps[i]];
        if (wanted->earliest != WI_NO_STEP && body->steps[i] < wanted->earliest) continue;
        if (step->kind != WI_STEP_KERNEL || step->count != wanted->count) continue;
        if (step->loop != WI_NO_TERM && wanted->has_loop) continue;
        if (step->n_members >= at->members_max) continue;
        if (step->n_loads + count_new_loads(at, body->steps[i], wanted) > at->externals_max)
            continue;
        *out = body->steps[i];
    }
    if (*out == WI_NO_STEP) status = add_step(at, WI_STEP_KERNEL, wanted->body, wanted->count, out);
    if (status != WEIR_OK) return status;
    step = &at->steps->items[*out];
    for (size_t i = 0; i < wanted->n_inputs; i++) {
        const uint32_t id = wanted->inputs[i];
        void *loads = step->loads;

        if (!is_external(at, *out, id) || does_load(step, id)) continue;
        if (!wi_reserve(&loads, &step->loads_room, step->n_loads, sizeof id)) return fail_memory();
        step->loads = loads;
        step->loads[step->n_loads++] = id;
    }
    return WEIR_OK;
}

/* A draw or uniform term that somebody reads from memory gets a step. */
static weir_status place_source(gathering *at, uint32_t id)
{
    const uint32_t root = wi_root(at->recorded, id);
    const wi_term *term = &at->recorded->terms[root];
    const wish wanted = {.body = term->body, .count = term->count, .earliest = WI_NO_STEP};
    uint32_t step = WI_NO_STEP;
    weir_status status = WEIR_OK;

    if (term->step != WI_NO_STEP || (term->kind != WI_TERM_DRAW && !wi_term_is_uniform(term)))
        return WEIR_OK;
    if (term->dtype != WEIR_DTYPE_F32) return add_single(at, WI_STEP_FILL, root);
    status = join_kernel(at, &wanted, &step);
    return status == WEIR_OK ? add_member(at, step, root) : status;
}

static weir_status visit_source(void *user, uint32_t id)
{
    gathering *at = user;

    return wi_term_is_uniform(&at->recorded->terms[id]) ? WEIR_OK : place_source(at, id);
}

/* Moves the earliest step of a wish behind what computes its inputs. */
static void wait_for_inputs(const gathering *at, wish *wanted)
{
    for (size_t i = 0; i < wanted->n_inputs; i++) {
        const wi_term *term = &at->recorded->terms[wanted->inputs[i]];
        const wi_step *step = NULL;
        uint32_t earliest = term->step;

        if (wi_term_is_uniform(term) || term->step == WI_NO_STEP) continue;
        step = &at->steps->items[term->step];
        if (step->body != wanted->body) continue;
        if (step->kind != WI_STEP_KERNEL || step->count != wanted->count) earliest++;
        if (wanted->earliest == WI_NO_STEP || earliest > wanted->earliest)
            wanted->earliest = earliest;
    }
}

/* A term that runs in a kernel, with the draws of its body that wait for a reader. */
static weir_status place_term(gathering *at, uint32_t id, wish *wanted)
{
    uint32_t step = WI_NO_STEP;
    weir_status status = WEIR_OK;

    wait_for_inputs(at, wanted);
    status = join_kernel(at, wanted, &step);
    for (size_t i = 0; i < wanted->n_inputs && status == WEIR_OK; i++) {
        const wi_term *term = &at->recorded->terms[wanted->inputs[i]];

        if (term->kind == WI_TERM_DRAW && term->step == WI_NO_STEP && term->body == wanted->body)
            status = add_member(at, step, wanted->inputs[i]);
    }
    return status == WEIR_OK ? add_member(at, step, id) : status;
}

static weir_status place_elementwise(gathering *at, uint32_t id)
{
    const wi_term term = at->recorded->terms[id];
    wish wanted = {.body = term.body,
                   .count = term.count,
                   .earliest = WI_NO_STEP,
                   .inputs = term.inputs,
                   .n_inputs = term.n_inputs};

    return place_term(at, id, &wanted);
}

static weir_status visit_input(void *user, uint32_t id)
{
    gathering *at = user;
    void *inputs = at->inputs;

    for (size_t i = 0; i < at->n_inputs; i++) {
        if (at->inputs[i] == id) return WEIR_OK;
    }
    if (!wi_reserve(&inputs, &at->inputs_room, at->n_inputs, sizeof id)) return fail_memory();
    at->inputs = inputs;
    at->inputs[at->n_inputs++] = id;
    return WEIR_OK;
}

/* A loop that runs inside a kernel. */
static weir_status place_inside(gathering *at, uint32_t id)
{
    const wi_term term = at->recorded->terms[id];
    const wi_body *body = &at->recorded->bodies[term.loop];
    wish wanted = {.body = term.body, .earliest = WI_NO_STEP, .has_loop = 1};
    weir_status status = WEIR_OK;

    for (uint32_t c = 0; c < body->n_carries; c++) {
        if (at->recorded->terms[body->carries[c]].is_live)
            wanted.count = at->recorded->terms[body->carries[c]].count;
    }
    at->n_inputs = 0;
    status = wi_loop_externals(at->recorded, term.loop, visit_input, at);
    wanted.inputs = at->inputs;
    wanted.n_inputs = at->n_inputs;
    if (status == WEIR_OK) status = place_term(at, id, &wanted);
    if (status != WEIR_OK) return status;
    at->steps->items[at->recorded->terms[id].step].loop = term.loop;
    for (uint32_t n = body->carries[0]; n < id; n++) {
        wi_term *inner = &at->recorded->terms[n];

        if (wi_body_is_within(at->recorded, inner->body, term.loop))
            inner->step = at->recorded->terms[id].step;
    }
    return WEIR_OK;
}

/* What a loop reads from memory although it is the same number everywhere: the source of a copy or a sum, or where a
 * loop in it that runs launch by launch starts. It has to be there before the loop is. */
static weir_status place_uniforms(gathering *at, uint32_t loop)
{
    const wi_recorded *recorded = at->recorded;
    weir_status status = WEIR_OK;

    for (uint32_t n = recorded->bodies[loop].carries[0];
         n < recorded->bodies[loop].term && status == WEIR_OK; n++) {
        const wi_term *term = &recorded->terms[n];
        const wi_body *inner = term->kind == WI_TERM_LOOP ? &recorded->bodies[term->loop] : NULL;
        const uint32_t n_inputs = inner != NULL ? inner->n_carries : term->n_inputs;

        if (!term->is_live || !wi_body_is_within(recorded, term->body, loop)) continue;
        if (inner != NULL ? inner->is_inside
                          : term->kind != WI_TERM_COPY && term->kind != WI_TERM_SUM)
            continue;
        for (uint32_t i = 0; i < n_inputs && status == WEIR_OK; i++) {
            const uint32_t input =
                wi_root(recorded, inner != NULL ? inner->inits[i] : term->inputs[i]);

            if (inner != NULL && !recorded->terms[inner->carries[i]].is_live) continue;
            if (!wi_body_is_within(recorded, recorded->terms[input].body, loop))
                status = place_source(at, input);
        }
    }
    return status;
}

static weir_status gather_body(gathering *at, uint32_t body_id);

/* A loop that runs launch by launch. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static weir_status place_loop(gathering *at, uint32_t id)
{
    const uint32_t loop = at->recorded->terms[id].loop;
    const wi_body *body = &at->recorded->bodies[loop];
    weir_status status = wi_loop_externals(at->recorded, loop, visit_source, at);

    for (uint32_t c = 0; c < body->n_carries && status == WEIR_OK; c++) {
        if (at->recorded->terms[body->carries[c]].is_live)
            status = place_source(at, body->inits[c]);
    }
    if (status == WEIR_OK) status = place_uniforms(at, loop);
    if (status == WEIR_OK) status = add_single(at, WI_STEP_LOOP, id);
    if (status != WEIR_OK) return status;
    at->steps->items[at->recorded->terms[id].step].loop = loop;
    status = gather_body(at, loop);
    for (uint32_t c = 0; c < body->n_carries && status == WEIR_OK; c++) {
        if (at->recorded->terms[body->carries[c]].is_live) {
            status = place_source(at, at->recorded->bodies[loop].results[c]);
        }
    }
    return status;
}

/* A sum, with the memory that its launches need between them. */
static weir_status place_sum(gathering *at, uint32_t id)
{
    const wi_term *term = &at->recorded->terms[id];
    const wi_term *input = &at->recorded->terms[term->inputs[0]];
    wi_sum_plan plan;
    weir_status status = place_source(at, term->inputs[0]);

    if (status == WEIR_OK) status = add_single(at, WI_STEP_SUM, id);
    if (status != WEIR_OK) return status;
    wi_sum_plan_make(&input->shape, term->axes, term->n_axes, &plan);
    at->steps->items[at->recorded->terms[id].step].scratch_bytes =
        plan.scratch_count * sizeof(float);
    return WEIR_OK;
}

static weir_status place_copy(gathering *at, uint32_t id)
{
    const weir_status status = place_source(at, at->recorded->terms[id].inputs[0]);

    return status == WEIR_OK ? add_single(at, WI_STEP_COPY, id) : status;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static weir_status gather_term(gathering *at, uint32_t id)
{
    wi_term *term = &at->recorded->terms[id];

    switch (term->kind) {
    case WI_TERM_ELEMENTWISE:
        return place_elementwise(at, id);
    case WI_TERM_COPY:
        return place_copy(at, id);
    case WI_TERM_SUM:
        return place_sum(at, id);
    case WI_TERM_LOOP:
        return at->recorded->bodies[term->loop].is_inside ? place_inside(at, id)
                                                          : place_loop(at, id);
    case WI_TERM_VIEW: {
        const weir_status status = place_source(at, id);
        term->step = at->recorded->terms[wi_root(at->recorded, id)].step;
        return status;
    }
    case WI_TERM_RESULT:
        term->step = at->recorded->terms[at->recorded->bodies[term->loop].term].step;
        return WEIR_OK;
    case WI_TERM_ARGUMENT:
    case WI_TERM_CONSTANT:
    case WI_TERM_CARRY:
    case WI_TERM_FILL:
    case WI_TERM_SCALAR:
    case WI_TERM_DRAW:
        break;
    }
    return WEIR_OK;
}

/* Loops within loops recurse; each level is a body function of the user, so the depth is the user's own. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static weir_status gather_body(gathering *at, uint32_t body_id)
{
    weir_status status = WEIR_OK;
    const size_t first = body_id == WI_FUNCTION_BODY ? 0 : at->recorded->bodies[body_id].carries[0];
    const size_t end =
        body_id == WI_FUNCTION_BODY ? at->recorded->n_terms : at->recorded->bodies[body_id].term;

    for (size_t i = first; i < end && status == WEIR_OK; i++) {
        const wi_term *term = &at->recorded->terms[i];
        if (term->is_live && term->body == body_id) status = gather_term(at, (uint32_t)i);
    }
    return status;
}

weir_status wi_steps_gather(wi_recorded *recorded, size_t externals_max, size_t members_max,
                            wi_steps *steps)
{
    gathering at = {.recorded = recorded,
                    .steps = steps,
                    .externals_max = externals_max,
                    .members_max = members_max};
    weir_status status = gather_body(&at, WI_FUNCTION_BODY);

    for (size_t i = 0; i < recorded->n_outs && status == WEIR_OK; i++) {
        status = place_source(&at, recorded->outs[i]);
    }
    wi_free(at.inputs);
    return status;
}
