/* What kernels and the pool take from a record, with the quirks of drivers applied. */
#ifndef WI_DEVICE_TRAITS_H
#define WI_DEVICE_TRAITS_H

#include "device/device.h"
#include "device/record.h"

/** Draws the traits from a record: a pure function. `out->platform_text` is set by the caller.
 * out->driver_version is borrowed from the record. */
void wi_traits_make(const weir_record *record, wi_device_traits *out);

#endif
