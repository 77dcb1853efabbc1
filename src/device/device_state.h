/* A device of a system: the record, what was drawn from it, and the memory configuration. Only src/device sees it. */
#ifndef WI_DEVICE_DEVICE_STATE_H
#define WI_DEVICE_DEVICE_STATE_H

#include "base/process.h"
#include "device/device.h"
#include "device/identity.h"
#include "device/memory_config.h"
#include "device/record.h"

#include <weir/text.h>

#include <pthread.h>
#include <stdatomic.h>

/* Invariants: record has the index p.d of cl_device; is_frozen is set once and stays; config does not change while it
 * is set; budget.limit_bytes == config.limit_bytes, or UINT64_MAX where that is 0. `lock` guards config and
 * frozen_by. */
struct weir_device {
    cl_platform_id cl_platform;
    cl_device_id cl_device;
    weir_record *record;
    weir_device_class device_class;
    wi_device_traits traits;
    char pci_text[WI_PCI_TEXT_BYTES]; /* "" if nothing states it */
    char *platform_text;              /* what traits.platform_text shows */
    wi_budget budget;
    pthread_mutex_t lock;
    wi_memory_config config;
    wi_process_mark *mark;
    _Atomic int is_frozen;
    char frozen_by[64]; /* label of the first owner */
};

/** Makes a device around a record, which it owns from the call on, also if it fails.
 * Errors: HOST_MEMORY. */
weir_status wi_device_create(cl_platform_id cl_platform, cl_device_id cl_device,
                             weir_record *record, weir_device **out);

/** Verifies the invariants; returns 1 or, after appending what is broken to `why` (may be NULL), 0. */
int wi_device_check(weir_device *device, weir_text *why);

/** NULL is allowed. */
void wi_device_destroy(weir_device *device);

#endif
