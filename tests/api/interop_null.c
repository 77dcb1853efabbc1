/* Adopted contexts on the null ICD, which checks handles and has devices that want different alignments. */
#include "interop_support.h"
#include "null_device.h"

#include <weir/weir.h>

#include <stdlib.h>

TestSuite(interop_null, .timeout = 120);

static const wt_null_control *null;

/* A context on `count` devices; the i-th wants buffers aligned to 128 << i bytes. */
static cl_context open_null(cl_uint count, cl_device_id *devices)
{
    cl_platform_id platform = NULL;
    cl_int code = CL_SUCCESS;
    cl_context context = NULL;

    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    null = wt_null_use();
    cr_assert(null->set("DEVICES", "8"));
    wt_cl(clGetPlatformIDs(1, &platform, NULL));
    wt_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices, NULL));
    context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
    wt_cl(code);
    return context;
}

static weir_context *adopt(cl_context context, cl_device_id device, cl_command_queue queue)
{
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_context *out = NULL;

    options.no_self_check = 1;
    wt_ok(weir_context_adopt(context, device, queue, &options, &out));
    return out;
}

static void close_null(cl_context context)
{
    weir_live live;

    wt_cl(clReleaseContext(context));
    weir_live_get(&live);
    cr_assert_eq(live.total, 0U);
    cr_assert_eq(null->get_live(NULL), 0U);
}

Test(interop_null, blocks_suit_every_device_of_the_context)
{
    cl_device_id devices[8];
    cl_context handle = open_null(6, devices);
    weir_context *context = adopt(handle, devices[0], NULL);
    weir_block *blocks[10] = {NULL};
    cl_mem part = NULL;

    for (size_t i = 0; i < 10; i++) {
        wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 1000, NULL, &blocks[i]));
        cr_assert_eq(weir_block_get_offset_bytes(blocks[i]) % (128U << 5), 0U);
        wt_ok(weir_block_create_sub_buffer(blocks[i], 0, 1000, &part));
        wt_cl(clReleaseMemObject(part));
        wt_fails(weir_block_create_sub_buffer(blocks[i], 128, 100, &part), WEIR_E_ARG);
    }
    for (size_t i = 0; i < 10; i++) weir_block_release(blocks[i]);
    weir_context_release(context);
    close_null(handle);
}

Test(interop_null, a_device_has_the_index_of_the_machines_list)
{
    cl_device_id devices[8];
    cl_context handle = open_null(6, devices);
    weir_context *context = adopt(handle, devices[3], NULL);

    cr_assert_str_eq(weir_device_get_index(weir_context_get_device(context)), "0.3");
    weir_context_release(context);
    close_null(handle);
}

Test(interop_null, refuses_devices_and_queues_of_others)
{
    cl_device_id devices[8];
    cl_context handle = open_null(2, devices);
    cl_command_queue queue = own_queue(handle, devices[1]);
    weir_adopt_options options = WEIR_ADOPT_OPTIONS_INIT;
    weir_system *system = NULL;
    weir_context *context = (weir_context *)&options;

    wt_fails(weir_context_adopt(handle, devices[2], NULL, NULL, &context), WEIR_E_CONTEXT);
    cr_assert_null(context);
    wt_fails(weir_context_adopt(handle, devices[0], queue, NULL, &context), WEIR_E_CONTEXT);
    cr_assert_not_null(strstr(weir_last_error()->message, "device"));
    wt_ok(weir_system_create(&system));
    options.device = weir_system_device(system, 1);
    wt_fails(weir_context_adopt(handle, devices[0], NULL, &options, &context), WEIR_E_ARG);
    cr_assert_null(context);
    weir_system_destroy(system);
    wt_cl(clReleaseCommandQueue(queue));
    close_null(handle);
}

/* A queue keeps its context, and a context what was released before it, so these handles are still memory. */
Test(interop_null, tells_objects_that_are_not_what_they_should_be)
{
    cl_device_id devices[8];
    cl_context handle = open_null(1, devices);
    cl_command_queue queue = own_queue(handle, devices[0]);
    cl_mem mem = own_buffer(handle, CL_MEM_READ_WRITE, 4096, NULL);
    weir_context *context = NULL;
    weir_tensor *tensor = NULL;

    wt_fails(weir_context_adopt((cl_context)queue, devices[0], NULL, NULL, &context),
             WEIR_E_DRIVER);
    wt_fails(weir_context_adopt(handle, devices[0], (cl_command_queue)handle, NULL, &context),
             WEIR_E_DRIVER);
    cr_assert_null(context);
    context = adopt(handle, devices[0], queue);
    wt_fails(weir_tensor_wrap_cl_mem(context, (cl_mem)queue, 0, WEIR_DTYPE_F32,
                                     &(weir_shape){1, {10}}, &tensor),
             WEIR_E_DRIVER);
    cr_assert_null(tensor);
    weir_context_release(context);
    wt_cl(clReleaseCommandQueue(queue));
    wt_cl(clReleaseMemObject(mem));
    close_null(handle);
}

