/* Building records from what readers find.
 *
 * clinfo prints all platforms first and then names each again before its devices; AMD's program does the same. So a
 * platform that has nothing but a name when devices are announced is the second naming of one that is there already.
 * All loops are over platforms, devices or properties, each bounded. One thread a builder.
 */
#include "records/builder.h"

#include <stdlib.h>
#include <string.h>

static void fail(wi_builder *b, weir_status status)
{
    if (b->status == WEIR_OK) b->status = status;
}

wi_builder *wi_builder_create(void)
{
    wi_builder *b = calloc(1, sizeof *b);

    if (b == NULL) {
        (void)weir_error_set(WEIR_E_HOST_MEMORY, "weir_records_read", NULL,
                             "%zu bytes for the records of a text", sizeof *b);
        return NULL;
    }
    b->announced = WI_ANNOUNCED_NONE;
    b->current = SIZE_MAX;
    b->open_flags = WI_PROPERTY_COUNT;
    return b;
}

void wi_builder_destroy(wi_builder *b)
{
    if (b == NULL) return;
    for (size_t i = 0; i < b->platform_count; i++) weir_record_destroy(b->platforms[i].record);
    for (size_t i = 0; i < b->device_count; i++) weir_record_destroy(b->devices[i]);
    weir_record_destroy(b->scratch);
    free(b->platforms);
    free(b->devices);
    wi_notes_clear(&b->notes);
    free(b);
}

void wi_builder_announce_platforms(wi_builder *b, uint64_t count)
{
    if (b->announced == WI_ANNOUNCED_NONE) b->announced = (size_t)count;
}

/* Makes room for one more entry of `bytes`; returns 0 if there is no memory. */
static int make_room(wi_builder *b, void **entries, size_t bytes, size_t count, size_t *room)
{
    size_t wanted = *room > 0 ? *room * 2 : 4;
    void *larger = NULL;

    if (count < *room) return 1;
    larger = realloc(*entries, wanted * bytes);
    if (larger == NULL) {
        fail(b, weir_error_set(WEIR_E_HOST_MEMORY, "weir_records_read", NULL,
                               "%zu bytes for a list of records", wanted * bytes));
        return 0;
    }
    *entries = larger;
    *room = wanted;
    return 1;
}

static void add_platform(wi_builder *b)
{
    wi_text_platform *platform = NULL;
    void *entries = b->platforms;
    weir_status status = WEIR_OK;

    if (b->platform_count == WI_DEVICES_MAX) {
        if (!b->is_full) wi_note(&b->notes, "only the first %d platforms are read", WI_DEVICES_MAX);
        b->is_full = 1;
        return;
    }
    if (!make_room(b, &entries, sizeof *b->platforms, b->platform_count, &b->platform_room)) return;
    b->platforms = entries;
    platform = &b->platforms[b->platform_count];
    memset(platform, 0, sizeof *platform);
    platform->announced = WI_ANNOUNCED_NONE;
    status = weir_record_create(&platform->record);
    if (status != WEIR_OK) {
        fail(b, status);
        return;
    }
    b->current = b->platform_count++;
}

void wi_builder_begin_platform(wi_builder *b)
{
    b->has_device = 0;
    add_platform(b);
}

/* Whether two platforms have the same name, or that of `a` was lost. */
static int is_namesake(const wi_text_platform *a, const wi_text_platform *b)
{
    weir_property x;
    weir_property y;

    weir_record_get(a->record, WI_PROPERTY_PLATFORM_NAME, &x);
    weir_record_get(b->record, WI_PROPERTY_PLATFORM_NAME, &y);
    return x.state == WEIR_PROPERTY_ABSENT || strcmp(x.text, y.text) == 0;
}

/* Which platform the one begun last names once more; `last` for none. One that has no namesake is the next to be listed if
 * all that were announced are there: its name is damaged. */
static size_t named_before(const wi_builder *b, size_t last)
{
    for (size_t i = b->listed; i < last; i++)
        if (b->platforms[i].values > 1 && is_namesake(&b->platforms[i], &b->platforms[last]))
            return i;
    return b->announced < b->platform_count && b->listed < last ? b->listed : last;
}

/* If the platform begun last is the second naming of one that is to be listed, forgets it and returns 1. */
static int merge_second_naming(wi_builder *b)
{
    size_t last = b->platform_count - 1;
    size_t first = named_before(b, last);

    if (first == last || b->platforms[last].values > 1 || b->platforms[last].shown > 0) return 0;
    weir_record_destroy(b->platforms[last].record);
    b->platform_count--;
    b->current = first;
    return 1;
}

