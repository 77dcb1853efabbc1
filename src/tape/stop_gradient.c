/* A value without its history: another handle on the same storage, which no tape has a node for. In a capture, where
 * values have no storage, a copy, which fusion makes part of its neighbours.
 */
#include <weir/tape.h>

#include "base/status.h"
#include "context/recording.h"
#include "ops/record.h"

weir_status weir_stop_gradient(weir_context *context, weir_tensor *tensor, weir_tensor **out)
{
    const weir_context *owner = NULL;
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (context == NULL || tensor == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_stop_gradient", "context, tensor and out are required");
    }
    owner = weir_tensor_get_context(tensor);
    if (owner != context && owner != wi_context_get_base(context)) {
        return wi_fail(WEIR_E_CONTEXT, "weir_stop_gradient", "tensor belongs to another context");
    }
    if (wi_record_is_capture(context)) {
        const wi_op_call call = {.op = &wi_op_copy,
                                 .inputs = &tensor,
                                 .dtype = weir_tensor_get_dtype(tensor),
                                 .shape = weir_tensor_get_shape(tensor)};
        return wi_record_capture(context, &call, out);
    }
    status = wi_context_check_process(context);
    return status == WEIR_OK ? wi_tensor_create_alias(tensor, out) : status;
}
