/* Many threads on several queues of one context: values wander between them, queues come and go.
 *
 * usage: queues [OPERATIONS]   by each of 8 threads, default 5000
 */
#include "thread_frame.h"

#include <weir/weir.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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
} shared;

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

    WT_TRY(ok, weir_queue_create(context, &queue));
    WT_TRY(ok, weir_context_on_queue(context, queue, &view));
    WT_TRY(ok, weir_add(view, tensor, tensor, &sum));
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

    WT_TRY(ok, weir_pool_alloc(pool, queue, (uint64_t)(i * 37 % 70000), NULL, &block));
    if (i % 8 == 0) WT_TRY(ok, weir_block_record(block, all->queues[number % QUEUES]));
    WT_TRY(ok, weir_full(view, WEIR_DTYPE_F32, &shape, (double)i, &made));
    if (ok) made = hand_over(all, made);
    WT_TRY(ok, weir_variable_assign_add(all->variable, all->draw));
    WT_TRY(ok, weir_variable_read(all->variable, &value));
    WT_TRY(ok, weir_add(view, value, all->draw, &sum));
    if (made != NULL) {
        weir_tensor_release(sum);
        sum = NULL;
        WT_TRY(ok, weir_mul(view, made, value, &sum));
    }
    weir_block_release(block);
    if (i % 64 == 0) WT_TRY(ok, weir_context_synchronize(view));
    if (i % 128 == 0) WT_TRY(ok, visit(view, all->draw) ? WEIR_OK : WEIR_E_DRIVER);
    if (i % 256 == 0) WT_TRY(ok, weir_queue_wait(queue, all->queues[number % QUEUES]));
    if (i % 512 == 0) WT_TRY(ok, weir_pool_trim(pool, 0));
    weir_tensor_release(made);
    weir_tensor_release(sum);
    weir_tensor_release(value);
    return ok;
}

static int run(void *user, unsigned number)
{
    shared *all = user;

    for (long i = 1; i <= all->operations; i++) {
        if (!work(all, number, i)) return 0;
    }
    return 1;
}

static int run_all(weir_context *context, shared *all)
{
    int ok = 1;
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *zeros = NULL;

    for (int i = 0; i < QUEUES; i++) {
        WT_TRY(ok, weir_queue_create(context, &all->queues[i]));
        WT_TRY(ok, weir_context_on_queue(context, all->queues[i], &all->views[i]));
    }
    WT_TRY(ok, weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros));
    WT_TRY(ok, weir_random_uniform(context, &generator, &shape, &all->draw));
    WT_TRY(ok, weir_variable_create(all->views[0], "shared", WEIR_DTYPE_F32, &shape, zeros, NULL,
                                    &all->variable));
    weir_tensor_release(zeros);
    ok = ok && wt_threads_run(WT_THREADS, run, all);
    WT_TRY(ok, weir_context_synchronize(context));
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
    shared all = {.lock = PTHREAD_MUTEX_INITIALIZER,
                  .operations = argc > 1 ? strtol(argv[1], NULL, 10) : 5000};
    wt_thread_place place;
    int ok = wt_threads_open(NULL, &place);

    ok = ok && run_all(place.context, &all);
    ok = wt_threads_close(&place) && ok;
    (void)printf("%d threads on %d queues, %ld operations each: %s\n", WT_THREADS, QUEUES,
                 all.operations, ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
