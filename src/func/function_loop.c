/* weir_for(): trip by trip with an ordinary context; with a recording context the body is called once and becomes a loop
 * of the function.
 *
 * What a recorded body returns must be of the carry's dtype and shape, since a trip's result is the next one's start. A
 * carry that the body hands back unchanged is not one: its result is its start. Locking: none.
 */
#include "base/memory.h"
#include "base/status.h"
#include "context/recording.h"
#include "func/capture.h"

static void release_all(weir_tensor **tensors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        weir_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

/* Compares what a body returned with the carries it got. */
static weir_status check_carries(weir_tensor *const *carries, weir_tensor *const *returned,
                                 size_t n, int is_capture)
{
    for (size_t i = 0; i < n; i++) {
        const weir_shape *shape = weir_tensor_get_shape(carries[i]);
        const weir_dtype dtype = weir_tensor_get_dtype(carries[i]);
        char wanted[192];
        char given[192];

        if (returned[i] == NULL) {
            return wi_fail(is_capture ? WEIR_E_CAPTURE : WEIR_E_ARG, "weir_for",
                           "the body left carry %zu empty", i);
        }
        if (weir_tensor_get_dtype(returned[i]) != dtype) {
            return wi_fail(is_capture ? WEIR_E_CAPTURE : WEIR_E_DTYPE, "weir_for",
                           "carry %zu is %s, the body returned %s", i, weir_dtype_name(dtype),
                           weir_dtype_name(weir_tensor_get_dtype(returned[i])));
        }
        if (!weir_shape_equal(weir_tensor_get_shape(returned[i]), shape)) {
            return wi_fail(
                is_capture ? WEIR_E_CAPTURE : WEIR_E_SHAPE, "weir_for",
                "carry %zu is %s, the body returned %s", i,
                weir_shape_format(shape, wanted, sizeof wanted),
                weir_shape_format(weir_tensor_get_shape(returned[i]), given, sizeof given));
        }
    }
    return WEIR_OK;
}

/* Trip by trip. `outs` holds the carries of the present trip. */
static weir_status run_eager(weir_context *context, int64_t trips, weir_for_body *run, void *user,
                             weir_tensor *const *carries_in, size_t n, weir_tensor **outs)
{
    weir_tensor **next = wi_calloc(n, sizeof(weir_tensor *));
    weir_status status = WEIR_OK;

    if (next == NULL) return wi_fail(WEIR_E_HOST_MEMORY, "weir_for", "%zu carries", n);
    for (size_t i = 0; i < n; i++) outs[i] = weir_tensor_retain(carries_in[i]);
    for (int64_t trip = 0; trip < trips && status == WEIR_OK; trip++) {
        status = run(context, weir_scalar_of(trip), outs, next, user);
        if (status == WEIR_OK) status = check_carries(outs, next, n, 0);
        for (size_t i = 0; i < n && status == WEIR_OK; i++) {
            weir_tensor_release(outs[i]);
            outs[i] = next[i];
            next[i] = NULL;
        }
        release_all(next, n);
    }
    if (status != WEIR_OK) release_all(outs, n);
    wi_free(next);
    return status;
}

weir_status weir_for(weir_context *context, weir_scalar trips, weir_for_body *body, void *user,
                     weir_tensor *const *carries_in, size_t n, weir_tensor **outs)
{
    wi_capture *capture = NULL;

    for (size_t i = 0; outs != NULL && i < n; i++) outs[i] = NULL;
    if (context == NULL || body == NULL || carries_in == NULL || outs == NULL || n == 0 ||
        n > WI_CARRIES_MAX) {
        return wi_fail(WEIR_E_ARG, "weir_for",
                       "context, body, carries_in, outs and 1 to %d carries are required, not %zu",
                       WI_CARRIES_MAX, n);
    }
    for (size_t i = 0; i < n; i++) {
        if (carries_in[i] == NULL)
            return wi_fail(WEIR_E_ARG, "weir_for", "carry %zu is missing", i);
    }
    if (wi_context_is_recording(context)) {
        capture = wi_context_get_capture(context);
        if (capture == NULL)
            return wi_fail(WEIR_E_CAPTURE, "weir_for", "the capture of this context has ended");
        return wi_capture_loop(capture, trips, body, user, carries_in, n, outs);
    }
    if (trips.symbol != 0) {
        return wi_fail(WEIR_E_CAPTURE, "weir_for",
                       "the scalar of a capture has no number outside of it");
    }
    for (size_t i = 0; i < n; i++) {
        if (weir_tensor_get_context(carries_in[i]) != wi_context_get_base(context)) {
            return wi_fail(WEIR_E_CONTEXT, "weir_for", "carry %zu belongs to another context", i);
        }
    }
    return run_eager(context, trips.value, body, user, carries_in, n, outs);
}

/* The start of a carry as a term of the carry's own shape; of a reshaped tensor a copy, which is needed only if the carry
 * turns out to be none. */
static weir_status find_shaped(wi_capture *capture, weir_tensor *carry, uint32_t init,
                               uint32_t *out)
{
    wi_recorded *recorded = &capture->recorded;
    wi_term copy = {.kind = WI_TERM_ELEMENTWISE, .op = &wi_op_copy, .n_inputs = 1};

    *out = init;
    if (weir_shape_equal(&recorded->terms[init].shape, weir_tensor_get_shape(carry)))
        return WEIR_OK;
    copy.inputs[0] = init;
    copy.body = capture->body;
    copy.dtype = weir_tensor_get_dtype(carry);
    copy.shape = *weir_tensor_get_shape(carry);
    copy.count = weir_tensor_get_count(carry);
    if (copy.dtype != WEIR_DTYPE_F32) copy.kind = WI_TERM_COPY;
    return wi_recorded_add(recorded, &copy, out);
}

/* Makes the loop's body and the symbols of its carries. Until the loop ends, `outs` are the starts in the carries'
 * shapes. */
static weir_status begin_loop(wi_capture *capture, weir_scalar trips,
                              weir_tensor *const *carries_in, size_t n, uint32_t *out,
                              weir_tensor **carries)
{
    wi_recorded *recorded = &capture->recorded;
    const wi_body *parent = NULL;
    wi_body *body = NULL;
    weir_status status = wi_recorded_add_body(recorded, capture->body, (uint32_t)n, out);

    if (status != WEIR_OK) return status;
    parent = &recorded->bodies[capture->body];
    body = &recorded->bodies[*out];
    body->number = parent->n_loops;
    for (size_t g = 0; g < WI_GENERATORS_MAX; g++) body->before[g] = parent->draws[g];
    status = wi_capture_scalar(capture, trips, "weir_for", &body->trips);
    for (size_t i = 0; i < n && status == WEIR_OK; i++) {
        wi_term term = {.kind = WI_TERM_CARRY, .body = *out, .at = (uint32_t)i, .loop = *out};

        status = wi_capture_find_dense(capture, carries_in[i], "weir_for", &body->inits[i]);
        if (status == WEIR_OK)
            status = find_shaped(capture, carries_in[i], body->inits[i], &body->outs[i]);
        if (status != WEIR_OK) break;
        term.dtype = weir_tensor_get_dtype(carries_in[i]);
        term.shape = *weir_tensor_get_shape(carries_in[i]);
        term.count = weir_tensor_get_count(carries_in[i]);
        status = wi_recorded_add(recorded, &term, &body->carries[i]);
        if (status == WEIR_OK) status = wi_capture_symbol(capture, body->carries[i], &carries[i]);
    }
    return status;
}

/* The term that a body returned for a carry: one of its own that nothing else returns, so that it can be written where
 * the next trip reads it. */
static weir_status find_result(wi_capture *capture, uint32_t loop, size_t i, weir_tensor *returned)
{
    wi_recorded *recorded = &capture->recorded;
    wi_body *body = &recorded->bodies[loop];
    wi_term copy = {.kind = WI_TERM_ELEMENTWISE, .op = &wi_op_copy, .n_inputs = 1, .body = loop};
    const wi_term *term = NULL;
    uint32_t found = WI_NO_TERM;
    weir_status status = wi_capture_find_dense(capture, returned, "weir_for", &found);
    int is_own = 0;

    if (status != WEIR_OK) return status;
    term = &recorded->terms[found];
    is_own = term->body == loop && term->kind != WI_TERM_CARRY && term->kind != WI_TERM_RESULT;
    for (size_t k = 0; k < i; k++) is_own &= body->results[k] != found;
    if (!is_own && found != body->carries[i]) {
        copy.inputs[0] = found;
        copy.dtype = term->dtype;
        copy.shape = term->shape;
        copy.count = term->count;
        if (copy.dtype != WEIR_DTYPE_F32) copy.kind = WI_TERM_COPY;
        status = wi_recorded_add(recorded, &copy, &found);
    }
    body->results[i] = found;
    return status;
}

/* Draws of a loop whose trips are known move the generator as they would trip by trip. */
static weir_status move_generators(wi_capture *capture, const uint64_t *next_before, size_t known,
                                   const wi_body *body)
{
    wi_recorded *recorded = &capture->recorded;

    for (size_t g = 0; g < recorded->n_generators; g++) {
        wi_captured_generator *entry = &recorded->generators[g];
        const uint64_t before = g < known ? next_before[g] : entry->start;
        const uint64_t once = entry->next - before;
        const uint64_t trips = body->trips.value > 0 ? (uint64_t)body->trips.value : 0;

        if (once == 0 || body->trips.kind != WI_SCALAR_NUMBER ||
            entry->address->next_draw != entry->next)
            continue;
        if (trips > 0 && once > (UINT64_MAX - before) / trips) {
            return wi_fail_hint(WEIR_E_ARG, "weir_for", "take another seed",
                                "the generator has used all its draws");
        }
        entry->next = before + once * trips;
        entry->address->next_draw = entry->next;
    }
    return WEIR_OK;
}

/* Makes whatever uses a carry that never changes use its start. */
static void replace_carry(wi_recorded *recorded, const wi_body *body, size_t i)
{
    const uint32_t carry = body->carries[i];

    for (size_t n = carry + 1; n < recorded->n_terms; n++) {
        wi_term *term = &recorded->terms[n];

        for (uint32_t k = 0; k < term->n_inputs; k++) {
            if (term->inputs[k] == carry) term->inputs[k] = body->outs[i];
        }
    }
    for (size_t b = 1; b < recorded->n_bodies; b++) {
        wi_body *inner = &recorded->bodies[b];

        for (uint32_t k = 0; k < inner->n_carries; k++) {
            if (inner->inits[k] == carry) inner->inits[k] = body->outs[i];
            if (inner->outs[k] == carry) inner->outs[k] = body->outs[i];
        }
    }
}

/* Adds the loop itself and its results to the body around it. */
static weir_status end_loop(wi_capture *capture, uint32_t loop, size_t n, weir_tensor **outs)
{
    wi_recorded *recorded = &capture->recorded;
    wi_term term = {.kind = WI_TERM_LOOP, .body = capture->body, .loop = loop};
    weir_status status = wi_recorded_add(recorded, &term, &recorded->bodies[loop].term);

    recorded->bodies[capture->body].n_loops++;
    for (size_t i = 0; i < n && status == WEIR_OK; i++) {
        wi_body *body = &recorded->bodies[loop];

        if (body->results[i] == body->carries[i]) {
            replace_carry(recorded, body, i);
        } else {
            term = recorded->terms[body->carries[i]];
            term.kind = WI_TERM_RESULT;
            term.body = capture->body;
            status = wi_recorded_add(recorded, &term, &body->outs[i]);
        }
        if (status == WEIR_OK) status = wi_capture_symbol(capture, body->outs[i], &outs[i]);
    }
    return status;
}

weir_status wi_capture_loop(wi_capture *capture, weir_scalar trips, weir_for_body *run, void *user,
                            weir_tensor *const *carries_in, size_t n, weir_tensor **outs)
{
    const uint32_t around = capture->body;
    const size_t known = capture->recorded.n_generators;
    uint64_t next_before[WI_GENERATORS_MAX] = {0};
    weir_tensor **carries = wi_calloc(2 * n, sizeof(weir_tensor *));
    weir_tensor **returned = carries != NULL ? carries + n : NULL;
    uint32_t loop = WI_NO_TERM;
    weir_status status = WEIR_OK;

    if (carries == NULL) return wi_fail(WEIR_E_HOST_MEMORY, "weir_for", "%zu carries", n);
    for (size_t g = 0; g < known; g++) next_before[g] = capture->recorded.generators[g].next;
    status = begin_loop(capture, trips, carries_in, n, &loop, carries);
    if (status != WEIR_OK) goto done;
    capture->body = loop;
    status = run(capture->context, wi_capture_index_scalar(capture, loop), carries, returned, user);
    if (status == WEIR_OK) status = check_carries(carries, returned, n, 1);
    for (size_t i = 0; i < n && status == WEIR_OK; i++)
        status = find_result(capture, loop, i, returned[i]);
    capture->body = around;
    if (status == WEIR_OK)
        status = move_generators(capture, next_before, known, &capture->recorded.bodies[loop]);
    if (status == WEIR_OK) status = end_loop(capture, loop, n, outs);
done:
    release_all(carries, 2 * n);
    if (status != WEIR_OK) release_all(outs, n);
    wi_free(carries);
    return status;
}
