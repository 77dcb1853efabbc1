/* Traces: which node of which recorder a tensor is.
 *
 * A recorder (a tape, a capture) attaches one node to a tensor it knows. The tensor owns the node's reference and drops
 * it when it goes, so a recorder learns which results nobody can use any more.
 * Thread: safe; the tensor's lock, which is held while no recorder is called but wants().
 */
#ifndef WI_TENSOR_TRACE_H
#define WI_TENSOR_TRACE_H

#include "tensor/tensor.h"

typedef void wi_trace_drop(void *node);

/* For a recorder whose node needs the value of the very tensor it is attached to. The node must not hold the tensor:
 * each would hold the other for ever. So it only knows the tensor, and takes it over from the last owner. */
typedef struct wi_trace_keeper {
    /* 1 if the node needs the value. Takes no lock: called under the tensor's. */
    int (*wants)(void *node);
    /* The last owner of `tensor` is going. Adds one (wi_tensor_keep()), and gives up the tensor's reference of the node,
     * and returns 1; or returns 0, and the tensor goes. */
    int (*adopt)(void *node, weir_tensor *tensor);
} wi_trace_keeper;

/** Attaches a node, in place of an earlier one of the same recorder. Takes over one reference of it, also on failure.
 * recorder   an address that is not used again while a trace names it
 * Errors: HOST_MEMORY. */
weir_status wi_trace_set(weir_tensor *tensor, const void *recorder, void *node,
                         wi_trace_drop *drop);

/** As wi_trace_set() for a node that may take the tensor over. keeper: static. */
weir_status wi_trace_set_kept(weir_tensor *tensor, const void *recorder, void *node,
                              wi_trace_drop *drop, const wi_trace_keeper *keeper);

/** Detaches the node of a recorder and drops it, unless it had adopted the tensor. */
void wi_trace_clear(weir_tensor *tensor, const void *recorder);

/** The node of a recorder, borrowed while the tensor is held; NULL if it has none. */
void *wi_trace_get(weir_tensor *tensor, const void *recorder);

#endif
