/* One result, three readers: programs (JSON), people (table, sentences) and whoever must mend a failure (stderr). */
#include "loop_report.h"

#include "loop_lesson.h"
#include "output.h"
#include "table.h"

#include <weir/oom.h>

#include <stdio.h>
#include <string.h>

static json_t *owners_json(const weir_oom_report *oom)
{
    json_t *owners = json_array();

    for (unsigned i = 0; owners != NULL && i < oom->owner_count; i++) {
        const weir_oom_owner *each = &oom->owners[i];

        (void)json_array_append_new(
            owners, json_pack("{s:o, s:I, s:I}", "owner", output_text(each->owner), "bytes",
                              (json_int_t)each->bytes, "blocks", (json_int_t)each->blocks));
    }
    return owners;
}

static json_t *oom_json(const weir_error *error)
{
    const weir_oom_report *oom = &error->oom;

    if (!error->has_oom) return json_null();
    return json_pack("{s:o, s:I, s:I, s:o, s:I, s:s, s:o}", "requested",
                     output_number(oom->requested_bytes), "in_use", (json_int_t)oom->in_use_bytes,
                     "reserved", (json_int_t)oom->reserved_bytes, "limit",
                     oom->limit_bytes == 0 ? json_null() : output_number(oom->limit_bytes),
                     "largest_free", (json_int_t)oom->largest_free_bytes, "cause",
                     weir_oom_cause_name(oom->cause), "owners", owners_json(oom));
}

/* Writes what happened and where in the loop it did. */
static void failure_message(const loop_plan *plan, const loop_result *result, char *buffer,
                            size_t bytes)
{
    const char *message =
        result->error.message[0] != '\0' ? result->error.message : weir_status_text(result->status);

    if (result->is_started && result->steps_done < plan->steps)
        (void)snprintf(buffer, bytes, "step %llu of %llu: %s",
                       (unsigned long long)result->steps_done + 1, (unsigned long long)plan->steps,
                       message);
    else
        (void)snprintf(buffer, bytes, "%s", message);
}

/* Returns what helps: the form's own cure where memory ran out on the way, else the library's hint. */
static const char *failure_hint(const loop_result *result)
{
    return result->error.has_oom && result->is_started ? result->form->cure : result->error.hint;
}

static json_t *error_json(const loop_plan *plan, const loop_result *result)
{
    char message[640];

    if (result->status == WEIR_OK) return json_null();
    failure_message(plan, result, message, sizeof message);
    return json_pack("{s:s, s:o, s:o, s:o}", "status", weir_status_name(result->status), "message",
                     output_text(message), "hint", output_text(failure_hint(result)), "oom",
                     oom_json(&result->error));
}

static json_t *checksum_json(const loop_result *result)
{
    char hex[17];

    if (!result->has_checksum) return json_null();
    (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)result->checksum);
    return json_string(hex);
}

/* Returns the word for a gradient; NULL if there is nothing to say. */
static const char *gradient_name(loop_gradient gradient)
{
    static const char *const names[] = {NULL, "none", "ones", "dense"};

    return names[gradient];
}

static json_t *form_json(const loop_plan *plan, const loop_result *result)
{
    return json_pack(
        "{s:s, s:s, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:s?, s:o, s:o}", "form",
        result->form->name, "status", weir_status_name(result->status), "seconds", result->seconds,
        "first_seconds", result->first_seconds, "peak_in_use", (json_int_t)result->peak_in_use,
        "peak_reserved", (json_int_t)result->peak_reserved, "driver_allocs",
        (json_int_t)result->driver_allocs, "tape_saved_bytes", (json_int_t)result->saved_bytes,
        "tape_host_bytes", (json_int_t)result->host_bytes, "kernels_launched",
        (json_int_t)result->kernels_launched, "gradient", gradient_name(result->gradient),
        "checksum", checksum_json(result), "error", error_json(plan, result));
}

static json_t *shape_json(const weir_shape *shape)
{
    json_t *extents = json_array();

    for (unsigned i = 0; extents != NULL && i < shape->rank; i++)
        (void)json_array_append_new(extents, json_integer((json_int_t)shape->extents[i]));
    return extents;
}

json_t *loop_report_json(const loop_report *report)
{
    json_t *forms = json_array();

    for (size_t i = 0; forms != NULL && i < report->count; i++) {
        if (json_array_append_new(forms, form_json(report->plan, &report->results[i])) != 0) {
            json_decref(forms);
            forms = NULL;
        }
    }
    return json_pack("{s:o, s:I, s:o, s:s?, s:o, s:o}", "device",
                     output_device(report->plan->device), "steps", (json_int_t)report->plan->steps,
                     "shape", shape_json(&report->plan->shape), "pool", report->pool, "limit",
                     report->limit_bytes == 0 ? json_null() : output_number(report->limit_bytes),
                     "forms", forms);
}

