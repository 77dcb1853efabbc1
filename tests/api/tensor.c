/* Tensors: transfers, sizes, ownership, empties, on every device. */
#include "devices.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(tensor, .timeout = 120);

WEIR_DEVICE_TEST_TAGGED(tensor, host_data_come_back_bit_for_bit_in_every_dtype)
{
    static const weir_dtype dtypes[] = {
#define ROW(NAME, Value, Lower, Bytes) WEIR_DTYPE_##NAME,
        WEIR_DTYPE_LIST(ROW)
#undef ROW
    };
    const weir_shape shape = {3, {3, 5, 7}};
    unsigned char data[105 * 8];
    unsigned char back[105 * 8];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 37 + 11);
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        weir_tensor *tensor = NULL;
        size_t bytes = 105 * weir_dtype_bytes(dtypes[i]);
        cr_assert_eq(weir_tensor_from_host(ctx, dtypes[i], &shape, data, &tensor), WEIR_OK,
                     "%s: %s", dev->name, weir_last_error()->message);
        cr_assert_eq(weir_tensor_get_bytes(tensor), bytes);
        cr_assert_eq(weir_tensor_get_count(tensor), 105U);
        cr_assert_eq(weir_tensor_get_dtype(tensor), dtypes[i]);
        cr_assert(weir_shape_equal(weir_tensor_get_shape(tensor), &shape));
        memset(back, 0, sizeof back);
        cr_assert_eq(weir_tensor_to_host(tensor, back, bytes), WEIR_OK);
        cr_assert_eq(memcmp(data, back, bytes), 0, "%s: %s", dev->name, weir_dtype_name(dtypes[i]));
        weir_tensor_release(tensor);
    }
}

WEIR_DEVICE_TEST_TAGGED(tensor, an_empty_tensor_is_valid_and_takes_no_memory)
{
    const weir_shape shape = {2, {0, 5}};
    weir_pool_stats stats;
    weir_tensor *tensor = NULL;
    cr_assert_eq(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, NULL, &tensor), WEIR_OK, "%s",
                 dev->name);
    cr_assert_eq(weir_tensor_get_bytes(tensor), 0U);
    cr_assert_null(weir_tensor_get_block(tensor));
    cr_assert_eq(weir_tensor_to_host(tensor, NULL, 0), WEIR_OK);
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.driver_allocs, 0U);
    weir_tensor_release(tensor);
}

WEIR_DEVICE_TEST_TAGGED(tensor, the_storage_goes_with_the_last_owner)
{
    const weir_shape shape = {1, {100}};
    float data[100] = {1.0F};
    weir_pool_stats stats;
    weir_tensor *tensor = NULL;
    cr_assert_eq(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, &tensor), WEIR_OK, "%s",
                 dev->name);
    cr_assert_eq(weir_tensor_retain(tensor), tensor);
    weir_tensor_release(tensor);
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.blocks.current, 1U);
    weir_tensor_release(tensor);
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.blocks.current, 0U);
    weir_tensor_release(NULL);
}

WEIR_DEVICE_TEST_TAGGED(tensor, a_draw_takes_a_block_only_when_it_is_read)
{
    const weir_shape shape = {2, {1, 1024}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    float data[1024];
    weir_pool_stats stats;
    weir_tensor *draw = NULL;
    cr_assert_eq(weir_random_normal(ctx, &generator, &shape, &draw), WEIR_OK, "%s: %s", dev->name,
                 weir_last_error()->message);
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.blocks.current, 0U);
    cr_assert_null(weir_tensor_get_block(draw));
    cr_assert_eq(weir_tensor_to_host(draw, data, sizeof data), WEIR_OK);
    cr_assert_not_null(weir_tensor_get_block(draw));
    cr_assert_neq(data[0], data[1]);
    weir_tensor_release(draw);
}

WEIR_DEVICE_TEST(tensor, bad_arguments_are_named_and_outputs_empty)
{
    const weir_shape shape = {1, {4}};
    const weir_shape huge = {2, {UINT64_C(1) << 31, UINT64_C(1) << 31}};
    float data[4] = {0};
    weir_tensor *tensor = (weir_tensor *)ctx;
    cr_assert_eq(weir_tensor_from_host(NULL, WEIR_DTYPE_F32, &shape, data, &tensor), WEIR_E_ARG,
                 "%s", dev->name);
    cr_assert_null(tensor);
    tensor = (weir_tensor *)ctx;
    cr_assert_eq(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, NULL, &tensor), WEIR_E_ARG);
    cr_assert_null(tensor);
    cr_assert_eq(weir_tensor_from_host(ctx, (weir_dtype)77, &shape, data, &tensor), WEIR_E_DTYPE);
    cr_assert_eq(weir_tensor_from_host(ctx, WEIR_DTYPE_F64, &huge, data, &tensor), WEIR_E_SHAPE);
    cr_assert_eq(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, NULL), WEIR_E_ARG);
    cr_assert_eq(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, &tensor), WEIR_OK);
    cr_assert_eq(weir_tensor_to_host(tensor, data, 12), WEIR_E_ARG);
    cr_assert_eq(weir_tensor_to_host(NULL, data, 16), WEIR_E_ARG);
    weir_tensor_release(tensor);
}

WEIR_DEVICE_TEST(context, lives_until_the_last_tensor_is_released)
{
    const weir_shape shape = {1, {4}};
    float data[4] = {1, 2, 3, 4};
    float back[4] = {0};
    weir_tensor *tensor = NULL;
    weir_context *second = NULL;
    cr_assert_eq(weir_context_create(weir_context_get_device(ctx), NULL, &second), WEIR_OK,
                 "%s: %s", dev->name, weir_last_error()->message);
    cr_assert_eq(weir_tensor_from_host(second, WEIR_DTYPE_F32, &shape, data, &tensor), WEIR_OK);
    weir_context_release(second);
    cr_assert_eq(weir_tensor_to_host(tensor, back, sizeof back), WEIR_OK);
    for (size_t i = 0; i < 4; i++) cr_assert_eq(back[i], data[i]);
    weir_tensor_release(tensor);
}

WEIR_DEVICE_TEST(context, refuses_work_in_a_forked_child)
{
    const weir_shape shape = {1, {4}};
    float data[4] = {0};
    weir_tensor *tensor = NULL;
    int result = 0;
    pid_t child = fork();
    cr_assert_geq(child, 0, "%s", dev->name);
    if (child == 0) {
        weir_status status = WEIR_OK;

        (void)alarm(120);
        status = weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, &tensor);
        _exit(status == WEIR_E_FORKED && tensor == NULL &&
                      weir_context_synchronize(ctx) == WEIR_E_FORKED
                  ? 0
                  : 1);
    }
    cr_assert_eq(waitpid(child, &result, 0), child);
    cr_assert(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

WEIR_DEVICE_TEST_TAGGED(context, explains_its_self_check)
{
    weir_text *text = NULL;
    cr_assert_eq(weir_text_create(&text), WEIR_OK, "%s", dev->name);
    weir_context_explain(ctx, text);
    cr_assert_not_null(strstr(weir_text_get(text), "fma"), "%s: %s", dev->name,
                       weir_text_get(text));
    weir_text_destroy(text);
}
