/* Questions to drivers about objects of the program. Nothing is kept; no state. */
#include "cl/foreign.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_status.h"
#include "cl/live.h"

/* A context of more devices is none. */
#define DEVICES_MAX 4096

weir_status wi_cl_context_query_devices(cl_context context, cl_device_id **out, size_t *count)
{
    static const char call[] = "clGetContextInfo";
    size_t bytes = 0;
    cl_device_id *devices = NULL;
    cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);

    *out = NULL;
    *count = 0;
    if (code != CL_SUCCESS) return wi_cl_fail(code, call, "CL_CONTEXT_DEVICES");
    if (bytes == 0 || bytes > DEVICES_MAX * sizeof *devices || bytes % sizeof *devices != 0) {
        return wi_cl_fail(CL_INVALID_VALUE, call, "a list of devices of %zu bytes", bytes);
    }
    devices = wi_malloc(bytes);
    if (devices == NULL) return wi_fail(WEIR_E_HOST_MEMORY, call, "%zu bytes", bytes);
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    if (code != CL_SUCCESS) {
        wi_free(devices);
        return wi_cl_fail(code, call, "CL_CONTEXT_DEVICES");
    }
    *out = devices;
    *count = bytes / sizeof *devices;
    return WEIR_OK;
}

weir_status wi_cl_device_query_u32(cl_device_id device, cl_device_info property, uint32_t *out)
{
    cl_uint value = 0;
    const cl_int code = clGetDeviceInfo(device, property, sizeof value, &value, NULL);

    *out = value;
    if (code == CL_SUCCESS) return WEIR_OK;
    return wi_cl_fail(code, "clGetDeviceInfo", "property 0x%x", (unsigned)property);
}

weir_status wi_cl_device_query_home(cl_device_id device, cl_platform_id *platform,
                                    cl_device_id *parent)
{
    cl_int code =
        clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), platform, NULL);

    *parent = NULL;
    if (code != CL_SUCCESS) {
        *platform = NULL;
        return wi_cl_fail(code, "clGetDeviceInfo", "CL_DEVICE_PLATFORM");
    }
    /* Devices of OpenCL 1.1 have no parents and do not know the question. */
    code = clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), parent, NULL);
    if (code != CL_SUCCESS) *parent = NULL;
    return WEIR_OK;
}

weir_status wi_cl_queue_query(cl_command_queue queue, wi_cl_queue_facts *out)
{
    const struct {
        cl_command_queue_info property;
        size_t bytes;
        void *value;
    } rows[] = {{CL_QUEUE_CONTEXT, sizeof(cl_context), &out->context},
                {CL_QUEUE_DEVICE, sizeof(cl_device_id), &out->device},
                {CL_QUEUE_PROPERTIES, sizeof out->properties, &out->properties}};

    *out = (wi_cl_queue_facts){0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const cl_int code =
            clGetCommandQueueInfo(queue, rows[i].property, rows[i].bytes, rows[i].value, NULL);
        if (code == CL_SUCCESS) continue;
        return wi_cl_fail(code, "clGetCommandQueueInfo", "property 0x%x",
                          (unsigned)rows[i].property);
    }
    return WEIR_OK;
}

weir_status wi_cl_buffer_query(cl_mem buffer, wi_cl_buffer_facts *out)
{
    size_t bytes = 0;
    const struct {
        cl_mem_info property;
        size_t bytes;
        void *value;
    } rows[] = {{CL_MEM_TYPE, sizeof out->type, &out->type},
                {CL_MEM_FLAGS, sizeof out->flags, &out->flags},
                {CL_MEM_SIZE, sizeof bytes, &bytes},
                {CL_MEM_CONTEXT, sizeof(cl_context), &out->context},
                {CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &out->parent}};

    *out = (wi_cl_buffer_facts){0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const cl_int code =
            clGetMemObjectInfo(buffer, rows[i].property, rows[i].bytes, rows[i].value, NULL);
        if (code == CL_SUCCESS) continue;
        return wi_cl_fail(code, "clGetMemObjectInfo", "property 0x%x", (unsigned)rows[i].property);
    }
    out->bytes = bytes;
    return WEIR_OK;
}

weir_status wi_cl_context_retain(cl_context context)
{
    const cl_int code = clRetainContext(context);

    if (code != CL_SUCCESS) return wi_cl_fail(code, "clRetainContext", "a context to adopt");
    wi_live_add(WI_LIVE_CONTEXT);
    return WEIR_OK;
}

weir_status wi_cl_buffer_retain(cl_mem buffer)
{
    const cl_int code = clRetainMemObject(buffer);

    if (code != CL_SUCCESS) return wi_cl_fail(code, "clRetainMemObject", "a buffer to wrap");
    wi_live_add(WI_LIVE_BUFFER);
    return WEIR_OK;
}

weir_status wi_cl_device_retain(cl_device_id device)
{
    const cl_int code = clRetainDevice(device);

    return code == CL_SUCCESS ? WEIR_OK : wi_cl_fail(code, "clRetainDevice", "a device to adopt");
}

void wi_cl_device_release(cl_device_id device)
{
    if (device != NULL) (void)clReleaseDevice(device);
}

weir_status wi_cl_sub_buffer_create(cl_mem buffer, uint64_t offset_bytes, uint64_t bytes,
                                    cl_mem *out)
{
    const cl_buffer_region region = {(size_t)offset_bytes, (size_t)bytes};
    cl_int code = CL_SUCCESS;

    *out = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == CL_SUCCESS) return WEIR_OK;
    *out = NULL;
    return wi_cl_fail(code, "clCreateSubBuffer", "%llu bytes at offset %llu",
                      (unsigned long long)bytes, (unsigned long long)offset_bytes);
}
