/* Kernels around the bodies of cl/sum.cl: only the number of dimensions differs from text to text. */
#include "ops/sum_text.h"

#include <string.h>

static void put_reduce(weir_text *out, unsigned dims, const char *body)
{
    weir_text_append(out, ", const ulong chunks, const ulong length");
    wi_kernel_text_put_dims(out, dims, "kept_n");
    wi_kernel_text_put_dims(out, dims, "kept_s");
    wi_kernel_text_put_dims(out, dims, "n");
    wi_kernel_text_put_dims(out, dims, "s");
    weir_text_append(out, ", __global const float *x, const ulong x_at, __global float *out, "
                          "const ulong out_at)\n{\n"
                          "    if (get_global_id(0) >= count) return;\n");
    wi_kernel_text_make_dims(out, dims, "kept_extents", "kept_n");
    wi_kernel_text_make_dims(out, dims, "kept_strides", "kept_s");
    wi_kernel_text_make_dims(out, dims, "extents", "n");
    wi_kernel_text_make_dims(out, dims, "strides", "s");
    weir_text_append(out,
                     "    %s(first + get_global_id(0), chunks, length, kept_extents, "
                     "kept_strides, extents,\n        strides, x + x_at, out + out_at);\n}\n",
                     body);
}

static void put_join(weir_text *out)
{
    weir_text_append(out, ", const ulong parts, __global float *x, const ulong x_at, "
                          "__global float *out, const ulong out_at)\n{\n"
                          "    if (get_global_id(0) >= count) return;\n"
                          "    wi_sum_join(first + get_global_id(0), parts, x + x_at, "
                          "out + out_at);\n}\n");
}

unsigned wi_sum_block(const wi_device_traits *traits) { return traits->group_size <= 16 ? 8 : 1; }

weir_status wi_sum_text_write(wi_sum_kernel kernel, unsigned dims, unsigned block,
                              wi_kernel_text *out)
{
    static const char blocks[][20] = {[1] = "#define WI_BLOCK 1\n", [8] = "#define WI_BLOCK 8\n"};
    static const char *const bodies[] = {
        [WI_SUM_ROWS] = "wi_sum_rows", [WI_SUM_COLUMNS] = "wi_sum_columns", [WI_SUM_JOIN] = ""};
    static const char *const names[] = {[WI_SUM_ROWS] = "weir_sum_rows",
                                        [WI_SUM_COLUMNS] = "weir_sum_columns",
                                        [WI_SUM_JOIN] = "weir_sum_join"};
    weir_status status = WEIR_OK;

    status = wi_kernel_text_begin(out, names[kernel]);
    if (status != WEIR_OK) return status;
    weir_text_append(out->text, "__kernel void %s(const ulong count, const ulong first",
                     names[kernel]);
    if (kernel == WI_SUM_JOIN)
        put_join(out->text);
    else
        put_reduce(out->text, dims, bodies[kernel]);
    status = wi_kernel_text_add_strided(out, dims);
    if (status != WEIR_OK) return status;
    out->sources[out->source_count++] = (wi_source){"block", blocks[block], strlen(blocks[block])};
    status = wi_kernel_text_add(out, "sum.cl");
    return status == WEIR_OK ? wi_kernel_text_end(out) : status;
}
