/* Commands on blocks: the one way by which the rooms above launch, copy, fill, read and write.
 *
 * A block may be moved while nobody looks, so a place is turned into a buffer and an offset here, under the pool's shared
 * hold, which ends when the driver has taken the command. Commands go to the queue of the context or view, after those of other queues
 * that wrote what they use or use what they write.
 */
#ifndef WI_CONTEXT_ENQUEUE_H
#define WI_CONTEXT_ENQUEUE_H

#include "cl/queue.h"
#include "context/context.h"
#include "mem/block.h"

#include <stdint.h>

/** Appends the two arguments of a place, its buffer and its offset in elements, from args[n] on; returns n + 2.
 * unit_bytes   of an element; a power of two that divides the place's offset
 * first        elements to add to the offset
 * is_written   1: the kernel writes there */
unsigned wi_args_put_place(wi_arg *args, unsigned n, const wi_span *place, size_t unit_bytes,
                           uint64_t first, int is_written);

/** Launches; arguments with a block get their values. Errors: FORKED, DRIVER, OUT_OF_MEMORY, HOST_MEMORY. */
weir_status wi_context_launch(weir_context *context, const wi_launch *launch);

/** Copies between places that do not overlap. Errors: as launching. */
weir_status wi_context_copy(weir_context *context, const wi_span *from, const wi_span *to,
                            uint64_t bytes);

/** Repeats a pattern of 1, 2, 4, 8 or 16 bytes, of which the place's offset and bytes are multiples. */
weir_status wi_context_fill(weir_context *context, const wi_span *to, uint64_t bytes,
                            const void *pattern, size_t pattern_bytes);

/** Has later commands of the context's queue come after those that wrote the place, for commands that are not made here. */
weir_status wi_context_await(weir_context *context, const wi_span *place);

/** Copies to the host and waits. */
weir_status wi_context_read(weir_context *context, const wi_span *from, uint64_t bytes, void *data);

/** Copies from the host and waits until `data` was read. */
weir_status wi_context_write(weir_context *context, const wi_span *to, uint64_t bytes,
                             const void *data);

#endif
