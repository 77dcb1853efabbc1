/* Traces of a tensor: one inside the tensor, since a program seldom has two recorders, and a list for the others. */
#include "tensor/trace.h"

#include "base/memory.h"
#include "base/status.h"
#include "tensor/tensor_state.h"

#include <stdint.h>

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
    return wi_trace_set_kept(tensor, recorder, node, drop, NULL);
}

weir_status wi_trace_set_kept(weir_tensor *tensor, const void *recorder, void *node,
                              wi_trace_drop *drop, const wi_trace_keeper *keeper)
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
        unused = trace->is_adopted ? NULL : trace->node;
        trace->recorder = recorder;
        trace->node = node;
        trace->drop = drop;
        trace->keeper = keeper;
        trace->is_adopted = 0;
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

void wi_trace_clear(weir_tensor *tensor, const void *recorder)
{
    void *node = NULL;
    wi_trace_drop *drop = NULL;
    wi_trace *trace = NULL;

    (void)pthread_mutex_lock(&tensor->lock);
    trace = find(tensor, recorder);
    if (trace != NULL) {
        node = trace->is_adopted ? NULL : trace->node;
        drop = trace->drop;
        trace->recorder = NULL;
        trace->node = NULL;
        trace->keeper = NULL;
        trace->is_adopted = 0;
    }
    (void)pthread_mutex_unlock(&tensor->lock);
    if (node != NULL) drop(node);
}

int wi_trace_adopt(weir_tensor *tensor)
{
    for (wi_trace *trace = &tensor->trace; trace != NULL; trace = trace->next) {
        if (trace->keeper == NULL || trace->is_adopted) continue;
        trace->is_adopted = 1; /* before: afterwards the tensor is the node's */
        if (trace->keeper->adopt(trace->node, tensor)) return 1;
        trace->is_adopted = 0;
    }
    return 0;
}

int wi_trace_is_wanted(const weir_tensor *tensor)
{
    weir_tensor *locked = (weir_tensor *)(uintptr_t)tensor;
    int is_wanted = 0;

    (void)pthread_mutex_lock(&locked->lock);
    for (const wi_trace *trace = &tensor->trace; trace != NULL && !is_wanted; trace = trace->next) {
        is_wanted = trace->keeper != NULL && trace->keeper->wants(trace->node);
    }
    (void)pthread_mutex_unlock(&locked->lock);
    return is_wanted;
}

static void drop_trace(const wi_trace *trace)
{
    if (trace->node != NULL && !trace->is_adopted) trace->drop(trace->node);
}

void wi_trace_fini(weir_tensor *tensor)
{
    wi_trace *trace = tensor->trace.next;

    drop_trace(&tensor->trace);
    while (trace != NULL) {
        wi_trace *next = trace->next;
        drop_trace(trace);
        wi_free(trace);
        trace = next;
    }
}
