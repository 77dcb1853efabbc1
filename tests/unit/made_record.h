/* Records made up for tests of classes, selectors and traits: no driver is asked. */
#ifndef WT_UNIT_MADE_RECORD_H
#define WT_UNIT_MADE_RECORD_H

#include "device/record.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MADE_CPU = 2, MADE_GPU = 4, MADE_ACCELERATOR = 8 };

/* unified: 0, 1, or -1 for "not said"; type 0: not said. */
static inline weir_record *made_record(unsigned platform, unsigned device, const char *name,
                                       uint64_t type, int unified)
{
    weir_record *record = NULL;

    cr_assert_eq(wi_record_create(&record), WEIR_OK);
    wi_record_set_index(record, platform, device);
    cr_assert_eq(wi_record_set_text(record, WI_PROPERTY_NAME, name, strlen(name)), WEIR_OK);
    if (type != 0) wi_record_set_number(record, WI_PROPERTY_TYPE, type);
    if (unified >= 0)
        wi_record_set_number(record, WI_PROPERTY_HOST_UNIFIED_MEMORY, (uint64_t)unified);
    return record;
}

static inline void made_text(weir_record *record, wi_property_id id, const char *text)
{
    cr_assert_eq(wi_record_set_text(record, id, text, strlen(text)), WEIR_OK);
}

#endif
