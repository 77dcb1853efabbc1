/* What is known of one device: its record, and the memory configuration that contexts on it will use. */
#ifndef WEIR_DEVICE_H
#define WEIR_DEVICE_H

#include <weir/property.h>
#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

/* One OpenCL device of a system, or a logical device, which is a part of its memory. Owned by its weir_system; never
 * released by itself. */
typedef struct weir_device weir_device;

/* X(NAME, lower-case name), best first; accelerators and emulators are used only when asked for. */
#define WEIR_DEVICE_CLASS_LIST(X) \
    X(DISCRETE, "discrete")       \
    X(INTEGRATED, "integrated")   \
    X(CPU, "cpu")                 \
    X(SOFTWARE, "software")       \
    X(ACCELERATOR, "accelerator") \
    X(EMULATOR, "emulator")

typedef enum weir_device_class {
#define WEIR_DEVICE_CLASS_ENUM(NAME, Lower) WEIR_DEVICE_##NAME,
    WEIR_DEVICE_CLASS_LIST(WEIR_DEVICE_CLASS_ENUM)
#undef WEIR_DEVICE_CLASS_ENUM
} weir_device_class;

/* How contexts on a device take memory. Start from WEIR_MEMORY_OPTIONS_INIT. A member left at zero or NULL keeps what an
 * earlier call set, so strategy and limit may be set apart and in any order; what no call set comes from the environment
 * variables WEIR_POOL, WEIR_LIMIT (bytes, with K, M or G for powers of 1024, or a percentage such as 50%) and
 * WEIR_MEMORY_DEBUG (0 to 3), else from the defaults.
 *
 * Debug levels find mistakes in how a program uses memory, at the price of speed; each has what is below it:
 *   1   the pool checks its own books now and then
 *   2   guards around each block are checked at its release; patterns fill fresh and released memory
 *   3   calls that are passed a released block name it
 * What is found goes to the log hook, and calls that wait for the device return MISUSE until weir_context_reset_error(). */
typedef struct weir_memory_options {
    size_t struct_size;
    const char *strategy;  /* "adaptive" (default), "growth", "prealloc", "ondemand", "direct"; copied */
    uint64_t limit_bytes;  /* most bytes ever reserved, also more than the device has; takes the place of an earlier
                            * fraction */
    double limit_fraction; /* of the device's memory, 0 < f <= 1; takes the place of earlier bytes */
    int no_compaction;     /* 1: no block is ever moved, also where the strategy would */
    unsigned debug_level;  /* 1 .. 3 */
} weir_memory_options;

#define WEIR_LOGICAL_MAX 64 /* logical devices of one device */

#define WEIR_MEMORY_OPTIONS_INIT                        \
    {                                                   \
        sizeof(weir_memory_options), NULL, 0, 0.0, 0, 0 \
    }

/** Returns "discrete", "cpu", ...; "unknown" for a value outside the list. Thread: safe. The string is static. */
WEIR_API const char *weir_device_class_name(weir_device_class device_class);

/** Returns the "p.d" index, such as "0.1": platform and device counted from 0 as the loader lists them; of a logical
 * device "0.1:0". weir_system_find() takes both. */
WEIR_API const char *weir_device_get_index(const weir_device *device);

/** Returns the device's name without surrounding blanks; "" if the driver gives none. */
WEIR_API const char *weir_device_get_name(const weir_device *device);

/** Returns the platform's name without surrounding blanks. */
WEIR_API const char *weir_device_get_platform_name(const weir_device *device);

/** Returns the PCI address such as "0000:01:00.0", from whichever property states it; "" if none does. */
WEIR_API const char *weir_device_get_pci(const weir_device *device);

/** Returns the class by which devices are ordered. */
WEIR_API weir_device_class weir_device_get_class(const weir_device *device);

/** Returns the whole record; valid as long as the system. A logical device has its parent's. */
WEIR_API const weir_record *weir_device_get_record(const weir_device *device);

/** Sets strategy and limit for contexts opened on this device.
 *
 * The configuration freezes with the first allocation on the device; from then on a change is refused, while setting
 * the values in force is allowed. Other devices are not affected. All contexts of one device together keep to one limit.
 * options   copied; NULL: forget what was set, all defaults
 * Thread: safe.
 * Errors: ARG (unknown strategy, both limits set, fraction outside (0, 1], a malformed WEIR_POOL or WEIR_LIMIT that
 *         would be used; a device that is split; a logical device that would be without a limit or whose limit does not
 *         fit beside the others'), CONFIG_FROZEN (says what allocated first), FORKED. Nothing is changed on failure. */
WEIR_API WEIR_NODISCARD weir_status weir_device_configure(weir_device *device, const weir_memory_options *options);

/** Makes one device several, each with a strategy, a limit and contexts of its own.
 *
 * The sum of the limits is checked once: it may not pass the device's memory, nor a limit set on the device. From then on
 * contexts on the device itself are refused: all its memory belongs to its logical devices. Until the first allocation
 * on one of them a device may be split anew; handles stay the same, and logical devices of a former split that the new
 * one has no room for cannot be used any more.
 * device        a physical one
 * count         1 .. WEIR_LOGICAL_MAX
 * options       `count` of them, in one array; each sets a limit, as bytes or as a fraction of the physical device's
 *               memory; without a strategy the device's is taken
 * logical_out   room for `count` devices, owned by the system; all NULL on failure
 * Thread: safe.
 * Errors: ARG (also: no limit, a sum that does not fit, a logical device), CONFIG_FROZEN (after the first allocation on
 *         the device or one of its logical devices, unless all values are those in force), HOST_MEMORY, FORKED.
 *         Nothing is changed on failure. */
WEIR_API WEIR_NODISCARD weir_status weir_device_split(weir_device *device, size_t count,
                                                      const weir_memory_options *options, weir_device **logical_out);

/** Returns the number of logical devices, 0 if the device is not split. Listing a system gives physical devices only.
 * Thread: safe. */
WEIR_API size_t weir_device_logical_count(const weir_device *device);

/** Returns logical device i, NULL outside 0 .. count - 1. Owned by the system. Thread: safe. */
WEIR_API weir_device *weir_device_logical(const weir_device *device, size_t i);

/** Returns the device that a logical device is a part of, NULL for a physical one. Owned by the system. */
WEIR_API weir_device *weir_device_get_parent(const weir_device *device);

/** Returns the limit in force in bytes: what was set by options or WEIR_LIMIT, else the strategy's own for the device's
 * memory (prealloc and growth leave a reserve, the others take all). Thread: safe. */
WEIR_API uint64_t weir_device_get_limit_bytes(const weir_device *device);

/** Returns 1 if the limit in force was set by options or WEIR_LIMIT, 0 if it is the strategy's own. Thread: safe. */
WEIR_API int weir_device_is_limit_set(const weir_device *device);

/** Returns the name of the strategy in force. Thread: safe. The string is static. */
WEIR_API const char *weir_device_get_strategy(const weir_device *device);

WEIR_END_DECLS

#endif
