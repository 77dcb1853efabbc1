/* Recording failures: once, where the cause is known. */
#ifndef WI_BASE_STATUS_H
#define WI_BASE_STATUS_H

#include <weir/status.h>

#include <stdarg.h>

/** Records a failure of this thread and returns `status`.
 * where    call or check that failed ("weir_add", "clCreateBuffer"); cut to fit
 * hint     what to do about it; NULL: none
 * format   one line with the numbers */
weir_status wi_fail_hint(weir_status status, const char *where, const char *hint,
                         const char *format, ...) WEIR_PRINTF(4, 5);

/** As wi_fail_hint() without a hint. */
weir_status wi_fail(weir_status status, const char *where, const char *format, ...)
    WEIR_PRINTF(3, 4);

/** As wi_fail() with the OpenCL code behind it. `arguments` is a va_list for `format`. */
weir_status wi_fail_cl_v(weir_status status, int cl_status, const char *where, const char *format,
                         va_list arguments) WEIR_PRINTF(4, 0);

/** Records OUT_OF_MEMORY with its report, which is copied. */
weir_status wi_fail_oom(const weir_oom_report *report, const char *where, const char *hint,
                        const char *format, ...) WEIR_PRINTF(4, 5);

/** Puts a record back, for a caller that had to try something else after a failure and keeps the first cause. */
void wi_error_restore(const weir_error *error);

#if defined(__clang_analyzer__) && !defined(WI_BASE_STATUS_C)
/* The analyzer does not see into other files: here it learns that a recorded failure is returned as one. */
void wi_analyzed(const char *where, ...);
#define wi_fail(status, ...) (wi_analyzed(__VA_ARGS__), (status))
#endif

#endif
