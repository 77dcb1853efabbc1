/* The gate: many at once inside, nobody while it is closed, and a closer that is not kept waiting. */
#include "mem/gate.h"

#include <criterion/criterion.h>

#include <sched.h>
#include <stdatomic.h>

TestSuite(gate, .timeout = 120);

#define THREADS 4

typedef struct rig {
    wi_gate gate;
    atomic_int is_over;
    atomic_int inside;
    uint64_t guarded[2]; /* equal but while the gate is closed */
    atomic_int broken;
} rig;

static void *pass_all_the_time(void *user)
{
    rig *it = user;

    while (!atomic_load(&it->is_over)) {
        wi_gate_enter(&it->gate);
        (void)atomic_fetch_add(&it->inside, 1);
        if (it->guarded[0] != it->guarded[1]) atomic_store(&it->broken, 1);
        (void)atomic_fetch_sub(&it->inside, 1);
        wi_gate_leave(&it->gate);
    }
    return NULL;
}

Test(gate, lets_nobody_in_while_it_is_closed_and_serves_the_closer)
{
    static rig it;
    pthread_t threads[THREADS];

    cr_assert(wi_gate_init(&it.gate));
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, pass_all_the_time, &it), 0);
    /* Without end if closing were not served before threads that come all the time. */
    for (int i = 0; i < 2000; i++) {
        wi_gate_close(&it.gate);
        cr_assert_eq(atomic_load(&it.inside), 0);
        it.guarded[0]++;
        it.guarded[1]++;
        wi_gate_open(&it.gate);
    }
    atomic_store(&it.is_over, 1);
    for (int i = 0; i < THREADS; i++) (void)pthread_join(threads[i], NULL);
    cr_assert_eq(atomic_load(&it.broken), 0, "somebody was inside of the closed gate");
    cr_assert_eq(atomic_load(&it.gate.state), 0U);
    wi_gate_fini(&it.gate);
}

typedef struct visit {
    wi_gate *gate;
    atomic_int is_in;
} visit;

static void *go_in_and_out(void *user)
{
    visit *it = user;

    wi_gate_enter(it->gate);
    atomic_store(&it->is_in, 1);
    wi_gate_leave(it->gate);
    return NULL;
}

Test(gate, is_passed_by_several_at_once)
{
    wi_gate gate;
    visit other = {&gate, 0};
    pthread_t thread;

    cr_assert(wi_gate_init(&gate));
    wi_gate_enter(&gate);
    cr_assert_eq(pthread_create(&thread, NULL, go_in_and_out, &other), 0);
    (void)pthread_join(thread, NULL); /* without end if one kept the other out */
    cr_assert_eq(atomic_load(&other.is_in), 1);
    wi_gate_leave(&gate);
    wi_gate_fini(&gate);
}

Test(gate, keeps_newcomers_waiting_until_it_opens)
{
    wi_gate gate;
    visit other = {&gate, 0};
    pthread_t thread;

    cr_assert(wi_gate_init(&gate));
    wi_gate_close(&gate);
    cr_assert_eq(pthread_create(&thread, NULL, go_in_and_out, &other), 0);
    /* It counts itself in and out again: then it has seen that the gate is closed. */
    for (int i = 0; i < 1000 && atomic_load(&other.is_in) == 0; i++) (void)sched_yield();
    cr_assert_eq(atomic_load(&other.is_in), 0);
    wi_gate_open(&gate);
    (void)pthread_join(thread, NULL);
    cr_assert_eq(atomic_load(&other.is_in), 1);
    wi_gate_fini(&gate);
}

Test(gate, may_be_switched_off_while_somebody_is_inside)
{
    wi_gate gate;

    cr_assert(wi_gate_init(&gate));
    wi_gate_enter(&gate);
    wi_gate_switch_off(&gate);
    wi_gate_leave(&gate);
    wi_gate_enter(&gate);
    wi_gate_leave(&gate);
    wi_gate_fini(&gate);
}
