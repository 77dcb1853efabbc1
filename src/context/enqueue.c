/* Places become buffers and offsets here, and nowhere else.
 *
 * Locking: the pool's placement is held from reading where a block is to the return of the enqueue; the queue's lock is
 * taken within it. Nothing is allocated in between.
 */
#include "context/enqueue.h"

#include "mem/pool.h"

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

/* Needs the hold. */
static void locate(const wi_launch *launch)
{
    for (unsigned i = 0; i < launch->arg_count; i++) {
        wi_arg *arg = &launch->args[i];

        if (arg->block == NULL) continue;
        if (arg->kind == WI_ARG_BUFFER)
            arg->value.buffer = wi_block_get_buffer(arg->block);
        else
            arg->value.u64 = arg->base + wi_block_get_offset_bytes(arg->block) / arg->unit_bytes;
    }
}

weir_status wi_context_launch(weir_context *context, const wi_launch *launch)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = wi_context_check_process(context);

    if (status != WEIR_OK) return status;
    wi_pool_hold(pool);
    locate(launch);
    status = wi_queue_launch(wi_context_get_queue(context), launch);
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_copy(weir_context *context, const wi_span *from, const wi_span *to,
                            uint64_t bytes)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_queue_copy(wi_context_get_queue(context), wi_block_get_buffer(from->block),
                           offset_of(from), wi_block_get_buffer(to->block), offset_of(to), bytes);
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_fill(weir_context *context, const wi_span *to, uint64_t bytes,
                            const void *pattern, size_t pattern_bytes)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_queue_fill(wi_context_get_queue(context), wi_block_get_buffer(to->block),
                           offset_of(to), bytes, pattern, pattern_bytes);
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_read(weir_context *context, const wi_span *from, uint64_t bytes, void *data)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_queue_read(wi_context_get_queue(context), wi_block_get_buffer(from->block),
                           offset_of(from), bytes, data);
    wi_pool_let_go(pool);
    return status;
}

weir_status wi_context_write(weir_context *context, const wi_span *to, uint64_t bytes,
                             const void *data)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = WEIR_OK;

    wi_pool_hold(pool);
    status = wi_queue_write(wi_context_get_queue(context), wi_block_get_buffer(to->block),
                            offset_of(to), bytes, data);
    wi_pool_let_go(pool);
    return status;
}
