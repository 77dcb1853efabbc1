/* Objects that somebody else made: what they are, and references to them.
 *
 * References taken here count in weir_live like objects made here, and are given back with the usual calls. A handle that
 * is no object of a driver cannot be told from one that is; what a driver refuses is passed on as it says. */
#ifndef WI_CL_FOREIGN_H
#define WI_CL_FOREIGN_H

#include "cl/opencl.h"

#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

/** Lists the devices of a context; *out from wi_malloc. Errors: HOST_MEMORY, DRIVER. */
weir_status wi_cl_context_query_devices(cl_context context, cl_device_id **out, size_t *count);

/** Reads one number of a device. Errors: DRIVER. */
weir_status wi_cl_device_query_u32(cl_device_id device, cl_device_info property, uint32_t *out);

/** Reads which platform a device is of, and the device it is a part of (NULL: it is a whole one). Errors: DRIVER. */
weir_status wi_cl_device_query_home(cl_device_id device, cl_platform_id *platform,
                                    cl_device_id *parent);

typedef struct wi_cl_queue_facts {
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
} wi_cl_queue_facts;

weir_status wi_cl_queue_query(cl_command_queue queue, wi_cl_queue_facts *out);

typedef struct wi_cl_buffer_facts {
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    uint64_t bytes;
    cl_mem parent; /* NULL unless it is a sub-buffer */
} wi_cl_buffer_facts;

weir_status wi_cl_buffer_query(cl_mem buffer, wi_cl_buffer_facts *out);

/** Takes a reference; wi_cl_context_release(), wi_cl_buffer_release(), wi_cl_device_release() give it back. */
weir_status wi_cl_context_retain(cl_context context);
weir_status wi_cl_buffer_retain(cl_mem buffer);
weir_status wi_cl_device_retain(cl_device_id device);

/** NULL is allowed. */
void wi_cl_device_release(cl_device_id device);

/** Makes a sub-buffer for somebody else, who releases it: it does not count in weir_live. Errors: DRIVER,
 * OUT_OF_MEMORY. */
weir_status wi_cl_sub_buffer_create(cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                                    cl_mem *out);

#endif
