/* Graphs: operations noted as nodes, for gradients.
 *
 * A graph is made for one thread, which notes and asks; tensors that lead to its nodes may be released by any thread.
 * It lives until it is closed and no tensor leads to a node of it any more.
 */
#ifndef WI_GRAPH_GRAPH_H
#define WI_GRAPH_GRAPH_H

#include "ops/record.h"

#include <weir/text.h>

typedef struct wi_graph wi_graph;

/** Makes an empty graph. out: weir's owner closes it with wi_graph_close(). Errors: HOST_MEMORY. */
weir_status wi_graph_create(wi_graph **out);

/** Forgets everything and frees the graph, at the latest when the last tensor lets go of it. NULL is allowed. */
void wi_graph_close(wi_graph *graph);

/** Makes a tensor a source: calls that read it are noted from now on. Nothing if the graph has a node for it.
 * Errors: HOST_MEMORY. */
weir_status wi_graph_watch(wi_graph *graph, weir_tensor *tensor);

/** Notes a call whose result is `result`, if one of its inputs has a node. Errors: HOST_MEMORY. */
weir_status wi_graph_note(wi_graph *graph, const wi_op_call *call, weir_tensor *result);

/* What is forgotten. */
typedef enum wi_forget {
    WI_FORGET_SAVED, /* the values saved; the nodes stay */
    WI_FORGET_CALLS, /* everything but the sources */
    WI_FORGET_ALL
} wi_forget;

/** Forgets; saved values are released, tensors no longer lead to forgotten nodes. */
void wi_graph_forget(wi_graph *graph, wi_forget what);

/** Sum over the distinct blocks that saved values are in. Without host memory for telling which are distinct, each
 * value counts with its whole block. */
uint64_t wi_graph_get_saved_bytes(wi_graph *graph);

/** Bytes of host memory that the graph takes. */
uint64_t wi_graph_get_host_bytes(wi_graph *graph);

/** Number of noted calls that are still there. */
uint64_t wi_graph_get_calls(wi_graph *graph);

/** Appends a table of calls and saved bytes by operation, most bytes first. */
void wi_graph_write_table(wi_graph *graph, weir_text *text);

/** Verifies the invariants of node.h; returns 1, or 0 after appending what is broken. */
int wi_graph_check(wi_graph *graph, weir_text *why);

#endif
