/* Memory configuration of devices: in any order, frozen by the first allocation, one device at a time. */
#include "devices.h"
#include "null_device.h"

#include <weir/pool.h>
#include <weir/system.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void two_null_devices(void)
{
    unsetenv("WEIR_POOL");
    unsetenv("WEIR_LIMIT");
    setenv("WT_NULL_DEVICES", "2", 1);
}

TestSuite(device, .timeout = WT_TIMEOUT, .init = two_null_devices);

static weir_system *list(void)
{
    weir_system *system = NULL;

    wt_null_use();
    wt_ok(weir_system_create(&system));
    cr_assert_eq(weir_system_count(system), 2U);
    return system;
}

static weir_status configure(weir_device *device, const char *strategy, uint64_t bytes,
                             double fraction)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    options.strategy = strategy;
    options.limit_bytes = bytes;
    options.limit_fraction = fraction;
    return weir_device_configure(device, &options);
}

static weir_context *open_unchecked(weir_device *device)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = NULL;

    options.no_self_check = 1;
    wt_ok(weir_context_create(device, &options, &context));
    return context;
}

Test(device, listing_freezes_nothing)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);
    weir_property property;

    for (size_t i = 0; i < weir_property_count(); i++)
        weir_record_get(weir_device_get_record(device), i, &property);
    wt_ok(configure(device, "direct", 1 << 20, 0));
    cr_assert_str_eq(weir_device_get_strategy(device), "direct");
    cr_assert_eq(weir_device_get_limit_bytes(device), 1U << 20);
    wt_ok(configure(device, "growth", 0, 0.5));
    cr_assert_eq(weir_device_get_limit_bytes(device), UINT64_C(17179869184) / 2);
    cr_assert(weir_device_is_limit_set(device));
    wt_ok(weir_device_configure(device, NULL));
    cr_assert_not(weir_device_is_limit_set(device));
    cr_assert_gt(weir_device_get_limit_bytes(device), UINT64_C(17179869184) / 2);
    cr_assert_leq(weir_device_get_limit_bytes(device), UINT64_C(17179869184));
    weir_system_destroy(system);
}

Test(device, the_first_allocation_freezes_the_configuration)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);
    weir_device *other = weir_system_device(system, 1);
    weir_context *context = open_unchecked(device);
    weir_block *block = NULL;

    wt_ok(configure(device, "growth", 64 << 20, 0)); /* opening froze nothing */
    wt_ok(weir_pool_alloc(weir_context_get_pool(context), NULL, 4096, "the weights", &block));
    weir_block_release(block);

    wt_fails(configure(device, "direct", 0, 0), WEIR_E_CONFIG_FROZEN);
    cr_assert_not_null(strstr(weir_last_error()->message, "the weights"), "%s",
                       weir_last_error()->message);
    wt_fails(configure(device, NULL, 32 << 20, 0), WEIR_E_CONFIG_FROZEN);
    wt_fails(configure(device, NULL, 0, 1.0), WEIR_E_CONFIG_FROZEN);
    wt_fails(weir_device_configure(device, NULL), WEIR_E_CONFIG_FROZEN);
    cr_assert_str_eq(weir_device_get_strategy(device), "growth");
    cr_assert_eq(weir_device_get_limit_bytes(device), 64U << 20);

    wt_ok(configure(device, "growth", 64 << 20, 0));
    wt_ok(configure(device, "growth", 0, 0));
    wt_ok(configure(device, NULL, 64 << 20, 0));
    wt_ok(configure(device, NULL, 0, (double)(64 << 20) / 17179869184.0));
    wt_fails(configure(device, "nonsense", 0, 0), WEIR_E_ARG);

    wt_ok(configure(other, "prealloc", 0, 0.25));
    cr_assert_str_eq(weir_device_get_strategy(other), "prealloc");
    weir_context_release(context);
    wt_fails(configure(device, "direct", 0, 0), WEIR_E_CONFIG_FROZEN);
    weir_system_destroy(system);
}

