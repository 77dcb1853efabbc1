/* Buffers of the null ICD and the commands that move bytes.
 *
 * A buffer is a number until something is written to it (BACKED) or it is mapped; until then it reads as zeros. Sizes
 * count against CAPACITY and every range is checked, so that a caller's slip shows as on a strict driver.
 * One lock guards the making of data; bytes themselves are the caller's to order.
 */
#include "null_icd.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t buffer_bytes;
static _Atomic uint64_t buffer_bytes_peak;
static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t null_buffer_bytes_get(void) { return atomic_load(&buffer_bytes); }
uint64_t null_buffer_bytes_peak_get(void) { return atomic_load(&buffer_bytes_peak); }

static void dispose_buffer(void *object)
{
    cl_mem buffer = object;

    if (buffer->whole != NULL) return;
    atomic_fetch_sub(&buffer_bytes, buffer->bytes);
    free(buffer->data);
}

/* Takes bytes from CAPACITY; 0 if they do not fit. */
static int take_bytes(uint64_t bytes)
{
    uint64_t now = atomic_fetch_add(&buffer_bytes, bytes) + bytes;
    uint64_t peak = atomic_load(&buffer_bytes_peak);

    if (null_set.capacity_bytes != 0 && now > null_set.capacity_bytes) {
        atomic_fetch_sub(&buffer_bytes, bytes);
        return 0;
    }
    while (peak < now && !atomic_compare_exchange_weak(&buffer_bytes_peak, &peak, now)) continue;
    return 1;
}

/* Written once: whoever has got it may read it without the lock. Without `makes` it may be NULL. */
static unsigned char *find_data(cl_mem buffer, int makes)
{
    cl_mem whole = buffer->whole != NULL ? buffer->whole : buffer;
    unsigned char *data = NULL;

    pthread_mutex_lock(&data_lock);
    if (whole->data == NULL && makes) whole->data = calloc(1, whole->bytes);
    if (whole->data != NULL && buffer->data == NULL) buffer->data = whole->data + buffer->origin;
    data = buffer->data;
    pthread_mutex_unlock(&data_lock);
    return data;
}

static unsigned char *get_data(cl_mem buffer) { return find_data(buffer, 1); }

static cl_int check_buffer(cl_context context, cl_mem_flags flags, size_t bytes, const void *host)
{
    int wants_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;

    if (!null_object_is(context, NULL_KIND_CONTEXT)) return CL_INVALID_CONTEXT;
    if (bytes == 0 || bytes > null_set.max_alloc_bytes) return CL_INVALID_BUFFER_SIZE;
    if (wants_host != (host != NULL)) return CL_INVALID_HOST_PTR;
    if (null_set.refuse_above_bytes != 0 && bytes > null_set.refuse_above_bytes)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return CL_SUCCESS;
}

static cl_mem CL_API_CALL null_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                              void *host, cl_int *out)
{
    cl_int code = null_enter(NULL_clCreateBuffer);
    cl_mem buffer = NULL;

    if (code == CL_SUCCESS) code = check_buffer(context, flags, bytes, host);
    if (code == CL_SUCCESS && !take_bytes(bytes)) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (code == CL_SUCCESS) {
        buffer =
            null_object_create(NULL_KIND_BUFFER, sizeof *buffer, &context->head, dispose_buffer);
        if (buffer == NULL) {
            atomic_fetch_sub(&buffer_bytes, bytes);
            code = CL_OUT_OF_HOST_MEMORY;
        }
    }
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    buffer->context = context;
    buffer->flags = flags;
    buffer->bytes = bytes;
    buffer->host = (flags & CL_MEM_USE_HOST_PTR) != 0 ? host : NULL;
    if (host != NULL && null_set.is_backed && get_data(buffer) != NULL)
        memcpy(buffer->data, host, bytes);
    return buffer;
}

/* Aligned for one device of the context at least, as OpenCL wants it. */
static cl_int check_region(cl_mem whole, const cl_buffer_region *region)
{
    cl_int code = CL_MISALIGNED_SUB_BUFFER_OFFSET;

    if (!null_object_is(whole, NULL_KIND_BUFFER) || whole->whole != NULL)
        return CL_INVALID_MEM_OBJECT;
    if (region == NULL || region->origin > whole->bytes) return CL_INVALID_VALUE;
    if (region->size == 0) return CL_INVALID_BUFFER_SIZE;
    if (region->size > whole->bytes - region->origin) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < whole->context->device_count; i++)
        if (region->origin % ((size_t)128 << (whole->context->devices[i] - null_devices)) == 0)
            code = CL_SUCCESS;
    return code;
}

