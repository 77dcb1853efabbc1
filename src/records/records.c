/* Reading a text: every output in it is read, the best one kept.
 *
 * Only the best output so far and the one being read are in memory. One thread a call; nothing is shared.
 */
#include "records/sniff.h"

#include <weir/records.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHERE "weir_records_read"
#define REASON_BYTES 400

/* The devices of a text.
 *
 * Invariants: devices[0 .. count) are owned; reason is "" if and only if count > 0. */
struct weir_records {
    weir_record **devices;
    size_t count;
    wi_notes notes;
    char *source;
    wi_format format;
    char reason[REASON_BYTES];
};

/* One row a format, in the order of wi_format. */
static const struct {
    const char *name;
    void (*read)(const wi_readers *readers, const wi_lines *lines, wi_part part,
                 wi_builder *builder);
} formats[WI_FORMAT_COUNT] = {
    {"", NULL},
    {"clinfo", wi_human_read},
    {"AMD's clinfo", wi_amd_read},
    {"clinfo --raw", wi_raw_read},
    {"clinfo -l", wi_list_read},
    {"JSON", wi_json_read},
};

/* What was found while walking over a text. */
typedef struct walk {
    wi_readers readers;
    wi_lines lines;
    wi_builder *best;
    wi_output best_output;
    size_t outputs;
    wi_notes notes; /* of what is left out, before the best output's own */
} walk;

/* Whether `next`, read after the best so far, takes its place. A list has names only, so it does not replace an output
 * of the same devices that has more. */
static int is_better(const walk *w, const wi_builder *next, wi_format format)
{
    int rank = wi_builder_rank(next);
    int best = w->best != NULL ? wi_builder_rank(w->best) : -1;

    if (rank != best) return rank > best;
    if (format == WI_FORMAT_LIST && w->best_output.format != WI_FORMAT_LIST && rank >= 2)
        return next->device_count > w->best->device_count;
    return 1;
}

/* Says which lines of the text are not in the records, unless they are blank or the command that was run. */
static void note_left_out(walk *w, const wi_output *output)
{
    wi_cursor cursor = {output->part.from, output->part.line};
    char quote[WI_QUOTE_BYTES];
    wi_line line;

    while (wi_lines_next(&w->lines, output->part.to, &cursor, &line)) {
        if (line.text.bytes == 0 || wi_span_find(line.text, "clinfo") < line.text.bytes) continue;
        (void)wi_span_quote(line.text, quote);
        if (line.number == output->last_line)
            wi_note(&w->notes, "line %zu is left out: \"%s\"", line.number, quote);
        else
            wi_note(&w->notes, "lines %zu to %zu are left out; they begin: \"%s\"", line.number,
                    output->last_line, quote);
        return;
    }
}

/* Drops an output that another one is better than; what was odd in it is worth knowing all the same. */
static void drop(walk *w, wi_builder *builder, const wi_output *output)
{
    if (builder == NULL) return;
    note_left_out(w, output);
    for (size_t i = 0; i < builder->notes.count; i++)
        if (strncmp(builder->notes.texts[i], "line ", 5) == 0)
            wi_note(&w->notes, "%s", builder->notes.texts[i]);
    wi_builder_destroy(builder);
}

static weir_status read_output(walk *w, const wi_output *output)
{
    wi_builder *builder = NULL;
    weir_status status = WEIR_OK;

    if (output->format == WI_FORMAT_NONE) {
        note_left_out(w, output);
        return WEIR_OK;
    }
    builder = wi_builder_create();
    if (builder == NULL) return WEIR_E_HOST_MEMORY;
    formats[output->format].read(&w->readers, &w->lines, output->part, builder);
    status = builder->status;
    if (status == WEIR_OK && builder->notes.is_exhausted)
        status = weir_error_set(WEIR_E_HOST_MEMORY, WHERE, NULL, "no memory for warnings");
    if (status != WEIR_OK) {
        wi_builder_destroy(builder);
        return status;
    }
    w->outputs++;
    if (is_better(w, builder, output->format)) {
        drop(w, w->best, &w->best_output);
        w->best = builder;
        w->best_output = *output;
    } else {
        drop(w, builder, output);
    }
    return WEIR_OK;
}

