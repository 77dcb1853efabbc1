/* The tapes that listen to a context; the context's part of recording.h. */
#ifndef WI_CONTEXT_RECORDERS_H
#define WI_CONTEXT_RECORDERS_H

#include "context/recording.h"

#include <stdatomic.h>

/* Invariants: count is the length of the list. */
typedef struct wi_recorders {
    pthread_mutex_t lock;
    wi_tape_entry *first;
    _Atomic size_t count;
} wi_recorders;

/** Returns 0 if the lock cannot be made. */
int wi_recorders_init(wi_recorders *recorders);
void wi_recorders_fini(wi_recorders *recorders);

wi_recorders *wi_context_get_recorders(weir_context *context);

#endif
