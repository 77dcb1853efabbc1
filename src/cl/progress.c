/* Progress of an in-order queue.
 *
 * Commands are numbered. Every WI_QUEUE_MARK-th carries an event, its marker; since the queue is in order, a marker
 * that is complete says so for all commands before it, and one event in 128 commands is enough to know the progress.
 * Markers stand in a ring, oldest first, and are released as soon as they are known complete. Whoever has to wait does
 * so for an event, never by clFinish(): rusticl of Mesa 22.3 returns from it at once when the commands were flushed
 * before. A waiter takes the first marker that is late enough, or has an event of its own put behind the last command.
 *
 * Flushing: drivers may sit on commands until a flush. After a time of idleness the first command is flushed at once,
 * then two, and so on with doubling distance up to WI_FLUSH_MOST: work starts early, and a long run pays little.
 */
#include "cl/progress.h"

#include "cl/live.h"

#include <assert.h>

void wi_event_release(cl_event event)
{
    wi_live_drop(WI_LIVE_EVENT);
    (void)clReleaseEvent(event);
}

/* Asks for the state of an event: CL_COMPLETE, positive before, negative if its command failed. */
static cl_int query_state(cl_event event, cl_int *state)
{
    *state = CL_QUEUED;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *state, state, NULL);
}

cl_int wi_event_wait(cl_event event)
{
    cl_int state = CL_COMPLETE;
    cl_int code = clWaitForEvents(1, &event);
    cl_int query_code = CL_SUCCESS;

    if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) return code;
    query_code = query_state(event, &state);
    if (code == CL_SUCCESS) code = query_code;
    return state < 0 ? state : code;
}

void wi_progress_init(wi_progress *progress, cl_command_queue queue)
{
    progress->queue = queue;
    progress->burst = 1;
    progress->late_code = CL_SUCCESS;
}

static void drop_oldest(wi_progress *progress)
{
    wi_event_release(progress->markers[progress->oldest].event);
    progress->oldest = (progress->oldest + 1) % WI_MARKERS;
    progress->marker_count--;
}

void wi_progress_fini(wi_progress *progress)
{
    while (progress->marker_count > 0) drop_oldest(progress);
}

void wi_progress_stick(wi_progress *progress, cl_int code)
{
    if (progress->late_code != CL_SUCCESS) return;
    progress->late_code = code;
    progress->late_sequence = progress->sequence;
}

/* The state of the oldest marker; a failure, of its command or of the question, sticks. */
static cl_int query_oldest(wi_progress *progress)
{
    cl_int state = CL_COMPLETE;
    cl_int code = query_state(progress->markers[progress->oldest].event, &state);

    if (code == CL_SUCCESS && state < 0) code = state;
    if (code != CL_SUCCESS) wi_progress_stick(progress, code);
    return state;
}

static void set_completed(wi_progress *progress, uint64_t sequence)
{
    progress->completed = sequence;
    if (sequence == progress->sequence) progress->burst = 1;
    wi_progress_check(progress);
}

void wi_progress_raise(wi_progress *progress, uint64_t sequence)
{
    if (sequence > progress->confirmed) progress->confirmed = sequence;
    if (sequence <= progress->completed) return;
    while (progress->marker_count > 0 && progress->markers[progress->oldest].sequence <= sequence) {
        (void)query_oldest(progress);
        drop_oldest(progress);
    }
    set_completed(progress, sequence);
}

void wi_progress_close(wi_progress *progress)
{
    wi_progress_fini(progress);
    progress->queue = NULL;
    progress->late_code = CL_SUCCESS;
    progress->marked = progress->flushed = progress->sequence;
    progress->confirmed = progress->sequence;
    set_completed(progress, progress->sequence);
}

/* A failed command has ended as well; its failure sticks. */
static void retire(wi_progress *progress)
{
    while (progress->marker_count > 0 && query_oldest(progress) <= CL_COMPLETE) {
        const uint64_t sequence = progress->markers[progress->oldest].sequence;
        drop_oldest(progress);
        set_completed(progress, sequence);
    }
}

void wi_progress_flush(wi_progress *progress)
{
    const uint64_t sequence = progress->sequence;
    cl_int code = CL_SUCCESS;

    if (progress->flushed == sequence) return;
    code = clFlush(progress->queue);
    if (code != CL_SUCCESS) wi_progress_stick(progress, code);
    progress->flushed = sequence;
    if (progress->burst < WI_FLUSH_MOST) progress->burst *= 2;
}

