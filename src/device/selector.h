/* The words with which a person names a device: "0.1", "0.1:0", "pci=...", "uuid=...", "name~...", "type=...". */
#ifndef WI_DEVICE_SELECTOR_H
#define WI_DEVICE_SELECTOR_H

#include "device/identity.h"

#include <weir/text.h>

typedef enum wi_selector_kind {
    WI_SELECT_BEST, /* nothing was named */
    WI_SELECT_INDEX,
    WI_SELECT_PCI,
    WI_SELECT_UUID,
    WI_SELECT_NAME,
    WI_SELECT_TYPE
} wi_selector_kind;

typedef struct wi_selector {
    wi_selector_kind kind;
    unsigned platform; /* INDEX */
    unsigned device;   /* INDEX */
    unsigned logical;  /* INDEX, if has_logical */
    int has_logical;   /* 1: "0.1:0", a part of the device, which choosing does not look at */
    wi_pci pci;        /* PCI */
    char uuid[WI_UUID_DIGITS + 1]; /* UUID */
    const char *text;              /* NAME: part of the name; borrowed from the selector's text */
    uint64_t type;                 /* TYPE: a bit of CL_DEVICE_TYPE */
} wi_selector;

/** Reads a selector; NULL is WI_SELECT_BEST. An empty text is malformed: it is not the same as none.
 * Errors: ARG, with the forms in the hint. */
weir_status wi_selector_parse(const char *text, wi_selector *out);

/** 1 if the selector fits a record, whatever its class and state. */
int wi_selector_matches(const wi_selector *selector, const weir_record *record);

/** 1 if the selector asks for accelerators and emulators too: anything but none and type=. */
int wi_selector_names(const wi_selector *selector);

/** 1 if the selector takes devices that cannot be used: an index, a PCI address, a UUID. */
int wi_selector_takes_unusable(const wi_selector *selector);

/** Chooses from records; returns an index into `records`, or `count` if none matches.
 *
 * An index, a PCI address or a UUID names a device whatever it is. Of several matches, and with WI_SELECT_BEST, the
 * usable ones go before those that cannot be used, then the best class, then the lowest p.d. Accelerators and
 * emulators are left out by BEST and TYPE, unusable devices by BEST, NAME and TYPE.
 * A pure function: equal records, equal answer. */
size_t wi_selector_choose(const wi_selector *selector, const weir_record *const *records,
                          size_t count);

/** Appends index, class, name, platform of each record, and why it is not taken by default.
 * separator   between two records */
void wi_selector_list(const weir_record *const *records, size_t count, const char *separator,
                      weir_text *text);

#endif
