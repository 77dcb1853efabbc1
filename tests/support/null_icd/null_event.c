/* Events of the null ICD: a queue and a number, complete when the queue has completed that number. */
#include "null_icd.h"

void null_complete(cl_command_queue queue, uint64_t sequence)
{
    uint64_t done = atomic_load(&queue->completed);

    while (done < sequence && !atomic_compare_exchange_weak(&queue->completed, &done, sequence))
        continue;
}

static cl_int CL_API_CALL null_clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int code = null_enter(NULL_clWaitForEvents);

    if (code == CL_SUCCESS && (count == 0 || events == NULL)) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        if (!null_object_is(events[i], NULL_KIND_EVENT)) code = CL_INVALID_EVENT;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        null_complete(events[i]->queue, events[i]->sequence);
    return code;
}

static cl_int CL_API_CALL null_clGetEventInfo(cl_event event, cl_event_info property, size_t room,
                                              void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetEventInfo);
    cl_int status = CL_COMPLETE;
    cl_uint owners = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(event, NULL_KIND_EVENT)) return CL_INVALID_EVENT;
    switch (property) {
    case CL_EVENT_COMMAND_QUEUE:
        return null_answer(&event->queue, sizeof event->queue, room, out, bytes_ret);
    case CL_EVENT_CONTEXT:
        return null_answer(&event->queue->head.parent, sizeof event->queue->head.parent, room, out,
                           bytes_ret);
    case CL_EVENT_COMMAND_TYPE:
        return null_answer(&event->type, sizeof event->type, room, out, bytes_ret);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        if (atomic_load(&event->queue->completed) < event->sequence) status = CL_SUBMITTED;
        return null_answer(&status, sizeof status, room, out, bytes_ret);
    case CL_EVENT_REFERENCE_COUNT:
        owners = null_object_get_owners(event);
        return null_answer(&owners, sizeof owners, room, out, bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL null_clRetainEvent(cl_event event)
{
    cl_int code = null_enter(NULL_clRetainEvent);

    return code != CL_SUCCESS ? code : null_object_retain(event, NULL_KIND_EVENT);
}

static cl_int CL_API_CALL null_clReleaseEvent(cl_event event)
{
    cl_int code = null_enter(NULL_clReleaseEvent);

    return code != CL_SUCCESS ? code : null_object_release(event, NULL_KIND_EVENT);
}

/* Times are sequence numbers: ordered, and no clock is read. */
static cl_int CL_API_CALL null_clGetEventProfilingInfo(cl_event event, cl_profiling_info property,
                                                       size_t room, void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetEventProfilingInfo);
    cl_ulong time = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(event, NULL_KIND_EVENT)) return CL_INVALID_EVENT;
    if ((event->queue->properties & CL_QUEUE_PROFILING_ENABLE) == 0 ||
        atomic_load(&event->queue->completed) < event->sequence)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (property < CL_PROFILING_COMMAND_QUEUED || property > CL_PROFILING_COMMAND_END)
        return CL_INVALID_VALUE;
    time = event->sequence;
    return null_answer(&time, sizeof time, room, out, bytes_ret);
}

void null_add_event(cl_icd_dispatch *table)
{
    table->clWaitForEvents = null_clWaitForEvents;
    table->clGetEventInfo = null_clGetEventInfo;
    table->clRetainEvent = null_clRetainEvent;
    table->clReleaseEvent = null_clReleaseEvent;
    table->clGetEventProfilingInfo = null_clGetEventProfilingInfo;
}
