/* The program's buffers as tensors, and the pool's blocks as buffers, on every device. */
#include "interop_support.h"

#include <weir/weir.h>

TestSuite(interop_wrap, .timeout = WT_TIMEOUT);

#define COUNT 1000
#define BYTES (COUNT * sizeof(float))

static const weir_shape shape = {1, {COUNT}};

static void ramp(float *out)
{
    for (int i = 0; i < COUNT; i++) out[i] = (float)i;
}

static weir_tensor *wrap(weir_context *context, cl_mem mem, uint64_t offset)
{
    weir_tensor *tensor = NULL;

    wt_ok(weir_tensor_wrap_cl_mem(context, mem, offset, WEIR_DTYPE_F32, &shape, &tensor));
    return tensor;
}

static void expect_words(cl_command_queue queue, cl_mem mem, const float *expected)
{
    float got[COUNT];

    wt_cl(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    cr_assert(is_same(got, expected, BYTES));
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, a_wrapped_buffer_is_an_operand_and_counts_nowhere)
{
    cl_context context = weir_context_get_cl_context(ctx);
    float data[COUNT];
    float host[COUNT];
    cl_mem mem = NULL;
    weir_tensor *tensor = NULL;
    weir_tensor *sum = NULL;
    weir_tensor *total = NULL;
    weir_pool_stats before;
    weir_pool_stats after;

    ramp(data);
    mem = own_buffer(context, CL_MEM_READ_ONLY, BYTES, data);
    weir_pool_get_stats(weir_context_get_pool(ctx), &before);
    tensor = wrap(ctx, mem, 0);
    weir_pool_get_stats(weir_context_get_pool(ctx), &after);
    cr_assert(is_same(&before, &after, sizeof before), "%s", dev->name);
    wt_ok(weir_tensor_to_host(tensor, host, BYTES));
    cr_assert(is_same(host, data, BYTES), "%s", dev->name);
    wt_ok(weir_add(ctx, tensor, tensor, &sum));
    wt_ok(weir_tensor_to_host(sum, host, BYTES));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], 2.0F * (float)i, "%s", dev->name);
    wt_ok(weir_sum(ctx, tensor, NULL, 0, 0, &total));
    wt_ok(weir_tensor_to_host(total, host, sizeof(float)));
    cr_assert_eq(host[0], 499500.0F, "%s", dev->name);
    weir_tensor_release(total);
    weir_tensor_release(sum);

    /* weir holds it alone now */
    wt_cl(clReleaseMemObject(mem));
    wt_ok(weir_add(ctx, tensor, tensor, &sum));
    weir_tensor_release(tensor);
    wt_ok(weir_tensor_to_host(sum, host, BYTES));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], 2.0F * (float)i, "%s", dev->name);
    weir_tensor_release(sum);
}

