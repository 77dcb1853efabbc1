/* Writes the kernel of a step.
 *
 * Every term becomes a variable with the elements of it that the item makes. An item makes four vectors if something
 * draws, because draws come in quads, or loops, because then four chains of dependent operations run at once; else one.
 * A loop keeps its carries in variables that its trips overwrite. Whatever may differ between two uses of one text is a
 * parameter: sizes, places, numbers, trips; so equal bodies share a kernel.
 *
 * Draws inside a loop: n0 is the number of generator 0's next draw, less those that the text of this trip has named
 * since it was last moved; it moves before an inner loop and at the end of a trip, by the draws recorded there, needed
 * or not. Locking: none.
 */
#include "func/kernel_writer.h"

#include "base/memory.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The draws of one trip of a body that n already counts. */
typedef struct counted {
    uint64_t draws[WI_GENERATORS_MAX];
} counted;

static const wi_term *term_at(const wi_writer *out, uint32_t id)
{
    return &out->recorded->terms[id];
}

static void put_elementwise(wi_writer *out, uint32_t id)
{
    const wi_term *term = term_at(out, id);
    char name[WI_VALUE_NAME_BYTES];

    wi_writer_op(out, term->op);
    wi_writer_line(out, "%s v%" PRIu32 ";", wi_writer_type(out), id);
    for (unsigned v = 0; v < out->step->vectors; v++) {
        char call[384];
        size_t length =
            (size_t)snprintf(call, sizeof call, "%s = op%u_%s(", wi_writer_vector(out, id, v, name),
                             term->op->id, term->op->name);

        for (uint32_t i = 0; i < term->n_inputs; i++) {
            length +=
                (size_t)snprintf(call + length, sizeof call - length, "%s%s", i > 0 ? ", " : "",
                                 wi_writer_vector(out, term->inputs[i], v, name));
        }
        for (unsigned i = 0; i < term->op->parameters; i++) {
            length += (size_t)snprintf(call + length, sizeof call - length, ", %s",
                                       wi_writer_float(out, term->parameters[i], name));
        }
        wi_writer_line(out, "%s);", call);
    }
}

static void put_draw(wi_writer *out, uint32_t id, const counted *trip)
{
    const wi_term *term = term_at(out, id);
    const char *kind = term->op->draw == WI_DRAW_NORMAL ? "wi_quad_normal" : "wi_quad_uniform";
    char number[40];

    (void)wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_SEED, .at = term->at});
    if (trip != NULL) {
        (void)snprintf(number, sizeof number, "n%" PRIu32 " + %" PRIu64 "u", term->at,
                       term->draw_offset - trip->draws[term->at]);
    } else {
        (void)snprintf(number, sizeof number, "number%zu + %" PRIu64 "u",
                       wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_NUMBER,
                                                      .at = term->at,
                                                      .loops = term->loops_before}),
                       term->draw_offset);
    }
    wi_writer_line(out, "const wi_quad_f v%" PRIu32 " = %s(seed%" PRIu32 ", %s, quad);", id, kind,
                   term->at, number);
}

/* Moves the numbers of the generators that live draws of the kernel use. */
static void put_count(wi_writer *out, counted *trip, const uint64_t *to)
{
    for (uint32_t g = 0; g < out->recorded->n_generators; g++) {
        if (to[g] == trip->draws[g]) continue;
        if ((out->generators & 1u << g) != 0) {
            wi_writer_line(out, "n%" PRIu32 " += %" PRIu64 "u;", g, to[g] - trip->draws[g]);
        }
        trip->draws[g] = to[g];
    }
}

static void put_loop(wi_writer *out, uint32_t loop, int is_top);

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static void put_term(wi_writer *out, uint32_t id, counted *trip)
{
    const wi_term *term = term_at(out, id);

    switch (term->kind) {
    case WI_TERM_ELEMENTWISE:
        put_elementwise(out, id);
        break;
    case WI_TERM_DRAW:
        put_draw(out, id, trip);
        break;
    case WI_TERM_LOOP:
        if (trip != NULL) put_count(out, trip, out->recorded->bodies[term->loop].before);
        put_loop(out, term->loop, trip == NULL);
        break;
    case WI_TERM_SCALAR:
        if (trip != NULL && term->scalar.kind == WI_SCALAR_INDEX &&
            out->recorded->bodies[term->scalar.at].is_inside)
            wi_writer_line(out, "const float s%" PRIu32 " = wi_index_float(i%" PRIu32 ");", id,
                           term->scalar.at);
        break;
    case WI_TERM_ARGUMENT:
    case WI_TERM_CONSTANT:
    case WI_TERM_CARRY:
    case WI_TERM_RESULT:
    case WI_TERM_FILL:
    case WI_TERM_VIEW:
    case WI_TERM_COPY:
    case WI_TERM_SUM:
        break;
    }
}

