/* One row, one line: value, peer, ratio, target and whether it holds. A target that is missed is said, not punished:
 * timings of a shared machine are no test. A missing peer is named and leaves the comparison open. */
#include "bench_report.h"

#include "output.h"
#include "table.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static json_t *samples_json(const bench_samples *samples)
{
    json_t *repeats = json_array();

    for (size_t i = 0; repeats != NULL && i < samples->count; i++)
        (void)json_array_append_new(repeats, json_real(samples->repeats[i]));
    return repeats;
}

static json_t *median_json(const bench_samples *samples)
{
    return samples->count == 0 ? json_null() : json_real(bench_samples_median(samples));
}

static int has_ratio(const bench_row *row)
{
    return row->samples.count > 0 && row->peer_samples.count > 0 &&
           bench_samples_median(&row->peer_samples) > 0;
}

static double ratio(const bench_row *row)
{
    return bench_samples_median(&row->samples) / bench_samples_median(&row->peer_samples);
}

/* Returns 1 or 0 as the target holds or not, -1 if it cannot be told. */
static int target_holds(const bench_result *result)
{
    const bench_row *row = &result->row;
    double target = result->measurement->target;
    double value = bench_samples_median(&row->samples);

    if (row->samples.count == 0 || row->is_void) return -1;
    if (result->measurement->rule == BENCH_NO_TARGET) return -1;
    if (result->measurement->rule == BENCH_VALUE_AT_MOST) return value <= target;
    if (result->measurement->rule == BENCH_VALUE_AT_LEAST) return value >= target;
    if (!has_ratio(row)) return -1;
    switch (result->measurement->rule) {
    case BENCH_RATIO_AT_MOST:
        return ratio(row) <= target;
    case BENCH_RATIO_AT_LEAST:
        return ratio(row) >= target;
    default:
        return value - bench_samples_median(&row->peer_samples) <= target;
    }
}

