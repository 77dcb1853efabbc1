/* Scalars: numbers in eager code; in a capture also arguments of the function and indices of loops, which a symbol
 * names: 1 + argument, or the number of arguments + the body of the loop. */
#include <weir/function.h>

#include "base/status.h"
#include "context/recording.h"
#include "func/capture.h"

weir_scalar wi_capture_argument_scalar(const wi_capture *capture, uint32_t argument)
{
    return (weir_scalar){0, 1 + argument, capture->serial};
}

weir_scalar wi_capture_index_scalar(const wi_capture *capture, uint32_t body)
{
    return (weir_scalar){0, (uint32_t)capture->n_specs + body, capture->serial};
}

weir_status wi_capture_scalar(const wi_capture *capture, weir_scalar scalar, const char *where,
                              wi_scalar *out)
{
    uint32_t at = 0;

    *out = (wi_scalar){.kind = WI_SCALAR_NUMBER, .value = scalar.value};
    if (scalar.symbol == 0) return WEIR_OK;
    if (scalar.capture != capture->serial ||
        scalar.symbol >= capture->n_specs + capture->recorded.n_bodies) {
        return wi_fail(WEIR_E_CAPTURE, where, "a scalar belongs to another capture");
    }
    if (scalar.symbol <= capture->n_specs) {
        *out = (wi_scalar){.kind = WI_SCALAR_ARGUMENT, .at = scalar.symbol - 1};
        return WEIR_OK;
    }
    at = scalar.symbol - (uint32_t)capture->n_specs;
    if (!wi_body_is_within(&capture->recorded, capture->body, at)) {
        return wi_fail(WEIR_E_CAPTURE, where, "the index of a loop is used outside of it");
    }
    *out = (wi_scalar){.kind = WI_SCALAR_INDEX, .at = at};
    return WEIR_OK;
}

static weir_status record_scalar(weir_context *context, weir_scalar scalar, const weir_shape *shape,
                                 weir_tensor **out)
{
    wi_capture *capture = wi_context_get_capture(context);
    wi_term term = {.kind = WI_TERM_SCALAR, .dtype = WEIR_DTYPE_F32, .shape = *shape};
    weir_status status = WEIR_OK;

    if (capture == NULL) {
        return wi_fail(WEIR_E_CAPTURE, "weir_from_scalar", "the capture of this context has ended");
    }
    term.count = weir_shape_count(shape);
    if (term.count == UINT64_MAX)
        return wi_fail(WEIR_E_SHAPE, "weir_from_scalar", "too many elements");
    term.body = capture->body;
    status = wi_capture_scalar(capture, scalar, "weir_from_scalar", &term.scalar);
    return status == WEIR_OK ? wi_capture_add(capture, &term, out) : status;
}

weir_status weir_from_scalar(weir_context *context, weir_scalar scalar, const weir_shape *shape,
                             weir_tensor **out)
{
    if (out != NULL) *out = NULL;
    if (context == NULL || shape == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_from_scalar", "context, shape and out are required");
    }
    if (wi_context_is_recording(context)) return record_scalar(context, scalar, shape, out);
    if (scalar.symbol != 0) {
        return wi_fail(WEIR_E_CAPTURE, "weir_from_scalar",
                       "the scalar of a capture has no number outside of it");
    }
    /* To f32 first: by way of double a large number would be rounded twice. */
    return wi_op_fill(context, &wi_op_rows[WI_OP_FULL], WEIR_DTYPE_F32, shape,
                      (double)(float)scalar.value, out);
}
