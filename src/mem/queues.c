/* Queues in slots.
 *
 * waited[] is raised after the driver has taken the waiting command, so whoever reads it there enqueues behind that
 * command. Both queues' locks are taken one after the other, never together. Opening and closing have a lock of their
 * own, outside of which a queue that closes is waited for.
 */
#include "mem/queues.h"

#include "base/status.h"

#include <assert.h>

weir_status wi_queues_init(wi_queues *set, const wi_queues_options *options)
{
    weir_status status = WEIR_OK;

    set->options = *options;
    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++) {
        set->slots[i].set = set;
        set->slots[i].index = i;
    }
    set->has_lock = pthread_mutex_init(&set->lock, NULL) == 0;
    if (!set->has_lock) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_context_create", "no host memory for a lock");
    }
    if (options->adopted != NULL)
        status = wi_queue_adopt(options->adopted, &set->slots[0].queue);
    else
        status = wi_queue_create(options->context, options->device, &set->slots[0].queue);
    if (status == WEIR_OK) atomic_store(&set->count, 1);
    return status;
}

void wi_queues_fini(wi_queues *set)
{
    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++) wi_queue_destroy(set->slots[i].queue);
    if (set->has_lock) (void)pthread_mutex_destroy(&set->lock);
    set->has_lock = 0;
}

/* A slot that nobody has; NULL if all are in use. Needs the lock. */
static weir_queue *find_free(wi_queues *set)
{
    for (unsigned i = 1; i < WEIR_QUEUES_MAX; i++) {
        weir_queue *slot = &set->slots[i];
        if (slot->queue == NULL || !wi_queue_is_open(slot->queue)) return slot;
    }
    return NULL;
}

/* Needs the lock. */
static weir_status fill(wi_queues *set, weir_queue *slot, cl_command_queue adopted)
{
    const wi_queues_options *options = &set->options;
    const int is_new = slot->queue == NULL;
    weir_status status = WEIR_OK;

    if (is_new && adopted != NULL)
        status = wi_queue_adopt(adopted, &slot->queue);
    else if (is_new)
        status = wi_queue_create(options->context, options->device, &slot->queue);
    else if (adopted != NULL)
        status = wi_queue_readopt(slot->queue, adopted);
    else
        status = wi_queue_reopen(slot->queue, options->context, options->device);
    if (status != WEIR_OK) return status;
    if (is_new) atomic_store(&set->count, slot->index + 1);
    if (adopted != NULL) wi_queue_share(slot->queue);
    return WEIR_OK;
}

weir_status wi_queues_open(wi_queues *set, cl_command_queue adopted, weir_queue **out)
{
    weir_status status = WEIR_OK;
    weir_queue *slot = NULL;

    *out = NULL;
    (void)pthread_mutex_lock(&set->lock);
    slot = find_free(set);
    if (slot == NULL) {
        status = wi_fail_hint(
            WEIR_E_UNSUPPORTED, "weir_queue_create",
            "release queues that are no longer used, or share them between threads",
            "the context has %d queues already, the most there can be", WEIR_QUEUES_MAX);
        goto done;
    }
    status = fill(set, slot, adopted);
    if (status != WEIR_OK) goto done;
    /* It is a new queue: what the one before it waited for is no order here. */
    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++) atomic_store(&slot->waited[i], 0);
    atomic_store(&slot->owners, 1);
    *out = slot;
done:
    (void)pthread_mutex_unlock(&set->lock);
    wi_queues_check(set);
    return status;
}

void wi_queues_drop(weir_queue *queue)
{
    const weir_error before = *weir_last_error();

    if (queue->index == 0 || atomic_fetch_sub(&queue->owners, 1) != 1) return;
    /* Commands of others, too, since the numbers of a closed queue count as done. */
    if (wi_queue_finish(queue->queue) != WEIR_OK) wi_error_restore(&before);
    wi_queue_close(queue->queue);
}

int wi_queues_try_retain(weir_queue *queue)
{
    uint64_t owners = atomic_load(&queue->owners);

    if (queue->index == 0) return 1;
    while (owners != 0)
        if (atomic_compare_exchange_weak(&queue->owners, &owners, owners + 1)) return 1;
    return 0;
}

