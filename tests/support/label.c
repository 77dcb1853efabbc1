/* Labels for failed assertions.
 *
 * All cases of a parameterised test have one name, so the message must tell them apart, whichever of Criterion's
 * macros failed. They all report through one function of Criterion, which the linker wraps for tests (--wrap).
 */
#include "label.h"

#include <criterion/criterion.h>
#include <criterion/event.h>

#include <stdarg.h>
#include <stdio.h>

static char label[128];

void wt_label(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
}

void __real_criterion_send_assert(
    struct criterion_assert_stats *stats); /* NOLINT: named by ld --wrap */
void __wrap_criterion_send_assert(struct criterion_assert_stats *stats); /* NOLINT */

void __wrap_criterion_send_assert(struct criterion_assert_stats *stats) /* NOLINT */
{
    struct criterion_assert_stats labelled = *stats;
    char message[2048];

    if (label[0] != '\0' && !stats->passed) {
        snprintf(message, sizeof message, "[%s] %s", label, stats->message);
        labelled.message = message;
    }
    __real_criterion_send_assert(&labelled);
}
