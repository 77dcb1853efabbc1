/* Writes what the library compiles: the enum of operations, their rows, and the public functions.
 *
 * A public function only packs its arguments; all checks are in ops/launch.c, fill.c and random.c, driven by the row.
 */
#include "row.h"

void wg_write_list(FILE *file)
{
    fputs("/* The operations by number. Written by the build from ops/op_table.def. */\n"
          "#ifndef WI_OPS_OP_LIST_H\n"
          "#define WI_OPS_OP_LIST_H\n\n"
          "typedef enum wi_op_id {\n",
          file);
    for (size_t i = 0; i < wg_row_count; i++) {
        fputs("    WI_OP_", file);
        wg_put_upper(file, wg_rows[i].name);
        fputs(",\n", file);
    }
    fputs("    WI_OP_COUNT\n} wi_op_id;\n\n#endif\n", file);
}

/* A C string; the table's texts need no escapes but these. */
void wg_put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static const char *form_name(wi_form form)
{
    static const char *const names[] = {"WI_FORM_NONE", "WI_FORM_ELEMENTWISE", "WI_FORM_FILL",
                                        "WI_FORM_DRAW", "WI_FORM_VIEW",        "WI_FORM_REDUCE"};

    return names[form];
}

static const char *dtypes_name(wi_dtype_rule rule)
{
    static const char *const names[] = {"WI_DTYPES_NONE", "WI_DTYPES_F32", "WI_DTYPES_ANY"};

    return names[rule];
}

void wg_write_rows(FILE *file)
{
    fputs("/* What the library knows of each operation. Written by the build from "
          "ops/op_table.def. */\n"
          "#include \"ops/gradient.h\"\n\n"
          "const wi_op wi_op_rows[WI_OP_COUNT] = {\n",
          file);
    for (size_t i = 0; i < wg_row_count; i++) {
        const wi_op_row *row = &wg_rows[i];
        const unsigned parameters = wg_parameter_count(row);

        fputs("    {.id = WI_OP_", file);
        wg_put_upper(file, row->name);
        fprintf(file, ",\n     .name = \"%s\",\n     .call = \"weir_%s\",\n", row->name, row->name);
        fprintf(file, "     .form = %s,\n     .dtypes = %s,\n", form_name(row->form),
                dtypes_name(row->dtype));
        fprintf(file, "     .inputs = %u,\n     .parameters = %u,\n", row->inputs, parameters);
        for (unsigned p = 0; p < parameters; p++) {
            fprintf(file, "     .parameter_names[%u] = \"%s\",\n", p, row->parameters[p]);
        }
        if (row->form == WI_FORM_DRAW) {
            fprintf(file, "     .draw = %s,\n", row->expression);
        } else if (row->form == WI_FORM_VIEW) {
            fprintf(file, "     .view = %s,\n", row->expression);
        } else if (row->expression != NULL) {
            fputs("     .expression = ", file);
            wg_put_string(file, row->expression);
            fputs(",\n", file);
        }
        fputs("    },\n", file);
    }
    fputs("};\n", file);
    wg_put_gradients(file);
}

static void put_elementwise(FILE *file, const wi_op_row *row)
{
    const unsigned parameters = wg_parameter_count(row);

    fputs("    weir_tensor *const inputs[] = {", file);
    for (unsigned i = 0; i < row->inputs; i++) {
        fprintf(file, "%s%s", i == 0 ? "" : ", ", wg_input_names[i]);
    }
    fputs("};\n", file);
    if (parameters > 0) {
        fputs("    const float parameters[] = {", file);
        for (unsigned i = 0; i < parameters; i++) {
            fprintf(file, "%s%s", i == 0 ? "" : ", ", row->parameters[i]);
        }
        fputs("};\n", file);
    }
    fputs("\n    return wi_op_elementwise(context, &wi_op_rows[WI_OP_", file);
    wg_put_upper(file, row->name);
    fprintf(file, "], inputs, %s, out);\n", parameters > 0 ? "parameters" : "NULL");
}

/* "    return FUNCTION(context, &wi_op_rows[WI_OP_NAME], " */
static void put_return(FILE *file, const wi_op_row *row, const char *function)
{
    fprintf(file, "    return %s(context, &wi_op_rows[WI_OP_", function);
    wg_put_upper(file, row->name);
    fputs("], ", file);
}

static void put_call(FILE *file, const wi_op_row *row)
{
    wg_put_signature(file, "", row);
    fputs("\n{\n", file);
    switch (row->form) {
    case WI_FORM_ELEMENTWISE:
        put_elementwise(file, row);
        break;
    case WI_FORM_FILL:
        put_return(file, row, "wi_op_fill");
        fprintf(file, "dtype, shape, %s, out);\n",
                wg_parameter_count(row) > 0 ? row->parameters[0] : "0.0");
        break;
    case WI_FORM_DRAW:
        put_return(file, row, "wi_op_draw");
        fputs("generator, shape, out);\n", file);
        break;
    case WI_FORM_VIEW:
        put_return(file, row, "wi_op_view");
        fputs(row->shape == WI_SHAPE_PERMUTED ? "a, axes, NULL, out);\n"
                                              : "a, NULL, shape, out);\n",
              file);
        break;
    case WI_FORM_REDUCE:
        put_return(file, row, "wi_op_reduce");
        fputs("a, axes, n_axes, keep_dims, out);\n", file);
        break;
    case WI_FORM_NONE:
        break;
    }
    fputs("}\n", file);
}

void wg_write_calls(FILE *file)
{
    fputs("/* The functions of weir/ops.h. Written by the build from ops/op_table.def. */\n"
          "#include \"ops/op.h\"\n\n"
          "#include <weir/ops.h>\n\n"
          "#include <stddef.h>\n",
          file);
    for (size_t i = 0; i < wg_row_count; i++) {
        fputc('\n', file);
        put_call(file, &wg_rows[i]);
    }
}
