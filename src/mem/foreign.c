/* Blocks across the border: the program's buffers as blocks, and the pool's blocks as buffers for the program.
 *
 * A block on a buffer of the program is one that the arena does not know: no range, no owner, no bytes in any sum. It is
 * held through a root of its own, so that a reference that may be the buffer's last goes only when the commands on it are
 * done, as with the pool's roots.
 * Locking: the pool's lock to make blocks; the placement, shared, to read where one is and to pin it there.
 */
#include "cl/foreign.h"
#include "mem/block.h"
#include "mem/pool_state.h"

#include "base/status.h"

#include <weir/interop_cl.h>

#include <inttypes.h>

weir_status wi_block_create_foreign(weir_pool *pool, cl_mem buffer, uint64_t offset_bytes,
                                    uint64_t bytes, weir_block **out)
{
    weir_block *block = NULL;
    int is_first = 0;
    weir_status status = wi_pool_check_process(pool, "weir_tensor_wrap_cl_mem");

    *out = NULL;
    if (status != WEIR_OK) return status;
    wi_pool_lock(pool);
    status = wi_pool_take_block_object(pool, &block);
    if (status == WEIR_OK) status = wi_roots_take_foreign(&pool->roots, buffer, &block->foreign);
    if (status == WEIR_OK) {
        wi_block_begin_foreign(block);
        block->buffer = buffer;
        block->root_serial = block->foreign->serial;
        block->offset_bytes = offset_bytes;
        block->bytes = bytes;
        block->requested_bytes = bytes;
    } else {
        wi_pool_put_block_object(pool, block);
        block = NULL;
    }
    is_first = block != NULL && wi_pool_count_held(pool) == 0;
    if (block != NULL) pool->uncounted_blocks++;
    wi_pool_unlock(pool);
    if (is_first) wi_pool_retain_parent(pool);
    *out = block;
    return status;
}

int wi_block_is_foreign(const weir_block *block) { return block->foreign != NULL; }

void weir_block_get_cl_mem(weir_block *block, cl_mem *mem, uint64_t *offset_bytes)
{
    if (mem != NULL) *mem = NULL;
    if (offset_bytes != NULL) *offset_bytes = 0;
    if (block == NULL || wi_block_is_released(block, "weir_block_get_cl_mem")) return;
    /* A forked child may find the pool's gate closed for good, and has no use for the parent's buffer. */
    if (!wi_process_is_marked(block->pool->mark)) return;
    wi_block_pin(block);
    if (mem != NULL) *mem = block->buffer;
    if (offset_bytes != NULL) *offset_bytes = block->offset_bytes;
}

/* Only a buffer of the program can be a sub-buffer itself, of which there are no sub-buffers. */
static weir_status check_whole(const weir_block *block)
{
    wi_cl_buffer_facts facts;
    weir_status status = WEIR_OK;

    if (!wi_block_is_foreign(block)) return WEIR_OK;
    status = wi_cl_buffer_query(block->buffer, &facts);
    if (status != WEIR_OK || facts.parent == NULL) return status;
    return wi_fail_hint(WEIR_E_UNSUPPORTED, "weir_block_create_sub_buffer",
                        "make it of the buffer that the wrapped one is a part of",
                        "the wrapped buffer is a sub-buffer itself");
}

weir_status weir_block_create_sub_buffer(weir_block *block, uint64_t offset_bytes, uint64_t bytes,
                                         cl_mem *out)
{
    static const char where[] = "weir_block_create_sub_buffer";
    weir_status status = WEIR_OK;
    uint64_t align_bytes = 0;
    uint64_t start_bytes = 0;
    cl_mem buffer = NULL;

    if (out != NULL) *out = NULL;
    if (block == NULL || out == NULL)
        return wi_fail(WEIR_E_ARG, where, "block and out are required");
    status = wi_block_check_held(block, where);
    if (status != WEIR_OK) return status;
    status = wi_pool_check_process(block->pool, where);
    if (status != WEIR_OK) return status;
    if (bytes == 0 || offset_bytes > block->requested_bytes ||
        bytes > block->requested_bytes - offset_bytes) {
        return wi_fail(WEIR_E_ARG, where,
                       "%" PRIu64 " bytes at offset %" PRIu64 " of a block of %" PRIu64 " bytes",
                       bytes, offset_bytes, block->requested_bytes);
    }
    status = check_whole(block);
    if (status != WEIR_OK) return status;
    align_bytes = wi_pool_get_align_bytes(block->pool);
    weir_block_get_cl_mem(block, &buffer, &start_bytes);
    start_bytes += offset_bytes;
    if (start_bytes % align_bytes != 0) {
        status = wi_fail_hint(WEIR_E_ARG, where,
                              "begin at a multiple of it, or pass buffer and offset to the kernel",
                              "offset %" PRIu64 " in the buffer; the devices of the context want a "
                              "multiple of %" PRIu64 " bytes",
                              start_bytes, align_bytes);
    } else {
        status = wi_cl_sub_buffer_create(buffer, start_bytes, bytes, out);
    }
    if (status != WEIR_OK) wi_block_unpin(block);
    return status;
}
