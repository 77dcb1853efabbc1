/* Gradient columns into operations.
 *
 * An expression is read word by word. The words that are values (g, a, b, y) say what a tape must keep, and are renamed
 * to the inputs a, b, c, d of an operation of its own. If that is a row of the table, the row stands in.
 */
#include "row.h"

#include <ctype.h>
#include <string.h>

#define VALUES 4

static const char value_names[VALUES] = {'g', 'a', 'b', 'y'};

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* The value that a word names, or -1. */
static int find_value(const wi_op_row *row, const char *word, size_t length)
{
    if (length != 1) return -1;
    for (int v = 0; v < VALUES; v++) {
        const int is_input = v == WI_VALUE_A || v == WI_VALUE_B;

        if (is_input && (unsigned)(v - WI_VALUE_A) >= row->inputs) continue;
        if (*word == value_names[v]) return v;
    }
    return -1;
}

static int is_parameter(const wi_op_row *row, const char *word, size_t length)
{
    for (unsigned i = 0; i < wg_parameter_count(row); i++) {
        const char *name = row->parameters[i];

        if (strlen(name) == length && strncmp(name, word, length) == 0) return 1;
    }
    return 0;
}

/* Visits the words of the expression: marks the values in `used`, or, with `input_of`, writes the renamed text. */
static const char *read_words(const wi_op_row *row, const char *text, int *used,
                              const int *input_of, wg_gradient *out)
{
    size_t at = 0;

    while (*text != '\0') {
        size_t length = 1;
        int value = -1;

        if (is_word(*text)) {
            while (is_word(text[length])) length++;
            value = find_value(row, text, length);
            if (value >= 0)
                used[value] = 1;
            else if (is_parameter(row, text, length))
                out->parameters = 1;
            else if (!isdigit((unsigned char)*text) && strncmp(text, "wi_", 3) != 0)
                return "a gradient names something unknown";
        }
        if (at + length >= sizeof out->expression) return "a gradient is too long";
        memcpy(out->expression + at, text, length);
        if (value >= 0 && input_of != NULL) out->expression[at] = (char)('a' + input_of[value]);
        at += length;
        text += length;
    }
    out->expression[at] = '\0';
    return NULL;
}

const char *wg_gradient_read(const wi_op_row *row, unsigned input, wg_gradient *out)
{
    const char *text = row->gradient[input];
    const char *wrong = NULL;
    int used[VALUES] = {0};
    int input_of[VALUES] = {0};

    memset(out, 0, sizeof *out);
    if (text == NULL) return NULL;
    if (row->form != WI_FORM_ELEMENTWISE) {
        out->kind = WI_GRADIENT_FUNCTION;
        return NULL;
    }
    wrong = read_words(row, text, used, NULL, out);
    if (wrong != NULL) return wrong;
    if (!used[WI_VALUE_G]) return "a gradient must contain g";
    for (int v = 0; v < VALUES; v++) {
        if (!used[v]) continue;
        input_of[v] = (int)out->inputs;
        out->order[out->inputs++] = (unsigned char)v;
        if (v != WI_VALUE_G) out->needs |= 1u << v;
    }
    out->kind = strcmp(text, "g") == 0 ? WI_GRADIENT_PASS : WI_GRADIENT_ROW;
    return read_words(row, text, used, input_of, out);
}

int wg_is_differentiable(const wi_op_row *row)
{
    for (unsigned i = 0; i < row->inputs; i++) {
        if (row->gradient[i] != NULL) return 1;
    }
    return 0;
}

/* The row of the table that computes the same, or NULL. */
static const wi_op_row *find_row(const wi_op_row *of, const wg_gradient *gradient)
{
    for (size_t i = 0; i < wg_row_count; i++) {
        const wi_op_row *row = &wg_rows[i];

        if (row->form != WI_FORM_ELEMENTWISE || row->inputs != gradient->inputs) continue;
        if (wg_parameter_count(row) != gradient->parameters) continue;
        if (gradient->parameters > 0 && strcmp(row->parameters[0], of->parameters[0]) != 0)
            continue;
        if (strcmp(row->expression, gradient->expression) == 0) return row;
    }
    return NULL;
}

