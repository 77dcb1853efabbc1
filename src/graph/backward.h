/* The list of nodes that backward goes through, for the files of this room; and backward for the room above. */
#ifndef WI_GRAPH_BACKWARD_H
#define WI_GRAPH_BACKWARD_H

#include "graph/graph.h"

/* What is asked for. Tensors of the graph's context, checked: output gradients have their targets' shapes. */
typedef struct wi_gradient_request {
    weir_context *context;
    weir_tensor *const *targets;
    size_t n_targets;
    weir_tensor *const *output_gradients; /* NULL, or n_targets of them; NULL entries: ones */
    weir_tensor *const *sources;
    size_t n_sources;
    int is_last; /* 1: saved values are not needed again */
} wi_gradient_request;

/** Computes gradients. The thread must not note calls in this graph meanwhile.
 * out   n_sources tensors, counted; NULL where no target depends on the source; all NULL on failure
 * Errors: UNSUPPORTED (an operation without a gradient), and those of the operations called. */
weir_status wi_graph_gradient(wi_graph *graph, const wi_gradient_request *request,
                              weir_tensor **out);

/* A node, held, and its gradient as far as it is known. */
typedef struct wi_backward_entry {
    struct wi_node *node;
    weir_tensor *gradient;
    uint64_t serial; /* the node's own */
    int is_wanted;   /* its gradient is asked for */
    int leads;       /* it is wanted, or a producer leads */
} wi_backward_entry;

/* Nodes that targets depend on. Invariants: count <= capacity; producers of a node in it are in it; once sorted, serials
 * ascend and entries[i].node->serial == i. */
typedef struct wi_backward_list {
    wi_graph *graph;
    wi_backward_entry *entries;
    size_t count;
    size_t capacity;
} wi_backward_list;

/** Lists what the targets depend on, in the order of serials, and tells what leads to a source. Errors: HOST_MEMORY. */
weir_status wi_backward_list_make(wi_graph *graph, const wi_gradient_request *request,
                                  wi_backward_list *out);

/** The entry of a tensor; NULL: it is not in the list. */
wi_backward_entry *wi_backward_list_find(const wi_backward_list *list, weir_tensor *tensor);

/** The entry of a node; NULL: it is not in the list. Needs the lock. */
wi_backward_entry *wi_backward_list_at(const wi_backward_list *list, const struct wi_node *node);

/** Releases nodes and gradients. */
void wi_backward_list_fini(wi_backward_list *list);

#endif
