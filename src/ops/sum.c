/* Sums over dimensions: the plan, its launches, and the operation.
 *
 * The source is read where its strides say, with the dimensions that go counted last, so any axes and any view need no
 * copy. A chunk of 4096 elements is one item (or one lane of an item, where neighbouring results are neighbours in
 * memory); results of chunks go to scratch memory and are joined by further launches. So the order of additions depends
 * on the shape alone.
 */
#include "ops/sum.h"

#include "base/status.h"
#include "context/enqueue.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/record.h"
#include "ops/sum_text.h"

#define CHUNK 4096U
#define SHORT 64U /* sums so short that a vector of them is better than vectors of their elements */

/* Keys of this file's kernels: the tag, the kernel, the dimensions. */
#define KEY_TAG (UINT64_C(0x6f707303) << 32)

/* count, first, chunks, length, four times the dimensions, source and result with their places */
#define ARGS_MAX (4 + 4 * WEIR_RANK_MAX + 4)

/* Launches of items that each know their number, for wi_launch_pieces(). `fixed` are the arguments after count, first. */
typedef struct sum_launch {
    wi_arg fixed[ARGS_MAX];
    unsigned fixed_count;
} sum_launch;

typedef struct request {
    wi_sum_kernel kernel;
    unsigned dims;
    unsigned block;
    wi_kernel_text text;
} request;

void wi_sum_plan_make(const weir_shape *source, const int *axes, unsigned n_axes, wi_sum_plan *out)
{
    unsigned next = 0;

    *out = (wi_sum_plan){0};
    for (unsigned i = 0; i < source->rank; i++) {
        const int is_gone = next < n_axes && axes[next] == (int)i;
        weir_shape *shape = is_gone ? &out->gone : &out->kept;

        next += is_gone ? 1 : 0;
        (is_gone ? out->gone_from : out->kept_from)[shape->rank] = i;
        shape->extents[shape->rank++] = source->extents[i];
    }
    out->results = weir_shape_count(&out->kept);
    out->length = weir_shape_count(&out->gone);
    if (out->results == 0 || out->length == 0) return;
    out->chunks = (out->length - 1) / CHUNK + 1;
    for (uint64_t parts = out->chunks; parts > 1; parts = (parts - 1) / CHUNK + 1) {
        out->scratch_count += out->results * parts;
    }
}

void wi_sum_shape(const weir_shape *source, const int *axes, unsigned n_axes, int keep_dims,
                  weir_shape *out)
{
    weir_shape result = {0};
    unsigned next = 0;

    for (unsigned i = 0; i < source->rank; i++) {
        const int is_gone = next < n_axes && axes[next] == (int)i;

        next += is_gone ? 1 : 0;
        if (is_gone && !keep_dims) continue;
        result.extents[result.rank++] = is_gone ? 1 : source->extents[i];
    }
    *out = result;
}

static weir_status make_recipe(void *user, wi_kernel_recipe *recipe)
{
    request *wanted = user;
    const weir_status status =
        wi_sum_text_write(wanted->kernel, wanted->dims, wanted->block, &wanted->text);

    recipe->sources = wanted->text.sources;
    recipe->source_count = wanted->text.source_count;
    recipe->kernel = wanted->text.name;
    return status;
}

static wi_arg arg_u64(uint64_t value) { return (wi_arg){.kind = WI_ARG_U64, .value.u64 = value}; }

static void push_u64(sum_launch *launch, uint64_t value)
{
    launch->fixed[launch->fixed_count++] = arg_u64(value);
}

static void push_place(sum_launch *launch, const wi_operand *operand, int is_written)
{
    launch->fixed_count = wi_args_put_place(launch->fixed, launch->fixed_count, &operand->place,
                                            sizeof(float), 0, is_written);
}

static unsigned fill_args(const void *user, uint64_t first, uint64_t count, wi_arg *args)
{
    const sum_launch *launch = user;

    args[0] = arg_u64(count);
    args[1] = arg_u64(first);
    for (unsigned i = 0; i < launch->fixed_count; i++) args[2 + i] = launch->fixed[i];
    return 2 + launch->fixed_count;
}

/* Work-groups of many short items; where items are few, one an item, so that every core has some. */
static unsigned choose_group(const weir_context *context, uint64_t items, unsigned wanted)
{
    const wi_device_traits *traits = wi_context_get_traits(context);
    const uint64_t enough = (uint64_t)traits->compute_units * 4 * traits->group_size;

    if (wanted > 0) return wanted;
    return items >= enough ? traits->group_size : 1;
}

