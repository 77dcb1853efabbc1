/* A test's own way to the null ICD, whatever implementation the suite runs on. */
#ifndef WT_NULL_DEVICE_H
#define WT_NULL_DEVICE_H

#include "null_control.h"

#include <weir/context.h>
#include <weir/system.h>

/* Makes the null ICD the only OpenCL implementation of this process and returns its switches; asserts. To be called
 * before the first OpenCL call of the test. Settings that the loader reads at once (PLATFORMS) are made with setenv()
 * before. */
const wt_null_control *wt_null_use(void);

/* Opens the null device without the self-check, which a device that computes nothing would fail; asserts. */
weir_context *wt_null_open(void);

/* Releases context (may be NULL) and system; asserts that neither library nor driver has a live object. */
void wt_null_close(weir_context *ctx);

#endif
