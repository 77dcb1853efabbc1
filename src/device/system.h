/* A system as the files of this folder see it. */
#ifndef WI_DEVICE_SYSTEM_H
#define WI_DEVICE_SYSTEM_H

#include "device/record.h"

#include <weir/system.h>

/* A platform that the loader listed, with or without devices. */
typedef struct wi_platform {
    weir_record *record; /* only the platform's properties */
    size_t device_count;
    int code; /* what the driver answered when asked for its devices */
} wi_platform;

/* Invariants: devices are sorted by p.d; sum of platforms[i].device_count == device_count; records[i] is the record of
 * devices[i]. Nothing changes after creation but the devices' configurations. */
struct weir_system {
    wi_platform *platforms;
    size_t platform_count;
    weir_device **devices;
    const weir_record **records;
    size_t device_count;
    char **warnings;
    size_t warning_count;
};

/** Verifies the invariants of a system and its devices; returns 1 or, after appending what is broken to `why` (may be
 * NULL), 0. */
int wi_system_check(const weir_system *system, weir_text *why);

/** Appends one line, without its end, on why no device can be chosen; files and variables are looked at. */
void wi_system_reason(const weir_system *system, weir_text *text);

#endif
