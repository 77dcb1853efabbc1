/* Strided elements into dense memory: one launch, or a copy of the queue where they are one stretch already. */
#include "ops/copy.h"

#include "context/enqueue.h"
#include "ops/kernel_text.h"
#include "ops/launch.h"
#include "ops/layout.h"

#include <stdio.h>
#include <string.h>

#define RUN 8 /* elements an item copies; WI_RUN of cl/copy.cl */

/* Keys of this file's kernels: the tag, the dimensions, the bytes of an element. */
#define KEY_TAG (UINT64_C(0x6f707302) << 32)

/* count, first, source and result with their places, extents and strides */
#define ARGS_MAX (6 + 2 * WEIR_RANK_MAX)

/* One copy. */
typedef struct strided_copy {
    const wi_operand *from;
    const wi_layout *layout;
    const wi_span *to;
    size_t bytes; /* of an element */
} strided_copy;

typedef struct request {
    unsigned dims;
    size_t bytes;
    wi_kernel_text text;
} request;

static weir_status write_text(unsigned dims, size_t bytes, wi_kernel_text *out)
{
    static const char words[][24] = {[1] = "#define WI_WORD uchar\n",
                                     [2] = "#define WI_WORD ushort\n",
                                     [4] = "#define WI_WORD uint\n",
                                     [8] = "#define WI_WORD ulong\n"};
    weir_status status = WEIR_OK;
    char name[32];

    (void)snprintf(name, sizeof name, "weir_copy_%u", 8 * (unsigned)bytes);
    status = wi_kernel_text_begin(out, name);
    if (status != WEIR_OK) return status;
    weir_text_append(out->text, "__kernel void %s(const ulong count, const ulong first", name);
    wi_kernel_text_put_dims(out->text, dims, "n");
    weir_text_append(out->text, ", __global const WI_WORD *x, const ulong x_at");
    wi_kernel_text_put_dims(out->text, dims, "s");
    weir_text_append(out->text, ", __global WI_WORD *out, const ulong out_at)\n{\n");
    wi_kernel_text_make_dims(out->text, dims, "extents", "n");
    wi_kernel_text_make_dims(out->text, dims, "strides", "s");
    weir_text_append(out->text, "    wi_copy_run(count, first, extents, x + x_at, strides, "
                                "out + out_at);\n}\n");
    status = wi_kernel_text_add_strided(out, dims);
    if (status != WEIR_OK) return status;
    out->sources[out->source_count++] = (wi_source){"word", words[bytes], strlen(words[bytes])};
    status = wi_kernel_text_add(out, "copy.cl");
    return status == WEIR_OK ? wi_kernel_text_end(out) : status;
}

static weir_status make_recipe(void *user, wi_kernel_recipe *recipe)
{
    request *wanted = user;
    const weir_status status = write_text(wanted->dims, wanted->bytes, &wanted->text);

    recipe->sources = wanted->text.sources;
    recipe->source_count = wanted->text.source_count;
    recipe->kernel = wanted->text.name;
    return status;
}

static wi_arg arg_u64(uint64_t value) { return (wi_arg){.kind = WI_ARG_U64, .value.u64 = value}; }

static unsigned fill_args(const void *user, uint64_t first, uint64_t count, wi_arg *args)
{
    const strided_copy *copy = user;
    const wi_layout *layout = copy->layout;
    unsigned n = 0;

    args[n++] = arg_u64(count);
    args[n++] = arg_u64(first);
    for (unsigned k = 0; k < layout->rank; k++) args[n++] = arg_u64(layout->extents[k]);
    n = wi_args_put_place(args, n, &copy->from->place, copy->bytes, 0, 0);
    for (unsigned k = 0; k < layout->rank; k++) {
        args[n++] = arg_u64((uint64_t)layout->strides[0][k]);
    }
    return wi_args_put_place(args, n, copy->to, copy->bytes, first, 1);
}

static weir_status write_strided(weir_context *context, const wi_operand *from,
                                 const weir_shape *shape, const wi_span *to, uint64_t count,
                                 size_t bytes)
{
    weir_status status = WEIR_OK;
    wi_operand source = *from;
    wi_layout layout;
    strided_copy copy = {.from = &source, .layout = &layout, .to = to, .bytes = bytes};
    wi_pieces pieces = {.item_elements = RUN, .fill_args = fill_args, .user = &copy};
    request wanted = {.bytes = bytes, .text = {.text = NULL}};

    wi_layout_make(shape, &source, 1, &layout);
    if (!source.is_strided) { return wi_context_copy(context, &source.place, to, count * bytes); }
    wanted.dims = layout.rank;
    status = wi_context_kernel(context, KEY_TAG | (uint64_t)layout.rank << 8 | bytes, make_recipe,
                               &wanted, &pieces.kernel);
    wi_kernel_text_fini(&wanted.text);
    if (status != WEIR_OK) return status;
    pieces.group_items = wi_context_get_traits(context)->group_size * 4;
    return wi_launch_pieces(context, &pieces, count);
}

/* wi_write has no element type, so there is one function a size. */
#define WRITE(Bytes)                                                                             \
    static weir_status write_##Bytes(weir_context *context, const wi_operand *from,              \
                                     const weir_shape *shape, const wi_span *to, uint64_t count) \
    {                                                                                            \
        return write_strided(context, from, shape, to, count, Bytes);                            \
    }
WRITE(1)
WRITE(2)
WRITE(4)
WRITE(8)
#undef WRITE

wi_write *wi_copy_write(size_t bytes)
{
    static wi_write *const writes[] = {[1] = write_1, [2] = write_2, [4] = write_4, [8] = write_8};

    return bytes < sizeof writes / sizeof writes[0] ? writes[bytes] : NULL;
}