void wi_builder_announce_devices(wi_builder *b, uint64_t count)
{
    b->has_device = 0;
    if (b->platform_count == 0 || b->listed >= b->platform_count) add_platform(b);
    if (b->platform_count == 0) return;
    /* If all are there, the line that named the next one again was lost. */
    if (!merge_second_naming(b) && b->announced == b->platform_count &&
        b->listed < b->platform_count)
        b->current = b->listed;
    if (b->current >= b->platform_count) b->current = b->platform_count - 1;
    b->platforms[b->current].announced = (size_t)count;
    b->listed = b->current + 1;
}

/* A device whose platform did not say how many it has: the line was lost. */
static void find_platform(wi_builder *b)
{
    if (b->current == SIZE_MAX) add_platform(b);
    if (b->current == SIZE_MAX || b->current + 1 < b->platform_count ||
        b->platforms[b->current].shown > 0 ||
        b->platforms[b->current].announced != WI_ANNOUNCED_NONE)
        return;
    if (merge_second_naming(b)) b->listed = b->current + 1;
}

void wi_builder_begin_device(wi_builder *b)
{
    void *entries = b->devices;
    weir_status status = WEIR_OK;

    b->has_device = 0;
    if (b->device_count == WI_DEVICES_MAX) {
        if (!b->is_full) wi_note(&b->notes, "only the first %d devices are read", WI_DEVICES_MAX);
        b->is_full = 1;
        return;
    }
    find_platform(b);
    if (b->current == SIZE_MAX) return;
    if (!make_room(b, &entries, sizeof(*b->devices), b->device_count, &b->device_room)) return;
    b->devices = entries;
    status = weir_record_create(&b->devices[b->device_count]);
    if (status != WEIR_OK) {
        fail(b, status);
        return;
    }
    weir_record_set_index(b->devices[b->device_count], (unsigned)b->current,
                          (unsigned)b->platforms[b->current].shown);
    b->platforms[b->current].shown++;
    b->device_count++;
    b->has_device = 1;
    memset(b->clashes, 0, sizeof b->clashes);
}

void wi_builder_end_device(wi_builder *b) { b->has_device = 0; }

weir_record *wi_builder_device(wi_builder *b)
{
    if (!b->has_device) wi_builder_begin_device(b);
    return b->has_device ? b->devices[b->device_count - 1] : NULL;
}

static weir_record *owner_of(wi_builder *b, wi_property_id id)
{
    if (!wi_property_row_at(id)->is_platform) return wi_builder_device(b);
    if (b->current == SIZE_MAX) add_platform(b);
    return b->current < b->platform_count ? b->platforms[b->current].record : NULL;
}

void wi_builder_refuse(wi_builder *b, const char *what, const wi_line *line)
{
    char quote[WI_QUOTE_BYTES];

    if (b->refused++ < 3)
        wi_note(&b->notes, "line %zu: the value of %s is left out: \"%s\"", line->number, what,
                wi_span_quote(line->text, quote));
}

/* Two values for one property of one device: neither can be trusted. */
static void clash(wi_builder *b, weir_record *record, wi_property_id id, const wi_line *line)
{
    b->clashes[id] = 1;
    weir_record_set_absent(record, id);
    wi_note(&b->notes,
            "line %zu: a second value for %s of one device, different from the first; both are "
            "left out, since it cannot be told which is right",
            line->number, wi_property_row_at(id)->name);
}

static int is_same(const weir_property *a, const weir_property *b)
{
    return a->state == b->state && a->number == b->number && a->count == b->count &&
           memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0 && strcmp(a->text, b->text) == 0;
}

/* Sets the property of a scratch record first, so that an old value can be compared with the new one. */
static wi_outcome set_again(wi_builder *b, weir_record *record, wi_property_id id, wi_span value,
                            const wi_line *line)
{
    weir_property old;
    weir_property new;
    wi_outcome outcome = WI_NO_MEMORY;

    if (b->scratch == NULL && weir_record_create(&b->scratch) != WEIR_OK) return WI_NO_MEMORY;
    outcome = wi_value_set(b->scratch, id, value);
    weir_record_get(record, id, &old);
    weir_record_get(b->scratch, id, &new);
    if (outcome == WI_TAKEN && !is_same(&old, &new)) clash(b, record, id, line);
    weir_record_set_absent(b->scratch, id);
    return outcome;
}

/* At the very end of a text without a last newline, a value may have lost its end. Words and lines of text show it, or
 * do no harm; numbers and lists do not show it. */
