/* Queries: a property's name is the query's in lower case without CL_DEVICE_ or CL_PLATFORM_, with a few exceptions in a
 * table. An open-addressed hash over all of them. */
#include "records/query.h"

#include <string.h>

#define NAME_BYTES 80

static const struct {
    const char *query;
    wi_property_id id;
} exceptions[] = {
    {"CL_DRIVER_VERSION", WI_PROPERTY_DRIVER_VERSION},
    {"CL_DRIVER_UUID_KHR", WI_PROPERTY_DRIVER_UUID_KHR},
    {"CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", WI_PROPERTY_QUEUE_PROPERTIES},
    {"CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
     WI_PROPERTY_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE},
};

/* The key of a query: 'd' or 'p' and the name in lower case; 0 bytes if it is neither a device's nor a platform's. */
static size_t key_of(wi_span query, char key[NAME_BYTES])
{
    static const char device[] = "CL_DEVICE_";
    static const char platform[] = "CL_PLATFORM_";
    size_t skip = 0;

    if (wi_span_starts(query, device)) skip = sizeof device - 1;
    if (wi_span_starts(query, platform)) skip = sizeof platform - 1;
    if (skip == 0 || query.bytes - skip >= NAME_BYTES - 1) return 0;
    key[0] = skip == sizeof device - 1 ? 'd' : 'p';
    for (size_t i = skip; i < query.bytes; i++) {
        char c = query.at[i];
        key[i - skip + 1] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return query.bytes - skip + 1;
}

static size_t hash(const char *key, size_t bytes)
{
    uint32_t h = 2166136261U;

    for (size_t i = 0; i < bytes; i++) h = (h ^ (unsigned char)key[i]) * 16777619U;
    return (h ^ (h >> 15)) % WI_QUERY_SLOTS;
}

void wi_query_index_make(wi_query_index *index)
{
    memset(index, 0, sizeof *index);
    for (size_t id = 0; id < WI_PROPERTY_COUNT; id++) {
        const wi_property_row *row = wi_property_row_at(id);
        char key[NAME_BYTES] = {row->is_platform ? 'p' : 'd'};
        size_t bytes = strlen(row->name) + 1;
        size_t slot = 0;

        memcpy(key + 1, row->name, bytes - 1);
        slot = hash(key, bytes);
        while (index->slots[slot] != 0) slot = (slot + 1) % WI_QUERY_SLOTS;
        index->slots[slot] = (unsigned short)(id + 1);
    }
}

static size_t find(const wi_query_index *index, const char *key, size_t bytes)
{
    for (size_t slot = hash(key, bytes); index->slots[slot] != 0;
         slot = (slot + 1) % WI_QUERY_SLOTS) {
        const wi_property_row *row = wi_property_row_at(index->slots[slot] - 1U);

        if ((key[0] == 'p') == (row->is_platform != 0) && strlen(row->name) == bytes - 1 &&
            memcmp(row->name, key + 1, bytes - 1) == 0)
            return index->slots[slot] - 1U;
    }
    return WI_PROPERTY_COUNT;
}

size_t wi_query_find(const wi_query_index *index, wi_span name)
{
    char key[NAME_BYTES];
    size_t bytes = 0;

    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (wi_span_is(name, exceptions[i].query)) return exceptions[i].id;
    bytes = key_of(name, key);
    return bytes > 0 ? find(index, key, bytes) : WI_PROPERTY_COUNT;
}

size_t wi_query_find_name(const wi_query_index *index, int is_platform, wi_span name)
{
    char key[NAME_BYTES] = {is_platform ? 'p' : 'd'};

    if (name.bytes >= NAME_BYTES - 1) return WI_PROPERTY_COUNT;
    memcpy(key + 1, name.at, name.bytes);
    return find(index, key, name.bytes + 1);
}
