/* One trace through several strategies: on numbers all at a time, on a device (replay_device.h) one after the other. */
#ifndef WEIR_TOOLS_REPLAY_RUN_H
#define WEIR_TOOLS_REPLAY_RUN_H

#include "replay_trace.h"

#include <weir/device.h>
#include <weir/replay.h>

#include <stddef.h>
#include <stdint.h>

#define REPLAY_STRATEGIES_MAX 16
#define REPLAY_SAMPLES_MAX 512

/* Memory between one sample and the next. */
typedef struct replay_sample {
    uint64_t event;    /* events done */
    uint64_t in_use;   /* most bytes at one time since the sample before */
    uint64_t reserved; /* the same */
} replay_sample;

/* Samples in the order of the events, so many that they fit: when they do not, two become one.
 * Invariants: count <= REPLAY_SAMPLES_MAX; events rise by `every` from one to the next but for the last. */
typedef struct replay_curve {
    replay_sample samples[REPLAY_SAMPLES_MAX];
    size_t count;
    uint64_t every;
} replay_curve;

typedef struct replay_row replay_row;

/* Where the blocks of a row are. */
typedef struct replay_place {
    /* Plays events. What cannot be had is left out, and so is its free. Returns PROGRAM_OK, or PROGRAM_FAILED after a
     * line on stderr. */
    int (*play)(replay_row *row, const trace_event *events, size_t count);
    void (*get_stats)(const replay_row *row, weir_replay_stats *out);
    void (*reset_peak)(replay_row *row);
    void (*close)(replay_row *row); /* frees pool, with all its blocks */
    double (*now)(void);            /* seconds */
} replay_place;

/* What one strategy did. */
struct replay_row {
    const char *name;
    const replay_place *place;
    void *pool;        /* of the place; NULL: closed */
    void **blocks;     /* by the trace's slots; NULL: none, or it could not be had */
    size_t slot_count; /* room in blocks */
    uint64_t peak_in_use;
    uint64_t peak_reserved;
    uint64_t limit;
    uint64_t driver_allocs; /* these four from the first event on that is not live */
    uint64_t driver_frees;
    uint64_t compactions;
    uint64_t moved_bytes;
    uint64_t ooms;
    double seconds; /* of the same events */
    replay_curve curve;
};

typedef struct replay_run {
    replay_row rows[REPLAY_STRATEGIES_MAX];
    size_t count;
    int is_sampled;
    const weir_device *device; /* NULL: on numbers */
    uint64_t events;           /* all lines */
    uint64_t timed_events;     /* those that are not live */
    uint64_t allocs;           /* `alloc` lines */
    uint64_t peak_live;
} replay_run;

/** Makes a pool of each strategy named. name: NULL: of all
 * Returns PROGRAM_OK, or PROGRAM_USAGE or PROGRAM_FAILED after a line on stderr; replay_run_dispose() in any case. */
int replay_run_prepare(replay_run *run, const char *name, const weir_replay_options *options,
                       int is_sampled);
void replay_run_dispose(replay_run *run);

/** Plays the whole trace through the rows from `first` on. Returns PROGRAM_OK; PROGRAM_USAGE for a bad trace or PROGRAM_FAILED after a line on stderr;
 * PROGRAM_INTERRUPTED. */
int replay_run_play(replay_run *run, trace_reader *trace, size_t first);

/** Frees what a row holds but its results. */
void replay_row_close(replay_row *row);

#endif
