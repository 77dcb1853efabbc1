/* Tensors: counted handles on a block that never changes while they are held, on a part of one (a view), on a draw that
 * nothing has read yet, or on a result of a capture.
 *
 * A draw is known by three numbers, so an elementwise kernel computes it where it needs it, and no block is taken. Any
 * other reader, and a second one, has it written to a block first: computing it a third time would cost more than
 * reading it. A view is written to a block of its own for readers that cannot follow strides. Either change happens
 * under the tensor's lock and is the only one in its life.
 */
#include "tensor/tensor.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "context/enqueue.h"
#include "mem/block.h"
#include "tensor/tensor_state.h"

#include <inttypes.h>
#include <string.h>

static void dispose(weir_tensor *tensor)
{
    weir_context *context = NULL;
    if (tensor == NULL) return;
    context = tensor->context;
    wi_trace_fini(tensor);
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
    atomic_init(&tensor->keeps, 0);
    atomic_init(&tensor->kind, WI_TENSOR_DENSE);
    atomic_init(&tensor->block, NULL);
    tensor->context = weir_context_retain(wi_context_get_owner(context));
    tensor->dtype = dtype;
    tensor->shape = *shape;
    tensor->count = count;
    tensor->bytes = bytes;
    tensor->owner = owner;
    *out = tensor;
    return WEIR_OK;
}

/* Takes memory for the elements, for commands of the queue of `context`. */
static weir_status take_block(weir_context *context, const weir_tensor *tensor, const char *owner,
                              weir_block **out)
{
    *out = NULL;
    if (tensor->bytes == 0) return WEIR_OK;
    return weir_pool_alloc(weir_context_get_pool(context), weir_context_get_queue(context),
                           tensor->bytes, owner, out);
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
    status = take_block(context, tensor, owner, &block);
    if (status != WEIR_OK) goto done;
    atomic_store_explicit(&tensor->block, block, memory_order_release);
    *out = tensor;
    tensor = NULL;
done:
    dispose(tensor);
    return status;
}

weir_status wi_tensor_create_on(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                weir_block *block, const char *owner, weir_tensor **out)
{
    const weir_status status = create_empty(context, dtype, shape, owner, out);

    if (status == WEIR_OK)
        atomic_store_explicit(&(*out)->block, block, memory_order_release);
    else
        weir_block_release(block);
    return status;
}

weir_status wi_tensor_create_draw(weir_context *context, weir_dtype dtype, const weir_shape *shape,
                                  const wi_draw *draw, wi_write *write, const char *owner,
                                  weir_tensor **out)
{
    weir_status status = create_empty(context, dtype, shape, owner, out);
    if (status != WEIR_OK || (*out)->count == 0) return status;
    (*out)->draw = *draw;
    (*out)->write = write;
    atomic_store_explicit(&(*out)->kind, WI_TENSOR_DRAW, memory_order_relaxed);
    return WEIR_OK;
}

weir_status wi_tensor_create_symbol(weir_context *context, weir_dtype dtype,
                                    const weir_shape *shape, weir_tensor **out)
{
    weir_status status = create_empty(context, dtype, shape, "capture", out);
    if (status == WEIR_OK) {
        atomic_store_explicit(&(*out)->kind, WI_TENSOR_SYMBOL, memory_order_relaxed);
    }
    return status;
}

int wi_tensor_is_symbol(const weir_tensor *tensor)
{
    return atomic_load_explicit(&tensor->kind, memory_order_relaxed) == WI_TENSOR_SYMBOL;
}

/* What is where; needs the lock unless the tensor is dense. */
static void locate(const weir_tensor *tensor, int kind, wi_operand *out)
{
    if (kind == WI_TENSOR_DRAW) {
        out->draw = tensor->draw;
        return;
    }
    out->place.block = atomic_load_explicit(&tensor->block, memory_order_acquire);
    out->place.offset_bytes = (uint64_t)tensor->offset * weir_dtype_bytes(tensor->dtype);
    out->is_strided = kind == WI_TENSOR_VIEW;
    if (out->is_strided) memcpy(out->strides, tensor->strides, sizeof out->strides);
}

