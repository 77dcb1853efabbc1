/* Pending uses of blocks.
 *
 * `users` holds the home's index and a bit for each other queue that used the block, in one word: while it equals the
 * index of the queue at hand there is nothing to do. The bit of a reader is set before its command is enqueued, and
 * whoever looks for readers comes after them by his own means (an owner's count, a lock), so the readers' last numbers,
 * read then, cover what they enqueued.
 */
#include "mem/pending.h"

#include "mem/pool_state.h"

#include <assert.h>

#define HOME_MASK WI_USERS_HOME_MASK
#define BIT_SHIFT WI_USERS_BIT_SHIFT

_Static_assert(WEIR_QUEUES_MAX <= BIT_SHIFT, "a bit a queue above the home");

static uint32_t bit_of(const weir_queue *queue) { return UINT32_C(1) << queue->index; }

static weir_queue *slot_of(const weir_block *block, unsigned index)
{
    return &block->pool->options.queues->slots[index];
}

/* Has a queue wait for the end of commands of each queue of a set but itself. */
static weir_status order_ends(wi_queues *set, weir_queue *queue, const wi_uses *uses)
{
    weir_status status = WEIR_OK;

    for (unsigned i = 0; i < WEIR_QUEUES_MAX && status == WEIR_OK; i++) {
        if ((uses->queues >> i & 1) == 0) continue;
        status = wi_queues_order(queue, &set->slots[i], uses->until, WI_WAIT_END);
    }
    return status;
}

static weir_status begin_read(weir_block *block, weir_queue *queue, uint32_t users)
{
    weir_queue *home = slot_of(block, users & HOME_MASK);
    const uint32_t bit = bit_of(queue) << BIT_SHIFT;
    weir_status status = WEIR_OK;

    if (home == queue) return WEIR_OK;
    status = wi_queues_order(
        queue, home, atomic_load_explicit(&block->written, memory_order_acquire), WI_WAIT_DATA);
    if (status == WEIR_OK && (users & bit) == 0) atomic_fetch_or(&block->users, bit);
    return status;
}

/* Makes a queue the home when it waits for all other uses: they are before its own commands from here on. */
static void move_home(weir_block *block, weir_queue *queue)
{
    wi_block_end_write(block, queue);
    atomic_store_explicit(&block->users, queue->index, memory_order_release);
}

static weir_status begin_write(weir_block *block, weir_queue *queue, uint32_t users)
{
    const wi_uses others = {.until = UINT64_MAX, .queues = users >> BIT_SHIFT};
    weir_status status =
        wi_queues_order(queue, slot_of(block, users & HOME_MASK), UINT64_MAX, WI_WAIT_DATA);

    if (status == WEIR_OK) status = order_ends(queue->set, queue, &others);
    if (status != WEIR_OK) return status;
    move_home(block, queue);
    return WEIR_OK;
}

weir_status wi_block_begin_use(weir_block *block, weir_queue *queue, int is_written)
{
    const uint32_t users = atomic_load_explicit(&block->users, memory_order_acquire);

    if (users == queue->index) return WEIR_OK;
    return is_written ? begin_write(block, queue, users) : begin_read(block, queue, users);
}

void wi_block_end_write(weir_block *block, weir_queue *queue)
{
    atomic_store_explicit(&block->written, wi_queue_get_last(queue->queue), memory_order_release);
}

void wi_block_note_use(weir_block *block, const weir_queue *queue)
{
    const uint32_t users = atomic_load_explicit(&block->users, memory_order_relaxed);

    if ((users & HOME_MASK) == queue->index) return;
    atomic_fetch_or(&block->users, bit_of(queue) << BIT_SHIFT);
}

wi_uses wi_block_collect_uses(const weir_block *block)
{
    const uint32_t users = atomic_load_explicit(&block->users, memory_order_acquire);
    const unsigned home = users & HOME_MASK;
    wi_uses uses = {.until = wi_queue_get_sequence(slot_of(block, home)->queue),
                    .queues = users >> BIT_SHIFT | UINT32_C(1) << home};

    for (unsigned i = 0; users >> BIT_SHIFT >> i != 0; i++) {
        uint64_t last = 0;

        if ((users >> BIT_SHIFT >> i & 1) == 0) continue;
        last = wi_queue_get_sequence(slot_of(block, i)->queue);
        if (last > uses.until) uses.until = last;
    }
    return uses;
}

void wi_block_begin_foreign(weir_block *block)
{
    atomic_init(&block->written, UINT64_MAX);
    atomic_init(&block->users, 0);
}

weir_status wi_block_take_over(weir_block *block, const wi_uses *before)
{
    weir_queue *home = wi_block_get_home(block);
    weir_status status = order_ends(home->set, home, before);

    if (status == WEIR_OK) move_home(block, home);
    return status;
}

weir_status wi_block_begin_move(weir_block *block, const wi_uses *there)
{
    weir_queue *own = slot_of(block, 0);
    weir_status status = wi_queues_order(own, wi_block_get_home(block), UINT64_MAX, WI_WAIT_DATA);

    return status == WEIR_OK ? order_ends(own->set, own, there) : status;
}

void wi_block_end_move(weir_block *block, wi_uses *left)
{
    weir_queue *own = slot_of(block, 0);

    wi_block_note_use(block, own);
    *left = wi_block_get_uses(block);
    move_home(block, own);
}

weir_queue *wi_block_get_home(const weir_block *block)
{
    return slot_of(block, atomic_load_explicit(&block->users, memory_order_acquire) & HOME_MASK);
}
