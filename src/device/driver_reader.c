/* The live reader: asks a driver for every property of the table that it may be asked for.
 *
 * Version and extensions come first, since they decide what else may be asked; drivers answer unknown queries with
 * an error at best. A property that may not be asked stays absent. Numbers are read by the size the driver returns,
 * which is not always the size of the specification's type. No state.
 */
#include "device/driver_reader.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_query.h"

#include <stdio.h>
#include <string.h>

#define TOPOLOGY_BYTES 24
#define TOPOLOGY_BUS 21 /* after a type of 4 bytes and 17 unused ones */
#define UUID_BYTES_MAX 16

/* Of whom is asked. */
typedef struct driver {
    cl_platform_id platform;
    cl_device_id device; /* NULL: the platform */
} driver;

static weir_status ask(const driver *of, unsigned query, void **data, size_t *bytes, cl_int *code)
{
    if (of->device != NULL) return wi_cl_query_device(of->device, query, data, bytes, code);
    return wi_cl_query_platform(of->platform, query, data, bytes, code);
}

/* Reads element i of an array of unsigned numbers of `width` bytes: 1, 4 or 8. */
static uint64_t element(const unsigned char *data, size_t i, size_t width)
{
    uint32_t u32 = 0;
    uint64_t u64 = 0;

    if (width == 1) return data[i];
    if (width == sizeof u32) {
        memcpy(&u32, data + i * width, width);
        return u32;
    }
    memcpy(&u64, data + i * width, width);
    return u64;
}

static void set_array(weir_record *record, wi_property_id id, const unsigned char *data,
                      size_t count, size_t width)
{
    uint64_t numbers[8] = {0};

    if (count > 8) count = 8;
    for (size_t i = 0; i < count; i++) numbers[i] = element(data, i, width);
    wi_record_set_numbers(record, id, numbers, count);
}

/* "8680a056-0800-0000-0300-000000000000" for 16 bytes, "0000-000000000000" for the 8 of an LUID, as clinfo shows them. */
static weir_status set_uuid(weir_record *record, wi_property_id id, const unsigned char *data,
                            size_t bytes)
{
    char text[2 * UUID_BYTES_MAX + 5] = "";
    size_t at = 0;

    for (size_t i = 0; i < bytes && i < UUID_BYTES_MAX; i++) {
        int has_dash = bytes == UUID_BYTES_MAX ? i == 4 || i == 6 || i == 8 || i == 10 : i == 2;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%02x", has_dash ? "-" : "", data[i]);
    }
    return wi_record_set_text(record, id, text, at);
}

static weir_status set_choice(weir_record *record, wi_property_id id, uint64_t value)
{
    const char *name = wi_name_of(wi_property_row_at(id)->names, value);
    char number[32];

    if (name == NULL) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)value);
        name = number;
    }
    return wi_record_set_text(record, id, name, strlen(name));
}

/* One unsigned number in any of the wires that hold one. */
static weir_status set_scalar(weir_record *record, wi_property_id id, const unsigned char *data,
                              size_t bytes)
{
    wi_wire wire = wi_property_row_at(id)->wire;
    uint64_t value = 0;

    if (bytes != 4 && bytes != 8) {
        wi_record_set_error(record, id, CL_INVALID_VALUE);
        return WEIR_OK;
    }
    value = element(data, 0, bytes);
    if (wire == WI_WIRE_CHOICE) return set_choice(record, id, value);
    if (wire == WI_WIRE_FP_CONFIG && value == 0)
        wi_record_set_na(record, id);
    else
        wi_record_set_number(record, id, value);
    return WEIR_OK;
}