static cl_mem CL_API_CALL null_clCreateSubBuffer(cl_mem whole, cl_mem_flags flags,
                                                 cl_buffer_create_type type, const void *info,
                                                 cl_int *out)
{
    const cl_buffer_region *region = info;
    cl_int code = null_enter(NULL_clCreateSubBuffer);
    cl_mem buffer = NULL;

    if (code == CL_SUCCESS && type != CL_BUFFER_CREATE_TYPE_REGION) code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS) code = check_region(whole, region);
    if (code == CL_SUCCESS) {
        buffer = null_object_create(NULL_KIND_BUFFER, sizeof *buffer, &whole->head, dispose_buffer);
        if (buffer == NULL) code = CL_OUT_OF_HOST_MEMORY;
    }
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    buffer->context = whole->context;
    buffer->whole = whole;
    buffer->origin = region->origin;
    buffer->flags = flags != 0 ? flags : whole->flags;
    buffer->bytes = region->size;
    return buffer;
}

static cl_int CL_API_CALL null_clRetainMemObject(cl_mem buffer)
{
    cl_int code = null_enter(NULL_clRetainMemObject);

    return code != CL_SUCCESS ? code : null_object_retain(buffer, NULL_KIND_BUFFER);
}

static cl_int CL_API_CALL null_clReleaseMemObject(cl_mem buffer)
{
    cl_int code = null_enter(NULL_clReleaseMemObject);

    return code != CL_SUCCESS ? code : null_object_release(buffer, NULL_KIND_BUFFER);
}

static cl_int CL_API_CALL null_clGetMemObjectInfo(cl_mem buffer, cl_mem_info property, size_t room,
                                                  void *out, size_t *bytes_ret)
{
    static const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_int code = null_enter(NULL_clGetMemObjectInfo);
    cl_uint number = 0;

    if (code != CL_SUCCESS) return code;
    if (!null_object_is(buffer, NULL_KIND_BUFFER)) return CL_INVALID_MEM_OBJECT;
    switch (property) {
    case CL_MEM_TYPE:
        return null_answer(&type, sizeof type, room, out, bytes_ret);
    case CL_MEM_FLAGS:
        return null_answer(&buffer->flags, sizeof buffer->flags, room, out, bytes_ret);
    case CL_MEM_SIZE:
        return null_answer(&buffer->bytes, sizeof buffer->bytes, room, out, bytes_ret);
    case CL_MEM_HOST_PTR:
        return null_answer(&buffer->host, sizeof buffer->host, room, out, bytes_ret);
    case CL_MEM_CONTEXT:
        return null_answer(&buffer->context, sizeof(cl_context), room, out, bytes_ret);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return null_answer(&buffer->whole, sizeof(cl_mem), room, out, bytes_ret);
    case CL_MEM_OFFSET:
        return null_answer(&buffer->origin, sizeof buffer->origin, room, out, bytes_ret);
    case CL_MEM_MAP_COUNT:
        number = atomic_load(&buffer->maps);
        break;
    case CL_MEM_REFERENCE_COUNT:
        number = null_object_get_owners(buffer);
        break;
    default:
        return CL_INVALID_VALUE;
    }
    return null_answer(&number, sizeof number, room, out, bytes_ret);
}

static cl_int check_range(cl_mem buffer, size_t offset, size_t bytes)
{
    if (!null_object_is(buffer, NULL_KIND_BUFFER)) return CL_INVALID_MEM_OBJECT;
    if (bytes == 0 || offset > buffer->bytes || bytes > buffer->bytes - offset)
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static void read_bytes(cl_mem buffer, size_t offset, size_t bytes, void *out)
{
    const unsigned char *data = find_data(buffer, 0);

    if (data != NULL)
        memcpy(out, data + offset, bytes);
    else
        memset(out, 0, bytes);
}

static cl_int CL_API_CALL null_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                   cl_bool is_blocking, size_t offset, size_t bytes,
                                                   void *out, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueReadBuffer);

    if (code == CL_SUCCESS)
        code = out == NULL ? CL_INVALID_VALUE : check_range(buffer, offset, bytes);
    if (code == CL_SUCCESS)
        code = null_command(queue, CL_COMMAND_READ_BUFFER, is_blocking != CL_FALSE, wait_count,
                            wait_list, event);
    if (code == CL_SUCCESS) read_bytes(buffer, offset, bytes, out);
    return code;
}

static cl_int CL_API_CALL null_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                                    cl_bool is_blocking, size_t offset,
                                                    size_t bytes, const void *data,
                                                    cl_uint wait_count, const cl_event *wait_list,
                                                    cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueWriteBuffer);

    if (code == CL_SUCCESS)
        code = data == NULL ? CL_INVALID_VALUE : check_range(buffer, offset, bytes);
    if (code == CL_SUCCESS && null_set.is_backed && get_data(buffer) == NULL)
        code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (code == CL_SUCCESS)
        code = null_command(queue, CL_COMMAND_WRITE_BUFFER, is_blocking != CL_FALSE, wait_count,
                            wait_list, event);
    if (code == CL_SUCCESS && null_set.is_backed) memcpy(buffer->data + offset, data, bytes);
    return code;
}

