/* Writes the text of elementwise kernels.
 *
 * An operation becomes a function of vectors, and the kernel calls it once a vector with loads or draws as arguments
 * and a store around it. So a draw or a broadcast costs no memory traffic and no launch of its own, and a text that
 * chains several operations calls several such functions. Called on a miss of the context's kernel cache only.
 */
#include "ops/kernel_text.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* The name of input i in expressions. */
static char name_of(unsigned i) { return (char)('a' + (int)i); }

weir_status wi_kernel_text_begin(wi_kernel_text *out, const char *name)
{
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    out->source_count = 0;
    return weir_text_create(&out->text);
}

weir_status wi_kernel_text_add(wi_kernel_text *out, const char *file)
{
    if (!wi_source_find(file, &out->sources[out->source_count])) {
        return wi_fail(WEIR_E_BUILD, out->name, "%s is not in this build", file);
    }
    out->source_count++;
    return WEIR_OK;
}

weir_status wi_kernel_text_add_strided(wi_kernel_text *out, unsigned dims)
{
    static const char texts[][20] = {
        [1] = "#define WI_DIMS 1\n",
        [2] = "#define WI_DIMS 2\n",
        [4] = "#define WI_DIMS 4\n",
        [8] = "#define WI_DIMS 8\n",
    };

    out->sources[out->source_count++] = (wi_source){"dimensions", texts[dims], strlen(texts[dims])};
    return wi_kernel_text_add(out, "strided.h");
}

weir_status wi_kernel_text_end(wi_kernel_text *out)
{
    out->sources[out->source_count++] =
        (wi_source){out->name, weir_text_get(out->text), weir_text_get_bytes(out->text)};
    return weir_text_get_status(out->text);
}

void wi_kernel_text_fini(wi_kernel_text *text)
{
    weir_text_destroy(text->text);
    text->text = NULL;
}

void wi_kernel_text_put_dims(weir_text *out, unsigned dims, const char *name)
{
    for (unsigned k = 0; k < dims; k++) weir_text_append(out, ", const ulong %s%u", name, k);
}

void wi_kernel_text_make_dims(weir_text *out, unsigned dims, const char *variable, const char *name)
{
    weir_text_append(out, "    const wi_dims %s = {{", variable);
    for (unsigned k = 0; k < dims; k++) weir_text_append(out, "%s%s%u", k > 0 ? ", " : "", name, k);
    weir_text_append(out, "}};\n");
}

