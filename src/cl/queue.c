/* Queues: a command each function, numbered and followed by progress.c.
 *
 * Locking: the queue's lock around each enqueue and all bookkeeping; a kernel's lock is taken within it. Calls that wait
 * do so after giving up the lock, with a reference of their own to an event; only a full queue is waited for under the
 * lock, when nobody could enqueue anyway. So asking for the progress never waits for a driver, and a reader does not
 * hold up threads that enqueue. Numbers that are read without the lock are atomic.
 */
#include "cl/queue.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_status.h"
#include "cl/kernel.h"
#include "cl/live.h"
#include "cl/progress.h"

#include <assert.h>
#include <pthread.h>

/* A command queue of a driver with its progress. All members but the atomic ones change under lock only. */
struct wi_queue {
    cl_command_queue handle;
    pthread_mutex_t lock;
    wi_progress progress;
    _Atomic int is_shared; /* others enqueue too */
    _Atomic uint64_t launches;
    _Atomic uint64_t copies;
};

static weir_status fail_late(const wi_queue *queue)
{
    const wi_progress *progress = &queue->progress;
    return wi_cl_fail(progress->late_code, "command queue",
                      "an earlier command failed, one of the first %llu: %s",
                      (unsigned long long)progress->late_sequence,
                      wi_cl_status_text(progress->late_code));
}

/* Before a command: WEIR_OK with the lock held, or the sticking failure without it. */
static weir_status begin(wi_queue *queue)
{
    weir_status st = WEIR_OK;

    (void)pthread_mutex_lock(&queue->lock);
    wi_progress_make_room(&queue->progress);
    if (queue->progress.late_code != CL_SUCCESS) {
        st = fail_late(queue);
        (void)pthread_mutex_unlock(&queue->lock);
    }
    return st;
}

/* Where the command's event goes if it is to be a marker, else NULL. */
static cl_event *want_event(const wi_queue *queue, cl_event *event)
{
    return wi_progress_wants_event(&queue->progress) ? event : NULL;
}

/* After a command that nobody waits for. */
static void end(wi_queue *queue, cl_int code, cl_event event)
{
    if (code == CL_SUCCESS) wi_progress_count(&queue->progress, event);
    (void)pthread_mutex_unlock(&queue->lock);
}

/* After a command whose event the caller waits for: gives what wait_for() takes, if the command was enqueued. */
static wi_transfer end_with(wi_queue *queue, cl_int code, cl_event event)
{
    wi_transfer transfer = {NULL, 0};

    if (code == CL_SUCCESS) {
        queue->copies++;
        wi_live_add(WI_LIVE_EVENT);
        wi_progress_count(&queue->progress, NULL);
        wi_progress_flush(&queue->progress);
        transfer = (wi_transfer){event, queue->progress.sequence};
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return transfer;
}

/* Returns what became of it. */
static cl_int wait_for(wi_queue *queue, const wi_transfer *transfer)
{
    const cl_int code = wi_event_wait(transfer->event);

    wi_event_release(transfer->event);
    if (code == CL_SUCCESS) {
        (void)pthread_mutex_lock(&queue->lock);
        wi_progress_raise(&queue->progress, transfer->sequence);
        (void)pthread_mutex_unlock(&queue->lock);
    }
    return code;
}

/* Makes a failure stick if there is one; the sticking failure, or WEIR_OK. */
static weir_status settle(wi_queue *queue, cl_int code)
{
    weir_status st = WEIR_OK;

    (void)pthread_mutex_lock(&queue->lock);
    if (code != CL_SUCCESS) wi_progress_stick(&queue->progress, code);
    if (queue->progress.late_code != CL_SUCCESS) st = fail_late(queue);
    (void)pthread_mutex_unlock(&queue->lock);
    return st;
}

/* Needs the lock, or a queue that nobody else has. Takes over a reference of the handle. */
static void set_handle(wi_queue *queue, cl_command_queue handle)
{
    queue->handle = handle;
    wi_progress_init(&queue->progress, handle);
}

/* Makes the object around a driver's queue, whose reference it takes over, also if it fails. */
static weir_status wrap(cl_command_queue handle, wi_queue **out)
{
    wi_queue *queue = wi_calloc(1, sizeof *queue);

    *out = NULL;
    wi_live_add(WI_LIVE_QUEUE);
    if (queue == NULL || pthread_mutex_init(&queue->lock, NULL) != 0) {
        wi_free(queue);
        wi_live_drop(WI_LIVE_QUEUE);
        (void)clReleaseCommandQueue(handle);
        return wi_fail(WEIR_E_HOST_MEMORY, "wi_queue_create", "%zu bytes", sizeof *queue);
    }
    set_handle(queue, handle);
    *out = queue;
    return WEIR_OK;
}

weir_status wi_queue_create(cl_context context, cl_device_id device, wi_queue **out)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue handle = clCreateCommandQueue(context, device, 0, &code);

    *out = NULL;
    if (code != CL_SUCCESS) return wi_cl_fail(code, "clCreateCommandQueue", "in-order queue");
    return wrap(handle, out);
}

