/* Counters of live objects. */
#include "cl/live.h"

#include <criterion/criterion.h>

#include <pthread.h>

TestSuite(live, .timeout = 120);

#define ROUNDS UINT64_C(100000)

static void *add_and_drop(void *unused)
{
    for (uint64_t i = 0; i < ROUNDS; i++) {
        wi_live_add(WI_LIVE_EVENT);
        wi_live_add(WI_LIVE_KERNEL);
        wi_live_drop(WI_LIVE_EVENT);
    }
    return unused;
}

Test(live, counts_each_kind_and_their_sum)
{
    weir_live live;

    weir_live_get(&live);
    cr_assert_eq(live.total, 0);
    wi_live_add(WI_LIVE_BUFFER);
    wi_live_add(WI_LIVE_BUFFER);
    wi_live_add(WI_LIVE_QUEUE);
    wi_live_drop(WI_LIVE_BUFFER);
    weir_live_get(&live);
    cr_assert_eq(live.buffers, 1);
    cr_assert_eq(live.queues, 1);
    cr_assert_eq(live.contexts + live.programs + live.kernels + live.events, 0);
    cr_assert_eq(live.total, 2);
    cr_assert_eq(wi_live_dropped(WI_LIVE_BUFFER), 1);
    weir_live_get(NULL);
}

Test(live, is_exact_and_never_negative_among_threads)
{
    pthread_t threads[4];
    weir_live live;

    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, add_and_drop, NULL), 0);
    for (int i = 0; i < 1000; i++) {
        weir_live_get(&live);
        cr_assert_leq(live.events, 4 * ROUNDS, "%llu", (unsigned long long)live.events);
    }
    for (int i = 0; i < 4; i++) cr_assert_eq(pthread_join(threads[i], NULL), 0);
    weir_live_get(&live);
    cr_assert_eq(live.events, 0);
    cr_assert_eq(live.kernels, 4 * ROUNDS);
    cr_assert_eq(wi_live_dropped(WI_LIVE_EVENT), 4 * ROUNDS);
}
