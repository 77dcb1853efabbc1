/* Tensors: counted handles on a block that never changes while they are held, or on a draw that nothing has read yet.
 *
 * A draw is known by three numbers, so an elementwise kernel computes it where it needs it, and no block is taken. Any
 * other reader, and a second one, has it written to a block first: computing it a third time would cost more than
 * reading it. That change from draw to block happens under the tensor's lock and is the only one in its life.
 */
#include "tensor/tensor.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "mem/block.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

/* Invariants: owners >= 1 while it is held; bytes == count * size of dtype;
 * count == 0: block == NULL; else block == NULL exactly while draw.kind != NONE. */
struct weir_tensor {
    _Atomic uint64_t owners;
    weir_context *context;
    weir_dtype dtype;
    weir_shape shape;
    uint64_t count;
    uint64_t bytes;
    pthread_mutex_t lock; /* draw, reads and block while the tensor is a draw */
    _Atomic(weir_block *) block;
    wi_draw draw;
    unsigned draw_reads;
    const char *owner; /* label for the block of a draw */
};

static void dispose(weir_tensor *tensor)
{
    weir_context *context = NULL;
    if (tensor == NULL) return;
    context = tensor->context;
    weir_block_release(atomic_load_explicit(&tensor->block, memory_order_acquire));
    (void)pthread_mutex_destroy(&tensor->lock);
    wi_free(tensor);
    weir_context_release(context);
}

weir_status wi_tensor_measure(weir_dtype dtype, const weir_shape *shape, const char *where,
                              uint64_t *count, uint64_t *bytes)
{
    char text[192];

    *count = weir_shape_count(shape);
    *bytes = 0;
    if (weir_dtype_bytes(dtype) == 0) {
        return wi_fail(WEIR_E_DTYPE, where, "%d is no element type", (int)dtype);
    }
    if (*count == UINT64_MAX || !wi_mul_u64(*count, weir_dtype_bytes(dtype), bytes)) {
        return wi_fail(WEIR_E_SHAPE, where, "%s of %s has too many bytes",
                       weir_shape_format(shape, text, sizeof text), weir_dtype_name(dtype));
    }
    return WEIR_OK;
}

/* Makes a tensor without block or draw. */
static weir_status create_empty(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                const char *owner, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *tensor = NULL;
    uint64_t count = 0;
    uint64_t bytes = 0;

    *out = NULL;
    status = wi_tensor_measure(dtype, shape, owner, &count, &bytes);
    if (status != WEIR_OK) return status;
    tensor = wi_calloc(1, sizeof *tensor);
    if (tensor == NULL || pthread_mutex_init(&tensor->lock, NULL) != 0) {
        wi_free(tensor);
        return wi_fail(WEIR_E_HOST_MEMORY, owner, "%zu host bytes for a tensor", sizeof *tensor);
    }
    atomic_init(&tensor->owners, 1);
    atomic_init(&tensor->block, NULL);
    tensor->context = weir_context_retain(context);
    tensor->dtype = dtype;
    tensor->shape = *shape;
    tensor->count = count;
    tensor->bytes = bytes;
    tensor->owner = owner;
    *out = tensor;
    return WEIR_OK;
}

static weir_status take_block(weir_tensor *tensor, const char *owner, weir_block **out)
{
    *out = NULL;
    if (tensor->bytes == 0) return WEIR_OK;
    return weir_pool_alloc(weir_context_get_pool(tensor->context), tensor->bytes, owner, out);
}

weir_status wi_tensor_create(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                             const char *owner, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *tensor = NULL;
    weir_block *block = NULL;

    *out = NULL;
    status = create_empty(context, dtype, shape, owner, &tensor);
    if (status != WEIR_OK) goto done;
    status = take_block(tensor, owner, &block);
    if (status != WEIR_OK) goto done;
    atomic_store_explicit(&tensor->block, block, memory_order_release);
    *out = tensor;
    tensor = NULL;
done:
    dispose(tensor);
    return status;
}

weir_status wi_tensor_create_draw(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                  const wi_draw *draw, const char *owner, weir_tensor **out)
{
    weir_status status = create_empty(context, dtype, shape, owner, out);
    if (*out != NULL && (*out)->count != 0) (*out)->draw = *draw;
    return status;
}

/* Writes a draw to a block, under the lock. The tensor stays a draw if that fails. */
static weir_status write_draw(weir_tensor *tensor)
{
    weir_status status = WEIR_OK;
    weir_block *block = NULL;

    status = take_block(tensor, tensor->owner, &block);
    if (status != WEIR_OK) return status;
    status = tensor->draw.fill(tensor->context, &tensor->draw, wi_block_get_buffer(block),
                               weir_block_get_offset_bytes(block), tensor->count);
    if (status != WEIR_OK) {
        weir_block_release(block);
        return status;
    }
    tensor->draw.kind = WI_DRAW_NONE;
    atomic_store_explicit(&tensor->block, block, memory_order_release);
    return WEIR_OK;
}

static void operand_of(const weir_block *block, wi_operand *out)
{
    out->buffer = wi_block_get_buffer(block);
    out->offset_bytes = weir_block_get_offset_bytes(block);
}

