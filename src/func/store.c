/* Finds which values need memory, and of what kind: what a step other than its own reads, and what the call returns.
 *
 * A result of the function is written where the caller gets it; a carry of a loop that runs launch by launch is written
 * where the next trip reads it; everything else that is stored goes to the arena. Locking: none.
 */
#include "func/steps.h"

uint32_t wi_root(const wi_recorded *recorded, uint32_t term)
{
    while (recorded->terms[term].kind == WI_TERM_VIEW) term = recorded->terms[term].inputs[0];
    return term;
}

/* `reader` is the step that reads. */
static void read_term(wi_recorded *recorded, uint32_t id, uint32_t reader)
{
    wi_term *term = &recorded->terms[wi_root(recorded, id)];

    if (term->step != WI_NO_STEP && term->step != reader) term->is_stored = 1;
}

static void read_inputs(wi_recorded *recorded, const wi_term *term)
{
    if (term->kind == WI_TERM_VIEW) return; /* its readers read */
    for (uint32_t i = 0; i < term->n_inputs; i++) {
        if (wi_term_is_uniform(&recorded->terms[term->inputs[i]]) &&
            term->kind == WI_TERM_ELEMENTWISE)
            continue;
        read_term(recorded, term->inputs[i], term->step);
    }
}

/* What a loop reads and writes. A loop in a kernel stores its carries too: the next piece of it starts from them. */
static void store_loop(wi_recorded *recorded, const wi_term *term)
{
    const wi_body *body = &recorded->bodies[term->loop];

    for (uint32_t c = 0; c < body->n_carries; c++) {
        const wi_term *init = &recorded->terms[body->inits[c]];

        if (!recorded->terms[body->carries[c]].is_live) continue;
        if (!body->is_inside || !wi_term_is_uniform(init))
            read_term(recorded, body->inits[c], term->step);
        if (recorded->bodies[term->body].is_inside)
            continue; /* within another loop of its kernel */
        recorded->terms[body->outs[c]].is_stored = 1;
        if (!body->is_inside) recorded->terms[body->results[c]].is_stored = 1;
    }
}

static void place_term(wi_term *term)
{
    if (term->kind == WI_TERM_ARGUMENT || term->kind == WI_TERM_CONSTANT)
        term->place = WI_PLACE_CALL;
    else if (term->kind == WI_TERM_CARRY)
        term->place = WI_PLACE_CARRY;
    else
        term->place = term->is_stored ? WI_PLACE_ARENA : WI_PLACE_NONE;
}

void wi_mark_stored(wi_recorded *recorded, const wi_steps *steps)
{
    for (size_t i = 0; i < recorded->n_terms; i++) {
        const wi_term *term = &recorded->terms[i];

        if (!term->is_live) continue;
        read_inputs(recorded, term);
        if (term->kind == WI_TERM_LOOP) store_loop(recorded, term);
    }
    for (size_t i = 0; i < recorded->n_outs; i++)
        read_term(recorded, recorded->outs[i], WI_NO_STEP - 1);
    for (size_t s = 0; s < steps->count; s++) {
        if (steps->items[s].kind != WI_STEP_KERNEL && steps->items[s].kind != WI_STEP_LOOP) {
            recorded->terms[steps->items[s].members[0]].is_stored = 1;
        }
    }
    for (size_t i = 0; i < recorded->n_terms; i++) place_term(&recorded->terms[i]);
    for (size_t b = 1; b < recorded->n_bodies; b++) {
        const wi_body *body = &recorded->bodies[b];

        for (uint32_t c = 0; !body->is_inside && c < body->n_carries; c++) {
            wi_term *result = &recorded->terms[body->results[c]];

            if (!recorded->terms[body->carries[c]].is_live) continue;
            result->place = WI_PLACE_NEXT;
            result->place_at = c;
            result->loop = (uint32_t)b;
        }
    }
    for (size_t i = recorded->n_outs;
         i-- > 0;) { /* of equal terms the first is the one that is written */
        wi_term *out = &recorded->terms[recorded->outs[i]];

        if (out->place != WI_PLACE_ARENA && out->place != WI_PLACE_OUT) continue;
        out->place = WI_PLACE_OUT;
        out->place_at = (uint32_t)i;
    }
}
