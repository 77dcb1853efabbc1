/* References of nodes, and what happens when the last one goes.
 *
 * A chain of a million nodes must not be freed by recursion: a node without owners is put on a list, and one caller at a
 * time works the list off. Freeing a node releases tensors, which may drop further nodes of the same graph; these calls,
 * and those of other threads, find somebody at work and only add to the list.
 */
#include "graph/node.h"

#include "base/memory.h"
#include "tensor/trace.h"

#include <sched.h>

unsigned wi_node_inputs(const wi_node *node) { return node->op == NULL ? 0 : node->op->inputs; }

wi_node **wi_node_producers(wi_node *node) { return (wi_node **)(void *)node->words; }

void wi_node_drop(wi_graph *graph, wi_node *node)
{
    if (--node->owners != 0) return;
    node->flags |= WI_NODE_DEAD;
    wi_node_shape_give(graph, node->shape);
    node->next_dead = graph->dead;
    graph->dead = node;
}

void wi_node_take_saved(wi_node *node, wi_saved *out)
{
    weir_tensor **kept = wi_node_kept(node);
    const unsigned saved = atomic_exchange_explicit(&node->saved, 0, memory_order_relaxed);

    *out = (wi_saved){0};
    if ((saved & WI_NEEDS_A) != 0) out->kept[0] = *kept++;
    if ((saved & WI_NEEDS_B) != 0) out->kept[1] = *kept;
    if ((node->flags & WI_NODE_ADOPTED) != 0) {
        out->adopted = node->result;
        node->result = NULL;
        node->flags &= (uint8_t)~WI_NODE_ADOPTED;
    }
}

void wi_saved_release(wi_graph *graph, wi_saved *saved)
{
    wi_tensor_unkeep(saved->kept[0]);
    wi_tensor_unkeep(saved->kept[1]);
    if (saved->adopted != NULL) {
        wi_trace_clear(saved->adopted, graph);
        wi_tensor_unkeep(saved->adopted);
    }
}

/* Takes the first of the dead apart and gives its slot back. Needs the lock, which it gives up in between. */
static void free_first(wi_graph *graph)
{
    wi_node *node = graph->dead;
    wi_node **producers = wi_node_producers(node);
    wi_saved saved;

    graph->dead = node->next_dead;
    for (unsigned i = 0; i < wi_node_inputs(node); i++) {
        if (producers[i] != NULL) wi_node_drop(graph, producers[i]);
    }
    wi_node_take_saved(node, &saved);
    if (saved.kept[0] != NULL || saved.kept[1] != NULL || saved.adopted != NULL) {
        (void)pthread_mutex_unlock(&graph->lock);
        wi_saved_release(graph, &saved);
        (void)pthread_mutex_lock(&graph->lock);
    }
    if (node->op == NULL)
        graph->sources--;
    else
        graph->calls--;
    wi_node_give(graph, node);
}

void wi_graph_hold(wi_graph *graph)
{
    (void)pthread_mutex_lock(&graph->lock);
    while (graph->is_draining) { /* another thread, which does not wait for this one */
        (void)pthread_mutex_unlock(&graph->lock);
        (void)sched_yield();
        (void)pthread_mutex_lock(&graph->lock);
    }
    graph->is_draining = 1;
}

void wi_graph_drain(wi_graph *graph)
{
    int is_gone = 0;

    while (graph->dead != NULL) free_first(graph);
    graph->is_draining = 0;
    is_gone = graph->is_closed && graph->calls + graph->sources == 0;
    (void)pthread_mutex_unlock(&graph->lock);
    if (is_gone) wi_graph_free(graph);
}

void wi_graph_unlock(wi_graph *graph)
{
    if (graph->dead == NULL || graph->is_draining) {
        (void)pthread_mutex_unlock(&graph->lock);
        return;
    }
    graph->is_draining = 1;
    wi_graph_drain(graph);
}

