/* weir beside a program's own OpenCL: contexts that the program made, and buffers that go either way.
 *
 * The only header of weir that includes <CL/cl.h>; weir.h does not include it. docs/interop.md has a whole program.
 *
 * Handles must be live objects: a driver need not notice one that was released, so nor can weir.
 *
 * Order: commands of weir run in order on their queue of the driver. What the program enqueues there runs in the same
 * order. What it enqueues elsewhere is ordered by the program: weir_context_get_cl_queue() and
 * clEnqueueBarrierWithWaitList() make weir's later commands wait for an event, clEnqueueMarkerWithWaitList() gives an
 * event for its earlier ones.
 *
 * Waiting: a call that waits for commands of weir does not return while the queue waits for a user event that nobody
 * sets. These are reading and writing by the host, weir_context_synchronize(), weir_pool_trim() with roots to give back,
 * the release of the last owner of a context or queue, an enqueue with 1024 commands of weir pending, and, with a
 * debug_level of 2 or 3, the release of a block. Adopting a context never waits for such a queue, nor does taking a block,
 * unless the request would fail without memory that is free but for such commands: then other threads that use the pool
 * wait with it. */
#ifndef WEIR_INTEROP_CL_H
#define WEIR_INTEROP_CL_H

#include <CL/cl.h>

#include <weir/context.h>
#include <weir/dtype.h>
#include <weir/pool.h>
#include <weir/queue.h>
#include <weir/shape.h>
#include <weir/tensor.h>

WEIR_BEGIN_DECLS

typedef struct weir_adopt_options {
    size_t struct_size;
    weir_device
        *device;       /* the same device in a system, which then outlives the context: strategy and limit are those of
                            all contexts on it; NULL: the context gets a device of its own */
    int no_self_check; /* 1: as in weir_context_options; for programs that use the pool only */
} weir_adopt_options;

#define WEIR_ADOPT_OPTIONS_INIT             \
    {                                       \
        sizeof(weir_adopt_options), NULL, 0 \
    }

/** Makes a context of weir on a context of the program.
 *
 * Nothing is taken away: weir holds references while it lives and has given all back when it is gone. Pool, operations,
 * functions and tapes work as on a context of weir's own, but blocks never move. Strategy and limit are set, before the
 * first allocation, by weir_device_configure() on weir_context_get_device() of the new context; without
 * options->device that is a device of its own, which goes with the context.
 * context   of one platform; may have several devices: offsets of blocks suit all of them
 * device    one of the context's, a whole one or a part; weir uses this one only
 * queue     of this context and device, in order; with or without profiling. NULL: weir makes one
 * options   NULL: all defaults
 * out       counted, weir_context_release(); NULL on failure
 * Order: the self-check runs on a queue of weir's own. Thread: safe.
 * Errors: ARG (also an options->device that is another one), CONTEXT (the device is not of the context, the queue not of
 *         both), UNSUPPORTED (a queue out of order), and those of weir_context_create(); FORKED if options->device was
 *         listed by the parent process: without it weir cannot tell whose the handles are. */
WEIR_API WEIR_NODISCARD weir_status weir_context_adopt(cl_context context, cl_device_id device, cl_command_queue queue,
                                                       const weir_adopt_options *options, weir_context **out);

/** Returns the OpenCL context, borrowed; NULL for NULL. */
WEIR_API cl_context weir_context_get_cl_context(const weir_context *context);

/** Returns the OpenCL device; NULL for NULL. */
WEIR_API cl_device_id weir_context_get_cl_device(const weir_context *context);

/** Returns the OpenCL queue that the context's commands go to, borrowed; NULL for NULL and for a recording context. From
 * the first call on weir reckons with commands of others on it, so that synchronizing waits for them, too. */
WEIR_API cl_command_queue weir_context_get_cl_queue(weir_context *context);

