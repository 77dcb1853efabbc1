/* Traces of a tensor: one inside the tensor, since a program seldom has two recorders, and a list for the others. */
#include "tensor/trace.h"

#include "base/memory.h"
#include "base/status.h"
#include "tensor/tensor_state.h"

/* The trace of a recorder, or NULL. Needs the lock. */
static wi_trace *find(weir_tensor *tensor, const void *recorder)
{
    for (wi_trace *trace = &tensor->trace; trace != NULL; trace = trace->next) {
        if (trace->recorder == recorder) return trace;
    }
    return NULL;
}

weir_status wi_trace_set(weir_tensor *tensor, const void *recorder, void *node, wi_trace_drop *drop)
{
    weir_status status = WEIR_OK;
    void *unused = NULL;
    wi_trace *trace = NULL;

    (void)pthread_mutex_lock(&tensor->lock);
    trace = find(tensor, recorder);
    if (trace == NULL) trace = find(tensor, NULL);
    if (trace == NULL) {
        trace = wi_calloc(1, sizeof *trace);
        if (trace != NULL) {
            trace->next = tensor->trace.next;
            tensor->trace.next = trace;
        }
    }
    if (trace != NULL) {
        unused = trace->node;
        trace->recorder = recorder;
        trace->node = node;
        trace->drop = drop;
    } else {
        unused = node;
        status =
            wi_fail(WEIR_E_HOST_MEMORY, "weir_tape", "%zu host bytes for a trace", sizeof *trace);
    }
    (void)pthread_mutex_unlock(&tensor->lock);
    if (unused != NULL) drop(unused);
    return status;
}

void *wi_trace_get(weir_tensor *tensor, const void *recorder)
{
    void *node = NULL;
    const wi_trace *trace = NULL;

    (void)pthread_mutex_lock(&tensor->lock);
    trace = find(tensor, recorder);
    if (trace != NULL) node = trace->node;
    (void)pthread_mutex_unlock(&tensor->lock);
    return node;
}

void wi_trace_fini(weir_tensor *tensor)
{
    wi_trace *trace = &tensor->trace;
    if (trace->node != NULL) trace->drop(trace->node);
    trace = trace->next;
    while (trace != NULL) {
        wi_trace *next = trace->next;
        if (trace->node != NULL) trace->drop(trace->node);
        wi_free(trace);
        trace = next;
    }
}
