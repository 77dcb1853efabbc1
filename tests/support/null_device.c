/* Opens the null ICD of the build tree (WT_NULL_VENDORS, a folder with one .icd file, is set by the build). */
#include "null_device.h"

#include "devices.h"

#include <CL/cl.h>

#include <stdlib.h>

static const wt_null_control *control;

const wt_null_control *wt_null_use(void)
{
    cl_platform_id platform = NULL;
    cl_uint count = 0;
    cl_int code = CL_SUCCESS;

    cr_assert_eq(setenv("OCL_ICD_VENDORS", WT_NULL_VENDORS, 1), 0);
    code = clGetPlatformIDs(1, &platform, &count);
    cr_assert(code == CL_SUCCESS && count == 1, "the null ICD is not alone: code %d, %u platforms",
              code, count);
    control = clGetExtensionFunctionAddressForPlatform(platform, WT_NULL_CONTROL);
    cr_assert_not_null(control, "another OpenCL implementation was loaded before the null ICD");
    return control;
}

weir_context *wt_null_open(void)
{
    static const struct wt_device first = {"0.0", "weir null device"};
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;

    if (control == NULL) wt_null_use();
    options.no_self_check = 1;
    return wt_open(&first, &options);
}

void wt_null_close(weir_context *ctx)
{
    wt_close(ctx);
    cr_assert_eq(control->get_live(NULL), 0, "the driver has %llu live objects",
                 (unsigned long long)control->get_live(NULL));
}
