/* A context, a queue, a program and a buffer through src/cl alone, for its own tests. */
#ifndef WT_CL_RIG_H
#define WT_CL_RIG_H

#include "cl/opencl.h"
#include "cl/program.h"
#include "cl/queue.h"

#include <weir/device.h>

/* Elements of the rig's buffer, and items of a launch. */
#define WT_RIG_COUNT 1024
#define WT_RIG_BYTES ((uint64_t)4 * WT_RIG_COUNT)

struct wt_rig {
    wi_program_target target;
    wi_queue *queue;
    wi_program *program;
    wi_kernel *kernel; /* a[i] = a[i] * factor + step, see wt_rig_launch() */
    cl_mem buffer;
};

/* Opens all of it on a device of a system. Returns the first failure, with what was opened left in *rig. */
weir_status wt_rig_open(struct wt_rig *rig, const weir_device *device);

/* Releases what wt_rig_open() opened, half of it too. */
void wt_rig_close(struct wt_rig *rig);

/* Enqueues a[i] = a[i] * factor + step on the first WT_RIG_COUNT elements of a buffer of 32-bit numbers. */
weir_status wt_rig_launch(wi_queue *queue, wi_kernel *kernel, cl_mem buffer, uint32_t factor,
                          uint32_t step);

/* Sets all elements. */
weir_status wt_rig_fill(wi_queue *queue, cl_mem buffer, uint32_t value);

/* Reads, and asserts that all elements are `expected`. */
void wt_rig_expect(wi_queue *queue, cl_mem buffer, uint32_t expected);

/* The text of the rig's kernel, named `rig`. */
wi_source wt_rig_source(void);

#endif
