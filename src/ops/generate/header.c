/* Writes weir/ops.h: for each row a declaration under the comment that every public call has. */
#include "row.h"

#include <string.h>

/* Heads of the argument lines are padded so that the texts stand in one column. */
#define MARGIN " *           "

static void put_argument(FILE *file, const char *names, const char *text)
{
    char first[64];

    snprintf(first, sizeof first, " * %-9s ", names);
    wg_put_text(file, first, MARGIN, text);
}

static void put_elementwise(FILE *file, const wi_op_row *row)
{
    put_argument(file, "context", "borrowed; the context of every input");
    put_argument(
        file, row->inputs == 1 ? "a" : "a, b",
        row->inputs == 1
            ? "borrowed; f32, of any shape"
            : "borrowed; f32. Shapes are aligned at their last dimension; extents are equal or one "
              "of them "
              "is 1, and that input is repeated, as in numpy. The same tensor may stand for both");
    for (unsigned i = 0; i < wg_parameter_count(row); i++) {
        put_argument(file, row->parameters[i], "any f32");
    }
    put_argument(file, "out",
                 row->inputs == 1
                     ? "a new tensor of that shape; counted, weir_tensor_release(); NULL on failure"
                     : "a new tensor of their common shape; counted, weir_tensor_release(); NULL "
                       "on failure");
    wg_put_text(file, " * ", " * ",
                "Order: enqueued, as one launch; views are read where they are, and a draw that "
                "nothing has "
                "read yet is computed within it, unless it is repeated. An empty tensor launches "
                "nothing. Thread: safe.");
    wg_put_text(file, " * ", " *         ",
                row->inputs == 1
                    ? "Errors: ARG, CONTEXT, DTYPE (the message has the type), OUT_OF_MEMORY, "
                      "HOST_MEMORY, BUILD, DRIVER, FORKED."
                    : "Errors: ARG, CONTEXT, DTYPE, SHAPE (the message has both), OUT_OF_MEMORY, "
                      "HOST_MEMORY, BUILD, DRIVER, FORKED.");
}

static void put_fill(FILE *file, const wi_op_row *row)
{
    put_argument(file, "context", "borrowed; where the tensor will be");
    put_argument(file, "dtype", row->dtype == WI_DTYPES_F32 ? "f32" : "any of weir_dtype's");
    put_argument(file, "shape", "borrowed");
    for (unsigned i = 0; i < wg_parameter_count(row); i++) {
        put_argument(file, row->parameters[i], "any double; NaN gives the NaN 0x7fc00000");
    }
    put_argument(file, "out", "counted, weir_tensor_release(); NULL on failure");
    wg_put_text(file, " * ", " * ",
                "Order: enqueued, as a fill and not as a launch. An empty tensor enqueues nothing. "
                "Thread: safe.");
    wg_put_text(file, " * ", " *         ",
                "Errors: ARG, DTYPE, SHAPE, OUT_OF_MEMORY, HOST_MEMORY, DRIVER, FORKED.");
}

static void put_draw(FILE *file)
{
    put_argument(file, "context", "borrowed; where the tensor will be");
    put_argument(
        file, "generator",
        "its next_draw is this draw's number and grows by one on success, for an empty shape too");
    put_argument(file, "shape",
                 "borrowed; element e in row-major order is element e of the draw, "
                 "whatever the shape");
    put_argument(file, "out",
                 "f32; counted, weir_tensor_release(); NULL on failure. It holds no block until "
                 "something other than an elementwise operation reads it, or it is read twice");
    wg_put_text(file, " * ", " * ",
                "Order: host call; nothing is enqueued. Thread: safe; one thread a generator.");
    wg_put_text(file, " * ", " *         ",
                "Errors: ARG (also when the generator has used its last number), SHAPE, "
                "HOST_MEMORY, FORKED.");
}