static weir_status launch_kernel(weir_context *context, wi_sum_kernel kernel, unsigned dims,
                                 const sum_launch *launch, uint64_t items, unsigned group)
{
    weir_status status = WEIR_OK;
    request wanted = {.kernel = kernel,
                      .dims = dims,
                      .block = wi_sum_block(wi_context_get_traits(context)),
                      .text = {.text = NULL}};
    wi_pieces pieces = {.item_elements = 1, .fill_args = fill_args, .user = launch};

    status = wi_context_kernel(context, KEY_TAG | (uint64_t)kernel << 8 | dims, make_recipe,
                               &wanted, &pieces.kernel);
    wi_kernel_text_fini(&wanted.text);
    if (status != WEIR_OK) return status;
    pieces.group_items = choose_group(context, items, group);
    return wi_launch_pieces(context, &pieces, items);
}

/* Strides of some of the source's dimensions, merged. */
static void lay_out(const weir_shape *shape, const unsigned *from, const int64_t *strides,
                    wi_layout *out)
{
    wi_operand operand = {.is_strided = 1};

    for (unsigned i = 0; i < shape->rank; i++) operand.strides[i] = strides[from[i]];
    wi_layout_merge(shape, &operand, 1, out);
}

/* Sums of chunks, to `out` as results * chunks numbers. */
static weir_status launch_chunks(weir_context *context, const wi_sum_plan *plan,
                                 const weir_shape *source, const wi_operand *x,
                                 const wi_operand *out, unsigned group)
{
    const wi_device_traits *traits = wi_context_get_traits(context);
    const uint64_t columns = (uint64_t)wi_sum_block(traits) * traits->vector_width; /* an item */
    int64_t strides[WEIR_RANK_MAX] = {0};
    wi_layout kept;
    wi_layout gone;
    sum_launch launch;
    unsigned dims = 0;
    uint64_t items = plan->results;
    wi_sum_kernel kernel = WI_SUM_ROWS;

    if (x->is_strided)
        for (unsigned i = 0; i < source->rank; i++) strides[i] = x->strides[i];
    else
        wi_shape_strides(source, strides);
    lay_out(&plan->kept, plan->kept_from, strides, &kept);
    lay_out(&plan->gone, plan->gone_from, strides, &gone);
    dims = kept.rank > gone.rank ? kept.rank : gone.rank;
    if (kept.extents[0] >= traits->vector_width &&
        (plan->length <= SHORT || (kept.strides[0][0] == 1 && gone.strides[0][0] != 1))) {
        kernel = WI_SUM_COLUMNS;
        items = plan->results / kept.extents[0] * ((kept.extents[0] - 1) / columns + 1);
    }
    launch.fixed_count = 0;
    push_u64(&launch, plan->chunks);
    push_u64(&launch, plan->length);
    for (unsigned k = 0; k < dims; k++) push_u64(&launch, kept.extents[k]);
    for (unsigned k = 0; k < dims; k++) push_u64(&launch, (uint64_t)kept.strides[0][k]);
    for (unsigned k = 0; k < dims; k++) push_u64(&launch, gone.extents[k]);
    for (unsigned k = 0; k < dims; k++) push_u64(&launch, (uint64_t)gone.strides[0][k]);
    push_place(&launch, x, 0);
    push_place(&launch, out, 1);
    return launch_kernel(context, kernel, dims, &launch, items * plan->chunks, group);
}

weir_status wi_sum_launch(weir_context *context, const wi_sum_plan *plan, const weir_shape *source,
                          const wi_operand *x, const wi_operand *scratch, const wi_operand *out,
                          unsigned group)
{
    static const unsigned char zeros[sizeof(float)] = {0};
    weir_status status = WEIR_OK;
    wi_operand parts = plan->chunks > 1 ? *scratch : *out;

    if (plan->results == 0) return WEIR_OK;
    if (plan->length == 0) {
        return wi_context_fill(context, &out->place, plan->results * sizeof(float), zeros,
                               sizeof zeros);
    }
    status = launch_chunks(context, plan, source, x, &parts, group);
    for (uint64_t count = plan->chunks; count > 1 && status == WEIR_OK;) {
        const uint64_t groups = (count - 1) / CHUNK + 1;
        wi_operand joined = *out;
        sum_launch launch = {.fixed_count = 0};

        if (groups > 1) {
            joined = parts;
            joined.place.offset_bytes += plan->results * count * sizeof(float);
        }
        push_u64(&launch, count);
        push_place(&launch, &parts, 0);
        push_place(&launch, &joined, 1);
        status = launch_kernel(context, WI_SUM_JOIN, 1, &launch, plan->results * groups, group);
        parts = joined;
        count = groups;
    }
    return status;
}