static weir_status decode(weir_record *record, wi_property_id id, const unsigned char *data,
                          size_t bytes)
{
    switch (wi_property_row_at(id)->wire) {
    case WI_WIRE_TEXT:
        return wi_record_set_text(record, id, (const char *)data, bytes);
    case WI_WIRE_UUID:
        return set_uuid(record, id, data, bytes);
    case WI_WIRE_SIZES:
        set_array(record, id, data, bytes / sizeof(size_t), sizeof(size_t));
        return WEIR_OK;
    case WI_WIRE_WORDS:
        set_array(record, id, data, bytes / sizeof(cl_uint), sizeof(cl_uint));
        return WEIR_OK;
    case WI_WIRE_TOPOLOGY:
        if (bytes >= TOPOLOGY_BYTES)
            set_array(record, id, data + TOPOLOGY_BUS, 3, 1);
        else
            wi_record_set_error(record, id, CL_INVALID_VALUE);
        return WEIR_OK;
    case WI_WIRE_NUMBER:
    case WI_WIRE_BOOL:
    case WI_WIRE_FLAGS:
    case WI_WIRE_FP_CONFIG:
    case WI_WIRE_CHOICE:
        return set_scalar(record, id, data, bytes);
    }
    return WEIR_OK;
}

static weir_status read_property(const driver *of, weir_record *record, wi_property_id id)
{
    void *data = NULL;
    size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    weir_status status = ask(of, wi_property_row_at(id)->query, &data, &bytes, &code);

    if (status != WEIR_OK) return status;
    if (code != CL_SUCCESS)
        wi_record_set_error(record, id, code);
    else
        status = decode(record, id, data, bytes);
    wi_free(data);
    return status;
}

/* Reads every row of one scope that is not set yet and may be asked. */
static weir_status read_scope(const driver *of, weir_record *record, unsigned version,
                              const char *extensions)
{
    int is_platform = of->device == NULL;
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < WI_PROPERTY_COUNT && status == WEIR_OK; i++) {
        wi_property_id id = (wi_property_id)i;
        const wi_property_row *row = wi_property_row_at(i);
        int may_ask = (row->version != 0 && version >= row->version) ||
                      wi_list_has(extensions, row->extension);

        if (row->is_platform != is_platform ||
            wi_record_get_state(record, id) != WEIR_PROPERTY_ABSENT)
            continue;
        if (may_ask)
            status = read_property(of, record, id);
        else if (row->wire == WI_WIRE_FP_CONFIG)
            wi_record_set_na(record, id);
    }
    return status;
}

static weir_status read_all(const driver *of, weir_record *record, wi_property_id version,
                            wi_property_id extensions)
{
    weir_status status = read_property(of, record, version);
    unsigned number = 0;

    if (status == WEIR_OK) status = read_property(of, record, extensions);
    if (status != WEIR_OK) return status;
    number = wi_version_parse(wi_record_get_text(record, version));
    if (number == 0) number = 100;
    return read_scope(of, record, number, wi_record_get_text(record, extensions));
}

weir_status wi_platform_read(cl_platform_id platform, unsigned index, weir_record **out)
{
    const driver of = {platform, NULL};
    weir_record *record = NULL;
    weir_status status = WEIR_OK;

    *out = NULL;
    status = wi_record_create(&record);
    if (status != WEIR_OK) return status;
    wi_record_set_index(record, index, 0);
    status = read_all(&of, record, WI_PROPERTY_PLATFORM_VERSION, WI_PROPERTY_PLATFORM_EXTENSIONS);
    if (status == WEIR_OK)
        *out = record;
    else
        wi_record_destroy(record);
    return status;
}

weir_status wi_device_read(cl_device_id device, const weir_record *platform, unsigned index,
                           weir_record **out)
{
    const driver of = {NULL, device};
    weir_record *record = NULL;
    weir_status status = WEIR_OK;

    *out = NULL;
    status = wi_record_create(&record);
    if (status != WEIR_OK) return status;
    wi_record_set_index(record, wi_record_get_platform_index(platform), index);
    status = wi_record_copy_platform(record, platform);
    if (status == WEIR_OK)
        status = read_all(&of, record, WI_PROPERTY_VERSION, WI_PROPERTY_EXTENSIONS);
    if (status == WEIR_OK)
        *out = record;
    else
        wi_record_destroy(record);
    return status;
}
