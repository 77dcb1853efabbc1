/* One device opened: OpenCL context, in-order queue, kernels, and one pool of device memory. */
#ifndef WEIR_CONTEXT_H
#define WEIR_CONTEXT_H

#include <weir/device.h>
#include <weir/pool.h>
#include <weir/status.h>

WEIR_BEGIN_DECLS

typedef struct weir_context weir_context;

typedef struct weir_context_options {
    size_t struct_size;
    int no_self_check; /* 1: do not verify at open that arithmetic on this device gives the bits weir promises */
} weir_context_options;

#define WEIR_CONTEXT_OPTIONS_INIT       \
    {                                   \
        sizeof(weir_context_options), 0 \
    }

/* Counts since the context was opened. */
typedef struct weir_context_stats {
    uint64_t kernels_launched; /* fills and copies are not launches */
    uint64_t copies_enqueued;  /* transfers and fills */
    uint64_t cow_copies;       /* variable updates that copied because their storage was shared */
    uint64_t programs_built;   /* from source */
    uint64_t programs_loaded;  /* from the cache on disk */
} weir_context_stats;

/** Opens a device.
 *
 * Builds and runs a small self-check (unless switched off) that compares this device's arithmetic with the host's;
 * a device that would give other bits is refused.
 * device    borrowed; its system must outlive the context
 * options   NULL: all defaults
 * out       counted, weir_context_release(); NULL on failure
 * Order: blocks for the self-check. Thread: safe.
 * Errors: ARG (also a malformed WEIR_POOL or WEIR_LIMIT that would be used), HOST_MEMORY, DRIVER, BUILD, OUT_OF_MEMORY,
 *         UNSUPPORTED (self-check failed; the message says how), FORKED (the device was listed by the parent process). */
WEIR_API WEIR_NODISCARD weir_status weir_context_create(weir_device *device, const weir_context_options *options,
                                                        weir_context **out);

/** Adds an owner; returns the context. */
WEIR_API weir_context *weir_context_retain(weir_context *context);

/** Drops an owner. Tensors, variables and blocks own their context, so the last of them closes it.
 * Order: the last release waits for enqueued work; in a forked child releases ask nothing of the driver, and what
 * belongs to the parent's context stays until the child ends. NULL is allowed. */
WEIR_API void weir_context_release(weir_context *context);

/** Waits until everything enqueued so far is done.
 * Errors: DRIVER, INDEX (an index error found by a kernel), MISUSE (found by a debug level of weir_memory_options),
 *         FORKED; the error sticks until weir_context_reset_error(). Thread: safe. */
WEIR_API WEIR_NODISCARD weir_status weir_context_synchronize(weir_context *context);

/** Forgets a sticking error. */
WEIR_API void weir_context_reset_error(weir_context *context);

/** Returns the device of a context; owned by its system, or by an adopted context itself. */
WEIR_API weir_device *weir_context_get_device(const weir_context *context);

/** Returns the pool of a context; lives as long as the context. */
WEIR_API weir_pool *weir_context_get_pool(const weir_context *context);

/** Reads the counters. Thread: safe. */
WEIR_API void weir_context_get_stats(const weir_context *context, weir_context_stats *out);

/** Appends what the self-check found: one line a property. */
WEIR_API void weir_context_explain(const weir_context *context, weir_text *text);

WEIR_END_DECLS

#endif
