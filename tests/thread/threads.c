/* Many threads on one context: what a program may do at once. A plain program and not a Criterion test, because
 * Criterion's arena cannot be mapped under ThreadSanitizer. It runs on the null ICD, so that every access seen by the
 * sanitizer is the library's own.
 *
 * usage: threads [OPERATIONS]   by each of 8 threads, default 20000
 */
#include <weir/weir.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8

static const weir_shape shape = {2, {1, 1024}};

typedef struct shared {
    weir_context *context;
    weir_variable *variable;
    weir_tensor *draw; /* read by all: one of them has it written */
    long operations;
} shared;

/* Returns a status that is not OK as a failure of the thread. */
#define TRY(Expression)                                                                 \
    do {                                                                                \
        if (ok && (Expression) != WEIR_OK) {                                            \
            (void)fprintf(stderr, "%s: %s\n", #Expression, weir_last_error()->message); \
            ok = 0;                                                                     \
        }                                                                               \
    } while (0)

static int work(const shared *all, long i)
{
    int ok = 1;
    weir_pool *pool = weir_context_get_pool(all->context);
    weir_generator generator = {1, (uint64_t)i};
    weir_pool_stats stats;
    weir_owner_stats owners[4];
    weir_mark *mark = NULL;
    weir_block *block = NULL;
    weir_tensor *noise = NULL;
    weir_tensor *sum = NULL;
    weir_tensor *value = NULL;

    TRY(weir_scope_push(pool, i % 5 != 0 ? "often" : "seldom"));
    TRY(weir_pool_alloc(pool, NULL, (uint64_t)(i * 37 % 70000), i % 3 != 0 ? "odd" : "even",
                        &block));
    TRY(weir_scope_pop(pool));
    TRY(weir_random_normal(all->context, &generator, &shape, &noise));
    TRY(weir_variable_assign_add(all->variable, noise));
    TRY(weir_variable_read(all->variable, &value));
    TRY(weir_add(all->context, value, all->draw, &sum));
    weir_block_release(block);
    if (i % 64 == 0) {
        weir_pool_get_stats(pool, &stats);
        TRY(weir_pool_mark(pool, &mark));
        TRY(weir_pool_diff(pool, mark, NULL, NULL, 0, NULL));
        weir_mark_destroy(mark);
        ok = ok && weir_pool_get_owners(pool, owners, 4) != 0;
        ok = ok && stats.in_use_bytes.current <= stats.reserved_bytes.current;
        TRY(weir_context_synchronize(all->context));
    }
    if (i % 512 == 0) TRY(weir_pool_trim(pool, 0));
    weir_tensor_release(noise);
    weir_tensor_release(sum);
    weir_tensor_release(value);
    return ok;
}

static void *run(void *user)
{
    shared *all = user;
    for (long i = 1; i <= all->operations; i++) {
        if (!work(all, i)) return all;
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
    shared all = {NULL, NULL, NULL, argc > 1 ? strtol(argv[1], NULL, 10) : 20000};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_tensor *zeros = NULL;
    weir_pool_stats stats = {0};
    weir_live live;
    int ok = 1;

    options.no_self_check = 1; /* the null device computes nothing */
    TRY(weir_system_create(&system));
    TRY(weir_system_find(system, NULL, &device));
    TRY(weir_context_create(device, &options, &all.context));
    TRY(weir_zeros(all.context, WEIR_DTYPE_F32, &shape, &zeros));
    TRY(weir_random_uniform(all.context, &generator, &shape, &all.draw));
    TRY(weir_variable_create(all.context, "shared", WEIR_DTYPE_F32, &shape, zeros, NULL,
                             &all.variable));
    weir_tensor_release(zeros);
    ok = ok && run_threads(&all);
    weir_variable_release(all.variable);
    weir_tensor_release(all.draw);
    if (all.context != NULL) weir_pool_get_stats(weir_context_get_pool(all.context), &stats);
    weir_context_release(all.context);
    weir_system_destroy(system);
    weir_live_get(&live);
    if (stats.blocks.current != 0 || stats.in_use_bytes.current != 0 || live.total != 0) {
        (void)fprintf(stderr, "left: %llu blocks, %llu OpenCL objects\n",
                      (unsigned long long)stats.blocks.current, (unsigned long long)live.total);
        ok = 0;
    }
    (void)printf("%d threads, %ld operations each: %s\n", THREADS, all.operations,
                 ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
