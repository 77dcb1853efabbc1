/* What a pool does beyond its work to find mistakes of the program: levels 1 to 3 of weir_memory_options.debug_level.
 *
 * Nothing here fails a call that released something; what is found is logged, and kept for the next call that waits for
 * the device (wi_pool_get_error).
 */
#ifndef WI_MEM_DEBUG_H
#define WI_MEM_DEBUG_H

#include <weir/pool.h>

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Invariants: guard_bytes == 0 below level 2, else the arena's granule; the list oldest..newest has kept_count blocks
 * with owners == 0, whose labels are kept by `remembered` of their owners. */
typedef struct wi_debug {
    unsigned level; /* set with the arena, before the first block that is not empty */
    uint64_t guard_bytes;
    uint64_t operations; /* allocations and releases since the last check; the pool's lock */
    weir_block *oldest;  /* released block objects that are not used again yet; the pool's lock */
    weir_block *newest;
    size_t kept_count;
    pthread_mutex_t lock; /* error; taken last */
    weir_error error;     /* the first mistake found since the last reset; status OK: none */
} wi_debug;

/** 1 if released block objects are kept, so that a call with one can be told whatever was taken since. Below level 3 it
 * is told until the object is used again. */
static inline int wi_debug_keeps(const wi_debug *debug) { return debug->level >= 3; }

/** Sets the level and the guards, before the first block is placed. */
void wi_debug_open(wi_debug *debug, unsigned level, uint64_t granule_bytes);

int wi_debug_init(wi_debug *debug);
void wi_debug_fini(wi_debug *debug);

/** Bytes that a block of `bytes` takes with its guards; more than any root if that overflows. */
static inline uint64_t wi_debug_pad(const wi_debug *debug, uint64_t bytes)
{
    return bytes <= UINT64_MAX - 2 * debug->guard_bytes ? bytes + 2 * debug->guard_bytes
                                                        : UINT64_MAX;
}

/** Writes the guards and the pattern of fresh memory. Without the pool's lock; errors are those of enqueuing. */
weir_status wi_debug_begin_block(weir_block *block);

/** Waits for the block's commands, checks the guards, and writes the pattern of released memory. Without the lock. */
void wi_debug_end_block(weir_block *block);

/** Keeps a released block object from being used again; returns the object that may be used, or NULL. With the lock. */
weir_block *wi_debug_keep(weir_pool *pool, weir_block *block);

/** After an allocation or release: checks the pool's books every so many, and after a failure. With the lock. */
void wi_debug_step(weir_pool *pool, weir_status status);

/** Checks the pool's books. With the lock. */
void wi_debug_check_books(weir_pool *pool, const char *when);

/** Checks the books of a pool that is about to go, and reports blocks still held. */
void wi_debug_close(weir_pool *pool);

/** Reports a call with a block that was released. */
void wi_debug_report_released(const weir_block *block, const char *where);

#endif
