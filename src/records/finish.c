/* The end of an output: what is missing is said, and what follows from other properties is filled in. */
#include "records/builder.h"

#include <string.h>

static int list_has(const char *list, const char *word)
{
    wi_span rest = wi_span_of(list);

    while (rest.bytes > 0) {
        size_t end = wi_span_find_byte(rest, ' ');
        wi_span each = {rest.at, end};

        if (wi_span_is(each, word)) return 1;
        rest = wi_span_skip(rest, end + 1);
    }
    return 0;
}

/* The live reader says n/a of floating-point support that a device does not have. --raw, --json and AMD's program leave
 * the line out, but their list of extensions tells. */
static void complete_fp(weir_record *record)
{
    static const struct {
        wi_property_id id;
        const char *extension;
    } rows[] = {{WI_PROPERTY_HALF_FP_CONFIG, "cl_khr_fp16"},
                {WI_PROPERTY_DOUBLE_FP_CONFIG, "cl_khr_fp64"}};
    weir_property extensions;
    weir_property config;

    weir_record_get(record, WI_PROPERTY_EXTENSIONS, &extensions);
    if (extensions.state != WEIR_PROPERTY_VALUE) return;
    /* A damaged list may have lost the very one. */
    if (!wi_span_is_plain(wi_span_of(extensions.text))) return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_record_get(record, rows[i].id, &config);
        if (config.state == WEIR_PROPERTY_ABSENT && !list_has(extensions.text, rows[i].extension))
            weir_record_set_na(record, rows[i].id);
    }
}

static const char *text_of(const weir_record *record, wi_property_id id)
{
    weir_property property;

    weir_record_get(record, id, &property);
    return property.state == WEIR_PROPERTY_VALUE ? property.text : "";
}

/* A platform named once more at the very end of a text that breaks off there. */
static void drop_cut_naming(wi_builder *b)
{
    size_t last = b->platform_count - 1;

    while (b->platform_count > 0 && b->announced != WI_ANNOUNCED_NONE &&
           b->platform_count > b->announced && b->platforms[last].values <= 1 &&
           b->platforms[last].shown == 0 && b->platforms[last].announced == WI_ANNOUNCED_NONE) {
        weir_record_destroy(b->platforms[last].record);
        b->platform_count--;
        last--;
        b->is_cut = 1;
    }
}

static void note_platforms(wi_builder *b)
{
    const char *name = "";

    if (b->announced != WI_ANNOUNCED_NONE && b->announced > b->platform_count)
        wi_note(&b->notes, "truncated: %zu platforms announced, %zu shown", b->announced,
                b->platform_count);
    else if (b->announced != WI_ANNOUNCED_NONE && b->announced < b->platform_count)
        wi_note(&b->notes, "%zu platforms announced, but %zu shown", b->announced,
                b->platform_count);
    for (size_t i = 0; i < b->platform_count; i++) {
        const wi_text_platform *platform = &b->platforms[i];

        name = text_of(platform->record, WI_PROPERTY_PLATFORM_NAME);
        if (platform->announced == 0 && platform->shown == 0 && platform->values > 0)
            wi_note(&b->notes, "platform %zu (%.80s) has no devices", i, name);
        else if (platform->announced != WI_ANNOUNCED_NONE && platform->announced > platform->shown)
            wi_note(&b->notes, "truncated: platform %zu (%.80s) announces %zu devices, %zu shown",
                    i, name, platform->announced, platform->shown);
        else if (platform->announced == WI_ANNOUNCED_NONE && platform->shown == 0)
            wi_note(&b->notes,
                    "truncated: the text ends before the devices of platform %zu (%.80s)", i, name);
    }
    if (b->death.bytes > 0) {
        char quote[WI_QUOTE_BYTES];

        wi_note(&b->notes, "truncated: the program died (\"%s\"); suspect: the driver of %.80s",
                wi_span_quote(b->death, quote),
                name[0] != '\0' ? name : "the platform after the last");
        b->is_cut = 1;
    }
}

