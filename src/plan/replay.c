/* An arena on a root source that only counts: pools on numbers for everybody.
 *
 * A root is a serial number and the driver a sum that may not pass the device's memory. Peaks are taken where a value can
 * rise, in the source for what is reserved, so that roots that are held for a moment during a request count. A block is
 * the arena's range under another name, so a replay costs what the arena costs. One thread at a time.
 */
#include <weir/replay.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "plan/arena_state.h"

#include <assert.h>

#define DEFAULT_DEVICE_BYTES (UINT64_C(16) << 30)
#define DEFAULT_GRANULE_BYTES 256u
#define ROOTS_MOST 65536u /* for the whole limit, as `prealloc` takes them; OpenCL needs 4 */

/* Invariants: arena->reserved_bytes <= limit_bytes <= device_bytes; peaks >= the arena's current values. */
struct weir_replay {
    wi_arena *arena;
    uint64_t device_bytes;
    uint64_t limit_bytes;
    int has_limit; /* 1: set by the caller */
    uint64_t held_bytes;
    uint64_t peak_requested_bytes;
    uint64_t peak_in_use_bytes;
    uint64_t peak_reserved_bytes;
    uint64_t oom_count;
    weir_oom_cause cause;
};

static weir_status acquire(void *user, uint64_t bytes, void **root)
{
    weir_replay *replay = user;

    *root = NULL;
    if (bytes > replay->device_bytes - replay->held_bytes) return WEIR_E_OUT_OF_MEMORY;
    replay->held_bytes += bytes;
    if (replay->held_bytes > replay->peak_reserved_bytes)
        replay->peak_reserved_bytes = replay->held_bytes;
    *root = replay; /* tells blocks of one replay from those of another */
    return WEIR_OK;
}

static void release(void *user, void *root, uint64_t bytes)
{
    weir_replay *replay = user;

    (void)root;
    replay->held_bytes -= bytes;
}

static uint64_t available(void *user)
{
    const weir_replay *replay = user;

    return replay->has_limit ? replay->limit_bytes - replay->held_bytes : UINT64_MAX;
}

static int begin_moves(void *user)
{
    (void)user;
    return 1;
}

static void end_moves(void *user) { (void)user; }

static weir_status move(void *user, wi_range *range, const wi_placement *to)
{
    (void)user;
    (void)range;
    (void)to;
    return WEIR_OK;
}

const char *weir_replay_strategy_name(size_t i)
{
    const wi_strategy *strategy = wi_strategy_at(i);

    return strategy != NULL ? wi_strategy_name(strategy) : NULL;
}

const char *weir_replay_strategy_text(size_t i)
{
    const wi_strategy *strategy = wi_strategy_at(i);

    return strategy != NULL ? wi_strategy_text(strategy) : NULL;
}

/* Reads and checks the options; zeros become what they stand for. */
static weir_status read_options(const weir_replay_options *given, weir_replay_options *options)
{
    static const char where[] = "weir_replay_create";

    if (!wi_options_read(given, options, sizeof *options))
        return wi_fail(WEIR_E_ARG, where, "struct_size of the options is too small");
    if (options->device_bytes == 0) options->device_bytes = DEFAULT_DEVICE_BYTES;
    if (options->max_alloc_bytes == 0) options->max_alloc_bytes = options->device_bytes / 4;
    if (options->granule_bytes == 0) options->granule_bytes = DEFAULT_GRANULE_BYTES;
    if (options->limit_bytes > options->device_bytes)
        return wi_fail(WEIR_E_ARG, where, "limit of %llu bytes is above the device's %llu",
                       (unsigned long long)options->limit_bytes,
                       (unsigned long long)options->device_bytes);
    return WEIR_OK;
}

