/* The order of backward: nodes that the targets depend on, by serial number, without recursion.
 *
 * The list is its own queue: what is appended is looked at later. Every node is later than its producers, so the order
 * of serials, backwards, reaches a node after everything that reads it. While the list is there, a node's serial is its
 * place in the list, which makes finding a producer's entry one load; no call is noted meanwhile.
 */
#include "graph/backward.h"

#include "base/memory.h"
#include "base/status.h"
#include "graph/node.h"
#include "tensor/trace.h"

/* Needs the lock, as all here that takes a node. */
static weir_status append(wi_backward_list *list, wi_node *node)
{
    if (node == NULL || node->owners == 0 || (node->flags & WI_NODE_LISTED) != 0) return WEIR_OK;
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        wi_backward_entry *entries = wi_realloc(list->entries, capacity * sizeof *entries);

        if (entries == NULL) {
            return wi_fail(WEIR_E_HOST_MEMORY, "weir_tape_gradient",
                           "%zu host bytes for the list of records", capacity * sizeof *entries);
        }
        list->entries = entries;
        list->capacity = capacity;
    }
    list->entries[list->count++] = (wi_backward_entry){.node = node, .serial = node->serial};
    node->owners++;
    node->flags |= WI_NODE_LISTED;
    return WEIR_OK;
}

/* The list as a heap with the largest serial first: moves the entry at `at` down to its place. */
static void sift(wi_backward_entry *heap, size_t count, size_t at)
{
    const wi_backward_entry entry = heap[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= count) break;
        if (child + 1 < count && heap[child + 1].serial > heap[child].serial) child++;
        if (heap[child].serial <= entry.serial) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static void swap(wi_backward_entry *a, wi_backward_entry *b)
{
    const wi_backward_entry entry = *a;

    *a = *b;
    *b = entry;
}

/* By serial, ascending. A chain comes descending, and needs no more than turning around. */
static void sort(wi_backward_entry *entries, size_t count)
{
    size_t sorted = 1;

    while (sorted < count && entries[sorted].serial < entries[sorted - 1].serial) sorted++;
    if (sorted >= count) {
        for (size_t i = 0; i < count / 2; i++) swap(&entries[i], &entries[count - 1 - i]);
        return;
    }
    for (size_t i = count / 2; i-- > 0;) sift(entries, count, i);
    for (size_t left = count - 1; left > 0; left--) {
        swap(&entries[0], &entries[left]);
        sift(entries, left, 0);
    }
}

wi_backward_entry *wi_backward_list_at(const wi_backward_list *list, const wi_node *node)
{
    return node != NULL && (node->flags & WI_NODE_LISTED) != 0 ? &list->entries[node->serial]
                                                               : NULL;
}

/* Producers come first, so that one pass tells what leads to a wanted node. */
static void find_leading(wi_backward_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        wi_backward_entry *entry = &list->entries[i];
        wi_node **producers = wi_node_producers(entry->node);

        entry->leads = entry->is_wanted;
        for (unsigned k = 0; k < wi_node_inputs(entry->node) && !entry->leads; k++) {
            entry->leads = producers[k] != NULL && list->entries[producers[k]->serial].leads;
        }
    }
}

weir_status wi_backward_list_make(wi_graph *graph, const wi_gradient_request *request,
                                  wi_backward_list *out)
{
    weir_status status = WEIR_OK;

    *out = (wi_backward_list){.graph = graph};
    (void)pthread_mutex_lock(&graph->lock);
    for (size_t i = 0; i < request->n_targets && status == WEIR_OK; i++) {
        status = append(out, wi_trace_get(request->targets[i], graph));
    }
    for (size_t i = 0; i < out->count && status == WEIR_OK; i++) {
        wi_node *node = out->entries[i].node;

        for (unsigned k = 0; k < wi_node_inputs(node) && status == WEIR_OK; k++) {
            status = append(out, wi_node_producers(node)[k]);
        }
    }
    if (status != WEIR_OK) goto done;
    sort(out->entries, out->count);
    for (size_t i = 0; i < out->count; i++) out->entries[i].node->serial = i;
    for (size_t i = 0; i < request->n_sources; i++) {
        wi_backward_entry *entry =
            wi_backward_list_at(out, wi_trace_get(request->sources[i], graph));
        if (entry != NULL) entry->is_wanted = 1;
    }
    find_leading(out);
done:
    (void)pthread_mutex_unlock(&graph->lock);
    return status;
}

wi_backward_entry *wi_backward_list_find(const wi_backward_list *list, weir_tensor *tensor)
{
    wi_backward_entry *entry = NULL;

    (void)pthread_mutex_lock(&list->graph->lock);
    entry = wi_backward_list_at(list, wi_trace_get(tensor, list->graph));
    (void)pthread_mutex_unlock(&list->graph->lock);
    return entry;
}

void wi_backward_list_fini(wi_backward_list *list)
{
    wi_graph *graph = list->graph;

    for (size_t i = 0; i < list->count; i++) weir_tensor_release(list->entries[i].gradient);
    (void)pthread_mutex_lock(&graph->lock);
    for (size_t i = 0; i < list->count; i++) {
        wi_node *node = list->entries[i].node;

        node->flags &= (uint8_t)~WI_NODE_LISTED;
        node->serial = list->entries[i].serial;
        wi_node_drop(graph, node);
    }
    wi_graph_unlock(graph);
    wi_free(list->entries);
    *list = (wi_backward_list){0};
}
