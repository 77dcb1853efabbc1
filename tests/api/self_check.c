/* The self-check at open, on every device and on one that computes nothing. */
#include "devices.h"
#include "null_device.h"

#include <weir/pool.h>

#include <string.h>

TestSuite(self_check, .timeout = WT_TIMEOUT);

WEIR_DEVICE_TEST_BARE_TAGGED(self_check, passes_and_is_told)
{
    weir_context *ctx = wt_open(dev, &(weir_context_options)WEIR_CONTEXT_OPTIONS_INIT);
    weir_text *text = NULL;

    (void)device;
    wt_ok(weir_text_create(&text));
    weir_context_explain(ctx, text);
    cr_expect_not_null(strstr(weir_text_get(text), "self-check: philox: pass"), "%s",
                       weir_text_get(text));
    cr_expect_not_null(strstr(weir_text_get(text), "self-check: functions: pass"));
    cr_expect_null(strstr(weir_text_get(text), "fail"), "%s", weir_text_get(text));
    weir_text_destroy(text);
    weir_context_release(ctx);
}

WEIR_DEVICE_TEST_BARE(self_check, leaves_pool_and_counters_untouched)
{
    weir_context *ctx = wt_open(dev, &(weir_context_options)WEIR_CONTEXT_OPTIONS_INIT);
    weir_pool_stats pool;
    weir_context_stats stats;

    weir_pool_get_stats(weir_context_get_pool(ctx), &pool);
    weir_context_get_stats(ctx, &stats);
    cr_expect_eq(pool.driver_allocs, 0U);
    cr_expect_eq(pool.reserved_bytes.peak, 0U);
    cr_expect_eq(stats.kernels_launched, 0U);
    cr_expect_eq(stats.copies_enqueued, 0U);
    wt_ok(weir_device_configure(device,
                                &(weir_memory_options){.struct_size = sizeof(weir_memory_options),
                                                       .limit_bytes = UINT64_C(1) << 26}));
    weir_context_release(ctx);
}

/* The null ICD's buffers read as zeros, so the words are not philox's and every open is refused. */
Test(self_check, refuses_a_device_that_computes_nothing)
{
    weir_system *system = NULL;
    weir_context *ctx = NULL;

    (void)wt_null_use();
    wt_ok(weir_system_create(&system));
    wt_fails(weir_context_create(weir_system_device(system, 0), NULL, &ctx), WEIR_E_UNSUPPORTED);
    cr_expect_null(ctx);
    cr_expect_str_eq(weir_last_error()->where, "self-check");
    cr_expect_not_null(strstr(weir_last_error()->message, "philox"), "%s",
                       weir_last_error()->message);
    cr_expect_not_null(strstr(weir_last_error()->hint, "no_self_check"));
    weir_system_destroy(system);
    wt_null_close(NULL);
}
