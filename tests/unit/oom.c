/* The message, the hint and the text of a failed request, by cause and by who holds most. */
#include "mem/oom.h"

#include <weir/status.h>

#include <criterion/criterion.h>
#include <string.h>

TestSuite(oom, .timeout = 120);

static const wi_device_traits traits = {.max_alloc_bytes = 1000};

static weir_oom_report report_of(weir_oom_cause cause)
{
    weir_oom_report report = {.requested_bytes = 100,
                              .in_use_bytes = 900,
                              .reserved_bytes = 950,
                              .limit_bytes = 1000,
                              .largest_free_bytes = 50,
                              .cause = cause,
                              .owner_count = 2,
                              .owners = {{"layer/add", 500, 5}, {"weights", 100, 1}}};
    return report;
}

Test(oom, the_hint_of_each_cause_names_what_would_help)
{
    static const struct {
        weir_oom_cause cause;
        const char *call;
    } rows[] = {{WEIR_OOM_LIMIT, "weir_pool_diff()"},
                {WEIR_OOM_DRIVER, "weir_pool_trim()"},
                {WEIR_OOM_FRAGMENTED, "weir_pool_trim()"},
                {WEIR_OOM_PINNED, "weir_block_get_cl_mem()"},
                {WEIR_OOM_MAX_ALLOC, "split the tensor"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const weir_oom_report report = report_of(rows[i].cause);
        const weir_error *error = weir_last_error();

        cr_assert_eq(wi_oom_fail(&report, "layer/mul", &traits, 0), WEIR_E_OUT_OF_MEMORY);
        cr_assert_not_null(strstr(error->hint, rows[i].call), "%s: %s",
                           weir_oom_cause_name(rows[i].cause), error->hint);
        cr_assert_lt(strlen(error->hint), sizeof error->hint - 1, "it was cut: %s", error->hint);
        cr_assert_not_null(strstr(error->message, "layer/mul asked for 100 bytes"));
        cr_assert_not_null(strstr(error->message, "largest owner: layer/add, 5 blocks"));
        cr_assert(error->has_oom);
        cr_assert_eq(memcmp(&error->oom, &report, sizeof report), 0);
    }
}

Test(oom, tapes_are_named_when_they_hold_more_than_any_other_owner)
{
    weir_oom_report report = report_of(WEIR_OOM_LIMIT);

    report.owner_count = 4;
    report.owners[1] = (weir_oom_owner){"tape", 200, 2};
    report.owners[2] = (weir_oom_owner){"layer 1/tape", 200, 2};
    report.owners[3] = (weir_oom_owner){"layer 2/tape", 100, 1};
    (void)wi_oom_fail(&report, "add", &traits, 0);
    cr_assert_null(strstr(weir_last_error()->hint, "weir_tape_stop"));
    report.owners[3].bytes = 101;
    (void)wi_oom_fail(&report, "add", &traits, 0);
    cr_assert_not_null(strstr(weir_last_error()->hint, "weir_tape_stop"));
    report.cause = WEIR_OOM_MAX_ALLOC;
    (void)wi_oom_fail(&report, "add", &traits, 0);
    cr_assert_null(strstr(weir_last_error()->hint, "weir_tape_stop"));
}

Test(oom, the_text_has_cause_numbers_owners_and_hint)
{
    weir_oom_report report = report_of(WEIR_OOM_LIMIT);
    weir_text *text = NULL;

    cr_assert_eq(weir_text_create(&text), WEIR_OK);
    weir_oom_report_write(&report, text);
    cr_assert_str_eq(
        weir_text_get(text),
        "out of memory (limit): the request would pass the device's limit\n"
        "asked for                               100 B\n"
        "in use                                  900 B\n"
        "reserved                                950 B\n"
        "largest free range                       50 B\n"
        "limit                                  1000 B\n"
        "owner                                  in use     blocks\n"
        "layer/add                               500 B          5\n"
        "weights                                 100 B          1\n"
        "(others)                                300 B\n"
        "release what is no longer needed (weir_pool_diff() names what grows), update one variable "
        "with weir_variable_assign_add() instead of keeping old values, or raise the limit "
        "(weir_memory_options.limit_bytes, WEIR_LIMIT)\n");
    report.limit_bytes = 0;
    report.owner_count = 0;
    weir_text_reset(text);
    weir_oom_report_write(&report, text);
    cr_assert_not_null(
        strstr(weir_text_get(text), "limit                                    none\n"));
    cr_assert_not_null(strstr(weir_text_get(text), "owners: none\n"));
    weir_text_destroy(text);
}
