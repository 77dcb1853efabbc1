/* The rig of src/cl's tests. Each output must be empty after a failure; that is asserted here for every test. */
#include "cl_rig.h"

#include "base/status.h"
#include "cl/cl_context.h"
#include "device/device.h"

#include <criterion/criterion.h>

#include <string.h>

static const char text[] = "kernel void rig(global uint *a, uint n, uint factor, ulong step)\n"
                           "{\n"
                           "    uint i = (uint)get_global_id(0);\n"
                           "    if (i < n) a[i] = a[i] * factor + (uint)step;\n"
                           "}";

wi_source wt_rig_source(void) { return (wi_source){"rig.cl", text, sizeof text - 1}; }

static weir_status open_on_target(struct wt_rig *rig)
{
    const wi_source source = wt_rig_source();
    const wi_program_target *target = &rig->target;
    weir_status st = WEIR_OK;
    int was_loaded = -1;

    /* outputs begin as nonsense, which a failure has to clear */
    rig->buffer = (cl_mem)&st;
    st = wi_cl_buffer_create(target->context, WT_RIG_BYTES, &rig->buffer);
    cr_assert_eq(rig->buffer == NULL, st != WEIR_OK);
    if (st == WEIR_E_OUT_OF_MEMORY) (void)wi_fail(st, "wt_rig_open", "no buffer");
    if (st != WEIR_OK) return st;

    rig->queue = (wi_queue *)&st;
    st = wi_queue_create(target->context, target->device, &rig->queue);
    cr_assert_eq(rig->queue == NULL, st != WEIR_OK);
    if (st != WEIR_OK) return st;
    st = wi_queue_touch(rig->queue, rig->buffer, WT_RIG_BYTES);
    if (st == WEIR_E_OUT_OF_MEMORY) (void)wi_fail(st, "wt_rig_open", "no memory for a buffer");
    if (st != WEIR_OK) return st;

    rig->program = (wi_program *)&st;
    st = wi_program_create(target, &source, 1, NULL, &rig->program, &was_loaded);
    cr_assert_eq(rig->program == NULL, st != WEIR_OK);
    cr_assert(was_loaded == 0 || (was_loaded == 1 && st == WEIR_OK));
    if (st != WEIR_OK) return st;
    rig->kernel = (wi_kernel *)&st;
    st = wi_kernel_create(rig->program, "rig", &rig->kernel);
    cr_assert_eq(rig->kernel == NULL, st != WEIR_OK);
    return st;
}

weir_status wt_rig_open(struct wt_rig *rig, const weir_device *device)
{
    const wi_device_traits *traits = wi_device_get_traits(device);
    weir_status st = WEIR_OK;

    memset(rig, 0, sizeof *rig);
    rig->target.device = wi_device_get_cl_device(device);
    rig->target.platform = traits->platform_text;
    rig->target.device_name = weir_device_get_name(device);
    rig->target.driver_version = traits->driver_version;
    rig->target.context = (cl_context)&st;
    st = wi_cl_context_create(wi_device_get_cl_platform(device), rig->target.device,
                              &rig->target.context);
    cr_assert_eq(rig->target.context == NULL, st != WEIR_OK);
    return st == WEIR_OK ? open_on_target(rig) : st;
}

void wt_rig_close(struct wt_rig *rig)
{
    wi_queue_destroy(rig->queue);
    wi_kernel_destroy(rig->kernel);
    wi_program_destroy(rig->program);
    wi_cl_buffer_release(rig->buffer);
    wi_cl_context_release(rig->target.context);
    memset(rig, 0, sizeof *rig);
}

weir_status wt_rig_launch(wi_queue *queue, wi_kernel *kernel, cl_mem buffer, uint32_t factor,
                          uint32_t step)
{
    wi_arg args[] = {
        {.kind = WI_ARG_BUFFER, .value.buffer = buffer},
        {.kind = WI_ARG_U32, .value.u32 = WT_RIG_COUNT},
        {.kind = WI_ARG_U32, .value.u32 = factor},
        {.kind = WI_ARG_U64, .value.u64 = step},
    };
    const wi_launch launch = {kernel, args, 4, WT_RIG_COUNT, 64};

    return wi_queue_launch(queue, &launch);
}

weir_status wt_rig_fill(wi_queue *queue, cl_mem buffer, uint32_t value)
{
    return wi_queue_fill(queue, buffer, 0, WT_RIG_BYTES, &value, sizeof value);
}

void wt_rig_expect(wi_queue *queue, cl_mem buffer, uint32_t expected)
{
    uint32_t values[WT_RIG_COUNT];

    cr_assert_eq(wi_queue_read(queue, buffer, 0, sizeof values, values), WEIR_OK, "%s",
                 weir_last_error()->message);
    for (size_t i = 0; i < WT_RIG_COUNT; i++)
        cr_assert_eq(values[i], expected, "element %zu is %u, expected %u", i, values[i], expected);
}
