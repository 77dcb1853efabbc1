/* Places become buffers and offsets here, and nowhere else.
 *
 * Locking: the pool's placement is held from reading where a block is to the return of the enqueue; the queue's lock is
 * taken within it. Nothing is allocated in between. There, too, a queue is made to wait for others that the places ask for
 * (mem/pending.h). Who waits for the device does so afterwards: blocks may move meanwhile, by commands enqueued later.
 */
#include "context/enqueue.h"

#include "mem/pending.h"
#include "mem/pool.h"

#include <weir/queue.h>

#include <assert.h>

unsigned wi_args_put_place(wi_arg *args, unsigned n, const wi_span *place, size_t unit_bytes,
                           uint64_t first, int is_written)
{
    args[n] = (wi_arg){.kind = WI_ARG_BUFFER, .block = place->block, .is_written = is_written};
    args[n + 1] = (wi_arg){.kind = WI_ARG_U64,
                           .block = place->block,
                           .base = place->offset_bytes / unit_bytes + first,
                           .unit_bytes = (uint32_t)unit_bytes};
    args[n + 1].value.u64 = args[n + 1].base;
    return n + 2;
}

static uint64_t offset_of(const wi_span *place)
{
    return wi_block_get_offset_bytes(place->block) + place->offset_bytes;
}

/* Finds the places of a launch, and has the queue wait for what the launch needs from others. Needs the hold. */
static weir_status locate(weir_queue *queue, const wi_launch *launch)
{
    for (unsigned i = 0; i < launch->arg_count; i++) {
        wi_arg *arg = &launch->args[i];

        if (arg->block == NULL) continue;
        if (arg->kind == WI_ARG_BUFFER) {
            const weir_status status = wi_block_begin_use(arg->block, queue, arg->is_written);

            if (status != WEIR_OK) return status;
            arg->value.buffer = wi_block_get_buffer(arg->block);
        } else {
            arg->value.u64 = arg->base + wi_block_get_offset_bytes(arg->block) / arg->unit_bytes;
        }
    }
    return WEIR_OK;
}

/* After a launch. Needs the hold. */
static void note_writes(weir_queue *queue, const wi_launch *launch)
{
    for (unsigned i = 0; i < launch->arg_count; i++) {
        const wi_arg *arg = &launch->args[i];

        if (arg->block != NULL && arg->is_written) wi_block_end_write(arg->block, queue);
    }
}

weir_status wi_context_launch(weir_context *context, const wi_launch *launch)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_queue *queue = weir_context_get_queue(context);
    weir_status status = wi_context_check_process(context);

    if (status != WEIR_OK) return status;
    wi_pool_hold(pool);
    status = locate(queue, launch);
    if (status == WEIR_OK) status = wi_queue_launch(queue->queue, launch);
    if (status == WEIR_OK) note_writes(queue, launch);
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_copy(weir_context *context, const wi_span *from, const wi_span *to,
                            uint64_t bytes)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_queue *queue = weir_context_get_queue(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_block_begin_use(from->block, queue, 0);
    if (status == WEIR_OK) status = wi_block_begin_use(to->block, queue, 1);
    if (status != WEIR_OK) goto done;
    status = wi_queue_copy(queue->queue, wi_block_get_buffer(from->block), offset_of(from),
                           wi_block_get_buffer(to->block), offset_of(to), bytes);
    if (status == WEIR_OK) wi_block_end_write(to->block, queue);
done:
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_fill(weir_context *context, const wi_span *to, uint64_t bytes,
                            const void *pattern, size_t pattern_bytes)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_queue *queue = weir_context_get_queue(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_block_begin_use(to->block, queue, 1);
    if (status != WEIR_OK) goto done;
    status = wi_queue_fill(queue->queue, wi_block_get_buffer(to->block), offset_of(to), bytes,
                           pattern, pattern_bytes);
    if (status == WEIR_OK) wi_block_end_write(to->block, queue);
done:
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_await(weir_context *context, const wi_span *place)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_block_begin_use(place->block, weir_context_get_queue(context), 0);
    wi_pool_let_go(pool);
    return status;
}

/* The queue on which a block is read: the one that wrote it, so that no other is waited for, unless a view says another
 * one. *is_held: wi_queues_drop() afterwards. */
static weir_queue *choose_reader(weir_context *context, const weir_block *block, int *is_held)
{
    weir_queue *own = weir_context_get_queue(context);
    weir_queue *home = wi_block_get_home(block);

    *is_held =
        home != own && wi_context_get_owner(context) == context && wi_queues_try_retain(home);
    return *is_held ? home : own;
}

weir_status wi_context_read(weir_context *context, const wi_span *from, uint64_t bytes, void *data)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = WEIR_OK;
    wi_transfer transfer;
    int is_held = 0;
    weir_queue *queue = choose_reader(context, from->block, &is_held);

    wi_pool_hold(pool);
    status = wi_block_begin_use(from->block, queue, 0);
    if (status == WEIR_OK) {
        status = wi_queue_begin_read(queue->queue, wi_block_get_buffer(from->block),
                                     offset_of(from), bytes, data, &transfer);
    }
    wi_pool_let_go(pool);
    if (status == WEIR_OK) status = wi_queue_end_transfer(queue->queue, &transfer);
    if (is_held) wi_queues_drop(queue);
    return status == WEIR_OK ? wi_pool_get_error(pool) : status;
}

weir_status wi_context_write(weir_context *context, const wi_span *to, uint64_t bytes,
                             const void *data)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_queue *queue = weir_context_get_queue(context);
    weir_status status = WEIR_OK;
    wi_transfer transfer;

    wi_pool_hold(pool);
    status = wi_block_begin_use(to->block, queue, 1);
    if (status != WEIR_OK) goto done;
    status = wi_queue_begin_write(queue->queue, wi_block_get_buffer(to->block), offset_of(to),
                                  bytes, data, &transfer);
    if (status == WEIR_OK) wi_block_end_write(to->block, queue);
done:
    wi_pool_let_go(pool);
    return status == WEIR_OK ? wi_queue_end_transfer(queue->queue, &transfer) : status;
}