/* One trip: the body's terms, then the carries of the next. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static void put_trip(wi_writer *out, uint32_t loop)
{
    const wi_body *body = &out->recorded->bodies[loop];
    counted trip = {{0}};
    char name[WI_VALUE_NAME_BYTES];

    for (uint32_t id = body->carries[0]; id < body->term; id++) {
        const wi_term *term = term_at(out, id);

        if (term->body != loop) continue;
        if (term->is_live || (term->kind == WI_TERM_LOOP &&
                              wi_loop_draws(out->recorded, term->loop, out->generators)))
            put_term(out, id, &trip);
    }
    put_count(out, &trip, body->draws);
    for (uint32_t c = 0; c < body->n_carries; c++) {
        if (!term_at(out, body->carries[c])->is_live || body->results[c] == body->carries[c])
            continue;
        wi_writer_line(out, "const %s t%" PRIu32 " = %s;", wi_writer_type(out), body->carries[c],
                       wi_writer_value(out, body->results[c], name));
    }
    for (uint32_t c = 0; c < body->n_carries; c++) {
        if (!term_at(out, body->carries[c])->is_live || body->results[c] == body->carries[c])
            continue;
        wi_writer_line(out, "v%" PRIu32 " = t%" PRIu32 ";", body->carries[c], body->carries[c]);
    }
}

/* Variables of the carries with their starts; a loop that goes on takes them from where it stored them. */
static void put_carries(wi_writer *out, const wi_body *body, int is_top)
{
    char name[WI_VALUE_NAME_BYTES];

    for (uint32_t c = 0; c < body->n_carries; c++) {
        const uint32_t carry = body->carries[c];
        const uint32_t result = body->outs[c];

        if (!term_at(out, carry)->is_live || body->results[c] == carry) continue;
        wi_writer_line(out, "%s v%" PRIu32 " = %s;", wi_writer_type(out), carry,
                       wi_writer_value(out, body->inits[c], name));
        if (!is_top) continue;
        (void)wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_STORE, .at = result});
        wi_writer_line(out, "if (begin > 0) v%" PRIu32 " = %s(y%" PRIu32 ", left);", carry,
                       wi_writer_load(out), result);
    }
}

/* The number of trips of an inner loop. */
static void name_trips(wi_writer *out, const wi_scalar *trips, char name[40])
{
    if (trips->kind == WI_SCALAR_INDEX && out->recorded->bodies[trips->at].is_inside) {
        (void)snprintf(name, 40, "i%" PRIu32, trips->at);
        return;
    }
    (void)snprintf(name, 40, "trips%zu",
                   wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_TRIPS, .scalar = *trips}));
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static void put_loop(wi_writer *out, uint32_t loop, int is_top)
{
    const wi_body *body = &out->recorded->bodies[loop];
    char end[40] = "end";

    put_carries(out, body, is_top);
    if (!is_top) name_trips(out, &body->trips, end);
    for (uint32_t g = 0; is_top && g < out->recorded->n_generators; g++) {
        if ((out->generators & 1u << g) == 0 || !wi_loop_draws(out->recorded, loop, 1u << g))
            continue;
        (void)wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_COUNTER, .at = g});
        wi_writer_line(out, "ulong n%" PRIu32 " = counter%" PRIu32 ";", g, g);
    }
    wi_writer_line(out, "for (ulong i%" PRIu32 " = %s; i%" PRIu32 " < %s; i%" PRIu32 "++) {", loop,
                   is_top ? "begin" : "0", loop, end, loop);
    out->depth++;
    put_trip(out, loop);
    out->depth--;
    wi_writer_line(out, "}");
    for (uint32_t c = 0; c < body->n_carries; c++) {
        if (!term_at(out, body->carries[c])->is_live || body->results[c] == body->carries[c])
            continue;
        wi_writer_line(out, "const %s v%" PRIu32 " = v%" PRIu32 ";", wi_writer_type(out),
                       body->outs[c], body->carries[c]);
    }
}

/* Notes a value from outside as a parameter and writes its load, once. */
static void put_load(wi_writer *out, uint32_t id)
{
    const size_t before = out->step->n_slots;
    const wi_term *term = term_at(out, id);

    if (wi_term_is_uniform(term) || term->step == out->number) return;
    (void)wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_LOAD, .at = id});
    if (out->step->n_slots == before) return;
    wi_writer_line(out,
                   "const %s v%" PRIu32 " = %s(x%" PRIu32 " + x%" PRIu32 "_at + element, left);",
                   wi_writer_type(out), id, wi_writer_load(out), id, id);
}

static weir_status visit_load(void *user, uint32_t id)
{
    put_load(user, id);
    return WEIR_OK;
}