static const char *target_text(const bench_measurement *measurement, char *buffer, size_t bytes)
{
    static const char *const formats[] = {
        [BENCH_RATIO_AT_MOST] = "ratio <= %g",
        [BENCH_RATIO_AT_LEAST] = "ratio >= %g",
        [BENCH_DIFFERENCE_AT_MOST] = "value - peer <= %g",
        [BENCH_VALUE_AT_MOST] = "value <= %g",
        [BENCH_VALUE_AT_LEAST] = "value >= %g",
        [BENCH_NO_TARGET] = "none",
    };

    /* The formats are those of the table above, one number each at most. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(buffer, bytes, formats[measurement->rule], measurement->target);
#pragma GCC diagnostic pop
    return buffer;
}

/* The processor's name where the system tells it, and how many of it are there. */
static void describe_machine(char *buffer, size_t bytes)
{
    char line[256] = "";
    char model[256] = "";
    struct utsname names;
    FILE *file = fopen("/proc/cpuinfo", "r");

    while (file != NULL && model[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon != NULL)
            (void)snprintf(model, sizeof model, "%.*s, ", (int)strcspn(colon + 1, "\n") - 1,
                           colon + 2);
    }
    if (file != NULL) (void)fclose(file);
    memset(&names, 0, sizeof names);
    (void)uname(&names);
    (void)snprintf(buffer, bytes, "%s%ld processors, %s %s %s", model,
                   sysconf(_SC_NPROCESSORS_ONLN), names.sysname, names.release, names.machine);
}

static void describe_date(char *buffer, size_t bytes)
{
    time_t now = time(NULL);
    struct tm parts;

    if (gmtime_r(&now, &parts) == NULL ||
        strftime(buffer, bytes, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        buffer[0] = '\0';
}

static json_t *result_json(const bench_result *result)
{
    const bench_row *row = &result->row;
    char target[48];
    int holds = target_holds(result);

    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "name",
                     result->measurement->name, "unit", row->unit, "value",
                     median_json(&row->samples), "repeats", samples_json(&row->samples), "peer",
                     row->peer[0] == '\0' ? json_null() : output_text(row->peer), "peer_value",
                     median_json(&row->peer_samples), "peer_repeats",
                     samples_json(&row->peer_samples), "ratio",
                     has_ratio(row) ? json_real(ratio(row)) : json_null(), "target",
                     target_text(result->measurement, target, sizeof target), "holds",
                     holds < 0 ? json_null() : json_boolean(holds));
}

json_t *bench_report_json(const bench_result *results, size_t count)
{
    json_t *rows = json_array();
    char machine[768];
    char date[32];

    for (size_t i = 0; rows != NULL && i < count; i++) {
        if (json_array_append_new(rows, result_json(&results[i])) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    }
    describe_machine(machine, sizeof machine);
    describe_date(date, sizeof date);
    return json_pack("{s:o, s:s, s:o}", "machine", output_text(machine), "date", date, "rows",
                     rows);
}

static const char *number_text(const char *unit, double value, char *buffer, size_t bytes)
{
    if (strcmp(unit, "s") == 0) return output_seconds(value, buffer, bytes);
    if (strcmp(unit, "B/s") == 0)
        (void)snprintf(buffer, bytes, "%.1f GB/s", value * 1e-9);
    else
        (void)snprintf(buffer, bytes, "%.1f M%s", value * 1e-6, unit);
    return buffer;
}

static const char *value_text(const bench_row *row, const bench_samples *samples, char *buffer,
                              size_t bytes)
{
    if (samples->count == 0) return "-";
    return number_text(row->unit, bench_samples_median(samples), buffer, bytes);
}

/* The target for people: a bound on a value has the value's unit. */
static const char *shown_target(const bench_result *result, char *buffer, size_t bytes)
{
    static const char *const words[] = {
        [BENCH_DIFFERENCE_AT_MOST] = "value - peer <= ",
        [BENCH_VALUE_AT_MOST] = "value <= ",
        [BENCH_VALUE_AT_LEAST] = "value >= ",
    };
    const bench_measurement *measurement = result->measurement;
    char number[32];

    if ((size_t)measurement->rule >= sizeof words / sizeof words[0] ||
        words[measurement->rule] == NULL)
        return target_text(measurement, buffer, bytes);
    (void)snprintf(buffer, bytes, "%s%s", words[measurement->rule],
                   number_text(result->row.unit, measurement->target, number, sizeof number));
    return buffer;
}

static void add_row(text_table *rows, const bench_result *result)
{
    static const char *const answers[] = {"open", "no", "yes"};
    const bench_row *row = &result->row;
    char text[3][48];

    table_add(rows, "%s", result->measurement->name);
    table_add(rows, "%s", value_text(row, &row->samples, text[0], sizeof text[0]));
    table_add(rows, "%s", value_text(row, &row->peer_samples, text[1], sizeof text[1]));
    if (has_ratio(row))
        table_add(rows, "%.2f", ratio(row));
    else
        table_add(rows, "-");
    table_add(rows, "%s", shown_target(result, text[2], sizeof text[2]));
    if (result->measurement->rule == BENCH_NO_TARGET)
        table_add(rows, "-");
    else
        table_add(rows, "%s", answers[target_holds(result) + 1]);
    table_add(rows, "%s", row->peer);
}

void bench_report_table(const bench_result *results, size_t count)
{
    static const table_column columns[] = {{"name", 0},   {"value", 1}, {"peer's", 1}, {"ratio", 1},
                                           {"target", 0}, {"holds", 0}, {"peer", 0},   {NULL, 0}};
    text_table *rows = table_create(columns);
    char machine[768];

    describe_machine(machine, sizeof machine);
    (void)printf("%s\nmedians; every repeat is in --json\n\n", machine);
    for (size_t i = 0; i < count; i++) add_row(rows, &results[i]);
    table_print(rows, stdout, output_has_colours(stdout));
    table_destroy(rows);
    for (size_t i = 0; i < count; i++) {
        if (results[i].row.reason[0] != '\0')
            (void)printf("%s: %s\n", results[i].measurement->name, results[i].row.reason);
    }
}

json_t *bench_row_to_json(const bench_row *row)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:b, s:o}", "unit", row->unit, "samples",
                     samples_json(&row->samples), "peer", output_text(row->peer), "peer_samples",
                     samples_json(&row->peer_samples), "is_void", row->is_void, "reason",
                     output_text(row->reason));
}

static void read_samples(const json_t *json, bench_samples *samples)
{
    for (size_t i = 0; i < json_array_size(json); i++)
        bench_samples_add(samples, json_number_value(json_array_get(json, i)));
}

static void read_text(const json_t *json, char *buffer, size_t bytes)
{
    const char *text = json_string_value(json);

    (void)snprintf(buffer, bytes, "%s", text == NULL ? "" : text);
}

int bench_row_from_json(const json_t *json, bench_row *row)
{
    memset(row, 0, sizeof *row);
    if (!json_is_object(json)) return 0;
    read_text(json_object_get(json, "unit"), row->unit, sizeof row->unit);
    read_text(json_object_get(json, "peer"), row->peer, sizeof row->peer);
    read_text(json_object_get(json, "reason"), row->reason, sizeof row->reason);
    row->is_void = json_is_true(json_object_get(json, "is_void"));
    read_samples(json_object_get(json, "samples"), &row->samples);
    read_samples(json_object_get(json, "peer_samples"), &row->peer_samples);
    return 1;
}
