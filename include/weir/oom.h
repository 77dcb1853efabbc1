/* The report of an allocation that device memory could not satisfy. */
#ifndef WEIR_OOM_H
#define WEIR_OOM_H

#include <weir/export.h>

#include <stdint.h>

WEIR_BEGIN_DECLS

#define WEIR_OOM_OWNERS 8
#define WEIR_OWNER_BYTES 64 /* an owner label with its final zero byte; longer ones are cut */

typedef struct weir_text weir_text;

/* X(NAME, lower-case name, sentence) */
#define WEIR_OOM_CAUSE_LIST(X)                                                                 \
    X(LIMIT, "limit", "the request would pass the device's limit")                             \
    X(DRIVER, "driver", "the driver refused to give more memory")                              \
    X(FRAGMENTED, "fragmented", "enough bytes are free, but in no single range")               \
    X(PINNED, "pinned", "free ranges cannot be joined because blocks between them are pinned") \
    X(MAX_ALLOC, "max_alloc", "the request is larger than the device allows for one buffer")

typedef enum weir_oom_cause {
    WEIR_OOM_NONE = 0,
#define WEIR_OOM_CAUSE_ENUM(NAME, Lower, Text) WEIR_OOM_##NAME,
    WEIR_OOM_CAUSE_LIST(WEIR_OOM_CAUSE_ENUM)
#undef WEIR_OOM_CAUSE_ENUM
} weir_oom_cause;

typedef struct weir_oom_owner {
    char owner[WEIR_OWNER_BYTES]; /* scopes and name: "encoder/layer 3/add" */
    uint64_t bytes;               /* in use by it, rounded sizes */
    uint64_t blocks;
} weir_oom_owner;

/* requested_bytes is the failed request as asked for; in_use <= reserved <= limit, the
 * one in force on the device: set, or the strategy's own. */
typedef struct weir_oom_report {
    uint64_t requested_bytes;
    uint64_t in_use_bytes;
    uint64_t reserved_bytes;
    uint64_t limit_bytes;
    uint64_t largest_free_bytes; /* largest free range of the pool */
    weir_oom_cause cause;
    unsigned owner_count;                   /* entries used in owners, most bytes first */
    weir_oom_owner owners[WEIR_OOM_OWNERS]; /* the largest; the rest is not listed */
} weir_oom_report;

/** Returns "limit", "driver", ...; "none" for a value outside the list. Thread: safe. The string is static. */
WEIR_API const char *weir_oom_cause_name(weir_oom_cause cause);

/** Returns one sentence on what a cause means. Thread: safe. The string is static. */
WEIR_API const char *weir_oom_cause_text(weir_oom_cause cause);

/** Appends a report as a table: the cause, the numbers, who holds most, and what would help. The call that failed is in
 * weir_last_error()'s message. */
WEIR_API void weir_oom_report_write(const weir_oom_report *report, weir_text *text);

WEIR_END_DECLS

#endif
