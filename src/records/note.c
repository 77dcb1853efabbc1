/* Notes: a text with a million odd lines must not make a million warnings. One thread a list. */
#include "records/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_there(const wi_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->texts[i], text) == 0) return 1;
    return 0;
}

void wi_note(wi_notes *notes, const char *format, ...)
{
    char text[WI_NOTE_BYTES];
    va_list arguments;
    size_t bytes = 0;

    if (notes->count == WI_NOTES_MAX) {
        notes->more++;
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_there(notes, text)) return;
    bytes = strlen(text) + 1;
    notes->texts[notes->count] = malloc(bytes);
    if (notes->texts[notes->count] == NULL) {
        notes->is_exhausted = 1;
        return;
    }
    memcpy(notes->texts[notes->count++], text, bytes);
}

void wi_notes_move(wi_notes *to, wi_notes *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (to->count < WI_NOTES_MAX && !is_there(to, from->texts[i])) {
            to->texts[to->count++] = from->texts[i];
            continue;
        }
        to->more += to->count == WI_NOTES_MAX;
        free(from->texts[i]);
    }
    to->more += from->more;
    to->is_exhausted |= from->is_exhausted;
    memset(from, 0, sizeof *from);
}

void wi_notes_close(wi_notes *notes)
{
    char text[64];
    size_t bytes = 0;

    if (notes->more == 0) return;
    bytes = (size_t)snprintf(text, sizeof text, "%zu more warnings are not shown", notes->more) + 1;
    notes->texts[notes->count] = malloc(bytes);
    if (notes->texts[notes->count] == NULL)
        notes->is_exhausted = 1;
    else
        memcpy(notes->texts[notes->count++], text, bytes);
}

void wi_notes_clear(wi_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) free(notes->texts[i]);
    memset(notes, 0, sizeof *notes);
}
