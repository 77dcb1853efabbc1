/* Recording: every operation called with the recording context becomes a term, and its result a symbol.
 *
 * A symbol knows its term by a trace whose recorder is the recording context, which lives as long as a symbol does, so
 * its address names one capture. What the passes need is made here already, so that they see few kinds of terms: a
 * view or a broadcast operand of an elementwise operation becomes a dense copy, and what does not depend on a loop it is
 * recorded in stands outside of it, where it is computed once.
 *
 * Draws. A generator is known by its address. A term notes how many draws and loops of its body came before it; from
 * these and the trips follows the number that the draw has when everything runs trip by trip. Locking: none.
 */
#include "func/capture.h"

#include "base/status.h"
#include "context/recording.h"
#include "tensor/trace.h"

#include <string.h>
#include <time.h>

#define VIEWS_MAX 16 /* views of views of views, before a copy is made */

static void drop_nothing(void *term) { (void)term; }

/* Traces hold a pointer; numbers from 1 on, since NULL means none. */
static void *to_trace(uint32_t term) { return (void *)((uintptr_t)term + 1); }

weir_status wi_capture_symbol(wi_capture *capture, uint32_t term, weir_tensor **out)
{
    const wi_term *made = &capture->recorded.terms[term];
    weir_status status = wi_tensor_create_symbol(capture->context, made->dtype, &made->shape, out);

    if (status != WEIR_OK) return status;
    status = wi_trace_set(*out, capture->context, to_trace(term), drop_nothing);
    if (status == WEIR_OK) return WEIR_OK;
    weir_tensor_release(*out);
    *out = NULL;
    return status;
}

weir_status wi_capture_add(wi_capture *capture, const wi_term *term, weir_tensor **out)
{
    uint32_t id = WI_NO_TERM;
    const weir_status status = wi_recorded_add(&capture->recorded, term, &id);

    return status == WEIR_OK ? wi_capture_symbol(capture, id, out) : status;
}

/* The term of a constant, an old one if the tensor was met before. */
static weir_status find_constant(wi_capture *capture, weir_tensor *tensor, uint32_t *out)
{
    wi_recorded *recorded = &capture->recorded;
    wi_term term = {.kind = WI_TERM_CONSTANT, .body = WI_FUNCTION_BODY};
    const size_t n = recorded->n_constants;
    size_t room = recorded->constants_room;
    void *tensors = recorded->constants;
    void *ids = recorded->constant_terms;
    weir_status status = WEIR_OK;

    for (size_t i = n; i-- > 0;) {
        if (recorded->constants[i] != tensor) continue;
        *out = recorded->constant_terms[i];
        return WEIR_OK;
    }
    if (!wi_reserve(&tensors, &room, n, sizeof(weir_tensor *))) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu constants", n + 1);
    }
    recorded->constants = tensors;
    room = recorded->constants_room;
    if (!wi_reserve(&ids, &room, n, sizeof(uint32_t))) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu constants", n + 1);
    }
    recorded->constant_terms = ids;
    recorded->constants_room = room;
    term.at = (uint32_t)n;
    term.dtype = weir_tensor_get_dtype(tensor);
    term.shape = *weir_tensor_get_shape(tensor);
    term.count = weir_tensor_get_count(tensor);
    status = wi_recorded_add(recorded, &term, out);
    if (status != WEIR_OK) return status;
    recorded->constant_terms[n] = *out;
    recorded->constants[n] = weir_tensor_retain(tensor);
    recorded->n_constants = n + 1;
    return WEIR_OK;
}

weir_status wi_capture_find(wi_capture *capture, weir_tensor *tensor, const char *where,
                            uint32_t *out)
{
    weir_context *owner = NULL;
    void *trace = NULL;

    *out = WI_NO_TERM;
    if (tensor == NULL) return wi_fail(WEIR_E_ARG, where, "a tensor is missing");
    owner = weir_tensor_get_context(tensor);
    if (owner == capture->base) return find_constant(capture, tensor, out);
    if (owner != capture->context) {
        if (!wi_context_is_recording(owner)) {
            return wi_fail_hint(WEIR_E_CAPTURE, where,
                                "capture with the context of the tensors it uses",
                                "a tensor belongs to another context than the one captured for");
        }
        return wi_fail(WEIR_E_CAPTURE, where, "a tensor belongs to another capture");
    }
    trace = wi_trace_get(tensor, capture->context);
    if (trace == NULL)
        return wi_fail(WEIR_E_CAPTURE, where, "a tensor was not made by this capture");
    *out = (uint32_t)((uintptr_t)trace - 1);
    if (wi_body_is_within(&capture->recorded, capture->body, capture->recorded.terms[*out].body))
        return WEIR_OK;
    *out = WI_NO_TERM;
    return wi_fail_hint(WEIR_E_CAPTURE, where, "make it a carry of the loop",
                        "a tensor from inside a loop's body is used outside of it");
}

