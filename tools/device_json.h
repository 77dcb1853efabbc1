/* Device records as JSON: the form that `weir devices --json` prints. */
#ifndef WEIR_TOOLS_DEVICE_JSON_H
#define WEIR_TOOLS_DEVICE_JSON_H

#include <weir/records.h>
#include <weir/system.h>

#include <jansson.h>

/** Returns {index, platform:{...}, name, class, ...}, a new reference; NULL for want of host memory.
 *
 * Properties carry OpenCL's names in lower case; absent ones have no member, n/a is null, a failed query is
 * {"error":"-30"}, flags are lists of names (a bit without a name is "0x..."). The last member is `quirks`. */
json_t *device_json(const weir_record *record);

/** Returns the quirks that apply to a record, [{name,effect,report}], a new reference; NULL for want of host memory. */
json_t *device_json_quirks(const weir_record *record);

/** Returns {source,records,warnings} of the live system, a new reference; NULL for want of host memory. */
json_t *device_json_system(const weir_system *system);

/** Returns the same of a text. */
json_t *device_json_records(const weir_records *texts);

#endif
