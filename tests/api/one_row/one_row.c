/* A row is all that an elementwise operation needs. This program has the room of operations built again from a table
 * with one more row (ops/op_table.def beside this file); ops_rows.c is part of it, so the new row meets its references
 * at every length too.
 */
#include "ops_support.h"

#include <stdio.h>

TestSuite(one_row, .timeout = WT_TIMEOUT);

WEIR_DEVICE_TEST_TAGGED(one_row, makes_a_function_and_its_kernel)
{
    static const float numbers[3] = {3.0f, -0.5f, 0.0f};
    static const float squares[3] = {9.0f, 0.25f, 0.0f};
    weir_tensor *x = ops_upload(ctx, numbers, 3);
    weir_tensor *y = NULL;
    float got[3];

    (void)dev;
    wt_ok(weir_square(ctx, x, &y));
    ops_download(y, got);
    cr_assert_arr_eq(got, squares, sizeof got);
    weir_tensor_release(y);
    weir_tensor_release(x);
}

/* 1 if the file has the text in one line. */
static int has_line(const char *path, const char *text)
{
    char line[4096];
    int is_found = 0;
    FILE *file = fopen(path, "r");

    cr_assert_not_null(file, "%s", path);
    while (!is_found && fgets(line, sizeof line, file) != NULL) {
        is_found = strstr(line, text) != NULL;
    }
    (void)fclose(file);
    return is_found;
}

Test(one_row, makes_its_comment_and_its_line_of_documentation)
{
    cr_assert(has_line(ONE_ROW_HEADER, "/** Squares each element."));
    cr_assert(
        has_line(ONE_ROW_HEADER, "weir_status weir_square(weir_context *context, weir_tensor *a,"));
    cr_assert(
        has_line(ONE_ROW_DOCS, "| `weir_square(context, a, &out)` | Squares each element. |"));
}
