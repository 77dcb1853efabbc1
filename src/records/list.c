/* `clinfo -l`: names only, with marks ("Platform #0: ", " +-- Device #0: ") or raw ("0: ", "0.0: ").
 *
 * `clinfo -l --json` before 3.0.25 printed the raw form inside braces, which is no JSON: `{0.0: name`. It is read as the
 * raw form. One thread.
 */
#include "records/reader.h"

typedef struct list_entry {
    int is_device;
    int is_numbered; /* raw: platform and device number are in front */
    uint64_t platform;
    uint64_t device;
    wi_span name;
} list_entry;

/* "Platform #0: name", "Device #0: name" at `text`. */
static int read_marked(wi_span text, const char *word, uint64_t *number, wi_span *name)
{
    wi_span rest = text;

    if (!wi_span_starts(text, word)) return 0;
    rest = wi_span_skip(rest, wi_span_of(word).bytes);
    if (!wi_span_number(&rest, number) || !wi_span_starts(rest, ":")) return 0;
    *name = wi_span_trim(wi_span_skip(rest, 1));
    return 1;
}

/* Without the lines that draw the tree: blanks, +, |, `, -, and what programs put in their place. */
static wi_span without_tree(wi_span text)
{
    while (text.bytes > 0 &&
           (text.at[0] == ' ' || text.at[0] == '+' || text.at[0] == '|' || text.at[0] == '`' ||
            text.at[0] == '-' || text.at[0] == '\'' || (unsigned char)text.at[0] >= 0x80))
        text = wi_span_skip(text, 1);
    return text;
}

/* "0: name" or "0.0: name". */
static int read_numbered(wi_span text, list_entry *out)
{
    wi_span rest = text;

    if (!wi_span_number(&rest, &out->platform)) return 0;
    out->is_device = 0;
    if (wi_span_starts(rest, ".")) {
        rest = wi_span_skip(rest, 1);
        if (!wi_span_number(&rest, &out->device)) return 0;
        out->is_device = 1;
    }
    if (!wi_span_starts(rest, ": ")) return 0;
    out->name = wi_span_trim(wi_span_skip(rest, 1));
    return 1;
}

static int read_entry(wi_span text, list_entry *out)
{
    wi_span bare = without_tree(text);
    size_t brace = text.bytes;

    out->is_numbered = 0;
    out->is_device = 0;
    if (read_marked(bare, "Platform #", &out->platform, &out->name)) return 1;
    out->is_device = 1;
    if (bare.at != text.at && read_marked(bare, "Device #", &out->device, &out->name)) return 1;
    out->is_numbered = 1;
    /* In the invalid JSON every device stands behind the last brace of its line. */
    for (size_t next = wi_span_find_byte(text, '{'); next < text.bytes;) {
        brace = next;
        next = next + 1 + wi_span_find_byte(wi_span_skip(text, next + 1), '{');
    }
    if (brace < text.bytes)
        return read_numbered(wi_span_skip(text, brace + 1), out) && out->is_device;
    return read_numbered(text, out);
}

int wi_list_knows(const wi_line *line)
{
    list_entry entry;

    if (!read_entry(line->text, &entry)) return 0;
    return !entry.is_numbered || entry.is_device ? 2 : 1;
}

/* Begins platforms until number `wanted` is there: some may have no name, or their lines may be lost. */
static void follow_platform(wi_builder *builder, uint64_t wanted)
{
    while (builder->platform_count <= wanted && wanted < WI_DEVICES_MAX &&
           builder->status == WEIR_OK)
        wi_builder_begin_platform(builder);
}

/* Gives the last device its own number when those before it are lost. */
static void follow_device(wi_builder *builder, uint64_t wanted)
{
    size_t begun =
        builder->current < builder->platform_count ? builder->platforms[builder->current].shown : 0;

    if (builder->has_device && wanted >= begun && wanted < WI_DEVICES_MAX)
        weir_record_set_index(wi_builder_device(builder), (unsigned)builder->current,
                              (unsigned)wanted);
}

static void read_name(wi_builder *builder, const list_entry *entry, const wi_line *line)
{
    if (!entry->is_device) {
        if (entry->platform > 0) follow_platform(builder, entry->platform - 1);
        wi_builder_begin_platform(builder);
        (void)wi_builder_set(builder, WI_PROPERTY_PLATFORM_NAME, entry->name, line);
        return;
    }
    if (entry->is_numbered) {
        follow_platform(builder, entry->platform);
        if (entry->platform < builder->platform_count) builder->current = (size_t)entry->platform;
    }
    wi_builder_begin_device(builder);
    follow_device(builder, entry->device);
    (void)wi_builder_set(builder, WI_PROPERTY_NAME, entry->name, line);
}

void wi_list_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                  wi_builder *builder)
{
    wi_cursor cursor = {part.from, part.line};
    wi_line line;

    (void)readers;
    while (builder->status == WEIR_OK && wi_lines_next(lines, part.to, &cursor, &line)) {
        list_entry entry;

        if (line.text.bytes == 0) continue;
        if (read_entry(line.text, &entry))
            read_name(builder, &entry, &line);
        else if (!wi_builder_is_death(builder, &line))
            wi_builder_odd_line(builder, &line);
    }
    /* A list announces nothing: what it shows is all there is. */
    builder->announced = builder->platform_count;
    builder->is_ended = 1;
    for (size_t i = 0; i < builder->platform_count; i++)
        builder->platforms[i].announced = builder->platforms[i].shown;
    if (builder->device_count > 0)
        wi_note(&builder->notes, "a list has names only: nothing tells memory, units or speed");
    wi_builder_finish(builder);
}
