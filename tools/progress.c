/* Written to be called at every step: off a terminal it is one comparison, on one it reads the clock. One thread. */
#include "progress.h"

#include "stopwatch.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(progress *line)
{
    line->is_terminal = isatty(STDERR_FILENO);
    line->is_shown = 0;
    line->next_at = stopwatch_now() + 1;
}

void progress_show(progress *line, const char *label, uint64_t done, uint64_t total)
{
    double now = 0;

    if (!line->is_terminal) return;
    now = stopwatch_now();
    if (now < line->next_at) return;
    line->next_at = now + 0.1;
    line->is_shown = 1;
    (void)fprintf(stderr, "\r\033[K%s: %llu", label, (unsigned long long)done);
    if (total > 0)
        (void)fprintf(stderr, " of %llu (%.0f %%)", (unsigned long long)total,
                      100.0 * (double)done / (double)total);
    (void)fflush(stderr);
}

void progress_end(progress *line)
{
    if (line->is_shown) (void)fputs("\r\033[K", stderr);
    line->is_shown = 0;
}
