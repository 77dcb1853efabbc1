/* What the messages of failed assertions begin with in this process, such as the device of a case. */
#ifndef WT_LABEL_H
#define WT_LABEL_H

#include <weir/export.h>

/* Sets the label, printf-like, at most 127 bytes; "" for none. */
void wt_label(const char *format, ...) WEIR_PRINTF(1, 2);

/* Runs a body that is meant to fail, for tests of the checks themselves. Returns 1 if an assertion of Criterion's failed
 * in it, which then does not count and ends the body; 0 if the body came to its end. Not to be nested; one thread. */
int wt_would_fail(void (*body)(void *user), void *user);

/* The message of the assertion that wt_would_fail() caught last. */
const char *wt_caught(void);

#endif
