/* A row is judged by what a user pays for: requests that fail, calls of the driver, which take a thousand times as long as
 * a place in a buffer that is there, and bytes that others cannot have. In this order, since each matters only where the
 * one before it does not decide. One thread. */
#include "replay_report.h"

#include "output.h"
#include "table.h"

#include <stdio.h>

#define CALLS_FEW 0.05 /* of the allocations */

double replay_report_ratio(const replay_run *run, const replay_row *row)
{
    return run->peak_live == 0 ? 0 : (double)row->peak_reserved / (double)run->peak_live;
}

static int has_few_calls(const replay_run *run, const replay_row *row)
{
    return (double)row->driver_allocs <= CALLS_FEW * (double)run->allocs;
}

/* Returns 1 if a is better than b. */
static int is_better(const replay_run *run, const replay_row *a, const replay_row *b)
{
    if (a->ooms != b->ooms) return a->ooms < b->ooms;
    if (has_few_calls(run, a) != has_few_calls(run, b)) return has_few_calls(run, a);
    if (a->peak_reserved != b->peak_reserved) return a->peak_reserved < b->peak_reserved;
    return a->driver_allocs < b->driver_allocs;
}

size_t replay_report_best(const replay_run *run)
{
    size_t best = 0;

    for (size_t i = 1; i < run->count; i++) {
        if (is_better(run, &run->rows[i], &run->rows[best])) best = i;
    }
    return best;
}

static double ns_per_event(const replay_run *run, const replay_row *row)
{
    return run->timed_events == 0 ? 0 : row->seconds * 1e9 / (double)run->timed_events;
}

json_t *replay_report_json(const replay_run *run)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < run->count; i++) {
        const replay_row *row = &run->rows[i];

        if (json_array_append_new(
                rows,
                json_pack("{s:s, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:f}", "name", row->name,
                          "peak_reserved", output_number(row->peak_reserved), "peak_in_use",
                          output_number(row->peak_in_use), "ratio", replay_report_ratio(run, row),
                          "driver_allocs", output_number(row->driver_allocs), "driver_frees",
                          output_number(row->driver_frees), "ooms", output_number(row->ooms),
                          "compactions", output_number(row->compactions), "moved_bytes",
                          output_number(row->moved_bytes), "ns_per_event",
                          ns_per_event(run, row))) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return json_pack("{s:o, s:o, s:o*, s:o}", "events", output_number(run->events), "peak_live",
                     output_number(run->peak_live), "device",
                     run->device != NULL ? output_device(run->device) : NULL, "strategies", rows);
}

/* Prints why the best row is the best. */
static void print_reason(const replay_run *run, size_t best)
{
    const replay_row *row = &run->rows[best];
    size_t fewer = 0; /* rows with no more failures */
    size_t few = 0;   /* of these, rows with few calls */
    char bytes[32];

    for (size_t i = 0; i < run->count; i++) {
        if (run->rows[i].ooms > row->ooms) continue;
        fewer++;
        few += has_few_calls(run, &run->rows[i]) ? 1 : 0;
    }
    (void)printf("\n* %s: ", row->name);
    if (fewer < run->count && row->ooms > 0)
        (void)printf("fewest requests fail; ");
    else if (fewer < run->count)
        (void)printf("no request fails; ");
    else if (row->ooms > 0)
        (void)printf("%llu request%s, as with every other; ", (unsigned long long)row->ooms,
                     row->ooms == 1 ? " fails" : "s fail");
    if (fewer == 1)
        (void)printf("with every other strategy more of them do.\n");
    else if (few == 1)
        (void)printf("of such strategies the only one that asks the driver for %s than one buffer "
                     "in twenty blocks.\n",
                     "no more");
    else
        (void)printf("%sit holds the least, %s at most or %.3f times what the blocks need.\n",
                     few == 0 || few == fewer
                         ? ""
                         : "of those that ask the driver for at most one buffer in twenty blocks ",
                     output_bytes(row->peak_reserved, bytes, sizeof bytes),
                     replay_report_ratio(run, row));
}

void replay_report_table(const replay_run *run)
{
    static const table_column columns[] = {{"", 0},
                                           {"strategy", 0},
                                           {"most reserved", 1},
                                           {"of peak live", 1},
                                           {"most in use", 1},
                                           {"buffers", 1},
                                           {"returned", 1},
                                           {"moved", 1},
                                           {"failed", 1},
                                           {"ns an event", 1},
                                           {NULL, 0}};
    text_table *table = table_create(columns);
    const size_t best = replay_report_best(run);
    char text[3][32];

    (void)printf("%llu events, at most %s alive at one time", (unsigned long long)run->events,
                 output_bytes(run->peak_live, text[0], sizeof text[0]));
    if (run->device != NULL)
        (void)printf(", on device %s: %s", weir_device_get_index(run->device),
                     weir_device_get_name(run->device));
    (void)printf("\n\n");
    for (size_t i = 0; i < run->count; i++) {
        const replay_row *row = &run->rows[i];

        table_add(table, "%s", i == best && run->count > 1 ? "*" : "");
        table_add(table, "%s", row->name);
        table_add(table, "%s", output_bytes(row->peak_reserved, text[0], sizeof text[0]));
        table_add(table, "%.4f", replay_report_ratio(run, row));
        table_add(table, "%s", output_bytes(row->peak_in_use, text[1], sizeof text[1]));
        table_add(table, "%llu", (unsigned long long)row->driver_allocs);
        table_add(table, "%llu", (unsigned long long)row->driver_frees);
        table_add(table, "%s", output_bytes(row->moved_bytes, text[2], sizeof text[2]));
        table_add(table, "%llu", (unsigned long long)row->ooms);
        table_add(table, "%.1f", ns_per_event(run, row));
    }
    table_print(table, stdout, output_has_colours(stdout));
    table_destroy(table);
    (void)printf(
        "buffers asked of the driver and returned to it, and bytes moved between them: after the "
        "live lines, of %llu allocations\n",
        (unsigned long long)run->allocs);
    if (run->device != NULL) (void)printf("times are of the clock, with what the driver takes\n");
    if (run->count > 1) print_reason(run, best);
}
