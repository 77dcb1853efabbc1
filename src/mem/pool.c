/* The pool of a context: blocks placed by an arena over roots from the driver, counted by owner.
 *
 * One lock guards arena, roots, owners and statistics; the warm path (block.c) takes it once and calls no driver.
 */
#include "mem/pool_state.h"

#include "base/memory.h"
#include "base/status.h"
#include "mem/compact.h"
#include "mem/oom.h"

#include <string.h>

#define GRANULE_BYTES 256 /* the smallest rounding; raised to the device's base alignment */

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
    wi_pool_identity_release(pool->identity);
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

weir_status wi_pool_prepare(weir_pool *pool, const char *owner)
{
    weir_status status = WEIR_OK;

    if (pool->arena == NULL) status = open_arena(pool, owner);
    if (status != WEIR_OK) return status;
    if (pool->roots.first != NULL) wi_roots_reap(&pool->roots);
    return wi_pool_reserve_block_object(pool);
}

/* Records that no room was found, with the numbers. */
static weir_status fail_room(weir_pool *pool, uint64_t bytes, const wi_place *place)
{
    weir_oom_report report;

    pool->oom_count++;
    wi_pool_describe(pool, &report);
    report.requested_bytes = bytes;
    report.cause = place->cause;
    return wi_oom_fail(&report, place->owner->label, wi_device_get_traits(pool->options.device),
                       wi_pool_reserved_by_others(pool));
}

/* Other threads may take other labels meanwhile; that of the request stays, though it may have no block. */
static int ask_others(weir_pool *pool, uint64_t bytes, wi_owner *owner)
{
    int gave = 0;

    owner->remembered++;
    gave = wi_pool_ask_others(pool, bytes);
    owner->remembered--;
    return gave;
}

weir_status wi_pool_insist(weir_pool *pool, uint64_t bytes, const char *owner, wi_place *place,
                           weir_status status)
{
    while (status == WEIR_E_OUT_OF_MEMORY && place->cause != WEIR_OOM_MAX_ALLOC &&
           ask_others(pool, bytes, place->owner))
        status = wi_pool_find_place(pool, bytes, owner, place);
    return status == WEIR_E_OUT_OF_MEMORY ? fail_room(pool, bytes, place) : status;
}

weir_status wi_pool_refuse(const weir_pool *pool, const weir_queue *queue)
{
    if (queue->set != pool->options.queues) {
        return wi_fail(WEIR_E_CONTEXT, "weir_pool_alloc",
                       "pool and queue belong to different contexts");
    }
    return wi_pool_check_process(pool, "weir_pool_alloc");
}

weir_status wi_pool_check_process(const weir_pool *pool, const char *where)
{
    if (wi_process_is_marked(pool->mark)) return WEIR_OK;
    return wi_fail(WEIR_E_FORKED, where, "the pool belongs to the process that forked this one");
}

void wi_pool_retain_parent(weir_pool *pool)
{
    if (pool->options.retain_parent != NULL) pool->options.retain_parent(pool->options.parent);
}

void wi_pool_release_parent(weir_pool *pool)
{
    if (pool->options.release_parent != NULL) pool->options.release_parent(pool->options.parent);
}

uint64_t wi_pool_drain(weir_pool *pool)
{
    uint64_t sequences[WEIR_QUEUES_MAX];

    if (pool->roots.first == NULL) return 0;
    memcpy(sequences, pool->roots.last->sequences, sizeof sequences);
    wi_pool_unlock(pool);
    wi_queues_wait_past(pool->options.queues, sequences);
    wi_pool_lock(pool);
    return wi_roots_forget_past(&pool->roots, sequences);
}

weir_status weir_pool_trim(weir_pool *pool, uint64_t keep_bytes)
{
    weir_status status = WEIR_OK;

    if (pool == NULL) return wi_fail(WEIR_E_ARG, "weir_pool_trim", "pool is required");
    status = wi_pool_check_process(pool, "weir_pool_trim");
    if (status != WEIR_OK) return status;
    wi_pool_lock(pool);
    if (pool->arena != NULL) wi_arena_trim(pool->arena, keep_bytes);
    (void)wi_pool_drain(pool);
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
