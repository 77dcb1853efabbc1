/* The parameters and axes of a noted call, packed into words behind the producers: most calls have none and take none.
 *
 * Bytes: words taken, number of axes, keep_dims, unused; then parameters as f32; then one byte an axis.
 */
#include "graph/node.h"

#include <string.h>

#define HEAD_BYTES 4

static size_t packed_bytes(const wi_op *op, unsigned n_axes)
{
    return HEAD_BYTES + op->parameters * sizeof(float) + n_axes;
}

_Static_assert(HEAD_BYTES + WI_OP_PARAMETERS_MAX * sizeof(float) + WEIR_RANK_MAX <=
                   3 * sizeof(void *),
               "WI_NODE_WORDS_MAX has three words for a call");

static unsigned char *packed_of(const wi_node *node)
{
    return (unsigned char *)(uintptr_t)(node->words + wi_node_inputs(node));
}

unsigned wi_node_call_words(const wi_op_call *call)
{
    if (call->op->parameters == 0 && call->n_axes == 0 && !call->keep_dims) return 0;
    return (unsigned)((packed_bytes(call->op, call->n_axes) - 1) / sizeof(void *)) + 1;
}

void wi_node_write_call(wi_node *node, const wi_op_call *call)
{
    const unsigned words = wi_node_call_words(call);
    unsigned char *packed = packed_of(node);

    if (words == 0) return;
    node->flags |= WI_NODE_CALL;
    packed[0] = (unsigned char)words;
    packed[1] = (unsigned char)call->n_axes;
    packed[2] = call->keep_dims != 0;
    packed += HEAD_BYTES;
    if (call->op->parameters != 0) {
        memcpy(packed, call->parameters, call->op->parameters * sizeof(float));
        packed += call->op->parameters * sizeof(float);
    }
    for (unsigned i = 0; i < call->n_axes; i++) packed[i] = (unsigned char)call->axes[i];
}

void wi_node_read_call(const wi_node *node, wi_node_call *out)
{
    const unsigned char *packed = packed_of(node);

    memset(out, 0, sizeof *out);
    out->call.op = node->op;
    out->call.dtype = WEIR_DTYPE_F32;
    out->call.shape = &node->shape->shape;
    if ((node->flags & WI_NODE_CALL) == 0) return;
    out->call.n_axes = packed[1];
    out->call.keep_dims = packed[2];
    packed += HEAD_BYTES;
    if (node->op->parameters != 0) {
        memcpy(out->parameters, packed, node->op->parameters * sizeof(float));
        packed += node->op->parameters * sizeof(float);
        out->call.parameters = out->parameters;
    }
    for (unsigned i = 0; i < out->call.n_axes; i++) out->axes[i] = packed[i];
    out->call.axes = out->axes;
}

weir_tensor **wi_node_kept(wi_node *node)
{
    unsigned at = wi_node_inputs(node);

    if ((node->flags & WI_NODE_CALL) != 0) at += packed_of(node)[0];
    return (weir_tensor **)(void *)(node->words + at);
}
