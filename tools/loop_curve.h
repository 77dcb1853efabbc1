/* The memory of one form over its steps, as samples. */
#ifndef WEIR_TOOLS_LOOP_CURVE_H
#define WEIR_TOOLS_LOOP_CURVE_H

#include <weir/pool.h>

#include <stddef.h>
#include <stdint.h>

#define LOOP_SAMPLES_MAX 260

/* Memory between one sample and the next. */
typedef struct loop_sample {
    uint64_t step;     /* steps done */
    uint64_t in_use;   /* most bytes at one time since the sample before */
    uint64_t reserved; /* the same */
    uint64_t saved;    /* what the tape keeps now */
} loop_sample;

/* Samples in the order of the steps: the first when the state of step 0 is there, the last at the end.
 *
 * Invariants: count <= LOOP_SAMPLES_MAX; steps do not fall. */
typedef struct loop_curve {
    loop_sample samples[LOOP_SAMPLES_MAX];
    size_t count;
    uint64_t every; /* a sample is due after so many steps */
} loop_curve;

/** Empties a curve for a run of so many steps. */
void loop_curve_begin(loop_curve *curve, uint64_t steps);

/** Returns 1 if a sample is due after step `done`; 0 for a curve of NULL. */
int loop_curve_is_due(const loop_curve *curve, uint64_t done);

/** Takes a sample and sets the pool's peaks back, so that the next one knows its own. What finds no room goes into the
 * last sample. saved: bytes that the tape keeps */
void loop_curve_take(loop_curve *curve, weir_pool *pool, uint64_t done, uint64_t saved);

#endif
