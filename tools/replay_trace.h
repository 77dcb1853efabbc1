/* A trace of allocations, read as a stream: CSV `event,id,bytes,queue`, events live, alloc, free. */
#ifndef WEIR_TOOLS_REPLAY_TRACE_H
#define WEIR_TOOLS_REPLAY_TRACE_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_BATCH 4096

typedef struct trace_event {
    uint64_t bytes; /* 0: a free */
    size_t slot;    /* names the block from its allocation to its free; then it is used again */
} trace_event;

/* Events in the order of the file. All of them, or none, are of `live` lines. */
typedef struct trace_batch {
    trace_event events[TRACE_BATCH];
    size_t count;
    int is_live;
} trace_batch;

typedef struct trace_reader trace_reader;

/** Opens a trace and reads its heading.
 * path   "-": standard input
 * Returns 0 and *out, or 2 (PROGRAM_USAGE) or 1 (PROGRAM_FAILED) after one line on stderr. */
int trace_open(const char *path, trace_reader **out);

/** Closes a trace. NULL is allowed. */
void trace_close(trace_reader *reader);

/** Reads the next events; a count of 0 is the end. Returns as trace_open(); a bad line is named with file and number. */
int trace_read(trace_reader *reader, trace_batch *batch);

/** Returns how many slots there are: all those of the batches read so far are below it. */
size_t trace_slots(const trace_reader *reader);

/** Returns the most bytes alive at one time so far, in sizes as asked for. */
uint64_t trace_peak_live(const trace_reader *reader);

/** Returns how many `alloc` lines were read so far. */
uint64_t trace_allocs(const trace_reader *reader);

/** How far the file is read. total: 0 if that is not known, as of a pipe */
void trace_progress(const trace_reader *reader, uint64_t *done, uint64_t *total);

#endif
