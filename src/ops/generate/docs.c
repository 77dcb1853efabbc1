/* Writes docs/ops.md and the rows of the generated tests. */
#include "row.h"

/* A number as the table has it; bounds such as 3e38 stay short. */
static void put_domain(FILE *file, const wi_domain *domain)
{
    fprintf(file, "{%.17g, %.17g}", domain->low, domain->high);
}

static void put_doc_call(FILE *file, const wi_op_row *row)
{
    fprintf(file, "`weir_%s(", row->name);
    fputs("context", file);
    for (unsigned i = 0; i < row->inputs; i++) fprintf(file, ", %s", wg_input_names[i]);
    if (row->form == WI_FORM_DRAW) fputs(", generator", file);
    if (row->form == WI_FORM_FILL) fputs(", dtype", file);
    if (row->shape == WI_SHAPE_GIVEN) fputs(", shape", file);
    if (row->shape == WI_SHAPE_PERMUTED) fputs(", axes", file);
    if (row->shape == WI_SHAPE_REDUCED) fputs(", axes, n_axes, keep_dims", file);
    for (unsigned i = 0; i < wg_parameter_count(row); i++)
        fprintf(file, ", %s", row->parameters[i]);
    fputs(", &out)`", file);
}

static const char *error_text(double ulp)
{
    if (ulp <= 0.0) return "exact";
    if (ulp <= 0.5) return "rounded to nearest";
    return NULL;
}

/* What a tape keeps of a call. */
static const char *keeps_text(const wi_op_row *row)
{
    unsigned needs = 0;

    if (!wg_is_differentiable(row)) return "-";
    for (unsigned i = 0; i < row->inputs; i++) {
        wg_gradient gradient;

        (void)wg_gradient_read(row, i, &gradient);
        needs |= gradient.needs;
    }
    if (needs == 0) return "nothing";
    if (needs == WI_NEEDS_Y) return "result";
    return (needs & WI_NEEDS_Y) != 0 ? "inputs, result" : "inputs";
}

void wg_write_docs(FILE *file)
{
    fputs("# Operations\n\n"
          "Written by the build from `src/ops/op_table.def`; a test compares this page with what "
          "the build writes.\n"
          "`weir/ops.h` has each function's ownership, order, threads and errors.\n\n"
          "| call | what it does | at the edges | element types | error | backward keeps |\n"
          "|---|---|---|---|---|---|\n",
          file);
    for (size_t i = 0; i < wg_row_count; i++) {
        const wi_op_row *row = &wg_rows[i];

        fputs("| ", file);
        put_doc_call(file, row);
        fprintf(file, " | %s | %s | %s | ", row->doc, row->edge,
                row->dtype == WI_DTYPES_F32 ? "f32" : "all");
        if (row->form != WI_FORM_ELEMENTWISE) {
            fputs("- | ", file);
        } else if (error_text(row->ulp) != NULL) {
            fprintf(file, "%s | ", error_text(row->ulp));
        } else {
            fprintf(file, "at most %g ulp | ", row->ulp);
        }
        fprintf(file, "%s |\n", keeps_text(row));
    }
    fputs(
        "\nShapes of the inputs of one call are aligned at their last dimension; extents are "
        "equal, or one of them is 1 "
        "and that\ninput is repeated, as in numpy. A NaN result is 0x7fc00000 on every device. The "
        "error is that of "
        "normal results against\nthe exact value; a test holds each row to it.\n\n"
        "The last column is what a gradient tape keeps of a call until backward has passed it; "
        "of the inputs only "
        "those\nthat the gradients asked for need. Calls with \"-\" have no gradient.\n",
        file);
}

