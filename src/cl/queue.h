/* In-order queues with sequence numbers and a bounded run-ahead.
 *
 * Each command gets the next sequence number. A marker event is kept every WI_QUEUE_MARK commands, so that progress
 * can be asked without an event a command; at most WI_QUEUE_AHEAD commands are pending: an enqueue past it waits for
 * the oldest marker. Blocking calls and finish raise `completed` to the last number.
 *
 * A failure that a driver reports late (at a wait) sticks: every later call returns it until wi_queue_reset_error().
 * Thread: safe; commands of one queue are serialised by its lock.
 */
#ifndef WI_CL_QUEUE_H
#define WI_CL_QUEUE_H

#include "cl/opencl.h"
#include "cl/program.h"

#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

#define WI_QUEUE_AHEAD 1024
#define WI_QUEUE_MARK 128

typedef struct wi_queue wi_queue;

typedef enum wi_arg_kind {
    WI_ARG_BUFFER,
    WI_ARG_U32,
    WI_ARG_U64,
    WI_ARG_F32,
    WI_ARG_LOCAL
} wi_arg_kind;

/* One kernel argument. LOCAL: u64 is the bytes of local memory. An argument with a block says where that block is; its
 * value is written by src/context, which knows blocks, just before the launch (context/enqueue.h). */
typedef struct wi_arg {
    wi_arg_kind kind;
    union {
        cl_mem buffer;
        uint32_t u32;
        uint64_t u64;
        float f32;
    } value;
    struct weir_block *
        block; /* BUFFER: the value is its buffer; U64: base + its offset in units; NULL: no block */
    uint64_t base;       /* of a U64 with a block, in units */
    uint32_t unit_bytes; /* of a U64 with a block; divides every granule */
    int is_written;      /* of a BUFFER with a block: the kernel writes it */
} wi_arg;

/* One-dimensional. local_size 0 lets the driver choose; else it divides global_size. */
typedef struct wi_launch {
    wi_kernel *kernel;
    wi_arg *args;
    unsigned arg_count;
    size_t global_size;
    size_t local_size;
} wi_launch;

weir_status wi_queue_create(cl_context context, cl_device_id device, wi_queue **out);

/** Makes a queue around one that somebody made: takes a reference, which wi_queue_destroy() gives back. It is in order and
 * belongs to the context in which it will be used (wi_cl_queue_query()). */
weir_status wi_queue_adopt(cl_command_queue handle, wi_queue **out);

/** From now on others may enqueue to the same queue. Their commands have no numbers, so the last number of the queue is
 * from then on that of the next command, which will come behind theirs, or of a marker put there for whoever asks. */
void wi_queue_share(wi_queue *queue);

/** The driver's queue, for somebody else to use: wi_queue_share() first. */
cl_command_queue wi_queue_get_handle(const wi_queue *queue);

/** Waits for the commands that have a number and frees. NULL is allowed. */
void wi_queue_destroy(wi_queue *queue);

/** Waits for everything and gives the driver's queue back. What was enqueued counts as done from then on, also if it
 * failed; nothing can be enqueued until wi_queue_reopen(). */
void wi_queue_close(wi_queue *queue);

/** Takes a new queue from the driver for a closed one; its numbers go on. */
weir_status wi_queue_reopen(wi_queue *queue, cl_context context, cl_device_id device);

/** Takes somebody's queue for a closed one, as wi_queue_adopt() does. */
weir_status wi_queue_readopt(wi_queue *queue, cl_command_queue handle);

/** 0 while it is closed. */
int wi_queue_is_open(wi_queue *queue);

/** Sets the arguments under the kernel's lock and enqueues. Errors: DRIVER, OUT_OF_MEMORY (recorded), HOST_MEMORY. */
weir_status wi_queue_launch(wi_queue *queue, const wi_launch *launch);

/* A read or write that was enqueued and not yet waited for. event NULL: there is nothing to wait for. */
typedef struct wi_transfer {
    cl_event event;
    uint64_t sequence;
} wi_transfer;

/** Enqueues a copy to or from the host; `data` is used until wi_queue_end_transfer(), which must follow if it went well. */
weir_status wi_queue_begin_read(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes,
                                uint64_t bytes, void *data, wi_transfer *out);
weir_status wi_queue_begin_write(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes,
                                 uint64_t bytes, const void *data, wi_transfer *out);

/** Waits for a transfer. */
weir_status wi_queue_end_transfer(wi_queue *queue, const wi_transfer *transfer);

/** Copies to the host and waits. */
weir_status wi_queue_read(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                          void *data);

/** Copies from the host and waits until `data` was read. */
weir_status wi_queue_write(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                           const void *data);

/** Repeats a pattern of 1, 2, 4, 8 or 16 bytes; offset and bytes are multiples of it. */
weir_status wi_queue_fill(wi_queue *queue, cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                          const void *pattern, size_t pattern_bytes);

/** Copies between buffers or within one; the ranges must not overlap. */
weir_status wi_queue_copy(wi_queue *queue, cl_mem from, uint64_t from_offset_bytes, cl_mem to,
                          uint64_t to_offset_bytes, uint64_t bytes);

/** Makes the driver back a new buffer, by a write of up to 4 bytes, and waits. A refusal does not stick.
 * Errors: OUT_OF_MEMORY (not recorded; also for CL_OUT_OF_RESOURCES), HOST_MEMORY, DRIVER. */
weir_status wi_queue_touch(wi_queue *queue, cl_mem buffer, uint64_t bytes);

/** Numbers this moment: once the number is done, so is all that a caller enqueued by itself on the driver's queue. */
weir_status wi_queue_mark(wi_queue *queue);

/** Makes later commands of `queue` begin after the first `sequence` commands of `other`, by a command of its own. No call
 * waits but for room in the queues.
 * sequence   at most wi_queue_get_sequence()
 * reached    number of `other` up to which `queue` waits; 0 on failure
 * Errors: DRIVER, HOST_MEMORY; the sticking failure of either. */
weir_status wi_queue_follow(wi_queue *queue, wi_queue *other, uint64_t sequence, uint64_t *reached);

/** Number of the last command of weir, 0 before the first. */
uint64_t wi_queue_get_last(const wi_queue *queue);

/** Number behind all that was enqueued so far: of the last command, 0 before the first; one more on a shared queue. */
uint64_t wi_queue_get_sequence(const wi_queue *queue);

/** Highest number known to be done; asks the markers, never waits. Asked again with nothing enqueued in between, it has a
 * marker put behind the last command, so that polling comes to the end. */
uint64_t wi_queue_get_completed(wi_queue *queue);

/** Highest number that a wait has found done. What commands up to it wrote can be used on any queue without an event;
 * for OpenCL, to ask for the state of an event is not enough for that. */
uint64_t wi_queue_get_confirmed(const wi_queue *queue);

/** 1 while a failure sticks. */
int wi_queue_has_failed(wi_queue *queue);

/** Waits until `sequence` is done. */
weir_status wi_queue_wait(wi_queue *queue, uint64_t sequence);

/** Waits for everything, on a shared queue for the commands of others too. */
weir_status wi_queue_finish(wi_queue *queue);

/** Waits for the commands that have a number. */
weir_status wi_queue_finish_numbered(wi_queue *queue);

void wi_queue_reset_error(wi_queue *queue);

/* Kernels launched, and transfers, fills and copies enqueued, so far. */
void wi_queue_get_counts(const wi_queue *queue, uint64_t *launches, uint64_t *copies);

#endif