/* What the whole kernel is like: whether something draws, from which generators. */
static void look_through(wi_writer *out)
{
    const wi_step *step = out->step;

    for (size_t i = 0; i < step->n_members; i++) {
        const wi_term *term = term_at(out, step->members[i]);

        if (term->kind == WI_TERM_DRAW) out->has_draws = 1;
    }
    for (size_t n = 0; step->loop != WI_NO_TERM && n < out->recorded->bodies[step->loop].term;
         n++) {
        const wi_term *term = term_at(out, (uint32_t)n);

        if (!term->is_live || term->kind != WI_TERM_DRAW) continue;
        if (!wi_body_is_within(out->recorded, term->body, step->loop)) continue;
        out->has_draws = 1;
        out->generators |= 1u << term->at;
    }
    out->step->vectors = out->has_draws || step->loop != WI_NO_TERM ? 4 : 1;
}

static void put_members(wi_writer *out)
{
    const wi_step *step = out->step;
    char name[WI_VALUE_NAME_BYTES];

    for (size_t i = 0; i < step->n_members; i++) {
        const wi_term *term = term_at(out, step->members[i]);

        for (uint32_t k = 0; k < term->n_inputs; k++) put_load(out, term->inputs[k]);
        if (term->kind == WI_TERM_LOOP)
            (void)wi_loop_externals(out->recorded, term->loop, visit_load, out);
    }
    for (size_t i = 0; i < step->n_members; i++) put_term(out, step->members[i], NULL);
    for (size_t i = 0; i < step->n_members; i++) {
        const uint32_t id = step->members[i];

        if (!term_at(out, id)->is_stored || term_at(out, id)->kind == WI_TERM_LOOP) continue;
        (void)wi_writer_slot(out, &(wi_slot){.kind = WI_SLOT_STORE, .at = id});
        wi_writer_line(out, "%s(y%" PRIu32 ", left, %s);", wi_writer_store(out), id,
                       wi_writer_value(out, id, name));
    }
    for (uint32_t c = 0;
         step->loop != WI_NO_TERM && c < out->recorded->bodies[step->loop].n_carries; c++) {
        const wi_body *body = &out->recorded->bodies[step->loop];

        if (!term_at(out, body->carries[c])->is_live || body->results[c] == body->carries[c])
            continue;
        wi_writer_line(out, "%s(y%" PRIu32 ", left, v%" PRIu32 ");", wi_writer_store(out),
                       body->outs[c], body->outs[c]);
    }
}

/* The kernel from its parts. */
static void join(const wi_writer *out)
{
    weir_text *text = out->step->text;

    weir_text_append(text, "%s", weir_text_get(out->functions));
    wi_writer_head(out, text);
    weir_text_append(
        text,
        "{\n    const ulong item = first + (ulong)get_global_id(0) * (%u * WEIR_WIDTH);\n"
        "    if (item >= count) return;\n"
        "    const ulong element = item;\n    const ulong left = count - element;\n",
        out->step->vectors);
    if (out->has_draws) weir_text_append(text, "    const ulong quad = element / 4;\n");
    for (size_t i = 0; i < out->step->n_slots; i++) {
        const wi_slot *slot = &out->step->slots[i];

        if (slot->kind == WI_SLOT_STORE)
            weir_text_append(text, "    y%" PRIu32 " += y%" PRIu32 "_at + element;\n", slot->at,
                             slot->at);
    }
    weir_text_append(text, "%s}\n", weir_text_get(out->code));
}

weir_status wi_step_write(const wi_recorded *recorded, uint32_t number, wi_step *step)
{
    wi_writer out = {.recorded = recorded, .step = step, .number = number, .depth = 1};
    weir_status status = weir_text_create(&out.functions);

    if (status == WEIR_OK) status = weir_text_create(&out.code);
    if (status == WEIR_OK) status = weir_text_create(&step->text);
    if (status == WEIR_OK) {
        look_through(&out);
        put_members(&out);
        join(&out);
        status = weir_text_get_status(out.functions);
        if (status == WEIR_OK) status = weir_text_get_status(out.code);
        if (status == WEIR_OK) status = weir_text_get_status(step->text);
        if (status == WEIR_OK && out.has_failed)
            status = wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture",
                             "no host memory for a kernel's parameters");
    }
    wi_free((void *)out.ops);
    weir_text_destroy(out.functions);
    weir_text_destroy(out.code);
    return status;
}

size_t wi_step_parameter_bytes(const wi_step *step)
{
    size_t bytes = 4 * sizeof(uint64_t);

    for (size_t i = 0; i < step->n_slots; i++) {
        const wi_slot_kind kind = step->slots[i].kind;

        bytes +=
            kind == WI_SLOT_LOAD || kind == WI_SLOT_STORE ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    }
    return bytes;
}
