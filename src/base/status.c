/* The status list and the calling thread's record of its last failure.
 *
 * The record has a fixed size and lives in thread-local storage, so that recording a failure needs no memory: running
 * out of memory is one of the failures it has to hold.
 */
#define WI_BASE_STATUS_C
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static _Thread_local weir_error last_error;

static const struct status_row {
    weir_status status;
    const char *name;
    const char *text;
} status_rows[] = {{WEIR_OK, "ok", "no error"},
#define STATUS_ROW(NAME, Value, Lower, Text) {WEIR_E_##NAME, Lower, Text},
                   WEIR_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static const struct status_row *find_status(weir_status status)
{
    for (size_t i = 0; i < sizeof status_rows / sizeof status_rows[0]; i++) {
        if (status_rows[i].status == status) return &status_rows[i];
    }
    return NULL;
}

const char *weir_status_name(weir_status status)
{
    const struct status_row *row = find_status(status);
    return row != NULL ? row->name : "unknown";
}

const char *weir_status_text(weir_status status)
{
    const struct status_row *row = find_status(status);
    return row != NULL ? row->text : "not a status of weir";
}

static const struct cause_row {
    const char *name;
    const char *text;
} cause_rows[] = {[WEIR_OOM_NONE] = {"none", "no cause is known"},
#define CAUSE_ROW(NAME, Lower, Text) [WEIR_OOM_##NAME] = {Lower, Text},
                  WEIR_OOM_CAUSE_LIST(CAUSE_ROW)
#undef CAUSE_ROW
};

static const struct cause_row *find_cause(weir_oom_cause cause)
{
    size_t i = (size_t)cause;
    return i < sizeof cause_rows / sizeof cause_rows[0] ? &cause_rows[i]
                                                        : &cause_rows[WEIR_OOM_NONE];
}

const char *weir_oom_cause_name(weir_oom_cause cause) { return find_cause(cause)->name; }

const char *weir_oom_cause_text(weir_oom_cause cause) { return find_cause(cause)->text; }

const weir_error *weir_last_error(void) { return &last_error; }

void weir_last_error_reset(void) { memset(&last_error, 0, sizeof last_error); }

static void record(weir_status status, int cl_status, const char *where, const char *hint,
                   const char *format, va_list arguments) WEIR_PRINTF(5, 0);

static void record(weir_status status, int cl_status, const char *where, const char *hint,
                   const char *format, va_list arguments)
{
    weir_error *error = &last_error;
    error->status = status;
    error->cl_status = cl_status;
    error->has_oom = 0;
    (void)snprintf(error->where, sizeof error->where, "%s", where != NULL ? where : "");
    (void)snprintf(error->hint, sizeof error->hint, "%s", hint != NULL ? hint : "");
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
}

weir_status wi_fail_hint(weir_status status, const char *where, const char *hint,
                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(status, 0, where, hint, format, arguments);
    va_end(arguments);
    return status;
}

weir_status weir_error_set(weir_status status, const char *where, const char *hint,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(status, 0, where != NULL ? where : "", hint, format, arguments);
    va_end(arguments);
    return status;
}

weir_status wi_fail(weir_status status, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(status, 0, where, NULL, format, arguments);
    va_end(arguments);
    return status;
}

weir_status wi_fail_cl_v(weir_status status, int cl_status, const char *where, const char *format,
                         va_list arguments)
{
    record(status, cl_status, where, NULL, format, arguments);
    return status;
}

weir_status wi_fail_oom(const weir_oom_report *report, const char *where, const char *hint,
                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(WEIR_E_OUT_OF_MEMORY, 0, where, hint, format, arguments);
    va_end(arguments);
    last_error.oom = *report;
    last_error.has_oom = 1;
    return WEIR_E_OUT_OF_MEMORY;
}

void wi_error_restore(const weir_error *error) { last_error = *error; }
