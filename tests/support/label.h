/* What the messages of failed assertions begin with in this process, such as the device of a case. */
#ifndef WT_LABEL_H
#define WT_LABEL_H

#include <weir/export.h>

/* Sets the label, printf-like, at most 127 bytes; "" for none. */
void wt_label(const char *format, ...) WEIR_PRINTF(1, 2);

#endif
