/* The tables of a capture: they only grow, and go as a whole. Numbers instead of pointers survive the growth. Locking:
 * none; a capture is one thread's, and afterwards the tables are read only. */
#include "func/recorded.h"

#include "base/memory.h"
#include "base/status.h"

#include <assert.h>
#include <string.h>

int wi_reserve(void **array, size_t *room, size_t count, size_t bytes)
{
    const size_t wanted = *room == 0 ? 16 : *room * 2;
    void *grown = NULL;

    if (count < *room) return 1;
    if (wanted > SIZE_MAX / bytes) return 0;
    grown = wi_realloc(*array, wanted * bytes);
    if (grown == NULL) return 0;
    *array = grown;
    *room = wanted;
    return 1;
}

static weir_status fail_memory(void)
{
    return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture",
                   "no host memory for what is recorded");
}

weir_status wi_recorded_add(wi_recorded *recorded, const wi_term *term, uint32_t *out)
{
    void *terms = recorded->terms;

    *out = WI_NO_TERM;
    if (!wi_reserve(&terms, &recorded->terms_room, recorded->n_terms, sizeof *term))
        return fail_memory();
    recorded->terms = terms;
    *out = (uint32_t)recorded->n_terms;
    recorded->terms[recorded->n_terms] = *term;
    recorded->terms[recorded->n_terms].step = WI_NO_STEP;
    recorded->terms[recorded->n_terms].dense = WI_NO_TERM;
    recorded->n_terms++;
    return WEIR_OK;
}

weir_status wi_recorded_add_body(wi_recorded *recorded, uint32_t parent, uint32_t n, uint32_t *out)
{
    void *bodies = recorded->bodies;
    wi_body body = {.parent = parent, .term = WI_NO_TERM, .n_carries = n};
    uint32_t *ids = NULL;

    *out = WI_NO_TERM;
    if (!wi_reserve(&bodies, &recorded->bodies_room, recorded->n_bodies, sizeof body))
        return fail_memory();
    recorded->bodies = bodies;
    if (n > 0) {
        ids = wi_malloc(4 * (size_t)n * sizeof *ids);
        if (ids == NULL) return fail_memory();
        for (size_t i = 0; i < 4 * (size_t)n; i++) ids[i] = WI_NO_TERM;
        body.inits = ids;
        body.carries = ids + n;
        body.results = ids + 2 * (size_t)n;
        body.outs = ids + 3 * (size_t)n;
    }
    *out = (uint32_t)recorded->n_bodies;
    recorded->bodies[recorded->n_bodies++] = body;
    return WEIR_OK;
}

void wi_recorded_fini(wi_recorded *recorded)
{
    for (size_t i = 0; i < recorded->n_bodies; i++) {
        wi_free(recorded->bodies[i].inits);
        wi_free(recorded->bodies[i].steps);
        wi_free(recorded->bodies[i].other_offsets);
    }
    for (size_t i = 0; i < recorded->n_constants; i++) weir_tensor_release(recorded->constants[i]);
    wi_free(recorded->bodies);
    wi_free(recorded->terms);
    wi_free(recorded->constants);
    wi_free(recorded->constant_terms);
    wi_free(recorded->outs);
    memset(recorded, 0, sizeof *recorded);
}

int wi_body_is_within(const wi_recorded *recorded, uint32_t inner, uint32_t outer)
{
    while (inner > outer)
        inner = recorded->bodies[inner].parent; /* a parent has a smaller number */
    return inner == outer;
}

uint64_t wi_term_bytes(const wi_term *term) { return term->count * weir_dtype_bytes(term->dtype); }

int wi_term_is_uniform(const wi_term *term)
{
    return term->kind == WI_TERM_FILL || term->kind == WI_TERM_SCALAR;
}

void wi_recorded_check(const wi_recorded *recorded)
{
    assert(recorded->n_bodies > 0 && recorded->n_terms <= recorded->terms_room);
    for (size_t i = 0; i < recorded->n_terms; i++) {
        const wi_term *term = &recorded->terms[i];

        assert(term->kind == WI_TERM_LOOP || term->count == weir_shape_count(&term->shape));
        for (uint32_t k = 0; k < term->n_inputs; k++) {
            assert(term->inputs[k] < i);
            assert(wi_body_is_within(recorded, term->body, recorded->terms[term->inputs[k]].body));
        }
        assert(term->place != WI_PLACE_ARENA || term->is_stored);
        (void)term;
    }
    for (size_t i = 1; i < recorded->n_bodies; i++) {
        const wi_body *body = &recorded->bodies[i];

        assert(body->parent < i && recorded->terms[body->term].kind == WI_TERM_LOOP);
        (void)body;
    }
}
