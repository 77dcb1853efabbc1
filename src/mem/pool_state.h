/* What a pool and a block are made of; for the files of this room that share it. */
#ifndef WI_MEM_POOL_STATE_H
#define WI_MEM_POOL_STATE_H

#include "base/process.h"
#include "mem/debug.h"
#include "mem/gate.h"
#include "mem/owners.h"
#include "mem/pending.h"
#include "mem/pool.h"
#include "mem/roots.h"
#include "mem/scope.h"
#include "plan/range.h"

#include <pthread.h>
#include <stdatomic.h>

/* A range handed to a user.
 *
 * Invariants: owners >= 1 while it is held; an empty block, requested_bytes == 0, has neither range nor foreign, its
 * buffer is NULL and its bytes 0; of others exactly one is there. With a range requested_bytes and the guards <= bytes,
 * owner counts it, it is the range's holder, and buffer, root_serial and offset_bytes are where the range is: these
 * change while the gate is closed, and are read inside it or with the pool's lock held. pins changes inside the gate.
 * With foreign nothing counts it, and bytes == requested_bytes. */
struct weir_block {
    _Atomic uint64_t owners;
    weir_pool *pool;
    wi_range *range;
    wi_root *foreign;      /* a buffer of the program, this block's alone */
    _Atomic uint64_t pins; /* while not 0, it stays where it is */
    cl_mem buffer;
    uint64_t root_serial;
    uint64_t offset_bytes;
    uint64_t bytes;
    uint64_t requested_bytes;
    wi_owner *owner;
    weir_block *next_spare;
    _Atomic uint32_t users;   /* who has commands pending on it: see pending.c */
    _Atomic uint64_t written; /* number of its home's last command that wrote it, or a later one */
    int is_guarded;           /* its guards are written, and checked at release */
};

/* Tells a pool from a later one at the same address, for marks, which may outlive theirs.
 *
 * Invariants: owners == marks of the pool that live, and 1 if the pool does. */
typedef struct wi_pool_identity {
    _Atomic uint64_t owners;
} wi_pool_identity;

/** Drops an owner. NULL is allowed. */
void wi_pool_identity_release(wi_pool_identity *identity);

/* Invariants: requested.current <= in_use.current <= roots.reserved.current <= limit, where there is one;
 * in_use.current == arena's in use == sum of the owners' bytes; blocks.current == sum of the owners' blocks, the same for
 * totals;
 * arena == NULL until the first block that is not empty; the parent is retained once while
 * blocks.current + uncounted_blocks != 0; of spare blocks foreign is NULL and is_guarded 0. */
struct weir_pool {
    pthread_mutex_t lock; /* all below, but for what is set once */
    wi_arena *arena;
    weir_block *spare_blocks;
    size_t spare_count;
    uint64_t uncounted_blocks; /* held, but in no sum: empty ones and foreign ones */
    wi_tally requested;        /* this and the next are counted by blocks.total */
    wi_tally in_use;
    wi_tally blocks;
    wi_scopes scopes;
    wi_pool_options options;
    wi_process_mark *mark;
    wi_roots roots;
    wi_owners owners;
    wi_debug debug;
    wi_gate gate; /* inside: blocks stay; closed by who has the lock: they are moved */
    wi_queue *touch_queue;
    wi_lender lender; /* this pool among those of its device */
    uint64_t oom_count;
    wi_pool_identity *identity; /* NULL until the first mark */
};

/* Where a request ended. */
typedef struct wi_place {
    wi_range *range;
    wi_owner *owner;
    weir_oom_cause cause;
} wi_place;

/** Takes the lock, not from inside the gate. Reading takes it, too: the pool is const for its callers, not for its lock. */
static inline void wi_pool_lock(const weir_pool *pool)
{
    wi_gate_check_outside();
    (void)pthread_mutex_lock(&((weir_pool *)(uintptr_t)pool)->lock);
}

static inline void wi_pool_unlock(const weir_pool *pool)
{
    (void)pthread_mutex_unlock(&((weir_pool *)(uintptr_t)pool)->lock);
}

/** Writes where a block's bytes are when its range begins `offset_bytes` into a root: behind the guard, if there are
 * guards. */
static inline void wi_block_place(weir_block *block, const wi_root *root, uint64_t offset_bytes,
                                  uint64_t guard_bytes)
{
    block->buffer = root->buffer;
    block->root_serial = root->serial;
    block->offset_bytes = offset_bytes + guard_bytes;
}