/* Writes a draw or view to a dense block, under the lock. The tensor stays what it is if that fails. */
static weir_status make_dense(weir_context *context, weir_tensor *tensor, int kind)
{
    weir_status status = WEIR_OK;
    weir_block *block = NULL;
    wi_operand from = {0};
    wi_span to = {0};

    status = take_block(context, tensor, tensor->owner, &block);
    if (status != WEIR_OK) return status;
    locate(tensor, kind, &from);
    to.block = block;
    status = tensor->write(context, &from, &tensor->shape, &to, tensor->count);
    if (status != WEIR_OK) {
        weir_block_release(block);
        return status;
    }
    /* Whoever reuses the old storage comes after the commands that read it. */
    weir_block_release(atomic_load_explicit(&tensor->block, memory_order_relaxed));
    tensor->offset = 0;
    atomic_store_explicit(&tensor->block, block, memory_order_release);
    atomic_store_explicit(&tensor->kind, WI_TENSOR_DENSE, memory_order_release);
    return WEIR_OK;
}

/* The strides of a tensor in memory, row-major for a dense one. Needs the lock. */
static void read_strides(const weir_tensor *tensor, int kind, int64_t *strides)
{
    int64_t stride = 1;

    if (kind == WI_TENSOR_VIEW) {
        memcpy(strides, tensor->strides, sizeof tensor->strides);
        return;
    }
    for (unsigned i = tensor->shape.rank; i-- > 0;) {
        strides[i] = stride;
        stride *= (int64_t)tensor->shape.extents[i];
    }
}

/* Lays a view over its source, whose lock is held and which is dense or a view. */
static void map_view(weir_tensor *view, const weir_tensor *source, int kind, const wi_view_map *map)
{
    int64_t strides[WEIR_RANK_MAX];

    view->offset = source->offset;
    read_strides(source, kind, strides);
    for (unsigned i = 0; map->starts != NULL && i < source->shape.rank; i++) {
        view->offset += strides[i] * (int64_t)map->starts[i];
    }
    for (unsigned i = 0; i < view->shape.rank; i++) {
        view->strides[i] = map->from[i] < 0 ? 0 : strides[map->from[i]];
    }
}

static weir_status fail_symbol(void)
{
    return wi_fail_hint(WEIR_E_CAPTURE, "weir_tensor", "call the function and read its results",
                        "a tensor of a capture has no value");
}

weir_status wi_tensor_create_view(weir_context *context, weir_tensor *source,
                                  const weir_shape *shape, const wi_view_map *map, wi_write *write,
                                  const char *owner, weir_tensor **out)
{
    weir_tensor *view = NULL;
    int kind = WI_TENSOR_DENSE;
    weir_status status = create_empty(source->context, source->dtype, shape, owner, &view);

    *out = NULL;
    if (status == WEIR_OK && wi_tensor_is_symbol(source)) status = fail_symbol();
    if (status != WEIR_OK || view->count == 0) goto done;
    (void)pthread_mutex_lock(&source->lock);
    kind = atomic_load_explicit(&source->kind, memory_order_relaxed);
    if (kind != WI_TENSOR_DENSE && (kind == WI_TENSOR_DRAW) == (map != NULL)) {
        status = make_dense(context, source, kind);
        kind = WI_TENSOR_DENSE;
    }
    if (status == WEIR_OK) {
        view->offset = source->offset;
        view->draw = source->draw;
        view->write = write;
        if (map != NULL) map_view(view, source, kind, map);
        if (map != NULL) kind = WI_TENSOR_VIEW;
        if (map == NULL && kind == WI_TENSOR_DRAW) view->write = source->write;
        atomic_store_explicit(
            &view->block,
            weir_block_retain(atomic_load_explicit(&source->block, memory_order_relaxed)),
            memory_order_relaxed);
        atomic_store_explicit(&view->kind, kind, memory_order_release);
    }
    (void)pthread_mutex_unlock(&source->lock);
done:
    if (status == WEIR_OK) {
        *out = view;
        view = NULL;
    }
    dispose(view);
    return status;
}

