/* Tensors filled with one number. A fill of the queue, so no kernel is built; it is no launch in the statistics. */
#include "base/status.h"
#include "context/enqueue.h"
#include "ops/record.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* C leaves open what a conversion out of range gives. */
uint32_t wi_fill_bits(double value)
{
    const double past_largest = 0x1.ffffffp127; /* halfway from the largest f32 to 2^128 */
    float rounded;
    uint32_t bits;

    if (isnan(value)) return UINT32_C(0x7fc00000);
    if (fabs(value) >= past_largest) return value < 0 ? UINT32_C(0xff800000) : UINT32_C(0x7f800000);
    if (fabs(value) > (double)FLT_MAX)
        rounded = value < 0 ? -FLT_MAX : FLT_MAX;
    else
        rounded = (float)value;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

weir_status wi_op_fill(weir_context *context, const wi_op *op, weir_dtype dtype,
                       const weir_shape *shape, double value, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *result = NULL;
    wi_operand target;
    unsigned char pattern[16] = {0};
    uint32_t bits;

    if (out != NULL) *out = NULL;
    if (context == NULL || shape == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, op->call, "context, shape and out are required");
    }
    if (op->dtypes == WI_DTYPES_F32 && dtype != WEIR_DTYPE_F32) {
        return wi_fail(WEIR_E_DTYPE, op->call, "dtype is %s; it makes f32", weir_dtype_name(dtype));
    }
    if (wi_record_is_capture(context)) {
        const wi_op_call call = {.op = op, .dtype = dtype, .shape = shape, .value = value};
        return wi_record_capture(context, &call, out);
    }
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    status = wi_tensor_create(context, dtype, shape, op->name, &result);
    if (status != WEIR_OK) goto done;
    if (weir_tensor_get_count(result) > 0) {
        status = wi_tensor_operand(context, result, WI_TAKES_DENSE, &target);
        if (status != WEIR_OK) goto done;
        if (op->parameters > 0) { /* a row with a value makes f32; without, all bytes are 0 */
            bits = wi_fill_bits(value);
            memcpy(pattern, &bits, sizeof bits);
        }
        status = wi_context_fill(context, &target.place, weir_tensor_get_bytes(result), pattern,
                                 weir_dtype_bytes(dtype));
        if (status != WEIR_OK) goto done;
    }
    *out = result;
    result = NULL;
done:
    weir_tensor_release(result);
    return status;
}
