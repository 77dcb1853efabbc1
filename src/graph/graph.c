/* Graphs: making, forgetting, closing.
 *
 * Forgetting goes through the chunks of nodes once. The dead are not freed meanwhile, so a node stays where it is while
 * the lock is given up to release what it had saved.
 */
#include "graph/graph.h"

#include "base/memory.h"
#include "base/status.h"
#include "graph/node.h"
#include "tensor/trace.h"

weir_status wi_graph_create(wi_graph **out)
{
    wi_graph *graph = wi_calloc(1, sizeof *graph);

    *out = NULL;
    if (graph == NULL || pthread_mutex_init(&graph->lock, NULL) != 0) {
        wi_free(graph);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_tape_begin", "%zu host bytes", sizeof *graph);
    }
    graph->host_bytes = sizeof *graph;
    *out = graph;
    return WEIR_OK;
}

void wi_graph_free(wi_graph *graph)
{
    wi_node_shape_give(graph, graph->shape);
    wi_graph_free_spare(graph);
    (void)pthread_mutex_destroy(&graph->lock);
    wi_free(graph);
}

/* Cuts a node off from its producers and its tensor, and takes what it saved. Needs the lock. Returns the tensor, with
 * one owner more, from which the node is still to be detached; NULL: none. */
static weir_tensor *cut(wi_graph *graph, wi_node *node, wi_saved *saved)
{
    wi_node **producers = wi_node_producers(node);

    for (unsigned i = 0; i < wi_node_inputs(node); i++) {
        if (producers[i] != NULL) wi_node_drop(graph, producers[i]);
        producers[i] = NULL;
    }
    wi_node_take_saved(node, saved);
    if (node->result == NULL || !wi_tensor_try_retain(node->result)) return NULL;
    return node->result;
}

void wi_graph_forget(wi_graph *graph, wi_forget what)
{
    wi_graph_hold(graph);
    for (wi_node *node = wi_graph_next(graph, NULL); node != NULL;
         node = wi_graph_next(graph, node)) {
        weir_tensor *result = NULL;
        wi_saved saved = {0};

        if (node->op == NULL && what != WI_FORGET_ALL) continue;
        if (what == WI_FORGET_SAVED)
            wi_node_take_saved(node, &saved);
        else
            result = cut(graph, node, &saved);
        (void)pthread_mutex_unlock(&graph->lock);
        wi_saved_release(graph, &saved);
        if (result != NULL) wi_trace_clear(result, graph);
        weir_tensor_release(result);
        (void)pthread_mutex_lock(&graph->lock);
    }
    wi_graph_drain(graph);
}

void wi_graph_close(wi_graph *graph)
{
    if (graph == NULL) return;
    wi_graph_forget(graph, WI_FORGET_ALL);
    wi_graph_hold(graph);
    graph->is_closed = 1; /* until now nobody else frees it */
    wi_graph_drain(graph);
}

uint64_t wi_graph_get_host_bytes(wi_graph *graph)
{
    uint64_t bytes = 0;

    (void)pthread_mutex_lock(&graph->lock);
    bytes = graph->host_bytes;
    (void)pthread_mutex_unlock(&graph->lock);
    return bytes;
}

uint64_t wi_graph_get_calls(wi_graph *graph)
{
    uint64_t calls = 0;

    (void)pthread_mutex_lock(&graph->lock);
    calls = graph->calls;
    (void)pthread_mutex_unlock(&graph->lock);
    return calls;
}
