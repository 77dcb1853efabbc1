/* The public side of queues: handles on slots of the context's set (mem/queues.h), and views of a context.
 *
 * Every owner of a queue owns the context, too, so the set outlives its handles; the slot closes with its last owner.
 */
#include "context/context.h"

#include "base/status.h"
#include "context/recording.h"
#include "mem/block.h"
#include "mem/pending.h"
#include "mem/pool.h"
#include "mem/queues.h"

#include <weir/queue.h>

#include <stdatomic.h>

static weir_context *context_of(const weir_queue *queue) { return queue->set->options.parent; }

weir_status weir_queue_create(weir_context *context, weir_queue **out)
{
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (context == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_queue_create", "context and out are required");
    }
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    status = wi_queues_open(weir_context_get_queue(context)->set, NULL, out);
    if (status == WEIR_OK) (void)weir_context_retain(context_of(*out));
    return status;
}

weir_queue *weir_queue_retain(weir_queue *queue)
{
    if (queue == NULL) return NULL;
    (void)weir_context_retain(context_of(queue));
    atomic_fetch_add_explicit(&queue->owners, 1, memory_order_relaxed);
    return queue;
}

void weir_queue_release(weir_queue *queue)
{
    weir_context *context = NULL;

    if (queue == NULL) return;
    context = context_of(queue);
    if (wi_context_is_of_process(context)) wi_queues_drop(queue);
    weir_context_release(context);
}

/* Why two objects cannot be used together. */
static weir_status fail_context(const char *where, const char *what)
{
    return wi_fail(WEIR_E_CONTEXT, where, "%s belong to different contexts", what);
}

weir_status weir_queue_synchronize(weir_queue *queue)
{
    weir_status status = WEIR_OK;

    if (queue == NULL) return wi_fail(WEIR_E_ARG, "weir_queue_synchronize", "queue is required");
    status = wi_context_check_process(context_of(queue));
    if (status == WEIR_OK) status = wi_queue_finish(queue->queue);
    if (status != WEIR_OK) return status;
    return wi_pool_get_error(weir_context_get_pool(context_of(queue)));
}

weir_status weir_queue_wait(weir_queue *queue, weir_queue *other)
{
    weir_status status = WEIR_OK;

    if (queue == NULL || other == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_queue_wait", "both queues are required");
    }
    if (queue->set != other->set) return fail_context("weir_queue_wait", "the queues");
    status = wi_context_check_process(context_of(queue));
    if (status != WEIR_OK) return status;
    return wi_queues_order(queue, other, UINT64_MAX, WI_WAIT_DATA);
}

weir_status weir_context_on_queue(weir_context *context, weir_queue *queue, weir_context **out)
{
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (context == NULL || queue == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_context_on_queue", "context, queue and out are required");
    }
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    if (context_of(queue) != wi_context_get_base(context)) {
        return fail_context("weir_context_on_queue", "context and queue");
    }
    return wi_context_create_view(queue, out);
}

weir_status weir_block_record(weir_block *block, weir_queue *queue)
{
    weir_status status = WEIR_OK;

    if (block == NULL || queue == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_block_record", "block and queue are required");
    }
    status = wi_block_check_held(block, "weir_block_record");
    if (status != WEIR_OK) return status;
    if (weir_context_get_pool(context_of(queue)) != wi_block_get_pool(block)) {
        return fail_context("weir_block_record", "block and queue");
    }
    status = wi_context_check_process(context_of(queue));
    if (status != WEIR_OK) return status;
    status = wi_queue_mark(queue->queue);
    if (status == WEIR_OK) wi_block_note_use(block, queue);
    return status;
}
