/* A device without a system: the same record, read by the same reader, and the place in the machine's list looked up, so
 * that messages name it as everything else does. No state. */
#include "device/adopted.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_query.h"
#include "cl/foreign.h"
#include "device/device_state.h"
#include "device/driver_reader.h"

/* The platform's place in the loader's list; 0 if it is not there. */
static weir_status query_platform_index(cl_platform_id platform, unsigned *out)
{
    cl_platform_id *list = NULL;
    size_t count = 0;
    weir_status status = wi_cl_query_platforms(&list, &count);

    *out = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] == platform) *out = (unsigned)i;
    wi_free(list);
    return status;
}

static weir_status query_device_index(cl_platform_id platform, cl_device_id whole, unsigned *out)
{
    cl_device_id *list = NULL;
    size_t count = 0;
    cl_int code = CL_SUCCESS;
    weir_status status = wi_cl_query_devices(platform, &list, &count, &code);

    *out = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] == whole) *out = (unsigned)i;
    wi_free(list);
    return status;
}

weir_status wi_device_query_whole(cl_device_id device, cl_platform_id *platform,
                                  cl_device_id *whole)
{
    cl_device_id parent = device;
    weir_status status = WEIR_OK;

    for (*whole = device; parent != NULL && status == WEIR_OK;) {
        *whole = parent;
        status = wi_cl_device_query_home(*whole, platform, &parent);
    }
    return status;
}

weir_status wi_device_adopt(cl_device_id cl_device, weir_device **out)
{
    cl_platform_id platform_id = NULL;
    cl_device_id whole = NULL;
    weir_record *platform = NULL;
    weir_record *record = NULL;
    unsigned platform_index = 0;
    unsigned index = 0;
    weir_status status = wi_cl_device_retain(cl_device);

    *out = NULL;
    if (status != WEIR_OK) return status;
    status = wi_device_query_whole(cl_device, &platform_id, &whole);
    if (status == WEIR_OK) status = query_platform_index(platform_id, &platform_index);
    if (status == WEIR_OK) status = query_device_index(platform_id, whole, &index);
    if (status == WEIR_OK) status = wi_platform_read(platform_id, platform_index, &platform);
    if (status == WEIR_OK) status = wi_device_read(cl_device, platform, index, &record);
    if (status == WEIR_OK) status = wi_device_create(platform_id, cl_device, record, out);
    wi_record_destroy(platform);
    if (status != WEIR_OK) wi_cl_device_release(cl_device);
    return status;
}

void wi_device_forget(weir_device *device)
{
    cl_device_id cl_device = NULL;

    if (device == NULL) return;
    cl_device = wi_device_get_cl_device(device);
    wi_device_destroy(device);
    wi_cl_device_release(cl_device);
}

weir_status wi_devices_query_align(const cl_device_id *devices, size_t count, uint64_t *bytes)
{
    weir_status status = WEIR_OK;

    *bytes = 1;
    for (size_t i = 0; i < count && status == WEIR_OK; i++) {
        uint32_t bits = 0;

        status = wi_cl_device_query_u32(devices[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN, &bits);
        while (*bytes < bits / 8) *bytes *= 2;
    }
    return status;
}