/* 1 if nothing has to be enqueued for that. */
static int is_ordered(const weir_queue *queue, weir_queue *other, uint64_t sequence,
                      wi_wait_for what)
{
    if (atomic_load_explicit(&queue->waited[other->index], memory_order_acquire) >= sequence)
        return 1;
    if (wi_queue_get_confirmed(other->queue) >= sequence) return 1;
    if (what == WI_WAIT_DATA) return 0;
    return wi_queue_get_completed(other->queue) >= sequence || wi_queue_has_failed(other->queue);
}

weir_status wi_queues_order(weir_queue *queue, weir_queue *other, uint64_t sequence,
                            wi_wait_for what)
{
    weir_status status = WEIR_OK;
    const uint64_t last = wi_queue_get_sequence(other->queue);
    uint64_t reached = 0;
    uint64_t waited;

    if (sequence > last) sequence = last;
    if (queue == other || is_ordered(queue, other, sequence, what)) return WEIR_OK;
    status = wi_queue_follow(queue->queue, other->queue, sequence, &reached);
    if (status != WEIR_OK) return status;
    waited = atomic_load(&queue->waited[other->index]);
    while (waited < reached &&
           !atomic_compare_exchange_weak(&queue->waited[other->index], &waited, reached))
        continue;
    return WEIR_OK;
}

void wi_queues_get_sequences(const wi_queues *set, uint64_t out[WEIR_QUEUES_MAX])
{
    const unsigned count = atomic_load(&set->count);

    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++)
        out[i] = i < count ? wi_queue_get_sequence(set->slots[i].queue) : 0;
}

int wi_queues_are_past(wi_queues *set, const uint64_t sequences[WEIR_QUEUES_MAX])
{
    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++)
        if (sequences[i] != 0 && wi_queue_get_completed(set->slots[i].queue) < sequences[i])
            return 0;
    return 1;
}

void wi_queues_wait_past(wi_queues *set, const uint64_t sequences[WEIR_QUEUES_MAX])
{
    const weir_error before = *weir_last_error();

    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++) {
        if (sequences[i] == 0) continue;
        if (wi_queue_wait(set->slots[i].queue, sequences[i]) != WEIR_OK) wi_error_restore(&before);
    }
}

weir_status wi_queues_finish(wi_queues *set)
{
    const unsigned count = atomic_load(&set->count);
    weir_status status = WEIR_OK;
    weir_error first;

    for (unsigned i = 0; i < count; i++) {
        const weir_status ended = wi_queue_finish(set->slots[i].queue);

        if (ended == WEIR_OK || status != WEIR_OK) continue;
        status = ended;
        first = *weir_last_error();
    }
    if (status != WEIR_OK) wi_error_restore(&first);
    return status;
}

void wi_queues_finish_numbered(wi_queues *set)
{
    const unsigned count = atomic_load(&set->count);

    for (unsigned i = 0; i < count; i++) (void)wi_queue_finish_numbered(set->slots[i].queue);
}

void wi_queues_reset_error(wi_queues *set)
{
    const unsigned count = atomic_load(&set->count);

    for (unsigned i = 0; i < count; i++) wi_queue_reset_error(set->slots[i].queue);
}

void wi_queues_get_counts(const wi_queues *set, uint64_t *launches, uint64_t *copies)
{
    const unsigned count = atomic_load(&set->count);

    *launches = *copies = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t own_launches = 0;
        uint64_t own_copies = 0;

        wi_queue_get_counts(set->slots[i].queue, &own_launches, &own_copies);
        *launches += own_launches;
        *copies += own_copies;
    }
}

void wi_queues_check(const wi_queues *set)
{
#if WEIR_CHECKS > 0 && !defined(NDEBUG)
    const unsigned count = atomic_load(&set->count);

    assert(count >= 1 && count <= WEIR_QUEUES_MAX);
    for (unsigned i = 0; i < count; i++) {
        const weir_queue *slot = &set->slots[i];
        assert(slot->set == set && slot->index == i && slot->queue != NULL);
        for (unsigned j = 0; j < count; j++)
            assert(atomic_load(&slot->waited[j]) <= wi_queue_get_sequence(set->slots[j].queue));
    }
#else
    (void)set;
#endif
}
