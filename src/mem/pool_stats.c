/* What a pool tells of itself: statistics, owners, reports, and the check of its own books. The lock is the pool's. */
#include "mem/pool_state.h"

#include "mem/oom.h"

#include <string.h>

/* The limit in force: what was got, where the driver refused the rest of it for good. */
static uint64_t limit_of(const weir_pool *pool, const wi_arena_stats *stats)
{
    return stats->cut_limit_bytes != 0 ? stats->cut_limit_bytes
                                       : weir_device_get_limit_bytes(pool->options.device);
}

void wi_pool_describe(const weir_pool *pool, weir_oom_report *report)
{
    wi_arena_stats stats = {0};
    if (pool->arena != NULL) wi_arena_get_stats(pool->arena, &stats);
    memset(report, 0, sizeof *report);
    report->in_use_bytes = pool->in_use.current;
    report->reserved_bytes = pool->roots.reserved.current;
    report->limit_bytes = limit_of(pool, &stats);
    report->largest_free_bytes = stats.largest_free_bytes;
    report->owner_count = wi_owners_top(&pool->owners, WEIR_OOM_OWNERS, report->owners);
}

uint64_t wi_pool_reserved_by_others(const weir_pool *pool)
{
    const uint64_t all = wi_budget_get_reserved(wi_device_get_budget(pool->options.device));
    const uint64_t own = pool->roots.reserved.current;

    return all > own ? all - own : 0;
}

/* Takes the lock and returns 1; 0 in a forked child, where a thread that is not there may hold it for good in the
 * middle of a change. */
static int lock_to_read(const weir_pool *pool)
{
    if (!wi_process_is_marked(pool->mark)) return 0;
    wi_pool_lock(pool);
    return 1;
}

static void read_stats(const weir_pool *pool, weir_pool_stats *out)
{
    wi_arena_stats stats = {0};
    if (pool->arena != NULL) wi_arena_get_stats(pool->arena, &stats);
    memset(out, 0, sizeof *out);
    out->requested_bytes = wi_tally_read(&pool->requested, pool->blocks.total);
    out->in_use_bytes = wi_tally_read(&pool->in_use, pool->blocks.total);
    out->reserved_bytes = pool->roots.reserved;
    out->blocks = wi_tally_read(&pool->blocks, pool->blocks.total);
    out->limit_bytes = limit_of(pool, &stats);
    out->driver_allocs = pool->roots.driver_allocs;
    out->driver_frees = pool->roots.driver_frees;
    out->largest_free_bytes = stats.largest_free_bytes;
    out->oom_count = pool->oom_count;
    out->compactions = stats.compactions;
    out->moved_bytes = stats.moved_bytes;
}

void weir_pool_get_stats(const weir_pool *pool, weir_pool_stats *out)
{
    if (out == NULL) return;
    memset(out, 0, sizeof *out);
    if (pool == NULL) return;
    if (!lock_to_read(pool)) return;
    read_stats(pool, out);
    wi_pool_unlock(pool);
}

void weir_pool_reset_peak(weir_pool *pool)
{
    if (pool == NULL || !lock_to_read(pool)) return;
    pool->requested.peak = pool->requested.current;
    pool->in_use.peak = pool->in_use.current;
    pool->roots.reserved.peak = pool->roots.reserved.current;
    pool->blocks.peak = pool->blocks.current;
    wi_owners_reset_peak(&pool->owners);
    wi_pool_unlock(pool);
}

size_t weir_pool_get_owners(const weir_pool *pool, weir_owner_stats *out, size_t capacity)
{
    size_t count = 0;

    if (out == NULL) capacity = 0;
    if (capacity != 0) memset(out, 0, capacity * sizeof *out);
    if (pool == NULL || !lock_to_read(pool)) return 0;
    count = wi_owners_list(&pool->owners, out, capacity);
    wi_pool_unlock(pool);
    return count;
}

void weir_pool_report(const weir_pool *pool, weir_text *text)
{
    weir_pool_stats stats;
    weir_oom_report report;

    if (pool == NULL || text == NULL) return;
    if (!lock_to_read(pool)) {
        weir_text_append(text, "pool: of the process that forked this one\n");
        return;
    }
    read_stats(pool, &stats);
    wi_pool_describe(pool, &report);
    wi_pool_unlock(pool);
    wi_oom_write_stats(&stats, weir_device_get_strategy(pool->options.device), text);
    wi_oom_write_owners(&report, stats.in_use_bytes.current, stats.blocks.current, text);
}

int wi_pool_check_locked(const weir_pool *pool, weir_text *why)
{
    int is_right = 1;
    wi_owners_sum owners = {0};
    uint64_t limit = weir_device_get_limit_bytes(pool->options.device);
    wi_arena_stats stats = {0};

    if (pool->arena != NULL) {
        wi_arena_get_stats(pool->arena, &stats);
        is_right = wi_arena_check(pool->arena, why);
    }
    wi_owners_sum_up(&pool->owners, &owners);
    const struct {
        int holds;
        const char *text;
    } relations[] = {
        {pool->requested.current <= pool->in_use.current, "requested <= in_use"},
        {pool->in_use.current <= pool->roots.reserved.current, "in_use <= reserved"},
        {limit == 0 || pool->roots.reserved.current <= limit, "reserved <= limit"},
        {pool->in_use.current == stats.in_use_bytes, "in_use == arena's in use"},
        {stats.reserved_bytes <= pool->roots.reserved.current, "arena's roots <= reserved"},
        {owners.bytes == pool->in_use.current, "owners' bytes == in_use"},
        {owners.blocks == pool->blocks.current, "owners' blocks == blocks"},
        {owners.total_bytes == pool->in_use.total, "owners' total bytes == in_use's total"},
        {owners.total_blocks == pool->blocks.total, "owners' total blocks == blocks' total"},
        {pool->roots.reserved.count == pool->roots.driver_allocs, "roots == driver_allocs"},
    };
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        if (relations[i].holds) continue;
        is_right = 0;
        weir_text_append(why, "pool: %s does not hold\n", relations[i].text);
    }
    return is_right;
}

int wi_pool_check(const weir_pool *pool, weir_text *why)
{
    int is_right = 0;

    wi_pool_lock(pool);
    is_right = wi_pool_check_locked(pool, why);
    wi_pool_unlock(pool);
    return is_right;
}
