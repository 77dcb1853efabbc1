/* `clinfo --raw`: the names of OpenCL's queries.
 *
 * "#PLATFORMS n", then every platform's lines without a prefix, then again each platform and its devices, each line
 * behind the platform's suffix, a slash, and a star or the device's number in square brackets. A suffix may stand for two platforms, so it is the name line that begins one. One thread.
 */
#include "records/query.h"
#include "records/reader.h"

#include <string.h>

/* Splits "[NV/0]    NAME   value". */
typedef struct raw_line {
    const char *start; /* of the line */
    wi_span owner;     /* what stands behind the slash: "*" or a number; empty without a prefix */
    wi_span name;
    wi_span value;
} raw_line;

static int split(wi_span text, raw_line *out)
{
    wi_span rest = text;

    out->start = text.at;
    out->owner.at = text.at;
    out->owner.bytes = 0;
    if (wi_span_starts(text, "[")) {
        size_t end = wi_span_find_byte(text, ']');
        wi_span prefix = {text.at, end};
        size_t slash = wi_span_find_byte(prefix, '/');

        if (end == text.bytes || slash == prefix.bytes || end > 64) return 0;
        out->owner = wi_span_skip(prefix, slash + 1);
        rest = wi_span_trim(wi_span_skip(text, end + 1));
    }
    out->name.at = rest.at;
    out->name.bytes = 0;
    while (out->name.bytes < rest.bytes && rest.at[out->name.bytes] != ' ' &&
           rest.at[out->name.bytes] != '\t')
        out->name.bytes++;
    out->value = wi_span_trim(wi_span_skip(rest, out->name.bytes));
    return out->name.bytes > 0;
}

/* Where a walk stands: prefixes of lines, each up to the slash but for the device's. */
typedef struct raw_place {
    wi_span device;    /* "[NV/0" of the current device */
    wi_span named;     /* of the line that named the platform */
    wi_span announced; /* of the line that counted its devices */
} raw_place;

static int is_same(wi_span a, wi_span b)
{
    return a.bytes == b.bytes && memcmp(a.at, b.at, a.bytes) == 0;
}

static wi_span suffix_of(const raw_line *raw)
{
    wi_span suffix = {raw->start, (size_t)(raw->owner.at - raw->start)};

    return suffix;
}

int wi_raw_knows(const wi_line *line)
{
    raw_line raw;
    uint64_t number = 0;
    wi_span value;

    if (!split(line->text, &raw)) return 0;
    value = raw.value;
    if (wi_span_is(raw.name, "#PLATFORMS") || wi_span_is(raw.name, "#DEVICES"))
        return wi_span_number(&value, &number) ? 2 : 0;
    if (raw.owner.bytes == 0) return 0;
    return wi_span_starts(raw.name, "CL_DEVICE_") || wi_span_starts(raw.name, "CL_PLATFORM_") ||
                   wi_span_starts(raw.name, "CL_ICDL_")
               ? 2
               : 0;
}

/* 1 if a device line with this suffix stands where its platform has all its devices, or is another platform's. */
static int is_stray(const wi_builder *b, const raw_place *place, wi_span suffix)
{
    const wi_text_platform *platform =
        b->current < b->platform_count ? &b->platforms[b->current] : NULL;

    if (platform == NULL || platform->announced == WI_ANNOUNCED_NONE) return 0;
    return platform->shown >= platform->announced ||
           (!is_same(suffix, place->named) && !is_same(suffix, place->announced));
}

/* "[X/3]" begins a device when the lines before belonged to another one. An excerpt may change to another suffix without
 * naming the platform. Returns 0 if the line belongs to no device. */
static int follow_owner(wi_builder *builder, const raw_line *raw, raw_place *place)
{
    wi_span mine = {raw->start, (size_t)(raw->owner.at - raw->start) + raw->owner.bytes};
    wi_span suffix = suffix_of(raw);
    wi_span begun = place->device;
    wi_span digits = raw->owner;
    uint64_t number = 0;

    if (raw->owner.bytes == 0) return 1;
    if (!wi_span_number(&digits, &number) || digits.bytes > 0 || !wi_span_is_plain(mine)) return 0;
    if (builder->has_device && is_same(mine, place->device)) return 1;
    if (is_stray(builder, place, suffix)) return 0;
    if (begun.bytes > suffix.bytes) begun.bytes = suffix.bytes;
    if (builder->has_device && !is_same(suffix, begun)) wi_builder_begin_platform(builder);
    wi_builder_begin_device(builder);
    place->device = mine;
    return 1;
}

static void read_line(const wi_query_index *index, wi_builder *builder, const wi_line *line,
                      const raw_line *raw, raw_place *place)
{
    wi_span value = raw->value;
    uint64_t count = 0;
    size_t id = wi_query_find(index, raw->name);

    if (wi_span_is(raw->name, "#PLATFORMS")) {
        if (wi_span_number(&value, &count)) wi_builder_announce_platforms(builder, count);
    } else if (wi_span_is(raw->name, "#DEVICES")) {
        if (wi_span_number(&value, &count)) wi_builder_announce_devices(builder, count);
        place->announced = suffix_of(raw);
    } else if (id == WI_PROPERTY_COUNT) {
        /* A query this build does not keep, or a compiler's log. The loader's stand behind all devices. */
        builder->is_ended |= wi_span_starts(raw->name, "CL_ICDL_");
        if (!wi_span_starts(raw->name, "CL_") && !wi_builder_is_death(builder, line))
            wi_builder_odd_line(builder, line);
    } else if (id == WI_PROPERTY_PLATFORM_NAME) {
        wi_builder_begin_platform(builder);
        place->named = suffix_of(raw);
        (void)wi_builder_set(builder, (wi_property_id)id, raw->value, line);
    } else {
        if (!wi_property_row_at(id)->is_platform && !follow_owner(builder, raw, place)) {
            wi_builder_odd_line(builder, line);
            return;
        }
        if (id == WI_PROPERTY_NAME && raw->owner.bytes == 0) wi_builder_begin_device(builder);
        if (raw->value.bytes == 0 && line->is_open)
            builder->is_cut = 1;
        else
            (void)wi_builder_set(builder, (wi_property_id)id, raw->value, line);
    }
}

void wi_raw_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                 wi_builder *builder)
{
    wi_cursor cursor = {part.from, part.line};
    wi_query_index index;
    wi_line line;
    raw_place place = {{"", 0}, {"", 0}, {"", 0}};

    (void)readers;
    wi_query_index_make(&index);
    while (builder->status == WEIR_OK && wi_lines_next(lines, part.to, &cursor, &line)) {
        raw_line raw;

        if (line.text.bytes == 0) continue;
        if (split(line.text, &raw))
            read_line(&index, builder, &line, &raw, &place);
        else if (!wi_builder_is_death(builder, &line))
            wi_builder_odd_line(builder, &line);
    }
    wi_builder_finish(builder);
}
