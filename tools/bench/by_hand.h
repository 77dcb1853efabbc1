/* Kernels written by hand and launched with bare OpenCL: what weir's own are compared with. */
#ifndef WEIR_BENCH_BY_HAND_H
#define WEIR_BENCH_BY_HAND_H

#include <CL/cl.h>
#include <stddef.h>

/* One kernel and what it needs. Starts zeroed; all may be NULL. */
typedef struct by_hand {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    size_t items; /* of a launch */
    size_t group; /* work-group size; 0: the driver's choice */
} by_hand;

/** Opens the device that weir calls "p.d" without queue and kernel. Returns as by_hand_open(). */
int by_hand_open_context(by_hand *hand, const char *index);

/** Builds the kernel `name` of a text for the device that weir calls "p.d".
 * Returns 1, or 0 if the driver refuses; `hand` may then be half made. */
int by_hand_open(by_hand *hand, const char *index, const char *const *lines, size_t count,
                 const char *name);

/** Releases what is there. */
void by_hand_close(by_hand *hand);

/** Makes a buffer; NULL if the driver refuses. */
cl_mem by_hand_buffer(const by_hand *hand, size_t bytes);

/** Launches `launches` times and waits. Returns seconds a launch, or a negative number if the driver refuses. */
double by_hand_time(const by_hand *hand, int launches);

/** Chooses the fastest of some work-group sizes that divide the items. Returns 1, or 0 if none runs. */
int by_hand_tune(by_hand *hand, const size_t *groups, size_t count, int launches);

#endif
