/* A text that grows by doubling and remembers the first failure, so that callers check once at the end. */
#include "base/memory.h"
#include "base/status.h"

#include <weir/text.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A zero-terminated byte string.
 *
 * Invariants: data == NULL and bytes == capacity == 0, or bytes < capacity and data[bytes] == 0.
 */
struct weir_text {
    char *data;
    size_t bytes;
    size_t capacity;
    int has_failed;
};

weir_status weir_text_create(weir_text **out)
{
    if (out == NULL) return wi_fail(WEIR_E_ARG, "weir_text_create", "out is required");
    *out = wi_calloc(1, sizeof **out);
    if (*out == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_text_create", "%zu host bytes", sizeof **out);
    }
    return WEIR_OK;
}

void weir_text_destroy(weir_text *text)
{
    if (text == NULL) return;
    wi_free(text->data);
    wi_free(text);
}

/* Makes room for `more` bytes and the final zero; returns 0 after a failure. */
static int reserve(weir_text *text, size_t more)
{
    size_t needed = 0;
    size_t capacity = text->capacity < 128 ? 128 : text->capacity;
    char *data = NULL;

    if (text->has_failed) return 0;
    if (more > SIZE_MAX / 4 - text->bytes) {
        text->has_failed = 1;
        return 0;
    }
    needed = text->bytes + more + 1;
    if (needed <= text->capacity) return 1;
    while (capacity < needed) capacity *= 2;
    data = wi_realloc(text->data, capacity);
    if (data == NULL) {
        text->has_failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void weir_text_append_bytes(weir_text *text, const char *data, size_t bytes)
{
    if (text == NULL || !reserve(text, bytes)) return;
    if (bytes != 0) memcpy(text->data + text->bytes, data, bytes);
    text->bytes += bytes;
    text->data[text->bytes] = '\0';
}

void weir_text_append(weir_text *text, const char *format, ...)
{
    va_list arguments;
    va_list again;
    int length = 0;

    if (text == NULL) return;
    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) {
        text->has_failed = 1;
    } else if (reserve(text, (size_t)length)) {
        (void)vsnprintf(text->data + text->bytes, (size_t)length + 1, format, again);
        text->bytes += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void weir_text_reset(weir_text *text)
{
    if (text == NULL) return;
    text->bytes = 0;
    text->has_failed = 0;
    if (text->data != NULL) text->data[0] = '\0';
}

const char *weir_text_get(const weir_text *text)
{
    return text != NULL && text->data != NULL ? text->data : "";
}

size_t weir_text_get_bytes(const weir_text *text) { return text != NULL ? text->bytes : 0; }

weir_status weir_text_get_status(const weir_text *text)
{
    if (text == NULL || !text->has_failed) return WEIR_OK;
    return wi_fail(WEIR_E_HOST_MEMORY, "weir_text_append", "no host memory after %zu bytes",
                   text->bytes);
}
