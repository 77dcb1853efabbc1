/* Marks are lists of what owners hold, in the order of their labels, so that two of them are compared in one pass. */
#include "base/memory.h"
#include "base/status.h"
#include "mem/oom.h"
#include "mem/pool_state.h"

#include <weir/mark.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Invariants: identity is an owner's; count entries with blocks > 0, in ascending order of their labels. */
struct weir_mark {
    wi_pool_identity *identity;
    size_t count;
    weir_growth *entries;
};

static int compare_labels(const void *a, const void *b)
{
    return strcmp(((const weir_growth *)a)->owner, ((const weir_growth *)b)->owner);
}

void wi_pool_identity_release(wi_pool_identity *identity)
{
    if (identity != NULL &&
        atomic_fetch_sub_explicit(&identity->owners, 1, memory_order_acq_rel) == 1)
        wi_free(identity);
}

/* Returns the pool's identity with one more owner, the first time a new one; NULL without host memory. */
static wi_pool_identity *retain_identity(weir_pool *pool)
{
    wi_pool_identity *identity = NULL;

    wi_pool_lock(pool);
    if (pool->identity == NULL) {
        pool->identity = wi_calloc(1, sizeof *pool->identity);
        if (pool->identity != NULL) atomic_init(&pool->identity->owners, 1);
    }
    identity = pool->identity;
    if (identity != NULL) atomic_fetch_add_explicit(&identity->owners, 1, memory_order_relaxed);
    wi_pool_unlock(pool);
    return identity;
}

static int is_of(const weir_mark *mark, const weir_pool *pool)
{
    int is_same = 0;

    wi_pool_lock(pool);
    is_same = mark->identity == pool->identity;
    wi_pool_unlock(pool);
    return is_same;
}

/* Reads every owner into an array of the caller's; NULL without host memory, or if there is none. */
static weir_owner_stats *read_owners(weir_pool *pool, size_t *count)
{
    weir_owner_stats *owners = NULL;

    wi_pool_lock(pool);
    *count = pool->owners.count;
    if (*count != 0) owners = wi_calloc(*count, sizeof *owners);
    if (owners != NULL) (void)wi_owners_list(&pool->owners, owners, *count);
    wi_pool_unlock(pool);
    return owners;
}

static weir_status fail_memory(const char *where, size_t count)
{
    return wi_fail(WEIR_E_HOST_MEMORY, where, "no host memory for a mark of %zu owners", count);
}

static weir_status snapshot(weir_pool *pool, const char *where, weir_mark **out)
{
    weir_status status = WEIR_OK;
    size_t count = 0;
    weir_owner_stats *owners = NULL;
    weir_mark *mark = wi_calloc(1, sizeof *mark);

    *out = NULL;
    owners = read_owners(pool, &count);
    if (mark != NULL) mark->identity = retain_identity(pool);
    if (mark != NULL && count != 0) mark->entries = wi_calloc(count, sizeof *mark->entries);
    if (mark == NULL || mark->identity == NULL ||
        (count != 0 && (owners == NULL || mark->entries == NULL))) {
        status = fail_memory(where, count);
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        weir_growth *entry = &mark->entries[mark->count];
        if (owners[i].blocks.current == 0) continue;
        memcpy(entry->owner, owners[i].owner, sizeof entry->owner);
        entry->bytes = (int64_t)owners[i].bytes.current;
        entry->blocks = (int64_t)owners[i].blocks.current;
        mark->count++;
    }
    if (mark->count != 0) qsort(mark->entries, mark->count, sizeof *mark->entries, compare_labels);
    *out = mark;
    mark = NULL;
done:
    wi_free(owners);
    weir_mark_destroy(mark);
    return status;
}

weir_status weir_pool_mark(weir_pool *pool, weir_mark **out)
{
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (pool == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_pool_mark", "pool and out are required");
    }
    status = wi_pool_check_process(pool, "weir_pool_mark");
    return status == WEIR_OK ? snapshot(pool, "weir_pool_mark", out) : status;
}

void weir_mark_destroy(weir_mark *mark)
{
    if (mark == NULL) return;
    wi_pool_identity_release(mark->identity);
    wi_free(mark->entries);
    wi_free(mark);
}

/* What changed between two marks.
 *
 * Invariants: entries are those that grew, `grown` of them, in ascending order of their labels until they are sorted. */
typedef struct changes {
    weir_growth *entries;
    size_t grown;
    int64_t bytes; /* of all owners, those that shrank included */
    int64_t blocks;
} changes;