int loop_report_agrees(const loop_report *report)
{
    const loop_result *first = NULL;

    for (size_t i = 0; i < report->count; i++) {
        const loop_result *each = &report->results[i];

        if (!each->has_checksum || each->form->is_other_sum) continue;
        if (first != NULL && first->checksum != each->checksum) return 0;
        first = each;
    }
    return 1;
}

static void print_heading(const loop_report *report)
{
    const loop_plan *plan = report->plan;
    char shape[192];
    char limit[32];

    (void)printf("%llu step%s of f32%s plus N(0,1), seed %llu, on %s %s (%s, %s)\n",
                 (unsigned long long)plan->steps, plan->steps == 1 ? "" : "s",
                 weir_shape_format(&plan->shape, shape, sizeof shape),
                 (unsigned long long)plan->seed, weir_device_get_index(plan->device),
                 weir_device_get_name(plan->device), weir_device_get_platform_name(plan->device),
                 weir_device_class_name(weir_device_get_class(plan->device)));
    (void)printf(
        "pool %s, %s%s\n\n", report->pool, report->limit_bytes == 0 ? "no limit" : "limit ",
        report->limit_bytes == 0 ? "" : output_bytes(report->limit_bytes, limit, sizeof limit));
}

static void add_row(text_table *rows, const loop_result *result)
{
    char text[5][32];
    const char *gradient = gradient_name(result->gradient);

    table_add(rows, "%s", result->form->name);
    table_add(rows, "%s", weir_status_name(result->status));
    table_add(rows, "%s",
              result->timed_steps > 0
                  ? output_seconds(result->seconds / (double)result->timed_steps, text[0], 32)
                  : "-");
    table_add(rows, "%s",
              result->steps_done > 0 ? output_seconds(result->first_seconds, text[1], 32) : "-");
    table_add(rows, "%s", output_bytes(result->peak_in_use, text[2], 32));
    table_add(rows, "%llu", (unsigned long long)result->peak_blocks);
    table_add(rows, "%s", output_bytes(result->peak_reserved, text[3], 32));
    table_add(rows, "%llu", (unsigned long long)result->driver_allocs);
    table_add(rows, "%llu", (unsigned long long)result->kernels_launched);
    table_add(rows, "%llu", (unsigned long long)result->cow_copies);
    table_add(rows, "%s", output_bytes(result->saved_bytes, text[4], 32));
    table_add(rows, "%s", gradient == NULL ? "-" : gradient);
    if (result->has_checksum)
        table_add(rows, "%016llx", (unsigned long long)result->checksum);
    else
        table_add(rows, "-");
}

void loop_report_table(const loop_report *report)
{
    static const table_column columns[] = {
        {"form", 0},        {"status", 0}, {"a step", 1},        {"first step", 1},
        {"peak in use", 1}, {"blocks", 1}, {"peak reserved", 1}, {"driver allocs", 1},
        {"launches", 1},    {"copies", 1}, {"tape keeps", 1},    {"gradient", 0},
        {"checksum", 0},    {NULL, 0}};
    text_table *rows = table_create(columns);

    print_heading(report);
    for (size_t i = 0; i < report->count; i++) add_row(rows, &report->results[i]);
    table_print(rows, stdout, output_has_colours(stdout));
    table_destroy(rows);
    loop_lesson_print(report);
}

static void print_oom(const weir_oom_report *oom)
{
    char text[5][32];

    (void)fprintf(stderr,
                  "  requested %s; in use %s, reserved %s, limit %s, largest free range %s\n",
                  output_bytes(oom->requested_bytes, text[0], 32),
                  output_bytes(oom->in_use_bytes, text[1], 32),
                  output_bytes(oom->reserved_bytes, text[2], 32),
                  oom->limit_bytes == 0 ? "none" : output_bytes(oom->limit_bytes, text[3], 32),
                  output_bytes(oom->largest_free_bytes, text[4], 32));
    (void)fprintf(stderr, "  cause: %s\n", weir_oom_cause_name(oom->cause));
    for (unsigned i = 0; i < oom->owner_count; i++)
        (void)fprintf(stderr, "  held by %s: %llu block%s, %s\n", oom->owners[i].owner,
                      (unsigned long long)oom->owners[i].blocks,
                      oom->owners[i].blocks == 1 ? "" : "s",
                      output_bytes(oom->owners[i].bytes, text[0], 32));
}

void loop_report_failures(const loop_report *report, const char *log)
{
    for (size_t i = 0; i < report->count; i++) {
        const loop_result *each = &report->results[i];
        char message[640];

        if (each->status == WEIR_OK) continue;
        failure_message(report->plan, each, message, sizeof message);
        (void)fprintf(stderr, "weir loop: %s: %s: %s\n", each->form->name,
                      weir_status_name(each->status), message);
        if (each->error.has_oom) print_oom(&each->error.oom);
        if (failure_hint(each)[0] != '\0')
            (void)fprintf(stderr, "  cure: %s\n", failure_hint(each));
    }
    if (log != NULL && log[0] != '\0')
        (void)fprintf(stderr, "%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
    if (!loop_report_agrees(report))
        (void)fprintf(stderr, "weir loop: the forms ended in different bits\n");
}
