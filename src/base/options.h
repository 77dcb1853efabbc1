/* Options structs of callers built against another version: they grow at the end only, and struct_size says where the
 * caller's ends. */
#ifndef WI_BASE_OPTIONS_H
#define WI_BASE_OPTIONS_H

#include <stddef.h>
#include <string.h>

#define WI_OPTIONS_MOST 4096u /* bytes; no options struct will ever be that long */

/** Copies what the caller has of an options struct to `out`, of `bytes` bytes; the rest becomes zero, which means
 * default. given: NULL, or a struct that begins with its size_t struct_size.
 * Returns 1, or 0 for a size that no caller can have set by the INIT macro, as where nothing was set at all: less than
 * struct_size itself, not a multiple of it, or WI_OPTIONS_MOST and more. */
static inline int wi_options_read(const void *given, void *out, size_t bytes)
{
    size_t size = 0;

    memset(out, 0, bytes);
    if (given == NULL) return 1;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size % sizeof size != 0 || size >= WI_OPTIONS_MOST) return 0;
    memcpy(out, given, size < bytes ? size : bytes);
    return 1;
}

#endif
