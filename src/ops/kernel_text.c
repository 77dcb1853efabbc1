/* Writes the text of elementwise kernels.
 *
 * An operation becomes a function of vectors, and the kernel calls it once a vector with loads or draws as arguments
 * and a store around it. So a draw costs no memory traffic and no launch of its own, and a text that chains several
 * operations calls several such functions. Called on a miss of the context's kernel cache only.
 */
#include "ops/kernel_text.h"

#include "base/status.h"

#include <stdio.h>

/* The name of input i in expressions. */
static char name_of(unsigned i) { return (char)('a' + (int)i); }

unsigned wi_kernel_vectors(const wi_op *op, const wi_draw_kind *kinds)
{
    for (unsigned i = 0; i < op->inputs; i++) {
        if (kinds[i] != WI_DRAW_NONE) return 4;
    }
    return 1;
}

static void put_operation(weir_text *out, const wi_op *op)
{
    weir_text_append(out, "WI_FN wi_f op_%s(", op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        weir_text_append(out, "%sconst wi_f %c", i > 0 ? ", " : "", name_of(i));
    }
    for (unsigned i = 0; i < op->parameters; i++)
        weir_text_append(out, ", const float %s", op->parameter_names[i]);
    weir_text_append(out, ")\n{\n    return %s;\n}\n\n", op->expression);
}

static void put_head(weir_text *out, const wi_op *op, const wi_draw_kind *kinds)
{
    weir_text_append(out, "__kernel void weir_%s(const ulong count", op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char x = name_of(i);

        if (kinds[i] == WI_DRAW_NONE)
            weir_text_append(out, ", __global const float *%c, const ulong %c_at", x, x);
        else
            weir_text_append(out, ", const ulong %c_seed, const ulong %c_draw, const ulong %c_quad",
                             x, x, x);
    }
    for (unsigned i = 0; i < op->parameters; i++)
        weir_text_append(out, ", const float %s", op->parameter_names[i]);
    weir_text_append(out, ", __global float *out, const ulong out_at)\n{\n");
}

/* One vector: store(operation(operands)). */
static void put_vector(weir_text *out, const wi_op *op, const wi_draw_kind *kinds, unsigned vector)
{
    weir_text_append(out, "    wi_store(out, left, %u * WEIR_WIDTH, op_%s(", vector, op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char x = name_of(i);

        if (i > 0) weir_text_append(out, ", ");
        if (kinds[i] == WI_DRAW_NONE)
            weir_text_append(out, "wi_load(%c, left, %u * WEIR_WIDTH)", x, vector);
        else
            weir_text_append(out, "%c.v%u", x, vector);
    }
    for (unsigned i = 0; i < op->parameters; i++)
        weir_text_append(out, ", %s", op->parameter_names[i]);
    weir_text_append(out, "));\n");
}

static void put_body(weir_text *out, const wi_op *op, const wi_draw_kind *kinds)
{
    static const char *const draws[] = {
        [WI_DRAW_NORMAL] = "wi_draw_normal", [WI_DRAW_UNIFORM] = "wi_draw_uniform"};
    const unsigned vectors = wi_kernel_vectors(op, kinds);

    weir_text_append(out,
                     "    const ulong element = (ulong)get_global_id(0) * (%u * WEIR_WIDTH);\n"
                     "    if (element >= count) return;\n"
                     "    const ulong left = count - element;\n"
                     "    out += out_at + element;\n",
                     vectors);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char x = name_of(i);

        if (kinds[i] == WI_DRAW_NONE) {
            weir_text_append(out, "    %c += %c_at + element;\n", x, x);
        } else {
            weir_text_append(
                out, "    const wi_quad_f %c = %s(%c_seed, %c_draw, %c_quad + element / 4);\n", x,
                draws[kinds[i]], x, x, x);
        }
    }
    for (unsigned vector = 0; vector < vectors; vector++) put_vector(out, op, kinds, vector);
    weir_text_append(out, "}\n");
}

weir_status wi_kernel_text_write(const wi_op *op, const wi_draw_kind *kinds, wi_kernel_text *out)
{
    weir_status status = weir_text_create(&out->text);

    if (status != WEIR_OK) return status;
    (void)snprintf(out->name, sizeof out->name, "weir_%s", op->name);
    put_operation(out->text, op);
    put_head(out->text, op, kinds);
    put_body(out->text, op, kinds);
    status = weir_text_get_status(out->text);
    if (status != WEIR_OK) return status;
    if (!wi_source_find("elementwise.cl", &out->sources[0])) {
        return wi_fail(WEIR_E_BUILD, out->name, "elementwise.cl is not in this build");
    }
    out->sources[1] =
        (wi_source){out->name, weir_text_get(out->text), weir_text_get_bytes(out->text)};
    return WEIR_OK;
}

void wi_kernel_text_fini(wi_kernel_text *text)
{
    weir_text_destroy(text->text);
    *text = (wi_kernel_text){0};
}
