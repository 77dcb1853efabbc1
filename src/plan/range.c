/* Slab of range metadata.
 *
 * Chunks double from 32 to 4096 ranges: a pool of three blocks costs 2 KiB, one of a million blocks a few hundred calls
 * of the host allocator. Chunks are freed all together, as ranges of one chunk end up spread over all roots. The caller
 * locks.
 */
#include "plan/range.h"

#include "base/memory.h"

#define CHUNK_FIRST 32u
#define CHUNK_LAST 4096u

struct wi_range_chunk {
    struct wi_range_chunk *next;
    wi_range ranges[];
};

/* xorshift32: any non-zero state gives a sequence of period 2^32 - 1. */
static uint32_t next_random(uint32_t *state)
{
    uint32_t x = *state != 0 ? *state : 0x9e3779b9U;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

int wi_range_slab_reserve(wi_range_slab *slab, size_t count)
{
    while (slab->unused_count < count) {
        const size_t ranges = slab->next_count != 0 ? slab->next_count : CHUNK_FIRST;
        struct wi_range_chunk *chunk = wi_malloc(sizeof *chunk + ranges * sizeof chunk->ranges[0]);

        if (chunk == NULL) return 0;
        chunk->next = slab->chunks;
        slab->chunks = chunk;
        for (size_t i = ranges; i-- > 0;) {
            chunk->ranges[i].priority = next_random(&slab->random);
            wi_range_slab_give(slab, &chunk->ranges[i]);
        }
        slab->next_count = ranges < CHUNK_LAST ? ranges * 2 : CHUNK_LAST;
    }
    return 1;
}

void wi_range_slab_fini(wi_range_slab *slab)
{
    while (slab->chunks != NULL) {
        struct wi_range_chunk *chunk = slab->chunks;
        slab->chunks = chunk->next;
        wi_free(chunk);
    }
    *slab = (wi_range_slab){0};
}
