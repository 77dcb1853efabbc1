/* What a warm block costs besides arithmetic: one lock to take it and one to give it back, nothing of the driver or the host.
 * Locks are counted by the linker's --wrap, for the calling thread. */
#include "devices.h"
#include "null_device.h"

#include <weir/host_memory.h>
#include <weir/replay.h>
#include <weir/weir.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

TestSuite(pool_lock, .timeout = WT_TIMEOUT);

#define ROUNDS 20000

static uint64_t locks;
static uint64_t host_calls;

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    locks++;
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    locks++;
    return __real_pthread_mutex_trylock(mutex);
}

static void *counted_allocate(size_t bytes, void *user)
{
    (void)user;
    host_calls++;
    return malloc(bytes);
}

static void *counted_reallocate(void *memory, size_t bytes, void *user)
{
    (void)user;
    host_calls++;
    return realloc(memory, bytes);
}

static void plain_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Takes a block and gives it back; both calls take one lock. */
static void run_pair(weir_pool *pool, weir_queue *queue, uint64_t bytes, const char *strategy)
{
    const uint64_t before = locks;
    weir_block *block = NULL;

    wt_ok(weir_pool_alloc(pool, queue, bytes, "pair", &block));
    cr_assert_eq(locks - before, 1U, "%s: %llu locks to take a block", strategy,
                 (unsigned long long)(locks - before));
    weir_block_release(block);
    cr_assert_eq(locks - before, 2U, "%s: %llu locks for a pair", strategy,
                 (unsigned long long)(locks - before));
}

/* Pairs of several sizes beside blocks that live, with holes between them. */
static void run_pairs(weir_context *context, const char *strategy, const wt_null_control *control)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_block *live[64];
    uint64_t host_before = 0;

    for (size_t i = 0; i < 64; i++)
        wt_ok(weir_pool_alloc(pool, NULL, 256 * (i + 1), "live", &live[i]));
    for (size_t i = 0; i < 64; i += 3) {
        weir_block_release(live[i]);
        live[i] = NULL;
    }
    for (uint64_t i = 0; i < 32; i++) run_pair(pool, NULL, 1 + i * 5000, strategy);
    control->reset_calls();
    host_before = host_calls;
    for (uint64_t i = 0; i < ROUNDS; i++) run_pair(pool, NULL, 1 + i % 32 * 5000, strategy);
    cr_assert_eq(control->get_calls(NULL), 0U, "%s asks the driver", strategy);
    cr_assert_eq(host_calls, host_before, "%s asks for host memory", strategy);
    for (size_t i = 0; i < 64; i++) weir_block_release(live[i]);
}

Test(pool_lock, a_warm_block_takes_one_and_nothing_of_driver_or_host)
{
    static const weir_host_allocator counted = {counted_allocate, counted_reallocate, plain_release,
                                                NULL};
    const wt_null_control *control = wt_null_use();
    const char *strategy = NULL;

    unsetenv("WEIR_MEMORY_DEBUG");
    wt_ok(weir_host_memory_set(&counted));
    for (size_t i = 0; (strategy = weir_replay_strategy_name(i)) != NULL; i++) {
        weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
        weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
        weir_system *system = NULL;
        weir_context *context = NULL;

        options.no_self_check = 1;
        memory.strategy = strategy;
        memory.limit_bytes = UINT64_C(64) << 20;
        wt_ok(weir_system_create(&system));
        wt_ok(weir_device_configure(weir_system_device(system, 0), &memory));
        wt_ok(weir_context_create(weir_system_device(system, 0), &options, &context));
        /* Every block of `direct` is a buffer of the driver: it is never warm. */
        if (strcmp(strategy, "direct") != 0) run_pairs(context, strategy, control);
        weir_context_release(context);
        weir_system_destroy(system);
    }
}
