/* Turns a selector into a device and settings into its memory, and each way in which that fails into an exit code and
 * one line. One thread. */
#include "device_choice.h"

#include "command.h"
#include "live.h"
#include "output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Loads the drivers. What they print then is no part of the program's output. */
static weir_status load(weir_system **system)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int is_muted =
        fflush(stdout) == 0 && nothing >= 0 && saved >= 0 && dup2(nothing, STDOUT_FILENO) >= 0;
    weir_status status = weir_system_create(system);

    if (is_muted) {
        (void)fflush(stdout);
        (void)dup2(saved, STDOUT_FILENO);
    }
    if (nothing >= 0) (void)close(nothing);
    if (saved >= 0) (void)close(saved);
    return status;
}

int device_choose(const char *command, const char *selector, weir_system **system,
                  weir_device **device)
{
    return device_choose_by(command, "--device", selector, system, device);
}

int device_choose_by(const char *command, const char *option, const char *selector,
                     weir_system **system, weir_device **device)
{
    const char *origin = option;
    int code = live_guard(command);
    weir_status status = WEIR_OK;

    *device = NULL;
    if (code != PROGRAM_OK) return code;
    if (selector == NULL) {
        selector = getenv("WEIR_DEVICE");
        selector = selector != NULL && selector[0] == '\0' ? NULL : selector;
        origin = "WEIR_DEVICE";
    }
    status = load(system);
    live_guard_end();
    if (status != WEIR_OK) {
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
