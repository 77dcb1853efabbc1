/* The way from an operation to its recorders. Without any it costs one load. */
#include "ops/record.h"

#include "base/status.h"
#include "context/recording.h"

int wi_record_is_capture(const weir_context *context) { return wi_context_is_recording(context); }

weir_status wi_record_capture(weir_context *context, const wi_op_call *call, weir_tensor **out)
{
    wi_recorder *recorder = wi_context_get_capture(context);

    *out = NULL;
    if (recorder == NULL) {
        return wi_fail(WEIR_E_CAPTURE, call->op->call, "the capture of this context has ended");
    }
    return recorder->capture(recorder, call, out);
}

weir_status wi_record_tapes(weir_context *context, const wi_op_call *call, weir_tensor *out)
{
    weir_status status = WEIR_OK;
    void *tapes[WI_TAPES_MAX];
    const size_t count = wi_context_get_tapes(context, tapes);

    for (size_t i = 0; i < count && status == WEIR_OK; i++) {
        wi_recorder *recorder = tapes[i];
        status = recorder->record(recorder, call, out);
    }
    return status;
}
