/* The switches and counters of the null ICD, an OpenCL driver that does nothing (tests/support/null_icd).
 *
 * clGetExtensionFunctionAddressForPlatform(platform, WT_NULL_CONTROL) gives a wt_null_control. Every setting can also
 * be made from outside as an environment variable: WT_NULL_ and the setting's name in upper case.
 */
#ifndef WT_NULL_CONTROL_H
#define WT_NULL_CONTROL_H

#include <stdint.h>

#define WT_NULL_CONTROL "wt_null_control"

/* X(NAME, default, what it does). Numbers are decimal. */
#define WT_NULL_SETTING_LIST(X)                                                                  \
    X(PLATFORMS, "1", "platforms listed, 0 or 1; read when the loader asks")                     \
    X(DEVICES, "1", "devices listed, 0 to 8")                                                    \
    X(TYPE, "gpu", "gpu, cpu or accelerator")                                                    \
    X(UNIFIED, "0", "1: memory is shared with the host")                                         \
    X(NAME, "weir null device", "device name")                                                   \
    X(VENDOR, "weir tests", "vendor of platform and device")                                     \
    X(MEMORY, "17179869184", "global_mem_size in bytes")                                         \
    X(MAX_ALLOC, "4294967296", "max_mem_alloc_size in bytes; a larger buffer fails with -61")    \
    X(CAPACITY, "0", "bytes in live buffers beyond which clCreateBuffer fails with -4; 0: none") \
    X(REFUSE_ABOVE, "0", "a buffer of more bytes fails with -4; 0: none does")                   \
    X(BACKED, "0", "1: buffers keep what is written; 0: reads give zeros")                       \
    X(LAZY, "0", "1: commands complete when something waits for them, not when enqueued")        \
    X(BUILD_LOG, "", "if not empty, builds fail with this log")                                  \
    X(FAIL, "", "rules CALL:N:CODE, separated by ';', see below")                                \
    X(COUNTS, "", "file to which the calls are written at exit, a line \"CALL N\" each")

/* FAIL: the N-th call of CALL (from 1) returns CODE, a negative number, or does "crash" (SIGSEGV) or "hang" (sleeps
 * for good). "N+" is the N-th and every later call. "*" as CALL counts all calls together. 16 rules at most. */

typedef struct wt_null_control {
    /* Changes a setting while the driver is loaded. Returns 1, or 0 for an unknown name or a malformed value. */
    int (*set)(const char *setting, const char *value);
    /* Calls of one function since the last reset; NULL: of all; UINT64_MAX for a name the driver does not have. */
    uint64_t (*get_calls)(const char *call);
    void (*reset_calls)(void);
    /* Objects the application holds: "cl_context", "cl_command_queue", "cl_mem", "cl_program", "cl_kernel",
     * "cl_event"; NULL: all; UINT64_MAX for another name. */
    uint64_t (*get_live)(const char *kind);
    uint64_t (*get_buffer_bytes)(void);      /* in buffers that live now */
    uint64_t (*get_buffer_bytes_peak)(void); /* largest so far */
    uint64_t (*get_pending_peak)(
        void); /* most commands of one queue that had not completed; LAZY only */
} wt_null_control;

#endif
