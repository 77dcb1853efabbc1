/* Counters of bytes and blocks: current, peak, total, count. */
#ifndef WI_MEM_COUNTER_H
#define WI_MEM_COUNTER_H

#include <weir/pool.h>

/* A counter whose increases are as many as those of another, which counts them. Invariant: current <= peak. */
typedef struct wi_tally {
    uint64_t current;
    uint64_t peak;
    uint64_t total;
} wi_tally;

/** Counts one increase by `amount`. */
static inline void wi_counter_add(weir_counter *counter, uint64_t amount)
{
    counter->current += amount;
    counter->total += amount;
    counter->count++;
    if (counter->current > counter->peak) counter->peak = counter->current;
}

static inline void wi_tally_add(wi_tally *tally, uint64_t amount)
{
    tally->current += amount;
    tally->total += amount;
    if (tally->current > tally->peak) tally->peak = tally->current;
}

/** Returns the counter of a tally with `count` increases. */
static inline weir_counter wi_tally_read(const wi_tally *tally, uint64_t count)
{
    return (weir_counter){tally->current, tally->peak, tally->total, count};
}

#endif
