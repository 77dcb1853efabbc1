/* Blocks as the rooms above use them: a buffer and an offset for kernel arguments. */
#ifndef WI_MEM_BLOCK_H
#define WI_MEM_BLOCK_H

#include "cl/opencl.h"

#include <weir/pool.h>

/* Bytes of a block from an offset on. Blocks may be moved by compaction, so where the bytes are in OpenCL's terms is
 * known only while the pool's placement is held (wi_pool_hold). */
typedef struct wi_span {
    weir_block *block;     /* NULL: nothing is there */
    uint64_t offset_bytes; /* from the start of the block */
} wi_span;

/** The cl_mem of the root; NULL for an empty block. Valid while the pool's placement is held. */
cl_mem wi_block_get_buffer(const weir_block *block);

/** The offset within that root. Valid while the pool's placement is held. */
uint64_t wi_block_get_offset_bytes(const weir_block *block);

/** Keeps a block where it is until wi_block_unpin(), once a call: while somebody else knows its buffer, or has it mapped.
 * After it, buffer and offset may be read without holding the pool. Not while holding. Thread: safe. */
void wi_block_pin(weir_block *block);
void wi_block_unpin(weir_block *block);

/** Makes a block of a buffer of the program, of which the block holds a reference until the commands on it are done.
 * The pool counts it nowhere and nothing may write to it.
 * offset_bytes, bytes   within the buffer; bytes > 0
 * Errors: FORKED, HOST_MEMORY, DRIVER. */
weir_status wi_block_create_foreign(weir_pool *pool, cl_mem buffer, uint64_t offset_bytes,
                                    uint64_t bytes, weir_block **out);

/** 1 for a block made by wi_block_create_foreign(). */
int wi_block_is_foreign(const weir_block *block);

/** Number of owners. Exact only while the caller's lock excludes changes. */
uint64_t wi_block_get_owners(const weir_block *block);

/** WEIR_OK, or MISUSE for a block that its last owner has released, as far as that can be told. */
weir_status wi_block_check_held(const weir_block *block, const char *where);

/** Moves a block to another owner label: a name takes the place of the last part of the label it has, a path that begins
 * with '/' that of the whole. Keeps the old one if there is no host memory for the new. Thread: safe. */
void wi_block_relabel(weir_block *block, const char *owner);

/** The pool a block came from. */
weir_pool *wi_block_get_pool(const weir_block *block);

#endif
