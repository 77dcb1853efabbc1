/* Guards and patterns of blocks, block objects kept after their release, and checks of the pool's books.
 *
 * A guarded block lies between two guards in its range of the arena:
 *
 *   range:  | guard_bytes | requested_bytes | the rest, at least guard_bytes |
 *
 * so moving the range moves the guards. Guards are written by commands of the block's queue before the block is handed
 * out, and read back when its last owner has gone, which waits for all commands on it.
 */
#include "mem/debug.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/status.h"
#include "mem/block.h"
#include "mem/oom.h"
#include "mem/pool_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GUARD_BYTE 0xfd    /* around blocks */
#define FRESH_BYTE 0xa5    /* in a block that nothing has written yet */
#define RELEASED_BYTE 0xdd /* where a block was */

#define KEPT_MAX 65536   /* released block objects */
#define CHECK_EVERY 1024 /* allocations and releases */
#define CHUNK_BYTES 512  /* of a guard read at once */

int wi_debug_init(wi_debug *debug) { return pthread_mutex_init(&debug->lock, NULL) == 0; }

void wi_debug_open(wi_debug *debug, unsigned level, uint64_t granule_bytes)
{
    debug->level = level;
    debug->guard_bytes = level >= 2 ? granule_bytes : 0;
}

void wi_debug_fini(wi_debug *debug)
{
    while (debug->oldest != NULL) {
        weir_block *block = debug->oldest;
        debug->oldest = block->next_spare;
        wi_free(block);
    }
    (void)pthread_mutex_destroy(&debug->lock);
}

/* Logs the calling thread's record and keeps it if it is the first; then puts back what the thread had. */
static void note(weir_pool *pool, const weir_error *before)
{
    wi_debug *debug = &pool->debug;
    const weir_error *found = weir_last_error();

    wi_log(WEIR_LOG_ERROR, "%s: %s", found->where, found->message);
    (void)pthread_mutex_lock(&debug->lock);
    if (debug->error.status == WEIR_OK) debug->error = *found;
    (void)pthread_mutex_unlock(&debug->lock);
    wi_error_restore(before);
}

weir_status wi_pool_get_error(weir_pool *pool)
{
    weir_error error;

    (void)pthread_mutex_lock(&pool->debug.lock);
    error = pool->debug.error;
    (void)pthread_mutex_unlock(&pool->debug.lock);
    if (error.status != WEIR_OK) wi_error_restore(&error);
    return error.status;
}

void wi_pool_reset_error(weir_pool *pool)
{
    (void)pthread_mutex_lock(&pool->debug.lock);
    pool->debug.error = (weir_error){0};
    (void)pthread_mutex_unlock(&pool->debug.lock);
}

/* Bytes of the guard behind a block; of a large rest only so many are worth watching. */
static uint64_t back_bytes(const weir_block *block)
{
    const uint64_t guard = block->pool->debug.guard_bytes;
    const uint64_t rest = block->bytes - guard - block->requested_bytes;

    return rest < 2 * guard ? rest : 2 * guard;
}

/* The queue for commands that check a block: the one that wrote it last. *is_held: wi_queues_drop() afterwards. */
static weir_queue *choose_queue(const weir_block *block, int *is_held)
{
    weir_queue *home = wi_block_get_home(block);

    *is_held = wi_queues_try_retain(home);
    return *is_held ? home : &block->pool->options.queues->slots[0];
}

static weir_status fill(const weir_queue *queue, const weir_block *block, uint64_t offset_bytes,
                        uint64_t bytes, unsigned char value)
{
    return wi_queue_fill(queue->queue, block->buffer, offset_bytes, bytes, &value, 1);
}

weir_status wi_debug_begin_block(weir_block *block)
{
    weir_pool *pool = block->pool;
    const uint64_t guard = pool->debug.guard_bytes;
    weir_status status = WEIR_OK;
    weir_queue *queue = NULL;
    int is_held = 0;

    if (block->range == NULL) return WEIR_OK;
    queue = choose_queue(block, &is_held);
    wi_pool_hold(pool);
    status = wi_block_begin_use(block, queue, 1);
    if (status == WEIR_OK)
        status = fill(queue, block, block->offset_bytes - guard, guard, GUARD_BYTE);
    if (status == WEIR_OK)
        status = fill(queue, block, block->offset_bytes, block->requested_bytes, FRESH_BYTE);
    if (status == WEIR_OK)
        status = fill(queue, block, block->offset_bytes + block->requested_bytes, back_bytes(block),
                      GUARD_BYTE);
    if (status == WEIR_OK) wi_block_end_write(block, queue);
    wi_pool_let_go(pool);
    if (is_held) wi_queues_drop(queue);
    block->is_guarded = status == WEIR_OK;
    return status;
}

/* What is wrong in a guard.
 *
 * Invariants: first_bytes is valid if broken_count != 0. */
typedef struct wi_damage {
    uint64_t broken_count;
    uint64_t first_bytes; /* offset of the first wrong byte in the guard */
    unsigned char first;  /* what stands there */
} wi_damage;

/* Reads a guard, which begins `offset_bytes` into the root, and waits for the commands before. */
static weir_status inspect(const weir_queue *queue, const weir_block *block, uint64_t offset_bytes,
                           uint64_t bytes, wi_damage *out)
{
    unsigned char chunk[CHUNK_BYTES];

    *out = (wi_damage){0};
    for (uint64_t at = 0; at < bytes; at += CHUNK_BYTES) {
        const uint64_t size = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;
        weir_status status =
            wi_queue_read(queue->queue, block->buffer, offset_bytes + at, size, chunk);
        if (status != WEIR_OK) return status;
        for (uint64_t i = 0; i < size; i++) {
            if (chunk[i] == GUARD_BYTE) continue;
            if (out->broken_count++ != 0) continue;
            out->first_bytes = at + i;
            out->first = chunk[i];
        }
    }
    return WEIR_OK;
}

