/* Traces: which node of which recorder a tensor is.
 *
 * A recorder (a tape, a capture) attaches one node to a tensor it knows. The tensor owns the node's reference and drops
 * it when it goes, so a recorder learns which results nobody can use any more.
 * Thread: safe; the tensor's lock.
 */
#ifndef WI_TENSOR_TRACE_H
#define WI_TENSOR_TRACE_H

#include "tensor/tensor.h"

typedef void wi_trace_drop(void *node);

/** Attaches a node, in place of an earlier one of the same recorder. Takes over one reference of it, also on failure.
 * recorder   an address that is not used again while a trace names it
 * Errors: HOST_MEMORY. */
weir_status wi_trace_set(weir_tensor *tensor, const void *recorder, void *node, wi_trace_drop *drop);

/** The node of a recorder, borrowed while the tensor is held; NULL if it has none. */
void *wi_trace_get(weir_tensor *tensor, const void *recorder);

#endif
