/* Bytes that all pools of one device may reserve together.
 *
 * Invariants: reserved <= limit (limit UINT64_MAX if none). Thread: safe, lock-free.
 */
#ifndef WI_DEVICE_BUDGET_H
#define WI_DEVICE_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct wi_budget {
    _Atomic uint64_t limit_bytes;
    _Atomic uint64_t reserved_bytes;
} wi_budget;

/** Takes `bytes`; returns 1, or 0 if the limit would be passed (nothing taken). */
int wi_budget_take(wi_budget *budget, uint64_t bytes);

void wi_budget_give(wi_budget *budget, uint64_t bytes);

/** Bytes reserved now. */
uint64_t wi_budget_get_reserved(const wi_budget *budget);

/** limit - reserved; UINT64_MAX without a limit. */
uint64_t wi_budget_available(const wi_budget *budget);

#endif
