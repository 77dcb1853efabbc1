/* Names and parameters in the text of a kernel.
 *
 * v7 is term 7, f3 the number in parameter 3, x7 and y7 the memory that term 7 is read from and written to, s7 the index
 * of a loop as f32. Equal parameters are one. Locking: none.
 */
#include "func/kernel_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wi_writer_line(wi_writer *out, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    weir_text_append(out->code, "%*s%s\n", (int)(4 * out->depth), "", text);
}

static int is_equal_slot(const wi_slot *a, const wi_slot *b)
{
    return a->kind == b->kind && a->at == b->at && a->loops == b->loops && a->bits == b->bits &&
           a->scalar.kind == b->scalar.kind && a->scalar.at == b->scalar.at &&
           a->scalar.value == b->scalar.value;
}

size_t wi_writer_slot(wi_writer *out, const wi_slot *slot)
{
    wi_step *step = out->step;
    void *slots = step->slots;

    for (size_t i = 0; i < step->n_slots; i++) {
        if (is_equal_slot(&step->slots[i], slot)) return i;
    }
    if (!wi_reserve(&slots, &step->slots_room, step->n_slots, sizeof *slot)) {
        out->has_failed = 1;
        return 0;
    }
    step->slots = slots;
    step->slots[step->n_slots] = *slot;
    return step->n_slots++;
}

const char *wi_writer_float(wi_writer *out, float value, char name[WI_VALUE_NAME_BYTES])
{
    wi_slot slot = {.kind = WI_SLOT_FLOAT};

    memcpy(&slot.bits, &value, sizeof value);
    if (out->step->has_literals)
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "as_float(0x%08" PRIx32 "u)", slot.bits);
    else
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "f%zu", wi_writer_slot(out, &slot));
    return name;
}

void wi_writer_op(wi_writer *out, const wi_op *op)
{
    static const char inputs[] = "abcd";
    void *ops = (void *)out->ops;

    for (size_t i = 0; i < out->n_ops; i++) {
        if (out->ops[i] == op) return;
    }
    if (!wi_reserve(&ops, &out->ops_room, out->n_ops, sizeof op)) {
        out->has_failed = 1;
        return;
    }
    out->ops = ops;
    out->ops[out->n_ops++] = op;
    weir_text_append(out->functions, "WI_FN wi_f op%u_%s(", op->id, op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        weir_text_append(out->functions, "%sconst wi_f %c", i > 0 ? ", " : "", inputs[i]);
    }
    for (unsigned i = 0; i < op->parameters; i++) {
        weir_text_append(out->functions, ", const float %s", op->parameter_names[i]);
    }
    weir_text_append(out->functions, ")\n{\n    return %s;\n}\n\n", op->expression);
}

const char *wi_writer_type(const wi_writer *out)
{
    return out->step->vectors == 4 ? "wi_quad_f" : "wi_f";
}

const char *wi_writer_load(const wi_writer *out)
{
    if (out->step->vectors == 1) return "wi_load_one";
    return out->has_draws ? "wi_load_quads" : "wi_load_four";
}

const char *wi_writer_store(const wi_writer *out)
{
    if (out->step->vectors == 1) return "wi_store_one";
    return out->has_draws ? "wi_store_quads" : "wi_store_four";
}

/* The name of the float that a uniform term is everywhere. */
static const char *name_uniform(wi_writer *out, uint32_t id, char name[WI_VALUE_NAME_BYTES])
{
    const wi_term *term = &out->recorded->terms[id];
    const wi_slot slot = {.kind = WI_SLOT_SCALAR, .scalar = term->scalar};
    float value = 0;

    if (term->kind == WI_TERM_FILL) {
        memcpy(&value, &term->bits, sizeof value);
        return wi_writer_float(out, value, name);
    }
    if (term->scalar.kind == WI_SCALAR_NUMBER)
        return wi_writer_float(out, (float)term->scalar.value, name);
    if (term->scalar.kind == WI_SCALAR_INDEX && out->recorded->bodies[term->scalar.at].is_inside)
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "s%" PRIu32, id);
    else
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "f%zu", wi_writer_slot(out, &slot));
    return name;
}

const char *wi_writer_vector(wi_writer *out, uint32_t id, unsigned vector,
                             char name[WI_VALUE_NAME_BYTES])
{
    char uniform[WI_VALUE_NAME_BYTES];

    if (wi_term_is_uniform(&out->recorded->terms[id])) {
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "WI_F(%.32s)", name_uniform(out, id, uniform));
    } else if (out->step->vectors == 1) {
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "v%" PRIu32, id);
    } else {
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "v%" PRIu32 ".v%u", id, vector);
    }
    return name;
}

const char *wi_writer_value(wi_writer *out, uint32_t id, char name[WI_VALUE_NAME_BYTES])
{
    char uniform[WI_VALUE_NAME_BYTES];

    if (!wi_term_is_uniform(&out->recorded->terms[id])) {
        (void)snprintf(name, WI_VALUE_NAME_BYTES, "v%" PRIu32, id);
        return name;
    }
    (void)snprintf(name, WI_VALUE_NAME_BYTES, "%s(%.32s)",
                   out->step->vectors == 4 ? "wi_quad_of" : "WI_F", name_uniform(out, id, uniform));
    return name;
}

void wi_writer_head(const wi_writer *out, weir_text *text)
{
    weir_text_append(text, "__kernel void weir_function(const ulong count, const ulong first");
    if (out->step->loop != WI_NO_TERM)
        weir_text_append(text, ", const ulong begin, const ulong end");
    for (size_t i = 0; i < out->step->n_slots; i++) {
        const wi_slot *slot = &out->step->slots[i];

        switch (slot->kind) {
        case WI_SLOT_LOAD:
            weir_text_append(
                text, ",\n    __global const float *x%" PRIu32 ", const ulong x%" PRIu32 "_at",
                slot->at, slot->at);
            break;
        case WI_SLOT_STORE:
            weir_text_append(text,
                             ",\n    __global float *y%" PRIu32 ", const ulong y%" PRIu32 "_at",
                             slot->at, slot->at);
            break;
        case WI_SLOT_FLOAT:
        case WI_SLOT_SCALAR:
            weir_text_append(text, ", const float f%zu", i);
            break;
        case WI_SLOT_TRIPS:
            weir_text_append(text, ", const ulong trips%zu", i);
            break;
        case WI_SLOT_SEED:
            weir_text_append(text, ", const ulong seed%" PRIu32, slot->at);
            break;
        case WI_SLOT_NUMBER:
            weir_text_append(text, ", const ulong number%zu", i);
            break;
        case WI_SLOT_COUNTER:
            weir_text_append(text, ", const ulong counter%" PRIu32, slot->at);
            break;
        }
    }
    weir_text_append(text, ")\n");
}
