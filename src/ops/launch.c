/* Elementwise operations: checks of the inputs, the kernel for their kinds, the launch.
 *
 * The path of an operation whose kernel exists formats no text and takes no memory but the result's. A work-group
 * covers the same number of elements whether its items make one vector or four. Its size is one for all lengths,
 * because PoCL compiles a kernel anew for every size, which costs more than any tuning of short launches gained.
 */
#include "ops/launch.h"

#include "base/status.h"
#include "context/recording.h"
#include "ops/kernel_text.h"
#include "ops/record.h"

#include <stddef.h>

/* count, at most three for an input, parameters, out and its offset */
#define ARGS_MAX (1 + 3 * WI_OP_INPUTS_MAX + WI_OP_PARAMETERS_MAX + 2)

/* Keys of this room's kernels in the context's cache: the tag, the row, two bits an input. */
#define KEY_TAG (UINT64_C(0x6f707301) << 32)

/* What makes a kernel: the text is written on a miss only. */
typedef struct request {
    const wi_op *op;
    const wi_draw_kind *kinds;
    wi_kernel_text text;
} request;

static weir_status make_recipe(void *user, wi_kernel_recipe *recipe)
{
    request *wanted = user;
    const weir_status status = wi_kernel_text_write(wanted->op, wanted->kinds, &wanted->text);

    recipe->sources = wanted->text.sources;
    recipe->source_count = sizeof wanted->text.sources / sizeof wanted->text.sources[0];
    recipe->kernel = wanted->text.name;
    return status;
}

uint64_t wi_launch_elements_max(uint32_t address_bits, uint64_t item_elements, uint64_t group_items)
{
    const uint64_t items_max = address_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << address_bits) - 1;
    const uint64_t items = items_max / group_items * group_items;

    return items > UINT64_MAX / item_elements ? UINT64_MAX / item_elements * item_elements
                                              : items * item_elements;
}

static wi_arg arg_u64(uint64_t value) { return (wi_arg){.kind = WI_ARG_U64, .value.u64 = value}; }

static wi_arg arg_buffer(cl_mem buffer)
{
    return (wi_arg){.kind = WI_ARG_BUFFER, .value.buffer = buffer};
}

/* Arguments of one launch over the elements from `first` on. Order: see cl/elementwise.cl. */
static unsigned fill_args(const wi_op *op, const wi_operand *operands, const float *parameters,
                          const wi_operand *out, uint64_t first, uint64_t count, wi_arg *args)
{
    unsigned n = 0;

    args[n++] = arg_u64(count);
    for (unsigned i = 0; i < op->inputs; i++) {
        const wi_operand *x = &operands[i];

        if (x->draw.kind != WI_DRAW_NONE) {
            args[n++] = arg_u64(x->draw.seed);
            args[n++] = arg_u64(x->draw.draw);
            args[n++] = arg_u64(first / 4);
        } else {
            args[n++] = arg_buffer(x->buffer);
            args[n++] = arg_u64(x->offset_bytes / sizeof(float) + first);
        }
    }
    for (unsigned i = 0; i < op->parameters; i++) {
        args[n++] = (wi_arg){.kind = WI_ARG_F32, .value.f32 = parameters[i]};
    }
    args[n++] = arg_buffer(out->buffer);
    args[n++] = arg_u64(out->offset_bytes / sizeof(float) + first);
    return n;
}

/* Work-group size: traits' for items of four vectors, four times as many items of one vector. */
static uint64_t choose_group(const wi_device_traits *traits, const wi_kernel *kernel,
                             unsigned vectors)
{
    const uint64_t kernel_max = wi_kernel_get_max_group(kernel);
    uint64_t group = (uint64_t)traits->group_size * 4 / vectors;

    while (group > 1 && (group > kernel_max || group > traits->max_group)) group /= 2;
    return group > 0 ? group : 1;
}

