/* Places what is stored in the function's arena.
 *
 * Time is the number of a step in the order of the first trip. A value is needed from its own step to its last reader;
 * one that a loop reads from outside is needed to the loop's end, since every trip reads it. Each carry of a loop that
 * runs launch by launch has two places that trips write by turns: its result, which stays until its last reader, and
 * another, which goes with the loop. So the arena has one size whatever the trips. Locking: none.
 */
#include "func/steps.h"

#include "base/memory.h"
#include "base/status.h"
#include "plan/pack.h"

/* Blocks: one for each term, then the other places of carries, body by body, then the scratch of each step. */
typedef struct layout {
    wi_recorded *recorded;
    wi_steps *steps;
    wi_packed *blocks;
    size_t n_blocks;
    uint64_t now;
} layout;

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static void set_times(layout *at, uint32_t body_id)
{
    wi_body *body = &at->recorded->bodies[body_id];

    body->begin = at->now++;
    for (uint32_t i = 0; i < body->n_steps; i++) {
        wi_step *step = &at->steps->items[body->steps[i]];

        step->time = at->now++;
        if (step->kind == WI_STEP_LOOP) set_times(at, step->loop);
    }
    body->end = at->now++;
}

/* The value of `id` is read by a step of body `reader`. */
static void extend(layout *at, uint32_t id, uint32_t reader, uint64_t time)
{
    const wi_recorded *recorded = at->recorded;
    const uint32_t root = wi_root(recorded, id);
    wi_packed *block = &at->blocks[root];

    while (reader != recorded->terms[root].body && reader > recorded->terms[root].body) {
        time = recorded->bodies[reader].end;
        reader = recorded->bodies[reader].parent;
    }
    if (time > block->last) block->last = time;
}

/* What a term reads, at the time of its step. */
static void extend_inputs(layout *at, const wi_term *term)
{
    const wi_step *step = NULL;

    if (term->step == WI_NO_STEP || term->kind == WI_TERM_VIEW) return;
    step = &at->steps->items[term->step];
    for (uint32_t i = 0; i < term->n_inputs; i++)
        extend(at, term->inputs[i], step->body, step->time);
    if (term->kind != WI_TERM_LOOP) return;
    for (uint32_t c = 0; c < at->recorded->bodies[term->loop].n_carries; c++) {
        const wi_body *body = &at->recorded->bodies[term->loop];
        const uint64_t until = body->is_inside ? step->time : body->end;

        if (at->recorded->terms[body->carries[c]].is_live)
            extend(at, body->inits[c], step->body, until);
    }
}

/* Memory for the terms; `first` is when each is written. */
static void add_terms(layout *at)
{
    for (size_t i = 0; i < at->recorded->n_terms; i++) {
        const wi_term *term = &at->recorded->terms[i];
        wi_packed *block = &at->blocks[i];

        if (!term->is_live || term->place != WI_PLACE_ARENA) continue;
        block->bytes = wi_term_bytes(term);
        block->first = at->steps->items[term->step].time;
        block->last = block->first;
        if (term->kind == WI_TERM_RESULT && !at->recorded->bodies[term->loop].is_inside)
            block->last = at->recorded->bodies[term->loop].end;
    }
    for (size_t i = 0; i < at->recorded->n_terms; i++) {
        if (at->recorded->terms[i].is_live) extend_inputs(at, &at->recorded->terms[i]);
    }
}

static weir_status add_carries(layout *at, size_t *n)
{
    for (size_t b = 1; b < at->recorded->n_bodies; b++) {
        wi_body *body = &at->recorded->bodies[b];

        if (body->is_inside || body->n_carries == 0) continue;
        wi_free(body->other_offsets);
        body->other_offsets = wi_calloc(body->n_carries, sizeof(uint64_t));
        if (body->other_offsets == NULL) {
            return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%u carries",
                           body->n_carries);
        }
        for (uint32_t c = 0; c < body->n_carries; c++, ++*n) {
            const wi_term *carry = &at->recorded->terms[body->carries[c]];

            if (!carry->is_live || body->results[c] == body->carries[c]) continue;
            at->blocks[*n] = (wi_packed){wi_term_bytes(carry), body->begin, body->end, 0};
        }
    }
    return WEIR_OK;
}

static void read_offsets(layout *at)
{
    size_t n = at->recorded->n_terms;

    for (size_t i = 0; i < at->recorded->n_terms; i++) {
        at->recorded->terms[i].offset_bytes = at->blocks[i].offset_bytes;
    }
    for (size_t b = 1; b < at->recorded->n_bodies; b++) {
        const wi_body *body = &at->recorded->bodies[b];

        for (uint32_t c = 0; !body->is_inside && c < body->n_carries; c++) {
            body->other_offsets[c] = at->blocks[n++].offset_bytes;
        }
    }
    for (size_t s = 0; s < at->steps->count; s++) {
        at->steps->items[s].scratch_offset = at->blocks[n++].offset_bytes;
    }
}

weir_status wi_steps_layout(wi_recorded *recorded, uint64_t align_bytes, wi_steps *steps)
{
    layout at = {
        .recorded = recorded, .steps = steps, .n_blocks = recorded->n_terms + steps->count};
    size_t n = recorded->n_terms;
    weir_status status = WEIR_OK;

    for (size_t b = 1; b < recorded->n_bodies; b++) at.n_blocks += recorded->bodies[b].n_carries;
    at.blocks = wi_calloc(at.n_blocks, sizeof(wi_packed));
    if (at.blocks == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture",
                       "no host memory to place %zu values", at.n_blocks);
    }
    set_times(&at, WI_FUNCTION_BODY);
    add_terms(&at);
    status = add_carries(&at, &n);
    for (size_t s = 0; s < steps->count && status == WEIR_OK; s++) {
        at.blocks[n++] = (wi_packed){steps->items[s].scratch_bytes, steps->items[s].time,
                                     steps->items[s].time, 0};
    }
    if (status == WEIR_OK) status = wi_pack(at.blocks, n, align_bytes, &steps->arena_bytes);
    if (status == WEIR_OK) read_offsets(&at);
    wi_free(at.blocks);
    return status;
}
