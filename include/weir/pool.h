/* Device memory of a context: blocks, statistics, owners.
 *
 *   requested <= in use (rounded) <= reserved (bytes in buffers taken from the driver) <= limit
 */
#ifndef WEIR_POOL_H
#define WEIR_POOL_H

#include <weir/status.h>
#include <weir/text.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

typedef struct weir_pool weir_pool;
typedef struct weir_block weir_block;
typedef struct weir_queue weir_queue;

typedef struct weir_counter {
    uint64_t current;
    uint64_t peak;  /* largest current since the start or the last reset */
    uint64_t total; /* sum of all increases */
    uint64_t count; /* number of increases */
} weir_counter;

/* What one owner label holds. Sums over all owners: currents are those of the pool's in_use_bytes and blocks; totals are
 * too, once a block that changed its label is counted once. */
typedef struct weir_owner_stats {
    char owner[WEIR_OWNER_BYTES];
    weir_counter bytes; /* rounded sizes */
    weir_counter blocks;
} weir_owner_stats;

/* requested.current <= in_use.current <= reserved.current <= limit_bytes.
 * reserved.count == driver_allocs; blocks.current is the number of live blocks, empty ones left out. */
typedef struct weir_pool_stats {
    weir_counter requested_bytes;
    weir_counter in_use_bytes;
    weir_counter reserved_bytes;
    weir_counter blocks;
    uint64_t limit_bytes;   /* in force: the device's, or what `prealloc` got when the driver refused the rest */
    uint64_t driver_allocs; /* buffers taken from the driver */
    uint64_t driver_frees;  /* buffers given back */
    uint64_t largest_free_bytes;
    uint64_t oom_count;   /* requests that failed for want of memory */
    uint64_t compactions; /* times that blocks were moved to make room */
    uint64_t moved_bytes; /* in all of them */
} weir_pool_stats;

/** Takes a block of device memory.
 *
 * Zero bytes gives a valid empty block that takes no memory. The block's bytes are undefined.
 * pool    the block keeps its context alive
 * queue   whose commands use the block first; NULL: the context's own
 * bytes   0 .. the limit; rounded up to the pool's granule (256 bytes or the device's base alignment)
 * owner   label for reports, such as an op's or a variable's name, under the scopes of the calling thread (scope.h), or
 *         beside them if it begins with '/'; copied; NULL: "user"
 * out     counted, weir_block_release(); NULL on failure
 * Order: host call; the block may be used by the next command of that queue. May ask the driver for memory.
 * Thread: safe.
 * Errors: OUT_OF_MEMORY (weir_last_error() has the report), HOST_MEMORY, ARG (also a device that was split meanwhile),
 *         CONTEXT (a queue of another context), FORKED, DRIVER (the wait for another queue that used the bytes). */
WEIR_API WEIR_NODISCARD weir_status weir_pool_alloc(weir_pool *pool, weir_queue *queue, uint64_t bytes,
                                                    const char *owner, weir_block **out);

/** Adds an owner; returns the block. */
WEIR_API weir_block *weir_block_retain(weir_block *block);

/** Drops an owner; the last one gives the memory back to the pool at once: commands enqueued later on the context's
 * queue may reuse it, those enqueued before still see the old bytes. NULL is allowed. Thread: safe. */
WEIR_API void weir_block_release(weir_block *block);

/** Returns the bytes asked for. */
WEIR_API uint64_t weir_block_get_bytes(const weir_block *block);

/** Returns the offset within the root buffer in bytes, as it is now: compaction may move the block at any time, unless it is
 * switched off (weir_memory_options.no_compaction) or the block is pinned. */
WEIR_API uint64_t weir_block_get_offset_bytes(const weir_block *block);

/** Returns a number that names the root buffer within the pool; equal numbers, same root. 0 for an empty block.
 * As it is now, like the offset. */
WEIR_API uint64_t weir_block_get_root(const weir_block *block);

/** Gives wholly free roots back to the driver until at most keep_bytes are reserved or none is left to give.
 * Order: waits for enqueued work where a root still has some; other threads may use the pool meanwhile. A failure of
 * that work is told by the next call that synchronizes. Thread: safe. Errors: ARG, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_pool_trim(weir_pool *pool, uint64_t keep_bytes);

/** Reads the statistics as one consistent snapshot; all zero in a forked child. Thread: safe. */
WEIR_API void weir_pool_get_stats(const weir_pool *pool, weir_pool_stats *out);

/** Lists the owners, most bytes first, as one consistent snapshot; returns how many there are, which may be more than
 * `capacity`. Owners that hold nothing any more come last; they are forgotten when there are many.
 * out   room for `capacity` entries, NULL if that is 0; unused ones are zeroed
 * Thread: safe. */
WEIR_API size_t weir_pool_get_owners(const weir_pool *pool, weir_owner_stats *out, size_t capacity);

/** Sets every peak to its current value, those of the owners too. Thread: safe. */
WEIR_API void weir_pool_reset_peak(weir_pool *pool);

/** Appends a table of the statistics and of the owners, most bytes first. Thread: safe. */
WEIR_API void weir_pool_report(const weir_pool *pool, weir_text *text);

WEIR_END_DECLS

#endif
