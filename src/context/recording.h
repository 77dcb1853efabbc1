/* Who listens to the operations of a context: tapes, and the capture that owns a recording context.
 *
 * The rooms above define what a recorder is; here it is a pointer. A recording context belongs to a capture and runs
 * nothing: everything that would use the device refuses with CAPTURE. A tape listens to the operations of one thread.
 */
#ifndef WI_CONTEXT_RECORDING_H
#define WI_CONTEXT_RECORDING_H

#include "context/context.h"

#include <pthread.h>
#include <stddef.h>

/* One tape on one context. In the tape's storage; linked while it listens. */
typedef struct wi_tape_entry {
    pthread_t thread;
    void *recorder;
    struct wi_tape_entry *next;
} wi_tape_entry;

#define WI_TAPES_MAX 16 /* tapes of one thread on one context that listen at once */

/** Starts and ends listening. Errors: ARG if the thread has WI_TAPES_MAX tapes there. Thread: safe. */
weir_status wi_context_add_tape(weir_context *context, wi_tape_entry *entry);
void wi_context_remove_tape(weir_context *context, wi_tape_entry *entry);

/** Writes the recorders of the calling thread, the last added first; returns how many. One load if nobody listens. */
size_t wi_context_get_tapes(weir_context *context, void *out[WI_TAPES_MAX]);

/** Makes a recording context for work that will run on `base`, or on the context of which `base` is a view.
 * out   counted, weir_context_release() */
weir_status wi_context_create_recording(weir_context *base, void *capture, weir_context **out);

/** Ends a recording: later calls with the context fail with CAPTURE. */
void wi_context_end_recording(weir_context *recording);

/** The capture of a recording context; NULL for an ordinary one and after the end. */
void *wi_context_get_capture(const weir_context *context);

/** 1 for a recording context, also after its end. */
int wi_context_is_recording(const weir_context *context);

/** The context that a recording context records for, or that a view is a view of; an ordinary one itself. */
weir_context *wi_context_get_base(weir_context *context);

#endif