/* Seen by weir's own count: rusticl counts what its kernels and events hold, too. */
WEIR_DEVICE_TEST_TAGGED(interop_wrap, gives_back_its_reference_when_the_commands_are_done)
{
    cl_context context = weir_context_get_cl_context(ctx);
    float data[COUNT];
    cl_mem mem = NULL;
    weir_tensor *tensor = NULL;
    weir_tensor *view = NULL;
    weir_live before;
    weir_live now;

    ramp(data);
    mem = own_buffer(context, CL_MEM_READ_WRITE, BYTES, data);
    weir_live_get(&before);
    tensor = wrap(ctx, mem, 0);
    wt_owners(buffer_owners, mem, 2U);
    wt_ok(weir_reshape(ctx, tensor, &(weir_shape){2, {10, 100}}, &view));
    weir_tensor_release(tensor);
    weir_live_get(&now);
    cr_assert_eq(now.buffers, before.buffers + 1, "%s", dev->name);
    wt_ok(weir_tensor_to_host(view, data, BYTES));
    weir_tensor_release(view);
    wt_ok(weir_context_synchronize(ctx));
    weir_live_get(&now);
    cr_assert_eq(now.buffers, before.buffers, "%s", dev->name);

    tensor = wrap(ctx, mem, 0);
    wt_ok(weir_add(ctx, tensor, tensor, &view));
    weir_tensor_release(tensor);
    weir_tensor_release(view);
    wt_ok(weir_context_synchronize(ctx));
    wt_ok(weir_pool_trim(weir_context_get_pool(ctx), 0));
    weir_live_get(&now);
    cr_assert_eq(now.buffers, before.buffers, "%s", dev->name);
    wt_cl(clReleaseMemObject(mem));
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, variables_copy_before_they_change_it)
{
    cl_context context = weir_context_get_cl_context(ctx);
    cl_command_queue queue = weir_context_get_cl_queue(ctx);
    float data[COUNT];
    float host[COUNT];
    cl_mem mem = NULL;
    weir_tensor *tensor = NULL;
    weir_tensor *ones = NULL;
    weir_tensor *value = NULL;
    weir_variable *variable = NULL;
    weir_context_stats stats;

    ramp(data);
    mem = own_buffer(context, CL_MEM_READ_WRITE, BYTES, data);
    tensor = wrap(ctx, mem, 0);
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &ones));
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, tensor, NULL, &variable));
    weir_tensor_release(tensor); /* the variable is its sole owner */
    cr_assert(weir_variable_is_shared(variable), "%s", dev->name);
    wt_ok(weir_variable_assign_add(variable, ones));
    wt_ok(weir_variable_assign_add(variable, ones));
    weir_context_get_stats(ctx, &stats);
    cr_assert_eq(stats.cow_copies, 1U, "%s", dev->name);
    wt_ok(weir_variable_read(variable, &value));
    wt_ok(weir_tensor_to_host(value, host, BYTES));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], (float)i + 2.0F, "%s", dev->name);
    expect_words(queue, mem, data);
    weir_tensor_release(value);
    weir_tensor_release(ones);
    weir_variable_release(variable);
    wt_cl(clReleaseMemObject(mem));
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, wraps_a_part_a_sub_buffer_and_what_has_no_elements)
{
    enum { PART = 128 };
    const weir_shape part = {2, {2, PART / 2}};
    const weir_shape none = {2, {0, 5}};
    cl_context context = weir_context_get_cl_context(ctx);
    own_cl own = {.device = weir_context_get_cl_device(ctx), .context = context};
    cl_buffer_region region = {4096, 2048};
    cl_int code = CL_SUCCESS;
    float data[4096];
    float host[PART];
    cl_mem mem = NULL;
    cl_mem sub = NULL;
    weir_tensor *tensor = NULL;
    weir_tensor *twice = NULL;

    for (int i = 0; i < 4096; i++) data[i] = (float)i;
    mem = own_buffer(own.context, CL_MEM_READ_WRITE, sizeof data, data);
    sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    wt_cl(code);
    for (int i = 0; i < 2; i++) {
        const float first = i == 0 ? 3.0F : 1024.0F + 5.0F;

        wt_ok(weir_tensor_wrap_cl_mem(ctx, i == 0 ? mem : sub, i == 0 ? 12 : 20, WEIR_DTYPE_F32,
                                      &part, &tensor));
        wt_ok(weir_add(ctx, tensor, tensor, &twice));
        wt_ok(weir_tensor_to_host(twice, host, sizeof host));
        for (int k = 0; k < PART; k++)
            cr_assert_eq(host[k], 2.0F * (first + (float)k), "%s: %g", dev->name, (double)host[k]);
        weir_tensor_release(twice);
        weir_tensor_release(tensor);
    }
    wt_ok(weir_tensor_wrap_cl_mem(ctx, mem, sizeof data, WEIR_DTYPE_F32, &none, &tensor));
    wt_ok(weir_tensor_to_host(tensor, NULL, 0));
    cr_assert_null(weir_tensor_get_block(tensor));
    weir_tensor_release(tensor);
    wt_cl(clReleaseMemObject(sub));
    wt_cl(clReleaseMemObject(mem));
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, refuses_buffers_that_do_not_fit)
{
    cl_device_id device = weir_context_get_cl_device(ctx);
    cl_context foreign = own_context(device);
    cl_context context = weir_context_get_cl_context(ctx);
    cl_mem mem = own_buffer(context, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_mem other = own_buffer(foreign, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_mem write_only = own_buffer(context, CL_MEM_WRITE_ONLY, BYTES, NULL);
    const weir_shape long_shape = {1, {UINT64_MAX / 2}};
    const weir_dtype f32 = WEIR_DTYPE_F32;
    weir_tensor *out = (weir_tensor *)&mem;

    wt_fails(weir_tensor_wrap_cl_mem(NULL, mem, 0, f32, &shape, &out), WEIR_E_ARG);
    cr_assert_null(out);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, NULL, 0, f32, &shape, &out), WEIR_E_ARG);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, 0, f32, NULL, &out), WEIR_E_ARG);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, 0, f32, &shape, NULL), WEIR_E_ARG);
    out = (weir_tensor *)&mem;
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, 4, f32, &shape, &out), WEIR_E_ARG);
    cr_assert_null(out);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, 2, f32, &(weir_shape){1, {2}}, &out), WEIR_E_ARG);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, UINT64_MAX - 3, f32, &shape, &out), WEIR_E_ARG);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, BYTES + 4, f32, &(weir_shape){1, {0}}, &out),
             WEIR_E_ARG);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, 0, f32, &long_shape, &out), WEIR_E_SHAPE);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, mem, 0, WEIR_DTYPE_NONE, &shape, &out), WEIR_E_DTYPE);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, other, 0, f32, &shape, &out), WEIR_E_CONTEXT);
    wt_fails(weir_tensor_wrap_cl_mem(ctx, write_only, 0, f32, &shape, &out), WEIR_E_UNSUPPORTED);
    cr_assert_null(out);
    wt_owners(buffer_owners, mem, 1U);
    wt_cl(clReleaseMemObject(mem));
    wt_cl(clReleaseMemObject(other));
    wt_cl(clReleaseMemObject(write_only));
    wt_cl(clReleaseContext(foreign));
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, blocks_are_memory_for_the_programs_kernels)
{
    enum { WORDS = 4096 };
    own_cl own = {.device = weir_context_get_cl_device(ctx),
                  .context = weir_context_get_cl_context(ctx),
                  .queue = weir_context_get_cl_queue(ctx)};
    weir_pool *pool = weir_context_get_pool(ctx);
    weir_block *blocks[3] = {NULL};
    const cl_uint zero = 0;
    cl_uint words[WORDS];

    own_build(&own);
    for (unsigned i = 0; i < 3; i++) {
        cl_mem mem = NULL;
        uint64_t offset = 1;

        wt_ok(weir_pool_alloc(pool, NULL, sizeof words, "mine", &blocks[i]));
        weir_block_get_cl_mem(blocks[i], &mem, &offset);
        cr_assert_eq(offset, weir_block_get_offset_bytes(blocks[i]), "%s", dev->name);
        wt_cl(clEnqueueFillBuffer(own.queue, mem, &zero, sizeof zero, offset, sizeof words, 0, NULL,
                                  NULL));
        own_add(&own, own.queue, mem, offset, WORDS, i + 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        cl_mem part = NULL;

        wt_ok(weir_block_create_sub_buffer(blocks[i], sizeof words / 2, 4096, &part));
        own_add(&own, own.queue, part, 0, 1024, 10);
        wt_cl(clReleaseMemObject(part));
    }
    for (unsigned i = 0; i < 3; i++) {
        cl_mem mem = NULL;
        uint64_t offset = 0;

        weir_block_get_cl_mem(blocks[i], &mem, &offset);
        wt_cl(clEnqueueReadBuffer(own.queue, mem, CL_TRUE, offset, sizeof words, words, 0, NULL,
                                  NULL));
        for (unsigned k = 0; k < WORDS; k++)
            cr_assert_eq(words[k], i + 1 + (k >= WORDS / 2 && k < WORDS / 2 + 1024 ? 10 : 0),
                         "%s: block %u, word %u: %u", dev->name, i, k, words[k]);
        weir_block_release(blocks[i]);
    }
    wt_cl(clReleaseKernel(own.kernel));
    wt_cl(clReleaseProgram(own.program));
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, refuses_parts_that_do_not_fit_a_block)
{
    weir_block *block = NULL;
    weir_block *empty = NULL;
    weir_tensor *wrapped = NULL;
    cl_mem part = NULL;
    cl_mem mem = NULL;
    uint64_t offset = 7;

    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 10000, NULL, &block));
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, 0, NULL, &empty));
    wt_fails(weir_block_create_sub_buffer(NULL, 0, 1, &part), WEIR_E_ARG);
    wt_fails(weir_block_create_sub_buffer(block, 0, 1, NULL), WEIR_E_ARG);
    part = (cl_mem)&block;
    wt_fails(weir_block_create_sub_buffer(block, 0, 0, &part), WEIR_E_ARG);
    cr_assert_null(part);
    wt_fails(weir_block_create_sub_buffer(block, 0, 10001, &part), WEIR_E_ARG);
    wt_fails(weir_block_create_sub_buffer(block, UINT64_MAX - 1, 2, &part), WEIR_E_ARG);
    wt_fails(weir_block_create_sub_buffer(block, 4, 100, &part), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "multiple of"), "%s", dev->name);
    wt_fails(weir_block_create_sub_buffer(empty, 0, 1, &part), WEIR_E_ARG);
    wt_fails(weir_block_create_sub_buffer(empty, 0, 0, &part), WEIR_E_ARG);
    weir_block_get_cl_mem(empty, &mem, &offset);
    cr_assert_null(mem);
    cr_assert_eq(offset, 0U);
    weir_block_get_cl_mem(NULL, &mem, &offset);
    weir_block_get_cl_mem(block, NULL, NULL);
    wt_fails(weir_tensor_to_cl_mem(NULL, &mem, &offset), WEIR_E_ARG);
    cr_assert_null(mem);

    /* A sub-buffer has none. */
    wt_ok(weir_block_create_sub_buffer(block, 0, 10000, &part));
    wrapped = NULL;
    wt_ok(weir_tensor_wrap_cl_mem(ctx, part, 0, WEIR_DTYPE_F32, &shape, &wrapped));
    wt_fails(weir_block_create_sub_buffer((weir_block *)(uintptr_t)weir_tensor_get_block(wrapped),
                                          0, 4, &mem),
             WEIR_E_UNSUPPORTED);
    cr_assert_null(mem);
    weir_tensor_release(wrapped);
    wt_cl(clReleaseMemObject(part));
    weir_block_release(block);
    weir_block_release(empty);
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, shows_where_draws_views_and_parts_are)
{
    cl_command_queue queue = weir_context_get_cl_queue(ctx);
    weir_generator generator = WEIR_GENERATOR_INIT;
    const weir_shape square = {2, {40, 25}};
    float expected[COUNT];
    float got[COUNT];
    weir_tensor *draw = NULL;
    weir_tensor *turned = NULL;
    weir_tensor *empty = NULL;

    wt_ok(weir_random_normal(ctx, &generator, &square, &draw));
    wt_ok(weir_transpose(ctx, draw, NULL, &turned));
    for (int i = 0; i < 2; i++) {
        weir_tensor *tensor = i == 0 ? draw : turned;
        cl_mem mem = NULL;
        uint64_t offset = 0;

        wt_ok(weir_tensor_to_cl_mem(tensor, &mem, &offset));
        wt_cl(clEnqueueReadBuffer(queue, mem, CL_TRUE, offset, BYTES, got, 0, NULL, NULL));
        wt_ok(weir_tensor_to_host(tensor, expected, BYTES));
        cr_assert(is_same(got, expected, BYTES), "%s: %d", dev->name, i);
    }
    weir_tensor_release(turned);
    weir_tensor_release(draw);
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &(weir_shape){1, {0}}, &empty));
    {
        cl_mem mem = (cl_mem)&empty;
        uint64_t offset = 1;

        wt_ok(weir_tensor_to_cl_mem(empty, &mem, &offset));
        cr_assert_null(mem);
        cr_assert_eq(offset, 0U);
    }
    weir_tensor_release(empty);
}

