/* Programs from text, their kernels, and the cache of binaries on disk. */
#ifndef WI_CL_PROGRAM_H
#define WI_CL_PROGRAM_H

#include "cl/opencl.h"

#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

/* One kernel object with the lock that a launch holds from the first argument to the enqueue. */
typedef struct wi_kernel wi_kernel;
typedef struct wi_program wi_program;

/* A piece of program text. Each piece is preceded by `#line 1 "name"`, so that the driver's messages name it. */
typedef struct wi_source {
    const char *name; /* "elementwise.cl" */
    const char *text;
    size_t bytes;
} wi_source;

/* For whom a binary is good. Strings as the driver gives them, borrowed. */
typedef struct wi_program_target {
    cl_context context;
    cl_device_id device;
    const char *platform; /* name and version */
    const char *device_name;
    const char *driver_version;
} wi_program_target;

/** Builds a program, or loads it from the cache on disk.
 *
 * The cache entry is named by a hash of the sources, the options, platform, device and driver version. A truncated or
 * foreign entry, or one the driver refuses, is ignored and rebuilt. Options of weir are fixed text; constants belong
 * into the source.
 * was_loaded   1: from the cache; may be NULL
 * Errors: BUILD (the message has the first lines of the log; all of it goes to the log hook), HOST_MEMORY, DRIVER. */
weir_status wi_program_create(const wi_program_target *target, const wi_source *sources,
                              size_t source_count, const char *options, wi_program **out,
                              int *was_loaded);

/** Writes the binary to the cache if it was built from source and not written yet. Asking a driver for binaries may
 * compile again, so this is called after results were delivered. Failures are logged, never returned. */
void wi_program_store(wi_program *program);

/** NULL is allowed. */
void wi_program_destroy(wi_program *program);

cl_program wi_program_get_handle(const wi_program *program);
cl_device_id wi_program_get_device(const wi_program *program);

/** Errors: BUILD (no such kernel), HOST_MEMORY, DRIVER. */
weir_status wi_kernel_create(wi_program *program, const char *name, wi_kernel **out);

/** NULL is allowed. */
void wi_kernel_destroy(wi_kernel *kernel);

/** Largest work-group this kernel may have on its device. */
size_t wi_kernel_get_max_group(const wi_kernel *kernel);

/** Finds a text of the cl/ folder by file name; 0 if there is none. */
int wi_source_find(const char *name, wi_source *out);

#endif
