/* Many threads, each with tapes of its own, that release each other's tensors: what a tape knows may go at any moment.
 * A plain program on the null ICD, see threads.c.
 *
 * usage: tapes [ROUNDS]   by each of 8 threads, default 2000
 */
#include <weir/weir.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8
#define SLOTS 16

static const weir_shape shape = {2, {1, 1024}};

typedef struct shared {
    weir_context *context;
    weir_tensor *watched;                /* by all tapes */
    _Atomic(weir_tensor *) slots[SLOTS]; /* tensors on their way to another thread */
    atomic_uint next;
    long rounds;
} shared;

/* Returns a status that is not OK as a failure of the thread. */
#define TRY(Expression)                                                                 \
    do {                                                                                \
        if (ok && (Expression) != WEIR_OK) {                                            \
            (void)fprintf(stderr, "%s: %s\n", #Expression, weir_last_error()->message); \
            ok = 0;                                                                     \
        }                                                                               \
    } while (0)

/* Hands a tensor over, and releases the one that lay there: most often another thread's. Some are read first, which has
 * a view written to a block of its own, whatever tapes keep it. */
static weir_status hand_over(shared *all, weir_tensor *tensor)
{
    const unsigned slot = atomic_fetch_add(&all->next, 1) % SLOTS;
    weir_tensor *before = atomic_exchange(&all->slots[slot], tensor);
    weir_status status = WEIR_OK;
    float host[1024];

    if (before != NULL && slot % 4 != 0) status = weir_tensor_to_host(before, host, sizeof host);
    weir_tensor_release(before);
    return status;
}

/* y = exp(x) * watched, s = y + x, z = tanh(s) * y, and the square of a view of s, by two tapes; each value is given away at once, so backward reads
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
    weir_tensor *view = NULL;
    weir_tensor *square = NULL;
    weir_tensor *gradients[2] = {NULL, NULL};

    TRY(weir_full(context, WEIR_DTYPE_F32, &shape, 0.5, &x));
    TRY(weir_tape_begin(context, NULL, &outer));
    TRY(weir_tape_watch(outer, all->watched));
    TRY(weir_tape_watch(outer, x));
    TRY(weir_tape_begin(context, NULL, &inner));
    TRY(weir_tape_watch(inner, all->watched));
    TRY(weir_exp(context, x, &e));
    TRY(weir_mul(context, e, all->watched, &y));
    TRY(hand_over(all, e));
    TRY(weir_add(context, y, x, &s));
    TRY(weir_tanh(context, s, &t));
    TRY(weir_transpose(context, s, NULL, &view));
    TRY(weir_mul(context, view, view, &square));
    TRY(hand_over(all, s));
    TRY(weir_mul(context, t, y, &z));
    TRY(hand_over(all, t));
    TRY(hand_over(all, y));
    TRY(hand_over(all, view));
    for (int i = 0; i < 50; i++) /* others read and release it meanwhile */
        ok = ok && weir_tape_get_saved_bytes(outer) >= sizeof(float);
    TRY(hand_over(all, square));
    if (round % 4 != 3) {
        weir_tensor *const sources[2] = {all->watched, x};
        TRY(weir_tape_gradient(outer, &z, 1, NULL, sources, 2, gradients));
        ok = ok && gradients[0] != NULL && gradients[1] != NULL;
    }
    TRY(hand_over(all, gradients[0]));
    TRY(hand_over(all, gradients[1]));
    TRY(hand_over(all, z));
    if (round % 2 == 0) weir_tape_reset(inner);
    ok = ok && (round % 2 != 0 || weir_tape_get_saved_bytes(inner) == 0);
    weir_tape_destroy(inner);
    weir_tape_destroy(outer);
    TRY(hand_over(all, x));
    return ok;
}

static void *run(void *user)
{
    shared *all = user;
    for (long i = 0; i < all->rounds; i++) {
        if (!run_round(all, i)) return all;
    }
    return NULL;
}

static int run_threads(shared *all)
{
    pthread_t threads[THREADS];
    int started = 0;
    int ok = 1;

    while (started < THREADS && pthread_create(&threads[started], NULL, run, all) == 0) started++;
    ok = started == THREADS;
    while (started > 0) {
        void *failed = NULL;
        (void)pthread_join(threads[--started], &failed);
        ok = ok && failed == NULL;
    }
    return ok;
}

int main(int argc, char **argv)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    static shared all;
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_pool_stats stats = {0};
    weir_live live;
    int ok = 1;

    all.rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
    options.no_self_check = 1; /* the null device computes nothing */
    TRY(weir_system_create(&system));
    TRY(weir_system_find(system, NULL, &device));
    TRY(weir_context_create(device, &options, &all.context));
    TRY(weir_zeros(all.context, WEIR_DTYPE_F32, &shape, &all.watched));
    ok = ok && run_threads(&all);
    for (unsigned i = 0; i < SLOTS; i++) weir_tensor_release(atomic_load(&all.slots[i]));
    weir_tensor_release(all.watched);
    if (all.context != NULL) weir_pool_get_stats(weir_context_get_pool(all.context), &stats);
    weir_context_release(all.context);
    weir_system_destroy(system);
    weir_live_get(&live);
    if (stats.blocks.current != 0 || stats.in_use_bytes.current != 0 || live.total != 0) {
        (void)fprintf(stderr, "left: %llu blocks, %llu OpenCL objects\n",
                      (unsigned long long)stats.blocks.current, (unsigned long long)live.total);
        ok = 0;
    }
    (void)printf("%d threads, %ld rounds each: %s\n", THREADS, all.rounds, ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
