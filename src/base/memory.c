/* Host memory through replaceable hooks, the C library's by default.
 *
 * The hooks are read without a lock: weir_host_memory_set() is documented as not safe against other calls.
 */
#include "base/memory.h"

#include "base/status.h"

#include <weir/host_memory.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void *default_reallocate(void *memory, size_t bytes, void *user)
{
    (void)user;
    return realloc(memory, bytes);
}

static void default_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static const weir_host_allocator default_allocator = {default_allocate, default_reallocate,
                                                      default_release, NULL};
static weir_host_allocator allocator = {default_allocate, default_reallocate, default_release,
                                        NULL};

weir_status weir_host_memory_set(const weir_host_allocator *replacement)
{
    if (replacement == NULL) {
        allocator = default_allocator;
        return WEIR_OK;
    }
    if (replacement->allocate == NULL || replacement->reallocate == NULL ||
        replacement->release == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_host_memory_set",
                       "allocate, reallocate and release are required");
    }
    allocator = *replacement;
    return WEIR_OK;
}

void *wi_malloc(size_t bytes) { return allocator.allocate(bytes, allocator.user); }

void *wi_calloc(size_t count, size_t bytes)
{
    void *memory = NULL;
    if (bytes != 0 && count > SIZE_MAX / bytes) return NULL;
    memory = allocator.allocate(count * bytes, allocator.user);
    if (memory != NULL) memset(memory, 0, count * bytes);
    return memory;
}

void *wi_realloc(void *memory, size_t bytes)
{
    return allocator.reallocate(memory, bytes, allocator.user);
}

void wi_free(void *memory)
{
    if (memory != NULL) allocator.release(memory, allocator.user);
}

char *wi_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = wi_malloc(bytes);
    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}