unsigned wi_kernel_vectors(const wi_op *op, const wi_kernel_form *form)
{
    for (unsigned i = 0; i < op->inputs; i++) {
        const wi_operand_kind kind = form->kinds[i];

        if (kind == WI_OPERAND_NORMAL || kind == WI_OPERAND_UNIFORM) return 4;
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

static void put_operand(weir_text *out, const wi_kernel_form *form, unsigned input)
{
    const char x = name_of(input);
    char strides[16];

    switch (form->kinds[input]) {
    case WI_OPERAND_NORMAL:
    case WI_OPERAND_UNIFORM:
        weir_text_append(out, ", const ulong %c_seed, const ulong %c_draw, const ulong %c_quad", x,
                         x, x);
        return;
    case WI_OPERAND_DENSE:
    case WI_OPERAND_STRIDED:
        weir_text_append(out, ", __global const float *%c, const ulong %c_at", x, x);
        break;
    }
    if (form->kinds[input] != WI_OPERAND_STRIDED) return;
    (void)snprintf(strides, sizeof strides, "%c_s", x);
    wi_kernel_text_put_dims(out, form->dims, strides);
}

static void put_head(weir_text *out, const wi_op *op, const wi_kernel_form *form)
{
    weir_text_append(out, "__kernel void weir_%s(const ulong count", op->name);
    if (form->dims > 0) {
        weir_text_append(out, ", const ulong first");
        wi_kernel_text_put_dims(out, form->dims, "n");
    }
    for (unsigned i = 0; i < op->inputs; i++) put_operand(out, form, i);
    for (unsigned i = 0; i < op->parameters; i++)
        weir_text_append(out, ", const float %s", op->parameter_names[i]);
    weir_text_append(out, ", __global float *out, const ulong out_at)\n{\n");
}

/* One vector: store(operation(operands)). */
static void put_vector(weir_text *out, const wi_op *op, const wi_kernel_form *form, unsigned vector)
{
    if (form->dims > 0) {
        weir_text_append(out,
                         "    wi_dims i%u;\n"
                         "    wi_index(first + element + %u * WEIR_WIDTH, extents, &i%u);\n",
                         vector, vector, vector);
    }
    weir_text_append(out, "    wi_store(out, left, %u * WEIR_WIDTH, op_%s(", vector, op->name);
    for (unsigned i = 0; i < op->inputs; i++) {
        const char x = name_of(i);

        if (i > 0) weir_text_append(out, ", ");
        switch (form->kinds[i]) {
        case WI_OPERAND_DENSE:
            weir_text_append(out, "wi_load(%c, left, %u * WEIR_WIDTH)", x, vector);
            break;
        case WI_OPERAND_STRIDED:
            weir_text_append(out,
                             "wi_load_strided(%c, left, %u * WEIR_WIDTH, i%u, extents, %c_strides)",
                             x, vector, vector, x);
            break;
        case WI_OPERAND_NORMAL:
        case WI_OPERAND_UNIFORM:
            weir_text_append(out, "%c.v%u", x, vector);
            break;
        }
    }
    for (unsigned i = 0; i < op->parameters; i++)
        weir_text_append(out, ", %s", op->parameter_names[i]);
    weir_text_append(out, "));\n");
}

/* What of an operand is the same for all vectors of an item. */
static void put_start(weir_text *out, const wi_kernel_form *form, unsigned input)
{
    static const char *const draws[] = {
        [WI_OPERAND_NORMAL] = "wi_draw_normal", [WI_OPERAND_UNIFORM] = "wi_draw_uniform"};
    const wi_operand_kind kind = form->kinds[input];
    const char x = name_of(input);
    char strides[16];
    char arguments[16];

    switch (kind) {
    case WI_OPERAND_DENSE:
        weir_text_append(out, "    %c += %c_at + element;\n", x, x);
        break;
    case WI_OPERAND_STRIDED:
        (void)snprintf(strides, sizeof strides, "%c_strides", x);
        (void)snprintf(arguments, sizeof arguments, "%c_s", x);
        weir_text_append(out, "    %c += %c_at;\n", x, x);
        wi_kernel_text_make_dims(out, form->dims, strides, arguments);
        break;
    case WI_OPERAND_NORMAL:
    case WI_OPERAND_UNIFORM:
        weir_text_append(out,
                         "    const wi_quad_f %c = %s(%c_seed, %c_draw, %c_quad + element / 4);\n",
                         x, draws[kind], x, x, x);
        break;
    }
}

static void put_body(weir_text *out, const wi_op *op, const wi_kernel_form *form)
{
    const unsigned vectors = wi_kernel_vectors(op, form);

    weir_text_append(out,
                     "    const ulong element = (ulong)get_global_id(0) * (%u * WEIR_WIDTH);\n"
                     "    if (element >= count) return;\n"
                     "    const ulong left = count - element;\n"
                     "    out += out_at + element;\n",
                     vectors);
    if (form->dims > 0) wi_kernel_text_make_dims(out, form->dims, "extents", "n");
    for (unsigned i = 0; i < op->inputs; i++) put_start(out, form, i);
    for (unsigned vector = 0; vector < vectors; vector++) put_vector(out, op, form, vector);
    weir_text_append(out, "}\n");
}

weir_status wi_kernel_text_write(const wi_op *op, const wi_kernel_form *form, wi_kernel_text *out)
{
    weir_status status = WEIR_OK;
    char name[sizeof out->name];

    (void)snprintf(name, sizeof name, "weir_%s", op->name);
    status = wi_kernel_text_begin(out, name);
    if (status != WEIR_OK) return status;
    put_operation(out->text, op);
    put_head(out->text, op, form);
    put_body(out->text, op, form);
    if (form->dims > 0) status = wi_kernel_text_add_strided(out, form->dims);
    if (status == WEIR_OK) status = wi_kernel_text_add(out, "elementwise.cl");
    return status == WEIR_OK ? wi_kernel_text_end(out) : status;
}
