/* The device that a command works on: --device, else WEIR_DEVICE, else the best. */
#ifndef WEIR_TOOLS_DEVICE_CHOICE_H
#define WEIR_TOOLS_DEVICE_CHOICE_H

#include <weir/system.h>

/** Lists the machine's devices and chooses one. The first time, drivers that crash or hang are found out in a child process
 * and left out, each with a line on stderr.
 *
 * selector   of --device; NULL: WEIR_DEVICE if it is set and not empty, else the best device
 * system     owned by the caller, weir_system_destroy(); NULL unless PROGRAM_OK or PROGRAM_NO_DEVICE
 * device     owned by the system; NULL unless PROGRAM_OK
 * Returns PROGRAM_OK; PROGRAM_USAGE for a malformed selector, PROGRAM_NO_DEVICE PROGRAM_INTERRUPTED or PROGRAM_FAILED, the reason
 * on stderr, one line where it is one of the first two. */
int device_choose(const char *command, const char *selector, weir_system **system,
                  weir_device **device);

/** The same for a selector of another option, such as "--on-device". */
int device_choose_by(const char *command, const char *option, const char *selector,
                     weir_system **system, weir_device **device);

/** Sets pool and limit of a device; members that are not set come from WEIR_POOL, WEIR_LIMIT and WEIR_MEMORY_DEBUG, which
 * are input like options.
 * Returns PROGRAM_OK; PROGRAM_USAGE, with one line on stderr, or PROGRAM_FAILED. */
int device_configure(const char *command, weir_device *device, const weir_memory_options *memory);

#endif
