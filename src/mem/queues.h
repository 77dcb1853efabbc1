/* The queues of one context or pool, in a fixed number of slots, and which of them waits for which.
 *
 * Slot 0 is the context's own queue. The commands of a slot are numbered for as long as the set lives: a queue that is
 * opened in a slot goes on from where the last one ended, whose commands were waited for. So a slot's index and a number
 * name a command for ever, and whoever remembers them need not be told when a queue goes.
 *
 * Thread: safe.
 */
#ifndef WI_MEM_QUEUES_H
#define WI_MEM_QUEUES_H

#include "cl/queue.h"

#include <weir/pool.h>
#include <weir/queue.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct wi_queues wi_queues;

/* A slot. The queue object is made when the slot is first used and stays; it is closed while owners == 0.
 *
 * Invariants: index < WEIR_QUEUES_MAX; queue != NULL in the slots below the set's count; owners of slot 0 are not counted
 * for its life; waited[i] <= the last number of slot i. */
struct weir_queue {
    wi_queues *set;
    wi_queue *queue;
    unsigned index;
    _Atomic uint64_t owners;
    _Atomic uint64_t
        waited[WEIR_QUEUES_MAX]; /* the slot's commands come after these of the others */
};

/* What the set takes its queues from, and what must live while a queue is held. */
typedef struct wi_queues_options {
    cl_context context;
    cl_device_id device;
    cl_command_queue adopted; /* the own queue, borrowed; NULL: one is made */
    void *parent;
} wi_queues_options;

/* Invariants: 1 <= count <= WEIR_QUEUES_MAX once it is opened; slots from count on were never used. */
struct wi_queues {
    wi_queues_options options;
    pthread_mutex_t lock; /* opening and closing slots */
    int has_lock;
    _Atomic unsigned count;
    weir_queue slots[WEIR_QUEUES_MAX];
};

/* What a queue waits for another's commands for. */
typedef enum wi_wait_for {
    WI_WAIT_DATA, /* to use what they wrote: if they failed, so does the wait */
    WI_WAIT_END   /* to overwrite what they used: a queue that failed runs nothing more */
} wi_wait_for;

/** Takes the own queue. set: zeroed. Errors: HOST_MEMORY, DRIVER; wi_queues_fini() then. */
weir_status wi_queues_init(wi_queues *set, const wi_queues_options *options);

/** Waits for everything and frees. A zeroed set is allowed. */
void wi_queues_fini(wi_queues *set);

/** Takes a queue into a free slot; one owner, which keeps nothing alive by itself.
 * adopted   somebody's, borrowed; NULL: one is made
 * Errors: UNSUPPORTED if all slots are in use, HOST_MEMORY, DRIVER. */
weir_status wi_queues_open(wi_queues *set, cl_command_queue adopted, weir_queue **out);

/** Drops an owner; the last one of a slot but the first waits for its commands and closes it. */
void wi_queues_drop(weir_queue *queue);

/** Adds an owner unless the slot is closed or closing; 1 if it did. */
int wi_queues_try_retain(weir_queue *queue);

/** Has later commands of `queue` begin after commands 1 .. sequence of `other`, which may not be there yet: the present
 * ones count then. Asks nothing of a driver if that is known to be so.
 * Errors: DRIVER, HOST_MEMORY; what sticks to `queue`, or to `other` for DATA. */
weir_status wi_queues_order(weir_queue *queue, weir_queue *other, uint64_t sequence,
                            wi_wait_for what);

/** Writes the number of each queue's last command; 0 for slots never used. */
void wi_queues_get_sequences(const wi_queues *set, uint64_t out[WEIR_QUEUES_MAX]);

/** 1 if every queue is known to be past its number. Asks the drivers, never waits. */
int wi_queues_are_past(wi_queues *set, const uint64_t sequences[WEIR_QUEUES_MAX]);

/** Waits until every queue is past its number or has failed. A failure sticks to its queue and is not recorded. */
void wi_queues_wait_past(wi_queues *set, const uint64_t sequences[WEIR_QUEUES_MAX]);

/** Waits for everything on every queue; the first failure. */
weir_status wi_queues_finish(wi_queues *set);

/** Waits for all commands of weir, whether they fail or not. */
void wi_queues_finish_numbered(wi_queues *set);

void wi_queues_reset_error(wi_queues *set);

/* Sums over all queues, see wi_queue_get_counts(). */
void wi_queues_get_counts(const wi_queues *set, uint64_t *launches, uint64_t *copies);

void wi_queues_check(const wi_queues *set);

#endif
