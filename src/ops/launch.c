/* Elementwise operations: checks of the inputs, the kernel for their kinds, the launch.
 *
 * The path of an operation whose kernel exists formats no text and takes no memory but the result's. A work-group
 * covers the same number of elements whether its items make one vector or four. Its size is one for all lengths,
 * because PoCL compiles a kernel anew for every size, which costs more than any tuning of short launches gained.
 */
#include "ops/launch.h"

#include "base/status.h"
#include "context/enqueue.h"
#include "context/recording.h"
#include "ops/kernel_text.h"
#include "ops/layout.h"
#include "ops/record.h"

#include <stddef.h>

/* Keys of this room's kernels in the context's cache: the tag, the row, the dimensions, two bits an input. */
#define KEY_TAG (UINT64_C(0x6f707301) << 32)
#define KEY_ROW_SHIFT 12
#define KEY_DIMS_SHIFT 8

/* What makes a kernel: the text is written on a miss only. */
typedef struct request {
    const wi_op *op;
    wi_kernel_form form;
    wi_kernel_text text;
} request;

static weir_status make_recipe(void *user, wi_kernel_recipe *recipe)
{
    request *wanted = user;
    const weir_status status = wi_kernel_text_write(wanted->op, &wanted->form, &wanted->text);

    recipe->sources = wanted->text.sources;
    recipe->source_count = wanted->text.source_count;
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

/* One elementwise operation to launch. layout: of the strided operands; NULL if there is none. */
typedef struct elementwise {
    const wi_op *op;
    const wi_operand *operands;
    const float *parameters;
    const wi_layout *layout;
    const wi_operand *out;
} elementwise;

/* Arguments of one launch over the elements from `first` on. Order: see cl/elementwise.cl. */
static unsigned fill_args(const void *user, uint64_t first, uint64_t count, wi_arg *args)
{
    const elementwise *work = user;
    const wi_op *op = work->op;
    const wi_layout *layout = work->layout;
    const unsigned rank = layout != NULL ? layout->rank : 0;
    unsigned n = 0;

    args[n++] = arg_u64(count);
    if (layout != NULL) {
        args[n++] = arg_u64(first);
        for (unsigned k = 0; k < rank; k++) args[n++] = arg_u64(layout->extents[k]);
    }
    for (unsigned i = 0; i < op->inputs; i++) {
        const wi_operand *x = &work->operands[i];

        if (x->draw.kind != WI_DRAW_NONE) {
            args[n++] = arg_u64(x->draw.seed);
            args[n++] = arg_u64(x->draw.draw);
            args[n++] = arg_u64(first / 4);
            continue;
        }
        n = wi_args_put_place(args, n, &x->place, sizeof(float), x->is_strided ? 0 : first, 0);
        for (unsigned k = 0; x->is_strided && k < rank; k++) {
            args[n++] = arg_u64((uint64_t)layout->strides[i][k]);
        }
    }
    for (unsigned i = 0; i < op->parameters; i++) {
        args[n++] = (wi_arg){.kind = WI_ARG_F32, .value.f32 = work->parameters[i]};
    }
    return wi_args_put_place(args, n, &work->out->place, sizeof(float), first, 1);
}

weir_status wi_launch_pieces(weir_context *context, const wi_pieces *pieces, uint64_t count)
{
    weir_status status = WEIR_OK;
    const wi_device_traits *traits = wi_context_get_traits(context);
    const uint64_t group_max = wi_kernel_get_max_group(pieces->kernel);
    uint64_t group = pieces->group_items;
    wi_arg args[WI_LAUNCH_ARGS_MAX];
    wi_launch launch = {.kernel = pieces->kernel, .args = args};
    uint64_t piece_max;

    while (group > 1 && (group > group_max || group > traits->max_group)) group /= 2;
    launch.local_size = (size_t)(group > 0 ? group : 1);
    piece_max =
        wi_launch_elements_max(traits->launch_bits, pieces->item_elements, launch.local_size);
    for (uint64_t first = 0; first < count && status == WEIR_OK; first += piece_max) {
        const uint64_t piece = count - first < piece_max ? count - first : piece_max;
        const uint64_t items = (piece - 1) / pieces->item_elements + 1;
        const uint64_t groups = (items - 1) / launch.local_size + 1;

        launch.arg_count = pieces->fill_args(pieces->user, first, piece, args);
        launch.global_size = (size_t)(groups * launch.local_size);
        status = wi_context_launch(context, &launch);
    }
    return status;
}

/* Launches one kernel over all elements; operands are as the layout leaves them. A work-group has the traits' size for
 * items of four vectors, and four times as many items of one vector. */
static weir_status launch(weir_context *context, const elementwise *work, uint64_t count)
{
    weir_status status = WEIR_OK;
    const wi_device_traits *traits = wi_context_get_traits(context);
    const wi_op *op = work->op;
    request wanted;
    wi_pieces pieces = {.fill_args = fill_args, .user = work};
    uint64_t key = KEY_TAG | (uint64_t)op->id << KEY_ROW_SHIFT;
    unsigned vectors;

    wanted.op = op;
    wanted.text.text = NULL;
    wanted.form.dims = work->layout != NULL ? work->layout->rank : 0;
    key |= (uint64_t)wanted.form.dims << KEY_DIMS_SHIFT;
    for (unsigned i = 0; i < op->inputs; i++) {
        const wi_operand *x = &work->operands[i];

        wanted.form.kinds[i] = x->is_strided ? WI_OPERAND_STRIDED : (wi_operand_kind)x->draw.kind;
        key |= (uint64_t)wanted.form.kinds[i] << (2 * i);
    }
    status = wi_context_kernel(context, key, make_recipe, &wanted, &pieces.kernel);
    wi_kernel_text_fini(&wanted.text);
    if (status != WEIR_OK) return status;
    vectors = wi_kernel_vectors(op, &wanted.form);
    pieces.item_elements = (uint64_t)vectors * traits->vector_width;
    pieces.group_items = traits->group_size * 4 / vectors;
    return wi_launch_pieces(context, &pieces, count);
}

weir_status wi_elementwise_launch(weir_context *context, const wi_op *op, wi_operand *operands,
                                  const float *parameters, const wi_operand *out,
                                  const weir_shape *shape, uint64_t count)
{
    elementwise work = {.op = op, .operands = operands, .parameters = parameters, .out = out};
    wi_layout layout;
    int is_strided = 0;

    if (count == 0) return WEIR_OK;
    for (unsigned i = 0; i < op->inputs; i++) is_strided |= operands[i].is_strided;
    if (is_strided) {
        is_strided = 0;
        wi_layout_make(shape, operands, op->inputs, &layout);
        for (unsigned i = 0; i < op->inputs; i++) is_strided |= operands[i].is_strided;
    }
    if (is_strided) work.layout = &layout;
    return launch(context, &work, count);
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

    return wi_fail(WEIR_E_SHAPE, op->call,
                   "a is %s, b is %s; extents must be equal or 1, from the last dimension on",
                   weir_shape_format(a, text_a, sizeof text_a),
                   weir_shape_format(b, text_b, sizeof text_b));
}

weir_status wi_op_check_inputs(weir_context *context, const wi_op *op, weir_tensor *const *inputs)
{
    const weir_context *base = wi_context_get_base(context);

    for (unsigned i = 0; i < op->inputs; i++) {
        if (inputs[i] == NULL)
            return wi_fail(WEIR_E_ARG, op->call, "%s", "every input is required");
    }
    for (unsigned i = 0; i < op->inputs; i++) {
        const weir_context *owner = weir_tensor_get_context(inputs[i]);

        if (owner != context && owner != base) {
            if (wi_context_is_recording(owner)) {
                return wi_fail_hint(WEIR_E_CAPTURE, op->call,
                                    "call it with the context that the capture's body got",
                                    "%c is a tensor of %s capture", (char)('a' + (int)i),
                                    wi_record_is_capture(context) ? "another" : "a");
            }
            return wi_fail(WEIR_E_CONTEXT, op->call, "%c belongs to another context",
                           (char)('a' + (int)i));
        }
    }
    for (unsigned i = 0; i < op->inputs && op->dtypes == WI_DTYPES_F32; i++) {
        if (weir_tensor_get_dtype(inputs[i]) != WEIR_DTYPE_F32) return fail_dtype(op, inputs);
    }
    return WEIR_OK;
}

/* Finds the shape of the result: the first input's if all inputs have it, else `broadcast`. */
static weir_status find_shape(const wi_op *op, weir_tensor *const *inputs, weir_shape *broadcast,
                              const weir_shape **shape)
{
    *shape = weir_tensor_get_shape(inputs[0]);
    for (unsigned i = 1; i < op->inputs; i++) {
        const weir_shape *other = weir_tensor_get_shape(inputs[i]);

        if (weir_shape_equal(*shape, other)) continue;
        if (!wi_shape_broadcast(*shape, other, broadcast)) return fail_shape(op, *shape, other);
        *shape = broadcast;
    }
    return WEIR_OK;
}

/* Where the inputs are, as operands of the result's shape. A draw that is repeated is written to memory: computing an
 * element for every place where it is used would cost more. */
static weir_status find_operands(weir_context *context, const wi_op *op, weir_tensor *const *inputs,
                                 const weir_shape *shape, wi_operand *operands)
{
    weir_status status = WEIR_OK;
    const int all_equal = shape == weir_tensor_get_shape(inputs[0]); /* see find_shape() */

    for (unsigned i = 0; i < op->inputs && status == WEIR_OK; i++) {
        const weir_shape *own = weir_tensor_get_shape(inputs[i]);
        const int is_equal = all_equal || weir_shape_equal(own, shape);

        status = wi_tensor_operand(context, inputs[i],
                                   is_equal ? WI_TAKES_DRAW | WI_TAKES_STRIDES : WI_TAKES_STRIDES,
                                   &operands[i]);
        if (status == WEIR_OK && !is_equal) wi_operand_broadcast(&operands[i], own, shape);
    }
    return status;
}

weir_status wi_op_elementwise(weir_context *context, const wi_op *op, weir_tensor *const *inputs,
                              const float *parameters, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *result = NULL;
    wi_operand operands[WI_OP_INPUTS_MAX] = {{.is_strided = 0}};
    wi_operand target;
    wi_op_call call = {.op = op, .inputs = inputs, .parameters = parameters};
    weir_shape broadcast;

    if (out != NULL) *out = NULL;
    if (context == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, op->call, "context and out are required");
    }
    status = wi_op_check_inputs(context, op, inputs);
    if (status == WEIR_OK) status = find_shape(op, inputs, &broadcast, &call.shape);
    if (status != WEIR_OK) return status;
    call.dtype = WEIR_DTYPE_F32;
    if (wi_record_is_capture(context)) return wi_record_capture(context, &call, out);
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    status = wi_tensor_create(context, call.dtype, call.shape, op->name, &result);
    if (status != WEIR_OK) goto done;
    if (weir_tensor_get_count(result) > 0) {
        status = wi_tensor_operand(context, result, WI_TAKES_DENSE, &target);
        if (status == WEIR_OK) status = find_operands(context, op, inputs, call.shape, operands);
        if (status != WEIR_OK) goto done;
        status = wi_elementwise_launch(context, op, operands, parameters, &target, call.shape,
                                       weir_tensor_get_count(result));
        if (status != WEIR_OK) goto done;
    }
    status = wi_record_tapes(context, &call, result);
    if (status != WEIR_OK) goto done;
    *out = result;
    result = NULL;
done:
    for (unsigned i = 0; i < op->inputs; i++) wi_operand_let_go(&operands[i]);
    weir_tensor_release(result);
    return status;
}
