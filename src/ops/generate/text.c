/* Words into lines: comments and signatures of generated files are broken as the rest of the tree is. */
#include "row.h"

#include <ctype.h>
#include <string.h>

#define COLUMNS 100

unsigned wg_parameter_count(const wi_op_row *row)
{
    unsigned count = 0;

    while (count < WI_OP_PARAMETERS_MAX && row->parameters[count] != NULL) count++;
    return count;
}

void wg_put_upper(FILE *file, const char *name)
{
    for (; *name != '\0'; name++) fputc(toupper((unsigned char)*name), file);
}

void wg_put_text(FILE *file, const char *first, const char *indent, const char *text)
{
    size_t column = strlen(first);
    int is_start = 1;

    fputs(first, file);
    while (*text != '\0') {
        const size_t word = strcspn(text, " ");

        if (!is_start && column + 1 + word > COLUMNS) {
            fprintf(file, "\n%s", indent);
            column = strlen(indent);
            is_start = 1;
        }
        if (!is_start) {
            fputc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", (int)word, text);
        column += word;
        is_start = 0;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

/* One parameter of a signature, with the separator before it. */
static void put_parameter(FILE *file, size_t *column, size_t margin, const char *type,
                          const char *name)
{
    const size_t length = strlen(type) + strlen(name);

    if (*column > margin) {
        fputc(',', file);
        (*column)++;
        if (*column + 1 + length + 1 > COLUMNS) {
            fprintf(file, "\n%*s", (int)margin, "");
            *column = margin;
        } else {
            fputc(' ', file);
            (*column)++;
        }
    }
    fprintf(file, "%s%s", type, name);
    *column += length;
}

void wg_put_signature(FILE *file, const char *before, const wi_op_row *row)
{
    const unsigned parameters = wg_parameter_count(row);
    size_t margin;
    size_t column;

    margin = (size_t)fprintf(file, "%sweir_status weir_%s(", before, row->name);
    column = margin;
    put_parameter(file, &column, margin, "weir_context *", "context");
    for (unsigned i = 0; i < row->inputs; i++) {
        put_parameter(file, &column, margin, "weir_tensor *", wg_input_names[i]);
    }
    if (row->form == WI_FORM_DRAW) {
        put_parameter(file, &column, margin, "weir_generator *", "generator");
    }
    if (row->form == WI_FORM_FILL) put_parameter(file, &column, margin, "weir_dtype ", "dtype");
    if (row->shape == WI_SHAPE_GIVEN) {
        put_parameter(file, &column, margin, "const weir_shape *", "shape");
    }
    if (row->shape == WI_SHAPE_PERMUTED || row->shape == WI_SHAPE_REDUCED) {
        put_parameter(file, &column, margin, "const int *", "axes");
    }
    if (row->shape == WI_SHAPE_REDUCED) {
        put_parameter(file, &column, margin, "unsigned ", "n_axes");
        put_parameter(file, &column, margin, "int ", "keep_dims");
    }
    for (unsigned i = 0; i < parameters; i++) {
        put_parameter(file, &column, margin, row->form == WI_FORM_FILL ? "double " : "float ",
                      row->parameters[i]);
    }
    put_parameter(file, &column, margin, "weir_tensor **", "out");
    fputc(')', file);
}
