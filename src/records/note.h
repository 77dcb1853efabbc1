/* What was left out of a text, said in a bounded number of lines. */
#ifndef WI_RECORDS_NOTE_H
#define WI_RECORDS_NOTE_H

#include "records/lines.h"

#define WI_NOTES_MAX 24
#define WI_NOTE_BYTES 320

/* One more place than WI_NOTES_MAX is for wi_notes_close().
 *
 * Invariants: count <= WI_NOTES_MAX; texts[0 .. count) are zero-terminated and owned. */
typedef struct wi_notes {
    char *texts[WI_NOTES_MAX + 1];
    size_t count;
    size_t more;      /* notes beyond the first WI_NOTES_MAX */
    int is_exhausted; /* 1: a note found no host memory */
} wi_notes;

/** Adds a line, cut to fit. A line that is there already is not added again. */
void wi_note(wi_notes *notes, const char *format, ...) WEIR_PRINTF(2, 3);

/** Moves the notes of `from` to the end of `to`; `from` is empty afterwards. */
void wi_notes_move(wi_notes *to, wi_notes *from);

/** Says how many notes there were beyond those kept, if any. Nothing is added afterwards. */
void wi_notes_close(wi_notes *notes);

void wi_notes_clear(wi_notes *notes);

#endif
