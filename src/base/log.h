/* Messages to the hook of weir/log.h; nothing happens without one. */
#ifndef WI_BASE_LOG_H
#define WI_BASE_LOG_H

#include <weir/log.h>

/** Formats at most 1023 bytes and sends them. */
void wi_log(weir_log_level level, const char *format, ...) WEIR_PRINTF(2, 3);

/** Sends a text of any length as it is. */
void wi_log_text(weir_log_level level, const char *text);

#endif
