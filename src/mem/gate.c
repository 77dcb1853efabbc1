/* A gate: one word counts who is inside and says whether it is closed, a lock and two conditions serve those who wait.
 *
 * Both are in one word, so going in and closing are ordered by it: either the newcomer sees that the gate is closed, or
 * the closer sees the newcomer. Whoever makes the count of a closed gate 0 takes the lock and tells the closer, which
 * looked at the count under the same lock before it waited; so no such message is lost.
 */
#include "mem/gate.h"

#include <assert.h>

#define CLOSED 1u
#define ONE_INSIDE 2u

#if WEIR_CHECKS > 0 && !defined(NDEBUG)
static _Thread_local int is_inside;

static void note_inside(int now)
{
    assert(is_inside != now && "inside twice, or out without being in");
    is_inside = now;
}

void wi_gate_check_outside(void)
{
    assert(!is_inside &&
           "whoever closes the gate would wait for this thread, and this thread for it");
}
#else
static void note_inside(int now) { (void)now; }
#endif

int wi_gate_init(wi_gate *gate)
{
    atomic_init(&gate->state, 0);
    atomic_init(&gate->is_off, 0);
    if (pthread_mutex_init(&gate->lock, NULL) != 0) return 0;
    if (pthread_cond_init(&gate->opened, NULL) == 0) {
        if (pthread_cond_init(&gate->emptied, NULL) == 0) return 1;
        (void)pthread_cond_destroy(&gate->opened);
    }
    (void)pthread_mutex_destroy(&gate->lock);
    return 0;
}

void wi_gate_fini(wi_gate *gate)
{
    assert(atomic_load(&gate->is_off) || atomic_load(&gate->state) == 0);
    (void)pthread_cond_destroy(&gate->emptied);
    (void)pthread_cond_destroy(&gate->opened);
    (void)pthread_mutex_destroy(&gate->lock);
}

/* Who went in before counts for good, which nobody asks about any more. */
void wi_gate_switch_off(wi_gate *gate)
{
    atomic_store_explicit(&gate->is_off, 1, memory_order_relaxed);
}

static int is_off(const wi_gate *gate)
{
    return atomic_load_explicit(&((wi_gate *)(uintptr_t)gate)->is_off, memory_order_relaxed);
}

/* Goes out. The last one out of a closed gate must tell the closer; returns whether that is the caller. */
static int step_out(wi_gate *gate)
{
    return atomic_fetch_sub_explicit(&gate->state, ONE_INSIDE, memory_order_release) ==
           (ONE_INSIDE | CLOSED);
}

/* Counted inside a closed gate: goes out again, waits, comes back. */
static void wait_outside(wi_gate *gate)
{
    (void)pthread_mutex_lock(&gate->lock);
    do {
        if (step_out(gate)) (void)pthread_cond_signal(&gate->emptied);
        while ((atomic_load_explicit(&gate->state, memory_order_relaxed) & CLOSED) != 0)
            (void)pthread_cond_wait(&gate->opened, &gate->lock);
    } while ((atomic_fetch_add_explicit(&gate->state, ONE_INSIDE, memory_order_acquire) & CLOSED) !=
             0);
    (void)pthread_mutex_unlock(&gate->lock);
}

void wi_gate_enter(wi_gate *gate)
{
    note_inside(1);
    if (is_off(gate)) return;
    if ((atomic_fetch_add_explicit(&gate->state, ONE_INSIDE, memory_order_acquire) & CLOSED) != 0)
        wait_outside(gate);
}

void wi_gate_leave(wi_gate *gate)
{
    note_inside(0);
    if (is_off(gate) || !step_out(gate)) return;
    (void)pthread_mutex_lock(&gate->lock);
    (void)pthread_cond_signal(&gate->emptied);
    (void)pthread_mutex_unlock(&gate->lock);
}

void wi_gate_close(wi_gate *gate)
{
    wi_gate_check_outside();
    assert(!is_off(gate));
    (void)pthread_mutex_lock(&gate->lock);
    (void)atomic_fetch_or_explicit(&gate->state, CLOSED, memory_order_acquire);
    while (atomic_load_explicit(&gate->state, memory_order_acquire) != CLOSED)
        (void)pthread_cond_wait(&gate->emptied, &gate->lock);
    (void)pthread_mutex_unlock(&gate->lock);
}

void wi_gate_open(wi_gate *gate)
{
    (void)pthread_mutex_lock(&gate->lock);
    (void)atomic_fetch_and_explicit(&gate->state, ~CLOSED, memory_order_release);
    (void)pthread_cond_broadcast(&gate->opened);
    (void)pthread_mutex_unlock(&gate->lock);
}
