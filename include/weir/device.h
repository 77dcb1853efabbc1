/* What is known of one device: its record, and the memory configuration that contexts on it will use. */
#ifndef WEIR_DEVICE_H
#define WEIR_DEVICE_H

#include <weir/property.h>
#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

/* One OpenCL device of a system. Owned by its weir_system; never released by itself. */
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
 * variables WEIR_POOL and WEIR_LIMIT (bytes, with K, M or G for powers of 1024, or a percentage such as 50%), else from
 * the defaults. */
typedef struct weir_memory_options {
    size_t struct_size;
    const char *strategy;  /* "growth" (default), "prealloc", "ondemand", "direct", "adaptive"; copied */
    uint64_t limit_bytes;  /* most bytes ever reserved; takes the place of an earlier fraction */
    double limit_fraction; /* of the device's memory, 0 < f <= 1; takes the place of earlier bytes */
    int no_compaction;     /* 1: no block is ever moved, also where the strategy would */
} weir_memory_options;

#define WEIR_MEMORY_OPTIONS_INIT                     \
    {                                                \
        sizeof(weir_memory_options), NULL, 0, 0.0, 0 \
    }

/** Returns "discrete", "cpu", ...; "unknown" for a value outside the list. Thread: safe. The string is static. */
WEIR_API const char *weir_device_class_name(weir_device_class device_class);

/** Returns the "p.d" index, such as "0.1": platform and device counted from 0 as the loader lists them. */
WEIR_API const char *weir_device_get_index(const weir_device *device);

/** Returns the device's name without surrounding blanks; "" if the driver gives none. */
WEIR_API const char *weir_device_get_name(const weir_device *device);

/** Returns the platform's name without surrounding blanks. */
WEIR_API const char *weir_device_get_platform_name(const weir_device *device);

/** Returns the PCI address such as "0000:01:00.0", from whichever property states it; "" if none does. */
WEIR_API const char *weir_device_get_pci(const weir_device *device);

/** Returns the class by which devices are ordered. */
WEIR_API weir_device_class weir_device_get_class(const weir_device *device);

/** Returns the whole record; valid as long as the system. */
WEIR_API const weir_record *weir_device_get_record(const weir_device *device);

/** Sets strategy and limit for contexts opened on this device.
 *
 * The configuration freezes with the first allocation on the device; from then on a change is refused, while setting
 * the values in force is allowed. Other devices are not affected.
 * options   copied; NULL: forget what was set, all defaults
 * Thread: safe.
 * Errors: ARG (unknown strategy, both limits set, fraction outside (0, 1], a malformed WEIR_POOL or WEIR_LIMIT that
 *         would be used), CONFIG_FROZEN (says what allocated first). Nothing is changed on failure. */
WEIR_API WEIR_NODISCARD weir_status weir_device_configure(weir_device *device, const weir_memory_options *options);

/** Returns the limit in force in bytes, 0 if none was set by options or WEIR_LIMIT. Thread: safe. */
WEIR_API uint64_t weir_device_get_limit_bytes(const weir_device *device);

/** Returns the name of the strategy in force. Thread: safe. The string is static. */
WEIR_API const char *weir_device_get_strategy(const weir_device *device);

WEIR_END_DECLS

#endif