/** Makes a queue of weir on one more queue of the program, for a context of either kind.
 *
 * The queue is like one of weir_queue_create(): data keep their order across queues, and weir_block_record() tells that
 * the program's commands on it use a block.
 * queue   of the context's OpenCL context and device, in order; a reference is held until the queue is gone
 * out     counted, weir_queue_release(), which waits at the end for the program's commands, too; NULL on failure
 * Thread: safe.
 * Errors: ARG, CONTEXT (a queue of another context or device), UNSUPPORTED (out of order; too many queues), CAPTURE,
 *         FORKED, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_queue_adopt(weir_context *context, cl_command_queue queue, weir_queue **out);

/** Returns the OpenCL queue of a queue, as weir_context_get_cl_queue() does; NULL for NULL. */
WEIR_API cl_command_queue weir_queue_get_cl_queue(weir_queue *queue);

/** Gives the buffer and the offset in it where a block lies, and pins the block there for as long as it is held.
 *
 * The buffer holds other blocks as well: only the block's bytes may be touched, only while the block is held, and by
 * commands that are ordered with weir's. A block whose bytes commands on other queues still use when it is released is
 * told so by weir_block_record().
 * mem            borrowed; NULL for an empty block, and in a forked child
 * offset_bytes   a multiple of the alignment of all devices of the context, unless the block is of a wrapped tensor
 * Thread: safe. */
WEIR_API void weir_block_get_cl_mem(weir_block *block, cl_mem *mem, uint64_t *offset_bytes);

/** Makes a sub-buffer of a part of a block, for kernels that take a buffer and no offset; pins the block.
 *
 * offset_bytes   in the block; with the block's own offset a multiple of the alignment of all devices of the context
 * bytes          from 1 on; the part ends within the block
 * out            the caller's, clReleaseMemObject() before the block is released; does not count in weir_live
 * Thread: safe. Errors: ARG, UNSUPPORTED (a wrapped buffer that is a sub-buffer itself), DRIVER, OUT_OF_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_block_create_sub_buffer(weir_block *block, uint64_t offset_bytes,
                                                                 uint64_t bytes, cl_mem *out);

/** Makes a tensor whose elements are in a buffer of the program.
 *
 * The buffer is held while the tensor or a view of it lives, and until weir's commands on it are done. It is no memory of
 * the pool: it counts in no statistics, owners or limits. Operations and functions read it where it is; nothing of weir
 * writes there: a variable that it is assigned to copies before its first update. The program may write to it between
 * weir's commands, by commands ordered with them; a value kept for a gradient changes with it.
 * mem            a buffer or sub-buffer of the same OpenCL context that kernels may read (not CL_MEM_WRITE_ONLY); with
 *                CL_MEM_HOST_NO_ACCESS or CL_MEM_HOST_WRITE_ONLY weir_tensor_to_host() fails with DRIVER
 * offset_bytes   of the first element, a multiple of an element's size
 * shape          the elements are row-major, dense, and end within the buffer
 * out            counted, weir_tensor_release(); NULL on failure
 * Order: host call. Thread: safe.
 * Errors: ARG (also an offset or size that does not fit), DTYPE, SHAPE, CONTEXT (a buffer of another context),
 *         UNSUPPORTED (an image, or a buffer that kernels may not read), CAPTURE, FORKED, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_tensor_wrap_cl_mem(weir_context *context, cl_mem mem, uint64_t offset_bytes,
                                                            weir_dtype dtype, const weir_shape *shape,
                                                            weir_tensor **out);

/** Gives the buffer and the offset where a tensor's elements are, row-major and dense, and pins them for as long as the
 * tensor is held. A draw or a view with strides is written to a block first. The elements are to be read only: other
 * tensors may share them.
 * mem            borrowed; NULL for a tensor without elements
 * offset_bytes   a multiple of an element's size
 * Order: the elements are there for the next command of the context's queue. Thread: safe.
 * Errors: ARG, CAPTURE (a tensor of a capture), FORKED, OUT_OF_MEMORY, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_tensor_to_cl_mem(weir_tensor *tensor, cl_mem *mem, uint64_t *offset_bytes);

WEIR_END_DECLS

#endif