static void put_row(FILE *file, const wi_op_row *row, unsigned input, const wg_gradient *gradient,
                    unsigned number)
{
    fprintf(file, "    {.id = WI_OP_COUNT + 1 + %u,\n     .name = \"%s_gradient_%s\",\n", number,
            row->name, wg_input_names[input]);
    fputs("     .call = \"weir_tape_gradient\",\n     .form = WI_FORM_ELEMENTWISE,\n"
          "     .dtypes = WI_DTYPES_F32,\n",
          file);
    fprintf(file, "     .inputs = %u,\n     .parameters = %u,\n", gradient->inputs,
            gradient->parameters);
    if (gradient->parameters > 0)
        fprintf(file, "     .parameter_names[0] = \"%s\",\n", row->parameters[0]);
    fputs("     .expression = ", file);
    wg_put_string(file, gradient->expression);
    fputs(",\n    },\n", file);
}

static void put_entry(FILE *file, const wi_op_row *row, unsigned input, unsigned *rows)
{
    wg_gradient gradient;
    const wi_op_row *same = NULL;

    (void)wg_gradient_read(row, input, &gradient);
    switch (gradient.kind) {
    case WI_GRADIENT_NONE:
        return;
    case WI_GRADIENT_PASS:
        fprintf(file, "         [%u] = {.kind = WI_GRADIENT_PASS},\n", input);
        return;
    case WI_GRADIENT_FUNCTION:
        fprintf(file, "         [%u] = {.kind = WI_GRADIENT_FUNCTION, .function = %s},\n", input,
                row->gradient[input]);
        return;
    case WI_GRADIENT_ROW:
        break;
    }
    same = find_row(row, &gradient);
    fprintf(file, "         [%u] = {.kind = WI_GRADIENT_ROW,\n                .row = &", input);
    if (same != NULL) {
        fputs("wi_op_rows[WI_OP_", file);
        wg_put_upper(file, same->name);
        fputs("],\n", file);
    } else {
        fprintf(file, "gradient_rows[%u],\n", (*rows)++);
    }
    fprintf(file, "                .needs = %u,\n                .order = {", gradient.needs);
    for (unsigned i = 0; i < gradient.inputs; i++)
        fprintf(file, "%s%u", i > 0 ? ", " : "", gradient.order[i]);
    fputs("}},\n", file);
}

void wg_put_gradients(FILE *file)
{
    unsigned rows = 0;

    fputs(
        "\n/* Gradients that are no row of the table. */\nstatic const wi_op gradient_rows[] = {\n",
        file);
    for (size_t i = 0; i < wg_row_count; i++) {
        for (unsigned input = 0; input < wg_rows[i].inputs; input++) {
            wg_gradient gradient;

            (void)wg_gradient_read(&wg_rows[i], input, &gradient);
            if (gradient.kind != WI_GRADIENT_ROW || find_row(&wg_rows[i], &gradient) != NULL)
                continue;
            put_row(file, &wg_rows[i], input, &gradient, rows++);
        }
    }
    fputs("};\n\nconst wi_op_gradient wi_op_gradients[WI_OP_COUNT][WI_OP_INPUTS_MAX] = {\n", file);
    rows = 0;
    for (size_t i = 0; i < wg_row_count; i++) {
        if (!wg_is_differentiable(&wg_rows[i])) continue;
        fputs("    [WI_OP_", file);
        wg_put_upper(file, wg_rows[i].name);
        fputs("] =\n        {\n", file);
        for (unsigned input = 0; input < wg_rows[i].inputs; input++)
            put_entry(file, &wg_rows[i], input, &rows);
        fputs("        },\n", file);
    }
    fputs("};\n", file);
}
