/* Packing of blocks whose lifetimes are known: where each lies in one arena. */
#ifndef WI_PLAN_PACK_H
#define WI_PLAN_PACK_H

#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

/* One block, needed at all times from first to last.
 * Invariants: after packing, offset_bytes is a multiple of the alignment, and blocks that are needed at one time do not
 * overlap; a block of 0 bytes lies at 0. */
typedef struct wi_packed {
    uint64_t bytes;
    uint64_t first;
    uint64_t last;
    uint64_t offset_bytes;
} wi_packed;

/** Places the blocks, the largest first, each at the lowest place that is free as long as it is needed.
 * align_bytes   a power of two
 * total_bytes   end of the last block, rounded up to the alignment
 * Errors: HOST_MEMORY, UNSUPPORTED (more than 2^64 bytes). */
weir_status wi_pack(wi_packed *blocks, size_t count, uint64_t align_bytes, uint64_t *total_bytes);

#endif
