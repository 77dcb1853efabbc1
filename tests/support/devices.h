/* Tests that run once for every device of WEIR_TEST_DEVICES.
 *
 *   WEIR_DEVICE_TEST(pool, reuses_a_freed_block) { ... ctx, dev ... }
 *   WEIR_DEVICE_TEST_TAGGED(pool, gives_zeros) { ... }            also on the slow implementations
 *   WEIR_DEVICE_TEST_BARE(pool, keeps_to_its_limit) { ... device, dev ... }   opens its contexts itself
 *
 * Criterion runs each case in a freshly exec'ed process. Its parameter is therefore free of pointers, and the body gets
 * a context opened there. After the body, in it for Criterion, every OpenCL object of the library must be gone.
 * Failure messages begin with the device.
 *
 * WEIR_TEST_DEVICES   SELs of weir_system_find() separated by ';', or "all" (default)
 * WEIR_TEST_SCALE     sizes are divided by it, see wt_scale(); default 1
 * WEIR_TEST_TAGGED    1: only the tagged tests have cases; the program's ctest entry then needs LABELS tagged
 */
#ifndef WT_DEVICES_H
#define WT_DEVICES_H

#include "label.h"

#include <weir/context.h>
#include <weir/live.h>
#include <weir/system.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdint.h>

/* Seconds until Criterion ends a case; generous, for a loaded machine and for emulators. */
#define WT_TIMEOUT 900

struct wt_device {
    char index[16]; /* "p.d" */
    char name[96];
};

/* A status that must be OK; the failure shows the call and what it recorded. */
#define wt_ok(Expression) \
    cr_assert_eq((Expression), WEIR_OK, "%s: %s", #Expression, weir_last_error()->message)

/* A status that must be a certain failure. */
#define wt_fails(Expression, Status)                                                  \
    cr_assert_eq((Expression), (Status), "%s is not %s; last error: %s", #Expression, \
                 weir_status_name(Status), weir_last_error()->message)

/* Divides a size or count by WEIR_TEST_SCALE; at least 1 unless n is 0. */
uint64_t wt_scale(uint64_t n);

/* The cases of a test; none for an untagged test while WEIR_TEST_TAGGED is 1. Ends the program with exit code 2 if
 * WEIR_TEST_DEVICES names something that is not there: a suite must not shrink unnoticed. */
struct criterion_test_params wt_devices(int is_tagged);

/* The device of a case. The system behind it lives until wt_close() or the end of the process. */
weir_device *wt_find(const struct wt_device *dev);

/* Opens the device of a case; options may be NULL; asserts. Only one context made here is closed by wt_close(). */
weir_context *wt_open(const struct wt_device *dev, const weir_context_options *options);

/* Releases the context (may be NULL) and the system, then asserts that no OpenCL object of the library is left. */
void wt_close(weir_context *ctx);

/* Asserts that live OpenCL objects are as many as `before`, by kind. */
void wt_assert_live(const weir_live *before, const char *when);

#define WT_DEVICE_CASES(Suite, Name, IsTagged)                                \
    ParameterizedTestParameters(Suite, Name) { return wt_devices(IsTagged); } \
    ParameterizedTest(struct wt_device *dev, Suite, Name, .timeout = WT_TIMEOUT)

#define WT_DEVICE_TEST(Suite, Name, IsTagged)                                          \
    static void Suite##_##Name##_body(weir_context *ctx, const struct wt_device *dev); \
    WT_DEVICE_CASES(Suite, Name, IsTagged)                                             \
    {                                                                                  \
        weir_context *ctx = wt_open(dev, NULL);                                        \
        Suite##_##Name##_body(ctx, dev);                                               \
        wt_close(ctx);                                                                 \
    }                                                                                  \
    static void Suite##_##Name##_body(weir_context *ctx, const struct wt_device *dev)

#define WT_DEVICE_TEST_BARE(Suite, Name, IsTagged)                                       \
    static void Suite##_##Name##_body(weir_device *device, const struct wt_device *dev); \
    WT_DEVICE_CASES(Suite, Name, IsTagged)                                               \
    {                                                                                    \
        Suite##_##Name##_body(wt_find(dev), dev);                                        \
        wt_close(NULL);                                                                  \
    }                                                                                    \
    static void Suite##_##Name##_body(weir_device *device, const struct wt_device *dev)

#define WEIR_DEVICE_TEST(Suite, Name) WT_DEVICE_TEST(Suite, Name, 0)
#define WEIR_DEVICE_TEST_TAGGED(Suite, Name) WT_DEVICE_TEST(Suite, Name, 1)
#define WEIR_DEVICE_TEST_BARE(Suite, Name) WT_DEVICE_TEST_BARE(Suite, Name, 0)
#define WEIR_DEVICE_TEST_BARE_TAGGED(Suite, Name) WT_DEVICE_TEST_BARE(Suite, Name, 1)

#endif
