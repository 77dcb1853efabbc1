/* Counters of bytes and blocks: current, peak, total, count. */
#ifndef WI_MEM_COUNTER_H
#define WI_MEM_COUNTER_H

#include <weir/pool.h>

/** Counts one increase by `amount`. */
static inline void wi_counter_add(weir_counter *counter, uint64_t amount)
{
    counter->current += amount;
    counter->total += amount;
    counter->count++;
    if (counter->current > counter->peak) counter->peak = counter->current;
}

#endif
