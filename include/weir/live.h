/* Counts of OpenCL objects that the library holds at this moment, in the whole process. */
#ifndef WEIR_LIVE_H
#define WEIR_LIVE_H

#include <weir/export.h>

#include <stdint.h>

WEIR_BEGIN_DECLS

/* X(NAME, field, text) */
#define WEIR_LIVE_LIST(X)                \
    X(CONTEXT, contexts, "cl_context")   \
    X(QUEUE, queues, "cl_command_queue") \
    X(BUFFER, buffers, "cl_mem")         \
    X(PROGRAM, programs, "cl_program")   \
    X(KERNEL, kernels, "cl_kernel")      \
    X(EVENT, events, "cl_event")

typedef struct weir_live {
#define WEIR_LIVE_FIELD(NAME, Field, Text) uint64_t Field;
    WEIR_LIVE_LIST(WEIR_LIVE_FIELD)
#undef WEIR_LIVE_FIELD
    uint64_t total; /* the sum of the above */
} weir_live;

/** Reads the counters; each is exact, all together are a snapshot only while no other thread calls the library.
 * Thread: safe. */
WEIR_API void weir_live_get(weir_live *out);

WEIR_END_DECLS

#endif
