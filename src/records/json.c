/* `clinfo --json` and weir's own records.
 *
 * clinfo has a list of platforms and, beside it, a list of their devices; weir a list of records, each with its platform
 * inside. Members are named by OpenCL's queries or by properties; a value is read by its JSON type and the property's
 * kind. Members that are not known are ignored. One thread.
 */
#include "records/json_text.h"
#include "records/query.h"
#include "records/reader.h"

#include <jansson.h>
#include <string.h>

/* What is read into. */
typedef struct json_target {
    wi_builder *builder;
    wi_query_index queries;
    wi_line line; /* the output's first line, for notes; its text is the member's name */
} json_target;

size_t wi_json_end(const wi_lines *lines, size_t from)
{
    return from + wi_json_text_bytes(lines->memory + from, lines->bytes - from);
}

static weir_record *record_of(json_target *to, wi_property_id id)
{
    wi_builder *b = to->builder;

    if (!wi_property_row_at(id)->is_platform) return wi_builder_device(b);
    return b->current < b->platform_count ? b->platforms[b->current].record : NULL;
}

static int set_text(json_target *to, wi_property_id id, const json_t *value)
{
    wi_span text = {json_string_value(value), json_string_length(value)};

    (void)wi_builder_set(to->builder, id, text, &to->line);
    return 1;
}

static int set_whole(json_target *to, wi_property_id id, json_int_t number)
{
    weir_property_kind kind = wi_property_row_at(id)->kind;

    if (number < 0 || kind == WEIR_PROPERTY_TEXT || kind == WEIR_PROPERTY_NUMBERS) return 0;
    wi_builder_set_number(to->builder, id, (uint64_t)number, &to->line);
    return 1;
}

/* A whole number that somebody's program wrote with an exponent. */
static int set_real(json_target *to, wi_property_id id, double number)
{
    if (wi_property_row_at(id)->kind != WEIR_PROPERTY_NUMBER) return 0;
    if (!(number >= 0 && number <= 18446744073709551615.0)) return 0;
    wi_builder_set_number(to->builder, id,
                          number >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)number,
                          &to->line);
    return 1;
}

/* An integer, or digits in quotes. */
static int read_whole(const json_t *value, uint64_t *out)
{
    wi_span text = {json_string_value(value), json_string_length(value)};

    if (json_is_string(value)) return wi_span_number(&text, out) && text.bytes == 0;
    *out = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static int set_numbers(json_target *to, wi_property_id id, json_t *list)
{
    weir_record *record = record_of(to, id);
    uint64_t numbers[8];
    size_t count = 0;

    for (; count < json_array_size(list); count++) {
        json_t *each = json_array_get(list, count);

        if (count == 8 || !read_whole(each, &numbers[count])) return 0;
    }
    if (record != NULL) weir_record_set_numbers(record, id, numbers, count);
    to->builder->values++;
    return 1;
}

/* A list of the names of bits. */
static int set_names(json_target *to, wi_property_id id, json_t *list)
{
    uint64_t all = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *each = json_array_get(list, i);
        wi_span name = {json_string_value(each), json_string_length(each)};
        uint64_t bits = 0;

        if (!json_is_string(each) || !wi_value_flags(name, id, &bits)) return 0;
        all |= bits;
    }
    wi_builder_set_number(to->builder, id, all, &to->line);
    return 1;
}

static int set_list(json_target *to, wi_property_id id, json_t *list)
{
    weir_property_kind kind = wi_property_row_at(id)->kind;

    if (kind == WEIR_PROPERTY_NUMBERS) return set_numbers(to, id, list);
    return kind == WEIR_PROPERTY_FLAGS && set_names(to, id, list);
}

/* {"raw": 3, "type": [...]}, {" raw ": ..., "version": ...}, {"error": "-30"} */
static int set_object(json_target *to, wi_property_id id, json_t *object)
{
    json_t *error = json_object_get(object, "error");
    json_t *raw = json_object_get(object, "raw");
    wi_span code = {json_string_value(error), json_string_length(error)};
    uint64_t number = 0;
    weir_record *record = NULL;

    if (raw == NULL) raw = json_object_get(object, " raw ");
    if (json_is_integer(raw)) return set_whole(to, id, json_integer_value(raw));
    if (!json_is_string(error) || !wi_span_starts(code, "-")) return 0;
    code = wi_span_skip(code, 1);
    if (!wi_span_number(&code, &number) || number == 0 || number > 100000) return 0;
    record = record_of(to, id);
    if (record != NULL) weir_record_set_error(record, id, -(int)number);
    return 1;
}

static void set_member(json_target *to, size_t id, const char *name, json_t *value)
{
    wi_property_id property = (wi_property_id)id;
    weir_record *record = NULL;
    int is_taken = 0;

    if (id == WI_PROPERTY_COUNT) return;
    to->line.text = wi_span_of(name);
    switch (json_typeof(value)) {
    case JSON_NULL:
        record = record_of(to, property);
        if (record != NULL) weir_record_set_na(record, property);
        return;
    case JSON_STRING:
        is_taken = set_text(to, property, value);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        is_taken = wi_property_row_at(id)->kind == WEIR_PROPERTY_BOOL &&
                   set_whole(to, property, json_is_true(value));
        break;
    case JSON_INTEGER:
        is_taken = set_whole(to, property, json_integer_value(value));
        break;
    case JSON_REAL:
        is_taken = set_real(to, property, json_real_value(value));
        break;
    case JSON_ARRAY:
        is_taken = set_list(to, property, value);
        break;
    case JSON_OBJECT:
        is_taken = set_object(to, property, value);
        break;
    }
    if (!is_taken) wi_builder_refuse(to->builder, wi_property_row_at(id)->name, &to->line);
}