static weir_status retain_handle(cl_command_queue handle)
{
    const cl_int code = clRetainCommandQueue(handle);

    if (code == CL_SUCCESS) return WEIR_OK;
    return wi_cl_fail(code, "clRetainCommandQueue", "a queue to adopt");
}

weir_status wi_queue_adopt(cl_command_queue handle, wi_queue **out)
{
    const weir_status status = retain_handle(handle);

    *out = NULL;
    return status == WEIR_OK ? wrap(handle, out) : status;
}

void wi_queue_share(wi_queue *queue) { atomic_store(&queue->is_shared, 1); }

cl_command_queue wi_queue_get_handle(const wi_queue *queue) { return queue->handle; }

/* Takes over a reference of the handle for a queue that is closed. */
static void refill(wi_queue *queue, cl_command_queue handle)
{
    wi_live_add(WI_LIVE_QUEUE);
    (void)pthread_mutex_lock(&queue->lock);
    assert(queue->handle == NULL);
    set_handle(queue, handle);
    (void)pthread_mutex_unlock(&queue->lock);
}

weir_status wi_queue_reopen(wi_queue *queue, cl_context context, cl_device_id device)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue handle = clCreateCommandQueue(context, device, 0, &code);

    if (code != CL_SUCCESS) return wi_cl_fail(code, "clCreateCommandQueue", "in-order queue");
    refill(queue, handle);
    return WEIR_OK;
}

weir_status wi_queue_readopt(wi_queue *queue, cl_command_queue handle)
{
    const weir_status status = retain_handle(handle);

    if (status == WEIR_OK) refill(queue, handle);
    return status;
}

int wi_queue_is_open(wi_queue *queue)
{
    int is_open = 0;

    (void)pthread_mutex_lock(&queue->lock);
    is_open = queue->handle != NULL;
    (void)pthread_mutex_unlock(&queue->lock);
    return is_open;
}

void wi_queue_close(wi_queue *queue)
{
    wi_marker last = {NULL, 0};
    cl_command_queue handle = NULL;

    (void)pthread_mutex_lock(&queue->lock);
    handle = queue->handle;
    if (queue->progress.completed < queue->progress.sequence)
        (void)wi_progress_get_event(&queue->progress, queue->progress.sequence, &last);
    (void)pthread_mutex_unlock(&queue->lock);
    if (last.event != NULL) {
        (void)wi_event_wait(last.event);
        wi_event_release(last.event);
    }
    (void)pthread_mutex_lock(&queue->lock);
    queue->handle = NULL;
    /* The number behind all of a shared queue may be known already. */
    if (queue->is_shared) queue->progress.sequence++;
    queue->is_shared = 0;
    wi_progress_close(&queue->progress);
    (void)pthread_mutex_unlock(&queue->lock);
    if (handle == NULL) return;
    wi_live_drop(WI_LIVE_QUEUE);
    (void)clReleaseCommandQueue(handle);
}

void wi_queue_destroy(wi_queue *queue)
{
    if (queue == NULL) return;
    wi_queue_close(queue);
    (void)pthread_mutex_destroy(&queue->lock);
    wi_free(queue);
}

