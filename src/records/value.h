/* Values as texts state them, turned into properties by the property's kind. */
#ifndef WI_RECORDS_VALUE_H
#define WI_RECORDS_VALUE_H

#include "records/span.h"

#include "device/record.h"

#include <weir/record.h>

typedef enum wi_outcome {
    WI_TAKEN,
    WI_REFUSED,  /* the value is not one of this property; nothing was set */
    WI_NO_MEMORY /* recorded as the thread's last error */
} wi_outcome;

/** Sets a property from a value in any of the forms below; the kind of the property decides which are accepted.
 *   number   1024 | 0x10de | 1560MHz | 8589934592 (8GiB) | 4096 bits (512 bytes) | 1002h
 *   numbers  1024x1024x64 | 4096 4096 4096 | 16760832 (15.98GiB) 0 (0B)
 *   address  PCI-E, 0000:01:00.0 | PCI-E, 01:00.0 | PCI[ B#1, D#0, F#0 ]
 *   yes/no   Yes | No | 1 | 0 | CL_TRUE | true
 *   flags    CL_FP_DENORM | CL_FP_FMA | relaxed, device scope | GPU, Default | denorm | 0x400
 *   errors   <printDeviceInfo:186: get CL_... : error -30>
 *   "(n/a)"  a text is empty, a bit set is 0, anything else does not apply */
wi_outcome wi_value_set(weir_record *record, wi_property_id id, wi_span value);

/** Reads up to `max` numbers separated by blanks, commas or x, without what stands in brackets; returns how many, 0 if
 * something else is among them. */
size_t wi_value_numbers(wi_span value, uint64_t *out, size_t max);

/** Reads a PCI address into domain, bus, device, function. Returns 0 if it is none, 1 without a domain, 2 with one. */
int wi_value_pci(wi_span value, uint64_t out[4]);

/** Reads Yes, No, 1, 0, CL_TRUE, CL_FALSE, true, false; returns 0 if it is none of them. */
int wi_value_yes(wi_span value, int *out);

/** Reads the code out of "<... error -30>"; returns 0 if there is none, or if nothing follows it. */
int wi_value_error(wi_span value, int *code);

/** 1 for "(n/a)" and "n/a". */
int wi_value_is_na(wi_span value);

/** Reads names of bits, separated by commas or bars, into `bits`; returns 0 if a name is unknown. */
int wi_value_flags(wi_span value, wi_property_id id, uint64_t *bits);

#endif
