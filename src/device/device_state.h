/* A device of a system: the record, what was drawn from it, and the memory configuration; a logical device has the
 * last of its own and the rest from its parent. Only src/device sees it. */
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
 * is set; budget.limit_bytes == config.limit_bytes, or UINT64_MAX where that is 0;
 * parent == NULL: logical_count <= logical_made; sum of limit_bytes of logical[0 .. logical_count - 1] <= what
 *   wi_device_capacity() says; is_frozen if one of logical[] is;
 * parent != NULL: parent->parent == NULL; record, platform_text and mark are the parent's; config.is_limit_set.
 * The lock, of the parent where there is one, guards config, frozen_by and the logical devices. */
struct weir_device {
    cl_platform_id cl_platform;
    cl_device_id cl_device;
    weir_record *record;
    weir_device_class device_class;
    wi_device_traits traits;
    char pci_text[WI_PCI_TEXT_BYTES]; /* "" if nothing states it */
    char *platform_text;              /* what traits.platform_text shows */
    wi_budget budget;
    wi_lenders lenders; /* the pools on it */
    pthread_mutex_t lock;
    wi_memory_config config;
    wi_process_mark *mark;
    _Atomic int is_frozen;
    char frozen_by[64];  /* label of the first owner, here or on a logical device */
    weir_device *parent; /* NULL: a physical device */
    unsigned ordinal;    /* among the parent's */
    char index_text[32]; /* "0.1", of a logical device "0.1:0" */
    weir_device **logical;
    size_t logical_made;
    size_t logical_count; /* in force; those after it are of an earlier split and cannot be used */
};

/** Makes a device around a record, which it owns from the call on, also if it fails.
 * Errors: HOST_MEMORY. */
weir_status wi_device_create(cl_platform_id cl_platform, cl_device_id cl_device,
                             weir_record *record, weir_device **out);

/** Verifies the invariants; returns 1 or, after appending what is broken to `why` (may be NULL), 0. */
int wi_device_check(weir_device *device, weir_text *why);

/** Makes logical device `ordinal` of `parent`, without a configuration. Errors: HOST_MEMORY. */
weir_status wi_device_create_logical(weir_device *parent, unsigned ordinal, weir_device **out);

/** Destroys its logical devices, too. NULL is allowed. */
void wi_device_destroy(weir_device *device);

/** The lock of a device and of those that it shares a configuration with. */
pthread_mutex_t *wi_device_get_lock(const weir_device *device);

/** Puts a configuration in force. Needs the lock. */
void wi_device_set_config(weir_device *device, const wi_memory_config *config);

/** What logical devices may have together: the device's memory, or less by a limit set on it. Needs the lock. */
uint64_t wi_device_capacity(const weir_device *device);

/** OK if contexts may allocate on the device as it is split now; ARG, recorded, with the reason. Needs the lock.
 * where   the public call */
weir_status wi_device_check_layout(const weir_device *device, const char *call);

/** Checks a new configuration of a logical device against its siblings, or that a device to be configured is not
 * split. Needs the lock. Errors: ARG. */
weir_status wi_device_check_share(const weir_device *device, const wi_memory_config *wanted);

/** Verifies the invariants of a device's split; as wi_device_check(). Needs the lock. */
int wi_device_check_logical(const weir_device *device, weir_text *why);

#endif
