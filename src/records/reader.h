/* The readers, one a format. Each reads the lines between two offsets into a builder and finishes it. */
#ifndef WI_RECORDS_READER_H
#define WI_RECORDS_READER_H

#include "records/label.h"

/* Indices over the tables of labels, made once a text. */
typedef struct wi_readers {
    wi_label_index human;
    wi_label_index amd;
} wi_readers;

/* One output in a text: lines from `from` (the first has number `line` + 1) to offset `to`. */
typedef struct wi_part {
    size_t from;
    size_t to;
    size_t line;
} wi_part;

void wi_human_index(wi_label_index *index);
void wi_amd_index(wi_label_index *index);

/** Whether a line is one of the format: 0 no, 1 maybe, 2 for sure. */
int wi_human_knows(const wi_label_index *index, const wi_line *line);
int wi_amd_knows(const wi_label_index *index, const wi_line *line);
int wi_raw_knows(const wi_line *line);
int wi_list_knows(const wi_line *line);

void wi_human_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                   wi_builder *builder);
void wi_amd_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                 wi_builder *builder);
void wi_raw_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                 wi_builder *builder);
void wi_list_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                  wi_builder *builder);
void wi_json_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                  wi_builder *builder);

/** Offset behind the JSON value that begins at `from`; lines->bytes if it does not end. */
size_t wi_json_end(const wi_lines *lines, size_t from);

#endif
