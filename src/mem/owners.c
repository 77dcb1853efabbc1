/* Owner labels in a chained hash table.
 *
 * A label that lost its last block stays until the table fills, because an operation in a loop gives up and takes its
 * label once a step; it is dropped before the table grows, because a program may use a million labels in turn. A label is
 * most often a literal that comes again and again, so what an address last named is remembered and saves the hash.
 */
#include "mem/owners.h"

#include "base/memory.h"

#include <string.h>

static uint64_t hash_label(const char *label, size_t *length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, 64 bits */
    size_t i = 0;
    for (; i < WEIR_OWNER_BYTES - 1 && label[i] != '\0'; i++) {
        hash = (hash ^ (unsigned char)label[i]) * UINT64_C(0x100000001b3);
    }
    *length = i;
    return hash;
}

/* Returns where a label of this address is remembered. */
static wi_owner_memo *memo_of(wi_owners *owners, const char *label)
{
    return &owners->memos[((uintptr_t)label >> 3 ^ (uintptr_t)label >> 9) % WI_OWNER_MEMOS];
}

static void drop_idle(wi_owners *owners)
{
    memset(owners->memos, 0, sizeof owners->memos);
    for (size_t i = 0; i < owners->bucket_count; i++) {
        wi_owner **link = &owners->buckets[i];
        while (*link != NULL) {
            wi_owner *owner = *link;
            if (owner->blocks != 0) {
                link = &owner->next;
                continue;
            }
            *link = owner->next;
            wi_free(owner);
            owners->count--;
        }
    }
}

static int grow(wi_owners *owners)
{
    size_t bucket_count = owners->bucket_count == 0 ? 64 : owners->bucket_count * 2;
    wi_owner **buckets = wi_calloc(bucket_count, sizeof(wi_owner *));
    if (buckets == NULL) return 0;
    for (size_t i = 0; i < owners->bucket_count; i++) {
        while (owners->buckets[i] != NULL) {
            wi_owner *owner = owners->buckets[i];
            wi_owner **bucket = &buckets[owner->hash & (bucket_count - 1)];
            owners->buckets[i] = owner->next;
            owner->next = *bucket;
            *bucket = owner;
        }
    }
    wi_free(owners->buckets);
    owners->buckets = buckets;
    owners->bucket_count = bucket_count;
    return 1;
}

/* Finds a label by its hash or adds it. */
static wi_owner *look_up(wi_owners *owners, const char *label)
{
    size_t length = 0;
    uint64_t hash = hash_label(label, &length);
    wi_owner *owner = NULL;

    if (owners->bucket_count != 0) {
        owner = owners->buckets[hash & (owners->bucket_count - 1)];
        for (; owner != NULL; owner = owner->next) {
            if (owner->hash == hash && memcmp(owner->label, label, length) == 0 &&
                owner->label[length] == '\0') {
                return owner;
            }
        }
    }
    if (owners->count == owners->bucket_count) drop_idle(owners);
    if (owners->count == owners->bucket_count && !grow(owners)) return NULL;
    owner = wi_calloc(1, sizeof *owner);
    if (owner == NULL) return NULL;
    memcpy(owner->label, label, length);
    owner->hash = hash;
    owner->next = owners->buckets[hash & (owners->bucket_count - 1)];
    owners->buckets[hash & (owners->bucket_count - 1)] = owner;
    owners->count++;
    return owner;
}

wi_owner *wi_owners_find(wi_owners *owners, const char *label)
{
    wi_owner_memo *memo = memo_of(owners, label);

    /* The text is compared, too: the same buffer may hold another label now. */
    if (memo->label == label && strncmp(memo->owner->label, label, WEIR_OWNER_BYTES - 1) == 0)
        return memo->owner;
    *memo = (wi_owner_memo){label, look_up(owners, label)};
    if (memo->owner == NULL) memo->label = NULL;
    return memo->owner;
}

void wi_owners_fini(wi_owners *owners)
{
    for (size_t i = 0; i < owners->bucket_count; i++) {
        while (owners->buckets[i] != NULL) {
            wi_owner *owner = owners->buckets[i];
            owners->buckets[i] = owner->next;
            wi_free(owner);
        }
    }
    wi_free(owners->buckets);
    memset(owners, 0, sizeof *owners);
}

static int is_larger(const wi_owner *owner, const weir_oom_owner *entry)
{
    if (owner->bytes != entry->bytes) return owner->bytes > entry->bytes;
    return strcmp(owner->label, entry->owner) < 0;
}

unsigned wi_owners_top(const wi_owners *owners, unsigned limit, weir_oom_owner *out)
{
    unsigned count = 0;
    for (size_t i = 0; i < owners->bucket_count; i++) {
        for (const wi_owner *owner = owners->buckets[i]; owner != NULL; owner = owner->next) {
            unsigned at = count;
            if (owner->blocks == 0) continue;
            while (at > 0 && is_larger(owner, &out[at - 1])) at--;
            if (at == limit) continue;
            if (count < limit) count++;
            memmove(&out[at + 1], &out[at], (count - 1 - at) * sizeof *out);
            memcpy(out[at].owner, owner->label, sizeof out[at].owner);
            out[at].bytes = owner->bytes;
            out[at].blocks = owner->blocks;
        }
    }
    return count;
}

void wi_owners_sum(const wi_owners *owners, uint64_t *bytes, uint64_t *blocks)
{
    *bytes = 0;
    *blocks = 0;
    for (size_t i = 0; i < owners->bucket_count; i++) {
        for (const wi_owner *owner = owners->buckets[i]; owner != NULL; owner = owner->next) {
            *bytes += owner->bytes;
            *blocks += owner->blocks;
        }
    }
}