weir_status wi_queue_launch(wi_queue *queue, const wi_launch *launch)
{
    wi_kernel *kernel = launch->kernel;
    const size_t *local = launch->local_size > 0 ? &launch->local_size : NULL;
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_event event = NULL;
    unsigned index = 0;
    int are_set = 0;

    if (launch->global_size == 0) return WEIR_OK;
    st = begin(queue);
    if (st != WEIR_OK) return st;

    (void)pthread_mutex_lock(&kernel->lock);
    code = wi_kernel_set_args(kernel, launch->args, launch->arg_count, &index);
    are_set = code == CL_SUCCESS;
    if (are_set) {
        code = clEnqueueNDRangeKernel(queue->handle, kernel->handle, 1, NULL, &launch->global_size,
                                      local, 0, NULL, want_event(queue, &event));
    }
    (void)pthread_mutex_unlock(&kernel->lock);
    if (code == CL_SUCCESS) queue->launches++;
    end(queue, code, event);

    if (code == CL_SUCCESS) return WEIR_OK;
    if (!are_set) {
        return wi_cl_fail(code, "clSetKernelArg", "argument %u of %u", index, launch->arg_count);
    }
    return wi_cl_fail(code, "clEnqueueNDRangeKernel", "global size %zu, local size %zu",
                      launch->global_size, launch->local_size);
}

/* After a transfer or fill. */
static weir_status judge_copy(cl_int code, const char *call, uint64_t offset, uint64_t bytes)
{
    if (code == CL_SUCCESS) return WEIR_OK;
    return wi_cl_fail(code, call, "%llu bytes at offset %llu", (unsigned long long)bytes,
                      (unsigned long long)offset);
}

weir_status wi_queue_begin_read(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes,
                                uint64_t bytes, void *data, wi_transfer *out)
{
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_event event = NULL;

    *out = (wi_transfer){NULL, 0};
    if (bytes == 0) return WEIR_OK;
    st = begin(queue);
    if (st != WEIR_OK) return st;
    code = clEnqueueReadBuffer(queue->handle, buffer, CL_FALSE, (size_t)offset_bytes, (size_t)bytes,
                               data, 0, NULL, &event);
    *out = end_with(queue, code, event);
    return judge_copy(code, "clEnqueueReadBuffer", offset_bytes, bytes);
}

weir_status wi_queue_begin_write(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes,
                                 uint64_t bytes, const void *data, wi_transfer *out)
{
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_event event = NULL;

    *out = (wi_transfer){NULL, 0};
    if (bytes == 0) return WEIR_OK;
    st = begin(queue);
    if (st != WEIR_OK) return st;
    code = clEnqueueWriteBuffer(queue->handle, buffer, CL_FALSE, (size_t)offset_bytes,
                                (size_t)bytes, data, 0, NULL, &event);
    *out = end_with(queue, code, event);
    return judge_copy(code, "clEnqueueWriteBuffer", offset_bytes, bytes);
}

weir_status wi_queue_end_transfer(wi_queue *queue, const wi_transfer *transfer)
{
    return transfer->event != NULL ? settle(queue, wait_for(queue, transfer)) : WEIR_OK;
}

weir_status wi_queue_read(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                          void *data)
{
    wi_transfer transfer;
    const weir_status st = wi_queue_begin_read(queue, buffer, offset_bytes, bytes, data, &transfer);

    return st == WEIR_OK ? wi_queue_end_transfer(queue, &transfer) : st;
}

weir_status wi_queue_write(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                           const void *data)
{
    wi_transfer transfer;
    const weir_status st =
        wi_queue_begin_write(queue, buffer, offset_bytes, bytes, data, &transfer);

    return st == WEIR_OK ? wi_queue_end_transfer(queue, &transfer) : st;
}

weir_status wi_queue_fill(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                          const void *pattern, size_t pattern_bytes)
{
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_event event = NULL;

    if (bytes == 0) return WEIR_OK;
    st = begin(queue);
    if (st != WEIR_OK) return st;
    code = clEnqueueFillBuffer(queue->handle, buffer, pattern, pattern_bytes, (size_t)offset_bytes,
                               (size_t)bytes, 0, NULL, want_event(queue, &event));
    if (code == CL_SUCCESS) queue->copies++;
    end(queue, code, event);
    return judge_copy(code, "clEnqueueFillBuffer", offset_bytes, bytes);
}

