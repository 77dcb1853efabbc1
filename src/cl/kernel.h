/* The inside of wi_kernel, for program.c, which makes kernels, and queue.c, which launches them. */
#ifndef WI_CL_KERNEL_H
#define WI_CL_KERNEL_H

#include "cl/program.h"
#include "cl/queue.h"

#include <pthread.h>

/* What the driver holds for one argument.
 * Invariants: kind < 0 (not known), or the kernel's argument has this kind and these bits, and
 * dropped_buffers <= wi_live_dropped(WI_LIVE_BUFFER). */
typedef struct wi_arg_slot {
    int kind; /* a wi_arg_kind, or -1: set it whatever the value */
    uint64_t bits;
    uint64_t dropped_buffers; /* buffers given back before the argument was set */
} wi_arg_slot;

/* Arguments whose last value is remembered; those beyond are set at every launch. */
#define WI_ARG_SLOTS 32

/* A kernel object with what is set in it.
 * Invariants: slots[i] tells of argument i, and changes under lock only. */
struct wi_kernel {
    pthread_mutex_t lock; /* held from the first argument to the enqueue */
    cl_kernel handle;
    size_t max_group;
    wi_arg_slot slots[WI_ARG_SLOTS];
};

/** Brings all arguments to the driver, those that it already holds excepted. The caller holds the lock.
 * index   on failure the argument that was refused */
cl_int wi_kernel_set_args(wi_kernel *kernel, const wi_arg *args, unsigned count, unsigned *index);

#endif
