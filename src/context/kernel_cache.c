/* A hash table from keys to kernels. It only grows, to the number of different kernels a program uses; each entry is a
 * compiled kernel, so the table itself never matters for size. */
#include "context/kernel_cache.h"

#include "base/memory.h"

#include <string.h>

int wi_kernel_cache_init(wi_kernel_cache *cache)
{
    memset(cache, 0, sizeof *cache);
    return pthread_mutex_init(&cache->lock, NULL) == 0;
}

void wi_kernel_cache_fini(wi_kernel_cache *cache)
{
    for (size_t i = 0; i < cache->slot_count; i++) {
        wi_cached_kernel *slot = &cache->slots[i];
        if (slot->key == 0) continue;
        wi_program_store(slot->program);
        wi_kernel_destroy(slot->kernel);
        wi_program_destroy(slot->program);
    }
    wi_free(cache->slots);
    (void)pthread_mutex_destroy(&cache->lock);
    memset(cache, 0, sizeof *cache);
}

/* The slot of a key, or the empty slot where it would stand. Needs slot_count > count. */
static wi_cached_kernel *probe(wi_cached_kernel *slots, size_t slot_count, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (slot_count - 1);
    while (slots[i].key != 0 && slots[i].key != key) i = (i + 1) & (slot_count - 1);
    return &slots[i];
}

static int grow(wi_kernel_cache *cache)
{
    size_t slot_count = cache->slot_count == 0 ? 64 : cache->slot_count * 2;
    wi_cached_kernel *slots = wi_calloc(slot_count, sizeof *slots);
    if (slots == NULL) return 0;
    for (size_t i = 0; i < cache->slot_count; i++) {
        if (cache->slots[i].key == 0) continue;
        *probe(slots, slot_count, cache->slots[i].key) = cache->slots[i];
    }
    wi_free(cache->slots);
    cache->slots = slots;
    cache->slot_count = slot_count;
    return 1;
}

wi_kernel *wi_kernel_cache_find(wi_kernel_cache *cache, uint64_t key)
{
    wi_kernel *kernel = NULL;
    (void)pthread_mutex_lock(&cache->lock);
    if (cache->slot_count != 0) kernel = probe(cache->slots, cache->slot_count, key)->kernel;
    (void)pthread_mutex_unlock(&cache->lock);
    return kernel;
}

wi_kernel *wi_kernel_cache_add(wi_kernel_cache *cache, uint64_t key, wi_program *program,
                               wi_kernel *kernel)
{
    wi_kernel *used = NULL;
    (void)pthread_mutex_lock(&cache->lock);
    if (cache->count * 2 < cache->slot_count || grow(cache)) {
        wi_cached_kernel *slot = probe(cache->slots, cache->slot_count, key);
        if (slot->key == 0) {
            slot->key = key;
            slot->program = program;
            slot->kernel = kernel;
            cache->count++;
        }
        used = slot->kernel;
    }
    (void)pthread_mutex_unlock(&cache->lock);
    if (used != NULL && used != kernel) {
        wi_kernel_destroy(kernel);
        wi_program_destroy(program);
    }
    return used;
}
