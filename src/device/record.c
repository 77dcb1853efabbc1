/* The record: one value a property, absent until a reader sets it.
 *
 * Values lie in an array in the table's order; texts are copies, everything else is inside. A record is filled by one
 * thread and not changed afterwards, so reading needs no lock.
 */
#include "device/record.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 8

typedef struct value {
    weir_property_state state;
    unsigned count;
    char *text; /* TEXT with a value; else NULL */
    uint64_t numbers[NUMBERS_MAX];
} value;

/* What is known of one device.
 *
 * Invariants: values[i].text != NULL only if row i is a TEXT in state VALUE; count <= 8; index is "platform.device". */
struct weir_record {
    unsigned platform;
    unsigned device;
    char index[24];
    value values[WI_PROPERTY_COUNT];
};

weir_status wi_record_create(weir_record **out)
{
    *out = wi_calloc(1, sizeof **out);
    if (*out == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "device record", "%zu bytes for a record", sizeof **out);
    wi_record_set_index(*out, 0, 0);
    return WEIR_OK;
}

void wi_record_destroy(weir_record *record)
{
    if (record == NULL) return;
    for (size_t id = 0; id < WI_PROPERTY_COUNT; id++) wi_free(record->values[id].text);
    wi_free(record);
}

void wi_record_set_index(weir_record *record, unsigned platform, unsigned device)
{
    record->platform = platform;
    record->device = device;
    snprintf(record->index, sizeof record->index, "%u.%u", platform, device);
}

static value *clear(weir_record *record, wi_property_id id, weir_property_state state)
{
    value *v = &record->values[id];

    wi_free(v->text);
    memset(v, 0, sizeof *v);
    v->state = state;
    return v;
}

static int is_control(char c) { return c != '\0' && ((unsigned char)c < 0x20 || c == 0x7f); }

weir_status wi_record_set_text(weir_record *record, wi_property_id id, const char *bytes,
                               size_t count)
{
    char *copy = NULL;

    while (count > 0 && (bytes[0] == ' ' || bytes[0] == '\t')) {
        bytes++;
        count--;
    }
    while (count > 0 && (bytes[count - 1] == '\0' || strchr(" \t\r\n", bytes[count - 1]) != NULL))
        count--;
    copy = wi_malloc(count + 1);
    if (copy == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "device record", "%zu bytes for %s", count + 1,
                       wi_property_row_at(id)->name);
    for (size_t i = 0; i < count; i++) copy[i] = (char)(is_control(bytes[i]) ? ' ' : bytes[i]);
    copy[count] = '\0';
    clear(record, id, WEIR_PROPERTY_VALUE)->text = copy;
    return WEIR_OK;
}

void wi_record_set_number(weir_record *record, wi_property_id id, uint64_t number)
{
    value *v = clear(record, id, WEIR_PROPERTY_VALUE);

    v->numbers[0] = wi_property_row_at(id)->kind == WEIR_PROPERTY_BOOL ? number != 0 : number;
}

void wi_record_set_numbers(weir_record *record, wi_property_id id, const uint64_t *numbers,
                           size_t count)
{
    value *v = clear(record, id, WEIR_PROPERTY_VALUE);

    v->count = (unsigned)(count < NUMBERS_MAX ? count : NUMBERS_MAX);
    for (unsigned i = 0; i < v->count; i++) v->numbers[i] = numbers[i];
}

void wi_record_set_na(weir_record *record, wi_property_id id)
{
    (void)clear(record, id, WEIR_PROPERTY_NA);
}

void wi_record_set_error(weir_record *record, wi_property_id id, int code)
{
    clear(record, id, WEIR_PROPERTY_ERROR)->numbers[0] = (uint64_t)(-(int64_t)code);
}

weir_status wi_record_copy_platform(weir_record *to, const weir_record *from)
{
    for (size_t i = 0; i < WI_PROPERTY_COUNT; i++) {
        wi_property_id id = (wi_property_id)i;
        const value *v = &from->values[i];

        if (!wi_property_row_at(i)->is_platform) continue;
        if (v->text != NULL) {
            weir_status status = wi_record_set_text(to, id, v->text, strlen(v->text));
            if (status != WEIR_OK) return status;
        } else {
            *clear(to, id, v->state) = *v;
        }
    }
    return WEIR_OK;
}

unsigned wi_record_get_platform_index(const weir_record *record) { return record->platform; }

unsigned wi_record_get_device_index(const weir_record *record) { return record->device; }

const char *wi_record_get_index(const weir_record *record) { return record->index; }

weir_property_state wi_record_get_state(const weir_record *record, wi_property_id id)
{
    return record->values[id].state;
}

const char *wi_record_get_text(const weir_record *record, wi_property_id id)
{
    return record->values[id].text != NULL ? record->values[id].text : "";
}

uint64_t wi_record_get_number(const weir_record *record, wi_property_id id, uint64_t otherwise)
{
    return record->values[id].state == WEIR_PROPERTY_VALUE ? record->values[id].numbers[0]
                                                           : otherwise;
}

unsigned wi_record_get_numbers(const weir_record *record, wi_property_id id, uint64_t out[8])
{
    memcpy(out, record->values[id].numbers, sizeof record->values[id].numbers);
    return record->values[id].count;
}

int wi_list_has(const char *list, const char *word)
{
    size_t bytes = strlen(word);

    for (const char *at = strstr(list, word); bytes > 0 && at != NULL; at = strstr(at + 1, word)) {
        int starts = at == list || at[-1] == ' ';
        int ends = at[bytes] == '\0' || at[bytes] == ' ';
        if (starts && ends) return 1;
    }
    return 0;
}

unsigned wi_version_parse(const char *text)
{
    static const char prefix[] = "OpenCL ";
    char *end = NULL;
    unsigned long major = 0;

    if (strncmp(text, prefix, sizeof prefix - 1) != 0) return 0;
    text += sizeof prefix - 1;
    if (text[0] < '1' || text[0] > '9') return 0;
    major = strtoul(text, &end, 10);
    if (major > 99 || end[0] != '.' || end[1] < '0' || end[1] > '9') return 0;
    return (unsigned)major * 100 + (unsigned)(end[1] - '0') * 10;
}

void weir_record_get(const weir_record *record, size_t i, weir_property *out)
{
    const wi_property_row *row = NULL;
    const value *v = NULL;

    if (out == NULL) return;
    memset(out, 0, sizeof *out);
    out->name = "";
    out->text = "";
    if (record == NULL || i >= WI_PROPERTY_COUNT) return;

    row = wi_property_row_at(i);
    v = &record->values[i];
    out->name = row->name;
    out->is_platform = row->is_platform;
    out->kind = row->kind;
    out->state = v->state;
    if (v->text != NULL) out->text = v->text;
    out->number =
        row->kind == WEIR_PROPERTY_NUMBERS && v->state == WEIR_PROPERTY_VALUE ? 0 : v->numbers[0];
    out->count = v->count;
    if (v->count > 0) memcpy(out->numbers, v->numbers, sizeof out->numbers);
}

int weir_record_find(const weir_record *record, const char *name, weir_property *out)
{
    size_t id = wi_property_find(name);

    weir_record_get(record, id, out);
    return record != NULL && id < WI_PROPERTY_COUNT;
}
