/* Commands of the null ICD that move no bytes: launches, markers, barriers, flush and finish.
 *
 * A command takes the queue's next number. It is complete at once, or with LAZY when a call waits: a blocking command,
 * clFinish, or a wait for an event at or past its number. That shows how far a caller lets a slow device fall behind.
 */
#include "null_icd.h"

static _Atomic uint64_t pending_peak;

uint64_t null_pending_peak_get(void) { return atomic_load(&pending_peak); }

static void note_pending(cl_command_queue queue)
{
    const uint64_t completed = atomic_load(&queue->completed); /* first: it never passes enqueued */
    const uint64_t pending = atomic_load(&queue->enqueued) - completed;
    uint64_t peak = atomic_load(&pending_peak);

    while (peak < pending && !atomic_compare_exchange_weak(&pending_peak, &peak, pending)) continue;
}

cl_int null_command(cl_command_queue queue, cl_command_type type, int is_blocking,
                    cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    uint64_t sequence = 0;

    if (!null_object_is(queue, NULL_KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if ((wait_count > 0) != (wait_list != NULL)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < wait_count; i++)
        if (!null_object_is(wait_list[i], NULL_KIND_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
    if (event != NULL) {
        *event = null_object_create(NULL_KIND_EVENT, sizeof **event, &queue->head, NULL);
        if (*event == NULL) return CL_OUT_OF_HOST_MEMORY;
    }
    sequence = atomic_fetch_add(&queue->enqueued, 1) + 1;
    if (event != NULL) {
        (*event)->queue = queue;
        (*event)->type = type;
        (*event)->sequence = sequence;
    }
    if (null_set.is_lazy) note_pending(queue);
    if (is_blocking || !null_set.is_lazy) null_complete(queue, sequence);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL null_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                      cl_uint dimensions, const size_t *offset,
                                                      const size_t *global, const size_t *local,
                                                      cl_uint wait_count, const cl_event *wait_list,
                                                      cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueNDRangeKernel);

    (void)offset;
    if (code == CL_SUCCESS && !null_object_is(kernel, NULL_KIND_KERNEL)) code = CL_INVALID_KERNEL;
    if (code == CL_SUCCESS && (dimensions == 0 || dimensions > 3)) code = CL_INVALID_WORK_DIMENSION;
    if (code == CL_SUCCESS && global == NULL) code = CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < dimensions; i++) {
        if (global[i] == 0) code = CL_INVALID_GLOBAL_WORK_SIZE;
        if (local != NULL && (local[i] == 0 || global[i] % local[i] != 0))
            code = CL_INVALID_WORK_GROUP_SIZE;
    }
    return code != CL_SUCCESS
               ? code
               : null_command(queue, CL_COMMAND_NDRANGE_KERNEL, 0, wait_count, wait_list, event);
}

static cl_int CL_API_CALL null_clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                             cl_uint wait_count, const cl_event *wait_list,
                                             cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueTask);

    if (code == CL_SUCCESS && !null_object_is(kernel, NULL_KIND_KERNEL)) code = CL_INVALID_KERNEL;
    return code != CL_SUCCESS
               ? code
               : null_command(queue, CL_COMMAND_TASK, 0, wait_count, wait_list, event);
}

static cl_int CL_API_CALL null_clEnqueueMarkerWithWaitList(cl_command_queue queue,
                                                           cl_uint wait_count,
                                                           const cl_event *wait_list,
                                                           cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueMarkerWithWaitList);

    return code != CL_SUCCESS
               ? code
               : null_command(queue, CL_COMMAND_MARKER, 0, wait_count, wait_list, event);
}

static cl_int CL_API_CALL null_clEnqueueBarrierWithWaitList(cl_command_queue queue,
                                                            cl_uint wait_count,
                                                            const cl_event *wait_list,
                                                            cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueBarrierWithWaitList);

    return code != CL_SUCCESS
               ? code
               : null_command(queue, CL_COMMAND_BARRIER, 0, wait_count, wait_list, event);
}

static cl_int CL_API_CALL null_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueMarker);

    if (code == CL_SUCCESS && event == NULL) code = CL_INVALID_VALUE;
    return code != CL_SUCCESS ? code : null_command(queue, CL_COMMAND_MARKER, 0, 0, NULL, event);
}

static cl_int CL_API_CALL null_clEnqueueBarrier(cl_command_queue queue)
{
    cl_int code = null_enter(NULL_clEnqueueBarrier);

    return code != CL_SUCCESS ? code : null_command(queue, CL_COMMAND_BARRIER, 0, 0, NULL, NULL);
}

static cl_int CL_API_CALL null_clFlush(cl_command_queue queue)
{
    cl_int code = null_enter(NULL_clFlush);

    if (code != CL_SUCCESS) return code;
    return null_object_is(queue, NULL_KIND_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static cl_int CL_API_CALL null_clFinish(cl_command_queue queue)
{
    cl_int code = null_enter(NULL_clFinish);

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(queue, NULL_KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    null_complete(queue, atomic_load(&queue->enqueued));
    return CL_SUCCESS;
}

void null_add_command(cl_icd_dispatch *table)
{
    table->clEnqueueNDRangeKernel = null_clEnqueueNDRangeKernel;
    table->clEnqueueTask = null_clEnqueueTask;
    table->clEnqueueMarkerWithWaitList = null_clEnqueueMarkerWithWaitList;
    table->clEnqueueBarrierWithWaitList = null_clEnqueueBarrierWithWaitList;
    table->clEnqueueMarker = null_clEnqueueMarker;
    table->clEnqueueBarrier = null_clEnqueueBarrier;
    table->clFlush = null_clFlush;
    table->clFinish = null_clFinish;
}
