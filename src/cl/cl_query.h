/* Sized queries of platforms and devices. */
#ifndef WI_CL_QUERY_H
#define WI_CL_QUERY_H

#include "cl/opencl.h"

#include <weir/status.h>

#include <stddef.h>

/** Lists the platforms; *out from wi_malloc (NULL if there are none). The loader's "no platform" codes (-1001, -32
 * with a NULL list) are OK with 0.
 * Errors: HOST_MEMORY, DRIVER. */
weir_status wi_cl_query_platforms(cl_platform_id **out, size_t *count);

/** Lists all devices of a platform; *out from wi_malloc. CL_DEVICE_NOT_FOUND is OK with 0. Any other failure of one
 * platform is OK with 0 too, told by *code, the driver's answer: the others still count. Errors: HOST_MEMORY. */
weir_status wi_cl_query_devices(cl_platform_id platform, cl_device_id **out, size_t *count,
                                cl_int *code);

/** Reads a property of any size; *data from wi_malloc with one zero byte after the end, NULL unless *code, the driver's
 * answer, is CL_SUCCESS. A property may be absent, or its driver fail: that is OK here. Errors: HOST_MEMORY. */
weir_status wi_cl_query_platform(cl_platform_id platform, cl_uint property, void **data,
                                 size_t *bytes, cl_int *code);
weir_status wi_cl_query_device(cl_device_id device, cl_uint property, void **data, size_t *bytes,
                               cl_int *code);

#endif
