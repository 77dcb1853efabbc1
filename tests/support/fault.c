/* Faults in OpenCL calls, and the loop over all of them.
 *
 * Each function of fault_calls.h has a wrapper made from its row: it counts the call, and returns the code instead of
 * making the call when its turn has come. Counting starts at arming. Calls may come from several threads; arming does
 * not.
 */
#include "fault.h"

#include "devices.h"
#include "fault_calls.h"
#include "fault_host.h"

#include <weir/live.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct plan {
    uint64_t n; /* 0: nothing fails */
    const char *call;
    int code;
    int is_open;
} plan;

static plan armed;
static wt_fault_kind armed_kind;
static _Atomic uint64_t calls;
static const char *_Atomic struck;

/* The code with which this call is to fail, CL_SUCCESS to make it. */
static cl_int turn(const char *name, cl_int code)
{
    uint64_t number = 0;

    if (armed.n == 0 || (armed.call != NULL && strcmp(armed.call, name) != 0)) return CL_SUCCESS;
    number = atomic_fetch_add(&calls, 1) + 1;
    if (number < armed.n || (number > armed.n && !armed.is_open)) return CL_SUCCESS;
    atomic_store(&struck, name);
    return armed.code != 0 ? armed.code : code;
}

/* Names with two underscores are the linker's for --wrap. NOLINTBEGIN */
#define STATUS_WRAPPER(Name, Code, Params, Args)                     \
    cl_int CL_API_CALL __real_##Name Params;                         \
    cl_int CL_API_CALL __wrap_##Name Params;                         \
    cl_int CL_API_CALL __wrap_##Name Params                          \
    {                                                                \
        cl_int wt_code = turn(#Name, Code);                          \
        return wt_code != CL_SUCCESS ? wt_code : __real_##Name Args; \
    }

#define OBJECT_WRAPPER(Type, Name, Code, Params, Args)                    \
    Type CL_API_CALL __real_##Name Params;                                \
    Type CL_API_CALL __wrap_##Name Params;                                \
    Type CL_API_CALL __wrap_##Name Params                                 \
    {                                                                     \
        cl_int wt_code = turn(#Name, Code);                               \
        if (wt_code != CL_SUCCESS && errcode != NULL) *errcode = wt_code; \
        return wt_code != CL_SUCCESS ? NULL : __real_##Name Args;         \
    }

WT_FAULT_STATUS_CALLS(STATUS_WRAPPER)
WT_FAULT_OBJECT_CALLS(OBJECT_WRAPPER)
/* NOLINTEND */

static const char *const wrapped[] = {
#define STATUS_NAME(Name, Code, Params, Args) #Name,
    WT_FAULT_STATUS_CALLS(STATUS_NAME)
#undef STATUS_NAME
#define OBJECT_NAME(Type, Name, Code, Params, Args) #Name,
        WT_FAULT_OBJECT_CALLS(OBJECT_NAME)
#undef OBJECT_NAME
};

static int is_wrapped(const char *name)
{
    for (size_t i = 0; i < sizeof wrapped / sizeof wrapped[0]; i++)
        if (strcmp(wrapped[i], name) == 0) return 1;
    return 0;
}

void wt_fault_arm(wt_fault_kind kind, const char *call, uint64_t n, int code, int is_open)
{
    cr_assert(call == NULL || is_wrapped(call), "%s is not in fault_calls.h", call);
    armed_kind = kind;
    atomic_store(&calls, 0);
    atomic_store(&struck, "");
    armed = (plan){kind == WT_FAULT_CL ? n : 0, call, code, is_open};
    wt_host_arm(kind == WT_FAULT_HOST ? n : 0, is_open);
}

int wt_fault_disarm(void)
{
    int has_host_struck = wt_host_disarm();

    armed.n = 0;
    return armed_kind == WT_FAULT_HOST ? has_host_struck : wt_fault_struck()[0] != '\0';
}

const char *wt_fault_struck(void)
{
    const char *name = atomic_load(&struck);

    return name != NULL ? name : "";
}

/* 1 if the failure that struck may stay without effect. */
static int is_tolerated(const wt_fault_options *options)
{
    char padded[64];

    if (options->tolerated == NULL) return 0;
    if (options->kind == WT_FAULT_HOST) return 1;
    snprintf(padded, sizeof padded, " %s ", wt_fault_struck());
    return strstr(options->tolerated, padded) != NULL;
}

/* Checks what one run with a fault left behind; returns 1 if it failed, 0 if the fault was tolerated. */
static int check_run(const wt_fault_options *options, weir_status status, uint64_t n)
{
    const weir_error *error = weir_last_error();
    const char *what = options->kind == WT_FAULT_HOST ? "host allocation" : wt_fault_struck();

    if (status == WEIR_OK) {
        cr_assert(is_tolerated(options), "call %llu (%s) failed and the scenario did not",
                  (unsigned long long)n, what);
        return 0;
    }
    cr_assert_eq(error->status, status, "call %llu (%s): %s was returned, %s recorded: %s",
                 (unsigned long long)n, what, weir_status_name(status),
                 weir_status_name(error->status), error->message);
    cr_assert(error->message[0] != '\0' && error->where[0] != '\0',
              "call %llu (%s): an empty record", (unsigned long long)n, what);
    cr_assert(options->kind == WT_FAULT_CL || status == WEIR_E_HOST_MEMORY,
              "call %llu (%s): %s: %s", (unsigned long long)n, what, weir_status_name(status),
              error->message);
    return 1;
}

static void check_leaks(const weir_live *live, uint64_t bytes, uint64_t blocks, const char *what,
                        uint64_t n)
{
    char when[128];

    snprintf(when, sizeof when, "after call %llu (%s) had failed", (unsigned long long)n, what);
    wt_assert_live(live, when);
    cr_assert(wt_host_live_blocks() == blocks && wt_host_live_bytes() == bytes,
              "%s: %llu host bytes in %llu blocks, %llu in %llu expected", when,
              (unsigned long long)wt_host_live_bytes(), (unsigned long long)wt_host_live_blocks(),
              (unsigned long long)bytes, (unsigned long long)blocks);
}

wt_fault_result wt_fault_each(const wt_fault_options *options, wt_scenario *scenario, void *user)
{
    wt_fault_result result = {0, 0, 0};
    uint64_t n = options->first != 0 ? options->first : 1;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    int has_struck = 1;
    weir_live live;

    wt_host_count_begin();
    if (options->warms_up)
        cr_assert_eq(scenario(user), WEIR_OK, "warming up: %s", weir_last_error()->message);
    weir_live_get(&live);
    bytes = wt_host_live_bytes();
    blocks = wt_host_live_blocks();

    for (; has_struck; n += options->step != 0 ? options->step : 1) {
        weir_status status = WEIR_OK;

        weir_last_error_reset();
        wt_fault_arm(options->kind, options->call, n, options->code, options->is_open);
        status = scenario(user);
        has_struck = wt_fault_disarm();
        result.runs++;
        if (!has_struck)
            cr_assert_eq(status, WEIR_OK, "without a fault: %s", weir_last_error()->message);
        else if (check_run(options, status, n))
            result.failed++;
        else
            result.tolerated++;
        check_leaks(&live, bytes, blocks,
                    options->kind == WT_FAULT_HOST ? "allocation" : wt_fault_struck(), n);
    }
    cr_assert_eq(result.failed + result.tolerated, result.runs - 1);
    return result;
}
