/* A pool over the queues of one set. */
#ifndef WI_MEM_POOL_H
#define WI_MEM_POOL_H

#include "device/device.h"
#include "mem/queues.h"

#include <weir/pool.h>

/** Makes a pool that takes its roots from `context` for `device`; commands that use its blocks go to `queues`, which live
 * longer.
 * can_move        1: the pool may move blocks, if strategy and configuration want it; 0: never
 * parent          the object that must live while blocks live; retain_parent is called for the first of them,
 *                 release_parent when the last has gone */
typedef struct wi_pool_options {
    cl_context context;
    weir_device *device;
    wi_queues *queues;
    uint64_t
        align_bytes; /* of all devices that use the context, a power of two; 0: of the device */
    int can_move;
    void *parent;
    void (*retain_parent)(void *parent);
    void (*release_parent)(void *parent);
} wi_pool_options;

weir_status wi_pool_create(const wi_pool_options *options, weir_pool **out);

/** The alignment of buffers that suits every device of the pool's context. */
uint64_t wi_pool_get_align_bytes(const weir_pool *pool);

/** Every block was released. Waits for commands and releases all roots. NULL is allowed. */
void wi_pool_destroy(weir_pool *pool);

/** Releases the buffers that were given back and whose commands are known to be done. Thread: safe. */
void wi_pool_reap(weir_pool *pool);

/** Returns "/outer/inner/name" for the scopes of the calling thread, to be freed by wi_free(); NULL if there is no host
 * memory. Blocks taken under that label have it whatever scopes are open then. */
char *wi_pool_label(weir_pool *pool, const char *name);

/** Holds every block of the pool where it is until wi_pool_let_go(), for the time from reading where a block is to the
 * return of the call that enqueues the command. Shared: any number of threads hold at once, each once. Nothing of the pool
 * is taken or released while it is held: whoever moves blocks has the pool's lock and waits for those who hold. Costs
 * nothing where the pool never moves blocks. */
void wi_pool_hold(weir_pool *pool);
void wi_pool_let_go(weir_pool *pool);

/** What debugging found first since the last reset: WEIR_OK, or MISUSE, recorded for the calling thread. Thread: safe. */
weir_status wi_pool_get_error(weir_pool *pool);
void wi_pool_reset_error(weir_pool *pool);

/** Verifies statistics against blocks and arena; returns 1, or 0 after appending what is broken. */
int wi_pool_check(const weir_pool *pool, weir_text *why);

#endif
