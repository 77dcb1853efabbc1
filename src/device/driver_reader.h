/* Reading records from the driver. */
#ifndef WI_DEVICE_DRIVER_READER_H
#define WI_DEVICE_DRIVER_READER_H

#include "cl/opencl.h"
#include "device/record.h"

/** Makes the record of a platform: its own properties, every device property absent.
 * A query that fails is an error inside the record, not of the call. Errors: HOST_MEMORY. */
weir_status wi_platform_read(cl_platform_id platform, unsigned index, weir_record **out);

/** Makes the record of a device, with the platform's properties copied in. Errors: HOST_MEMORY. */
weir_status wi_device_read(cl_device_id device, const weir_record *platform, unsigned index,
                           weir_record **out);

#endif