/* The program lets go of everything first. */
Test(interop_null, holds_what_it_adopted)
{
    cl_device_id devices[8];
    cl_context handle = open_null(1, devices);
    cl_command_queue queue = own_queue(handle, devices[0]);
    cl_mem mem = own_buffer(handle, CL_MEM_READ_WRITE, 4096, NULL);
    weir_context *context = adopt(handle, devices[0], queue);
    weir_tensor *tensor = NULL;
    weir_live live;
    char bytes[4096];

    wt_ok(weir_tensor_wrap_cl_mem(context, mem, 0, WEIR_DTYPE_F32, &(weir_shape){1, {1024}},
                                  &tensor));
    wt_cl(clReleaseCommandQueue(queue));
    wt_cl(clReleaseMemObject(mem));
    wt_cl(clReleaseContext(handle));
    weir_context_release(context); /* the tensor holds it */
    wt_ok(weir_tensor_to_host(tensor, bytes, sizeof bytes));
    weir_tensor_release(tensor);
    weir_live_get(&live);
    cr_assert_eq(live.total, 0U);
    cr_assert_eq(null->get_live(NULL), 0U);
}

/* Progress on a queue on which others enqueue too: a buffer goes back only behind their commands. */
Test(interop_null, commands_of_others_are_waited_for_with_few_markers)
{
    cl_device_id devices[8];
    cl_context handle = open_null(1, devices);
    cl_command_queue queue = own_queue(handle, devices[0]);
    weir_context *context = adopt(handle, devices[0], queue);
    weir_memory_options memory = WEIR_MEMORY_OPTIONS_INIT;
    weir_pool *pool = weir_context_get_pool(context);
    const cl_uint zero = 0;
    uint64_t held = 0;

    cr_assert(null->set("LAZY", "1"));
    memory.strategy = "direct";
    wt_ok(weir_device_configure(weir_context_get_device(context), &memory));
    null->reset_calls();
    for (int i = 0; i < 2000; i++) {
        weir_block *block = NULL;
        cl_mem mem = NULL;
        uint64_t offset = 0;

        wt_ok(weir_pool_alloc(pool, NULL, 4096, NULL, &block));
        weir_block_get_cl_mem(block, &mem, &offset);
        wt_cl(clEnqueueFillBuffer(queue, mem, &zero, 4, offset, 4096, 0, NULL, NULL));
        weir_block_release(block);
        if (null->get_live("cl_mem") > held) held = null->get_live("cl_mem");
    }
    cr_assert_gt(held, 1U, "buffers of pending commands are held");
    wt_ok(weir_pool_trim(pool, 0));
    cr_assert_eq(null->get_live("cl_mem"), 0U);
    cr_assert_leq(null->get_calls("clEnqueueMarkerWithWaitList"), 4004U);
    cr_assert_leq(null->get_live("cl_event"), 10U);
    weir_context_release(context);
    wt_cl(clReleaseCommandQueue(queue));
    close_null(handle);
}

/* A queue in a slot that was used before is as new, and nothing of the last one is left. */
Test(interop_null, an_adopted_queue_is_let_go_with_its_last_owner)
{
    const weir_shape shape = {1, {64}};
    cl_device_id devices[8];
    cl_context handle = open_null(1, devices);
    cl_command_queue queue = own_queue(handle, devices[0]);
    weir_context *context = adopt(handle, devices[0], NULL);

    for (int i = 0; i < 5; i++) {
        weir_queue *second = NULL;
        weir_context *view = NULL;
        weir_tensor *a = NULL;
        weir_tensor *b = NULL;

        wt_ok(weir_queue_adopt(context, queue, &second));
        wt_ok(weir_context_on_queue(context, second, &view));
        wt_ok(weir_zeros(context, WEIR_DTYPE_F32, &shape, &a));
        wt_ok(weir_add(view, a, a, &b));
        weir_tensor_release(a);
        weir_tensor_release(b);
        wt_ok(weir_full(context, WEIR_DTYPE_F32, &shape, 1.0, &a));
        weir_tensor_release(a);
        weir_context_release(view);
        weir_queue_release(second);
        cr_assert_eq(queue_owners(queue), 1U, "round %d", i);
        wt_ok(weir_context_synchronize(context));
    }
    weir_context_release(context);
    wt_cl(clReleaseCommandQueue(queue));
    close_null(handle);
}
