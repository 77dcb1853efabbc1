/* Device records as JSON: the form that `weir devices --json` prints. */
#ifndef WEIR_TOOLS_DEVICE_JSON_H
#define WEIR_TOOLS_DEVICE_JSON_H

#include <weir/system.h>

#include <jansson.h>

/** Returns {index, platform:{...}, name, class, ...}, a new reference; NULL for want of host memory.
 *
 * Properties carry OpenCL's names in lower case; absent ones have no member, n/a is null, a failed query is
 * {"error":"-30"}, flags are lists of names (a bit without a name is "0x..."). */
json_t *device_json(const weir_device *device);

/** Returns {source,records,warnings} of a system, a new reference; NULL for want of host memory.
 * source   "live" or the name of a file */
json_t *device_json_system(const weir_system *system, const char *source);

#endif
