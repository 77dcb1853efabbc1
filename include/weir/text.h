/* A growing text, for reports that the library writes and the caller prints.
 *
 * The builder remembers a failed append: later appends do nothing, and one check at the end tells.
 */
#ifndef WEIR_TEXT_H
#define WEIR_TEXT_H

#include <weir/status.h>

#include <stddef.h>

WEIR_BEGIN_DECLS

typedef struct weir_text weir_text;

/** Makes an empty text. out: owned by the caller, weir_text_destroy(). Errors: ARG, HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_text_create(weir_text **out);

/** Frees a text. NULL is allowed. */
WEIR_API void weir_text_destroy(weir_text *text);

/** Appends as printf does. A NULL text is ignored. Thread: one thread a text. */
WEIR_API void weir_text_append(weir_text *text, const char *format, ...) WEIR_PRINTF(2, 3);

/** Appends `bytes` bytes as they are. */
WEIR_API void weir_text_append_bytes(weir_text *text, const char *data, size_t bytes);

/** Empties a text and forgets an earlier failure; keeps its memory. */
WEIR_API void weir_text_reset(weir_text *text);

/** Returns the text, zero-terminated, never NULL; valid until the next append, reset or destroy. */
WEIR_API const char *weir_text_get(const weir_text *text);

/** Returns the length in bytes without the final zero. */
WEIR_API size_t weir_text_get_bytes(const weir_text *text);

/** Returns WEIR_OK, or HOST_MEMORY if any append since the last reset failed. */
WEIR_API weir_status weir_text_get_status(const weir_text *text);

WEIR_END_DECLS

#endif
