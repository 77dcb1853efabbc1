/* A sample holds the peaks of its interval and not the values of one moment: so what happens between two samples is
 * seen, and the highest sample is the peak of the whole run. One thread. */
#include "loop_curve.h"

#include <string.h>

#define INTERVALS 256

void loop_curve_begin(loop_curve *curve, uint64_t steps)
{
    memset(curve, 0, sizeof *curve);
    curve->every = steps / INTERVALS + (steps % INTERVALS != 0);
}

int loop_curve_is_due(const loop_curve *curve, uint64_t done)
{
    return curve != NULL && curve->every > 0 && done % curve->every == 0;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

void loop_curve_take(loop_curve *curve, weir_pool *pool, uint64_t done, uint64_t saved)
{
    weir_pool_stats stats;
    loop_sample *last = NULL;

    weir_pool_get_stats(pool, &stats);
    weir_pool_reset_peak(pool);
    last = &curve->samples[curve->count == 0 ? 0 : curve->count - 1];
    if (curve->count == 0 || (last->step != done && curve->count < LOOP_SAMPLES_MAX))
        last = &curve->samples[curve->count++];
    last->step = done;
    last->in_use = larger(last->in_use, stats.in_use_bytes.peak);
    last->reserved = larger(last->reserved, stats.reserved_bytes.peak);
    last->saved = saved;
}
