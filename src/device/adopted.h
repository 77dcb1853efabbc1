/* A device that a program found by itself, outside of any system. */
#ifndef WI_DEVICE_ADOPTED_H
#define WI_DEVICE_ADOPTED_H

#include "device/device.h"

/** Makes the device of a driver's device, which may be a part of another. It has limit and strategy of its own and the
 * index that the machine's list gives it, a part that of its whole.
 * Errors: HOST_MEMORY, DRIVER. */
weir_status wi_device_adopt(cl_device_id cl_device, weir_device **out);

/** Frees a device made by wi_device_adopt(). NULL is allowed. */
void wi_device_forget(weir_device *device);

/** Reads the platform of a device, and the device that it is a part of in the end, or itself. Errors: DRIVER. */
weir_status wi_device_query_whole(cl_device_id device, cl_platform_id *platform,
                                  cl_device_id *whole);

/** The alignment in bytes that suits every device of a list, a power of two. Errors: DRIVER. */
weir_status wi_devices_query_align(const cl_device_id *devices, size_t count, uint64_t *bytes);

#endif
