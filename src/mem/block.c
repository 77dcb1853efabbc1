/* Blocks: taken from a pool, shared, and given back.
 *
 * A released block may be handed out again at once: commands run in order on a queue, and another queue that gets the
 * bytes waits (pending.h), so whoever uses them next does so after everybody who used them before. Block objects are
 * recycled through a free list. A warm pair of calls is what loops of programs consist of: it is to take little more
 * than its two turns with the pool's lock.
 */
#include "mem/block.h"

#include "base/memory.h"
#include "base/status.h"
#include "mem/pool_state.h"

#define SPARE_BLOCKS_MAX 4096 /* block objects kept for reuse */

static inline void keep_spare(weir_pool *pool, weir_block *block)
{
    if (pool->spare_count == SPARE_BLOCKS_MAX) {
        wi_free(block);
        return;
    }
    block->owner = NULL; /* its label may be dropped while the object waits */
    block->next_spare = pool->spare_blocks;
    pool->spare_blocks = block;
    pool->spare_count++;
}

weir_status wi_pool_take_block_object(weir_pool *pool, weir_block **out)
{
    weir_block *block = pool->spare_blocks;

    if (block != NULL) {
        pool->spare_blocks = block->next_spare;
        pool->spare_count--;
        *block = (weir_block){0};
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

weir_status wi_pool_reserve_block_object(weir_pool *pool)
{
    weir_status status = WEIR_OK;
    weir_block *block = NULL;

    if (pool->spare_blocks != NULL) return WEIR_OK;
    status = wi_pool_take_block_object(pool, &block);
    if (status == WEIR_OK) keep_spare(pool, block);
    return status;
}

/* Needs the lock. */
static inline void put_object(weir_pool *pool, weir_block *block)
{
    atomic_store_explicit(&block->owners, 0, memory_order_relaxed);
    if (wi_debug_keeps(&pool->debug)) block = wi_debug_keep(pool, block);
    if (block != NULL) keep_spare(pool, block);
}

void wi_pool_put_block_object(weir_pool *pool, weir_block *block)
{
    if (block != NULL) put_object(pool, block);
}

static inline wi_owner *find_owner(weir_pool *pool, const char *owner)
{
    const wi_owner_path *path = NULL;

    if (pool->scopes.first != NULL) path = wi_scopes_path(&pool->scopes);
    return path == NULL ? wi_owners_find_name(&pool->owners, owner)
                        : wi_owners_find(&pool->owners, path, owner);
}

/* wi_pool_find_place(), with its results apart so that compilers may keep the owner in a register. */
static inline weir_status find_place(weir_pool *pool, uint64_t bytes, const char *name,
                                     wi_owner **owner, wi_range **range, weir_oom_cause *cause)
{
    *owner = find_owner(pool, name);
    if (*owner == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_pool_alloc", "no host memory for owner %s", name);
    }
    if (pool->spare_blocks == NULL || pool->arena == NULL || pool->roots.first != NULL) {
        weir_status status = wi_pool_prepare(pool, name);
        if (status != WEIR_OK) return status;
    }
    return wi_arena_alloc(pool->arena, wi_debug_pad(&pool->debug, bytes), range, cause);
}

weir_status wi_pool_find_place(weir_pool *pool, uint64_t bytes, const char *owner, wi_place *out)
{
    return find_place(pool, bytes, owner, &out->owner, &out->range, &out->cause);
}

/* Makes a spare object the block at a place, and counts it. Needs the lock. */
static inline weir_block *make_block(weir_pool *pool, const weir_queue *queue, uint64_t bytes,
                                     wi_owner *owner, wi_range *range, uint32_t others)
{
    const wi_placement at = wi_range_get_placement(range);
    weir_block *block = pool->spare_blocks;

    pool->spare_blocks = block->next_spare;
    pool->spare_count--;
    atomic_init(&block->owners, 1);
    atomic_init(&block->pins, 0);
    wi_arena_set_holder(range, block);
    block->range = range;
    wi_block_place(block, at.root, at.offset_bytes, pool->debug.guard_bytes);
    block->bytes = at.bytes;
    block->requested_bytes = bytes;
    block->owner = owner;
    wi_block_begin_life(block, queue, others);
    wi_owner_add(owner, at.bytes);
    wi_tally_add(&pool->requested, bytes);
    wi_tally_add(&pool->in_use, at.bytes);
    wi_tally_add(&pool->blocks, 1);
    return block;
}

/* Has the block's queue wait for others that may still use its bytes. */
static weir_status take_over(weir_block *block, const wi_uses *before)
{
    weir_status status = WEIR_OK;

    wi_pool_hold(block->pool);
    status = wi_block_take_over(block, before);
    wi_pool_let_go(block->pool);
    return status;
}

/* What is not often to be done for a new block, without the lock; if that fails, the block goes. */
static weir_status complete(weir_block **block, wi_uses others, int is_first, unsigned level)
{
    weir_status status = WEIR_OK;

    if (is_first) wi_pool_retain_parent((*block)->pool);
    if (others.queues != 0) status = take_over(*block, &others);
    if (status == WEIR_OK && level >= 2) status = wi_debug_begin_block(*block);
    if (status == WEIR_OK) return WEIR_OK;
    weir_block_release(*block);
    *block = NULL;
    return status;
}

static weir_status alloc_empty(weir_pool *pool, const weir_queue *queue, weir_block **out)
{
    int is_first = 0;
    weir_status status = WEIR_OK;

    wi_pool_lock(pool);
    status = wi_pool_take_block_object(pool, out);
    if (status == WEIR_OK) {
        wi_block_begin_life(*out, queue, 0);
        is_first = wi_pool_count_held(pool) == 0;
        pool->uncounted_blocks++;
    }
    if (pool->debug.level != 0) wi_debug_step(pool, status);
    wi_pool_unlock(pool);
    if (is_first) wi_pool_retain_parent(pool);
    return status;
}

/* Lets go of the lock after a request that failed. */
static weir_status give_up(weir_pool *pool, weir_status status)
{
    if (pool->debug.level != 0) wi_debug_step(pool, status);
    wi_pool_unlock(pool);
    return status;
}

weir_status weir_pool_alloc(weir_pool *pool, weir_queue *queue, uint64_t bytes, const char *owner,
                            weir_block **out)
{
    weir_status status = WEIR_OK;
    int is_first = 0;
    unsigned level = 0;
    wi_uses others;
    wi_owner *entry = NULL;
    wi_range *range = NULL;
    weir_oom_cause cause = WEIR_OOM_NONE;

    if (out != NULL) *out = NULL;
    if (pool == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_pool_alloc", "pool and out are required");
    }
    if (queue == NULL) queue = &pool->options.queues->slots[0];
    if (queue->set != pool->options.queues) return wi_pool_refuse(pool, queue);
    if (!wi_process_is_marked(pool->mark)) return wi_pool_refuse(pool, queue);
    if (bytes == 0) return alloc_empty(pool, queue, out);
    if (owner == NULL) owner = "user";
    wi_pool_lock(pool);
    status = find_place(pool, bytes, owner, &entry, &range, &cause);
    if (status != WEIR_OK) {
        wi_place place = {range, entry, cause};
        status = wi_pool_insist(pool, bytes, owner, &place, status);
        if (status != WEIR_OK) return give_up(pool, status);
        range = place.range;
        entry = place.owner;
    }
    others = wi_range_get_placement(range).uses;
    others.queues &= ~(UINT32_C(1) << queue->index);
    *out = make_block(pool, queue, bytes, entry, range, others.queues);
    is_first = wi_pool_count_held(pool) == 1;
    level = pool->debug.level;
    if (level != 0) wi_debug_step(pool, WEIR_OK);
    wi_pool_unlock(pool);
    if (!is_first && level < 2 && others.queues == 0) return WEIR_OK;
    return complete(out, others, is_first, level);
}

weir_block *weir_block_retain(weir_block *block)
{
    if (block == NULL || wi_block_is_released(block, "weir_block_retain")) return block;
    atomic_fetch_add_explicit(&block->owners, 1, memory_order_relaxed);
    return block;
}

/* Gives the range of a block back, and counts it no more. Needs the lock. */
static inline void give_range(weir_pool *pool, weir_block *block)
{
    const wi_uses uses = wi_block_get_uses(block);

    wi_owner_remove(block->owner, block->bytes);
    pool->requested.current -= block->requested_bytes;
    pool->in_use.current -= block->bytes;
    pool->blocks.current--;
    wi_arena_set_uses(block->range, &uses);
    wi_arena_free(pool->arena, block->range);
}

/* The same for a block without a range. */
static void give_uncounted(weir_pool *pool, weir_block *block)
{
    if (block->foreign != NULL) wi_roots_give_back(&pool->roots, block->foreign);
    block->foreign = NULL;
    pool->uncounted_blocks--;
}

/* Drops one of several owners; 1 if it was the last one after all. */
static int drop_owner(weir_block *block)
{
    return !wi_block_is_released(block, "weir_block_release") &&
           atomic_fetch_sub_explicit(&block->owners, 1, memory_order_acq_rel) == 1;
}

void weir_block_release(weir_block *block)
{
    weir_pool *pool = NULL;
    int is_last = 0;

    if (block == NULL) return;
    /* The only owner has nobody to race with: an owner is needed to make another. */
    if (atomic_load_explicit(&block->owners, memory_order_acquire) != 1 && !drop_owner(block))
        return;
    pool = block->pool;
    /* A forked child leaves it, and with it the context: the lock may be held for good, and roots are the parent's. */
    if (!wi_process_is_marked(pool->mark)) return;
    if (block->is_guarded) wi_debug_end_block(block);
    wi_pool_lock(pool);
    if (block->range != NULL)
        give_range(pool, block);
    else
        give_uncounted(pool, block);
    put_object(pool, block);
    is_last = wi_pool_count_held(pool) == 0;
    if (pool->debug.level != 0) wi_debug_step(pool, WEIR_OK);
    wi_pool_unlock(pool);
    if (is_last) wi_pool_release_parent(pool);
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