/* The parts of weir_block.users, see pending.c: the home's index, and above it a bit a queue for the others. */
#define WI_USERS_HOME_MASK UINT32_C(0xffff)
#define WI_USERS_BIT_SHIFT 16

/** Makes the queue the home of a block without contents, whose bytes a set of other queues may still use. */
static inline void wi_block_begin_life(weir_block *block, const weir_queue *queue, uint32_t others)
{
    atomic_init(&block->written, 0);
    atomic_init(&block->users, queue->index | others << WI_USERS_BIT_SHIFT);
}

/** The queues whose commands may use the block, and the largest of the numbers of their last. */
static inline wi_uses wi_block_get_uses(const weir_block *block)
{
    if (atomic_load_explicit(&block->users, memory_order_acquire) != 0)
        return wi_block_collect_uses(block);
    return (wi_uses){
        .until = wi_queue_get_sequence(block->pool->options.queues->slots[0].queue),
        .queues = 1,
    };
}

/** 1 for a block that its last owner has released, which is reported as a mistake of the call `where`. Only of objects
 * that are kept (wi_debug_keeps) it is sure. */
static inline int wi_block_is_released(const weir_block *block, const char *where)
{
    if (atomic_load_explicit(&block->owners, memory_order_relaxed) != 0) return 0;
    wi_debug_report_released(block, where);
    return 1;
}

/** Blocks that are held. Needs the lock. */
static inline uint64_t wi_pool_count_held(const weir_pool *pool)
{
    return pool->blocks.current + pool->uncounted_blocks;
}

/** As wi_pool_check(), for a caller that has the lock. */
int wi_pool_check_locked(const weir_pool *pool, weir_text *why);

/** Fills what a report says of the pool itself: bytes, limit, largest free range, owners. Needs the lock. */
void wi_pool_describe(const weir_pool *pool, weir_oom_report *report);

/** Gives a new block object of the pool with one owner and nothing else set, or takes one back. Need the lock.
 * Errors: HOST_MEMORY. */
weir_status wi_pool_take_block_object(weir_pool *pool, weir_block **out);
void wi_pool_put_block_object(weir_pool *pool, weir_block *block);

/** Has at least one spare block object. Needs the lock. Errors: HOST_MEMORY. */
weir_status wi_pool_reserve_block_object(weir_pool *pool);

/* The rare turns of weir_pool_alloc(), kept apart from it so that it needs few registers and little of the stack. */

/** Records why a request cannot be served at all, for queue and process. */
weir_status wi_pool_refuse(const weir_pool *pool, const weir_queue *queue);

/** Makes ready what a request needs: an arena, a spare block object, buffers given back that can go. Needs the lock.
 * Errors: HOST_MEMORY, those of freezing the configuration. */
weir_status wi_pool_prepare(weir_pool *pool, const char *owner);

/** Finds owner and range for a request. On success there is a spare block object. Needs the lock.
 * Errors: OUT_OF_MEMORY, not recorded; HOST_MEMORY, what the driver gave. */
weir_status wi_pool_find_place(weir_pool *pool, uint64_t bytes, const char *owner, wi_place *out);

/** Goes on with a request for which wi_pool_find_place() gave `status`, a failure. Needs the lock, which is let go while
 * other pools are asked.
 * Errors: those of wi_pool_find_place(), recorded. */
weir_status wi_pool_insist(weir_pool *pool, uint64_t bytes, const char *owner, wi_place *place,
                           weir_status status);

/** Tells the parent that a block is held, the first; or that none is any more, and with that the pool may go. Without the
 * lock. */
void wi_pool_retain_parent(weir_pool *pool);
void wi_pool_release_parent(weir_pool *pool);

/** What the device's budget counts beyond this pool's roots. Other pools go on meanwhile. Needs the lock. */
uint64_t wi_pool_reserved_by_others(const weir_pool *pool);

/** Joins the pools of the device, and leaves them. Without the lock. Leaving without having joined is allowed. */
void wi_pool_join(weir_pool *pool);
void wi_pool_leave(weir_pool *pool);

/** Has other pools of the device give back what they hold free, for a request of `bytes` that failed; returns 1 if one
 * did. Needs the lock, which is let go meanwhile: what was read under it is to be read again. */
int wi_pool_ask_others(weir_pool *pool, uint64_t bytes);

/** OK, or FORKED (recorded) in a process forked after the pool was made. */
weir_status wi_pool_check_process(const weir_pool *pool, const char *where);

#endif
