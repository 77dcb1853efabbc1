/* The log hook: one for the process, replaced under a lock and called outside it.
 *
 * The lock is held only while the hook is copied, so that a hook may itself call the library.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    weir_log_hook *hook;
    void *user;
    weir_log_level minimum;
} target;

void weir_log_set_hook(weir_log_level minimum, weir_log_hook *hook, void *user)
{
    (void)pthread_mutex_lock(&lock);
    target.hook = hook;
    target.user = user;
    target.minimum = minimum;
    (void)pthread_mutex_unlock(&lock);
}

void wi_log_text(weir_log_level level, const char *text)
{
    weir_log_hook *hook = NULL;
    void *user = NULL;
    (void)pthread_mutex_lock(&lock);
    if (level >= target.minimum) hook = target.hook;
    user = target.user;
    (void)pthread_mutex_unlock(&lock);
    if (hook != NULL) hook(level, text, user);
}

void wi_log(weir_log_level level, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wi_log_text(level, text);
}
