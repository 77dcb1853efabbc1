/* Names of OpenCL's queries, as --raw and --json print them, and the properties they are. */
#ifndef WI_RECORDS_QUERY_H
#define WI_RECORDS_QUERY_H

#include "records/span.h"

#include "device/record.h"

#define WI_QUERY_SLOTS 1024

/* Hash from a query's name to its property. Slots hold an id + 1; 0 is empty. */
typedef struct wi_query_index {
    unsigned short slots[WI_QUERY_SLOTS];
} wi_query_index;

void wi_query_index_make(wi_query_index *index);

/** Finds the property of "CL_DEVICE_GLOBAL_MEM_SIZE"; WI_PROPERTY_COUNT if there is none. */
size_t wi_query_find(const wi_query_index *index, wi_span name);

/** Finds a property by its own name, "global_mem_size"; WI_PROPERTY_COUNT if there is none. */
size_t wi_query_find_name(const wi_query_index *index, int is_platform, wi_span name);

#endif