/* Signs in a device's own lines that it is not sound. */
static void note_device(wi_builder *b, const weir_record *record)
{
    const char *log = text_of(record, WI_PROPERTY_BUILD_LOG);
    const char *index = weir_record_get_index(record);
    weir_property multiple;

    weir_record_get(record, WI_PROPERTY_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, &multiple);
    if (log[0] != '\0')
        wi_note(&b->notes, "%s: the driver could not build a kernel; its log says: %.160s", index,
                log);
    else if (multiple.state == WEIR_PROPERTY_ERROR)
        wi_note(&b->notes, "%s: the driver could not build a kernel (error -%llu)", index,
                (unsigned long long)multiple.number);
    if (strcmp(text_of(record, WI_PROPERTY_PROFILE), "EMBEDDED_PROFILE") == 0)
        wi_note(&b->notes, "%s: embedded profile: limits may be lower and rounding looser", index);
}

/* The text ends between the lines of a bit set: bits may be missing. */
static void drop_open_flags(wi_builder *b)
{
    if (b->open_flags == WI_PROPERTY_COUNT || b->device_count == 0) return;
    weir_record_set_absent(b->devices[b->device_count - 1], b->open_flags);
    wi_note(&b->notes, "truncated: the text ends inside %s, which is left out",
            wi_property_row_at(b->open_flags)->name);
}

/* Sizes of which lines were lost are no sizes. */
static void drop_short_sizes(wi_builder *b, weir_record *record)
{
    weir_property dimensions;
    weir_property sizes;

    weir_record_get(record, WI_PROPERTY_MAX_WORK_ITEM_DIMENSIONS, &dimensions);
    weir_record_get(record, WI_PROPERTY_MAX_WORK_ITEM_SIZES, &sizes);
    if (dimensions.state != WEIR_PROPERTY_VALUE || sizes.state != WEIR_PROPERTY_VALUE ||
        sizes.count == 8 || sizes.count >= dimensions.number)
        return;
    weir_record_set_absent(record, WI_PROPERTY_MAX_WORK_ITEM_SIZES);
    wi_note(&b->notes,
            "%s: %u of %llu work-item sizes are left out, since the others are not shown",
            weir_record_get_index(record), sizes.count, (unsigned long long)dimensions.number);
}

/* Every program says the extensions of a device last. */
static void note_open_device(wi_builder *b)
{
    weir_property extensions;

    if (b->is_ended || !b->has_device) return;
    weir_record_get(b->devices[b->device_count - 1], WI_PROPERTY_EXTENSIONS, &extensions);
    if (extensions.state != WEIR_PROPERTY_ABSENT) return;
    wi_note(&b->notes,
            "truncated: the text ends before the extensions of %s, which stand last; more may be "
            "missing",
            weir_record_get_index(b->devices[b->device_count - 1]));
    b->is_cut = 1;
}

void wi_builder_finish(wi_builder *b)
{
    drop_cut_naming(b);
    drop_open_flags(b);
    note_open_device(b);
    for (size_t i = 0; i < b->device_count; i++) {
        weir_property property;
        size_t platform = 0;

        /* The index has the platform's number in front of the point. */
        wi_span index = wi_span_of(weir_record_get_index(b->devices[i]));
        uint64_t number = 0;

        if (wi_span_number(&index, &number)) platform = (size_t)number;
        if (platform < b->platform_count &&
            weir_record_copy_platform(b->devices[i], b->platforms[platform].record) != WEIR_OK)
            b->status = WEIR_E_HOST_MEMORY;
        if (i + 1 < b->device_count || !b->has_open_list) complete_fp(b->devices[i]);
        drop_short_sizes(b, b->devices[i]);
        note_device(b, b->devices[i]);
        weir_record_get(b->devices[i], WI_PROPERTY_NAME, &property);
        if (property.state == WEIR_PROPERTY_ABSENT)
            wi_note(&b->notes, "%s: the text does not show its name",
                    weir_record_get_index(b->devices[i]));
    }
    note_platforms(b);
    if (b->odd_lines > 3)
        wi_note(&b->notes, "%zu more lines are left out that are not of this format",
                b->odd_lines - 3);
    if (b->refused > 3) wi_note(&b->notes, "%zu more values are left out", b->refused - 3);
}

int wi_builder_rank(const wi_builder *b)
{
    int is_whole =
        b->announced != WI_ANNOUNCED_NONE && b->announced == b->platform_count && !b->is_cut;

    for (size_t i = 0; i < b->platform_count && is_whole; i++)
        is_whole = b->platforms[i].announced == b->platforms[i].shown;
    if (is_whole) return 3;
    if (b->device_count > 0) return 2;
    return b->platform_count > 0 || b->announced != WI_ANNOUNCED_NONE;
}
