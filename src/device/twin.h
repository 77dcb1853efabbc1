/* Twins: records that stand for one piece of hardware, seen through several platforms. */
#ifndef WI_DEVICE_TWIN_H
#define WI_DEVICE_TWIN_H

#include "device/record.h"

/* How two records are known to be one device. */
typedef enum wi_twin {
    WI_TWIN_NONE,
    WI_TWIN_PCI,
    WI_TWIN_UUID,
    WI_TWIN_NAME, /* the same maker, name and memory on platforms with as many such devices */
    WI_TWIN_CPU   /* the same processor */
} wi_twin;

/** Returns how record j is a twin of record i, both of `records`. Devices of one platform never are. A pure function. */
wi_twin wi_twin_of(const weir_record *const *records, size_t count, size_t i, size_t j);

/** "the same PCI address", ... */
const char *wi_twin_text(wi_twin twin);

/** Makers, so that units and clocks are compared within one only. */
typedef enum wi_maker {
    WI_MAKER_UNKNOWN,
    WI_MAKER_NVIDIA,
    WI_MAKER_AMD,
    WI_MAKER_INTEL,
    WI_MAKER_ARM,
    WI_MAKER_QUALCOMM,
    WI_MAKER_APPLE,
    WI_MAKER_OTHER
} wi_maker;

wi_maker wi_record_maker(const weir_record *record);

#endif
