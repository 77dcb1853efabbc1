/* Contexts of one device, and buffers. A context tells the log hook what its driver reports on the side (often the only
 * place where a driver says why a command failed).
 */
#include "cl/cl_context.h"

#include "base/log.h"
#include "cl/cl_status.h"
#include "cl/live.h"

#include <stdint.h>

/* Called by the driver, from any thread. */
static void CL_CALLBACK pass_report(const char *text, const void *data, size_t bytes, void *user)
{
    (void)data;
    (void)bytes;
    (void)user;
    if (text != NULL) wi_log_text(WEIR_LOG_DEBUG, text);
}

weir_status wi_cl_context_create(cl_platform_id platform, cl_device_id device, cl_context *out)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    cl_int code = CL_SUCCESS;
    cl_context context = NULL;

    *out = NULL;
    context = clCreateContext(properties, 1, &device, pass_report, NULL, &code);
    if (code != CL_SUCCESS) return wi_cl_fail(code, "clCreateContext", "one device");
    wi_live_add(WI_LIVE_CONTEXT);
    *out = context;
    return WEIR_OK;
}

void wi_cl_context_release(cl_context context)
{
    if (context == NULL) return;
    wi_live_drop(WI_LIVE_CONTEXT);
    (void)clReleaseContext(context);
}

weir_status wi_cl_buffer_create(cl_context context, uint64_t bytes, cl_mem *out)
{
    cl_int code = CL_SUCCESS;
    cl_mem buffer = NULL;

    *out = NULL;
    if (bytes > SIZE_MAX) return WEIR_E_OUT_OF_MEMORY;
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (bytes > 0 && wi_cl_is_allocation_failure(code)) return WEIR_E_OUT_OF_MEMORY;
    if (code != CL_SUCCESS) {
        return wi_cl_fail(code, "clCreateBuffer", "%llu bytes", (unsigned long long)bytes);
    }
    wi_live_add(WI_LIVE_BUFFER);
    *out = buffer;
    return WEIR_OK;
}

void wi_cl_buffer_release(cl_mem buffer)
{
    if (buffer == NULL) return;
    wi_live_drop(WI_LIVE_BUFFER);
    (void)clReleaseMemObject(buffer);
}
