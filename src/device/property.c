/* What the public header says of the table of properties. No state. */
#include "device/record.h"

size_t weir_property_count(void) { return WI_PROPERTY_COUNT; }

const char *weir_property_flag_name(const char *property, unsigned bit)
{
    size_t id = wi_property_find(property);

    if (id == WI_PROPERTY_COUNT || wi_property_row_at(id)->kind != WEIR_PROPERTY_FLAGS || bit > 63)
        return NULL;
    return wi_name_of(wi_property_row_at(id)->names, (uint64_t)1 << bit);
}
