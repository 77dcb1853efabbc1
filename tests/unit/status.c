/* The status list and the thread's record of its last failure. */
#include "base/status.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

TestSuite(status, .timeout = 120);

Test(status, every_status_has_its_own_value_name_and_text)
{
    static const weir_status all[] = {WEIR_OK,
#define ROW(NAME, Value, Lower, Text) WEIR_E_##NAME,
                                      WEIR_STATUS_LIST(ROW)
#undef ROW
    };
    size_t count = sizeof all / sizeof all[0];
    for (size_t i = 0; i < count; i++) {
        cr_assert_neq(strcmp(weir_status_name(all[i]), "unknown"), 0, "status %d", (int)all[i]);
        cr_assert_gt(strlen(weir_status_text(all[i])), 5U);
        for (size_t k = 0; k < i; k++) {
            cr_assert_neq(all[i], all[k]);
            cr_assert_str_neq(weir_status_name(all[i]), weir_status_name(all[k]));
        }
    }
    cr_assert_str_eq(weir_status_name(WEIR_E_OUT_OF_MEMORY), "out_of_memory");
    cr_assert_str_eq(weir_status_name((weir_status)-9999), "unknown");
}

Test(status, a_failure_is_recorded_with_its_numbers_and_success_does_not_clear_it)
{
    cr_assert_eq(weir_last_error()->status, WEIR_OK);
    cr_assert_eq(wi_fail_hint(WEIR_E_SHAPE, "weir_add", "make them equal", "%d and %d", 3, 4),
                 WEIR_E_SHAPE);
    cr_assert_eq(weir_last_error()->status, WEIR_E_SHAPE);
    cr_assert_str_eq(weir_last_error()->where, "weir_add");
    cr_assert_str_eq(weir_last_error()->message, "3 and 4");
    cr_assert_str_eq(weir_last_error()->hint, "make them equal");
    cr_assert_eq(weir_last_error()->has_oom, 0);
    weir_last_error_reset();
    cr_assert_eq(weir_last_error()->status, WEIR_OK);
    cr_assert_str_eq(weir_last_error()->message, "");
}

Test(status, long_texts_are_cut_and_stay_terminated)
{
    char text[2048];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)wi_fail_hint(WEIR_E_ARG, text, text, "%s", text);
    cr_assert_eq(strlen(weir_last_error()->where), sizeof weir_last_error()->where - 1);
    cr_assert_eq(strlen(weir_last_error()->message), sizeof weir_last_error()->message - 1);
    cr_assert_eq(strlen(weir_last_error()->hint), sizeof weir_last_error()->hint - 1);
}

Test(status, an_out_of_memory_report_belongs_to_its_error_only)
{
    weir_oom_report report = {.requested_bytes = 7, .cause = WEIR_OOM_LIMIT};
    (void)wi_fail_oom(&report, "weir_pool_alloc", "hint", "no room");
    cr_assert_eq(weir_last_error()->has_oom, 1);
    cr_assert_eq(weir_last_error()->oom.requested_bytes, 7U);
    cr_assert_str_eq(weir_oom_cause_name(weir_last_error()->oom.cause), "limit");
    (void)wi_fail(WEIR_E_ARG, "weir_add", "other");
    cr_assert_eq(weir_last_error()->has_oom, 0);
}

static void *fail_in_thread(void *unused)
{
    (void)unused;
    (void)wi_fail(WEIR_E_DTYPE, "thread", "in a thread");
    return NULL;
}

Test(status, each_thread_has_its_own_record)
{
    pthread_t thread;
    (void)wi_fail(WEIR_E_ARG, "main", "in main");
    cr_assert_eq(pthread_create(&thread, NULL, fail_in_thread, NULL), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(weir_last_error()->status, WEIR_E_ARG);
    cr_assert_str_eq(weir_last_error()->message, "in main");
}