/* Runs a sum whose call is complete. */
static weir_status run(weir_context *context, const wi_op_call *call, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *a = call->inputs[0];
    const weir_shape *source = weir_tensor_get_shape(a);
    weir_shape scratch_shape = {.rank = 1};
    weir_tensor *result = NULL;
    weir_tensor *scratch = NULL;
    wi_operand x = {0};
    wi_operand memory = {0};
    wi_operand target = {0};
    wi_sum_plan plan;

    wi_sum_plan_make(source, call->axes, call->n_axes, &plan);
    status = wi_tensor_create(context, call->dtype, call->shape, call->op->name, &result);
    if (status != WEIR_OK) goto done;
    scratch_shape.extents[0] = plan.scratch_count;
    status = wi_tensor_create(context, call->dtype, &scratch_shape, call->op->name, &scratch);
    if (status != WEIR_OK) goto done;
    status = wi_tensor_operand(context, result, WI_TAKES_DENSE, &target);
    if (status == WEIR_OK) status = wi_tensor_operand(context, scratch, WI_TAKES_DENSE, &memory);
    if (status == WEIR_OK) status = wi_tensor_operand(context, a, WI_TAKES_STRIDES, &x);
    if (status == WEIR_OK) status = wi_sum_launch(context, &plan, source, &x, &memory, &target, 0);
    if (status == WEIR_OK) status = wi_record_tapes(context, call, result);
    if (status != WEIR_OK) goto done;
    *out = result;
    result = NULL;
done:
    wi_operand_let_go(&x);
    weir_tensor_release(scratch);
    weir_tensor_release(result);
    return status;
}

/* The dimensions that go, ascending; `all` serves if the caller named none. */
static weir_status read_axes(const wi_op *op, const weir_shape *source, const int *axes,
                             unsigned n_axes, int *ascending, unsigned *count)
{
    unsigned char is_gone[WEIR_RANK_MAX] = {0};

    *count = 0;
    if (axes == NULL && n_axes > 0) return wi_fail(WEIR_E_ARG, op->call, "axes are required");
    for (unsigned i = 0; i < n_axes; i++) {
        const int axis = axes[i] < 0 ? axes[i] + (int)source->rank : axes[i];

        if (axis < 0 || axis >= (int)source->rank) {
            return wi_fail(WEIR_E_ARG, op->call, "axis %d of a tensor of %u dimensions", axes[i],
                           source->rank);
        }
        if (is_gone[axis]) return wi_fail(WEIR_E_ARG, op->call, "axis %d comes twice", axes[i]);
        is_gone[axis] = 1;
    }
    for (unsigned i = 0; i < source->rank; i++) {
        if (is_gone[i] || axes == NULL) ascending[(*count)++] = (int)i;
    }
    return WEIR_OK;
}

weir_status wi_op_reduce(weir_context *context, const wi_op *op, weir_tensor *a, const int *axes,
                         unsigned n_axes, int keep_dims, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    int ascending[WEIR_RANK_MAX];
    weir_shape shape;
    wi_op_call call = {.op = op, .inputs = &a, .dtype = WEIR_DTYPE_F32};

    if (out != NULL) *out = NULL;
    if (context == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, op->call, "context and out are required");
    }
    status = wi_op_check_inputs(context, op, &a);
    if (status != WEIR_OK) return status;
    status = read_axes(op, weir_tensor_get_shape(a), axes, n_axes, ascending, &call.n_axes);
    if (status != WEIR_OK) return status;
    wi_sum_shape(weir_tensor_get_shape(a), ascending, call.n_axes, keep_dims, &shape);
    call.axes = ascending;
    call.keep_dims = keep_dims != 0;
    call.shape = &shape;
    if (wi_record_is_capture(context)) return wi_record_capture(context, &call, out);
    status = wi_context_check_process(context);
    return status == WEIR_OK ? run(context, &call, out) : status;
}
