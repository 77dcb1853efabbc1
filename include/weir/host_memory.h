/* Where the library takes host memory from. */
#ifndef WEIR_HOST_MEMORY_H
#define WEIR_HOST_MEMORY_H

#include <weir/status.h>

#include <stddef.h>

WEIR_BEGIN_DECLS

/* All three or none. They behave like malloc, realloc and free of the C library (NULL, zero sizes, alignment) and
 * may be called from any thread. */
typedef struct weir_host_allocator {
    void *(*allocate)(size_t bytes, void *user);
    void *(*reallocate)(void *memory, size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *user; /* passed to each call; must outlive every object of the library */
} weir_host_allocator;

/** Replaces the source of host memory for the whole process; NULL brings the C library's back.
 * Objects must be released through the allocator that made them: call it before the first other call, or when no
 * object of the library is alive.
 * allocator   copied
 * Thread: not safe against any other call of the library.
 * Errors: ARG if a member other than user is NULL. */
WEIR_API WEIR_NODISCARD weir_status weir_host_memory_set(const weir_host_allocator *allocator);

WEIR_END_DECLS

#endif
