/* What `adaptive` reserves, asks and moves on made traces with shapes that vary, beside its models. */
#include "arena_traces.h"

#include <weir/replay.h>

#include <criterion/criterion.h>

#include <stdlib.h>

TestSuite(arena_figures, .timeout = 120);

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* The most that is reserved, by bytes alive at most: with blocks that move, and without. A pool of a few MiB cannot hold
 * less than the smallest roots. Nothing but random sizes and lifetimes together takes more than a tenth. */
static const struct figure {
    const char *name;
    double moving, fixed;
} figures[] = {
    {"training", 1.04, 1.05},   {"training, small", 1.01, 1.06}, {"inference", 1.06, 1.10},
    {"pictures", 1.03, 1.03},   {"mix, tiny", 2.0, 2.0},         {"mix, small", 1.35, 1.60},
    {"mix, large", 1.16, 1.28}, {"turns", 1.15, 1.15},
};

/* Plays a trace. *before: what the live blocks took. */
static weir_replay_stats play(const made_trace *trace, const char *strategy, int is_fixed,
                              uint64_t limit, weir_replay_stats *before)
{
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay_block **blocks = calloc(trace->slot_count, sizeof *blocks);
    weir_replay_stats stats;
    weir_replay *replay = NULL;

    cr_assert_not_null(blocks);
    options.device_bytes = 64 * GIB;
    options.max_alloc_bytes = 16 * GIB;
    options.limit_bytes = limit;
    options.is_fixed = is_fixed;
    cr_assert_eq(weir_replay_create(strategy, &options, &replay), WEIR_OK);
    for (size_t i = 0; i < trace->count; ++i) {
        weir_replay_block **block = &blocks[trace->steps[i].slot];

        if (i == trace->live_count) weir_replay_get_stats(replay, before);
        if (trace->steps[i].bytes == 0) {
            weir_replay_free(replay, *block);
            *block = NULL;
        } else {
            (void)!weir_replay_alloc(replay, trace->steps[i].bytes, block);
        }
    }
    weir_replay_get_stats(replay, &stats);
    weir_replay_destroy(replay);
    free(blocks);
    return stats;
}

static void assert_figures(const made_trace *trace, int is_fixed, double most)
{
    weir_replay_stats before;
    const weir_replay_stats stats = play(trace, "adaptive", is_fixed, 0, &before);
    const uint64_t calls = stats.driver_allocs - before.driver_allocs;

    cr_assert_leq((double)stats.peak_reserved_bytes, most * (double)trace->peak_bytes,
                  "%s: %.4f times what lives at most", trace->name,
                  (double)stats.peak_reserved_bytes / (double)trace->peak_bytes);
    cr_assert_leq(calls * 20, trace->alloc_count, "%s: %llu buffers for %llu blocks", trace->name,
                  (unsigned long long)calls, (unsigned long long)trace->alloc_count);
    cr_assert_leq(stats.moved_bytes, trace->alloc_bytes / 10, "%s: %llu bytes moved", trace->name,
                  (unsigned long long)stats.moved_bytes);
    cr_assert_eq(stats.oom_count, 0U);
    if (is_fixed) cr_assert_eq(stats.moved_bytes, 0U);
}

Test(arena_figures, hold_on_made_traces)
{
    made_trace trace;

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; ++i) {
        cr_assert(made_trace_make(&trace, (unsigned)i));
        cr_assert_str_eq(trace.name, figures[i].name);
        assert_figures(&trace, 0, figures[i].moving);
        assert_figures(&trace, 1, figures[i].fixed);
        made_trace_free(&trace);
    }
}

Test(arena_figures, are_better_than_those_of_pools_that_keep_what_they_have)
{
    static const char *const others[] = {"growth", "ondemand"};
    made_trace trace;

    for (unsigned i = 0; made_trace_make(&trace, i); ++i) {
        weir_replay_stats before;
        const weir_replay_stats stats = play(&trace, "adaptive", 1, 0, &before);

        for (size_t k = 0; k < 2; ++k)
            cr_assert_leq(stats.peak_reserved_bytes,
                          play(&trace, others[k], 1, 0, &before).peak_reserved_bytes,
                          "%s: %s reserves less", trace.name, others[k]);
        made_trace_free(&trace);
    }
}

