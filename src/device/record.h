/* The record of one device, and how a reader fills it.
 *
 * A reader (of the driver, or of a text) makes an empty record, in which every property is absent, and sets what it
 * finds. Nothing here asks a driver.
 */
#ifndef WI_DEVICE_RECORD_H
#define WI_DEVICE_RECORD_H

#include "device/property_list.h"

#include <weir/property.h>
#include <weir/status.h>

typedef enum wi_property_id {
#define WI_PROPERTY_ENUM(Id, Name, Query, Scope, Kind, Wire, Version, Extension, Names) \
    WI_PROPERTY_##Id,
    WI_PROPERTY_LIST(WI_PROPERTY_ENUM)
#undef WI_PROPERTY_ENUM
        WI_PROPERTY_COUNT
} wi_property_id;

/* How a driver lays a value out. */
typedef enum wi_wire {
    WI_WIRE_TEXT,
    WI_WIRE_NUMBER,    /* one unsigned number of 4 or 8 bytes */
    WI_WIRE_BOOL,      /* the same, not zero is 1 */
    WI_WIRE_FLAGS,     /* the same, as bits */
    WI_WIRE_FP_CONFIG, /* the same; 0, or a device that may not be asked, says "not supported": n/a */
    WI_WIRE_CHOICE,    /* the same, shown as one name */
    WI_WIRE_SIZES,     /* size_t each */
    WI_WIRE_WORDS,     /* cl_uint each */
    WI_WIRE_TOPOLOGY, /* AMD's union of 24 bytes; read as bus, device, function */
    WI_WIRE_UUID      /* bytes, shown as hexadecimal digits */
} wi_wire;

/* A bit or value and its name; a table ends with a NULL name. */
typedef struct wi_name {
    uint64_t value;
    const char *name;
} wi_name;

/* One row of the table. */
typedef struct wi_property_row {
    const char *name;
    unsigned query;
    int is_platform;
    weir_property_kind kind;
    wi_wire wire;
    unsigned version;
    const char *extension;
    const wi_name *names; /* NULL: none */
} wi_property_row;

/** Returns the row of a property; `id` < WI_PROPERTY_COUNT. */
const wi_property_row *wi_property_row_at(size_t id);

/** Finds a row: "name" is the device's, "platform.name" the platform's. WI_PROPERTY_COUNT if there is none. */
size_t wi_property_find(const char *name);

/** Finds the name of a value, NULL if the table has none. */
const char *wi_name_of(const wi_name *names, uint64_t value);

/** Makes a record without any property. Errors: HOST_MEMORY. */
weir_status wi_record_create(weir_record **out);

/** NULL is allowed. */
void wi_record_destroy(weir_record *record);

/** Sets platform and device number. */
void wi_record_set_index(weir_record *record, unsigned platform, unsigned device);

/** Sets a TEXT from bytes; blanks around it and trailing zero bytes are left out, since texts about devices do not keep
 * them, and control characters become blanks, since texts end on terminals. Errors: HOST_MEMORY. */
weir_status wi_record_set_text(weir_record *record, wi_property_id id, const char *bytes,
                               size_t count);

/** Sets a NUMBER, BOOL (not zero is 1) or FLAGS. */
void wi_record_set_number(weir_record *record, wi_property_id id, uint64_t number);

/** Sets NUMBERS; the first 8 are kept. */
void wi_record_set_numbers(weir_record *record, wi_property_id id, const uint64_t *numbers,
                           size_t count);

void wi_record_set_na(weir_record *record, wi_property_id id);

/** Sets the OpenCL code of a query that failed; `code` < 0. */
void wi_record_set_error(weir_record *record, wi_property_id id, int code);

void wi_record_set_absent(weir_record *record, wi_property_id id);

/** Copies the platform's properties. Errors: HOST_MEMORY. */
weir_status wi_record_copy_platform(weir_record *to, const weir_record *from);

unsigned wi_record_get_platform_index(const weir_record *record);
unsigned wi_record_get_device_index(const weir_record *record);

/** "p.d" */
const char *wi_record_get_index(const weir_record *record);

weir_property_state wi_record_get_state(const weir_record *record, wi_property_id id);

/** The text; "" if there is none. */
const char *wi_record_get_text(const weir_record *record, wi_property_id id);

/** The number; `otherwise` if there is none. */
uint64_t wi_record_get_number(const weir_record *record, wi_property_id id, uint64_t otherwise);

/** Copies up to 8 numbers to `out`; returns how many there are. */
unsigned wi_record_get_numbers(const weir_record *record, wi_property_id id, uint64_t out[8]);

/** 1 if the blank-separated list `list` has the word `word`. */
int wi_list_has(const char *list, const char *word);

/** Reads "OpenCL 1.2 ..." as 120; 0 if it cannot be read. */
unsigned wi_version_parse(const char *text);

#endif
