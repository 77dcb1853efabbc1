/* Backward: the chain rule along the list of nodes, last node first.
 *
 * When a node's turn comes, everything that reads its result has added its share to the node's gradient. Shares are
 * added into new tensors, never in place: a gradient may be the caller's own, or the same tensor in two places, because
 * add and its like pass theirs on. Each step calls ordinary operations, so other tapes of the thread can record them.
 * Saved values are released as soon as a node is done if nobody asks again.
 */
#include "graph/backward.h"

#include "base/status.h"
#include "graph/node.h"

#include <weir/ops.h>

#include <assert.h>

/* Adds to an entry's gradient; takes `share` over. */
static weir_status add_share(weir_context *context, wi_backward_entry *entry, weir_tensor *share)
{
    weir_status status = WEIR_OK;
    weir_tensor *sum = NULL;

    if (entry->gradient == NULL) {
        entry->gradient = share;
        return WEIR_OK;
    }
    status = weir_add(context, entry->gradient, share, &sum);
    weir_tensor_release(share);
    if (status != WEIR_OK) return status;
    weir_tensor_release(entry->gradient);
    entry->gradient = sum;
    return WEIR_OK;
}

/* A gradient that is an elementwise operation. */
static weir_status run_row(weir_context *context, wi_node *node, const wi_op_gradient *gradient,
                           const float *parameters, weir_tensor *g, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *inputs[WI_OP_INPUTS_MAX] = {NULL};

    for (unsigned i = 0; i < gradient->row->inputs; i++) {
        inputs[i] = gradient->order[i] == WI_VALUE_G ? weir_tensor_retain(g)
                                                     : wi_node_get_saved(node, gradient->order[i]);
        assert(inputs[i] != NULL);
    }
    status = wi_op_elementwise(context, gradient->row, inputs, parameters, out);
    for (unsigned i = 0; i < gradient->row->inputs; i++) weir_tensor_release(inputs[i]);
    return status;
}

/* The share of input `input` of a node with gradient g, in the shape of the result. */
static weir_status compute_share(weir_context *context, wi_node *node, unsigned input,
                                 weir_tensor *g, weir_tensor **out)
{
    const wi_op_gradient *gradient = wi_op_gradient_of(node->op, input);
    wi_gradient_call call = {.shape = &node->shape->shape};
    wi_node_call read;

    *out = NULL;
    wi_node_read_call(node, &read);
    call.call = &read.call;
    call.input = &wi_node_producers(node)[input]->shape->shape;
    switch (gradient->kind) {
    case WI_GRADIENT_PASS:
        *out = weir_tensor_retain(g);
        return WEIR_OK;
    case WI_GRADIENT_ROW:
        return run_row(context, node, gradient, read.call.parameters, g, out);
    case WI_GRADIENT_FUNCTION:
        return gradient->function(context, &call, g, out);
    case WI_GRADIENT_NONE:
        break;
    }
    return wi_fail(WEIR_E_UNSUPPORTED, "weir_tape_gradient",
                   "%s has no gradient: a gradient cannot be differentiated through it",
                   node->op->name);
}

/* Brings a share to the shape of the input it is for; takes `share` over. */
static weir_status fit_share(weir_context *context, const weir_shape *shape, weir_tensor *share,
                             weir_tensor **out)
{
    weir_status status = WEIR_OK;

    *out = share;
    if (weir_shape_equal(weir_tensor_get_shape(share), shape)) return WEIR_OK;
    status = wi_gradient_unbroadcast(context, share, shape, out);
    weir_tensor_release(share);
    return status;
}

/* Gives a node's producers their shares. */
static weir_status pass_back(weir_context *context, const wi_backward_list *list,
                             const wi_backward_entry *entry)
{
    wi_node *node = entry->node;
    weir_status status = WEIR_OK;

    for (unsigned i = 0; i < wi_node_inputs(node) && status == WEIR_OK; i++) {
        const wi_node *producer = wi_node_producers(node)[i];
        weir_tensor *share = NULL;

        if (producer == NULL || !list->entries[producer->serial].leads) continue;
        status = compute_share(context, node, i, entry->gradient, &share);
        if (status == WEIR_OK) status = fit_share(context, &producer->shape->shape, share, &share);
        if (status == WEIR_OK) status = add_share(context, &list->entries[producer->serial], share);
    }
    return status;
}

/* Gives the targets their output gradients. */
static weir_status seed(const wi_backward_list *list, const wi_gradient_request *request)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < request->n_targets && status == WEIR_OK; i++) {
        weir_tensor *target = request->targets[i];
        wi_backward_entry *entry = wi_backward_list_find(list, target);
        weir_tensor *share = NULL;

        if (entry == NULL || !entry->leads) continue;
        if (request->output_gradients != NULL && request->output_gradients[i] != NULL) {
            share = weir_tensor_retain(request->output_gradients[i]);
        } else {
            status = weir_full(request->context, weir_tensor_get_dtype(target),
                               weir_tensor_get_shape(target), 1.0, &share);
        }
        if (status == WEIR_OK) status = add_share(request->context, entry, share);
    }
    return status;
}

/* Releases what nodes have saved that no gradient will pass. */
static void forget_others(wi_graph *graph, const wi_backward_list *list)
{
    wi_graph_hold(graph);
    for (wi_node *node = wi_graph_next(graph, NULL); node != NULL;
         node = wi_graph_next(graph, node)) {
        const wi_backward_entry *entry = wi_backward_list_at(list, node);
        wi_saved saved;

        if (entry != NULL && entry->leads) continue;
        wi_node_take_saved(node, &saved);
        (void)pthread_mutex_unlock(&graph->lock);
        wi_saved_release(graph, &saved);
        (void)pthread_mutex_lock(&graph->lock);
    }
    wi_graph_drain(graph);
}

weir_status wi_graph_gradient(wi_graph *graph, const wi_gradient_request *request,
                              weir_tensor **out)
{
    wi_backward_list list;
    weir_status status = wi_backward_list_make(graph, request, &list);

    for (size_t i = 0; i < request->n_sources; i++) out[i] = NULL;
    if (status != WEIR_OK) goto done;
    if (request->is_last) forget_others(graph, &list);
    status = seed(&list, request);
    for (size_t i = list.count; i-- > 0 && status == WEIR_OK;) {
        wi_backward_entry *entry = &list.entries[i];

        if (entry->gradient == NULL) continue;
        status = pass_back(request->context, &list, entry);
        if (request->is_last) wi_node_forget_saved(entry->node);
        if (entry->is_wanted) continue;
        weir_tensor_release(entry->gradient);
        entry->gradient = NULL;
    }
    if (status != WEIR_OK) goto done;
    for (size_t i = 0; i < request->n_sources; i++) {
        const wi_backward_entry *entry = wi_backward_list_find(&list, request->sources[i]);
        if (entry != NULL) out[i] = weir_tensor_retain(entry->gradient);
    }
done:
    wi_backward_list_fini(&list);
    return status;
}