weir_status wi_tensor_operand(weir_tensor *tensor, int accepts_draw, wi_operand *out)
{
    weir_status status = WEIR_OK;
    const weir_block *block = atomic_load_explicit(&tensor->block, memory_order_acquire);

    *out = (wi_operand){0};
    if (tensor->count == 0) return WEIR_OK;
    if (block != NULL) {
        operand_of(block, out);
        return WEIR_OK;
    }
    (void)pthread_mutex_lock(&tensor->lock);
    block = atomic_load_explicit(&tensor->block, memory_order_relaxed);
    if (block == NULL && accepts_draw && tensor->draw_reads == 0) {
        tensor->draw_reads++;
        out->draw = tensor->draw;
    } else {
        if (block == NULL) status = write_draw(tensor);
        if (status == WEIR_OK) {
            operand_of(atomic_load_explicit(&tensor->block, memory_order_relaxed), out);
        }
    }
    (void)pthread_mutex_unlock(&tensor->lock);
    return status;
}

weir_status weir_tensor_from_host(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                  const void *data, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *tensor = NULL;
    wi_operand operand;

    if (out != NULL) *out = NULL;
    if (context == NULL || shape == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_tensor_from_host", "context, shape and out are required");
    }
    status = wi_context_check_process(context);
    if (status != WEIR_OK) goto done;
    status = wi_tensor_create(context, dtype, shape, "from_host", &tensor);
    if (status != WEIR_OK) goto done;
    if (tensor->bytes != 0) {
        if (data == NULL) {
            status = wi_fail(WEIR_E_ARG, "weir_tensor_from_host",
                             "data is required for %" PRIu64 " bytes", tensor->bytes);
            goto done;
        }
        status = wi_tensor_operand(tensor, 0, &operand);
        if (status != WEIR_OK) goto done;
        status = wi_queue_write(wi_context_get_queue(context), operand.buffer, operand.offset_bytes,
                                tensor->bytes, data);
        if (status != WEIR_OK) goto done;
    }
    *out = tensor;
    tensor = NULL;
done:
    dispose(tensor);
    return status;
}

weir_status weir_tensor_to_host(weir_tensor *tensor, void *data, uint64_t bytes)
{
    weir_status status = WEIR_OK;
    wi_operand operand;

    if (tensor == NULL || (data == NULL && bytes != 0)) {
        return wi_fail(WEIR_E_ARG, "weir_tensor_to_host", "tensor and data are required");
    }
    if (bytes != tensor->bytes) {
        return wi_fail(WEIR_E_ARG, "weir_tensor_to_host",
                       "room for %" PRIu64 " bytes, the tensor has %" PRIu64, bytes, tensor->bytes);
    }
    status = wi_context_check_process(tensor->context);
    if (status != WEIR_OK) return status;
    if (bytes == 0) return weir_context_synchronize(tensor->context);
    status = wi_tensor_operand(tensor, 0, &operand);
    if (status != WEIR_OK) return status;
    return wi_queue_read(wi_context_get_queue(tensor->context), operand.buffer,
                         operand.offset_bytes, bytes, data);
}

weir_tensor *weir_tensor_retain(weir_tensor *tensor)
{
    if (tensor != NULL) atomic_fetch_add_explicit(&tensor->owners, 1, memory_order_relaxed);
    return tensor;
}

void weir_tensor_release(weir_tensor *tensor)
{
    if (tensor == NULL) return;
    if (atomic_fetch_sub_explicit(&tensor->owners, 1, memory_order_acq_rel) == 1) dispose(tensor);
}

int wi_tensor_is_sole(const weir_tensor *tensor)
{
    const weir_block *block = atomic_load_explicit(&tensor->block, memory_order_acquire);
    if (atomic_load_explicit(&tensor->owners, memory_order_acquire) != 1) return 0;
    return block == NULL || wi_block_get_owners(block) == 1;
}

void wi_tensor_relabel(weir_tensor *tensor, const char *owner)
{
    weir_block *block = atomic_load_explicit(&tensor->block, memory_order_acquire);
    if (block != NULL) wi_block_relabel(block, owner);
}

weir_context *weir_tensor_get_context(const weir_tensor *tensor)
{
    return tensor != NULL ? tensor->context : NULL;
}

weir_dtype weir_tensor_get_dtype(const weir_tensor *tensor)
{
    return tensor != NULL ? tensor->dtype : WEIR_DTYPE_NONE;
}

const weir_shape *weir_tensor_get_shape(const weir_tensor *tensor)
{
    return tensor != NULL ? &tensor->shape : NULL;
}

uint64_t weir_tensor_get_count(const weir_tensor *tensor)
{
    return tensor != NULL ? tensor->count : 0;
}

uint64_t weir_tensor_get_bytes(const weir_tensor *tensor)
{
    return tensor != NULL ? tensor->bytes : 0;
}

const weir_block *weir_tensor_get_block(const weir_tensor *tensor)
{
    return tensor != NULL ? atomic_load_explicit(&tensor->block, memory_order_acquire) : NULL;
}