weir_status wi_queue_copy(wi_queue *queue, cl_mem from, uint64_t from_offset_bytes, cl_mem to,
                          uint64_t to_offset_bytes, uint64_t bytes)
{
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_event event = NULL;

    if (bytes == 0) return WEIR_OK;
    st = begin(queue);
    if (st != WEIR_OK) return st;
    code = clEnqueueCopyBuffer(queue->handle, from, to, (size_t)from_offset_bytes,
                               (size_t)to_offset_bytes, (size_t)bytes, 0, NULL,
                               want_event(queue, &event));
    if (code == CL_SUCCESS) queue->copies++;
    end(queue, code, event);
    return judge_copy(code, "clEnqueueCopyBuffer", from_offset_bytes, bytes);
}

/* A write of up to 4 bytes: drivers that back memory lazily do so at the first command, and say there whether they can.
 * A refusal is an answer and not a fault of the queue, so it does not stick, whenever it comes. */
weir_status wi_queue_touch(wi_queue *queue, cl_mem buffer, uint64_t bytes)
{
    static const unsigned char zeros[4] = {0};
    const size_t touched = bytes < sizeof zeros ? (size_t)bytes : sizeof zeros;
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_event event = NULL;
    wi_transfer transfer;

    if (bytes == 0) return WEIR_OK;
    st = begin(queue);
    if (st != WEIR_OK) return st;
    code =
        clEnqueueWriteBuffer(queue->handle, buffer, CL_FALSE, 0, touched, zeros, 0, NULL, &event);
    transfer = end_with(queue, code, event);
    if (transfer.event != NULL) code = wait_for(queue, &transfer);
    if (wi_cl_is_allocation_failure(code)) return WEIR_E_OUT_OF_MEMORY;
    if (transfer.event != NULL) return settle(queue, code);
    return judge_copy(code, "clEnqueueWriteBuffer", 0, touched);
}

/* Gives the end of a shared queue a number, if `sequence` is that of a command that nobody enqueued yet. */
static cl_int number_end(wi_queue *queue, uint64_t sequence)
{
    wi_progress *progress = &queue->progress;

    if (sequence <= progress->sequence) return CL_SUCCESS;
    wi_progress_make_room(progress);
    return progress->late_code != CL_SUCCESS ? CL_SUCCESS : wi_progress_number_end(progress);
}

weir_status wi_queue_mark(wi_queue *queue)
{
    weir_status st = begin(queue);
    cl_int code = CL_SUCCESS;

    if (st != WEIR_OK) return st;
    code = wi_progress_number_end(&queue->progress);
    (void)pthread_mutex_unlock(&queue->lock);
    if (code == CL_SUCCESS) return WEIR_OK;
    return wi_cl_fail(code, "clEnqueueMarkerWithWaitList", "on a command queue");
}

/* As wi_progress_get_event(), but a marker that has to be put behind the last command is a command with a number: others
 * may ask for one after each command, and the queue's length is bounded. */
static cl_int get_counted_event(wi_progress *progress, uint64_t sequence, wi_marker *out)
{
    const int is_new = progress->marker_count == 0 || progress->marked < sequence;
    cl_int code = CL_SUCCESS;

    if (is_new) wi_progress_make_room(progress);
    if (progress->late_code != CL_SUCCESS) return progress->late_code;
    code = wi_progress_get_event(progress, sequence, out);
    if (!is_new || code != CL_SUCCESS) return code;
    wi_progress_count(progress, NULL);
    out->sequence = progress->sequence;
    return CL_SUCCESS;
}

/* An event at or behind `sequence`, on its way; none if there is nothing to wait for. */
static weir_status get_followed(wi_queue *queue, uint64_t sequence, wi_marker *out)
{
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;

    *out = (wi_marker){NULL, 0};
    (void)pthread_mutex_lock(&queue->lock);
    if (queue->handle == NULL) {
        out->sequence = queue->progress.sequence;
        goto done;
    }
    code = number_end(queue, sequence);
    if (queue->progress.late_code != CL_SUCCESS) {
        st = fail_late(queue);
        goto done;
    }
    if (code == CL_SUCCESS) code = get_counted_event(&queue->progress, sequence, out);
    if (code == CL_SUCCESS) code = clFlush(queue->handle);
done:
    (void)pthread_mutex_unlock(&queue->lock);
    if (st != WEIR_OK || code == CL_SUCCESS) return st;
    if (out->event != NULL) wi_event_release(out->event);
    return wi_cl_fail(code, "command queue", "no event for another queue to wait for");
}