static weir_status add_constant(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                                weir_tensor **out, void *user)
{
    (void)index;
    return weir_add(ctx, in[0], user, &out[0]);
}

static weir_status add_thrice(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    return weir_for(ctx, weir_scalar_of(3), add_constant, user, &arguments[0].tensor, 1, outs);
}

WEIR_DEVICE_TEST_TAGGED(interop_wrap, functions_loops_and_tapes_read_it_and_leave_it_alone)
{
    cl_context context = weir_context_get_cl_context(ctx);
    cl_command_queue queue = weir_context_get_cl_queue(ctx);
    const weir_argument_spec spec = {WEIR_ARGUMENT_TENSOR, WEIR_DTYPE_F32, shape};
    float data[COUNT];
    float host[COUNT];
    cl_mem mem = NULL;
    weir_tensor *tensor = NULL;
    weir_tensor *product = NULL;
    weir_tensor *gradient = NULL;
    weir_tensor *out = NULL;
    weir_function *function = NULL;
    weir_argument argument = {NULL, weir_scalar_of(0)};
    weir_tape *tape = NULL;

    ramp(data);
    mem = own_buffer(context, CL_MEM_READ_WRITE, BYTES, data);
    tensor = wrap(ctx, mem, 0);
    argument.tensor = tensor;
    wt_ok(weir_function_capture(ctx, &spec, 1, 1, add_thrice, tensor, &function));
    for (int i = 0; i < 2; i++) {
        wt_ok(weir_function_call(function, &argument, 1, &out, 1));
        wt_ok(weir_tensor_to_host(out, host, BYTES));
        for (int k = 0; k < COUNT; k++) cr_assert_eq(host[k], 4.0F * (float)k, "%s", dev->name);
        weir_tensor_release(out);
    }
    weir_function_release(function);

    wt_ok(weir_tape_begin(ctx, NULL, &tape));
    wt_ok(weir_tape_watch(tape, tensor));
    wt_ok(weir_mul(ctx, tensor, tensor, &product));
    wt_ok(weir_tape_gradient(tape, &product, 1, NULL, &tensor, 1, &gradient));
    wt_ok(weir_tensor_to_host(gradient, host, BYTES));
    for (int k = 0; k < COUNT; k++) cr_assert_eq(host[k], 2.0F * (float)k, "%s", dev->name);
    weir_tape_destroy(tape);
    weir_tensor_release(gradient);
    weir_tensor_release(product);
    weir_tensor_release(tensor);
    expect_words(queue, mem, data);
    wt_cl(clReleaseMemObject(mem));
}
