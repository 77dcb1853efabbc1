/* Many threads on one context: what a program may do at once.
 *
 * usage: threads [OPERATIONS]   by each of 8 threads, default 20000
 */
#include "thread_frame.h"

#include <weir/weir.h>

#include <stdio.h>
#include <stdlib.h>

static const weir_shape shape = {2, {1, 1024}};

typedef struct shared {
    weir_context *context;
    weir_variable *variable;
    weir_tensor *draw; /* read by all: one of them has it written */
    long operations;
} shared;

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

    WT_TRY(ok, weir_scope_push(pool, i % 5 != 0 ? "often" : "seldom"));
    WT_TRY(ok, weir_pool_alloc(pool, NULL, (uint64_t)(i * 37 % 70000), i % 3 != 0 ? "odd" : "even",
                               &block));
    WT_TRY(ok, weir_scope_pop(pool));
    WT_TRY(ok, weir_random_normal(all->context, &generator, &shape, &noise));
    WT_TRY(ok, weir_variable_assign_add(all->variable, noise));
    WT_TRY(ok, weir_variable_read(all->variable, &value));
    WT_TRY(ok, weir_add(all->context, value, all->draw, &sum));
    weir_block_release(block);
    if (i % 64 == 0) {
        weir_pool_get_stats(pool, &stats);
        WT_TRY(ok, weir_pool_mark(pool, &mark));
        WT_TRY(ok, weir_pool_diff(pool, mark, NULL, NULL, 0, NULL));
        weir_mark_destroy(mark);
        ok = ok && weir_pool_get_owners(pool, owners, 4) != 0;
        ok = ok && stats.in_use_bytes.current <= stats.reserved_bytes.current;
        WT_TRY(ok, weir_context_synchronize(all->context));
    }
    if (i % 512 == 0) WT_TRY(ok, weir_pool_trim(pool, 0));
    weir_tensor_release(noise);
    weir_tensor_release(sum);
    weir_tensor_release(value);
    return ok;
}

static int run(void *user, unsigned number)
{
    const shared *all = user;

    (void)number;
    for (long i = 1; i <= all->operations; i++) {
        if (!work(all, i)) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    shared all = {NULL, NULL, NULL, argc > 1 ? strtol(argv[1], NULL, 10) : 20000};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *zeros = NULL;
    wt_thread_place place;
    int ok = wt_threads_open(NULL, &place);

    all.context = place.context;
    WT_TRY(ok, weir_zeros(all.context, WEIR_DTYPE_F32, &shape, &zeros));
    WT_TRY(ok, weir_random_uniform(all.context, &generator, &shape, &all.draw));
    WT_TRY(ok, weir_variable_create(all.context, "shared", WEIR_DTYPE_F32, &shape, zeros, NULL,
                                    &all.variable));
    weir_tensor_release(zeros);
    ok = ok && wt_threads_run(WT_THREADS, run, &all);
    weir_variable_release(all.variable);
    weir_tensor_release(all.draw);
    ok = wt_threads_close(&place) && ok;
    (void)printf("%d threads, %ld operations each: %s\n", WT_THREADS, all.operations,
                 ok ? "ok" : "failed");
    return ok ? 0 : 1;
}
