/* A child has its environment from the moment it is started, so one driver after the other is put into a folder of its own,
 * and the folders stay until the children are gone. One thread. */
#include "trials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void start(icd_list *drivers, size_t i, unsigned seconds, trials *t)
{
    int code = 0;

    for (size_t k = 0; k < drivers->count; k++) drivers->entries[k].is_used = k == i;
    if (icd_folder_use(&t->folders[i], drivers))
        t->probes[i] = probe_start(seconds, &code);
    else
        code = errno;
    icd_folder_leave(&t->folders[i]);
    t->results[i].end = PROBE_NOT_STARTED;
    t->results[i].number = code;
}

int trials_start(icd_list *drivers, unsigned seconds, trials *out)
{
    memset(out, 0, sizeof *out);
    out->probes = calloc(drivers->count + 1, sizeof(*out->probes));
    out->folders = calloc(drivers->count + 1, sizeof *out->folders);
    out->results = calloc(drivers->count + 1, sizeof *out->results);
    if (out->probes == NULL || out->folders == NULL || out->results == NULL) return 0;
    out->count = drivers->count;
    for (size_t i = 0; i < drivers->count; i++) start(drivers, i, seconds, out);
    return 1;
}

int trials_are_over(const trials *t)
{
    int are_over = 1;

    /* Each is looked at: that also reads what it says. */
    for (size_t i = 0; i < t->count; i++)
        if (t->probes[i] != NULL && !probe_is_over(t->probes[i])) are_over = 0;
    return are_over;
}

static void take(trials *t, size_t i)
{
    probe_end_with(t->probes[i], &t->results[i]);
    t->probes[i] = NULL;
}

void trials_wait(trials *t)
{
    while (!trials_are_over(t)) probe_wait(t->probes, t->count);
    for (size_t i = 0; i < t->count; i++) take(t, i);
}

void trials_end(trials *t)
{
    for (size_t i = 0; i < t->count; i++) {
        take(t, i);
        free(t->results[i].text);
        icd_folder_restore(&t->folders[i]);
    }
    free(t->probes);
    free(t->folders);
    free(t->results);
    memset(t, 0, sizeof *t);
}