Test(device, refuses_nonsense)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);

    wt_fails(configure(device, "biggest", 0, 0), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "growth"));
    wt_fails(configure(device, NULL, 1, 0.5), WEIR_E_ARG);
    wt_fails(configure(device, NULL, 0, 1.5), WEIR_E_ARG);
    wt_fails(configure(device, NULL, 0, -1), WEIR_E_ARG);
    wt_fails(configure(device, NULL, 0, (double)NAN), WEIR_E_ARG);
    wt_fails(configure(NULL, NULL, 0, 0), WEIR_E_ARG);
    cr_assert_not(weir_device_is_limit_set(device));
    weir_system_destroy(system);
}

Test(device, takes_defaults_from_the_environment)
{
    weir_system *system = NULL;
    weir_device *device = NULL;

    setenv("WEIR_POOL", "prealloc", 1);
    setenv("WEIR_LIMIT", "512M", 1);
    system = list();
    device = weir_system_device(system, 1);
    cr_assert_str_eq(weir_device_get_strategy(device), "prealloc");
    cr_assert_eq(weir_device_get_limit_bytes(device), 512U << 20);
    wt_ok(configure(device, NULL, 4096, 0));
    cr_assert_str_eq(weir_device_get_strategy(device), "prealloc");
    cr_assert_eq(weir_device_get_limit_bytes(device), 4096U);
    weir_system_destroy(system);
}

Test(device, names_a_malformed_variable_when_it_would_be_used)
{
    static const char *const variables[] = {"WEIR_POOL", "WEIR_LIMIT"};

    for (size_t i = 0; i < 2; i++) {
        weir_system *system = NULL;
        weir_context *context = NULL;

        setenv(variables[i], "a lot", 1);
        weir_last_error_reset();
        system = list();
        cr_assert_eq(weir_last_error()->status, WEIR_OK);
        wt_fails(weir_context_create(weir_system_device(system, 0), NULL, &context), WEIR_E_ARG);
        cr_assert_null(context);
        cr_assert_not_null(strstr(weir_last_error()->message, variables[i]), "%s",
                           weir_last_error()->message);
        cr_assert_not_null(strstr(weir_last_error()->message, "a lot"));
        wt_fails(configure(weir_system_device(system, 0), NULL, 0, 0), WEIR_E_ARG);
        wt_ok(configure(weir_system_device(system, 0), "growth", 1 << 20, 0));
        weir_context_release(open_unchecked(weir_system_device(system, 0)));
        weir_system_destroy(system);
        unsetenv(variables[i]);
    }
}

Test(device, contexts_of_one_device_share_its_limit)
{
    weir_system *system = list();
    weir_device *device = weir_system_device(system, 0);
    weir_context *one = open_unchecked(device);
    weir_context *two = open_unchecked(device);
    weir_block *block = NULL;
    weir_block *refused = NULL;

    wt_ok(configure(device, "direct", 1 << 20, 0));
    wt_ok(weir_pool_alloc(weir_context_get_pool(one), NULL, 768 << 10, "one", &block));
    wt_fails(weir_pool_alloc(weir_context_get_pool(two), NULL, 512 << 10, "two", &refused),
             WEIR_E_OUT_OF_MEMORY);
    cr_assert_null(refused);
    wt_ok(weir_pool_alloc(weir_context_get_pool(two), NULL, 128 << 10, "two", &refused));
    weir_block_release(refused);
    weir_block_release(block);
    weir_context_release(one);
    weir_context_release(two);
    weir_system_destroy(system);
}

static void *configure_often(void *argument)
{
    for (unsigned i = 0; i < 2000; i++) {
        weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

        options.limit_bytes = (i % 7 + 1) << 20;
        options.strategy = i % 2 == 0 ? "growth" : "direct";
        if (weir_device_configure(argument, &options) != WEIR_OK) return argument;
        if (weir_device_get_limit_bytes(argument) == 0) return argument;
    }
    return NULL;
}

Test(device, may_be_configured_from_several_threads)
{
    weir_system *system = list();
    pthread_t threads[4];

    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(
            pthread_create(&threads[i], NULL, configure_often, weir_system_device(system, 0)), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;

        pthread_join(threads[i], &failed);
        cr_assert_null(failed);
    }
    weir_system_destroy(system);
}
