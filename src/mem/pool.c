/* The pool of a context: blocks placed by an arena over roots from the driver, counted by owner.
 *
 * One lock guards arena, roots, owners and statistics; the warm path takes it once and calls no driver. A released block
 * may be handed out again at once: commands run in order on a queue, and another queue that gets the bytes waits
 * (pending.h), so whoever uses them next does so after everybody who used them before. Block objects are recycled through a free list.
 */
#include "mem/pool_state.h"

#include "base/memory.h"
#include "base/status.h"
#include "mem/block.h"
#include "mem/compact.h"
#include "mem/counter.h"
#include "mem/oom.h"

#include <string.h>

#define SPARE_BLOCKS_MAX 4096 /* block objects kept for reuse */
#define GRANULE_BYTES 256     /* the smallest rounding; raised to the device's base alignment */

static int init_locks(weir_pool *pool)
{
    if (!wi_gate_init(&pool->gate)) return 0;
    if (pthread_mutex_init(&pool->lock, NULL) == 0) {
        if (wi_debug_init(&pool->debug)) return 1;
        (void)pthread_mutex_destroy(&pool->lock);
    }
    wi_gate_fini(&pool->gate);
    return 0;
}

weir_status wi_pool_create(const wi_pool_options *options, weir_pool **out)
{
    weir_status status = WEIR_OK;
    weir_pool *pool = NULL;

    *out = NULL;
    pool = wi_calloc(1, sizeof *pool);
    if (pool == NULL || !init_locks(pool)) {
        wi_free(pool);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_context_create", "%zu host bytes for a pool",
                       sizeof *pool);
    }
    pool->options = *options;
    pool->mark = wi_process_mark_create();
    if (pool->mark == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_context_create", "no host memory for a pool");
        goto done;
    }
    status = wi_queue_create(options->context, wi_device_get_cl_device(options->device),
                             &pool->touch_queue);
    if (status != WEIR_OK) goto done;
    pool->roots.pool = pool;
    pool->roots.context = options->context;
    pool->roots.queues = options->queues;
    pool->roots.touch_queue = pool->touch_queue;
    pool->roots.budget = wi_device_get_budget(options->device);
    wi_pool_join(pool);

    *out = pool;
    pool = NULL;
done:
    wi_pool_destroy(pool);
    return status;
}

void wi_pool_destroy(weir_pool *pool)
{
    if (pool == NULL) return;
    wi_pool_leave(pool);
    if (pool->debug.level != 0) wi_debug_close(pool);
    wi_arena_destroy(pool->arena);
    (void)wi_roots_drain(&pool->roots);
    wi_queue_destroy(pool->touch_queue);
    wi_debug_fini(&pool->debug);
    wi_owners_fini(&pool->owners);
    wi_scopes_fini(&pool->scopes);
    while (pool->spare_blocks != NULL) {
        weir_block *block = pool->spare_blocks;
        pool->spare_blocks = block->next_spare;
        wi_free(block);
    }
    wi_process_mark_destroy(pool->mark);
    wi_gate_fini(&pool->gate);
    (void)pthread_mutex_destroy(&pool->lock);
    wi_free(pool);
}

uint64_t wi_pool_get_align_bytes(const weir_pool *pool)
{
    const uint64_t own = wi_device_get_traits(pool->options.device)->base_align_bytes;

    return own > pool->options.align_bytes ? own : pool->options.align_bytes;
}

/* Makes the arena with the strategy in force, which freezes. Needs the lock. */
static weir_status open_arena(weir_pool *pool, const char *owner)
{
    weir_device *device = pool->options.device;
    const wi_device_traits *traits = wi_device_get_traits(device);
    wi_root_source source = wi_roots_source(&pool->roots);
    wi_arena_options options = {0};
    weir_status status = wi_device_freeze(device, owner);

    if (status != WEIR_OK) return status;
    wi_compact_add(pool, &source);
    options.granule_bytes = wi_pool_get_align_bytes(pool);
    if (options.granule_bytes < GRANULE_BYTES) options.granule_bytes = GRANULE_BYTES;
    wi_debug_open(&pool->debug, wi_device_get_debug_level(device), options.granule_bytes);
    options.max_root_bytes = traits->max_alloc_bytes;
    options.total_bytes = traits->global_bytes;
    options.has_limit = 1; /* the device's budget: set by the user, or the strategy's own */
    return wi_arena_create(wi_device_get_strategy_row(device), &options, &source, &pool->arena);
}

