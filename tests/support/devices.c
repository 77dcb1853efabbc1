/* Devices for tests: which ones there are, and a context on one of them.
 *
 * The generator runs in Criterion's runner, the rest in a worker that was exec'ed anew; only "p.d" and the name pass
 * between them. System and context of the worker are kept in static variables: a case that was skipped or that failed
 * leaves them reachable, so that the leak checker speaks of real leaks only.
 */
#include "devices.h"

#include <weir/status.h>
#include <weir/text.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 64

static weir_system *worker_system;
static weir_context *worker_context;

uint64_t wt_scale(uint64_t n)
{
    const char *text = getenv("WEIR_TEST_SCALE");
    char *end = NULL;
    unsigned long long scale = 1;

    if (text != NULL && *text != '\0') {
        errno = 0;
        scale = strtoull(text, &end, 10);
        cr_assert(errno == 0 && *end == '\0' && scale > 0 && text[0] != '-', "WEIR_TEST_SCALE=%s",
                  text);
    }
    return n == 0 || n / scale > 0 ? n / scale : 1;
}

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "WEIR_TEST_DEVICES: %s: %s\n", what, why);
    exit(2);
}

static void describe(const weir_device *device, struct wt_device *out)
{
    snprintf(out->index, sizeof out->index, "%s", weir_device_get_index(device));
    snprintf(out->name, sizeof out->name, "%s", weir_device_get_name(device));
}

/* Finds the devices of a list of selectors; returns how many. */
static size_t find_selected(const weir_system *system, const char *list, struct wt_device *out)
{
    size_t count = 0;

    while (*list != '\0') {
        size_t bytes = strcspn(list, ";");
        char selector[128];
        weir_device *device = NULL;

        if (bytes >= sizeof selector || count == DEVICES_MAX) stop(list, "too long");
        memcpy(selector, list, bytes);
        selector[bytes] = '\0';
        list += bytes + (list[bytes] == ';');
        if (bytes == 0) continue;
        if (weir_system_find(system, selector, &device) != WEIR_OK)
            stop(selector, weir_last_error()->message);
        describe(device, &out[count++]);
    }
    return count;
}

static void free_devices(struct criterion_test_params *params) { cr_free(params->params); }

struct criterion_test_params wt_devices(int is_tagged)
{
    const char *wanted = getenv("WEIR_TEST_DEVICES");
    const char *tagged_only = getenv("WEIR_TEST_TAGGED");
    struct wt_device *devices = NULL;
    weir_system *system = NULL;
    size_t count = 0;

    devices = cr_calloc(DEVICES_MAX, sizeof *devices);
    if (devices == NULL) stop("list of devices", "no memory");
    if (!is_tagged && tagged_only != NULL && strcmp(tagged_only, "1") == 0)
        return cr_make_param_array(struct wt_device, devices, 0, free_devices);
    if (weir_system_create(&system) != WEIR_OK)
        stop("weir_system_create", weir_last_error()->message);
    if (wanted != NULL && *wanted != '\0' && strcmp(wanted, "all") != 0)
        count = find_selected(system, wanted, devices);
    else
        for (; count < weir_system_count(system) && count < DEVICES_MAX; count++)
            describe(weir_system_device(system, count), &devices[count]);
    weir_system_destroy(system);
    return cr_make_param_array(struct wt_device, devices, count, free_devices);
}

weir_device *wt_find(const struct wt_device *dev)
{
    weir_device *device = NULL;

    wt_label("%s %s", dev->index, dev->name);
    if (worker_system == NULL) wt_ok(weir_system_create(&worker_system));
    wt_ok(weir_system_find(worker_system, dev->index, &device));
    cr_assert_str_eq(weir_device_get_name(device), dev->name,
                     "the devices changed between two processes");
    return device;
}

weir_context *wt_open(const struct wt_device *dev, const weir_context_options *options)
{
    weir_device *device = wt_find(dev);
    weir_context *ctx = NULL;

    wt_ok(weir_context_create(device, options, &ctx));
    worker_context = ctx;
    return ctx;
}

void wt_assert_live(const weir_live *before, const char *when)
{
    weir_live now;

    weir_live_get(&now);
#define WT_LIVE_ASSERT(NAME, Field, Text)                                           \
    cr_assert_eq(now.Field, before->Field, "%s: %llu live %s, %llu expected", when, \
                 (unsigned long long)now.Field, Text, (unsigned long long)before->Field);
    WEIR_LIVE_LIST(WT_LIVE_ASSERT)
#undef WT_LIVE_ASSERT
    cr_assert_eq(now.total, before->total, "%s: the total of live objects is not their sum", when);
}

void wt_close(weir_context *ctx)
{
    weir_live none = {0};

    weir_context_release(ctx);
    if (ctx == worker_context) worker_context = NULL;
    weir_system_destroy(worker_system);
    worker_system = NULL;
    wt_assert_live(&none, "at the end of the test");
}
