/* The class by which devices are ordered: a pure function of the record. */
#ifndef WI_DEVICE_CLASS_H
#define WI_DEVICE_CLASS_H

#include "device/record.h"

#include <weir/device.h>

/** Returns the class.
 * why   one phrase on what decided ("host_unified_memory", "the name has \"llvmpipe\""); static; may be NULL */
weir_device_class wi_record_class(const weir_record *record, const char **why);

/** 1 if the class is taken only when asked for. */
int wi_class_must_be_asked(weir_device_class device_class);

/** NULL if the device can be used, else why not: "not available", "no compiler", "big-endian", or what a quirk
 * says. A property that is
 * absent rejects nothing. */
const char *wi_record_unusable(const weir_record *record);

#endif