static cl_int CL_API_CALL null_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   size_t from_offset, size_t to_offset,
                                                   size_t bytes, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueCopyBuffer);
    size_t apart = from_offset > to_offset ? from_offset - to_offset : to_offset - from_offset;

    if (code == CL_SUCCESS) code = check_range(from, from_offset, bytes);
    if (code == CL_SUCCESS) code = check_range(to, to_offset, bytes);
    if (code == CL_SUCCESS && from == to && apart < bytes) code = CL_MEM_COPY_OVERLAP;
    if (code == CL_SUCCESS && null_set.is_backed && get_data(to) == NULL)
        code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (code == CL_SUCCESS)
        code = null_command(queue, CL_COMMAND_COPY_BUFFER, 0, wait_count, wait_list, event);
    if (code == CL_SUCCESS && null_set.is_backed)
        read_bytes(from, from_offset, bytes, to->data + to_offset);
    return code;
}

static cl_int check_pattern(size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes)
{
    int is_power =
        pattern_bytes > 0 && pattern_bytes <= 128 && (pattern_bytes & (pattern_bytes - 1)) == 0;

    if (pattern == NULL || !is_power) return CL_INVALID_VALUE;
    return offset % pattern_bytes == 0 && bytes % pattern_bytes == 0 ? CL_SUCCESS
                                                                     : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL null_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                   const void *pattern, size_t pattern_bytes,
                                                   size_t offset, size_t bytes, cl_uint wait_count,
                                                   const cl_event *wait_list, cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueFillBuffer);

    if (code == CL_SUCCESS) code = check_range(buffer, offset, bytes);
    if (code == CL_SUCCESS) code = check_pattern(offset, bytes, pattern, pattern_bytes);
    if (code == CL_SUCCESS && null_set.is_backed && get_data(buffer) == NULL)
        code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (code == CL_SUCCESS)
        code = null_command(queue, CL_COMMAND_FILL_BUFFER, 0, wait_count, wait_list, event);
    for (size_t i = 0; code == CL_SUCCESS && null_set.is_backed && i < bytes; i += pattern_bytes)
        memcpy(buffer->data + offset + i, pattern, pattern_bytes);
    return code;
}

static void *CL_API_CALL null_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                 cl_bool is_blocking, cl_map_flags flags,
                                                 size_t offset, size_t bytes, cl_uint wait_count,
                                                 const cl_event *wait_list, cl_event *event,
                                                 cl_int *out)
{
    cl_int code = null_enter(NULL_clEnqueueMapBuffer);

    (void)flags;
    if (code == CL_SUCCESS) code = check_range(buffer, offset, bytes);
    if (code == CL_SUCCESS && get_data(buffer) == NULL) code = CL_MAP_FAILURE;
    if (code == CL_SUCCESS)
        code = null_command(queue, CL_COMMAND_MAP_BUFFER, is_blocking != CL_FALSE, wait_count,
                            wait_list, event);
    null_tell(code, out);
    if (code != CL_SUCCESS) return NULL;
    atomic_fetch_add(&buffer->maps, 1);
    return buffer->data + offset;
}

static cl_int CL_API_CALL null_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer,
                                                       void *mapped, cl_uint wait_count,
                                                       const cl_event *wait_list, cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueUnmapMemObject);

    if (code == CL_SUCCESS && !null_object_is(buffer, NULL_KIND_BUFFER))
        code = CL_INVALID_MEM_OBJECT;
    if (code == CL_SUCCESS && (mapped == NULL || atomic_load(&buffer->maps) == 0))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS)
        code = null_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, 0, wait_count, wait_list, event);
    if (code == CL_SUCCESS) atomic_fetch_sub(&buffer->maps, 1);
    return code;
}

static cl_int CL_API_CALL null_clEnqueueMigrateMemObjects(
    cl_command_queue queue, cl_uint count, const cl_mem *buffers, cl_mem_migration_flags flags,
    cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int code = null_enter(NULL_clEnqueueMigrateMemObjects);

    (void)flags;
    if (code == CL_SUCCESS && (count == 0 || buffers == NULL)) code = CL_INVALID_VALUE;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        if (!null_object_is(buffers[i], NULL_KIND_BUFFER)) code = CL_INVALID_MEM_OBJECT;
    return code != CL_SUCCESS ? code
                              : null_command(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, 0, wait_count,
                                             wait_list, event);
}

void null_add_memory(cl_icd_dispatch *table)
{
    table->clCreateBuffer = null_clCreateBuffer;
    table->clCreateSubBuffer = null_clCreateSubBuffer;
    table->clRetainMemObject = null_clRetainMemObject;
    table->clReleaseMemObject = null_clReleaseMemObject;
    table->clGetMemObjectInfo = null_clGetMemObjectInfo;
    table->clEnqueueReadBuffer = null_clEnqueueReadBuffer;
    table->clEnqueueWriteBuffer = null_clEnqueueWriteBuffer;
    table->clEnqueueCopyBuffer = null_clEnqueueCopyBuffer;
    table->clEnqueueFillBuffer = null_clEnqueueFillBuffer;
    table->clEnqueueMapBuffer = null_clEnqueueMapBuffer;
    table->clEnqueueUnmapMemObject = null_clEnqueueUnmapMemObject;
    table->clEnqueueMigrateMemObjects = null_clEnqueueMigrateMemObjects;
}
