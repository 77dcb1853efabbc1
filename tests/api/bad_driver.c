/* Drivers that are there and do not work: no platform, no context, no queue, a compiler that refuses, arithmetic that is
 * wrong. (What the loader finds or does not find: system.c.) Each test chooses its driver before the first OpenCL call
 * of its process. */
#include "devices.h"
#include "null_device.h"

#include <weir/weir.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(bad_driver, .timeout = 120);

static char folder[256];

static void make_folder(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/weir_icd_XXXXXX", base != NULL ? base : "/tmp");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(setenv("OCL_ICD_VENDORS", folder, 1), 0);
}

static void add_icd(const char *name, const char *content)
{
    char path[320];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(content, file), 0);
    cr_assert_eq(fclose(file), 0);
}

static void remove_icd(const char *name)
{
    char path[320];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(unlink(path), 0);
}

/* A system without devices: every way to ask says so, with a reason that holds `words`. */
static void expect_none(const char *words)
{
    static const char *const selectors[] = {NULL, "0.0", "type=gpu", "name~a"};
    weir_live none = {0};
    weir_system *system = NULL;
    weir_text *why = NULL;

    wt_ok(weir_text_create(&why));
    wt_ok(weir_system_create(&system));
    cr_assert_eq(weir_system_count(system), 0);
    cr_assert_null(weir_system_device(system, 0));
    weir_system_explain(system, why);
    cr_assert_not_null(strstr(weir_text_get(why), words), "not a word of '%s' in:\n%s", words,
                       weir_text_get(why));
    for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++) {
        weir_device *device = (weir_device *)(void *)system;
        wt_fails(weir_system_find(system, selectors[i], &device), WEIR_E_NO_DEVICE);
        cr_assert_null(device);
        cr_assert_eq(weir_last_error()->status, WEIR_E_NO_DEVICE);
        cr_assert_not_null(strstr(weir_last_error()->message, words), "%s",
                           weir_last_error()->message);
    }
    weir_text_destroy(why);
    weir_system_destroy(system);
    wt_assert_live(&none, "without a device");
}

Test(bad_driver, icd_file_that_is_empty)
{
    make_folder();
    add_icd("empty.icd", "");
    expect_none(folder);
    remove_icd("empty.icd");
    cr_assert_eq(rmdir(folder), 0);
}

Test(bad_driver, has_no_platform)
{
    cr_assert_eq(setenv("OCL_ICD_VENDORS", WT_NULL_VENDORS, 1), 0);
    cr_assert_eq(setenv("WT_NULL_PLATFORMS", "0", 1), 0);
    expect_none("could be loaded but have no platform");
}

static void fail_to_open(const wt_null_control *null, const char *rule, weir_status status,
                         int code)
{
    weir_live none = {0};
    weir_system *system = NULL;
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = NULL;

    options.no_self_check = 1;
    null->reset_calls();
    cr_assert(null->set("FAIL", rule));
    wt_ok(weir_system_create(&system));
    context = (weir_context *)(void *)system;
    wt_fails(weir_context_create(weir_system_device(system, 0), &options, &context), status);
    cr_assert_null(context);
    cr_assert_eq(weir_last_error()->cl_status, code);
    weir_system_destroy(system);
    wt_assert_live(&none, rule);
    cr_assert_eq(null->get_live(NULL), 0);
}

Test(bad_driver, cannot_open_a_context_or_a_queue)
{
    const wt_null_control *null = wt_null_use();

    fail_to_open(null, "clCreateContext:1:-2", WEIR_E_DRIVER, -2);
    fail_to_open(null, "clCreateCommandQueue:1:-5", WEIR_E_DRIVER, -5);
}

static char *logged;

static void keep_log(weir_log_level level, const char *text, void *user)
{
    (void)level;
    (void)user;
    if (strstr(text, "last line") == NULL) return;
    free(logged);
    logged = strdup(text);
}

/* A log longer than an error's message: its start is in the error, all of it goes to the log hook. */
Test(bad_driver, build_fails_with_a_log)
{
    const wt_null_control *null = wt_null_use();
    weir_context *ctx = NULL;
    weir_shape shape = {.rank = 1, .extents = {16}};
    weir_tensor *a = NULL;
    weir_tensor *out = NULL;
    char log[4096];
    float data[16] = {0};

    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    memset(log, '.', sizeof log);
    snprintf(log, sizeof log,
             "elementwise.cl:7:1: error: this compiler is out of order\n%*s\nlast line", 3000, "");
    weir_log_set_hook(WEIR_LOG_DEBUG, keep_log, NULL);
    ctx = wt_null_open();
    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &shape, data, &a));
    cr_assert(null->set("BUILD_LOG", log));
    out = a;
    wt_fails(weir_add(ctx, a, a, &out), WEIR_E_BUILD);
    cr_assert_null(out);
    cr_assert_eq(weir_last_error()->cl_status, -11);
    cr_assert_not_null(strstr(weir_last_error()->message, "out of order"), "%s",
                       weir_last_error()->message);
    cr_assert_not_null(logged, "the log hook did not get the log");
    cr_assert_not_null(strstr(logged, log), "the log hook got a part of the log: %s", logged);

    cr_assert(null->set("BUILD_LOG", ""));
    wt_ok(weir_add(ctx, a, a, &out));
    weir_tensor_release(out);
    weir_tensor_release(a);
    wt_null_close(ctx);
    weir_log_set_hook(WEIR_LOG_DEBUG, NULL, NULL);
    free(logged);
}

Test(bad_driver, computes_nothing_and_fails_the_self_check)
{
    weir_live none = {0};
    weir_system *system = NULL;
    weir_context *context = NULL;

    (void)wt_null_use();
    wt_ok(weir_system_create(&system));
    wt_fails(weir_context_create(weir_system_device(system, 0), NULL, &context),
             WEIR_E_UNSUPPORTED);
    cr_assert_null(context);
    weir_system_destroy(system);
    wt_assert_live(&none, "after a self-check that failed");
}
