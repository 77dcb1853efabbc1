/* The record: one value a property, absent until a reader sets it.
 *
 * Values lie in an array in the table's order; texts are copies, everything else is inside. A record is filled by one
 * thread and not changed afterwards, so reading needs no lock.
 */
#include "device/record.h"

#include "base/memory.h"
#include "base/status.h"
#include "device/class.h"
#include "device/identity.h"

#include <weir/record.h>

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

void wi_record_set_absent(weir_record *record, wi_property_id id)
{
    (void)clear(record, id, WEIR_PROPERTY_ABSENT);
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

/* 1 if a property may hold values of these kinds; the sets of public setters. */
static int holds(const weir_record *record, size_t property, unsigned kinds)
{
    return record != NULL && property < WI_PROPERTY_COUNT &&
           (kinds >> wi_property_row_at(property)->kind & 1) != 0;
}

enum {
    SCALAR_KINDS = 1 << WEIR_PROPERTY_NUMBER | 1 << WEIR_PROPERTY_BOOL | 1 << WEIR_PROPERTY_FLAGS,
    ANY_KIND = SCALAR_KINDS | 1 << WEIR_PROPERTY_TEXT | 1 << WEIR_PROPERTY_NUMBERS
};

weir_status weir_record_create(weir_record **out)
{
    if (out == NULL) return wi_fail(WEIR_E_ARG, "weir_record_create", "out is required");
    return wi_record_create(out);
}

void weir_record_destroy(weir_record *record) { wi_record_destroy(record); }

void weir_record_set_index(weir_record *record, unsigned platform, unsigned device)
{
    if (record != NULL) wi_record_set_index(record, platform, device);
}

weir_status weir_record_set_text(weir_record *record, size_t property, const char *bytes,
                                 size_t count)
{
    if (!holds(record, property, 1 << WEIR_PROPERTY_TEXT) || (bytes == NULL && count > 0))
        return wi_fail(WEIR_E_ARG, "weir_record_set_text",
                       "a record, a property of kind text and its bytes are required");
    return wi_record_set_text(record, (wi_property_id)property, bytes, count);
}

void weir_record_set_number(weir_record *record, size_t property, uint64_t number)
{
    if (holds(record, property, SCALAR_KINDS))
        wi_record_set_number(record, (wi_property_id)property, number);
}

void weir_record_set_numbers(weir_record *record, size_t property, const uint64_t *numbers,
                             size_t count)
{
    if (holds(record, property, 1 << WEIR_PROPERTY_NUMBERS) && numbers != NULL)
        wi_record_set_numbers(record, (wi_property_id)property, numbers, count);
}

void weir_record_set_na(weir_record *record, size_t property)
{
    if (holds(record, property, ANY_KIND)) wi_record_set_na(record, (wi_property_id)property);
}

void weir_record_set_error(weir_record *record, size_t property, int code)
{
    if (holds(record, property, ANY_KIND) && code < 0)
        wi_record_set_error(record, (wi_property_id)property, code);
}

void weir_record_set_absent(weir_record *record, size_t property)
{
    if (holds(record, property, ANY_KIND)) wi_record_set_absent(record, (wi_property_id)property);
}

weir_status weir_record_copy_platform(weir_record *to, const weir_record *from)
{
    if (to == NULL || from == NULL)
        return wi_fail(WEIR_E_ARG, "weir_record_copy_platform", "both records are required");
    return wi_record_copy_platform(to, from);
}

const char *weir_record_get_index(const weir_record *record)
{
    return record != NULL ? record->index : "";
}

weir_device_class weir_record_get_class(const weir_record *record, const char **why)
{
    return wi_record_class(record, why);
}

char *weir_record_get_pci(const weir_record *record, char *buffer, size_t bytes)
{
    char text[WI_PCI_TEXT_BYTES] = "";
    wi_pci pci;

    if (record != NULL && wi_record_get_pci(record, &pci)) (void)wi_pci_format(&pci, text);
    if (bytes > 0) (void)snprintf(buffer, bytes, "%s", text);
    return buffer;
}
