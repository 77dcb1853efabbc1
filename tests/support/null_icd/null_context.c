/* Contexts and queues of the null ICD. A queue only counts: commands enqueued and commands completed. */
#include "null_icd.h"

void null_tell(cl_int code, cl_int *out)
{
    if (out != NULL) *out = code;
}

static int is_device(cl_device_id device)
{
    return device >= null_devices && device < null_devices + null_set.devices;
}

static cl_int check_properties(const cl_context_properties *properties)
{
    for (; properties != NULL && properties[0] != 0; properties += 2) {
        if (properties[0] == CL_CONTEXT_INTEROP_USER_SYNC) continue;
        if (properties[0] != CL_CONTEXT_PLATFORM) return CL_INVALID_PROPERTY;
        if ((cl_platform_id)properties[1] != &null_platform) return CL_INVALID_PLATFORM;
    }
    return CL_SUCCESS;
}

static cl_context make_context(const cl_context_properties *properties, cl_uint count,
                               const cl_device_id *devices, cl_int *out)
{
    cl_int code = check_properties(properties);
    cl_context context = NULL;

    if (count == 0 || count > NULL_DEVICES_MAX || devices == NULL) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        if (!is_device(devices[i])) code = CL_INVALID_DEVICE;
    if (code == CL_SUCCESS) {
        context = null_object_create(NULL_KIND_CONTEXT, sizeof *context, NULL, NULL);
        if (context == NULL) code = CL_OUT_OF_HOST_MEMORY;
    }
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    context->device_count = count;
    for (cl_uint i = 0; i < count; i++) context->devices[i] = devices[i];
    return context;
}

static cl_context CL_API_CALL null_clCreateContext(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateContext);

    (void)notify;
    (void)user;
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    return make_context(properties, count, devices, out);
}

static cl_context CL_API_CALL null_clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type type,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateContextFromType);
    cl_device_id first = &null_devices[0];

    (void)notify;
    (void)user;
    if (code == CL_SUCCESS &&
        (null_set.devices == 0 || (type & (null_set.type | CL_DEVICE_TYPE_DEFAULT)) == 0))
        code = CL_DEVICE_NOT_FOUND;
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    return make_context(properties, 1, &first, out);
}

static cl_int CL_API_CALL null_clRetainContext(cl_context context)
{
    cl_int code = null_enter(NULL_clRetainContext);

    return code != CL_SUCCESS ? code : null_object_retain(context, NULL_KIND_CONTEXT);
}

static cl_int CL_API_CALL null_clReleaseContext(cl_context context)
{
    cl_int code = null_enter(NULL_clReleaseContext);

    return code != CL_SUCCESS ? code : null_object_release(context, NULL_KIND_CONTEXT);
}

static cl_int CL_API_CALL null_clGetContextInfo(cl_context context, cl_context_info property,
                                                size_t room, void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetContextInfo);
    cl_uint owners = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(context, NULL_KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    switch (property) {
    case CL_CONTEXT_REFERENCE_COUNT:
        owners = null_object_get_owners(context);
        return null_answer(&owners, sizeof owners, room, out, bytes_ret);
    case CL_CONTEXT_NUM_DEVICES:
        return null_answer(&context->device_count, sizeof context->device_count, room, out,
                           bytes_ret);
    case CL_CONTEXT_DEVICES:
        return null_answer(context->devices, context->device_count * sizeof context->devices[0],
                           room, out, bytes_ret);
    case CL_CONTEXT_PROPERTIES:
        return null_answer("", 0, room, out, bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_command_queue CL_API_CALL null_clCreateCommandQueue(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateCommandQueue);
    cl_command_queue queue = NULL;

    if (code == CL_SUCCESS && !null_object_is(context, NULL_KIND_CONTEXT))
        code = CL_INVALID_CONTEXT;
    if (code == CL_SUCCESS && !is_device(device)) code = CL_INVALID_DEVICE;
    if (code == CL_SUCCESS &&
        (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE) != 0)
        code = CL_INVALID_QUEUE_PROPERTIES;
    if (code == CL_SUCCESS) {
        queue = null_object_create(NULL_KIND_QUEUE, sizeof *queue, &context->head, NULL);
        if (queue == NULL) code = CL_OUT_OF_HOST_MEMORY;
    }
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    queue->device = device;
    queue->properties = properties;
    return queue;
}

static cl_int CL_API_CALL null_clRetainCommandQueue(cl_command_queue queue)
{
    cl_int code = null_enter(NULL_clRetainCommandQueue);

    return code != CL_SUCCESS ? code : null_object_retain(queue, NULL_KIND_QUEUE);
}

static cl_int CL_API_CALL null_clReleaseCommandQueue(cl_command_queue queue)
{
    cl_int code = null_enter(NULL_clReleaseCommandQueue);

    return code != CL_SUCCESS ? code : null_object_release(queue, NULL_KIND_QUEUE);
}

static cl_int CL_API_CALL null_clGetCommandQueueInfo(cl_command_queue queue,
                                                     cl_command_queue_info property, size_t room,
                                                     void *out, size_t *bytes_ret)
{
    cl_int code = null_enter(NULL_clGetCommandQueueInfo);
    cl_uint owners = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(queue, NULL_KIND_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    switch (property) {
    case CL_QUEUE_CONTEXT:
        return null_answer(&queue->head.parent, sizeof queue->head.parent, room, out, bytes_ret);
    case CL_QUEUE_DEVICE:
        return null_answer(&queue->device, sizeof queue->device, room, out, bytes_ret);
    case CL_QUEUE_PROPERTIES:
        return null_answer(&queue->properties, sizeof queue->properties, room, out, bytes_ret);
    case CL_QUEUE_REFERENCE_COUNT:
        owners = null_object_get_owners(queue);
        return null_answer(&owners, sizeof owners, room, out, bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

void null_add_context(cl_icd_dispatch *table)
{
    table->clCreateContext = null_clCreateContext;
    table->clCreateContextFromType = null_clCreateContextFromType;
    table->clRetainContext = null_clRetainContext;
    table->clReleaseContext = null_clReleaseContext;
    table->clGetContextInfo = null_clGetContextInfo;
    table->clCreateCommandQueue = null_clCreateCommandQueue;
    table->clRetainCommandQueue = null_clRetainCommandQueue;
    table->clReleaseCommandQueue = null_clReleaseCommandQueue;
    table->clGetCommandQueueInfo = null_clGetCommandQueueInfo;
}
