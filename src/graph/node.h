/* Nodes of a graph, for the files of this room.
 *
 * Who holds whom: a node holds its producers; the tensor that is a node's result holds the node (trace.h). Values that
 * backward reads are inputs, which the node holds, and the result itself, which it must not hold, because the result
 * holds it; it adopts the result when the program's last owner of it goes, if other nodes still need this one. So a
 * branch that nobody can use any more is freed at once.
 *
 * Locking: the graph's mutex guards all of it. Tensors are released, and traces cleared, without it: that may end in a
 * node of the same graph. Under it a tensor's lock may be taken, never the other way round.
 */
#ifndef WI_GRAPH_NODE_H
#define WI_GRAPH_NODE_H

#include "graph/graph.h"
#include "ops/gradient.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* A shape that several nodes share. */
typedef struct wi_node_shape {
    uint64_t owners;
    weir_shape shape;
} wi_node_shape;

enum {
    WI_NODE_LIVE = 1,    /* the slot has a node */
    WI_NODE_DEAD = 2,    /* nobody holds it; it waits to be freed */
    WI_NODE_CALL = 4,    /* it has parameters or axes */
    WI_NODE_ADOPTED = 8, /* it owns its result */
    WI_NODE_LISTED = 16  /* it is in the list of backward, which runs */
};

/* One noted call, or a source. words: the producers, one an input, NULL where an input has no node; with CALL the
 * parameters and axes, packed; the inputs saved when it was noted, a before b.
 *
 * Invariants: owners == tensors that lead to it + its entries among producers + pins; owners == 0 <=> DEAD;
 * producers have smaller serials. */
typedef struct wi_node {
    uint32_t owners;
    uint16_t place;        /* words from the start of its chunk */
    _Atomic uint8_t saved; /* WI_NEEDS_...; 0 once it was forgotten */
    uint8_t flags;         /* WI_NODE_... */
    const wi_op *op;       /* NULL: a source */
    uint64_t serial;       /* LISTED: the place in backward's list */
    union {
        wi_node_shape *shape;
        struct wi_node *next_dead;
    };
    weir_tensor *result; /* known; held if ADOPTED; NULL once the tensor has let go */
    void *words[];
} wi_node;

/* Slots of one size, in one allocation. Free slots are chained through owners; LIVE is not set there.
 *
 * Invariants: used + length of the chain + count - fresh == count; slots from `fresh` on were never used. */
typedef struct wi_chunk {
    struct wi_graph *graph;
    struct wi_chunk *previous; /* in the list of its size; those with room come first */
    struct wi_chunk *next;
    uint16_t words; /* of a slot, behind the node's head */
    uint16_t count;
    uint16_t used;
    uint16_t fresh;
    uint32_t first_free; /* slot; count: none */
} wi_chunk;

#define WI_NODE_WORDS_MAX (WI_OP_INPUTS_MAX + 2 + 3) /* producers, inputs saved, packed call */
#define WI_CHUNK_BYTES 4080                          /* with the C library's head a round number */

/* Invariants: host_bytes == sizes of all allocations that are left; calls + sources == used slots of all chunks. */
struct wi_graph {
    pthread_mutex_t lock;
    wi_chunk *first[WI_NODE_WORDS_MAX + 1]; /* by words */
    wi_chunk *last[WI_NODE_WORDS_MAX + 1];
    wi_node *dead;        /* chained */
    wi_node_shape *shape; /* used last */
    uint64_t serial;
    uint64_t calls;
    uint64_t sources;
    uint64_t host_bytes;
    int is_draining; /* somebody frees the dead, or wants none freed now */
    int is_closed;
};

/* What a node gave up, to be released without the lock. */
typedef struct wi_saved {
    weir_tensor *kept[2];
    weir_tensor *adopted;
} wi_saved;

/* node_slots.c. All need the lock. */

/** Takes a slot, zeroed but for LIVE and its place, with one owner; NULL without host memory. */
wi_node *wi_node_take(wi_graph *graph, unsigned words);

/** Gives a slot back. */
void wi_node_give(wi_graph *graph, wi_node *node);

/** Frees the chunks without a node. */
void wi_graph_free_spare(wi_graph *graph);

/** The graph of a node; needs no lock. */
wi_graph *wi_node_graph(const wi_node *node);

/** The next node that is not dead, in the order of slots; NULL at the end. at: the one before; NULL: the first. */
wi_node *wi_graph_next(const wi_graph *graph, const wi_node *at);

/** Counts slots in use by going through the chunks; UINT64_MAX if a chunk contradicts itself. */
uint64_t wi_graph_count_slots(const wi_graph *graph);

/* node_call.c. No lock. */

/** Words that a call's parameters and axes take. */
unsigned wi_node_call_words(const wi_op_call *call);

/** Packs them behind the producers. */
void wi_node_write_call(wi_node *node, const wi_op_call *call);

/* A call as read back. */
typedef struct wi_node_call {
    wi_op_call call; /* op, parameters, shape, axes, keep_dims */
    float parameters[WI_OP_PARAMETERS_MAX];
    int axes[WEIR_RANK_MAX];
} wi_node_call;

/** Unpacks them; *out refers to itself. */
void wi_node_read_call(const wi_node *node, wi_node_call *out);

/** Where the inputs saved are. */
weir_tensor **wi_node_kept(wi_node *node);

/* node.c */

/** How many inputs, 0 for a source, and the producers. */
unsigned wi_node_inputs(const wi_node *node);
wi_node **wi_node_producers(wi_node *node);

/** Drops an owner. The last one frees the node and what only it held. */
void wi_node_release(wi_node *node);

/** Drops an owner under the lock; a node without any is chained to the dead. */
void wi_node_drop(wi_graph *graph, wi_node *node);

/** Attaches a node to the tensor that is its result or that it watches, handing the caller's owner of it over. */
weir_status wi_node_attach(wi_node *node, weir_tensor *tensor);

/** The value saved for a WI_VALUE_..., with one owner more; NULL: not saved. The caller holds the node. */
weir_tensor *wi_node_get_saved(wi_node *node, unsigned value);

/** Takes the saved values out of a node. Needs the lock. */
void wi_node_take_saved(wi_node *node, wi_saved *out);

/** Releases them, without the lock, while the node is there. */
void wi_saved_release(wi_graph *graph, wi_saved *saved);

/** Releases the saved values of a node that the caller holds. */
void wi_node_forget_saved(wi_node *node);

/** Waits until nobody drains, and keeps dead nodes from being freed until wi_graph_drain(). Takes the lock. */
void wi_graph_hold(wi_graph *graph);

/** Frees the dead and ends the draining. Needs the lock and is_draining set by the caller; gives the lock up. The graph
 * may be gone afterwards. */
void wi_graph_drain(wi_graph *graph);

/** Gives the lock up, after freeing the dead unless somebody is at it. The graph may be gone afterwards. */
void wi_graph_unlock(wi_graph *graph);

/** Frees a closed graph without nodes. */
void wi_graph_free(wi_graph *graph);

/** A shape object with one owner more; NULL without host memory. near: tried first; may be NULL. Needs the lock. */
wi_node_shape *wi_node_shape_take(wi_graph *graph, wi_node_shape *near, const weir_shape *shape);
void wi_node_shape_give(wi_graph *graph, wi_node_shape *shape);

#endif
