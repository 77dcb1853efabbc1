/* Messages of the library: it prints nothing by itself. */
#ifndef WEIR_LOG_H
#define WEIR_LOG_H

#include <weir/export.h>

WEIR_BEGIN_DECLS

typedef enum weir_log_level { WEIR_LOG_DEBUG = 0, WEIR_LOG_INFO, WEIR_LOG_WARNING, WEIR_LOG_ERROR } weir_log_level;

/* text: a whole message, possibly many lines (a build log); valid during the call. Called from any thread,
 * also in the middle of a call of the library: a hook calls nothing of weir. */
typedef void weir_log_hook(weir_log_level level, const char *text, void *user);

/** Sends messages at `minimum` and above to a hook; NULL silences the library, as at the start.
 * user   passed to the hook; must stay valid until the hook is replaced and running calls have returned
 * Thread: safe. */
WEIR_API void weir_log_set_hook(weir_log_level minimum, weir_log_hook *hook, void *user);

WEIR_END_DECLS

#endif
