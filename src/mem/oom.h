/* Saying why there is no memory, and what would help. */
#ifndef WI_MEM_OOM_H
#define WI_MEM_OOM_H

#include "device/device.h"

#include <weir/pool.h>

/** Records OUT_OF_MEMORY for a request of `owner` with the numbers of the report and the hint of its cause.
 * others_bytes   what other contexts of the device reserve under the same limit */
weir_status wi_oom_fail(const weir_oom_report *report, const char *owner,
                        const wi_device_traits *traits, uint64_t others_bytes);

/** Appends the statistics as a table. */
void wi_oom_write_stats(const weir_pool_stats *stats, const char *strategy, weir_text *text);

/** Appends the owners as a table, and what the listed ones leave over of the totals. */
void wi_oom_write_owners(const weir_oom_report *report, uint64_t total_bytes, uint64_t total_blocks,
                         weir_text *text);

/** Writes "39.06 MiB" into a buffer: powers of 1024, two decimals above the byte; returns buffer. 32 bytes hold all. */
const char *wi_oom_format_bytes(uint64_t bytes, char *buffer, size_t size);

#endif
