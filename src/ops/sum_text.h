/* The program texts of sums. */
#ifndef WI_OPS_SUM_TEXT_H
#define WI_OPS_SUM_TEXT_H

#include "ops/kernel_text.h"

typedef enum wi_sum_kernel { WI_SUM_ROWS = 0, WI_SUM_COLUMNS, WI_SUM_JOIN } wi_sum_kernel;

/** Writes one kernel of cl/sum.cl. Its arguments: count and first item; rows and columns: chunks, length, the extents
 * and strides that stay, those that go; join: parts; then the source, the result, and where each begins.
 * dims   1, 2, 4 or 8. Errors: BUILD. */
weir_status wi_sum_text_write(wi_sum_kernel kernel, unsigned dims, wi_kernel_text *out);

#endif
