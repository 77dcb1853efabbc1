/* A pool on numbers: what a strategy would do with a sequence of requests, on a device that need not exist.
 *
 * The very rules by which a context's pool takes buffers and places blocks run on a device that is a number of bytes.
 * No memory is taken but for bookkeeping and no driver is asked, so a limit of many TiB works on any machine:
 *
 *     weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
 *     weir_replay *replay;
 *     weir_replay_block *block;
 *     weir_replay_stats stats;
 *
 *     options.device_bytes = UINT64_C(80) << 30;
 *     weir_replay_create("growth", &options, &replay);
 *     weir_replay_alloc(replay, 4096, &block);
 *     weir_replay_free(replay, block);
 *     weir_replay_get_stats(replay, &stats);      (2 MiB reserved, as TensorFlow would)
 *     weir_replay_destroy(replay);
 *
 * Thread: one thread at a time for each replay.
 */
#ifndef WEIR_REPLAY_H
#define WEIR_REPLAY_H

#include <weir/oom.h>
#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

typedef struct weir_replay weir_replay;
typedef struct weir_replay_block weir_replay_block;

/* Zero means default. */
typedef struct weir_replay_options {
    size_t struct_size;
    uint64_t device_bytes;    /* memory of the device; 16 GiB */
    uint64_t max_alloc_bytes; /* no buffer is larger; at least 1/65536 of the limit; a quarter of the device */
    uint64_t limit_bytes;     /* buffers never add up to more, at most device_bytes; the strategy's own default */
    uint64_t granule_bytes;   /* sizes are rounded up to it, a power of two; 256 */
    int is_fixed;             /* 1: blocks stay where they were placed; 0: strategies that compact may move them */
} weir_replay_options;

#define WEIR_REPLAY_OPTIONS_INIT                   \
    {                                              \
        sizeof(weir_replay_options), 0, 0, 0, 0, 0 \
    }

/* requested <= in_use (rounded) <= reserved (in buffers) <= limit, and so are the peaks.
 * Counts since creation; peaks since then or the last weir_replay_reset_peak(). */
typedef struct weir_replay_stats {
    uint64_t requested_bytes;
    uint64_t in_use_bytes;
    uint64_t reserved_bytes;
    uint64_t peak_requested_bytes;
    uint64_t peak_in_use_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t limit_bytes;   /* in force, the strategy's own included */
    uint64_t driver_allocs; /* buffers a driver would have been asked for */
    uint64_t driver_frees;  /* buffers given back */
    uint64_t oom_count;     /* requests that failed for want of memory */
    uint64_t compactions;   /* times that blocks were moved to empty buffers */
    uint64_t moved_bytes;   /* by these */
} weir_replay_stats;

/** Returns the name of strategy i, from 0 on, such as "growth"; NULL past the last. Thread: safe. Static. */
WEIR_API const char *weir_replay_strategy_name(size_t i);

/** Returns one sentence on what strategy i does; NULL past the last. Thread: safe. Static. */
WEIR_API const char *weir_replay_strategy_text(size_t i);

/** Makes an empty pool on numbers.
 * strategy   a name as weir_replay_strategy_name() gives them; NULL: the library's default
 * options    NULL: all defaults
 * out        owned by the caller, weir_replay_destroy(); NULL on failure
 * Errors: ARG (an unknown name, or options out of range), HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_replay_create(const char *strategy, const weir_replay_options *options,
                                                       weir_replay **out);

/** Frees a pool and all its blocks. NULL is allowed. */
WEIR_API void weir_replay_destroy(weir_replay *replay);

/** Places a block.
 * bytes   from 1 on
 * out     belongs to the pool until weir_replay_free(); NULL on failure
 * Errors: ARG (0 bytes), HOST_MEMORY, OUT_OF_MEMORY (not recorded in weir_last_error(), as it is an answer that a
 *         replay asks for; counted, and weir_replay_get_cause() tells why). */
WEIR_API WEIR_NODISCARD weir_status weir_replay_alloc(weir_replay *replay, uint64_t bytes, weir_replay_block **out);

/** Gives a block back; it is not used again. NULL is allowed. One of another replay is left there, and
 * weir_last_error() says so. */
WEIR_API void weir_replay_free(weir_replay *replay, weir_replay_block *block);

/** Gives wholly free buffers back until at most keep_bytes are reserved or none is left to give. */
WEIR_API void weir_replay_trim(weir_replay *replay, uint64_t keep_bytes);

/** Reads the statistics, in constant time. */
WEIR_API void weir_replay_get_stats(const weir_replay *replay, weir_replay_stats *out);

/** Returns why the last request that failed for want of memory did; WEIR_OOM_NONE if none has. */
WEIR_API weir_oom_cause weir_replay_get_cause(const weir_replay *replay);

/** Sets every peak to its current value. */
WEIR_API void weir_replay_reset_peak(weir_replay *replay);

WEIR_END_DECLS

#endif
