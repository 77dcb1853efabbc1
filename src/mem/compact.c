/* Moving blocks to other roots.
 *
 * Enqueuing threads hold the pool's gate from reading where a block is until the driver has taken the command. While the
 * arena moves blocks the gate is closed, so each command was enqueued either before the copy, which waits for it, or knows
 * the new place. The copy is a write of the own queue, so that commands of other queues wait for it (pending.h). No thread
 * waits for a copy: what is enqueued later uses the old place again, or waits for the copy before the old root is released
 * (roots.c).
 *
 * Locking: the pool's lock, then the gate closed, then a queue's lock. Whoever is inside the gate takes and releases
 * nothing of the pool; checked builds assert it.
 */
#include "mem/compact.h"

#include "base/status.h"
#include "mem/block.h"
#include "mem/pool_state.h"
#include "plan/strategy_rules.h"

#include <assert.h>

static int begin_moves(void *user)
{
    wi_roots *roots = user;

    wi_gate_close(&roots->pool->gate);
    return 1;
}

static void end_moves(void *user)
{
    wi_roots *roots = user;

    wi_gate_open(&roots->pool->gate);
}

static int can_move(void *user, const wi_range *range)
{
    weir_block *block = wi_range_get_holder(range);

    (void)user;
    return block != NULL && atomic_load_explicit(&block->pins, memory_order_acquire) == 0;
}

static weir_status move(void *user, wi_range *range, const wi_placement *to)
{
    wi_roots *roots = user;
    weir_block *block = wi_range_get_holder(range);
    const wi_root *root = to->root;
    const weir_error before = *weir_last_error();
    weir_status status = WEIR_OK;
    wi_uses left;

    /* It may have been pinned after the arena asked, before the gate was closed. */
    if (!can_move(user, range)) return WEIR_E_UNSUPPORTED;
    status = wi_block_begin_move(block, &to->uses);
    if (status == WEIR_OK) {
        status = wi_queue_copy(roots->queues->slots[0].queue, block->buffer,
                               block->offset_bytes - roots->pool->debug.guard_bytes, root->buffer,
                               to->offset_bytes, block->bytes);
    }
    if (status != WEIR_OK) {
        wi_error_restore(&before);
        return status;
    }
    wi_block_place(block, root, to->offset_bytes, roots->pool->debug.guard_bytes);
    wi_block_end_move(block, &left);
    wi_arena_set_uses(range, &left);
    return WEIR_OK;
}

void wi_compact_add(weir_pool *pool, wi_root_source *source)
{
    const weir_device *device = pool->options.device;
    const wi_strategy *strategy = wi_device_get_strategy_row(device);

    if (!pool->options.can_move || !wi_device_may_compact(device) ||
        (strategy->failure_steps & WI_STEP_COMPACT) == 0) {
        wi_gate_switch_off(&pool->gate);
        return;
    }
    source->begin_moves = begin_moves;
    source->end_moves = end_moves;
    source->can_move = can_move;
    source->move = move;
}

void wi_pool_hold(weir_pool *pool) { wi_gate_enter(&pool->gate); }

void wi_pool_let_go(weir_pool *pool) { wi_gate_leave(&pool->gate); }

void wi_block_pin(weir_block *block)
{
    wi_pool_hold(block->pool);
    atomic_fetch_add_explicit(&block->pins, 1, memory_order_relaxed);
    wi_pool_let_go(block->pool);
}

void wi_block_unpin(weir_block *block)
{
    uint64_t before = atomic_fetch_sub_explicit(&block->pins, 1, memory_order_release);

    assert(before != 0);
    (void)before;
}
