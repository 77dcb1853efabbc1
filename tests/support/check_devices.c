/* The tests' own foundation: there are devices, a case opens one, sizes are scaled. */
#include "devices.h"

#include <stdlib.h>

TestSuite(devices, .timeout = WT_TIMEOUT);

Test(devices, at_least_one)
{
    weir_system *system = NULL;
    weir_text *why = NULL;

    wt_ok(weir_system_create(&system));
    wt_ok(weir_text_create(&why));
    weir_system_explain(system, why);
    cr_assert_gt(weir_system_count(system), 0, "no device to test on:\n%s", weir_text_get(why));
    weir_text_destroy(why);
    weir_system_destroy(system);
}

WEIR_DEVICE_TEST_TAGGED(devices, a_case_opens_its_device)
{
    const weir_device *device = weir_context_get_device(ctx);

    cr_assert_str_eq(weir_device_get_index(device), dev->index);
    cr_assert_str_eq(weir_device_get_name(device), dev->name);
    wt_ok(weir_context_synchronize(ctx));
}

WEIR_DEVICE_TEST_BARE_TAGGED(devices, a_device_passes_the_self_check)
{
    weir_context *ctx = NULL;

    cr_assert_str_eq(weir_device_get_index(device), dev->index);
    wt_ok(weir_context_create(device, NULL, &ctx));
    weir_context_release(ctx);
}

Test(devices, sizes_are_divided_by_the_scale_and_stay_positive)
{
    setenv("WEIR_TEST_SCALE", "100", 1);
    cr_assert_eq(wt_scale(1000), 10);
    cr_assert_eq(wt_scale(99), 1);
    cr_assert_eq(wt_scale(0), 0);
    unsetenv("WEIR_TEST_SCALE");
    cr_assert_eq(wt_scale(1000), 1000);
}
