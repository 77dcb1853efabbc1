/* Host memory through the hooks of weir/host_memory.h. All may return NULL except for zero-byte requests' frees. */
#ifndef WI_BASE_MEMORY_H
#define WI_BASE_MEMORY_H

#include <stddef.h>

void *wi_malloc(size_t bytes);

/** Zeroed; NULL also if count * bytes overflows. */
void *wi_calloc(size_t count, size_t bytes);

/** As realloc; `memory` is untouched if NULL is returned. */
void *wi_realloc(void *memory, size_t bytes);

void wi_free(void *memory);

/** Copies a zero-terminated string; NULL if there is no memory. */
char *wi_strdup(const char *text);

#endif
