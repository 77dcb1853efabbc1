/* Sized queries: ask for the size, take memory, ask again. What the driver answers is passed on; only the want of host
 * memory is a failure of the call itself, since one bad platform must not hide the others.
 */
#include "cl/cl_query.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_status.h"

/* A longer answer is no answer: extension lists, the longest, have a few thousand bytes. */
#define ANSWER_BYTES_MAX ((size_t)1 << 24)

weir_status wi_cl_query_platforms(cl_platform_id **out, size_t *count)
{
    cl_platform_id *platforms = NULL;
    cl_uint found = 0;
    cl_int code = CL_SUCCESS;

    *out = NULL;
    *count = 0;
    code = clGetPlatformIDs(0, NULL, &found);
    if (code == CL_INVALID_PLATFORM || wi_cl_status_map(code) == WEIR_E_NO_DEVICE) return WEIR_OK;
    if (code != CL_SUCCESS) return wi_cl_fail(code, "clGetPlatformIDs", "counting platforms");
    if (found == 0) return WEIR_OK;

    platforms = wi_calloc(found, sizeof(cl_platform_id));
    if (platforms == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "clGetPlatformIDs", "list of %u platforms", found);
    }
    code = clGetPlatformIDs(found, platforms, NULL);
    if (code != CL_SUCCESS) {
        wi_free(platforms);
        return wi_cl_fail(code, "clGetPlatformIDs", "listing %u platforms", found);
    }
    *out = platforms;
    *count = found;
    return WEIR_OK;
}

weir_status wi_cl_query_devices(cl_platform_id platform, cl_device_id **out, size_t *count,
                                cl_int *code)
{
    cl_device_id *devices = NULL;
    cl_uint found = 0;

    *out = NULL;
    *count = 0;
    *code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &found);
    if (*code != CL_SUCCESS || found == 0) return WEIR_OK;

    devices = wi_calloc(found, sizeof(cl_device_id));
    if (devices == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "clGetDeviceIDs", "list of %u devices", found);
    }
    *code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, devices, NULL);
    if (*code != CL_SUCCESS) {
        wi_free(devices);
        return WEIR_OK;
    }
    *out = devices;
    *count = found;
    return WEIR_OK;
}

/* One query of either kind of object. */
typedef cl_int query_call(const void *object, cl_uint property, size_t bytes, void *data,
                          size_t *needed);

static cl_int query_platform(const void *object, cl_uint property, size_t bytes, void *data,
                             size_t *needed)
{
    return clGetPlatformInfo(*(const cl_platform_id *)object, property, bytes, data, needed);
}

static cl_int query_device(const void *object, cl_uint property, size_t bytes, void *data,
                           size_t *needed)
{
    return clGetDeviceInfo(*(const cl_device_id *)object, property, bytes, data, needed);
}

static weir_status query(query_call *call, const void *object, cl_uint property, void **out,
                         size_t *out_bytes, cl_int *code)
{
    size_t bytes = 0;
    char *data = NULL;

    *out = NULL;
    *out_bytes = 0;
    *code = call(object, property, 0, NULL, &bytes);
    if (*code == CL_SUCCESS && bytes > ANSWER_BYTES_MAX) *code = CL_INVALID_VALUE;
    if (*code != CL_SUCCESS) return WEIR_OK;

    data = wi_calloc(bytes + 1, 1);
    if (data == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "wi_cl_query", "%zu bytes for property 0x%x", bytes,
                       (unsigned)property);
    }
    /* An empty answer is complete; asking for it with 0 bytes of room is an error on some drivers. */
    if (bytes > 0) *code = call(object, property, bytes, data, NULL);
    if (*code != CL_SUCCESS) {
        wi_free(data);
        return WEIR_OK;
    }
    *out = data;
    *out_bytes = bytes;
    return WEIR_OK;
}

weir_status wi_cl_query_platform(cl_platform_id platform, cl_uint property, void **data,
                                 size_t *bytes, cl_int *code)
{
    return query(query_platform, &platform, property, data, bytes, code);
}

weir_status wi_cl_query_device(cl_device_id device, cl_uint property, void **data, size_t *bytes,
                               cl_int *code)
{
    return query(query_device, &device, property, data, bytes, code);
}
