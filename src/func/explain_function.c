/* Tells what a function does: its steps, what each is made of, its memory and its constants. Locking: none; what is read
 * does not change after the capture. */
#include "func/function.h"

#include <inttypes.h>

/* The number or name of a scalar. */
static void write_scalar(const wi_scalar *scalar, weir_text *text)
{
    switch (scalar->kind) {
    case WI_SCALAR_NUMBER:
        weir_text_append(text, "%" PRId64, scalar->value);
        break;
    case WI_SCALAR_ARGUMENT:
        weir_text_append(text, "argument %" PRIu32, scalar->at);
        break;
    case WI_SCALAR_INDEX:
        weir_text_append(text, "the index of loop %" PRIu32, scalar->at);
        break;
    }
}

static const char *name_term(const wi_term *term)
{
    switch (term->kind) {
    case WI_TERM_FILL:
        return "fill";
    case WI_TERM_SCALAR:
        return "from_scalar";
    case WI_TERM_COPY:
        return "copy";
    case WI_TERM_DRAW:
    case WI_TERM_ELEMENTWISE:
    case WI_TERM_VIEW:
    case WI_TERM_SUM:
        return term->op->name;
    case WI_TERM_ARGUMENT:
    case WI_TERM_CONSTANT:
    case WI_TERM_CARRY:
    case WI_TERM_LOOP:
    case WI_TERM_RESULT:
        break;
    }
    return NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static void write_loop(const wi_recorded *recorded, uint32_t loop, weir_text *text)
{
    const wi_body *body = &recorded->bodies[loop];
    int is_first = 1;

    weir_text_append(text, "loop %" PRIu32 " of ", loop);
    write_scalar(&body->trips, text);
    weir_text_append(text, " trips {");
    for (uint32_t i = body->carries[0]; i < body->term; i++) {
        const wi_term *term = &recorded->terms[i];

        if (!term->is_live || term->body != loop) continue;
        if (term->kind != WI_TERM_LOOP && name_term(term) == NULL) continue;
        weir_text_append(text, is_first ? "" : ", ");
        is_first = 0;
        if (term->kind == WI_TERM_LOOP)
            write_loop(recorded, term->loop, text);
        else
            weir_text_append(text, "%s", name_term(term));
    }
    weir_text_append(text, "}");
}

static void write_members(const wi_recorded *recorded, const wi_step *step, weir_text *text)
{
    for (size_t i = 0; i < step->n_members; i++) {
        const wi_term *term = &recorded->terms[step->members[i]];

        weir_text_append(text, i > 0 ? ", " : "");
        if (term->kind == WI_TERM_LOOP)
            write_loop(recorded, term->loop, text);
        else
            weir_text_append(text, "%s", name_term(term));
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static void write_body(const weir_function *function, uint32_t body_id, unsigned depth,
                       weir_text *text)
{
    static const char *const names[] = {"kernel", "loop", "copy", "sum", "fill"};
    const wi_body *body = &function->recorded.bodies[body_id];

    for (uint32_t i = 0; i < body->n_steps; i++) {
        const wi_step *step = &function->steps.items[body->steps[i]];

        weir_text_append(text, "%*s%s", (int)(2 * depth), "", names[step->kind]);
        if (step->kind == WI_STEP_LOOP) {
            weir_text_append(text, " %" PRIu32 " of ", step->loop);
            write_scalar(&function->recorded.bodies[step->loop].trips, text);
            weir_text_append(text, " trips, launch by launch:\n");
            write_body(function, step->loop, depth + 1, text);
            continue;
        }
        weir_text_append(text, " over %" PRIu64 " elements: ", step->count);
        write_members(&function->recorded, step, text);
        weir_text_append(text, "\n");
    }
}

void weir_function_explain(const weir_function *function, weir_text *text)
{
    const wi_recorded *recorded = NULL;
    uint64_t bytes = 0;
    size_t n_placed = 0;
    char shape[192];

    if (function == NULL || text == NULL) return;
    recorded = &function->recorded;
    weir_text_append(text, "%zu steps\n", function->steps.count);
    write_body(function, WI_FUNCTION_BODY, 1, text);
    for (size_t i = 0; i < recorded->n_terms; i++) {
        if (!recorded->terms[i].is_live || recorded->terms[i].place != WI_PLACE_ARENA) continue;
        bytes += wi_term_bytes(&recorded->terms[i]);
        n_placed++;
    }
    weir_text_append(
        text, "arena: %" PRIu64 " bytes for %zu values of %" PRIu64 " bytes, whatever the trips\n",
        function->steps.arena_bytes, n_placed, bytes);
    weir_text_append(text, "constants: %zu\n", recorded->n_constants);
    for (size_t i = 0; i < recorded->n_constants; i++) {
        const weir_tensor *constant = recorded->constants[i];

        weir_text_append(text, "  %s %s, %" PRIu64 " bytes\n",
                         weir_dtype_name(weir_tensor_get_dtype(constant)),
                         weir_shape_format(weir_tensor_get_shape(constant), shape, sizeof shape),
                         weir_tensor_get_bytes(constant));
    }
}