static int may_be_cut(wi_property_id id, wi_span value, const wi_line *line)
{
    char last = ' ';

    if (!line->is_open) return 0;
    if (value.bytes > 0) last = value.at[value.bytes - 1];
    switch (wi_property_row_at(id)->wire) {
    case WI_WIRE_NUMBER:
        return (last >= '0' && last <= '9') || wi_span_starts(value, "0x");
    case WI_WIRE_FLAGS:
    case WI_WIRE_FP_CONFIG:
    case WI_WIRE_SIZES:
    case WI_WIRE_UUID:
        return !wi_value_is_na(value);
    case WI_WIRE_TEXT:
        /* "(n/a)" and "<... error -30>" are no texts, nor are their beginnings. */
        return (value.bytes < 5 && memcmp(value.at, "(n/a)", value.bytes) == 0) ||
               (wi_span_starts(value, "<") && last != '>');
    default:
        return 0;
    }
}

int wi_builder_set(wi_builder *b, wi_property_id id, wi_span value, const wi_line *line)
{
    weir_record *record = owner_of(b, id);
    wi_outcome outcome = WI_REFUSED;
    weir_property old;

    if (record == NULL || b->clashes[id]) return record != NULL;
    if (may_be_cut(id, value, line)) {
        b->is_cut = 1;
        wi_note(&b->notes, "truncated: the text ends in line %zu, so %s is left out", line->number,
                wi_property_row_at(id)->name);
        return 1;
    }
    weir_record_get(record, id, &old);
    outcome = old.state == WEIR_PROPERTY_ABSENT ? wi_value_set(record, id, value)
                                                : set_again(b, record, id, value, line);
    if (outcome == WI_NO_MEMORY) fail(b, WEIR_E_HOST_MEMORY);
    if (outcome == WI_REFUSED) wi_builder_refuse(b, wi_property_row_at(id)->name, line);
    if (outcome != WI_TAKEN) return 0;
    if (id == WI_PROPERTY_EXTENSIONS) b->has_open_list = line->is_open;
    if (line->is_open && wi_property_row_at(id)->wire == WI_WIRE_TEXT)
        wi_note(&b->notes, "truncated: line %zu has no end, so %s may have lost its own",
                line->number, wi_property_row_at(id)->name);
    b->open_flags = WI_PROPERTY_COUNT;
    b->values++;
    if (old.is_platform) b->platforms[b->current].values++;
    return 1;
}

void wi_builder_set_number(wi_builder *b, wi_property_id id, uint64_t number, const wi_line *line)
{
    weir_record *record = owner_of(b, id);
    weir_property old;

    if (record == NULL || b->clashes[id]) return;
    weir_record_get(record, id, &old);
    if (old.state == WEIR_PROPERTY_VALUE && old.number != number &&
        wi_property_row_at(id)->kind != WEIR_PROPERTY_FLAGS) {
        clash(b, record, id, line);
        return;
    }
    weir_record_set_number(record, id, number);
    b->open_flags = WI_PROPERTY_COUNT;
    b->values++;
}

void wi_builder_begin_flags(wi_builder *b, wi_property_id id, const wi_line *line)
{
    weir_record *record = owner_of(b, id);
    weir_property old;

    if (record == NULL) return;
    weir_record_get(record, id, &old);
    if (old.state == WEIR_PROPERTY_ABSENT)
        wi_builder_set_number(b, id, 0, line);
    else
        clash(b, record, id, line);
    b->open_flags = id;
}

void wi_builder_set_bit(wi_builder *b, wi_property_id id, uint64_t bit, int yes)
{
    weir_record *record = b->has_device ? b->devices[b->device_count - 1] : NULL;
    weir_property old;

    if (record == NULL) return;
    weir_record_get(record, id, &old);
    if (old.state == WEIR_PROPERTY_VALUE)
        weir_record_set_number(record, id, yes ? old.number | bit : old.number);
    b->open_flags = id;
}

void wi_builder_spoil_flags(wi_builder *b, const wi_line *line)
{
    if (b->open_flags == WI_PROPERTY_COUNT || !b->has_device) return;
    weir_record_set_absent(b->devices[b->device_count - 1], b->open_flags);
    wi_builder_refuse(b, wi_property_row_at(b->open_flags)->name, line);
}

void wi_builder_odd_line(wi_builder *b, const wi_line *line)
{
    char quote[WI_QUOTE_BYTES];

    /* The command itself, behind whatever prompt, says nothing. */
    if (line->text.bytes == 0 || wi_span_find(line->text, "clinfo") < line->text.bytes) return;
    if (b->odd_lines++ < 3)
        wi_note(&b->notes, "line %zu is left out: \"%s\"", line->number,
                wi_span_quote(line->text, quote));
}

int wi_builder_is_death(wi_builder *b, const wi_line *line)
{
    static const char *const deaths[] = {
        "Segmentation fault", "segmentation fault", "core dumped", "Aborted", "Killed",
        "Bus error",          "Illegal instruction"};

    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++)
        if (wi_span_find(line->text, deaths[i]) < line->text.bytes) {
            b->death = line->text;
            return 1;
        }
    return 0;
}
