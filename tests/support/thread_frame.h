/* The frame of programs with many threads. They are plain programs and not Criterion tests, because Criterion's arena
 * cannot be mapped under ThreadSanitizer, and run on the null ICD, so that every access seen by the sanitizer is the
 * library's own. In a library of its own, weir_thread_support. */
#ifndef WT_THREAD_FRAME_H
#define WT_THREAD_FRAME_H

#include <weir/context.h>
#include <weir/device.h>
#include <weir/system.h>

#define WT_THREADS 8 /* at most, and unless a program says otherwise */

/* What one thread does. number: 0, 1, ... in the order of starting. Returns 1, or 0 after a failure. */
typedef int wt_thread_body(void *user, unsigned number);

/* Runs a body in `count` threads at once and waits for them. Returns 1 if all were started and succeeded. */
int wt_threads_run(unsigned count, wt_thread_body *body, void *user);

/* Where the threads work. */
typedef struct wt_thread_place {
    weir_system *system;
    weir_context *
        context; /* of the first device, without the self-check: the null device computes nothing */
} wt_thread_place;

/* Opens a place. memory: how the device is set up, NULL: not at all. Returns 1, or 0 with what was opened in *out. */
int wt_threads_open(const weir_memory_options *memory, wt_thread_place *out);

/* Closes a place, half of one too. Returns 1 if no block and no OpenCL object is left. */
int wt_threads_close(wt_thread_place *place);

/* Writes what failed, and the thread's last error, to standard error. Returns 0. */
int wt_thread_fails(const char *what);

/* The next call, unless Ok is 0 already; a status that is not OK makes it 0. */
#define WT_TRY(Ok, Call)                                              \
    do {                                                              \
        if ((Ok) && (Call) != WEIR_OK) (Ok) = wt_thread_fails(#Call); \
    } while (0)

#endif