/* Takes over an event of, or behind, the last command. */
static void add_marker(wi_progress *progress, cl_event event)
{
    const unsigned next = (progress->oldest + progress->marker_count) % WI_MARKERS;

    assert(progress->marker_count < WI_MARKERS);
    progress->markers[next] = (wi_marker){event, progress->sequence};
    progress->marker_count++;
    progress->marked = progress->sequence;
}

/* An event behind the last command. */
static cl_int mark_end(const wi_progress *progress, cl_event *out)
{
    cl_int code = clEnqueueMarkerWithWaitList(progress->queue, 0, NULL, out);
    if (code == CL_SUCCESS) wi_live_add(WI_LIVE_EVENT);
    return code;
}

int wi_progress_wants_event(const wi_progress *progress)
{
    return progress->sequence + 1 - progress->marked >= WI_QUEUE_MARK;
}

void wi_progress_count(wi_progress *progress, cl_event event)
{
    progress->sequence++;
    if (event != NULL) {
        wi_live_add(WI_LIVE_EVENT);
        add_marker(progress, event);
    }
    if (event != NULL || progress->sequence - progress->flushed >= progress->burst) {
        wi_progress_flush(progress);
    }
    wi_progress_check(progress);
}

cl_int wi_progress_number_end(wi_progress *progress)
{
    const int is_marked = progress->marker_count == 0 || wi_progress_wants_event(progress);
    cl_event event = NULL;
    const cl_int code =
        clEnqueueMarkerWithWaitList(progress->queue, 0, NULL, is_marked ? &event : NULL);

    if (code == CL_SUCCESS) wi_progress_count(progress, event);
    return code;
}

cl_int wi_progress_get_event(wi_progress *progress, uint64_t sequence, wi_marker *out)
{
    cl_int code = CL_SUCCESS;

    *out = (wi_marker){NULL, progress->sequence};
    for (unsigned i = 0; i < progress->marker_count; i++) {
        const wi_marker *mark = &progress->markers[(progress->oldest + i) % WI_MARKERS];
        if (mark->sequence < sequence) continue;
        code = clRetainEvent(mark->event);
        if (code == CL_SUCCESS) {
            wi_live_add(WI_LIVE_EVENT);
            *out = *mark;
        }
        return code;
    }
    return mark_end(progress, &out->event);
}

void wi_progress_make_room(wi_progress *progress)
{
    if (progress->sequence - progress->completed < WI_QUEUE_AHEAD) return;
    retire(progress);
    while (progress->sequence - progress->completed >= WI_QUEUE_AHEAD &&
           progress->late_code == CL_SUCCESS) {
        wi_marker mark = {NULL, 0};
        cl_int code = wi_progress_get_event(progress, progress->completed + 1, &mark);
        if (code == CL_SUCCESS) {
            code = wi_event_wait(mark.event);
            wi_event_release(mark.event);
        }
        if (code == CL_SUCCESS)
            wi_progress_raise(progress, mark.sequence);
        else
            wi_progress_stick(progress, code);
    }
}

void wi_progress_poll(wi_progress *progress)
{
    cl_event event = NULL;

    retire(progress);
    if (progress->polled == progress->sequence && progress->marker_count == 0 &&
        progress->completed < progress->sequence && mark_end(progress, &event) == CL_SUCCESS) {
        add_marker(progress, event);
        (void)clFlush(progress->queue);
    }
    progress->polled = progress->sequence;
    wi_progress_check(progress);
}

void wi_progress_check(const wi_progress *progress)
{
#if WEIR_CHECKS > 0 && !defined(NDEBUG)
    uint64_t before = progress->completed;
    assert(progress->completed <= progress->sequence);
    assert(progress->confirmed <= progress->sequence);
    assert(progress->sequence - progress->completed <= WI_QUEUE_AHEAD);
    assert(progress->flushed <= progress->sequence && progress->marked <= progress->sequence);
    assert(progress->marker_count <= WI_MARKERS && progress->oldest < WI_MARKERS);
    assert(progress->burst >= 1 && progress->burst <= WI_FLUSH_MOST);
    for (unsigned i = 0; i < progress->marker_count; i++) {
        const wi_marker *mark = &progress->markers[(progress->oldest + i) % WI_MARKERS];
        assert(mark->event != NULL && mark->sequence > before);
        before = mark->sequence;
    }
    assert(progress->marker_count == 0 || before == progress->marked);
#else
    (void)progress;
#endif
}
