/* One JSON member a property, by the property's kind. The table of properties is the library's, so a new row there is a
 * new member here. One thread. */
#include "device_json.h"

#include "output.h"

#include <inttypes.h>
#include <stdio.h>

/* Most readers of JSON round integers above 2^63, so those are strings of digits. */
static json_t *number_json(uint64_t number)
{
    char digits[24];

    if (number <= INT64_MAX) return json_integer((json_int_t)number);
    (void)snprintf(digits, sizeof digits, "%" PRIu64, number);
    return json_string(digits);
}

static json_t *numbers_json(const weir_property *property)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < property->count; i++)
        if (json_array_append_new(list, number_json(property->numbers[i])) != 0) break;
    return list;
}

static json_t *flags_json(const weir_property *property)
{
    json_t *list = json_array();

    for (unsigned bit = 0; bit < 64; bit++) {
        const char *name = weir_property_flag_name(property->name, bit);
        char number[24];

        if ((property->number >> bit & 1) == 0) continue;
        (void)snprintf(number, sizeof number, "0x%" PRIx64, (uint64_t)1 << bit);
        if (json_array_append_new(list, json_string(name != NULL ? name : number)) != 0) break;
    }
    return list;
}

static json_t *value_json(const weir_property *property)
{
    switch (property->kind) {
    case WEIR_PROPERTY_TEXT:
        return output_text(property->text);
    case WEIR_PROPERTY_NUMBER:
        return number_json(property->number);
    case WEIR_PROPERTY_NUMBERS:
        return numbers_json(property);
    case WEIR_PROPERTY_BOOL:
        return json_boolean(property->number != 0);
    case WEIR_PROPERTY_FLAGS:
        return flags_json(property);
    }
    return NULL;
}

static json_t *property_json(const weir_property *property)
{
    char code[24];

    if (property->state == WEIR_PROPERTY_NA) return json_null();
    if (property->state == WEIR_PROPERTY_VALUE) return value_json(property);
    (void)snprintf(code, sizeof code, "-%" PRIu64, property->number);
    return json_pack("{s:s}", "error", code);
}

json_t *device_json_quirks(const weir_record *record)
{
    json_t *list = json_array();
    weir_quirk quirk;

    for (size_t i = 0; list != NULL && weir_record_get_quirk(record, i, &quirk); i++) {
        if (json_array_append_new(list, json_pack("{s:s, s:s++, s:s}", "name", quirk.name, "effect",
                                                  quirk.effect, ": ", quirk.reason, "report",
                                                  quirk.report)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

json_t *device_json(const weir_record *record)
{
    json_t *root = json_pack("{s:s, s:{}, s:s}", "index", weir_record_get_index(record), "platform",
                             "class", weir_device_class_name(weir_record_get_class(record, NULL)));
    json_t *platform = json_object_get(root, "platform");

    for (size_t i = 0; i < weir_property_count() && root != NULL; i++) {
        weir_property property;

        weir_record_get(record, i, &property);
        if (property.state == WEIR_PROPERTY_ABSENT) continue;
        if (json_object_set_new(property.is_platform ? platform : root, property.name,
                                property_json(&property)) != 0) {
            json_decref(root);
            root = NULL;
        }
    }
    if (root != NULL && json_object_set_new(root, "quirks", device_json_quirks(record)) != 0) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

/* Takes the references of both lists; `is_whole` 0 if one of them lacks entries for want of memory. */
static json_t *listing(const char *source, json_t *records, json_t *warnings, int is_whole)
{
    if (!is_whole) {
        json_decref(records);
        json_decref(warnings);
        return NULL;
    }
    return json_pack("{s:o, s:o, s:o}", "source", output_text(source), "records", records,
                     "warnings", warnings);
}

json_t *device_json_system(const weir_system *system)
{
    json_t *records = json_array();
    json_t *warnings = json_array();
    int is_whole = 1;

    for (size_t i = 0; i < weir_system_count(system) && is_whole; i++)
        is_whole =
            json_array_append_new(
                records, device_json(weir_device_get_record(weir_system_device(system, i)))) == 0;
    for (size_t i = 0; weir_system_warning(system, i) != NULL && is_whole; i++)
        is_whole =
            json_array_append_new(warnings, output_text(weir_system_warning(system, i))) == 0;
    return listing("live", records, warnings, is_whole);
}

json_t *device_json_records(const weir_records *texts)
{
    json_t *records = json_array();
    json_t *warnings = json_array();
    int is_whole = 1;

    for (size_t i = 0; i < weir_records_count(texts) && is_whole; i++)
        is_whole = json_array_append_new(records, device_json(weir_records_get(texts, i))) == 0;
    for (size_t i = 0; weir_records_get_warning(texts, i) != NULL && is_whole; i++)
        is_whole =
            json_array_append_new(warnings, output_text(weir_records_get_warning(texts, i))) == 0;
    return listing(weir_records_get_source(texts), records, warnings, is_whole);
}
