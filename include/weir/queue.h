/* Several in-order queues of one context. docs/queues.md tells when they help. */
#ifndef WEIR_QUEUE_H
#define WEIR_QUEUE_H

#include <weir/context.h>
#include <weir/pool.h>
#include <weir/status.h>

WEIR_BEGIN_DECLS

/* Queues of a context at one time, its own included. */
#define WEIR_QUEUES_MAX 16

/** Makes one more queue of a context.
 *
 * Commands of one queue run in the order of their calls; those of two queues may run at the same time. weir keeps the
 * order that data need: a command waits for commands of other queues that wrote what it uses, or that use what it
 * overwrites, and memory that is released on one queue is used on another only after the commands that used it before.
 * Failures that stick do so to the queue on which they happened, and to queues that wait for it.
 * context   a view (weir_context_on_queue()) stands for the context it is a view of
 * out       counted, weir_queue_release(); owns its context; NULL on failure
 * Thread: safe.
 * Errors: UNSUPPORTED beyond WEIR_QUEUES_MAX, ARG, CAPTURE, FORKED, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_queue_create(weir_context *context, weir_queue **out);

/** Adds an owner; returns the queue. Thread: safe. */
WEIR_API weir_queue *weir_queue_retain(weir_queue *queue);

/** Drops an owner. Views own their queue.
 * Order: the last release waits for the queue's commands. What was made on the queue stays as it is. In a forked child
 * nothing is asked of the driver. NULL is allowed. Thread: safe. */
WEIR_API void weir_queue_release(weir_queue *queue);

/** Waits until everything enqueued on the queue so far is done.
 * Errors: ARG, DRIVER, INDEX, MISUSE, FORKED; the error sticks until weir_context_reset_error(). Thread: safe. */
WEIR_API WEIR_NODISCARD weir_status weir_queue_synchronize(weir_queue *queue);

/** Has later commands of a queue begin after everything that another has now.
 *
 * Needed only for commands that weir does not see (interop) and for an order that data do not ask for.
 * queue, other   of one context; the same queue twice changes nothing
 * Order: enqueues; does not wait. Thread: safe.
 * Errors: ARG, CONTEXT, FORKED, DRIVER, HOST_MEMORY; a failure that sticks to either. */
WEIR_API WEIR_NODISCARD weir_status weir_queue_wait(weir_queue *queue, weir_queue *other);

/** Makes a view of a context: what is called with it runs, and takes its memory, on `queue`.
 *
 * The view shares all else with its context: pool, kernels, statistics, tapes that listen. Tensors made through it belong
 * to the context and can be used with any of its views. Variables, functions and tapes made through it run on its queue.
 * weir_context_synchronize() waits for the view's queue, and for all queues if called with the context itself.
 * context   also a view, which stands for its context; queue: one of it
 * out       counted, weir_context_release(); owns context and queue; NULL on failure
 * Thread: safe. Errors: ARG, CONTEXT, CAPTURE, FORKED, HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_context_on_queue(weir_context *context, weir_queue *queue, weir_context **out);

/** Returns the queue that a context or view runs on; lives as long as the context or view. NULL while capturing. */
WEIR_API weir_queue *weir_context_get_queue(weir_context *context);

/** Tells that commands which the caller enqueued on the queue, by means of the driver, use a block: from then on its bytes
 * are not used for anything else, and weir's commands do not write it, before those commands are done.
 *
 * What such commands write is seen by weir's commands on other queues after a weir_queue_wait().
 * Order: call it after enqueuing them and before the block's last release. Thread: safe.
 * Errors: ARG, CONTEXT, FORKED, DRIVER; a failure that sticks to the queue. */
WEIR_API WEIR_NODISCARD weir_status weir_block_record(weir_block *block, weir_queue *queue);

WEIR_END_DECLS

#endif
