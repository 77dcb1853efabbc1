/* What is in a text: which outputs, of which formats, from where to where. */
#ifndef WI_RECORDS_SNIFF_H
#define WI_RECORDS_SNIFF_H

#include "records/reader.h"

typedef enum wi_format {
    WI_FORMAT_NONE, /* nothing that is understood */
    WI_FORMAT_HUMAN,
    WI_FORMAT_AMD,
    WI_FORMAT_RAW,
    WI_FORMAT_LIST,
    WI_FORMAT_JSON,
    WI_FORMAT_COUNT
} wi_format;

/* One output. */
typedef struct wi_output {
    wi_part part;
    wi_format format;
    size_t last_line; /* its last line's number */
} wi_output;

/** Finds the next output at the cursor and moves behind it; returns 0 at the end of the text. What comes before the
 * first beginning of an output is an output too, whose first lines are lost; its format may be NONE. */
int wi_sniff_next(const wi_readers *readers, const wi_lines *lines, wi_cursor *cursor,
                  wi_output *out);

#endif
