/* The OpenCL devices of this machine. */
#ifndef WEIR_SYSTEM_H
#define WEIR_SYSTEM_H

#include <weir/device.h>
#include <weir/status.h>
#include <weir/text.h>

WEIR_BEGIN_DECLS

typedef struct weir_system weir_system;

/** Lists the platforms and devices of the machine. Opens no context and freezes nothing.
 *
 * A system without devices is not an error: weir_system_count() is 0 and weir_system_explain() tells why. A platform
 * whose driver fails does not hide the others.
 * out   owned by the caller, weir_system_destroy() after every context on its devices was released
 * Thread: safe.
 * Errors: ARG, HOST_MEMORY, DRIVER. */
WEIR_API WEIR_NODISCARD weir_status weir_system_create(weir_system **out);

/** Frees a system and its devices. NULL is allowed. */
WEIR_API void weir_system_destroy(weir_system *system);

/** Returns the number of devices, logical ones not counted. */
WEIR_API size_t weir_system_count(const weir_system *system);

/** Returns device i in the order the loader lists them, NULL outside 0 .. count - 1. Owned by the system. */
WEIR_API weir_device *weir_system_device(const weir_system *system, size_t i);

/** Returns what was noticed while listing, one line each, such as a platform that has no devices or could not list
 * them; NULL past the last. Owned by the system. */
WEIR_API const char *weir_system_warning(const weir_system *system, size_t i);

/** Chooses one device.
 *
 * selector   "0.1" (platform.device) | "0.1:0" (a logical device of it) | "pci=0000:01:00.0" | "uuid=..." |
 *            "name~text" (part of the name, any case) | "type=gpu|cpu|accelerator" (the driver's type); NULL: any.
 *            Of several the one that weir_select() takes: by class (discrete, integrated, cpu, software), then by
 *            what the records say, ties by lowest index; accelerators and emulators only by a selector other than
 *            type=; devices that are not available, have no compiler or are big-endian only by index, pci or uuid. A
 *            PCI address without its domain means domain 0. "" is malformed
 * out        owned by the system; NULL on failure
 * Thread: safe.
 * Errors: ARG for a malformed selector, NO_DEVICE (the message lists the choices, or why there is no device). */
WEIR_API WEIR_NODISCARD weir_status weir_system_find(const weir_system *system, const char *selector,
                                                     weir_device **out);

/** Appends why there is no device: what was looked for, where, which environment variables are in force, and which
 * device nodes are closed to this user. Appends the list of devices if there are some, and why none is taken without
 * being named if that is so. Looks at files and the environment each time. Thread: safe. */
WEIR_API void weir_system_explain(const weir_system *system, weir_text *text);

WEIR_END_DECLS

#endif