static void put_view(FILE *file, const wi_op_row *row)
{
    put_argument(file, "context", "borrowed; the context of a");
    put_argument(file, "a", "borrowed; of any element type and shape");
    if (row->shape == WI_SHAPE_PERMUTED) {
        put_argument(
            file, "axes",
            "as many as a has dimensions, each dimension once, -1 the last; NULL: reversed");
    } else {
        put_argument(file, "shape", "borrowed; of the result");
    }
    put_argument(file, "out",
                 "a new handle on the storage of a, which lives as long as it; counted, "
                 "weir_tensor_release(); NULL on failure");
    wg_put_text(file, " * ", " * ",
                "Order: host call; nothing is enqueued unless a has to be written to memory. "
                "Readers that need "
                "dense memory, such as weir_tensor_to_host(), have the result written to a block "
                "of its own. "
                "Thread: safe.");
    wg_put_text(file, " * ", " *         ",
                row->shape == WI_SHAPE_PERMUTED ? "Errors: ARG (axes that are no permutation), "
                                                  "CONTEXT, OUT_OF_MEMORY, HOST_MEMORY, BUILD, "
                                                  "DRIVER, FORKED."
                                                : "Errors: ARG, CONTEXT, SHAPE (the message has "
                                                  "both), OUT_OF_MEMORY, HOST_MEMORY, BUILD, "
                                                  "DRIVER, FORKED.");
}

static void put_reduce(FILE *file)
{
    put_argument(file, "context", "borrowed; the context of a");
    put_argument(file, "a", "borrowed; f32, of any shape; a view is read where it is");
    put_argument(
        file, "axes",
        "n_axes dimensions of a, in any order, each once, -1 the last; NULL: all, n_axes is 0");
    put_argument(file, "keep_dims", "1: these dimensions stay, with extent 1; 0: they go");
    put_argument(file, "out", "a new tensor; counted, weir_tensor_release(); NULL on failure");
    wg_put_text(file, " * ", " * ",
                "Order: enqueued; a result of more than 4096 elements takes two launches or more, "
                "and memory of one "
                "f32 for 4096 until they are enqueued. Thread: safe.");
    wg_put_text(
        file, " * ", " *         ",
        "Errors: ARG (an axis that is not there or comes twice), CONTEXT, DTYPE, OUT_OF_MEMORY, "
        "HOST_MEMORY, BUILD, DRIVER, FORKED.");
}

static void put_row(FILE *file, const wi_op_row *row)
{
    wg_put_text(file, "/** ", " * ", row->doc);
    fputs(" *\n", file);
    wg_put_text(file, " * ", " * ", row->edge);
    if (row->form == WI_FORM_ELEMENTWISE && row->ulp > 0.5) {
        fprintf(file, " * Normal results are within %g ulp.\n", row->ulp);
    }
    switch (row->form) {
    case WI_FORM_ELEMENTWISE:
        put_elementwise(file, row);
        break;
    case WI_FORM_FILL:
        put_fill(file, row);
        break;
    case WI_FORM_DRAW:
        put_draw(file);
        break;
    case WI_FORM_VIEW:
        put_view(file, row);
        break;
    case WI_FORM_REDUCE:
        put_reduce(file);
        break;
    case WI_FORM_NONE:
        break;
    }
    fputs(" */\n", file);
    wg_put_signature(file, "WEIR_API WEIR_NODISCARD ", row);
    fputs(";\n\n", file);
}

void wg_write_header(FILE *file)
{
    fputs("/* Operations on tensors, one function a row of the op table. Written by the build.\n"
          " *\n"
          " * Every result is a new tensor; inputs do not change. The same inputs give the same "
          "bits on every device:\n"
          " * results do not depend on the device's vector width, work-group size or math library. "
          "A NaN that an\n"
          " * elementwise operation gives is 0x7fc00000. Subnormals are kept by + - * and sign "
          "changes where the device\n"
          " * keeps them; the other functions say what they do.\n"
          " *\n"
          " * Errors of all: ARG a NULL or a value out of range; CONTEXT an input of another "
          "context; FORKED the process\n"
          " * was forked after the context was opened. After a failure nothing was enqueued and "
          "`out` is NULL.\n"
          " */\n"
          "#ifndef WEIR_OPS_H\n"
          "#define WEIR_OPS_H\n\n"
          "#include <weir/generator.h>\n"
          "#include <weir/tensor.h>\n\n"
          "WEIR_BEGIN_DECLS\n\n",
          file);
    for (size_t i = 0; i < wg_row_count; i++) put_row(file, &wg_rows[i]);
    fputs("WEIR_END_DECLS\n\n#endif\n", file);
}