/* A dense copy of `input` with `shape`. It stands where its input does, outside of loops that do not change it. */
static weir_status add_copy(wi_capture *capture, uint32_t input, const weir_shape *shape,
                            uint32_t *out)
{
    wi_recorded *recorded = &capture->recorded;
    wi_term term = {.kind = WI_TERM_COPY, .op = &wi_op_copy, .n_inputs = 1};
    const int is_own_shape = weir_shape_equal(&recorded->terms[input].shape, shape);
    weir_status status = WEIR_OK;

    if (is_own_shape && recorded->terms[input].dense != WI_NO_TERM) {
        *out = recorded->terms[input].dense;
        return WEIR_OK;
    }
    term.inputs[0] = input;
    term.body = recorded->terms[input].body;
    term.dtype = recorded->terms[input].dtype;
    term.shape = *shape;
    term.count = weir_shape_count(shape);
    status = wi_recorded_add(recorded, &term, out);
    if (status == WEIR_OK && is_own_shape) recorded->terms[input].dense = *out;
    return status;
}

weir_status wi_capture_find_dense(wi_capture *capture, weir_tensor *tensor, const char *where,
                                  uint32_t *out)
{
    const weir_status status = wi_capture_find(capture, tensor, where, out);
    const wi_term *term = NULL;

    if (status != WEIR_OK) return status;
    term = &capture->recorded.terms[*out];
    if (term->kind != WI_TERM_VIEW) return WEIR_OK;
    if (term->op->view == WI_VIEW_RESHAPE) { /* the same elements in the same order */
        *out = term->inputs[0];
        return WEIR_OK;
    }
    return add_copy(capture, *out, weir_tensor_get_shape(tensor), out);
}

/* The inputs of an elementwise operation as terms with as many elements as its result. */
static weir_status find_inputs(wi_capture *capture, const wi_op_call *call, wi_term *term)
{
    weir_status status = WEIR_OK;

    for (unsigned i = 0; i < call->op->inputs && status == WEIR_OK; i++) {
        uint32_t *input = &term->inputs[i];

        if (weir_tensor_get_count(call->inputs[i]) == term->count) {
            status = wi_capture_find_dense(capture, call->inputs[i], call->op->call, input);
            continue;
        }
        status = wi_capture_find(capture, call->inputs[i], call->op->call, input);
        if (status != WEIR_OK || wi_term_is_uniform(&capture->recorded.terms[*input])) continue;
        status = add_copy(capture, *input, &term->shape, input);
    }
    term->n_inputs = call->op->inputs;
    return status;
}

static weir_status record_elementwise(wi_capture *capture, const wi_op_call *call, wi_term *term,
                                      weir_tensor **out)
{
    const weir_status status = find_inputs(capture, call, term);

    if (status != WEIR_OK) return status;
    term->kind = WI_TERM_ELEMENTWISE;
    for (unsigned i = 0; i < call->op->parameters; i++) term->parameters[i] = call->parameters[i];
    return wi_capture_add(capture, term, out);
}

static weir_status record_fill(wi_capture *capture, const wi_op_call *call, wi_term *term,
                               weir_tensor **out)
{
    term->kind = WI_TERM_FILL;
    term->bits = call->op->parameters > 0 ? wi_fill_bits(call->value) : 0;
    return wi_capture_add(capture, term, out);
}

/* A view, which takes no memory, of a term. Of a uniform term it is one. */
static weir_status record_view(wi_capture *capture, const wi_op_call *call, wi_term *term,
                               weir_tensor **out)
{
    const int is_reshape = call->op->view == WI_VIEW_RESHAPE;
    const wi_term *source = NULL;
    weir_status status = WEIR_OK;

    if (is_reshape)
        status = wi_capture_find_dense(capture, call->inputs[0], call->op->call, &term->inputs[0]);
    else
        status = wi_capture_find(capture, call->inputs[0], call->op->call, &term->inputs[0]);
    if (status != WEIR_OK) return status;
    source = &capture->recorded.terms[term->inputs[0]];
    if (source->kind == WI_TERM_VIEW && source->at == VIEWS_MAX) {
        status = add_copy(capture, term->inputs[0], &source->shape, &term->inputs[0]);
        if (status != WEIR_OK) return status;
        source = &capture->recorded.terms[term->inputs[0]];
    }
    if (wi_term_is_uniform(source)) {
        term->kind = source->kind;
        term->bits = source->bits;
        term->scalar = source->scalar;
    } else {
        term->kind = WI_TERM_VIEW;
        term->at = source->kind == WI_TERM_VIEW ? source->at + 1 : 1;
        term->n_inputs = 1;
        term->body = source->body;
        term->n_axes = call->n_axes;
        for (unsigned i = 0; i < call->n_axes; i++) term->axes[i] = call->axes[i];
    }
    return wi_capture_add(capture, term, out);
}

