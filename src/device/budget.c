/* The bytes that all pools of one device share, under one limit.
 *
 * Two atomics and a compare-and-exchange loop: a pool takes bytes before it asks the driver and gives them back when
 * the driver refuses, so the limit holds at every moment and no lock is held across a driver call.
 */
#include "device/budget.h"

int wi_budget_take(wi_budget *budget, uint64_t bytes)
{
    uint64_t limit = atomic_load(&budget->limit_bytes);
    uint64_t reserved = atomic_load(&budget->reserved_bytes);

    do {
        if (reserved > limit || bytes > limit - reserved) return 0;
    } while (!atomic_compare_exchange_weak(&budget->reserved_bytes, &reserved, reserved + bytes));
    return 1;
}

void wi_budget_give(wi_budget *budget, uint64_t bytes)
{
    atomic_fetch_sub(&budget->reserved_bytes, bytes);
}

uint64_t wi_budget_get_reserved(const wi_budget *budget)
{
    return atomic_load(&((wi_budget *)(uintptr_t)budget)->reserved_bytes);
}

uint64_t wi_budget_available(const wi_budget *budget)
{
    /* C11's atomic_load takes a pointer to a non-const object in some headers; reading changes nothing. */
    wi_budget *b = (wi_budget *)(uintptr_t)budget;
    uint64_t limit = atomic_load(&b->limit_bytes);
    uint64_t reserved = atomic_load(&b->reserved_bytes);

    if (limit == UINT64_MAX) return UINT64_MAX;
    return reserved < limit ? limit - reserved : 0;
}
