/* A gate that many threads pass at once and that one thread can close.
 *
 * Who closes it is served first: from then on newcomers wait, and those inside are waited for. So threads that go in and
 * out all the time cannot keep a closer waiting, as they do with most read-write locks. Going in and out costs one
 * atomic operation each.
 */
#ifndef WI_MEM_GATE_H
#define WI_MEM_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Invariants: state == 2 * threads inside, and those about to see that it is closed, + (1 while it is closed);
 * is_off is set once and stays, and then the gate is never closed. */
typedef struct wi_gate {
    _Atomic uint32_t state;
    _Atomic int is_off;
    pthread_mutex_t lock;
    pthread_cond_t opened;
    pthread_cond_t emptied;
} wi_gate;

/** Makes an open gate; returns 0 if the system has no means for it. */
int wi_gate_init(wi_gate *gate);

/** Nobody is inside, or the gate was switched off. */
void wi_gate_fini(wi_gate *gate);

/** Switches the gate off: it will never be closed, and going in and out does nothing. Threads may be inside. */
void wi_gate_switch_off(wi_gate *gate);

/** Goes in; waits while the gate is closed. Not from inside. Thread: safe. */
void wi_gate_enter(wi_gate *gate);

/** Goes out. Thread: safe. */
void wi_gate_leave(wi_gate *gate);

/** Keeps newcomers out and waits until nobody is inside. One thread at a time, not from inside. */
void wi_gate_close(wi_gate *gate);

/** Lets everybody in again. */
void wi_gate_open(wi_gate *gate);

/** Asserts, in checked builds, that the calling thread is inside no gate: before it takes a lock that closers hold. */
#if WEIR_CHECKS > 0 && !defined(NDEBUG)
void wi_gate_check_outside(void);
#else
static inline void wi_gate_check_outside(void) {}
#endif

#endif
