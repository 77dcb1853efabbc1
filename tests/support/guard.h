/* Blocks of device memory with a pattern before and after them, to catch a kernel that writes outside its block.
 *
 * Two ways. A wt_guard is one block of the pool with the payload in its middle, for tests that launch kernels
 * themselves (linked with the library's objects). A wt_fence uses public calls only: it lays out tensors in a row and
 * takes every second one away, so that the results of an operation fall between guards.
 */
#ifndef WT_GUARD_H
#define WT_GUARD_H

#include "context/context.h"

#include <weir/context.h>
#include <weir/pool.h>

#include <CL/cl.h>

#include <stdint.h>

#define WT_GUARD_BYTES 4096 /* on each side; a multiple of every base alignment in use */

/* Invariants: payload_offset == offset of the block + WT_GUARD_BYTES; block bytes == bytes + padding + 2 guards. */
typedef struct wt_guard {
    weir_context *ctx;
    weir_block *block;
    cl_mem buffer;
    uint64_t payload_offset; /* in buffer */
    uint64_t bytes;
} wt_guard;

/* Takes bytes and guards from the context's pool and writes the pattern over all of it; asserts. */
wt_guard wt_guard_open(weir_context *ctx, uint64_t bytes);

/* Asserts that both guards hold the pattern; reports the first byte that does not, as an offset from the payload. */
void wt_guard_check(const wt_guard *guard, const char *when);

/* As above, but returns the number of bytes that changed. */
uint64_t wt_guard_count_broken(const wt_guard *guard, int64_t *first);

/* Checks, then releases. */
void wt_guard_close(wt_guard *guard);

#endif
