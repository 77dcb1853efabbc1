/* What is known of the progress of one in-order command queue: numbers, marker events, flushes, a failure that sticks.
 *
 * Nothing here locks: the owner's lock is held for every call but those on atomic members.
 */
#ifndef WI_CL_PROGRESS_H
#define WI_CL_PROGRESS_H

#include "cl/opencl.h"
#include "cl/queue.h"

#include <stdatomic.h>
#include <stdint.h>

#define WI_FLUSH_MOST 32

/* One marker more than fits into the run-ahead at full distance, since one may stand at any number. */
#define WI_MARKERS (WI_QUEUE_AHEAD / WI_QUEUE_MARK + 2)

/* An event of a command: complete means that commands 1 .. sequence are. */
typedef struct wi_marker {
    cl_event event;
    uint64_t sequence;
} wi_marker;

/* The progress of a queue.
 * Invariants: confirmed <= completed <= sequence <= completed + WI_QUEUE_AHEAD; flushed <= sequence; markers ascend, the oldest is
 * > completed, the newest stands at marked; marker_count <= WI_MARKERS; 1 <= burst <= WI_FLUSH_MOST. */
typedef struct wi_progress {
    cl_command_queue queue;
    wi_marker markers[WI_MARKERS]; /* marker_count from oldest, round the end */
    unsigned oldest;
    unsigned marker_count;
    uint64_t marked;  /* number of the newest marker ever set */
    uint64_t flushed; /* commands up to here were flushed */
    uint64_t burst;   /* flush when so many are not */
    uint64_t polled;  /* last number when progress was last asked for */
    cl_int late_code; /* sticking failure; CL_SUCCESS: none */
    uint64_t late_sequence;
    _Atomic uint64_t sequence;
    _Atomic uint64_t completed;
    _Atomic uint64_t confirmed; /* completed, as a wait found it */
} wi_progress;

/** progress   zeroed */
void wi_progress_init(wi_progress *progress, cl_command_queue queue);

/** Releases the markers. */
void wi_progress_fini(wi_progress *progress);

/** Makes a failure stick, unless one does already. */
void wi_progress_stick(wi_progress *progress, cl_int code);

/** Waits until one more command may be pending. A failure sticks. */
void wi_progress_make_room(wi_progress *progress);

/** 1 if the next command's event should be handed to wi_progress_count(). */
int wi_progress_wants_event(const wi_progress *progress);

/** Numbers a command just enqueued. event: taken over as marker; NULL if none was asked for. Flushes by its rule. */
void wi_progress_count(wi_progress *progress, cl_event event);

/** Enqueues a marker and numbers it, so that what others enqueued before has a number behind it. There is room. */
cl_int wi_progress_number_end(wi_progress *progress);

/** Flushes what is not. */
void wi_progress_flush(wi_progress *progress);

/** Retires the markers that are complete; never waits. If nothing was enqueued since the last call and no marker stands
 * behind the last command, adds one, so that asking again and again comes to the end. */
void wi_progress_poll(wi_progress *progress);

/** Commands up to `sequence` were waited for. */
void wi_progress_raise(wi_progress *progress, uint64_t sequence);

/** The driver's queue is gone, with all that was enqueued. */
void wi_progress_close(wi_progress *progress);

/** Gives a reference to an event at or behind `sequence`, and its number; the caller owns the reference. */
cl_int wi_progress_get_event(wi_progress *progress, uint64_t sequence, wi_marker *out);

/** Gives back, and uncounts, a reference to an event. */
void wi_event_release(cl_event event);

/** Waits for an event; CL_SUCCESS, or what went wrong with it or with a command it depends on. No lock is needed. */
cl_int wi_event_wait(cl_event event);

void wi_progress_check(const wi_progress *progress);

#endif