/* Field by field: what compilers make of a memset() of this size takes longer than the rest of a warm request. */
static void clear(weir_block *block)
{
    block->range = NULL;
    block->foreign = NULL;
    atomic_init(&block->pins, 0);
    block->buffer = NULL;
    block->root_serial = 0;
    block->offset_bytes = 0;
    block->bytes = 0;
    block->requested_bytes = 0;
    block->owner = NULL;
    block->next_spare = NULL;
    atomic_init(&block->users, 0);
    atomic_init(&block->written, 0);
    block->is_guarded = 0;
}

weir_status wi_pool_take_block_object(weir_pool *pool, weir_block **out)
{
    weir_block *block = pool->spare_blocks;
    if (block != NULL) {
        pool->spare_blocks = block->next_spare;
        pool->spare_count--;
        clear(block);
    } else {
        block = wi_calloc(1, sizeof *block);
    }
    *out = block;
    if (block == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_pool_alloc", "%zu host bytes for a block",
                       sizeof *block);
    }
    block->pool = pool;
    atomic_init(&block->owners, 1);
    return WEIR_OK;
}

void wi_pool_put_block_object(weir_pool *pool, weir_block *block)
{
    if (block == NULL) return;
    atomic_store_explicit(&block->owners, 0, memory_order_relaxed);
    if (wi_debug_keeps(&pool->debug)) block = wi_debug_keep(pool, block);
    if (block == NULL) return;
    if (pool->spare_count == SPARE_BLOCKS_MAX) {
        wi_free(block);
        return;
    }
    block->next_spare = pool->spare_blocks;
    pool->spare_blocks = block;
    pool->spare_count++;
}

/* Places a block that is not empty. Needs the lock, which is let go while other pools are asked.
 * before   set to who may still use its bytes */
static weir_status place(weir_pool *pool, uint64_t bytes, const char *owner, weir_block *block,
                         wi_uses *before)
{
    weir_status status = WEIR_OK;
    weir_oom_cause cause = WEIR_OOM_NONE;
    wi_placement placement;
    const wi_owner_path *path = NULL;
    wi_owner *entry = NULL;

    do {
        path = pool->scopes.first != NULL ? wi_scopes_path(&pool->scopes) : NULL;
        entry = wi_owners_find(&pool->owners, path, owner);
        if (entry == NULL) {
            return wi_fail(WEIR_E_HOST_MEMORY, "weir_pool_alloc", "no host memory for owner %s",
                           owner);
        }
        if (pool->arena == NULL) {
            status = open_arena(pool, owner);
            if (status != WEIR_OK) return status;
        }
        if (pool->roots.first != NULL) wi_roots_reap(&pool->roots);
        status = wi_arena_alloc(pool->arena, wi_debug_pad(&pool->debug, bytes), &placement, &cause);
    } while (status == WEIR_E_OUT_OF_MEMORY && cause != WEIR_OOM_MAX_ALLOC &&
             wi_pool_ask_others(pool, bytes));
    if (status == WEIR_E_OUT_OF_MEMORY) {
        weir_oom_report report;
        pool->oom_count++;
        wi_pool_describe(pool, &report);
        report.requested_bytes = bytes;
        report.cause = cause;
        return wi_oom_fail(&report, entry->label, wi_device_get_traits(pool->options.device),
                           wi_pool_reserved_by_others(pool));
    }
    if (status != WEIR_OK) return status;

    wi_arena_set_holder(placement.range, block);
    block->range = placement.range;
    wi_block_place(block, placement.root, placement.offset_bytes);
    block->bytes = placement.bytes;
    block->requested_bytes = bytes;
    block->owner = entry;
    wi_owner_add(entry, block->bytes);
    *before = placement.uses;
    wi_counter_add(&pool->requested, bytes);
    wi_counter_add(&pool->in_use, block->bytes);
    wi_counter_add(&pool->blocks, 1);
    return WEIR_OK;
}

