/* Quirks: what drivers need that their properties do not say. */
#ifndef WI_DEVICE_QUIRK_H
#define WI_DEVICE_QUIRK_H

#include "device/match.h"

#include <stddef.h>
#include <stdint.h>

typedef enum wi_quirk_effect {
    WI_QUIRK_VECTOR_WIDTH,  /* most lanes an item of elementwise kernels */
    WI_QUIRK_MAX_GROUP,     /* largest work-group */
    WI_QUIRK_LOOP_TRIPS,    /* trips that all loops of one work-item make together at most */
    WI_QUIRK_LAUNCH_BITS,   /* a launch has fewer than 2^value items */
    WI_QUIRK_PIECE_MS,      /* longest piece of a loop's launch, in milliseconds */
    WI_QUIRK_MAX_ALLOC_MIB, /* largest buffer */
    WI_QUIRK_GLOBAL_MIB,    /* most memory */
    WI_QUIRK_ALIGN_BYTES,   /* least alignment of blocks */
    WI_QUIRK_UNSOUND,       /* the device goes behind the sound ones of its class */
    WI_QUIRK_REJECT,        /* the device is taken only by index, pci or uuid */
    WI_QUIRK_NOTE           /* nothing but to be told */
} wi_quirk_effect;

/* A row applies where all of these hold: `word` is found in `field`, `also` in any text of the record ("" holds always),
 * and the number of `property` is stated and within low .. high (WI_PROPERTY_COUNT holds always). */
typedef struct wi_quirk {
    const char *name;
    wi_match_field field;
    const char *word;
    const char *also;
    wi_property_id property;
    uint64_t low;
    uint64_t high;
    wi_quirk_effect effect;
    uint32_t value; /* 0 where the effect takes none */
    const char *reason;
    const char *report; /* where it was learned: an address, or what was measured */
} wi_quirk;

/** Returns quirk i of the table, NULL past its end. */
const wi_quirk *wi_quirk_at(size_t i);

/** 1 if a quirk applies to a record. */
int wi_quirk_applies(const wi_quirk *quirk, const weir_record *record);

/** Writes what weir does about it, such as "lanes of an item at most 1", cut to fit; "note" for a note. Returns buffer. */
char *wi_quirk_effect_text(const wi_quirk *quirk, char *buffer, size_t bytes);

/** Returns the first quirk of an effect that applies, NULL if none does. */
const wi_quirk *wi_quirk_find(wi_quirk_effect effect, const weir_record *record);

#endif
