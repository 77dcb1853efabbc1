/* Labels of a format: one row a property, found by hashing. */
#ifndef WI_RECORDS_LABEL_H
#define WI_RECORDS_LABEL_H

#include "records/builder.h"

#define WI_LABEL_SLOTS 512

/* Headings below which a label means something of its own. */
typedef enum wi_section {
    WI_IN_ANY, /* the label means the same everywhere */
    WI_IN_HALF,
    WI_IN_SINGLE,
    WI_IN_DOUBLE,
    WI_IN_SVM,
    WI_IN_VECTORS,
    WI_IN_QUEUE,
    WI_IN_QUEUE_ON_DEVICE,
    WI_IN_EXECUTION,
    WI_IN_OTHER /* a heading of which nothing is kept */
} wi_section;

struct wi_label;

/* What a reader knows while it walks. */
typedef struct wi_table {
    wi_builder *builder;
    wi_section section;
    const wi_line *line;
} wi_table;

/** Reads a row's value. Returns 1 if the line is what the row says it is. */
typedef int (*wi_label_reader)(wi_table *table, const struct wi_label *label, wi_span value);

/* One row of a format's table. */
typedef struct wi_label {
    wi_section section;
    const char *text;
    wi_label_reader read;
    wi_property_id id;
    unsigned argument; /* as the reader takes it: a second property, a section, a bit, a position */
} wi_label;

/* Hash from a label to its rows. Slots hold a row's number + 1; 0 is empty. */
typedef struct wi_label_index {
    const wi_label *rows;
    size_t count;
    unsigned short slots[WI_LABEL_SLOTS];
} wi_label_index;

/** Fills an index over `count` < 256 rows, which it borrows. */
void wi_label_index_make(wi_label_index *index, const wi_label *rows, size_t count);

/** Finds the row of a label in a section, else the one that holds everywhere, else NULL. */
const wi_label *wi_label_find(const wi_label_index *index, wi_span label, wi_section section);

/** Readers that several formats share. plain: the property's own kind. flags: a heading, `argument` its section, with
 * bits below it. bit: `argument` is the bit's number. heading: only the section. nothing: known, not kept. */
int wi_label_plain(wi_table *table, const wi_label *label, wi_span value);
int wi_label_flags(wi_table *table, const wi_label *label, wi_span value);
int wi_label_bit(wi_table *table, const wi_label *label, wi_span value);
int wi_label_heading(wi_table *table, const wi_label *label, wi_span value);
int wi_label_nothing(wi_table *table, const wi_label *label, wi_span value);
int wi_label_platform_count(wi_table *table, const wi_label *label, wi_span value);
int wi_label_device_count(wi_table *table, const wi_label *label, wi_span value);

/** 1 for a row that announces how many platforms or devices there are. */
int wi_label_is_count(const wi_label *label);

/** Reads a row's value; one that does not fit is noted. */
void wi_label_take(wi_table *table, const wi_label *label, wi_span value);

#endif
