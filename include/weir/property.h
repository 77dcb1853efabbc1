/* Properties of a device as the driver, or a text about it, states them: absent, error and n/a are kept apart.
 *
 * Names are OpenCL's queries in lower case without CL_DEVICE_ or CL_PLATFORM_, numbers in the query's own unit
 * (mem_base_addr_align is in bits).
 */
#ifndef WEIR_PROPERTY_H
#define WEIR_PROPERTY_H

#include <weir/export.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

typedef struct weir_record weir_record;

typedef enum weir_property_state {
    WEIR_PROPERTY_ABSENT = 0, /* nothing is said of it */
    WEIR_PROPERTY_VALUE,      /* a value is there */
    WEIR_PROPERTY_NA,         /* said to not apply */
    WEIR_PROPERTY_ERROR       /* the query failed; the number is the OpenCL code */
} weir_property_state;

typedef enum weir_property_kind {
    WEIR_PROPERTY_TEXT = 0,
    WEIR_PROPERTY_NUMBER,  /* one unsigned number */
    WEIR_PROPERTY_NUMBERS, /* up to 8 unsigned numbers */
    WEIR_PROPERTY_BOOL,    /* 0 or 1 */
    WEIR_PROPERTY_FLAGS    /* a bit set, shown as a list of names */
} weir_property_kind;

/* One property of a record. Pointers are valid as long as the record. */
typedef struct weir_property {
    const char *name; /* "global_mem_size" */
    int is_platform;  /* 1: belongs to the platform */
    weir_property_kind kind;
    weir_property_state state;
    const char *text;    /* TEXT: the value, never NULL; else "" */
    uint64_t number;     /* NUMBER, BOOL, FLAGS: the value; ERROR: the magnitude of the code, 30 for -30 */
    unsigned count;      /* NUMBERS: how many */
    uint64_t numbers[8]; /* NUMBERS: the values */
} weir_property;

/** Returns how many properties every record has. Thread: safe. */
WEIR_API size_t weir_property_count(void);

/** Reads property i of a record, in the table's order.
 * i     0 .. weir_property_count() - 1; outside it `out` is absent with name ""
 * Thread: safe. */
WEIR_API void weir_record_get(const weir_record *record, size_t i, weir_property *out);

/** Finds a property by name, the platform's with "platform." before it: "name" is the device's, "platform.name" the
 * platform's. Returns 1 if there is one of that name, else 0 and an absent `out`. Thread: safe. */
WEIR_API int weir_record_find(const weir_record *record, const char *name, weir_property *out);

/** Returns the name of flag bit `bit` of a FLAGS property, such as "denorm", or NULL if the bit has no name. */
WEIR_API const char *weir_property_flag_name(const char *property, unsigned bit);

WEIR_END_DECLS

#endif
