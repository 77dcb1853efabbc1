/* Turns the op table into text: the header, the functions, the library's rows, the documentation, the tests' rows.
 *
 * Usage: weir_ops_generate INCLUDE_DIR SOURCE_DIR. The folders exist. Rows are checked first, so that a forgotten column
 * stops the build with the row's name and not a test much later. Exit: 0 ok, 1 a row is wrong or a file cannot be
 * written, 2 usage.
 */
#include "row.h"

#include <string.h>

#define WI_OP(Name, ...) {.name = #Name, __VA_ARGS__},
const wi_op_row wg_rows[] = {
#include "ops/op_table.def"
};
#undef WI_OP

const size_t wg_row_count = sizeof wg_rows / sizeof wg_rows[0];
const char *const wg_input_names[WI_OP_INPUTS_MAX] = {"a", "b", "c", "d"};

static int complain(const wi_op_row *row, const char *what)
{
    fprintf(stderr, "op_table.def: row %s: %s\n", row->name, what);
    return 0;
}

static int check_elementwise(const wi_op_row *row)
{
    const unsigned values = row->inputs + wg_parameter_count(row);

    if (row->inputs == 0) return complain(row, "an elementwise operation has inputs");
    if (row->shape != WI_SHAPE_BROADCAST) return complain(row, "its shape rule is BROADCAST");
    if (row->dtype != WI_DTYPES_F32) return complain(row, "its dtype rule is F32");
    if (row->expression == NULL) return complain(row, "no expression");
    if (row->reference == NULL) return complain(row, "no reference");
    for (unsigned i = 0; i < values; i++) {
        if (!(row->domain[i].low < row->domain[i].high)) return complain(row, "empty domain");
        if (wg_is_differentiable(row) &&
            !(row->gradient_domain[i].low < row->gradient_domain[i].high)) {
            return complain(row, "empty gradient_domain");
        }
    }
    return 1;
}

static int check_source(const wi_op_row *row)
{
    if (row->inputs != 0) return complain(row, "it has no inputs");
    if (row->shape != WI_SHAPE_GIVEN) return complain(row, "its shape rule is GIVEN");
    if (row->reference != NULL) return complain(row, "reference is for elementwise rows");
    if ((row->form == WI_FORM_DRAW) != (row->expression != NULL)) {
        return complain(row, "a draw names its kind, a fill has no expression");
    }
    return 1;
}

static int check_view(const wi_op_row *row)
{
    if (row->inputs != 1) return complain(row, "a view has one input");
    if (row->expression == NULL) return complain(row, "a view names its kind");
    return row->reference == NULL || complain(row, "reference is for elementwise rows");
}

static int check_reduction(const wi_op_row *row)
{
    if (row->inputs != 1) return complain(row, "a reduction has one input");
    if (row->shape != WI_SHAPE_REDUCED) return complain(row, "its shape rule is REDUCED");
    return row->expression == NULL || complain(row, "a reduction has no expression");
}

/* Returns 1 if the row has what its form needs and nothing that the form ignores. */
static int check_row(const wi_op_row *row)
{
    wg_gradient gradient;

    if (row->doc == NULL || row->edge == NULL) return complain(row, "doc and edge are required");
    if (row->shape == WI_SHAPE_NONE) return complain(row, "no shape rule");
    if (row->dtype == WI_DTYPES_NONE) return complain(row, "no dtype rule");
    if (row->inputs > 2) return complain(row, "too many inputs");
    for (unsigned i = 0; i < row->inputs; i++) {
        const char *wrong = wg_gradient_read(row, i, &gradient);

        if (wrong != NULL) return complain(row, wrong);
    }
    switch (row->form) {
    case WI_FORM_ELEMENTWISE:
        return check_elementwise(row);
    case WI_FORM_FILL:
    case WI_FORM_DRAW:
        return check_source(row);
    case WI_FORM_VIEW:
        return check_view(row);
    case WI_FORM_REDUCE:
        return check_reduction(row);
    case WI_FORM_NONE:
        break;
    }
    return complain(row, "no form");
}

static int check_rows(void)
{
    int ok = 1;

    for (size_t i = 0; i < wg_row_count; i++) {
        ok &= check_row(&wg_rows[i]);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(wg_rows[i].name, wg_rows[j].name) == 0) ok = complain(&wg_rows[i], "twice");
        }
    }
    return ok;
}

static int write_file(const char *folder, const char *name, void (*write)(FILE *file))
{
    char path[4096];
    FILE *file = NULL;
    int failed = 1;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) goto done;
    file = fopen(path, "w");
    if (file == NULL) goto done;
    write(file);
    failed = ferror(file);
done:
    if (file != NULL) failed |= fclose(file) != 0;
    if (failed) fprintf(stderr, "weir_ops_generate: cannot write %s/%s\n", folder, name);
    return !failed;
}

int main(int argc, char **argv)
{
    int ok;

    if (argc != 3) {
        fprintf(stderr, "usage: weir_ops_generate INCLUDE_DIR SOURCE_DIR\n");
        return 2;
    }
    ok = check_rows();
    ok = ok && write_file(argv[1], "ops.h", wg_write_header);
    ok = ok && write_file(argv[2], "op_list.h", wg_write_list);
    ok = ok && write_file(argv[2], "op_rows.c", wg_write_rows);
    ok = ok && write_file(argv[2], "op_calls.c", wg_write_calls);
    ok = ok && write_file(argv[2], "op_cases.inc", wg_write_cases);
    ok = ok && write_file(argv[2], "ops.md", wg_write_docs);
    return ok ? 0 : 1;
}
