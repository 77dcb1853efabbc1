/* Which queues have commands pending that use a block's bytes, so that nobody reads them too early or takes them too soon.
 *
 * A block has a home, the queue that wrote it last, the number of that write, and a set of the other queues that used it
 * since. A command on a queue that is neither waits for the write; a write waits for all uses. When a block goes, its
 * bytes keep its queues and their numbers (wi_uses), and the next who gets them waits for those.
 *
 * While all is on one queue, a use costs a comparison and nothing is waited for.
 * Thread: safe. Called under the pool's placement where the block may be moved; nothing is allocated.
 */
#ifndef WI_MEM_PENDING_H
#define WI_MEM_PENDING_H

#include "mem/queues.h"
#include "plan/arena.h"

#include <weir/pool.h>

#include <stdint.h>

/** Has the queue wait for what it must before a command of it that uses the block. Next is that command, and after one
 * that writes wi_block_end_write().
 * Errors: those of wi_queues_order(). */
weir_status wi_block_begin_use(weir_block *block, weir_queue *queue, int is_written);

/** After a command that writes the block was enqueued. */
void wi_block_end_write(weir_block *block, weir_queue *queue);

/** Notes that commands which the queue has now use the block. */
void wi_block_note_use(weir_block *block, const weir_queue *queue);

/** The queues whose commands may use the block, and the largest of the numbers of their last. wi_block_get_uses() in
 * pool_state.h is shorter where nobody but the own queue used it. */
wi_uses wi_block_collect_uses(const weir_block *block);

/** Gives a buffer of the program a home, the own queue: there it is written, or ordered, by the program, at any time. */
void wi_block_begin_foreign(weir_block *block);

/** Has the home wait for the others that may still use the bytes of a block without contents. Under the pool's placement, and not under its lock: a full queue is waited for. */
weir_status wi_block_take_over(weir_block *block, const wi_uses *before);

/** Before the block's bytes are copied to a free place by a command of the own queue, slot 0.
 * there   who may still use the bytes of that place */
weir_status wi_block_begin_move(weir_block *block, const wi_uses *there);

/** After that copy was enqueued: whoever uses the block next, waits for it.
 * left   set to who uses the bytes at the old place */
void wi_block_end_move(weir_block *block, wi_uses *left);

/** The queue that wrote the block last, for a reader that may choose. It may be closed. */
weir_queue *wi_block_get_home(const weir_block *block);

#endif
