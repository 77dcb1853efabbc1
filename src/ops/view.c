/* Views: other shapes on the storage of a tensor. Nothing is launched or copied, but by a reshape of a tensor that is
 * not dense, which is written to a dense block first.
 */
#include "ops/copy.h"
#include "ops/layout.h"
#include "ops/record.h"

#include "base/status.h"

/* A view under construction. from and axes: see wi_view_map and wi_op_call. */
typedef struct view {
    weir_shape shape;
    int from[WEIR_RANK_MAX];
    int axes[WEIR_RANK_MAX];
} view;

/* Dimension i of the result is dimension axes[i] of the source; without axes the order is reversed. */
static weir_status make_transpose(const wi_op *op, const weir_shape *source, const int *axes,
                                  view *out)
{
    unsigned char is_used[WEIR_RANK_MAX] = {0};

    out->shape.rank = source->rank;
    for (unsigned i = 0; i < source->rank; i++) {
        const int given = axes != NULL ? axes[i] : (int)(source->rank - 1 - i);
        const int axis = given < 0 ? given + (int)source->rank : given;

        if (axis < 0 || axis >= (int)source->rank) {
            return wi_fail(WEIR_E_ARG, op->call, "axis %d of a tensor of %u dimensions", given,
                           source->rank);
        }
        if (is_used[axis]) return wi_fail(WEIR_E_ARG, op->call, "axis %d comes twice", given);
        is_used[axis] = 1;
        out->axes[i] = axis;
        out->from[i] = axis;
        out->shape.extents[i] = source->extents[axis];
    }
    return WEIR_OK;
}

static weir_status fail_shape(const wi_op *op, const weir_shape *source, const weir_shape *shape,
                              const char *rule)
{
    char text_a[192];
    char text_b[192];

    return wi_fail(WEIR_E_SHAPE, op->call, "a is %s, shape is %s; %s",
                   weir_shape_format(source, text_a, sizeof text_a),
                   weir_shape_format(shape, text_b, sizeof text_b), rule);
}

static weir_status make_expand(const wi_op *op, const weir_shape *source, const weir_shape *shape,
                               view *out)
{
    const unsigned added = shape->rank - source->rank;
    weir_shape common;

    if (!wi_shape_broadcast(source, shape, &common) || !weir_shape_equal(&common, shape)) {
        return fail_shape(op, source, shape,
                          "extents of a must be equal or 1, from the last dimension on");
    }
    out->shape = *shape;
    for (unsigned i = 0; i < shape->rank; i++) {
        const int is_repeated = i < added || source->extents[i - added] != shape->extents[i];

        out->from[i] = is_repeated ? -1 : (int)(i - added);
    }
    return WEIR_OK;
}

static weir_status make_view(const wi_op *op, const weir_shape *source, const int *axes,
                             const weir_shape *shape, view *out)
{
    switch (op->view) {
    case WI_VIEW_TRANSPOSE:
        return make_transpose(op, source, axes, out);
    case WI_VIEW_EXPAND:
        return make_expand(op, source, shape, out);
    case WI_VIEW_RESHAPE:
    case WI_VIEW_NONE:
        break;
    }
    if (weir_shape_count(source) != weir_shape_count(shape)) {
        return fail_shape(op, source, shape, "they must have as many elements");
    }
    out->shape = *shape;
    return WEIR_OK;
}

weir_status wi_op_view(weir_context *context, const wi_op *op, weir_tensor *a, const int *axes,
                       const weir_shape *shape, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *result = NULL;
    view made = {0};
    wi_view_map map = {.from = made.from};
    wi_op_call call = {.op = op, .inputs = &a, .shape = &made.shape};

    if (out != NULL) *out = NULL;
    if (context == NULL || out == NULL || (op->view != WI_VIEW_TRANSPOSE && shape == NULL)) {
        return wi_fail(WEIR_E_ARG, op->call, "context%s and out are required",
                       op->view != WI_VIEW_TRANSPOSE ? ", shape" : "");
    }
    status = wi_op_check_inputs(context, op, &a);
    if (status != WEIR_OK) return status;
    if (shape != NULL && shape->rank > WEIR_RANK_MAX) {
        return wi_fail(WEIR_E_SHAPE, op->call, "shape has %u dimensions, at most %d", shape->rank,
                       WEIR_RANK_MAX);
    }
    status = make_view(op, weir_tensor_get_shape(a), axes, shape, &made);
    if (status != WEIR_OK) return status;
    call.dtype = weir_tensor_get_dtype(a);
    if (op->view == WI_VIEW_TRANSPOSE) {
        call.axes = made.axes;
        call.n_axes = made.shape.rank;
    }
    if (wi_record_is_capture(context)) return wi_record_capture(context, &call, out);
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    status =
        wi_tensor_create_view(context, a, &made.shape, op->view == WI_VIEW_RESHAPE ? NULL : &map,
                              wi_copy_write(weir_dtype_bytes(call.dtype)), op->name, &result);
    if (status == WEIR_OK) status = wi_record_tapes(context, &call, result);
    if (status != WEIR_OK) goto done;
    *out = result;
    result = NULL;
done:
    weir_tensor_release(result);
    return status;
}