static void read_queries(json_target *to, json_t *object)
{
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        const char *name = json_object_iter_key(at);

        set_member(to, wi_query_find(&to->queries, wi_span_of(name)), name,
                   json_object_iter_value(at));
    }
}

static void read_clinfo(json_target *to, json_t *root)
{
    json_t *platforms = json_object_get(root, "platforms");
    json_t *devices = json_object_get(root, "devices");
    size_t count = json_array_size(platforms);

    wi_builder_announce_platforms(to->builder, count);
    for (size_t i = 0; i < count && to->builder->status == WEIR_OK; i++) {
        wi_builder_begin_platform(to->builder);
        read_queries(to, json_array_get(platforms, i));
    }
    for (size_t i = 0; i < json_array_size(devices) && i < to->builder->platform_count; i++) {
        json_t *online = json_object_get(json_array_get(devices, i), "online");

        to->builder->current = i;
        to->builder->platforms[i].announced = json_array_size(online);
        for (size_t k = 0; k < json_array_size(online) && to->builder->status == WEIR_OK; k++) {
            wi_builder_begin_device(to->builder);
            read_queries(to, json_array_get(online, k));
        }
        wi_builder_end_device(to->builder);
    }
}

static void read_properties(json_target *to, json_t *object, int is_platform)
{
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        const char *name = json_object_iter_key(at);

        set_member(to, wi_query_find_name(&to->queries, is_platform, wi_span_of(name)), name,
                   json_object_iter_value(at));
    }
}

/* Reads "p.d"; without it records are numbered as they come. */
static void read_index(json_t *record, uint64_t *platform, uint64_t *device)
{
    json_t *index = json_object_get(record, "index");
    wi_span text = {json_string_value(index), json_string_length(index)};
    uint64_t p = 0;
    uint64_t d = 0;

    if (!json_is_string(index) || !wi_span_number(&text, &p) || !wi_span_starts(text, ".")) return;
    text = wi_span_skip(text, 1);
    if (!wi_span_number(&text, &d) || text.bytes > 0 || p >= WI_DEVICES_MAX || d >= WI_DEVICES_MAX)
        return;
    *platform = p;
    *device = d;
}

static void read_weir_record(json_target *to, json_t *record)
{
    wi_builder *b = to->builder;
    uint64_t platform = b->current == SIZE_MAX ? 0 : b->current;
    uint64_t device = b->current == SIZE_MAX ? 0 : b->platforms[b->current].shown;
    weir_record *made = NULL;

    read_index(record, &platform, &device);
    while (b->platform_count <= platform && b->status == WEIR_OK) wi_builder_begin_platform(b);
    if (b->status != WEIR_OK) return;
    b->current = (size_t)platform;
    wi_builder_begin_device(b);
    made = b->has_device ? wi_builder_device(b) : NULL;
    if (made == NULL) return;
    read_properties(to, json_object_get(record, "platform"), 1);
    read_properties(to, record, 0);
    weir_record_set_index(made, (unsigned)platform, (unsigned)device);
}

static void read_weir(json_target *to, json_t *root)
{
    wi_builder *b = to->builder;
    json_t *records = json_object_get(root, "records");
    json_t *warnings = json_object_get(root, "warnings");

    for (size_t i = 0; i < json_array_size(records) && b->status == WEIR_OK; i++)
        read_weir_record(to, json_array_get(records, i));
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text != NULL) wi_note(&b->notes, "%s", text);
    }
    b->announced = b->platform_count;
    for (size_t i = 0; i < b->platform_count; i++)
        b->platforms[i].announced = b->platforms[i].shown;
}

void wi_json_read(const wi_readers *readers, const wi_lines *lines, wi_part part,
                  wi_builder *builder)
{
    json_target to = {.builder = builder, .line = {.number = part.line + 1}};
    wi_json_text text;
    json_error_t error;
    json_t *root = NULL;

    (void)readers;
    builder->status = wi_json_text_create(lines->memory + part.from, part.to - part.from, &text);
    if (builder->status != WEIR_OK) return;
    wi_query_index_make(&to.queries);
    root = json_loadb(text.memory, text.bytes, 0, &error);
    /* The parser has no words for most allocations that fail. */
    if (root == NULL &&
        (error.text[0] == '\0' || json_error_code(&error) == json_error_out_of_memory)) {
        builder->status = weir_error_set(WEIR_E_HOST_MEMORY, "weir_records_read", NULL,
                                         "no memory to parse %zu bytes of JSON", text.bytes);
    } else if (root == NULL) {
        wi_note(&builder->notes, "line %zu: not valid JSON: %.100s",
                part.line + (size_t)(error.line > 0 ? error.line : 1), error.text);
        builder->is_cut = 1;
    } else if (json_object_get(root, "records") != NULL) {
        read_weir(&to, root);
    } else {
        read_clinfo(&to, root);
    }
    if (text.is_cut) {
        wi_note(&builder->notes, "truncated: the JSON ends before its last bracket");
        builder->is_cut = 1;
    }
    if (text.pointers > 0)
        wi_note(&builder->notes, "%zu hexadecimal numbers, which JSON does not have, are left out",
                text.pointers);
    json_decref(root);
    wi_json_text_destroy(&text);
    builder->is_ended = 1;
    wi_builder_finish(builder);
}
