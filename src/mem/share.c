/* Sharing a device's limit with its other pools: what one keeps free can be what another lacks.
 *
 * A pool that finds no room lets go of its own lock and asks the others, each under its own; so no thread ever holds
 * the locks of two pools, and pools may ask each other at the same time. Whoever asked tries again from the start,
 * for meanwhile its own pool may have changed, too. Every turn ends with roots given back or with a failure.
 */
#include "mem/pool_state.h"

static uint64_t lend(void *user, uint64_t bytes)
{
    weir_pool *pool = user;
    uint64_t before = 0;
    uint64_t given = 0;

    wi_pool_lock(pool);
    before = pool->roots.reserved.current;
    if (pool->arena != NULL) (void)wi_arena_lend(pool->arena, bytes);
    given = before - pool->roots.reserved.current;
    given += wi_pool_drain(pool);
    wi_pool_unlock(pool);
    return given;
}

void wi_pool_join(weir_pool *pool)
{
    pool->lender.lend = lend;
    pool->lender.user = pool;
    wi_lenders_join(wi_device_get_lenders(pool->options.device), &pool->lender);
}

void wi_pool_leave(weir_pool *pool)
{
    wi_lenders_leave(wi_device_get_lenders(pool->options.device), &pool->lender);
}

int wi_pool_ask_others(weir_pool *pool, uint64_t bytes)
{
    const uint64_t available = wi_budget_available(wi_device_get_budget(pool->options.device));
    const uint64_t lacking = bytes > available ? bytes - available : bytes;
    uint64_t given = 0;

    wi_pool_unlock(pool);
    given = wi_lenders_ask(wi_device_get_lenders(pool->options.device), &pool->lender, lacking);
    wi_pool_lock(pool);
    return given != 0;
}