static void report_damage(const weir_block *block, const wi_damage *damage, int is_behind)
{
    const uint64_t guard = block->pool->debug.guard_bytes;
    const weir_error before = *weir_last_error();

    (void)wi_fail_hint(
        WEIR_E_MISUSE, "weir_block_release",
        "look for an index past the end in the kernels that write this block, or the one beside it",
        "a block of %" PRIu64 " bytes (%s) was written outside: %" PRIu64
        " bytes %s, the first %" PRIu64 " bytes %s, 0x%02x where 0x%02x was",
        block->requested_bytes, block->owner->label, damage->broken_count,
        is_behind ? "behind it" : "before it",
        is_behind ? damage->first_bytes : guard - damage->first_bytes,
        is_behind ? "after its end" : "before its start", damage->first, GUARD_BYTE);
    note(block->pool, &before);
}

void wi_debug_end_block(weir_block *block)
{
    weir_pool *pool = block->pool;
    const uint64_t guard = pool->debug.guard_bytes;
    const weir_error before = *weir_last_error();
    weir_status status = WEIR_OK;
    wi_damage front = {0};
    wi_damage back = {0};
    weir_queue *queue = NULL;
    int is_held = 0;

    if (!block->is_guarded) return;
    queue = choose_queue(block, &is_held);
    wi_pool_hold(pool);
    status = wi_block_begin_use(block, queue, 1);
    if (status == WEIR_OK)
        status = inspect(queue, block, block->offset_bytes - guard, guard, &front);
    if (status == WEIR_OK) {
        status = inspect(queue, block, block->offset_bytes + block->requested_bytes,
                         back_bytes(block), &back);
    }
    if (status == WEIR_OK) {
        status = fill(queue, block, block->offset_bytes - guard,
                      guard + block->requested_bytes + back_bytes(block), RELEASED_BYTE);
    }
    if (status == WEIR_OK) wi_block_end_write(block, queue);
    wi_pool_let_go(pool);
    if (is_held) wi_queues_drop(queue);
    block->is_guarded = 0;
    if (front.broken_count != 0) report_damage(block, &front, 0);
    if (back.broken_count != 0) report_damage(block, &back, 1);
    if (status != WEIR_OK) {
        wi_log(WEIR_LOG_WARNING, "the guards of a block (%s) could not be checked: %s",
               block->owner->label, weir_last_error()->message);
        wi_error_restore(&before);
    }
}

weir_block *wi_debug_keep(weir_pool *pool, weir_block *block)
{
    wi_debug *debug = &pool->debug;
    weir_block *oldest = debug->oldest;

    if (block->owner != NULL) block->owner->remembered++;
    block->next_spare = NULL;
    if (debug->newest != NULL)
        debug->newest->next_spare = block;
    else
        debug->oldest = block;
    debug->newest = block;
    if (++debug->kept_count <= KEPT_MAX) return NULL;
    debug->oldest = oldest->next_spare;
    debug->kept_count--;
    if (oldest->owner != NULL) oldest->owner->remembered--;
    return oldest;
}

/* Only of objects that are kept the label is known. */
static const char *label_of(const weir_block *block)
{
    if (block->owner != NULL) return block->owner->label;
    return block->requested_bytes == 0 ? "empty" : "its label is known at debug level 3";
}

void wi_debug_report_released(const weir_block *block, const char *where)
{
    const weir_error before = *weir_last_error();

    (void)wi_fail_hint(WEIR_E_MISUSE, where,
                       "retain a block for each part of the program that uses it",
                       "use after release: %s() was called with a block of %" PRIu64
                       " bytes (%s) that its last owner has released",
                       where, block->requested_bytes, label_of(block));
    note(block->pool, &before);
}

weir_status wi_block_check_held(const weir_block *block, const char *where)
{
    return wi_block_is_released(block, where) ? wi_pool_get_error(block->pool) : WEIR_OK;
}

void wi_debug_check_books(weir_pool *pool, const char *when)
{
    const weir_error before = *weir_last_error();
    weir_text *why = NULL;

    /* Without host memory the check is still made, and says less. */
    if (weir_text_create(&why) != WEIR_OK) wi_error_restore(&before);
    if (!wi_pool_check_locked(pool, why)) {
        (void)wi_fail_hint(WEIR_E_MISUSE, when,
                           "the host memory of the library was overwritten, or weir has a mistake: "
                           "please report it",
                           "the books of the pool are wrong: %s", weir_text_get(why));
        note(pool, &before);
    }
    weir_text_destroy(why);
}

void wi_debug_step(weir_pool *pool, weir_status status)
{
    if (++pool->debug.operations % CHECK_EVERY == 0 || status != WEIR_OK)
        wi_debug_check_books(pool, "weir_pool");
}

void wi_debug_close(weir_pool *pool)
{
    weir_oom_report report;
    weir_text *text = NULL;

    wi_debug_check_books(pool, "weir_context_release");
    if (pool->blocks.current == 0 || weir_text_create(&text) != WEIR_OK) return;
    wi_pool_describe(pool, &report);
    weir_text_append(text, "the pool is closed while %" PRIu64 " blocks are held:\n",
                     pool->blocks.current);
    wi_oom_write_owners(&report, pool->in_use.current, pool->blocks.current, text);
    wi_log_text(WEIR_LOG_WARNING, weir_text_get(text));
    weir_text_destroy(text);
}
