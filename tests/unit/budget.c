/* The budget of a device: the limit holds at every moment, also between threads. */
#include "device/budget.h"

#include <criterion/criterion.h>
#include <pthread.h>

TestSuite(budget, .timeout = 120);

Test(budget, takes_up_to_the_limit_and_gives_back)
{
    wi_budget budget = {100, 0};

    cr_assert(wi_budget_take(&budget, 60));
    cr_assert_eq(wi_budget_available(&budget), 40U);
    cr_assert_not(wi_budget_take(&budget, 41));
    cr_assert_eq(wi_budget_available(&budget), 40U);
    cr_assert(wi_budget_take(&budget, 40));
    cr_assert_eq(wi_budget_available(&budget), 0U);
    cr_assert_not(wi_budget_take(&budget, 1));
    cr_assert(wi_budget_take(&budget, 0));
    wi_budget_give(&budget, 100);
    cr_assert_eq(wi_budget_available(&budget), 100U);
}

Test(budget, does_not_wrap)
{
    wi_budget budget = {UINT64_MAX - 1, UINT64_MAX - 10};

    cr_assert_not(wi_budget_take(&budget, UINT64_MAX));
    cr_assert_not(wi_budget_take(&budget, 10));
    cr_assert(wi_budget_take(&budget, 9));
}

Test(budget, without_a_limit_everything_is_available)
{
    wi_budget budget = {UINT64_MAX, 0};

    cr_assert(wi_budget_take(&budget, UINT64_C(1) << 50));
    cr_assert_eq(wi_budget_available(&budget), UINT64_MAX);
}

enum { THREADS = 4, ROUNDS = 20000, LIMIT = 1000 };

static wi_budget shared = {LIMIT, 0};
static _Atomic uint64_t held;
static _Atomic uint64_t held_most;
static _Atomic uint64_t refused;

static void *take_and_give(void *argument)
{
    uint64_t step = *(const unsigned *)argument;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t bytes = 1 + (i * 7919 + step * 104729) % 600;
        uint64_t now = 0;
        uint64_t most = 0;

        if (!wi_budget_take(&shared, bytes)) {
            atomic_fetch_add(&refused, 1);
            continue;
        }
        now = atomic_fetch_add(&held, bytes) + bytes;
        most = atomic_load(&held_most);
        while (now > most && !atomic_compare_exchange_weak(&held_most, &most, now)) {}
        atomic_fetch_sub(&held, bytes);
        wi_budget_give(&shared, bytes);
    }
    return NULL;
}

Test(budget, holds_between_threads)
{
    static const unsigned steps[THREADS] = {1, 2, 3, 4};
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, take_and_give, (void *)(uintptr_t)&steps[i]),
                     0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    cr_assert_leq(atomic_load(&held_most), (uint64_t)LIMIT);
    cr_assert_gt(atomic_load(&held_most), 0U);
    cr_assert_eq(wi_budget_available(&shared), (uint64_t)LIMIT);
}