weir_status wi_tensor_create_alias(weir_tensor *source, weir_tensor **out)
{
    weir_tensor *alias = NULL;
    const weir_status status =
        create_empty(source->context, source->dtype, &source->shape, source->owner, &alias);

    *out = NULL;
    if (status != WEIR_OK) return status;
    (void)pthread_mutex_lock(&source->lock);
    alias->offset = source->offset;
    memcpy(alias->strides, source->strides, sizeof alias->strides);
    alias->draw = source->draw;
    alias->write = source->write;
    atomic_store_explicit(
        &alias->block,
        weir_block_retain(atomic_load_explicit(&source->block, memory_order_relaxed)),
        memory_order_relaxed);
    atomic_store_explicit(&alias->kind, atomic_load_explicit(&source->kind, memory_order_relaxed),
                          memory_order_release);
    (void)pthread_mutex_unlock(&source->lock);
    *out = alias;
    return WEIR_OK;
}

static int is_taken(weir_tensor *tensor, int kind, int takes)
{
    if (kind == WI_TENSOR_DENSE) return 1;
    if (kind == WI_TENSOR_VIEW) return (takes & WI_TAKES_STRIDES) != 0;
    return (takes & WI_TAKES_DRAW) != 0 && tensor->draw_reads++ == 0;
}

weir_status wi_tensor_operand(weir_context *context, weir_tensor *tensor, int takes,
                              wi_operand *out)
{
    weir_status status = WEIR_OK;
    int kind = atomic_load_explicit(&tensor->kind, memory_order_acquire);

    *out = (wi_operand){0};
    if (kind == WI_TENSOR_SYMBOL) { return fail_symbol(); }
    if (tensor->count == 0) return WEIR_OK;
    if (kind == WI_TENSOR_DENSE) {
        locate(tensor, kind, out);
        return WEIR_OK;
    }
    (void)pthread_mutex_lock(&tensor->lock);
    kind = atomic_load_explicit(&tensor->kind, memory_order_relaxed);
    if (!is_taken(tensor, kind, takes)) {
        status = make_dense(context, tensor, kind);
        kind = WI_TENSOR_DENSE;
    }
    if (status == WEIR_OK) locate(tensor, kind, out);
    if (out->is_strided) out->held = weir_block_retain(out->place.block);
    (void)pthread_mutex_unlock(&tensor->lock);
    return status;
}

void wi_operand_let_go(wi_operand *operand)
{
    weir_block_release(operand->held);
    operand->held = NULL;
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
        status = wi_tensor_operand(context, tensor, WI_TAKES_DENSE, &operand);
        if (status != WEIR_OK) goto done;
        status = wi_context_write(context, &operand.place, tensor->bytes, data);
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
    status = wi_tensor_operand(tensor->context, tensor, WI_TAKES_DENSE, &operand);
    if (status != WEIR_OK) return status;
    return wi_context_read(tensor->context, &operand.place, bytes, data);
}

void weir_tensor_release(weir_tensor *tensor)
{
    if (tensor == NULL) return;
    if (atomic_load_explicit(&tensor->keeps, memory_order_relaxed) != 0)
        wi_tensor_label_kept(tensor, 1);
    if (atomic_fetch_sub_explicit(&tensor->owners, 1, memory_order_acq_rel) != 1) return;
    if (!wi_trace_adopt(tensor)) dispose(tensor);
}

int wi_tensor_is_sole(const weir_tensor *tensor)
{
    const weir_block *block = atomic_load_explicit(&tensor->block, memory_order_acquire);
    if (atomic_load_explicit(&tensor->kind, memory_order_acquire) != WI_TENSOR_DENSE) return 0;
    if (atomic_load_explicit(&tensor->owners, memory_order_acquire) != 1) return 0;
    if (block != NULL && wi_block_get_owners(block) != 1) return 0;
    if (block != NULL && wi_block_is_foreign(block)) return 0;
    return !wi_trace_is_wanted(tensor);
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

const weir_block *wi_tensor_get_storage(weir_tensor *tensor, uint64_t *bytes)
{
    const int is_locked = wi_tensor_lock_view(tensor);
    const weir_block *block = atomic_load_explicit(&tensor->block, memory_order_acquire);

    *bytes = weir_block_get_bytes(block);
    if (is_locked) (void)pthread_mutex_unlock(&tensor->lock);
    return block;
}