static weir_status read_outputs(walk *w)
{
    wi_cursor cursor = {0, 0};
    wi_output output;
    weir_status status = WEIR_OK;

    while (status == WEIR_OK && wi_sniff_next(&w->readers, &w->lines, &cursor, &output))
        status = read_output(w, &output);
    return status;
}

/* What messages call a text; "-" is a file's name only. */
static const char *spoken(const char *source)
{
    return strcmp(source, "-") == 0 ? "standard input" : source;
}

/* No output: says which line is not understood. */
static void refuse(const walk *w, const char *source)
{
    wi_cursor cursor = {0, 0};
    char quote[WI_QUOTE_BYTES];
    wi_line line;

    while (wi_lines_next(&w->lines, w->lines.bytes, &cursor, &line)) {
        if (line.text.bytes == 0) continue;
        (void)weir_error_set(
            WEIR_E_FORMAT, WHERE,
            "clinfo's output (also --raw, --json, -l), AMD's clinfo or `weir devices --json`",
            "%.200s: line %zu is not understood: \"%s\"", spoken(source), line.number,
            wi_span_quote(line.text, quote));
        return;
    }
    (void)weir_error_set(
        WEIR_E_FORMAT, WHERE,
        "clinfo's output (also --raw, --json, -l), AMD's clinfo or `weir devices --json`",
        "%.200s: there is no text in it", spoken(source));
}

static void note_text(walk *w)
{
    const wi_output *best = &w->best_output;

    if (w->outputs > 1)
        wi_note(
            &w->notes,
            "the text has %zu outputs; the one in lines %zu to %zu is read, the last of the most "
            "complete",
            w->outputs, best->part.line + 1, best->last_line);
    if (w->lines.marked > 0)
        wi_note(&w->notes, "\"%s\" was taken off %zu lines", w->lines.mark, w->lines.marked);
    if (w->lines.is_diff)
        wi_note(&w->notes, "the text is a diff: its new side is read, %zu old lines are left out",
                w->lines.dropped);
    if (w->lines.replaced > 0)
        wi_note(&w->notes, "%zu control characters or zero bytes were left out", w->lines.replaced);
    if (w->lines.strange > 0)
        wi_note(&w->notes,
                "%zu bytes are not UTF-8: what a row with one says may be left out or look odd",
                w->lines.strange);
}

/* A platform of AMD's without devices is most often one whose device nodes are closed to the user. */
static const char *hint_of(const wi_builder *b)
{
    for (size_t i = 0; i < b->platform_count; i++) {
        weir_property vendor;

        weir_record_get(b->platforms[i].record, WI_PROPERTY_PLATFORM_VENDOR, &vendor);
        if (strstr(vendor.text, "Advanced Micro Devices") != NULL)
            return "; with AMD's driver the usual cause is permission: /dev/kfd or the render node "
                   "in /dev/dri is closed to the user";
    }
    return "";
}

static void make_reason(weir_records *records, const wi_builder *b)
{
    if (records->count > 0) return;
    if (b->announced == 0 || (b->platform_count == 0 && records->format == WI_FORMAT_JSON)) {
        (void)snprintf(
            records->reason, sizeof records->reason,
            "no platforms: the loader found no driver (an .icd file is missing, or its "
            "library cannot be loaded, or, in a container or over SSH, permission lacks)");
    } else if (wi_builder_rank(b) < 3) {
        (void)snprintf(records->reason, sizeof records->reason,
                       "truncated: the text ends before the first device");
    } else {
        (void)snprintf(records->reason, sizeof records->reason,
                       "no devices: %zu platform%s, none of which lists one%s", b->platform_count,
                       b->platform_count == 1 ? "" : "s", hint_of(b));
    }
}

