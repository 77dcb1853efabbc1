/* Kernel objects and their arguments.
 *
 * A kernel keeps the arguments of its last launch, and most launches change few of them, so an argument that is already
 * set is not set again: a call costs 10 ns on PoCL, but half a microsecond on rusticl and more under a layer.
 * For numbers and local memory this needs only equal kind and equal bits. A buffer handle is a pointer that a driver
 * may use again for a new buffer once the old one was released, and kernels hold no reference to their arguments, so a
 * driver that keeps more than the handle (an address) would run on the old buffer. Hence a buffer argument counts as
 * set only while the library has given back no buffer at all since it was set: the handle then still is the object it
 * was, for every buffer in a launch is held by the library, and wi_cl_buffer_release() is the only way out. The number
 * of buffers given back is raised before the driver is told; a handle that was used again is thus always seen as new.
 *
 * Locking: the kernel's lock, from the first argument to the enqueue, since argument state is the kernel's.
 */
#include "cl/kernel.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_status.h"
#include "cl/live.h"

#include <string.h>

static const size_t arg_bytes[] = {
    [WI_ARG_BUFFER] = sizeof(cl_mem),  [WI_ARG_U32] = sizeof(uint32_t),
    [WI_ARG_U64] = sizeof(uint64_t),   [WI_ARG_F32] = sizeof(float),
    [WI_ARG_LOCAL] = sizeof(uint64_t), /* of the value; the driver gets the value as size */
};

/* The value as a number that is equal exactly if the bytes are (so NaN equals itself, -0 is not 0). */
static uint64_t get_bits(const wi_arg *arg)
{
    uint64_t bits = 0;
    memcpy(&bits, &arg->value, arg_bytes[arg->kind]);
    return bits;
}

static int is_set(const wi_arg_slot *slot, const wi_arg *arg, uint64_t bits)
{
    if (slot->kind != (int)arg->kind || slot->bits != bits) return 0;
    return arg->kind != WI_ARG_BUFFER || slot->dropped_buffers == wi_live_dropped(WI_LIVE_BUFFER);
}

static cl_int set_arg(cl_kernel handle, unsigned index, const wi_arg *arg)
{
    if (arg->kind == WI_ARG_LOCAL) {
        return clSetKernelArg(handle, index, (size_t)arg->value.u64, NULL);
    }
    return clSetKernelArg(handle, index, arg_bytes[arg->kind], &arg->value);
}

static cl_int update_arg(wi_kernel *kernel, unsigned index, const wi_arg *arg)
{
    wi_arg_slot *slot = &kernel->slots[index];
    const uint64_t bits = get_bits(arg);
    uint64_t dropped = 0;
    cl_int code = CL_SUCCESS;

    if (is_set(slot, arg, bits)) return CL_SUCCESS;
    dropped = wi_live_dropped(WI_LIVE_BUFFER);
    code = set_arg(kernel->handle, index, arg);
    *slot = (wi_arg_slot){code == CL_SUCCESS ? (int)arg->kind : -1, bits, dropped};
    return code;
}

cl_int wi_kernel_set_args(wi_kernel *kernel, const wi_arg *args, unsigned count, unsigned *index)
{
    cl_int code = CL_SUCCESS;

    for (unsigned i = 0; i < count && code == CL_SUCCESS; i++) {
        *index = i;
        code = i < WI_ARG_SLOTS ? update_arg(kernel, i, &args[i])
                                : set_arg(kernel->handle, i, &args[i]);
    }
    return code;
}

/* Makes the object around a driver's kernel, which it takes over on success. */
static weir_status wrap_kernel(cl_kernel handle, cl_device_id device, const char *name,
                               wi_kernel **out)
{
    wi_kernel *kernel = NULL;
    size_t max_group = 0;
    cl_int code = clGetKernelWorkGroupInfo(handle, device, CL_KERNEL_WORK_GROUP_SIZE,
                                           sizeof max_group, &max_group, NULL);
    if (code != CL_SUCCESS) return wi_cl_fail(code, "clGetKernelWorkGroupInfo", "kernel %s", name);

    kernel = wi_calloc(1, sizeof *kernel);
    if (kernel == NULL || pthread_mutex_init(&kernel->lock, NULL) != 0) {
        wi_free(kernel);
        return wi_fail(WEIR_E_HOST_MEMORY, "wi_kernel_create", "kernel %s", name);
    }
    kernel->handle = handle;
    kernel->max_group = max_group;
    for (unsigned i = 0; i < WI_ARG_SLOTS; i++) kernel->slots[i].kind = -1;
    *out = kernel;
    return WEIR_OK;
}

static void release_handle(cl_kernel handle)
{
    wi_live_drop(WI_LIVE_KERNEL);
    (void)clReleaseKernel(handle);
}

weir_status wi_kernel_create(wi_program *program, const char *name, wi_kernel **out)
{
    weir_status st = WEIR_OK;
    cl_int code = CL_SUCCESS;
    cl_kernel handle = NULL;

    *out = NULL;
    handle = clCreateKernel(wi_program_get_handle(program), name, &code);
    if (code != CL_SUCCESS) return wi_cl_fail(code, "clCreateKernel", "kernel %s", name);
    wi_live_add(WI_LIVE_KERNEL);

    st = wrap_kernel(handle, wi_program_get_device(program), name, out);
    if (st != WEIR_OK) release_handle(handle);
    return st;
}

void wi_kernel_destroy(wi_kernel *kernel)
{
    if (kernel == NULL) return;
    release_handle(kernel->handle);
    (void)pthread_mutex_destroy(&kernel->lock);
    wi_free(kernel);
}

size_t wi_kernel_get_max_group(const wi_kernel *kernel) { return kernel->max_group; }
