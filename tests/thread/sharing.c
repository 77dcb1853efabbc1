/* Two contexts of one device under one tight limit: threads of both allocate, write, read back and release while one
 * thread trims. What a tensor holds stays its own, a request fails only for want of memory, and in the end all of the
 * limit is there for either context. The buffers of the null ICD keep what is written.
 *
 * usage: sharing [OPERATIONS]   by each thread and for each strategy, default 2000
 */
#include "thread_frame.h"

#include <weir/replay.h>
#include <weir/weir.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS 2
#define THREADS 6
#define FLOATS_MAX 110000U
#define LIMIT_BYTES (UINT64_C(2) << 20) /* the smallest segment of `ondemand` */

typedef struct shared {
    weir_context *contexts[CONTEXTS];
    long operations;
    _Atomic int is_done;
    _Atomic long refused;
    _Atomic long served;
} shared;

typedef struct worker {
    shared *all;
    unsigned number;
    float *written;
    float *read;
} worker;

/* One tensor from host and back. Returns 1, also if there is no room. */
static int work(worker *self, long i)
{
    weir_context *context = self->all->contexts[self->number % CONTEXTS];
    const weir_shape shape = {1, {1 + (uint64_t)i * 7919U % FLOATS_MAX}};
    const size_t count = (size_t)shape.extents[0];
    weir_tensor *tensor = NULL;
    weir_status status = WEIR_OK;
    int ok = 1;

    for (size_t k = 0; k < count; k++) self->written[k] = (float)(k % 997 + self->number);
    status = weir_tensor_from_host(context, WEIR_DTYPE_F32, &shape, self->written, &tensor);
    if (status == WEIR_E_OUT_OF_MEMORY) {
        (void)atomic_fetch_add(&self->all->refused, 1);
        return 1;
    }
    if (status != WEIR_OK) return wt_thread_fails("from host");
    (void)atomic_fetch_add(&self->all->served, 1);
    if (weir_tensor_to_host(tensor, self->read, count * sizeof(float)) != WEIR_OK)
        ok = wt_thread_fails("to host");
    else if (memcmp(self->read, self->written, count * sizeof(float)) != 0)
        ok = wt_thread_fails("the contents changed");
    weir_tensor_release(tensor);
    return ok;
}

static int run(void *user, unsigned number)
{
    static float values[THREADS][2][FLOATS_MAX];
    worker self = {user, number, values[number][0], values[number][1]};

    for (long i = 1; i <= self.all->operations; i++)
        if (!work(&self, i * THREADS + (long)number)) return 0;
    return 1;
}

static void *trim(void *user)
{
    shared *all = user;

    for (unsigned i = 0; atomic_load(&all->is_done) == 0; i++) {
        weir_pool *pool = weir_context_get_pool(all->contexts[i % CONTEXTS]);
        weir_pool_stats stats;

        if (weir_pool_trim(pool, i % 3 == 0 ? 0 : LIMIT_BYTES / 4) != WEIR_OK) return all;
        weir_pool_get_stats(pool, &stats);
        if (stats.reserved_bytes.peak > LIMIT_BYTES) return all;
    }
    return NULL;
}

static int run_threads(shared *all)
{
    pthread_t trimmer;
    void *failed = NULL;
    int ok = 1;

    if (pthread_create(&trimmer, NULL, trim, all) != 0) return 0;
    ok = wt_threads_run(THREADS, run, all);
    atomic_store(&all->is_done, 1);
    (void)pthread_join(trimmer, &failed);
    return ok && failed == NULL;
}

/* All that is left is free: each context can have it, one after the other. Half of the limit as one block leaves no
 * strategy without a root that is large enough. */
static int take_all(const shared *all, const char *strategy)
{
    const int is_kept = strcmp(strategy, "prealloc") == 0; /* gives back by trim alone */

    for (size_t i = 0; i < CONTEXTS; i++) {
        weir_pool *pool = weir_context_get_pool(all->contexts[i]);
        weir_pool *other = weir_context_get_pool(all->contexts[1 - i]);
        weir_block *block = NULL;

        if (is_kept && weir_pool_trim(other, 0) != WEIR_OK) return wt_thread_fails("trim");
        if (weir_pool_alloc(pool, NULL, LIMIT_BYTES / 2, "all", &block) != WEIR_OK)
            return wt_thread_fails("the limit");
        weir_block_release(block);
    }
    return 1;
}

static int run_strategy(const char *strategy, long operations)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    shared all = {.operations = operations};
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_live live;
    int ok = 0;

    options.no_self_check = 1;
    memory.strategy = strategy;
    memory.limit_bytes = LIMIT_BYTES;
    ok = weir_system_create(&system) == WEIR_OK &&
         weir_system_find(system, NULL, &device) == WEIR_OK &&
         weir_device_configure(device, &memory) == WEIR_OK;
    for (size_t i = 0; ok && i < CONTEXTS; i++)
        ok = weir_context_create(device, &options, &all.contexts[i]) == WEIR_OK;
    if (!ok) (void)wt_thread_fails(strategy);
    ok = ok && run_threads(&all) && take_all(&all, strategy);
    for (size_t i = 0; i < CONTEXTS; i++) weir_context_release(all.contexts[i]);
    weir_system_destroy(system);
    weir_live_get(&live);
    (void)printf("%s: %ld served, %ld refused, %llu objects left: %s\n", strategy,
                 atomic_load(&all.served), atomic_load(&all.refused),
                 (unsigned long long)live.total, ok ? "ok" : "failed");
    return ok && live.total == 0 && atomic_load(&all.served) > 0;
}

int main(int argc, char **argv)
{
    const long operations = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
    const char *strategy = NULL;
    int ok = 1;

    (void)setenv("WT_NULL_BACKED", "1", 1);
    for (size_t i = 0; (strategy = weir_replay_strategy_name(i)) != NULL; i++)
        ok = run_strategy(strategy, operations) && ok;
    return ok ? 0 : 1;
}