/* Moves what the walk found into the records. */
static weir_status take(weir_records *records, walk *w)
{
    wi_builder *b = w->best;

    records->format = w->best_output.format;
    records->devices = b->devices;
    records->count = b->device_count;
    b->devices = NULL;
    b->device_count = 0;
    make_reason(records, b);
    note_text(w);
    wi_notes_move(&records->notes, &w->notes);
    wi_notes_move(&records->notes, &b->notes);
    wi_notes_close(&records->notes);
    return records->notes.is_exhausted
               ? weir_error_set(WEIR_E_HOST_MEMORY, WHERE, NULL, "no memory for warnings")
               : WEIR_OK;
}

static weir_status make_records(const char *source, weir_records **out)
{
    weir_records *records = calloc(1, sizeof *records);
    size_t bytes = strlen(source) + 1;

    *out = NULL;
    if (records != NULL) records->source = malloc(bytes);
    if (records == NULL || records->source == NULL) {
        weir_records_destroy(records);
        (void)weir_error_set(WEIR_E_HOST_MEMORY, WHERE, NULL, "%zu bytes for the records of a text",
                             sizeof *records + bytes);
        return WEIR_E_HOST_MEMORY;
    }
    memcpy(records->source, source, bytes);
    *out = records;
    return WEIR_OK;
}

weir_status weir_records_read(const char *bytes, size_t count, const char *source,
                              weir_records **out)
{
    weir_records *records = NULL;
    walk *w = NULL;
    weir_status status = WEIR_OK;

    if (source == NULL) source = "text";
    if (out != NULL) *out = NULL;
    if (out == NULL || (bytes == NULL && count > 0))
        return weir_error_set(WEIR_E_ARG, WHERE, NULL, "bytes and out are required");
    if (count > WEIR_RECORDS_BYTES_MAX)
        return weir_error_set(WEIR_E_FORMAT, WHERE, "clinfo's output, which has some kilobytes",
                              "%.200s: %zu bytes are more than the %zu that are read",
                              spoken(source), count, WEIR_RECORDS_BYTES_MAX);
    status = make_records(source, &records);
    if (status != WEIR_OK) goto done;
    w = calloc(1, sizeof *w);
    if (w == NULL) {
        status = weir_error_set(WEIR_E_HOST_MEMORY, WHERE, NULL, "%zu bytes for a walk", sizeof *w);
        goto done;
    }
    status = wi_lines_create(bytes, count, &w->lines);
    if (status != WEIR_OK) goto done;
    wi_human_index(&w->readers.human);
    wi_amd_index(&w->readers.amd);
    if (!wi_lines_are_binary(&w->lines)) status = read_outputs(w);
    if (status != WEIR_OK) goto done;
    if (w->best == NULL) {
        refuse(w, source);
        status = WEIR_E_FORMAT;
        goto done;
    }
    status = take(records, w);
    if (status != WEIR_OK) goto done;

    *out = records;
    records = NULL;
done:
    if (w != NULL) {
        wi_builder_destroy(w->best);
        wi_lines_destroy(&w->lines);
        wi_notes_clear(&w->notes);
    }
    free(w);
    weir_records_destroy(records);
    return status;
}

void weir_records_destroy(weir_records *records)
{
    if (records == NULL) return;
    for (size_t i = 0; i < records->count; i++) weir_record_destroy(records->devices[i]);
    free(records->devices);
    free(records->source);
    wi_notes_clear(&records->notes);
    free(records);
}

size_t weir_records_count(const weir_records *records)
{
    return records != NULL ? records->count : 0;
}

const weir_record *weir_records_get(const weir_records *records, size_t i)
{
    return records != NULL && i < records->count ? records->devices[i] : NULL;
}

const char *weir_records_get_warning(const weir_records *records, size_t i)
{
    return records != NULL && i < records->notes.count ? records->notes.texts[i] : NULL;
}

const char *weir_records_get_reason(const weir_records *records)
{
    return records != NULL ? records->reason : "";
}

const char *weir_records_get_source(const weir_records *records)
{
    return records != NULL ? records->source : "";
}

const char *weir_records_get_format(const weir_records *records)
{
    return records != NULL ? formats[records->format].name : "";
}
