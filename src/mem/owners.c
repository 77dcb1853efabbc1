/* Owner labels in a chained hash table.
 *
 * A label that lost its last block stays until the table fills, because an operation in a loop gives up and takes its
 * label once a step; it is dropped before the table grows, because a program may use a million labels in turn. A name is
 * most often a literal that comes again and again, so what an address last named is remembered and saves the hash.
 */
#include "mem/owners.h"

#include "base/memory.h"
#include "mem/counter.h"

#include <stdlib.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325) /* FNV-1a, 64 bits */
#define CUT "..."                               /* stands for the beginning of a path too long */
#define CUT_BYTES (sizeof CUT - 1)

/* Continues a hash, so that a path's is computed once for all names under it. */
static uint64_t hash_on(uint64_t hash, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static int is_continuation(char byte) { return ((unsigned char)byte & 0xc0U) == 0x80; }

/* How much of a name counts; of one that is too long no character of several bytes (UTF-8) is cut in two. */
static size_t length_of(const char *name)
{
    const char *end = memchr(name, '\0', WEIR_OWNER_BYTES - 1);
    size_t length = WEIR_OWNER_BYTES - 1U;

    if (end != NULL) return (size_t)(end - name);
    for (int i = 0; i < 3 && is_continuation(name[length]); i++) length--;
    return is_continuation(name[length]) ? WEIR_OWNER_BYTES - 1U : length;
}

/* Writes path and name, with the cut if they are too long; returns the length. */
static size_t join(const wi_owner_path *path, const char *name, size_t length, char *out)
{
    char whole[2 * WEIR_OWNER_BYTES];
    const size_t before = path != NULL ? path->length : 0;
    size_t from = 0;

    if (before != 0) memcpy(whole, path->text, before);
    memcpy(whole + before, name, length);
    length += before;
    if (length > WEIR_OWNER_BYTES - 1) {
        from = length - (WEIR_OWNER_BYTES - 1 - CUT_BYTES);
        /* No character of several bytes (UTF-8) is cut in two. */
        while (from < length && is_continuation(whole[from])) from++;
        memcpy(out, CUT, CUT_BYTES);
        out += CUT_BYTES;
    }
    memcpy(out, whole + from, length - from);
    out[length - from] = '\0';
    return length - from + (from != 0 ? CUT_BYTES : 0);
}

void wi_owner_label_join(const wi_owner_path *path, const char *name, char *out)
{
    if (name[0] == '/') {
        path = NULL;
        name++;
    }
    (void)join(path, name, length_of(name), out);
}

void wi_owner_path_join(const wi_owner_path *path, const char *name, wi_owner_path *out)
{
    char part[WEIR_OWNER_BYTES + 1];
    size_t length = length_of(name);

    memcpy(part, name, length);
    part[length++] = '/';
    out->length = join(path, part, length, out->text);
    out->hash = hash_on(HASH_START, out->text, out->length);
}

int wi_owner_path_of(const wi_owner *owner, wi_owner_path *out)
{
    const char *slash = strrchr(owner->label, '/');

    *out = (wi_owner_path){0};
    if (slash == NULL) return 0;
    out->length = (size_t)(slash + 1 - owner->label);
    memcpy(out->text, owner->label, out->length);
    out->hash = hash_on(HASH_START, out->text, out->length);
    return 1;
}

int wi_owner_is_named(const char *label, const char *name)
{
    const char *slash = strrchr(label, '/');

    return strcmp(slash != NULL ? slash + 1 : label, name) == 0;
}

static void drop_idle(wi_owners *owners)
{
    memset(owners->memos, 0, sizeof owners->memos);
    for (size_t i = 0; i < owners->bucket_count; i++) {
        wi_owner **link = &owners->buckets[i];
        while (*link != NULL) {
            wi_owner *owner = *link;
            if (owner->blocks.current != 0 || owner->remembered != 0) {
                link = &owner->next;
                continue;
            }
            *link = owner->next;
            owners->dropped_bytes += owner->bytes.total;
            owners->dropped_blocks += owner->blocks.total;
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

static wi_owner *add(wi_owners *owners, uint64_t hash, const char *label, size_t length)
{
    wi_owner *owner = NULL;

    if (owners->count == owners->bucket_count) {
        drop_idle(owners);
        /* Going through the table has to be worth it: then half of it is free until the next time. */
        if (owners->count >= owners->bucket_count / 2 && !grow(owners) &&
            owners->count == owners->bucket_count)
            return NULL;
    }
    owner = wi_calloc(1, sizeof *owner);
    if (owner == NULL) return NULL;
    memcpy(owner->label, label, length);
    owner->hash = hash;
    owner->next = owners->buckets[hash & (owners->bucket_count - 1)];
    owners->buckets[hash & (owners->bucket_count - 1)] = owner;
    owners->count++;
    return owner;
}

static wi_owner *look_up(wi_owners *owners, const wi_owner_path *path, const char *name)
{
    char label[WEIR_OWNER_BYTES];
    const size_t bytes = length_of(name);
    const size_t length = join(path, name, bytes, label);
    const int is_cut = path != NULL && path->length + bytes > WEIR_OWNER_BYTES - 1;
    const uint64_t hash = path != NULL && !is_cut ? hash_on(path->hash, name, bytes)
                                                  : hash_on(HASH_START, label, length);
    wi_owner *owner = NULL;

    if (owners->bucket_count != 0) owner = owners->buckets[hash & (owners->bucket_count - 1)];
    while (owner != NULL && (owner->hash != hash || strcmp(owner->label, label) != 0)) {
        owner = owner->next;
    }
    return owner != NULL ? owner : add(owners, hash, label, length);
}

/* The text is compared, too: the same buffer may hold another name now, or stand in another path. */
static int is_labelled(const wi_owner *owner, const wi_owner_path *path, const char *name)
{
    const size_t before = path != NULL ? path->length : 0;
    const size_t room = WEIR_OWNER_BYTES - 1 - CUT_BYTES;
    size_t length = 0;
    size_t kept = 0;

    if (before == 0) return strncmp(owner->label, name, WEIR_OWNER_BYTES - 1) == 0;
    length = length_of(name);
    if (before + length <= WEIR_OWNER_BYTES - 1) {
        return memcmp(owner->label, path->text, before) == 0 &&
               strcmp(owner->label + before, name) == 0;
    }
    if (length > room || owner->label[WEIR_OWNER_BYTES - 2] == '\0') return 0;
    kept = room - length;
    return memcmp(owner->label, CUT, CUT_BYTES) == 0 &&
           memcmp(owner->label + CUT_BYTES, path->text + before - kept, kept) == 0 &&
           memcmp(owner->label + CUT_BYTES + kept, name, length) == 0;
}

wi_owner *wi_owners_find(wi_owners *owners, const wi_owner_path *path, const char *name)
{
    wi_owner_memo *memo = NULL;

    if (name[0] == '/') {
        path = NULL;
        name++;
    }
    memo = wi_owners_memo_of(owners, name, path != NULL ? path->length : 0);
    if (memo->name == name && is_labelled(memo->owner, path, name)) return memo->owner;
    *memo = (wi_owner_memo){name, look_up(owners, path, name)};
    if (memo->owner == NULL) memo->name = NULL;
    return memo->owner;
}

void wi_owners_move(wi_owners *owners, wi_owner *from, wi_owner *to, uint64_t bytes)
{
    if (from == to) return;
    wi_owner_remove(from, bytes);
    wi_owner_add(to, bytes);
    owners->moved_bytes += bytes;
    owners->moved_blocks++;
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
    if (owner->bytes.current != entry->bytes) return owner->bytes.current > entry->bytes;
    return strcmp(owner->label, entry->owner) < 0;
}

unsigned wi_owners_top(const wi_owners *owners, unsigned limit, weir_oom_owner *out)
{
    unsigned count = 0;
    for (size_t i = 0; i < owners->bucket_count; i++) {
        for (const wi_owner *owner = owners->buckets[i]; owner != NULL; owner = owner->next) {
            unsigned at = count;
            if (owner->blocks.current == 0) continue;
            while (at > 0 && is_larger(owner, &out[at - 1])) at--;
            if (at == limit) continue;
            if (count < limit) count++;
            memmove(&out[at + 1], &out[at], (count - 1 - at) * sizeof *out);
            memcpy(out[at].owner, owner->label, sizeof out[at].owner);
            out[at].bytes = owner->bytes.current;
            out[at].blocks = owner->blocks.current;
        }
    }
    return count;
}

/* Order of the list, as qsort() wants it: most bytes, then most bytes ever at once, then by label. */
static int compare(const void *a, const void *b)
{
    const weir_owner_stats *one = a;
    const weir_owner_stats *other = b;

    if (one->bytes.current != other->bytes.current) {
        return one->bytes.current > other->bytes.current ? -1 : 1;
    }
    if (one->blocks.current != other->blocks.current) {
        return one->blocks.current > other->blocks.current ? -1 : 1;
    }
    if (one->bytes.peak != other->bytes.peak) {
        return one->bytes.peak > other->bytes.peak ? -1 : 1;
    }
    return strcmp(one->owner, other->owner);
}

/* Puts an entry at the root of a heap whose root is the last in the list's order. */
static void sift(weir_owner_stats *heap, size_t count, size_t at)
{
    const weir_owner_stats moving = heap[at];

    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(&heap[child + 1], &heap[child]) > 0) child++;
        if (compare(&heap[child], &moving) <= 0) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void read_owner(const wi_owner *owner, weir_owner_stats *out)
{
    memcpy(out->owner, owner->label, sizeof out->owner);
    out->bytes = wi_tally_read(&owner->bytes, owner->blocks.total);
    out->blocks = wi_tally_read(&owner->blocks, owner->blocks.total);
}

size_t wi_owners_list(const wi_owners *owners, weir_owner_stats *out, size_t capacity)
{
    size_t count = 0;

    for (size_t i = 0; i < owners->bucket_count; i++) {
        for (const wi_owner *owner = owners->buckets[i]; owner != NULL; owner = owner->next) {
            weir_owner_stats entry;

            if (count < capacity) {
                read_owner(owner, &out[count]);
                if (++count < capacity) continue;
                for (size_t at = capacity / 2; at-- > 0;) sift(out, capacity, at);
                continue;
            }
            if (capacity == 0) continue;
            read_owner(owner, &entry);
            if (compare(&entry, &out[0]) >= 0) continue;
            out[0] = entry;
            sift(out, capacity, 0);
        }
    }
    if (count != 0) qsort(out, count, sizeof *out, compare);
    return owners->count;
}

void wi_owners_reset_peak(wi_owners *owners)
{
    for (size_t i = 0; i < owners->bucket_count; i++) {
        for (wi_owner *owner = owners->buckets[i]; owner != NULL; owner = owner->next) {
            owner->bytes.peak = owner->bytes.current;
            owner->blocks.peak = owner->blocks.current;
        }
    }
}

void wi_owners_sum_up(const wi_owners *owners, wi_owners_sum *out)
{
    *out = (wi_owners_sum){.total_bytes = owners->dropped_bytes - owners->moved_bytes,
                           .total_blocks = owners->dropped_blocks - owners->moved_blocks};
    for (size_t i = 0; i < owners->bucket_count; i++) {
        for (const wi_owner *owner = owners->buckets[i]; owner != NULL; owner = owner->next) {
            out->bytes += owner->bytes.current;
            out->blocks += owner->blocks.current;
            out->total_bytes += owner->bytes.total;
            out->total_blocks += owner->blocks.total;
        }
    }
}