weir_status wi_pool_check_process(const weir_pool *pool, const char *where)
{
    if (wi_process_is_marked(pool->mark)) return WEIR_OK;
    return wi_fail(WEIR_E_FORKED, where, "the pool belongs to the process that forked this one");
}

/* Has the block's queue wait for others that may still use its bytes; without that, the block goes. */
static weir_status take_over(weir_block *block, const wi_uses *before)
{
    weir_status status = WEIR_OK;

    wi_pool_hold(block->pool);
    status = wi_block_take_over(block, before);
    wi_pool_let_go(block->pool);
    if (status != WEIR_OK) weir_block_release(block);
    return status;
}

weir_status weir_pool_alloc(weir_pool *pool, weir_queue *queue, uint64_t bytes, const char *owner,
                            weir_block **out)
{
    weir_status status = WEIR_OK;
    weir_block *block = NULL;
    wi_uses before = {0};
    int is_first = 0;
    unsigned level = 0;

    if (out != NULL) *out = NULL;
    if (pool == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_pool_alloc", "pool and out are required");
    }
    if (queue == NULL) queue = &pool->options.queues->slots[0];
    if (queue->set != pool->options.queues) {
        return wi_fail(WEIR_E_CONTEXT, "weir_pool_alloc",
                       "pool and queue belong to different contexts");
    }
    status = wi_pool_check_process(pool, "weir_pool_alloc");
    if (status != WEIR_OK) return status;
    wi_pool_lock(pool);
    status = wi_pool_take_block_object(pool, &block);
    if (status == WEIR_OK && bytes != 0) {
        status = place(pool, bytes, owner != NULL ? owner : "user", block, &before);
    }
    if (status == WEIR_OK) wi_block_begin_life(block, queue, &before);
    if (status != WEIR_OK) {
        wi_pool_put_block_object(pool, block);
        block = NULL;
    }
    is_first = block != NULL && pool->held_blocks++ == 0;
    level = pool->debug.level;
    if (level != 0) wi_debug_step(pool, status);
    wi_pool_unlock(pool);
    if (is_first) wi_pool_retain_parent(pool);
    if (block != NULL && (before.queues & ~(UINT32_C(1) << queue->index)) != 0) {
        status = take_over(block, &before);
        if (status != WEIR_OK) block = NULL;
    }
    if (level >= 2 && block != NULL) {
        status = wi_debug_begin_block(block);
        if (status != WEIR_OK) {
            weir_block_release(block);
            block = NULL;
        }
    }
    *out = block;
    return status;
}

void wi_pool_retain_parent(weir_pool *pool)
{
    if (pool->options.retain_parent != NULL) pool->options.retain_parent(pool->options.parent);
}

weir_block *weir_block_retain(weir_block *block)
{
    if (block == NULL || wi_block_is_released(block, "weir_block_retain")) return block;
    atomic_fetch_add_explicit(&block->owners, 1, memory_order_relaxed);
    return block;
}