Test(arena_figures, keep_nothing_useless_of_a_small_pool)
{
    made_trace trace;

    for (unsigned i = 0; made_trace_make(&trace, i); ++i) {
        weir_replay_stats before;
        weir_replay_stats stats;

        if (trace.peak_bytes < 4 * MIB) {
            stats = play(&trace, "adaptive", 0, 0, &before);
            cr_assert_leq(stats.peak_reserved_bytes, trace.peak_bytes + 2 * MIB, "%s", trace.name);
            cr_assert_leq(stats.driver_allocs, 2U, "%s", trace.name);
        }
        made_trace_free(&trace);
    }
}

/* At a limit a little above what lives, moving blocks meets requests that fail otherwise. */
Test(arena_figures, meet_requests_at_a_tight_limit)
{
    static const unsigned traces[] = {0, 2, 6}; /* training, inference, mix, large */
    made_trace trace;

    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; ++i) {
        weir_replay_stats before;
        uint64_t limit;

        cr_assert(made_trace_make(&trace, traces[i]));
        limit = trace.peak_bytes / 100 * 110;
        cr_assert_eq(play(&trace, "adaptive", 0, limit, &before).oom_count, 0U, "%s", trace.name);
        if (i == 2) cr_assert_gt(play(&trace, "adaptive", 1, limit, &before).oom_count, 0U);
        made_trace_free(&trace);
    }
}

/* Takes and frees blocks of any size up to a share of the limit, in no order, always as many bytes as fit into `percent` of
 * it. Returns how many of a thousand requests fail. */
static unsigned refused_at(uint64_t limit, uint64_t size_share, unsigned percent)
{
    enum { COUNT = 20000, LIVE_MOST = 4000 };
    static weir_replay_block *blocks[LIVE_MOST];
    static uint64_t bytes[LIVE_MOST];
    weir_replay_options options = WEIR_REPLAY_OPTIONS_INIT;
    weir_replay_stats stats;
    weir_replay *replay = NULL;
    uint64_t random = 88172645463325252u;
    uint64_t live = 0;
    size_t held = 0;

    options.limit_bytes = limit;
    cr_assert_eq(weir_replay_create("adaptive", &options, &replay), WEIR_OK);
    for (unsigned i = 0; i < COUNT; ++i) {
        uint64_t wanted;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        wanted = 1 + (random >> 20) % (limit / size_share);
        wanted = (wanted + 255) / 256 * 256;
        while (held > 0 && (live + wanted > limit / 100 * percent || held == LIVE_MOST)) {
            size_t gone;

            random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
            gone = (size_t)((random >> 20) % held);
            weir_replay_free(replay, blocks[gone]);
            live -= bytes[gone];
            blocks[gone] = blocks[--held];
            bytes[gone] = bytes[held];
        }
        if (weir_replay_alloc(replay, wanted, &blocks[held]) != WEIR_OK) continue;
        bytes[held++] = wanted;
        live += wanted;
    }
    weir_replay_get_stats(replay, &stats);
    cr_assert_leq(stats.peak_reserved_bytes, limit);
    weir_replay_destroy(replay);
    return (unsigned)(stats.oom_count * 1000 / COUNT);
}

/* However small the limit: while a twentieth of it is free beside the request, blocks are moved until it fits. Blocks as
 * large as the free twentieth leave no place to move others to; hence those few. */
Test(arena_figures, meet_requests_of_any_size_at_any_limit)
{
    static const struct {
        uint64_t size_share; /* blocks up to limit / size_share */
        unsigned percent, refused_most;
    } rows[] = {{128, 95, 0}, {64, 95, 0}, {16, 90, 5}, {16, 95, 15}};

    for (uint64_t limit = MIB; limit <= 256 * MIB; limit *= 4) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
            const unsigned refused = refused_at(limit, rows[i].size_share, rows[i].percent);

            cr_assert_leq(refused, rows[i].refused_most,
                          "%llu MiB, up to 1/%llu, %u %% alive: %u of 1000 requests fail",
                          (unsigned long long)(limit / MIB), (unsigned long long)rows[i].size_share,
                          rows[i].percent, refused);
        }
    }
}