weir_status wi_elementwise_launch(weir_context *context, const wi_op *op,
                                  const wi_operand *operands, const float *parameters,
                                  const wi_operand *out, uint64_t count)
{
    weir_status status = WEIR_OK;
    const wi_device_traits *traits = wi_context_get_traits(context);
    wi_draw_kind kinds[WI_OP_INPUTS_MAX] = {WI_DRAW_NONE};
    request wanted = {.op = op, .kinds = kinds};
    wi_kernel *kernel = NULL;
    wi_arg args[ARGS_MAX];
    wi_launch launch = {0};
    uint64_t key = KEY_TAG | (uint64_t)op->id << 8;
    uint64_t item_elements;
    uint64_t piece_max;

    if (count == 0) return WEIR_OK;
    for (unsigned i = 0; i < op->inputs; i++) {
        kinds[i] = operands[i].draw.kind;
        key |= (uint64_t)operands[i].draw.kind << (2 * i);
    }
    status = wi_context_kernel(context, key, make_recipe, &wanted, &kernel);
    wi_kernel_text_fini(&wanted.text);
    if (status != WEIR_OK) return status;

    const unsigned vectors = wi_kernel_vectors(op, kinds);
    item_elements = (uint64_t)vectors * traits->vector_width;
    launch.kernel = kernel;
    launch.args = args;
    launch.local_size = (size_t)choose_group(traits, kernel, vectors);
    piece_max = wi_launch_elements_max(traits->address_bits, item_elements, launch.local_size);
    for (uint64_t first = 0; first < count && status == WEIR_OK; first += piece_max) {
        const uint64_t piece = count - first < piece_max ? count - first : piece_max;
        const uint64_t items = (piece - 1) / item_elements + 1;
        const uint64_t groups = (items - 1) / launch.local_size + 1;

        launch.arg_count = fill_args(op, operands, parameters, out, first, piece, args);
        launch.global_size = (size_t)(groups * launch.local_size);
        status = wi_context_launch(context, &launch);
    }
    return status;
}

/* The failures of inputs that do not fit each other or the row, recorded. */
static weir_status fail_dtype(const wi_op *op, weir_tensor *const *inputs)
{
    const char *first = weir_dtype_name(weir_tensor_get_dtype(inputs[0]));

    if (op->inputs == 1) return wi_fail(WEIR_E_DTYPE, op->call, "a is %s; it takes f32", first);
    return wi_fail(WEIR_E_DTYPE, op->call, "a is %s, b is %s; it takes f32", first,
                   weir_dtype_name(weir_tensor_get_dtype(inputs[1])));
}

static weir_status fail_shape(const wi_op *op, const weir_shape *a, const weir_shape *b)
{
    char text_a[192];
    char text_b[192];

    return wi_fail(WEIR_E_SHAPE, op->call, "a is %s, b is %s; shapes must be equal",
                   weir_shape_format(a, text_a, sizeof text_a),
                   weir_shape_format(b, text_b, sizeof text_b));
}

/* A capture also takes tensors of the context it will run on: they become constants. */
static weir_status check_inputs(weir_context *context, const wi_op *op, weir_tensor *const *inputs)
{
    const weir_context *base = wi_context_get_base(context);
    const weir_shape *shape;

    for (unsigned i = 0; i < op->inputs; i++) {
        if (inputs[i] == NULL)
            return wi_fail(WEIR_E_ARG, op->call, "%s", "every input is required");
    }
    for (unsigned i = 0; i < op->inputs; i++) {
        const weir_context *owner = weir_tensor_get_context(inputs[i]);

        if (owner != context && owner != base) {
            return wi_fail(WEIR_E_CONTEXT, op->call, "%c belongs to another context",
                           (char)('a' + (int)i));
        }
    }
    for (unsigned i = 0; i < op->inputs; i++) {
        if (weir_tensor_get_dtype(inputs[i]) != WEIR_DTYPE_F32) return fail_dtype(op, inputs);
    }
    shape = weir_tensor_get_shape(inputs[0]);
    for (unsigned i = 1; i < op->inputs; i++) {
        const weir_shape *other = weir_tensor_get_shape(inputs[i]);

        if (!weir_shape_equal(shape, other)) return fail_shape(op, shape, other);
    }
    return WEIR_OK;
}

weir_status wi_op_elementwise(weir_context *context, const wi_op *op, weir_tensor *const *inputs,
                              const float *parameters, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *result = NULL;
    wi_operand operands[WI_OP_INPUTS_MAX] = {{0}};
    wi_operand target;
    wi_op_call call = {.op = op, .inputs = inputs, .parameters = parameters};

    if (out != NULL) *out = NULL;
    if (context == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, op->call, "context and out are required");
    }
    status = check_inputs(context, op, inputs);
    if (status != WEIR_OK) return status;
    call.dtype = WEIR_DTYPE_F32;
    call.shape = weir_tensor_get_shape(inputs[0]);
    if (wi_record_is_capture(context)) return wi_record_capture(context, &call, out);
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    status = wi_tensor_create(context, call.dtype, call.shape, op->name, &result);
    if (status != WEIR_OK) goto done;
    status = wi_tensor_operand(result, WI_TAKES_DENSE, &target);
    for (unsigned i = 0; i < op->inputs && status == WEIR_OK; i++) {
        status = wi_tensor_operand(inputs[i], WI_TAKES_DRAW, &operands[i]);
    }
    if (status != WEIR_OK) goto done;
    status = wi_elementwise_launch(context, op, operands, parameters, &target,
                                   weir_tensor_get_count(result));
    if (status != WEIR_OK) goto done;
    status = wi_record_tapes(context, &call, result);
    if (status != WEIR_OK) goto done;
    *out = result;
    result = NULL;
done:
    weir_tensor_release(result);
    return status;
}