weir_status weir_replay_create(const char *strategy, const weir_replay_options *options,
                               weir_replay **out)
{
    static const char where[] = "weir_replay_create";
    const wi_strategy *row = strategy != NULL ? wi_strategy_find(strategy) : wi_strategy_default();
    wi_root_source source = {.acquire = acquire, .release = release, .available = available};
    wi_arena_options arena_options = {0};
    weir_replay_options read;
    weir_replay *replay = NULL;
    weir_status status;

    if (out == NULL) return wi_fail(WEIR_E_ARG, where, "out is required");
    *out = NULL;
    if (row == NULL) return wi_fail(WEIR_E_ARG, where, "no strategy is named '%.40s'", strategy);
    status = read_options(options, &read);
    if (status != WEIR_OK) return status;

    replay = wi_calloc(1, sizeof *replay);
    if (replay == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, where, "%zu bytes", sizeof *replay);
        goto done;
    }
    replay->device_bytes = read.device_bytes;
    replay->has_limit = read.limit_bytes != 0;
    replay->limit_bytes =
        replay->has_limit ? read.limit_bytes : wi_strategy_default_limit(row, read.device_bytes);
    if (read.max_alloc_bytes < replay->limit_bytes / ROOTS_MOST) {
        status = wi_fail(WEIR_E_ARG, where,
                         "largest buffer of %llu bytes is below 1/%u of the limit of %llu",
                         (unsigned long long)read.max_alloc_bytes, ROOTS_MOST,
                         (unsigned long long)replay->limit_bytes);
        goto done;
    }
    source.user = replay;
    if (!read.is_fixed) {
        source.begin_moves = begin_moves;
        source.end_moves = end_moves;
        source.move = move;
    }
    arena_options.granule_bytes = read.granule_bytes;
    arena_options.max_root_bytes = read.max_alloc_bytes;
    arena_options.total_bytes = read.device_bytes;
    arena_options.has_limit = replay->has_limit;
    status = wi_arena_create(row, &arena_options, &source, &replay->arena);
    if (status != WEIR_OK) goto done;
    *out = replay;
    replay = NULL;
done:
    weir_replay_destroy(replay);
    return status;
}

void weir_replay_destroy(weir_replay *replay)
{
    if (replay == NULL) return;
    wi_arena_destroy(replay->arena);
    wi_free(replay);
}

weir_status weir_replay_alloc(weir_replay *replay, uint64_t bytes, weir_replay_block **out)
{
    wi_range *range = NULL;
    weir_oom_cause cause;
    weir_status status;

    if (out == NULL) return wi_fail(WEIR_E_ARG, "weir_replay_alloc", "out is required");
    *out = NULL;
    if (replay == NULL) return wi_fail(WEIR_E_ARG, "weir_replay_alloc", "a replay is required");
    status = wi_arena_alloc(replay->arena, bytes, &range, &cause);
    if (status == WEIR_E_OUT_OF_MEMORY) {
        replay->oom_count++;
        replay->cause = cause;
    }
    if (status != WEIR_OK) return status;
    if (replay->arena->requested_bytes > replay->peak_requested_bytes)
        replay->peak_requested_bytes = replay->arena->requested_bytes;
    if (replay->arena->in_use_bytes > replay->peak_in_use_bytes)
        replay->peak_in_use_bytes = replay->arena->in_use_bytes;
    *out = (weir_replay_block *)range;
    return WEIR_OK;
}

void weir_replay_free(weir_replay *replay, weir_replay_block *block)
{
    wi_range *range = (wi_range *)block;

    if (block == NULL) return;
    if (replay == NULL || wi_range_get_placement(range).root != replay) {
        (void)wi_fail(WEIR_E_ARG, "weir_replay_free", "the block is of another replay");
        return;
    }
    wi_arena_free(replay->arena, range);
}

void weir_replay_trim(weir_replay *replay, uint64_t keep_bytes)
{
    wi_arena_trim(replay->arena, keep_bytes);
}

void weir_replay_get_stats(const weir_replay *replay, weir_replay_stats *out)
{
    const wi_arena *arena = replay->arena;

    assert(arena->reserved_bytes == replay->held_bytes);
    *out = (weir_replay_stats){
        .requested_bytes = arena->requested_bytes,
        .in_use_bytes = arena->in_use_bytes,
        .reserved_bytes = arena->reserved_bytes,
        .peak_requested_bytes = replay->peak_requested_bytes,
        .peak_in_use_bytes = replay->peak_in_use_bytes,
        .peak_reserved_bytes = replay->peak_reserved_bytes,
        .limit_bytes = replay->limit_bytes,
        .driver_allocs = arena->acquired_count,
        .driver_frees = arena->released_count,
        .oom_count = replay->oom_count,
        .compactions = arena->compactions,
        .moved_bytes = arena->moved_bytes,
    };
}

weir_oom_cause weir_replay_get_cause(const weir_replay *replay) { return replay->cause; }

void weir_replay_reset_peak(weir_replay *replay)
{
    replay->peak_requested_bytes = replay->arena->requested_bytes;
    replay->peak_in_use_bytes = replay->arena->in_use_bytes;
    replay->peak_reserved_bytes = replay->arena->reserved_bytes;
}
