/* Listing the devices in a child process, since a driver may crash, hang, print or end the process that asks it. */
#ifndef WEIR_TOOLS_PROBE_H
#define WEIR_TOOLS_PROBE_H

#include <jansson.h>
#include <stddef.h>

typedef enum probe_end {
    PROBE_ANSWERED,
    PROBE_CRASHED,     /* `number` is the signal */
    PROBE_EXITED,      /* without an answer; `number` is the exit status */
    PROBE_HUNG,        /* `number` is the limit in seconds */
    PROBE_INTERRUPTED, /* by Ctrl-C */
    PROBE_NOT_STARTED  /* `number` is an errno */
} probe_end;

typedef struct probe_result {
    probe_end end;
    int number;
    char *text; /* the answer, zero-terminated JSON, free(); NULL unless PROBE_ANSWERED */
} probe_result;

/* A child that is asking drivers. */
typedef struct probe probe;

/** Starts this program as `weir --probe` in the present environment, for `seconds` at most. What drivers print in it is
 * dropped.
 * Returns a probe, probe_end_with() in any case; NULL, and *code an errno, if it cannot be started. */
probe *probe_start(unsigned seconds, int *code);

/** 1 once the probe has answered, its child has ended, its time is over or the program was interrupted. Does not wait. */
int probe_is_over(probe *p);

/** Waits until one of `count` probes may have something new; NULL and those that are over are passed by. Returns after a
 * twentieth of a second in any case. */
void probe_wait(probe *const *probes, size_t count);

/** Frees a probe, whose child is gone then, and tells how it ended.
 * p     NULL is allowed
 * out   NULL, or how; of a probe that is not over PROBE_HUNG. Untouched if p is NULL */
void probe_end_with(probe *p, probe_result *out);

/** Starts a probe, waits for it and ends it. */
void probe_run(unsigned seconds, probe_result *out);

/** Writes how a probe ended, "crashed (Segmentation fault)", cut to fit; returns buffer. */
const char *probe_describe(const probe_result *result, char *buffer, size_t bytes);

/** Lists the devices in this process.
 * Returns {source,records,warnings,reason,explanation}, the last two "" if there are devices, or {error,hint}; a new
 * reference, NULL for want of host memory. */
json_t *probe_here(void);

/** What `weir --probe` does: prints probe_here() as one line on stdout. Does not return. */
void probe_answer(void);

#endif
