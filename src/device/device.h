/* A device of a system, as the rooms above see it. */
#ifndef WI_DEVICE_DEVICE_H
#define WI_DEVICE_DEVICE_H

#include "cl/opencl.h"
#include "device/budget.h"
#include "device/lenders.h"
#include "plan/strategy.h"

#include <weir/device.h>

#include <stdint.h>

/* What kernels and the pool need to know, drawn from the record once. Quirks are applied here. */
typedef struct wi_device_traits {
    uint64_t global_bytes;
    uint64_t max_alloc_bytes;
    uint64_t base_align_bytes; /* mem_base_addr_align / 8 */
    uint32_t compute_units;
    uint32_t max_group; /* device's largest work-group */
    uint32_t address_bits;
    uint32_t launch_bits; /* a launch has fewer than 2^launch_bits items */
    uint32_t piece_ms;    /* longest piece of a long loop where launches are cut */
    uint32_t
        vector_width; /* lanes an item of elementwise kernels: 8 on CPUs, 1 on llvmpipe, 4 on GPUs */
    uint32_t
        loop_trips_max;  /* trips of all loops of one work-item together; UINT32_MAX: no limit */
    uint32_t group_size; /* preferred local size of elementwise kernels, a power of two */
    int is_little_endian;
    const char *platform_text; /* platform name and version, for cache keys */
    const char *driver_version;
} wi_device_traits;

cl_platform_id wi_device_get_cl_platform(const weir_device *device);
cl_device_id wi_device_get_cl_device(const weir_device *device);
const wi_device_traits *wi_device_get_traits(const weir_device *device);
const wi_strategy *wi_device_get_strategy_row(const weir_device *device);
unsigned wi_device_get_debug_level(const weir_device *device);

/** 1 if pools of this device may move blocks, where their strategy does. */
int wi_device_may_compact(const weir_device *device);

/** The memory shared by all pools of this device. Its limit is the one in force. */
wi_budget *wi_device_get_budget(weir_device *device);

/** The pools that share that memory. */
wi_lenders *wi_device_get_lenders(weir_device *device);

/** Verifies that a context may be opened: the process, the way the device is split, and what the configuration takes
 * from the environment, since listing devices passes over a malformed WEIR_POOL or WEIR_LIMIT.
 * where   the public call
 * Errors: FORKED, ARG (the message names the variable). */
weir_status wi_device_check_open(const weir_device *device, const char *where);

/** OK, or FORKED (recorded) in a process forked after the device was listed: its driver does not work there. */
weir_status wi_device_check_process(const weir_device *device, const char *where);

/** Freezes the configuration and how the device is split; the first caller's label is what CONFIG_FROZEN names.
 * Thread: safe. Errors: ARG (split since the context was opened), nothing frozen. */
weir_status wi_device_freeze(weir_device *device, const char *owner);

#endif
