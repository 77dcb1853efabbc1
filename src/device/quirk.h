/* Quirks: what drivers need that their properties do not say. */
#ifndef WI_DEVICE_QUIRK_H
#define WI_DEVICE_QUIRK_H

#include "device/match.h"

#include <stddef.h>
#include <stdint.h>

typedef enum wi_quirk_effect {
    WI_QUIRK_VECTOR_WIDTH, /* most lanes an item of elementwise kernels */
    WI_QUIRK_MAX_GROUP,    /* largest work-group */
    WI_QUIRK_LOOP_TRIPS    /* trips that all loops of one work-item make together at most */
} wi_quirk_effect;

/* A row applies where `word` is found in `field` and `also`, unless "", in any text of the record. */
typedef struct wi_quirk {
    wi_match_field field;
    const char *word;
    const char *also;
    wi_quirk_effect effect;
    uint32_t value;
    const char *reason;
    const char *source; /* the public report that taught it */
} wi_quirk;

/** Returns quirk i of the table, NULL past its end. */
const wi_quirk *wi_quirk_at(size_t i);

/** 1 if a quirk applies to a record. */
int wi_quirk_applies(const wi_quirk *quirk, const weir_record *record);

#endif
