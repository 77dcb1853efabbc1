/* Status codes and the record of the last failure.
 *
 * Every call that can fail returns a weir_status. The cause is recorded once, where it is known, in a record of
 * the calling thread that weir_last_error() returns. Success does not clear the record.
 */
#ifndef WEIR_STATUS_H
#define WEIR_STATUS_H

#include <weir/export.h>
#include <weir/oom.h>

WEIR_BEGIN_DECLS

/* X(NAME, value, lower-case name, text). Values are never reused. */
#define WEIR_STATUS_LIST(X)                                                         \
    X(ARG, -1, "arg", "an argument is missing or out of range")                     \
    X(SHAPE, -2, "shape", "shapes do not fit the operation")                        \
    X(DTYPE, -3, "dtype", "element types do not fit the operation")                 \
    X(UNSUPPORTED, -4, "unsupported", "this build or device cannot do it")          \
    X(UNINITIALISED, -5, "uninitialised", "a variable has no value yet")            \
    X(SHARED, -6, "shared", "storage is shared and copying was forbidden")          \
    X(VERSION_CONFLICT, -7, "version_conflict", "saved data would be changed")      \
    X(TAPE_CONSUMED, -8, "tape_consumed", "the tape was used once already")         \
    X(CONSUMED, -9, "consumed", "the object was handed over already")               \
    X(TRIP_LIMIT, -10, "trip_limit", "more trips than the loop's limit")            \
    X(CONFIG_FROZEN, -11, "config_frozen", "the device already holds allocations")  \
    X(OUT_OF_MEMORY, -12, "out_of_memory", "no device memory for the request")      \
    X(HOST_MEMORY, -13, "host_memory", "no host memory for the request")            \
    X(INDEX, -14, "index", "an index is out of range")                              \
    X(CONTEXT, -15, "context", "objects of different contexts were mixed")          \
    X(FORKED, -16, "forked", "the process was forked after the context was opened") \
    X(BUILD, -17, "build", "the driver's compiler refused a program")               \
    X(DRIVER, -18, "driver", "the OpenCL driver reported an error")                 \
    X(FORMAT, -19, "format", "data are not in the expected format")                 \
    X(NO_DEVICE, -20, "no_device", "no device matches")                             \
    X(CAPTURE, -21, "capture", "not allowed while a function is captured")          \
    X(IO, -22, "io", "a file could not be read or written")                         \
    X(MISUSE, -23, "misuse", "debugging found a mistake in how memory is used")

typedef enum weir_status {
    WEIR_OK = 0,
#define WEIR_STATUS_ENUM(NAME, Value, Lower, Text) WEIR_E_##NAME = (Value),
    WEIR_STATUS_LIST(WEIR_STATUS_ENUM)
#undef WEIR_STATUS_ENUM
} weir_status;

/* What went wrong last in this thread. Strings are never NULL; they end at the sizes given, cut if longer. */
typedef struct weir_error {
    weir_status status;
    int cl_status;       /* the OpenCL code behind it, 0 if none */
    char where[64];      /* the call or check that failed, such as "clBuildProgram" or "weir_add" */
    char message[512];   /* one line with the numbers */
    char hint[256];      /* what to do about it; may be empty */
    int has_oom;         /* 1 if oom below belongs to this error */
    weir_oom_report oom; /* valid if has_oom */
} weir_error;

/** Returns the lower-case name of a status: "ok", "out_of_memory", ...; "unknown" for a value outside the list.
 * Thread: safe. The string is static. */
WEIR_API const char *weir_status_name(weir_status status);

/** Returns one sentence on what a status means. Thread: safe. The string is static. */
WEIR_API const char *weir_status_text(weir_status status);

/** Returns the record of the calling thread's last failure; status WEIR_OK if there was none.
 * The pointer is valid for the life of the thread; the next failing call of this thread overwrites what it shows.
 * Thread: each thread has its own. */
WEIR_API const weir_error *weir_last_error(void);

/** Empties the calling thread's record. Thread: each thread has its own. */
WEIR_API void weir_last_error_reset(void);

/** Records a failure of the calling thread and returns `status`, for libraries that are built on this one.
 * where    call or check that failed; cut to fit
 * hint     what to do about it; NULL: none
 * format   one line with the numbers, as printf takes it
 * Thread: each thread has its own. */
WEIR_API weir_status weir_error_set(weir_status status, const char *where, const char *hint, const char *format, ...)
    WEIR_PRINTF(4, 5);

WEIR_END_DECLS

#endif
