/* Program text: the embedded files, found by name, and the joining of pieces. One joined text is given to the driver
 * rather than a list, so that what is hashed for the cache is what is compiled, byte by byte.
 */
#include "cl/source.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/embedded.h"

#include <stdio.h>
#include <string.h>

int wi_source_find(const char *name, wi_source *out)
{
    *out = (wi_source){NULL, NULL, 0};
    for (const wi_embedded *row = wi_embedded_texts; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            *out = (wi_source){row->name, (const char *)row->bytes, row->size};
            return 1;
        }
    }
    return 0;
}

#define LINE_FORMAT "#line 1 \"%s\"\n"

weir_status wi_source_join(const wi_source *sources, size_t count, char **text, size_t *bytes)
{
    size_t room = 1;
    size_t used = 0;
    char *joined = NULL;

    *text = NULL;
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        room += sizeof LINE_FORMAT + strlen(sources[i].name) + sources[i].bytes + 1;
    }
    joined = wi_malloc(room);
    if (joined == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "wi_program_create", "program text of %zu bytes", room);
    }
    for (size_t i = 0; i < count; i++) {
        const wi_source *piece = &sources[i];
        used += (size_t)snprintf(joined + used, room - used, LINE_FORMAT, piece->name);
        if (piece->bytes == 0) continue;
        memcpy(joined + used, piece->text, piece->bytes);
        used += piece->bytes;
        if (joined[used - 1] != '\n') joined[used++] = '\n';
    }
    joined[used] = 0;
    *text = joined;
    *bytes = used;
    return WEIR_OK;
}
