/* Many threads, each with tapes of its own, that release each other's tensors: what a tape knows may go at any moment.
 *
 * usage: tapes [ROUNDS]   by each of 8 threads, default 2000
 */
#include "thread_frame.h"

#include <weir/weir.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 16

static const weir_shape shape = {2, {1, 1024}};

typedef struct shared {
    weir_context *context;
    weir_tensor *watched;                /* by all tapes */
    _Atomic(weir_tensor *) slots[SLOTS]; /* tensors on their way to another thread */
    atomic_uint next;
    long rounds;
} shared;

/* Hands a tensor over, and releases the one that lay there: most often another thread's. */
static void hand_over(shared *all, weir_tensor *tensor)
{
    const unsigned slot = atomic_fetch_add(&all->next, 1) % SLOTS;
    weir_tensor_release(atomic_exchange(&all->slots[slot], tensor));
}

/* y = exp(x) * watched, s = y + x, z = tanh(s) * y, by two tapes; each value is given away at once, so backward reads
 * results that other threads let go of meanwhile. */
static int run_round(shared *all, long round)
{
    int ok = 1;
    weir_context *context = all->context;
    weir_tape *outer = NULL;
    weir_tape *inner = NULL;
    weir_tensor *x = NULL;
    weir_tensor *e = NULL;
    weir_tensor *y = NULL;
    weir_tensor *s = NULL;
    weir_tensor *t = NULL;
    weir_tensor *z = NULL;
    weir_tensor *gradients[2] = {NULL, NULL};

    WT_TRY(ok, weir_full(context, WEIR_DTYPE_F32, &shape, 0.5, &x));
    WT_TRY(ok, weir_tape_begin(context, NULL, &outer));
    WT_TRY(ok, weir_tape_watch(outer, all->watched));
    WT_TRY(ok, weir_tape_watch(outer, x));
    WT_TRY(ok, weir_tape_begin(context, NULL, &inner));
    WT_TRY(ok, weir_tape_watch(inner, all->watched));
    WT_TRY(ok, weir_exp(context, x, &e));
    WT_TRY(ok, weir_mul(context, e, all->watched, &y));
    hand_over(all, e);
    WT_TRY(ok, weir_add(context, y, x, &s));
    WT_TRY(ok, weir_tanh(context, s, &t));
    hand_over(all, s);
    WT_TRY(ok, weir_mul(context, t, y, &z));
    hand_over(all, t);
    hand_over(all, y);
    if (round % 4 != 3) {
        weir_tensor *const sources[2] = {all->watched, x};
        WT_TRY(ok, weir_tape_gradient(outer, &z, 1, NULL, sources, 2, gradients));
        ok = ok && gradients[0] != NULL && gradients[1] != NULL;
    }
    hand_over(all, gradients[0]);
    hand_over(all, gradients[1]);
    hand_over(all, z);
    if (round % 2 == 0) weir_tape_reset(inner);
    ok = ok && (round % 2 != 0 || weir_tape_get_saved_bytes(inner) == 0);
    weir_tape_destroy(inner);
    weir_tape_destroy(outer);
    hand_over(all, x);
    return ok;
}

static int run(void *user, unsigned number)
{
    shared *all = user;

    (void)number;
    for (long i = 0; i < all->rounds; i++) {
        if (!run_round(all, i)) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    static shared all;
    wt_thread_place place;
    int ok = wt_threads_open(NULL, &place);

    all.rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
    all.context = place.context;
    WT_TRY(ok, weir_zeros(all.context, WEIR_DTYPE_F32, &shape, &all.watched));
    ok = ok && wt_threads_run(WT_THREADS, run, &all);
    for (unsigned i = 0; i < SLOTS; i++) weir_tensor_release(atomic_load(&all.slots[i]));
    weir_tensor_release(all.watched);
    ok = wt_threads_close(&place) && ok;
    (void)printf("%d threads, %ld rounds each: %s\n", WT_THREADS, all.rounds, ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