static weir_status record_sum(wi_capture *capture, const wi_op_call *call, wi_term *term,
                              weir_tensor **out)
{
    const weir_status status =
        wi_capture_find(capture, call->inputs[0], call->op->call, &term->inputs[0]);

    if (status != WEIR_OK) return status;
    term->kind = WI_TERM_SUM;
    term->n_inputs = 1;
    term->body = capture->recorded.terms[term->inputs[0]].body;
    term->n_axes = call->n_axes;
    for (unsigned i = 0; i < call->n_axes; i++) term->axes[i] = call->axes[i];
    term->keep_dims = call->keep_dims;
    return wi_capture_add(capture, term, out);
}

/* The entry of a generator. A number that somebody else changed begins a new one. */
static weir_status find_generator(wi_capture *capture, weir_generator *generator, const char *where,
                                  uint32_t *out)
{
    wi_recorded *recorded = &capture->recorded;
    wi_captured_generator *entry = NULL;
    int was_changed = 0;

    for (size_t i = recorded->n_generators; i-- > 0;) {
        entry = &recorded->generators[i];
        if (entry->address != generator) continue;
        if (entry->seed == generator->seed && entry->next == generator->next_draw) {
            *out = (uint32_t)i;
            return WEIR_OK;
        }
        was_changed = 1;
        break;
    }
    if (was_changed && capture->body != WI_FUNCTION_BODY) {
        return wi_fail_hint(WEIR_E_CAPTURE, where, "use a generator for each purpose",
                            "a generator was changed inside the body of a loop");
    }
    if (recorded->n_generators == WI_GENERATORS_MAX) {
        return wi_fail(WEIR_E_CAPTURE, where, "more than %d generators in one function",
                       WI_GENERATORS_MAX);
    }
    *out = (uint32_t)recorded->n_generators;
    recorded->generators[recorded->n_generators++] =
        (wi_captured_generator){.address = generator,
                                .seed = generator->seed,
                                .start = generator->next_draw,
                                .next = generator->next_draw};
    return WEIR_OK;
}

static weir_status record_draw(wi_capture *capture, const wi_op_call *call, wi_term *term,
                               weir_tensor **out)
{
    wi_body *body = &capture->recorded.bodies[capture->body];
    weir_status status = find_generator(capture, call->generator, call->op->call, &term->at);

    if (status != WEIR_OK) return status;
    term->kind = WI_TERM_DRAW;
    term->loops_before = body->n_loops;
    term->draw_offset = body->draws[term->at];
    status = wi_capture_add(capture, term, out);
    if (status != WEIR_OK) return status;
    body->draws[term->at]++;
    capture->recorded.generators[term->at].next++;
    call->generator->next_draw++;
    return WEIR_OK;
}

static weir_status record(wi_recorder *recorder, const wi_op_call *call, weir_tensor **out)
{
    wi_capture *capture = (wi_capture *)recorder;
    wi_term term = {
        .op = call->op, .body = capture->body, .dtype = call->dtype, .shape = *call->shape};

    *out = NULL;
    term.count = weir_shape_count(&term.shape);
    switch (call->op->form) {
    case WI_FORM_ELEMENTWISE:
        return record_elementwise(capture, call, &term, out);
    case WI_FORM_FILL:
        return record_fill(capture, call, &term, out);
    case WI_FORM_DRAW:
        return record_draw(capture, call, &term, out);
    case WI_FORM_VIEW:
        return record_view(capture, call, &term, out);
    case WI_FORM_REDUCE:
        return record_sum(capture, call, &term, out);
    case WI_FORM_NONE:
        break;
    }
    return wi_fail(WEIR_E_CAPTURE, call->op->call, "this operation cannot be captured");
}

/* A number that no other capture of the process has, except by a chance of 2^-32. */
static uint32_t make_serial(const weir_context *context)
{
    struct timespec now = {0, 0};
    uint64_t mixed = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    mixed =
        (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + (uint64_t)(uintptr_t)context;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(mixed >> 32);
}

weir_status wi_capture_begin(weir_context *base, const weir_argument_spec *specs, size_t n_specs,
                             wi_capture *out)
{
    weir_status status = WEIR_OK;
    uint32_t body = 0;

    memset(out, 0, sizeof *out);
    out->recorder.capture = record;
    out->base = wi_context_get_base(base);
    out->specs = specs;
    out->n_specs = n_specs;
    status = wi_recorded_add_body(&out->recorded, WI_FUNCTION_BODY, 0, &body);
    if (status == WEIR_OK) status = wi_context_create_recording(base, out, &out->context);
    if (status == WEIR_OK) out->serial = make_serial(out->context);
    return status;
}

void wi_capture_end(wi_capture *capture)
{
    if (capture->context == NULL) return;
    wi_context_end_recording(capture->context);
    weir_context_release(capture->context);
    capture->context = NULL;
}
