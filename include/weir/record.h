/* Making device records, and what is derived from them.
 *
 * A record that a reader of texts makes is the same thing as the record of a live device: the class, the limits and the
 * choice of a device are computed from it alone. Properties are named by their place in the table of weir/property.h.
 */
#ifndef WEIR_RECORD_H
#define WEIR_RECORD_H

#include <weir/device.h>
#include <weir/property.h>
#include <weir/status.h>

#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN_DECLS

/** Makes a record in which every property is absent, with index "0.0".
 * out   owned by the caller, weir_record_destroy(); NULL on failure
 * Errors: ARG, HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_record_create(weir_record **out);

/** Frees a record made by weir_record_create(); NULL is allowed. The records of a system belong to it. */
WEIR_API void weir_record_destroy(weir_record *record);

/** Sets platform and device number, from which the index "p.d" is made. Thread: one thread a record, as all that set. */
WEIR_API void weir_record_set_index(weir_record *record, unsigned platform, unsigned device);

/** Sets a TEXT from `count` bytes. Blanks around it and trailing zero bytes are left out, control characters become
 * blanks. Other kinds and properties outside the table are left alone.
 * Errors: ARG, HOST_MEMORY; the property is unchanged. */
WEIR_API WEIR_NODISCARD weir_status weir_record_set_text(weir_record *record, size_t property, const char *bytes,
                                                         size_t count);

/** Sets a NUMBER, a BOOL (not zero is 1) or FLAGS. Other kinds are left alone. */
WEIR_API void weir_record_set_number(weir_record *record, size_t property, uint64_t number);

/** Sets NUMBERS; the first 8 are kept. Other kinds are left alone. */
WEIR_API void weir_record_set_numbers(weir_record *record, size_t property, const uint64_t *numbers, size_t count);

/** Says that a property does not apply. */
WEIR_API void weir_record_set_na(weir_record *record, size_t property);

/** Says that a query failed with an OpenCL code, below 0. */
WEIR_API void weir_record_set_error(weir_record *record, size_t property, int code);

/** Forgets what was said of a property. */
WEIR_API void weir_record_set_absent(weir_record *record, size_t property);

/** Copies the platform's properties of `from`. Errors: ARG, HOST_MEMORY. */
WEIR_API WEIR_NODISCARD weir_status weir_record_copy_platform(weir_record *to, const weir_record *from);

/** Returns "p.d"; valid until the index is set again or the record goes; "" for NULL. */
WEIR_API const char *weir_record_get_index(const weir_record *record);

/** Returns the class by which devices are ordered.
 * why   NULL, or set to the reason in a few words, a static string */
WEIR_API weir_device_class weir_record_get_class(const weir_record *record, const char **why);

/* Something that the driver needs or does that its properties do not say. Strings are static. */
typedef struct weir_quirk {
    const char *name;   /* "llvmpipe-loops" */
    char effect[64];    /* what weir does about it; "note": it is only told */
    const char *reason; /* what happens otherwise */
    const char *report; /* address of what taught it, or what was measured */
} weir_quirk;

/** Reads the i-th quirk that applies to a record; returns 0 past the last, and `out` is empty. Thread: safe. */
WEIR_API int weir_record_get_quirk(const weir_record *record, size_t i, weir_quirk *out);

/** Writes the PCI address such as "0000:01:00.0", from whichever property states it, cut to fit; "" if none does.
 * Returns buffer. */
WEIR_API char *weir_record_get_pci(const weir_record *record, char *buffer, size_t bytes);

WEIR_END_DECLS

#endif
