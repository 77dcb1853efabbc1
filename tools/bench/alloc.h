/* A pool with live blocks, and what a pair of taking and giving back costs in it. */
#ifndef WEIR_BENCH_ALLOC_H
#define WEIR_BENCH_ALLOC_H

#include "bench.h"

#include <weir/context.h>
#include <weir/pool.h>
#include <weir/system.h>

#include <stddef.h>

#define ALLOC_BYTES ((size_t)4096)
#define ALLOC_REPEATS 9
#define ALLOC_ROUNDS 20 /* a sample is the fastest of so many */

/* A context whose pool holds blocks. Starts zeroed; all may be NULL. Owns everything but the device. */
typedef struct alloc_rig {
    weir_context *context;
    weir_pool *pool;
    weir_block **live;
    size_t live_count;
} alloc_rig;

/** Opens a context and takes live blocks of 256 bytes. Returns OK or what failed; the rig may then be half made. */
weir_status alloc_rig_open(alloc_rig *rig, weir_device *device, size_t live_count);

/** Releases what is there. */
void alloc_rig_close(alloc_rig *rig);

/** Returns the seconds of a pair in the fastest round, in processor time of this thread; negative if a pair failed. */
double alloc_rig_time(const alloc_rig *rig);

/** Returns the same of malloc(ALLOC_BYTES) + free. */
double alloc_malloc_time(void);

/** Adds sample `i` of both sides to the row; number 0, in which roots are taken, is left out. seconds: negative if a pair
 * failed; peer_seconds: negative without a peer. Returns a program_exit. */
int alloc_add_sample(bench_row *row, const char *name, int i, double seconds, double peer_seconds);

#endif
