/* A line on a terminal that says how far long work is. */
#ifndef WEIR_TOOLS_PROGRESS_H
#define WEIR_TOOLS_PROGRESS_H

#include <stdint.h>

/* Starts from progress_begin(). Nothing is written unless stderr is a terminal and a second has passed. */
typedef struct progress {
    int is_terminal;
    int is_shown;   /* a line stands on the terminal */
    double next_at; /* stopwatch time of the next update */
} progress;

/** Starts the second before which nothing is shown. */
void progress_begin(progress *line);

/** Shows `label` and done of total, at most ten times a second. total: 0 if it is not known */
void progress_show(progress *line, const char *label, uint64_t done, uint64_t total);

/** Wipes the line. */
void progress_end(progress *line);

#endif
