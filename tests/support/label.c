/* Labels for failed assertions.
 *
 * All cases of a parameterised test have one name, so the message must tell them apart, whichever of Criterion's
 * macros failed. They all report through one function of Criterion, which the linker wraps for tests (--wrap).
 */
#include "label.h"

#include <criterion/criterion.h>
#include <criterion/event.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static char label[128];
static char caught[2048];
static int is_catching;
static jmp_buf back;

void wt_label(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
}

/* Present under LeakSanitizer only: what an assertion leaves behind when it ends a body is not a leak of the library.
 * NOLINTBEGIN: named by the sanitizer */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
/* NOLINTEND */

int wt_would_fail(void (*body)(void *user), void *user)
{
    volatile int has_failed = 1;

    caught[0] = '\0';
    if (__lsan_disable != NULL) __lsan_disable();
    if (setjmp(back) == 0) {
        is_catching = 1;
        body(user);
        has_failed = 0;
    }
    is_catching = 0;
    if (__lsan_enable != NULL) __lsan_enable();
    return has_failed;
}

const char *wt_caught(void) { return caught; }

/* NOLINTBEGIN: named by ld --wrap */
void __real_criterion_send_assert(struct criterion_assert_stats *stats);
void __wrap_criterion_send_assert(struct criterion_assert_stats *stats);

void __wrap_criterion_send_assert(struct criterion_assert_stats *stats)
{
    struct criterion_assert_stats labelled = *stats;
    char message[2048];

    if (is_catching && !stats->passed) {
        snprintf(caught, sizeof caught, "%s", stats->message);
        longjmp(back, 1);
    }
    if (label[0] != '\0' && !stats->passed) {
        snprintf(message, sizeof message, "[%s] %s", label, stats->message);
        labelled.message = message;
    }
    __real_criterion_send_assert(&labelled);
}
/* NOLINTEND */
