/* Noting calls: which inputs have a node, what backward will read, and the node for it.
 *
 * What is saved depends on which inputs have a node: of a product with one such factor only the other factor. Inputs are
 * retained, so a variable that holds one copies when it is updated; the result is only known, see node.h. A call that
 * reads nothing watched costs a look at each input.
 */
#include "base/status.h"
#include "graph/node.h"
#include "tensor/trace.h"

static weir_status fail_host(const wi_op_call *call)
{
    return wi_fail_hint(WEIR_E_HOST_MEMORY, call != NULL ? call->op->call : "weir_tape_watch",
                        "stop recording where no gradient is needed (weir_tape_stop)",
                        "no host memory for a record of the tape");
}

weir_status wi_graph_watch(wi_graph *graph, weir_tensor *tensor)
{
    wi_node *node = NULL;

    (void)pthread_mutex_lock(&graph->lock);
    node = wi_trace_get(tensor, graph);
    if (node != NULL && node->owners != 0) {
        (void)pthread_mutex_unlock(&graph->lock);
        return WEIR_OK;
    }
    node = wi_node_take(graph, 0);
    if (node != NULL) {
        node->shape = wi_node_shape_take(graph, NULL, weir_tensor_get_shape(tensor));
        if (node->shape == NULL) {
            wi_node_give(graph, node);
            node = NULL;
        } else {
            node->serial = graph->serial++;
            graph->sources++;
        }
    }
    (void)pthread_mutex_unlock(&graph->lock);
    return node != NULL ? wi_node_attach(node, tensor) : fail_host(NULL);
}

/* What a call depends on. */
typedef struct dependence {
    wi_node *producers[WI_OP_INPUTS_MAX];
    unsigned count;      /* of producers */
    unsigned needs;      /* WI_NEEDS_... of their gradients */
    wi_node_shape *near; /* shape of one of them */
} dependence;

/* Needs the lock. */
static void find_producers(wi_graph *graph, const wi_op_call *call, dependence *out)
{
    *out = (dependence){0};
    for (unsigned i = 0; i < call->op->inputs; i++) {
        const wi_op_gradient *gradient = NULL;
        wi_node *node = wi_trace_get(call->inputs[i], graph);

        if (node == NULL || node->owners == 0) continue;
        gradient = wi_op_gradient_of(call->op, i);
        /* No gradient flows through such an input. A gradient's own row has merely none yet: backward says so. */
        if (gradient->kind == WI_GRADIENT_NONE && call->op->id < WI_OP_COUNT) continue;
        out->producers[i] = node;
        out->count++;
        out->needs |= gradient->needs;
        if (out->near == NULL || weir_shape_equal(&node->shape->shape, call->shape))
            out->near = node->shape;
    }
}

static unsigned count_bits(unsigned bits)
{
    unsigned count = 0;

    for (; bits != 0; bits &= bits - 1) count++;
    return count;
}

/* Makes the node; NULL without host memory. Needs the lock. */
static wi_node *make_node(wi_graph *graph, const wi_op_call *call, const dependence *on)
{
    const unsigned kept_count = count_bits(on->needs & (WI_NEEDS_A | WI_NEEDS_B));
    wi_node *node = wi_node_take(graph, call->op->inputs + wi_node_call_words(call) + kept_count);
    weir_tensor **kept = NULL;

    if (node == NULL) return NULL;
    node->shape = wi_node_shape_take(graph, on->near, call->shape);
    if (node->shape == NULL) {
        wi_node_give(graph, node);
        return NULL;
    }
    node->op = call->op;
    for (unsigned i = 0; i < call->op->inputs; i++) {
        wi_node_producers(node)[i] = on->producers[i];
        if (on->producers[i] != NULL) on->producers[i]->owners++;
    }
    wi_node_write_call(node, call);
    kept = wi_node_kept(node);
    for (unsigned i = 0; i < call->op->inputs; i++) {
        if ((on->needs & (unsigned)WI_NEEDS_A << i & (WI_NEEDS_A | WI_NEEDS_B)) == 0) continue;
        wi_tensor_keep(call->inputs[i]);
        *kept++ = call->inputs[i];
    }
    atomic_store_explicit(&node->saved, (uint8_t)on->needs, memory_order_relaxed);
    node->serial = graph->serial++;
    graph->calls++;
    return node;
}

weir_status wi_graph_note(wi_graph *graph, const wi_op_call *call, weir_tensor *result)
{
    dependence on;
    wi_node *node = NULL;

    (void)pthread_mutex_lock(&graph->lock);
    find_producers(graph, call, &on);
    /* A result that has a node is an input handed through. */
    if (on.count == 0 || wi_trace_get(result, graph) != NULL) {
        (void)pthread_mutex_unlock(&graph->lock);
        return WEIR_OK;
    }
    node = make_node(graph, call, &on);
    (void)pthread_mutex_unlock(&graph->lock);
    return node != NULL ? wi_node_attach(node, result) : fail_host(call);
}