void weir_block_release(weir_block *block)
{
    weir_pool *pool = NULL;
    void *parent = NULL;
    void (*release_parent)(void *) = NULL;
    wi_uses uses;
    int is_last = 0;

    if (block == NULL || wi_block_is_released(block, "weir_block_release")) return;
    /* The only owner has nobody to race with: an owner is needed to make another. */
    if (atomic_load_explicit(&block->owners, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&block->owners, 1, memory_order_acq_rel) != 1)
        return;
    pool = block->pool;
    /* A forked child leaves it, and with it the context: the lock may be held for good, and roots are the parent's. */
    if (!wi_process_is_marked(pool->mark)) return;
    parent = pool->options.parent;
    release_parent = pool->options.release_parent;
    if (block->is_guarded) wi_debug_end_block(block);
    wi_pool_lock(pool);
    if (block->range != NULL) {
        wi_owner_remove(block->owner, block->bytes);
        pool->requested.current -= block->requested_bytes;
        pool->in_use.current -= block->bytes;
        pool->blocks.current--;
        uses = wi_block_get_uses(block);
        wi_arena_set_uses(block->range, &uses);
        wi_arena_free(pool->arena, block->range);
    }
    if (block->foreign != NULL) wi_roots_give_back(&pool->roots, block->foreign);
    wi_pool_put_block_object(pool, block);
    is_last = --pool->held_blocks == 0;
    if (pool->debug.level != 0) wi_debug_step(pool, WEIR_OK);
    wi_pool_unlock(pool);
    if (is_last && release_parent != NULL) release_parent(parent);
}

void wi_block_relabel(weir_block *block, const char *owner)
{
    weir_pool *pool = block->pool;
    wi_owner_path path;
    wi_owner *entry = NULL;

    if (block->range == NULL) return;
    wi_pool_lock(pool);
    entry =
        wi_owners_find(&pool->owners, wi_owner_path_of(block->owner, &path) ? &path : NULL, owner);
    if (entry != NULL) {
        wi_owners_move(&pool->owners, block->owner, entry, block->bytes);
        block->owner = entry;
    }
    wi_pool_unlock(pool);
}

uint64_t weir_block_get_bytes(const weir_block *block)
{
    if (block == NULL || wi_block_is_released(block, "weir_block_get_bytes")) return 0;
    return block->requested_bytes;
}

/* A forked child may find the pool's gate closed for good, and its blocks stay where they were. */
static int begin_look(const weir_block *block)
{
    const int holds = wi_process_is_marked(block->pool->mark);

    if (holds) wi_pool_hold(block->pool);
    return holds;
}

uint64_t weir_block_get_offset_bytes(const weir_block *block)
{
    uint64_t offset_bytes = 0;
    int holds = 0;

    if (block == NULL || wi_block_is_released(block, "weir_block_get_offset_bytes")) return 0;
    holds = begin_look(block);
    offset_bytes = block->offset_bytes;
    if (holds) wi_pool_let_go(block->pool);
    return offset_bytes;
}

uint64_t weir_block_get_root(const weir_block *block)
{
    uint64_t root = 0;
    int holds = 0;

    if (block == NULL || wi_block_is_released(block, "weir_block_get_root")) return 0;
    holds = begin_look(block);
    root = block->root_serial;
    if (holds) wi_pool_let_go(block->pool);
    return root;
}

cl_mem wi_block_get_buffer(const weir_block *block) { return block->buffer; }

uint64_t wi_block_get_offset_bytes(const weir_block *block) { return block->offset_bytes; }

weir_pool *wi_block_get_pool(const weir_block *block) { return block->pool; }

uint64_t wi_block_get_owners(const weir_block *block)
{
    return atomic_load_explicit(&block->owners, memory_order_acquire);
}

weir_status weir_pool_trim(weir_pool *pool, uint64_t keep_bytes)
{
    weir_status status = WEIR_OK;

    if (pool == NULL) return wi_fail(WEIR_E_ARG, "weir_pool_trim", "pool is required");
    status = wi_pool_check_process(pool, "weir_pool_trim");
    if (status != WEIR_OK) return status;
    wi_pool_lock(pool);
    if (pool->arena != NULL) wi_arena_trim(pool->arena, keep_bytes);
    (void)wi_roots_drain(&pool->roots);
    if (pool->debug.level != 0) wi_debug_check_books(pool, "weir_pool_trim");
    wi_pool_unlock(pool);
    return WEIR_OK;
}

void wi_pool_reap(weir_pool *pool)
{
    wi_pool_lock(pool);
    wi_roots_reap(&pool->roots);
    wi_pool_unlock(pool);
}