static void put_case_functions(FILE *file, const wi_op_row *row)
{
    const unsigned parameters = wg_parameter_count(row);

    fprintf(file, "static float host_%s(const float *x)\n{\n", row->name);
    for (unsigned i = 0; i < row->inputs; i++)
        fprintf(file, "    const wi_f %s = x[%u];\n", wg_input_names[i], i);
    for (unsigned i = 0; i < parameters; i++) {
        fprintf(file, "    const float %s = x[%u];\n", row->parameters[i], row->inputs + i);
    }
    fprintf(file, "\n    return %s;\n}\n\n", row->expression);

    fprintf(file, "static double reference_%s(const double *x)\n{\n", row->name);
    for (unsigned i = 0; i < row->inputs; i++)
        fprintf(file, "    const double %s = x[%u];\n", wg_input_names[i], i);
    for (unsigned i = 0; i < parameters; i++) {
        fprintf(file, "    const double %s = x[%u];\n", row->parameters[i], row->inputs + i);
    }
    fprintf(file, "\n    return %s;\n}\n\n", row->reference);

    fprintf(file,
            "static weir_status call_%s(weir_context *context, weir_tensor *const *inputs, const "
            "float *parameters,\n"
            "                           weir_tensor **out)\n{\n",
            row->name);
    if (parameters == 0) fputs("    (void)parameters;\n", file);
    fprintf(file, "    return weir_%s(context", row->name);
    for (unsigned i = 0; i < row->inputs; i++) fprintf(file, ", inputs[%u]", i);
    for (unsigned i = 0; i < parameters; i++) fprintf(file, ", parameters[%u]", i);
    fputs(", out);\n}\n\n", file);
}

/* The values that the text of a case may name, from the array of inputs and parameters. */
static void put_case_values(FILE *file, const wi_op_row *row)
{
    for (unsigned i = 0; i < row->inputs; i++)
        fprintf(file, "    const wi_f %s = x[%u];\n    (void)%s;\n", wg_input_names[i], i,
                wg_input_names[i]);
    for (unsigned i = 0; i < wg_parameter_count(row); i++) {
        fprintf(file, "    const float %s = x[%u];\n    (void)%s;\n", row->parameters[i],
                row->inputs + i, row->parameters[i]);
    }
}

static void put_case_gradients(FILE *file, const wi_op_row *row)
{
    for (unsigned i = 0; i < row->inputs; i++) {
        if (row->gradient[i] == NULL) continue;
        fprintf(file, "static float gradient_%s_%s(const float *x, float g, float y)\n{\n",
                row->name, wg_input_names[i]);
        put_case_values(file, row);
        fprintf(file, "    (void)y;\n\n    return %s;\n}\n\n", row->gradient[i]);
    }
}

/* Names of the functions above, NULL where there is none. */
static void put_gradient_names(FILE *file, const wi_op_row *row)
{
    for (unsigned i = 0; i < row->inputs; i++) {
        if (i > 0) fputs(", ", file);
        if (row->gradient[i] == NULL)
            fputs("NULL", file);
        else
            fprintf(file, "gradient_%s_%s", row->name, wg_input_names[i]);
    }
}

void wg_write_cases(FILE *file)
{
    fputs("/* Elementwise rows as tests see them. Written by the build from ops/op_table.def; the "
          "includer has the types.\n"
          " * host_x is the kernel's own text compiled for the host, reference_x the same in wider "
          "precision,\n"
          " * gradient_x_a the text of the gradient of input a. */\n\n",
          file);
    for (size_t i = 0; i < wg_row_count; i++) {
        if (wg_rows[i].form != WI_FORM_ELEMENTWISE) continue;
        put_case_functions(file, &wg_rows[i]);
        put_case_gradients(file, &wg_rows[i]);
    }
    fputs("static const op_case op_cases[] = {\n", file);
    for (size_t i = 0; i < wg_row_count; i++) {
        const wi_op_row *row = &wg_rows[i];
        const unsigned values = row->inputs + wg_parameter_count(row);

        if (row->form != WI_FORM_ELEMENTWISE) continue;
        fprintf(file, "    {\"%s\", %u, %u, %g, {", row->name, row->inputs, values - row->inputs,
                row->ulp);
        for (unsigned v = 0; v < values; v++) {
            if (v > 0) fputs(", ", file);
            put_domain(file, &row->domain[v]);
        }
        fprintf(file, "}, host_%s, reference_%s, call_%s, {", row->name, row->name, row->name);
        put_gradient_names(file, row);
        fputs("}, {", file);
        for (unsigned v = 0; v < values; v++) {
            if (v > 0) fputs(", ", file);
            put_domain(file, &row->gradient_domain[v]);
        }
        fputs("}},\n", file);
    }
    fputs("};\n", file);
}
