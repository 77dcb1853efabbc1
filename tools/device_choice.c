/* Turns a selector into a device and settings into its memory, and each way in which that fails into the exit code and the words the design gives
 * it. One thread. */
#include "device_choice.h"

#include "command.h"
#include "output.h"

#include <stdlib.h>

int device_choose(const char *command, const char *selector, weir_system **system,
                  weir_device **device)
{
    return device_choose_by(command, "--device", selector, system, device);
}

int device_choose_by(const char *command, const char *option, const char *selector,
                     weir_system **system, weir_device **device)
{
    const char *origin = option;

    *device = NULL;
    if (selector == NULL) {
        selector = getenv("WEIR_DEVICE");
        selector = selector != NULL && selector[0] == '\0' ? NULL : selector;
        origin = "WEIR_DEVICE";
    }
    if (weir_system_create(system) != WEIR_OK) {
        output_error(command);
        return PROGRAM_FAILED;
    }
    switch (weir_system_find(*system, selector, device)) {
    case WEIR_OK:
        return PROGRAM_OK;
    case WEIR_E_NO_DEVICE:
        output_usage("weir %s: %s%s%s", command, weir_last_error()->message,
                     weir_last_error()->hint[0] == '\0' ? "" : "; ", weir_last_error()->hint);
        return PROGRAM_NO_DEVICE;
    case WEIR_E_ARG:
        output_usage("weir %s: %s: %s; expected %s", command, origin, weir_last_error()->message,
                     weir_last_error()->hint);
        weir_system_destroy(*system);
        *system = NULL;
        return PROGRAM_USAGE;
    default:
        output_error(command);
        weir_system_destroy(*system);
        *system = NULL;
        return PROGRAM_FAILED;
    }
}

int device_configure(const char *command, weir_device *device, const weir_memory_options *memory)
{
    switch (weir_device_configure(device, memory)) {
    case WEIR_OK:
        return PROGRAM_OK;
    case WEIR_E_ARG:
        output_usage("weir %s: %s", command, weir_last_error()->message);
        return PROGRAM_USAGE;
    default:
        output_error(command);
        return PROGRAM_FAILED;
    }
}
