/* Made traces: sequences of requests as programs with varying shapes make them, the same on every machine. */
#ifndef WT_ARENA_TRACES_H
#define WT_ARENA_TRACES_H

#include <stddef.h>
#include <stdint.h>

/* bytes 0: the block of this slot is freed; a slot is used again after that. */
typedef struct trace_step {
    uint64_t bytes;
    uint32_t slot;
} trace_step;

/* Invariants: steps[0 .. live_count) are blocks that were there before. */
typedef struct made_trace {
    const char *name;
    trace_step *steps;
    size_t count, room;
    size_t live_count;
    uint32_t *free_slots; /* slots to use again; the last first */
    size_t free_count, free_room;
    uint32_t slot_count;
    uint64_t *sizes; /* by slot; 0: free */
    uint64_t live_bytes, peak_bytes;
    uint64_t alloc_count, alloc_bytes; /* without the first live_count */
    uint64_t random;
} made_trace;

/** Makes trace i; returns 0 past the last. */
int made_trace_make(made_trace *trace, unsigned i);
void made_trace_free(made_trace *trace);

#endif