void wi_node_release(wi_node *node)
{
    wi_graph *graph = wi_node_graph(node);

    (void)pthread_mutex_lock(&graph->lock);
    wi_node_drop(graph, node);
    wi_graph_unlock(graph);
}

/* The tensor that leads to a node goes, or leads to another one. */
static void drop_trace(void *user)
{
    wi_node *node = user;
    wi_graph *graph = wi_node_graph(node);

    (void)pthread_mutex_lock(&graph->lock);
    node->result = NULL;
    (void)pthread_mutex_unlock(&graph->lock);
    wi_node_release(node);
}

static int wants_result(void *user)
{
    const wi_node *node = user;
    return (atomic_load_explicit(&node->saved, memory_order_relaxed) & WI_NEEDS_Y) != 0;
}

static int adopt_result(void *user, weir_tensor *tensor)
{
    wi_node *node = user;
    wi_graph *graph = wi_node_graph(node);
    int is_adopted = 0;

    (void)pthread_mutex_lock(&graph->lock);
    if (wants_result(node) && node->owners > 1) {
        wi_tensor_keep(tensor);
        node->flags |= WI_NODE_ADOPTED;
        node->owners--;
        is_adopted = 1;
    }
    (void)pthread_mutex_unlock(&graph->lock);
    return is_adopted;
}

static const wi_trace_keeper result_keeper = {wants_result, adopt_result};

weir_status wi_node_attach(wi_node *node, weir_tensor *tensor)
{
    node->result = tensor;
    return wi_trace_set_kept(tensor, wi_node_graph(node), node, drop_trace,
                             wants_result(node) ? &result_keeper : NULL);
}

weir_tensor *wi_node_get_saved(wi_node *node, unsigned value)
{
    wi_graph *graph = wi_node_graph(node);
    weir_tensor *tensor = NULL;
    weir_tensor **kept = NULL;

    (void)pthread_mutex_lock(&graph->lock);
    const unsigned saved = atomic_load_explicit(&node->saved, memory_order_relaxed);
    if ((saved & 1U << value) == 0) goto done;
    kept = wi_node_kept(node);
    if (value != WI_VALUE_Y) {
        tensor = weir_tensor_retain(kept[value == WI_VALUE_B && (saved & WI_NEEDS_A) != 0]);
        goto done;
    }
    /* Without owners another thread is on its way to let this node adopt it. */
    while (node->result != NULL && !wi_tensor_try_retain(node->result)) {
        (void)pthread_mutex_unlock(&graph->lock);
        (void)sched_yield();
        (void)pthread_mutex_lock(&graph->lock);
    }
    tensor = node->result;
done:
    (void)pthread_mutex_unlock(&graph->lock);
    return tensor;
}

void wi_node_forget_saved(wi_node *node)
{
    wi_graph *graph = wi_node_graph(node);
    wi_saved saved;

    (void)pthread_mutex_lock(&graph->lock);
    wi_node_take_saved(node, &saved);
    (void)pthread_mutex_unlock(&graph->lock);
    wi_saved_release(graph, &saved);
}

static int is_shape(const wi_node_shape *object, const weir_shape *shape)
{
    return object != NULL && weir_shape_equal(&object->shape, shape);
}

wi_node_shape *wi_node_shape_take(wi_graph *graph, wi_node_shape *near, const weir_shape *shape)
{
    wi_node_shape *object = is_shape(near, shape) ? near : graph->shape;

    if (!is_shape(object, shape)) {
        object = wi_malloc(sizeof *object);
        if (object == NULL) return NULL;
        object->owners = 0;
        object->shape = *shape;
        graph->host_bytes += sizeof *object;
        if (graph->shape != NULL) wi_node_shape_give(graph, graph->shape);
        graph->shape = object;
        object->owners++;
    }
    object->owners++;
    return object;
}

void wi_node_shape_give(wi_graph *graph, wi_node_shape *shape)
{
    if (shape == NULL || --shape->owners != 0) return;
    wi_free(shape);
    graph->host_bytes -= sizeof *shape;
}
