/* Many threads on several queues of one context: values wander between them, queues come and go. A plain program, see
 * threads.c; it runs on the null ICD.
 *
 * usage: queues [OPERATIONS]   by each of 8 threads, default 5000
 */
#include <weir/weir.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8
#define QUEUES 4

static const weir_shape shape = {2, {1, 1024}};

typedef struct shared {
    weir_context *views[QUEUES];
    weir_queue *queues[QUEUES];
    weir_variable *variable;
    weir_tensor *draw; /* read by all: one of them has it written */
    pthread_mutex_t lock;
    weir_tensor *handed; /* from thread to thread */
    long operations;
    unsigned started;
} shared;

/* Returns a status that is not OK as a failure of the thread. */
#define TRY(Expression)                                                                 \
    do {                                                                                \
        if (ok && (Expression) != WEIR_OK) {                                            \
            (void)fprintf(stderr, "%s: %s\n", #Expression, weir_last_error()->message); \
            ok = 0;                                                                     \
        }                                                                               \
    } while (0)

static weir_tensor *hand_over(shared *all, weir_tensor *tensor)
{
    weir_tensor *other = NULL;

    (void)pthread_mutex_lock(&all->lock);
    other = all->handed;
    all->handed = tensor;
    (void)pthread_mutex_unlock(&all->lock);
    return other;
}

/* A queue of one use. */
static int visit(weir_context *context, weir_tensor *tensor)
{
    int ok = 1;
    weir_queue *queue = NULL;
    weir_context *view = NULL;
    weir_tensor *sum = NULL;

    TRY(weir_queue_create(context, &queue));
    TRY(weir_context_on_queue(context, queue, &view));
    TRY(weir_add(view, tensor, tensor, &sum));
    weir_context_release(view);
    weir_queue_release(queue);
    weir_tensor_release(sum);
    return ok;
}

static int work(shared *all, unsigned number, long i)
{
    int ok = 1;
    weir_context *view = all->views[number % QUEUES];
    weir_queue *queue = all->queues[(number + (unsigned)i) % QUEUES];
    weir_pool *pool = weir_context_get_pool(view);
    weir_block *block = NULL;
    weir_tensor *made = NULL;
    weir_tensor *sum = NULL;
    weir_tensor *value = NULL;

    TRY(weir_pool_alloc(pool, queue, (uint64_t)(i * 37 % 70000), NULL, &block));
    if (i % 8 == 0) TRY(weir_block_record(block, all->queues[number % QUEUES]));
    TRY(weir_full(view, WEIR_DTYPE_F32, &shape, (double)i, &made));
    if (ok) made = hand_over(all, made);
    TRY(weir_variable_assign_add(all->variable, all->draw));
    TRY(weir_variable_read(all->variable, &value));
    TRY(weir_add(view, value, all->draw, &sum));
    if (made != NULL) {
        weir_tensor_release(sum);
        sum = NULL;
        TRY(weir_mul(view, made, value, &sum));
    }
    weir_block_release(block);
    if (i % 64 == 0) TRY(weir_context_synchronize(view));
    if (i % 128 == 0) TRY(visit(view, all->draw) ? WEIR_OK : WEIR_E_DRIVER);
    if (i % 256 == 0) TRY(weir_queue_wait(queue, all->queues[number % QUEUES]));
    if (i % 512 == 0) TRY(weir_pool_trim(pool, 0));
    weir_tensor_release(made);
    weir_tensor_release(sum);
    weir_tensor_release(value);
    return ok;
}

static void *run(void *user)
{
    shared *all = user;
    unsigned number = 0;

    (void)pthread_mutex_lock(&all->lock);
    number = all->started++;
    (void)pthread_mutex_unlock(&all->lock);
    for (long i = 1; i <= all->operations; i++) {
        if (!work(all, number, i)) return all;
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

static int run_all(weir_context *context, shared *all)
{
    int ok = 1;
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *zeros = NULL;

    for (int i = 0; i < QUEUES; i++) {
        TRY(weir_queue_create(context, &all->queues[i]));
        TRY(weir_context_on_queue(context, all->queues[i], &all->views[i]));
    }
    TRY(weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros));
    TRY(weir_random_uniform(context, &generator, &shape, &all->draw));
    TRY(weir_variable_create(all->views[0], "shared", WEIR_DTYPE_F32, &shape, zeros, NULL,
                             &all->variable));
    weir_tensor_release(zeros);
    ok = ok && run_threads(all);
    TRY(weir_context_synchronize(context));
    weir_variable_release(all->variable);
    weir_tensor_release(all->draw);
    weir_tensor_release(all->handed);
    for (int i = 0; i < QUEUES; i++) {
        weir_context_release(all->views[i]);
        weir_queue_release(all->queues[i]);
    }
    return ok;
}

int main(int argc, char **argv)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    shared all = {.lock = PTHREAD_MUTEX_INITIALIZER,
                  .operations = argc > 1 ? strtol(argv[1], NULL, 10) : 5000};
    weir_context *context = NULL;
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_pool_stats stats = {0};
    weir_live live;
    int ok = 1;

    options.no_self_check = 1; /* the null device computes nothing */
    TRY(weir_system_create(&system));
    TRY(weir_system_find(system, NULL, &device));
    TRY(weir_context_create(device, &options, &context));
    ok = ok && run_all(context, &all);
    if (context != NULL) weir_pool_get_stats(weir_context_get_pool(context), &stats);
    weir_context_release(context);
    weir_system_destroy(system);
    weir_live_get(&live);
    if (stats.blocks.current != 0 || live.total != 0) {
        (void)fprintf(stderr, "left: %llu blocks, %llu OpenCL objects\n",
                      (unsigned long long)stats.blocks.current, (unsigned long long)live.total);
        ok = 0;
    }
    (void)printf("%d threads on %d queues, %ld operations each: %s\n", THREADS, QUEUES,
                 all.operations, ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
