/* A cl_context on one device, and its buffers. Every object made here is counted in weir_live. */
#ifndef WI_CL_CONTEXT_H
#define WI_CL_CONTEXT_H

#include "cl/opencl.h"

#include <weir/status.h>

#include <stdint.h>

weir_status wi_cl_context_create(cl_platform_id platform, cl_device_id device, cl_context *out);

/** NULL is allowed. */
void wi_cl_context_release(cl_context context);

/** A read-write buffer. Errors: OUT_OF_MEMORY (not recorded: the pool knows the numbers), DRIVER. `bytes` > 0. */
weir_status wi_cl_buffer_create(cl_context context, uint64_t bytes, cl_mem *out);

/** NULL is allowed. The driver keeps the memory until queued commands that use it have ended. */
void wi_cl_buffer_release(cl_mem buffer);

#endif