/* owner: whose label it is, either of the two. */
static void note(changes *all, const weir_growth *owner, const weir_growth *before,
                 const weir_growth *after)
{
    weir_growth change = *owner;

    change.bytes = after->bytes - before->bytes;
    change.blocks = after->blocks - before->blocks;
    all->bytes += change.bytes;
    all->blocks += change.blocks;
    if (change.bytes > 0 || (change.bytes == 0 && change.blocks > 0))
        all->entries[all->grown++] = change;
}

static int compare_growth(const void *a, const void *b)
{
    const weir_growth *one = a;
    const weir_growth *other = b;

    if (one->bytes != other->bytes) return one->bytes > other->bytes ? -1 : 1;
    if (one->blocks != other->blocks) return one->blocks > other->blocks ? -1 : 1;
    return strcmp(one->owner, other->owner);
}

/* entries: freed by the caller, also after a failure. */
static weir_status compare_marks(const char *where, const weir_mark *from, const weir_mark *to,
                                 changes *out)
{
    const weir_growth none = {0};
    size_t i = 0;
    size_t j = 0;

    out->entries = wi_calloc(to->count + 1, sizeof *out->entries);
    if (out->entries == NULL) return fail_memory(where, to->count);
    while (i < from->count || j < to->count) {
        const weir_growth *before = i < from->count ? &from->entries[i] : &none;
        const weir_growth *after = j < to->count ? &to->entries[j] : &none;
        int order = 0;

        if (before == &none)
            order = 1;
        else if (after == &none)
            order = -1;
        else
            order = compare_labels(before, after);
        note(out, order <= 0 ? before : after, order <= 0 ? before : &none,
             order >= 0 ? after : &none);
        i += order <= 0;
        j += order >= 0;
    }
    if (out->grown != 0) qsort(out->entries, out->grown, sizeof *out->entries, compare_growth);
    return WEIR_OK;
}

static weir_status diff(weir_pool *pool, const char *where, const weir_mark *from,
                        const weir_mark *to, changes *out)
{
    weir_status status = WEIR_OK;
    weir_mark *now = NULL;

    *out = (changes){0};
    if (pool == NULL || from == NULL)
        return wi_fail(WEIR_E_ARG, where, "pool and from are required");
    status = wi_pool_check_process(pool, where);
    if (status != WEIR_OK) return status;
    if (!is_of(from, pool) || (to != NULL && !is_of(to, pool))) {
        return wi_fail(WEIR_E_CONTEXT, where, "the marks are of another pool");
    }
    if (to == NULL) status = snapshot(pool, where, &now);
    if (status == WEIR_OK) status = compare_marks(where, from, to != NULL ? to : now, out);
    weir_mark_destroy(now);
    return status;
}

weir_status weir_pool_diff(weir_pool *pool, const weir_mark *from, const weir_mark *to,
                           weir_growth *out, size_t capacity, size_t *count)
{
    changes all;
    weir_status status = diff(pool, "weir_pool_diff", from, to, &all);

    if (out == NULL) capacity = 0;
    if (capacity != 0) memset(out, 0, capacity * sizeof *out);
    if (capacity > all.grown) capacity = all.grown;
    if (count != NULL) *count = all.grown;
    if (capacity != 0) memcpy(out, all.entries, capacity * sizeof *out);
    wi_free(all.entries);
    return status;
}

/* Writes "+1.00 MiB"; 32 bytes hold all. */
static const char *format_change(int64_t bytes, char *buffer, size_t size)
{
    const uint64_t amount = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;

    buffer[0] = bytes < 0 ? '-' : '+';
    (void)wi_oom_format_bytes(amount, buffer + 1, size - 1);
    return buffer;
}

weir_status weir_pool_diff_report(weir_pool *pool, const weir_mark *from, const weir_mark *to,
                                  weir_text *text)
{
    static const char where[] = "weir_pool_diff_report";
    char bytes[32];
    changes all;
    weir_status status = WEIR_OK;

    if (text == NULL) return wi_fail(WEIR_E_ARG, where, "text is required");
    status = diff(pool, where, from, to, &all);
    if (status == WEIR_OK) {
        weir_text_append(text, "%-32s %12s %10s\n", "grew", "bytes", "blocks");
        for (size_t i = 0; i < all.grown; i++) {
            const weir_growth *entry = &all.entries[i];
            weir_text_append(text, "%-32s %12s %+10" PRId64 "\n", entry->owner,
                             format_change(entry->bytes, bytes, sizeof bytes), entry->blocks);
        }
        weir_text_append(text, "%-32s %12s %+10" PRId64 "\n", "(all owners)",
                         format_change(all.bytes, bytes, sizeof bytes), all.blocks);
        status = weir_text_get_status(text);
    }
    wi_free(all.entries);
    return status;
}
