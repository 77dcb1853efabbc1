/* The program texts of sums. */
#ifndef WI_OPS_SUM_TEXT_H
#define WI_OPS_SUM_TEXT_H

#include "ops/kernel_text.h"

typedef enum wi_sum_kernel { WI_SUM_ROWS = 0, WI_SUM_COLUMNS, WI_SUM_JOIN } wi_sum_kernel;

/** Vectors of results that an item of a columns kernel makes: as many as suit the device's memory. Devices with small
 * work-groups are processors with caches, where a long stretch a row matters; others have registers only. */
unsigned wi_sum_block(const wi_device_traits *traits);

/** Writes one kernel of cl/sum.cl. Its arguments: count and first item; rows and columns: chunks, length, the extents
 * and strides that stay, those that go; join: parts; then the source, the result, and where each begins.
 * dims    1, 2, 4 or 8
 * block   wi_sum_block(). Errors: BUILD, HOST_MEMORY. */
weir_status wi_sum_text_write(wi_sum_kernel kernel, unsigned dims, unsigned block,
                              wi_kernel_text *out);

#endif
