/* Tensors on buffers of the program, and tensors as buffers for it.
 *
 * A wrapped buffer becomes the block of a tensor, and that is all: whoever reads the tensor reads there. Nothing writes
 * to a tensor but the update of a variable that is its sole owner, which is ruled out by wi_tensor_is_sole().
 */
#include "cl/foreign.h"
#include "base/checked.h"
#include "base/status.h"
#include "context/enqueue.h"
#include "context/recording.h"
#include "tensor/tensor.h"

#include <weir/interop_cl.h>

#include <inttypes.h>

static const char where[] = "weir_tensor_wrap_cl_mem";

static weir_status check_buffer(weir_context *context, cl_mem mem, uint64_t offset_bytes,
                                uint64_t bytes, uint64_t unit_bytes)
{
    wi_cl_buffer_facts facts;
    weir_status status = wi_cl_buffer_query(mem, &facts);

    if (status != WEIR_OK) return status;
    if (facts.context != wi_context_get_cl_context(context)) {
        return wi_fail(WEIR_E_CONTEXT, where, "the buffer belongs to another OpenCL context");
    }
    if (facts.type != CL_MEM_OBJECT_BUFFER) {
        return wi_fail(WEIR_E_UNSUPPORTED, where, "the object is no buffer but an image");
    }
    if ((facts.flags & CL_MEM_WRITE_ONLY) != 0) {
        return wi_fail(WEIR_E_UNSUPPORTED, where,
                       "kernels may not read a CL_MEM_WRITE_ONLY buffer");
    }
    if (offset_bytes % unit_bytes != 0) {
        return wi_fail(WEIR_E_ARG, where,
                       "offset %" PRIu64 " is no multiple of an element's %" PRIu64 " bytes",
                       offset_bytes, unit_bytes);
    }
    if (offset_bytes > facts.bytes || bytes > facts.bytes - offset_bytes) {
        return wi_fail(WEIR_E_ARG, where,
                       "%" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes",
                       bytes, offset_bytes, facts.bytes);
    }
    return WEIR_OK;
}

weir_status weir_tensor_wrap_cl_mem(weir_context *context, cl_mem mem, uint64_t offset_bytes,
                                    weir_dtype dtype, const weir_shape *shape, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_block *block = NULL;
    uint64_t count = 0;
    uint64_t bytes = 0;

    if (out != NULL) *out = NULL;
    if (context == NULL || mem == NULL || shape == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, where, "context, mem, shape and out are required");
    }
    status = wi_context_check_process(context);
    if (status == WEIR_OK) status = wi_tensor_measure(dtype, shape, where, &count, &bytes);
    if (status == WEIR_OK)
        status = check_buffer(context, mem, offset_bytes, bytes, weir_dtype_bytes(dtype));
    if (status != WEIR_OK) return status;
    if (bytes != 0) {
        status = wi_block_create_foreign(weir_context_get_pool(context), mem, offset_bytes, bytes,
                                         &block);
        if (status != WEIR_OK) return status;
    }
    return wi_tensor_create_on(context, dtype, shape, block, "wrapped", out);
}

weir_status weir_tensor_to_cl_mem(weir_tensor *tensor, cl_mem *mem, uint64_t *offset_bytes)
{
    wi_operand operand;
    weir_status status = WEIR_OK;

    if (mem != NULL) *mem = NULL;
    if (offset_bytes != NULL) *offset_bytes = 0;
    if (tensor == NULL || mem == NULL || offset_bytes == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_tensor_to_cl_mem",
                       "tensor, mem and offset_bytes are required");
    }
    status = wi_context_check_process(weir_tensor_get_context(tensor));
    if (status == WEIR_OK)
        status =
            wi_tensor_operand(weir_tensor_get_context(tensor), tensor, WI_TAKES_DENSE, &operand);
    if (status != WEIR_OK || operand.place.block == NULL) return status;
    status = wi_context_await(weir_tensor_get_context(tensor), &operand.place);
    if (status != WEIR_OK) return status;
    weir_block_get_cl_mem(operand.place.block, mem, offset_bytes);
    *offset_bytes += operand.place.offset_bytes;
    return WEIR_OK;
}