weir_status wi_queue_follow(wi_queue *queue, wi_queue *other, uint64_t sequence, uint64_t *reached)
{
    weir_status st = WEIR_OK;
    wi_marker mark;
    cl_event event = NULL;
    cl_int code = CL_SUCCESS;

    *reached = 0;
    st = get_followed(other, sequence, &mark);
    if (st != WEIR_OK) return st;
    if (mark.event != NULL) {
        st = begin(queue);
        if (st == WEIR_OK) {
            code = clEnqueueBarrierWithWaitList(queue->handle, 1, &mark.event,
                                                want_event(queue, &event));
            end(queue, code, event);
        }
        wi_event_release(mark.event);
        if (st != WEIR_OK) return st;
        if (code != CL_SUCCESS)
            return wi_cl_fail(code, "clEnqueueBarrierWithWaitList", "after another queue");
    }
    *reached = mark.sequence;
    return WEIR_OK;
}

uint64_t wi_queue_get_last(const wi_queue *queue) { return queue->progress.sequence; }

uint64_t wi_queue_get_sequence(const wi_queue *queue)
{
    return queue->progress.sequence + (queue->is_shared ? 1 : 0);
}

uint64_t wi_queue_get_completed(wi_queue *queue)
{
    wi_progress *progress = &queue->progress;

    /* Whoever has the lock now is about to learn what we would ask. */
    if (pthread_mutex_trylock(&queue->lock) == 0) {
        wi_progress_poll(progress);
        if (queue->is_shared && progress->completed == progress->sequence)
            (void)wi_progress_number_end(progress);
        (void)pthread_mutex_unlock(&queue->lock);
    }
    return progress->completed;
}

uint64_t wi_queue_get_confirmed(const wi_queue *queue) { return queue->progress.confirmed; }

int wi_queue_has_failed(wi_queue *queue)
{
    int has_failed = 0;

    (void)pthread_mutex_lock(&queue->lock);
    has_failed = queue->progress.late_code != CL_SUCCESS;
    (void)pthread_mutex_unlock(&queue->lock);
    return has_failed;
}

weir_status wi_queue_wait(wi_queue *queue, uint64_t sequence)
{
    wi_progress *progress = &queue->progress;
    wi_marker mark = {NULL, 0};
    cl_int code = CL_SUCCESS;

    assert(sequence <= wi_queue_get_sequence(queue));
    if (progress->completed < sequence) {
        (void)pthread_mutex_lock(&queue->lock);
        code = number_end(queue, sequence);
        if (code == CL_SUCCESS && progress->late_code == CL_SUCCESS) {
            code = wi_progress_get_event(progress, sequence, &mark);
        }
        (void)pthread_mutex_unlock(&queue->lock);
    }
    if (mark.event != NULL) {
        code = wi_event_wait(mark.event);
        wi_event_release(mark.event);
    }
    if (mark.event != NULL && code == CL_SUCCESS) {
        (void)pthread_mutex_lock(&queue->lock);
        wi_progress_raise(progress, mark.sequence);
        (void)pthread_mutex_unlock(&queue->lock);
    }
    return settle(queue, code);
}

weir_status wi_queue_finish(wi_queue *queue)
{
    return wi_queue_wait(queue, wi_queue_get_sequence(queue));
}

weir_status wi_queue_finish_numbered(wi_queue *queue)
{
    return wi_queue_wait(queue, queue->progress.sequence);
}

void wi_queue_reset_error(wi_queue *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    queue->progress.late_code = CL_SUCCESS;
    (void)pthread_mutex_unlock(&queue->lock);
}

void wi_queue_get_counts(const wi_queue *queue, uint64_t *launches, uint64_t *copies)
{
    *launches = queue->launches;
    *copies = queue->copies;
}
