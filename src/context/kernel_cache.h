/* The kernels a context has built, by key.
 *
 * Thread: safe; a lookup takes one uncontended lock.
 */
#ifndef WI_CONTEXT_KERNEL_CACHE_H
#define WI_CONTEXT_KERNEL_CACHE_H

#include "cl/program.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Invariants: key != 0 where the slot is used; kernel belongs to program. */
typedef struct wi_cached_kernel {
    uint64_t key;
    wi_program *program;
    wi_kernel *kernel;
} wi_cached_kernel;

/* Open addressing with linear probing; nothing is removed before the end.
 *
 * Invariants: slot_count is a power of two or 0; count <= slot_count / 2. */
typedef struct wi_kernel_cache {
    pthread_mutex_t lock;
    wi_cached_kernel *slots;
    size_t slot_count;
    size_t count;
} wi_kernel_cache;

/** Returns 0 if the lock cannot be made. */
int wi_kernel_cache_init(wi_kernel_cache *cache);

/** Stores binaries that are not on disk yet (see wi_program_store), then destroys all kernels and programs. */
void wi_kernel_cache_fini(wi_kernel_cache *cache);

/** Returns the kernel of a key, NULL if there is none. */
wi_kernel *wi_kernel_cache_find(wi_kernel_cache *cache, uint64_t key);

/** Takes ownership of program and kernel, and returns the kernel to use: an earlier one of the same key wins, then
 * those given are destroyed. NULL (nothing taken) if there is no host memory. */
wi_kernel *wi_kernel_cache_add(wi_kernel_cache *cache, uint64_t key, wi_program *program,
                               wi_kernel *kernel);

#endif
