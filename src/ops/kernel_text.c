/* Writes the text of elementwise kernels.
 *
 * An operation becomes a function of vectors, and the kernel calls it once a vector with loads or draws as arguments
 * and a store around it. So a draw costs no memory traffic and no launch of its own, and a text that chains several
 * operations calls several such functions. Called on a miss of the context's kernel cache only.
 */
#include "ops/kernel_text.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const input_names[WI_OP_INPUTS_MAX] = {"a", "b", "c", "d"};

/* Appends; a text that does not fit stays cut and `length` says so. */
static void put(wi_kernel_text *out, const char *format, ...) WEIR_PRINTF(2, 3);

static void put(wi_kernel_text *out, const char *format, ...)
{
    va_list arguments;
    const size_t room = out->length < sizeof out->text ? sizeof out->text - out->length : 0;
    int length;

    va_start(arguments, format);
    length = vsnprintf(room > 0 ? out->text + out->length : NULL, room, format, arguments);
    va_end(arguments);
    out->length += length > 0 ? (size_t)length : 0;
}

unsigned wi_kernel_vectors(const wi_op *op, const wi_draw_kind *kinds)
{
    for (unsigned i = 0; i < op->inputs; i++) {
        if (kinds[i] != WI_DRAW_NONE) return 4;
    }
    return 1;
}

static void put_operation(wi_kernel_text *out, const wi_op *op)
{
    put(out, "WI_FN wi_f op_%s(", op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        put(out, "%sconst wi_f %s", i > 0 ? ", " : "", input_names[i]);
    }
    for (unsigned i = 0; i < op->parameters; i++)
        put(out, ", const float %s", op->parameter_names[i]);
    put(out, ")\n{\n    return %s;\n}\n\n", op->expression);
}

static void put_head(wi_kernel_text *out, const wi_op *op, const wi_draw_kind *kinds)
{
    put(out, "__kernel void %s(const ulong count", out->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char *x = input_names[i];

        if (kinds[i] == WI_DRAW_NONE)
            put(out, ", __global const float *%s, const ulong %s_at", x, x);
        else
            put(out, ", const ulong %s_seed, const ulong %s_draw, const ulong %s_quad", x, x, x);
    }
    for (unsigned i = 0; i < op->parameters; i++)
        put(out, ", const float %s", op->parameter_names[i]);
    put(out, ", __global float *out, const ulong out_at)\n{\n");
}

/* One vector: store(operation(operands)). */
static void put_vector(wi_kernel_text *out, const wi_op *op, const wi_draw_kind *kinds,
                       unsigned vector)
{
    put(out, "    wi_store(out, left, %u * WEIR_WIDTH, op_%s(", vector, op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char *x = input_names[i];

        if (i > 0) put(out, ", ");
        if (kinds[i] == WI_DRAW_NONE)
            put(out, "wi_load(%s, left, %u * WEIR_WIDTH)", x, vector);
        else
            put(out, "%s.v%u", x, vector);
    }
    for (unsigned i = 0; i < op->parameters; i++) put(out, ", %s", op->parameter_names[i]);
    put(out, "));\n");
}

static void put_body(wi_kernel_text *out, const wi_op *op, const wi_draw_kind *kinds)
{
    static const char *const draws[] = {
        [WI_DRAW_NORMAL] = "wi_draw_normal", [WI_DRAW_UNIFORM] = "wi_draw_uniform"};
    const unsigned vectors = wi_kernel_vectors(op, kinds);

    put(out,
        "    const ulong element = (ulong)get_global_id(0) * (%u * WEIR_WIDTH);\n"
        "    if (element >= count) return;\n"
        "    const ulong left = count - element;\n"
        "    out += out_at + element;\n",
        vectors);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char *x = input_names[i];

        if (kinds[i] == WI_DRAW_NONE) {
            put(out, "    %s += %s_at + element;\n", x, x);
        } else {
            put(out, "    const wi_quad_f %s = %s(%s_seed, %s_draw, %s_quad + element / 4);\n", x,
                draws[kinds[i]], x, x, x);
        }
    }
    for (unsigned vector = 0; vector < vectors; vector++) put_vector(out, op, kinds, vector);
    put(out, "}\n");
}

weir_status wi_kernel_text_write(const wi_op *op, const wi_draw_kind *kinds, wi_kernel_text *out)
{
    out->length = 0;
    (void)snprintf(out->name, sizeof out->name, "weir_%s", op->name);
    put_operation(out, op);
    put_head(out, op, kinds);
    put_body(out, op, kinds);
    if (out->length >= sizeof out->text) {
        return wi_fail(WEIR_E_BUILD, out->name, "its text has %zu bytes, at most %zu fit",
                       out->length, sizeof out->text - 1);
    }
    if (!wi_source_find("elementwise.cl", &out->sources[0])) {
        return wi_fail(WEIR_E_BUILD, out->name, "elementwise.cl is not in this build");
    }
    out->sources[1] = (wi_source){out->name, out->text, out->length};
    return WEIR_OK;
}
