/* The list of tapes of a context. The common case is that there is none, which one atomic load tells; otherwise a lock
 * guards the list, because threads add and remove their own tapes while others look for theirs. */
#include "context/recording.h"

#include "base/status.h"
#include "context/recorders.h"

int wi_recorders_init(wi_recorders *recorders)
{
    recorders->first = NULL;
    atomic_init(&recorders->count, 0);
    return pthread_mutex_init(&recorders->lock, NULL) == 0;
}

void wi_recorders_fini(wi_recorders *recorders) { (void)pthread_mutex_destroy(&recorders->lock); }

weir_status wi_context_add_tape(weir_context *context, wi_tape_entry *entry)
{
    wi_recorders *recorders = wi_context_get_recorders(context);
    size_t own = 0;

    entry->thread = pthread_self();
    (void)pthread_mutex_lock(&recorders->lock);
    for (wi_tape_entry *other = recorders->first; other != NULL; other = other->next) {
        own += pthread_equal(other->thread, entry->thread) != 0;
    }
    if (own < WI_TAPES_MAX) {
        entry->next = recorders->first;
        recorders->first = entry;
        atomic_fetch_add_explicit(&recorders->count, 1, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&recorders->lock);
    if (own < WI_TAPES_MAX) return WEIR_OK;
    return wi_fail(WEIR_E_ARG, "weir_tape_begin", "this thread has %d tapes on the context already",
                   WI_TAPES_MAX);
}

void wi_context_remove_tape(weir_context *context, wi_tape_entry *entry)
{
    wi_recorders *recorders = wi_context_get_recorders(context);

    (void)pthread_mutex_lock(&recorders->lock);
    for (wi_tape_entry **link = &recorders->first; *link != NULL; link = &(*link)->next) {
        if (*link != entry) continue;
        *link = entry->next;
        atomic_fetch_sub_explicit(&recorders->count, 1, memory_order_relaxed);
        break;
    }
    (void)pthread_mutex_unlock(&recorders->lock);
}

size_t wi_context_get_tapes(weir_context *context, void *out[WI_TAPES_MAX])
{
    wi_recorders *recorders = wi_context_get_recorders(context);
    const pthread_t self = pthread_self();
    size_t count = 0;

    /* A thread's own tapes are added and removed by itself, so it never misses one of them here. */
    if (atomic_load_explicit(&recorders->count, memory_order_relaxed) == 0) return 0;
    (void)pthread_mutex_lock(&recorders->lock);
    for (wi_tape_entry *entry = recorders->first; entry != NULL; entry = entry->next) {
        if (pthread_equal(entry->thread, self)) out[count++] = entry->recorder;
    }
    (void)pthread_mutex_unlock(&recorders->lock);
    return count;
}
