/* Verification of an arena's invariants, as arena_state.h and range.h state them.
 *
 * Everything is counted anew from the roots' ranges and compared with the running sums. The index is walked by its own
 * order: strictly rising, so no range twice; each one a free range of a root of this arena; as many as there are free
 * ranges, so none is left out. Takes time in proportion to the ranges (times a logarithm), for debug builds and tests.
 * The caller locks.
 */
#include "plan/arena.h"
#include "plan/strategy_rules.h"

/* What the roots' ranges add up to. */
typedef struct sums {
    uint64_t requested_bytes;
    uint64_t in_use_bytes;
    uint64_t reserved_bytes;
    uint64_t unused_bytes;
    uint64_t root_count;
    uint64_t free_count; /* without the range freed last */
    uint64_t kept_count;
    uint64_t largest_free_bytes;
} sums;

/* Appends what is broken; returns 0, so that the first finding ends a check. */
static int broken(weir_text *why, const char *what, uint64_t is, uint64_t expected)
{
    weir_text_append(why, "%s: %llu, expected %llu\n", what, (unsigned long long)is,
                     (unsigned long long)expected);
    return 0;
}

static int check_range(const wi_arena *arena, const wi_range *range, uint64_t offset,
                       weir_text *why)
{
    const uint64_t mask = arena->unit_bytes - 1;
    const wi_range *next = range->next;

    if (range->offset_bytes != offset) return broken(why, "offset", range->offset_bytes, offset);
    if (range->bytes == 0 || (range->bytes & mask) != 0)
        return broken(why, "bytes of a range in whole units", range->bytes, range->bytes & ~mask);
    if (range->requested_bytes > range->bytes)
        return broken(why, "requested above the range's bytes", range->requested_bytes,
                      range->bytes);
    if (wi_range_is_free(range) && range->holder != NULL)
        return broken(why, "a free range has no holder", 1, 0);
    if (next != NULL && next->prev != range) return broken(why, "next's prev is this range", 0, 1);
    if (next != NULL && wi_range_is_free(range) && wi_range_is_free(next) && range != arena->kept &&
        next != arena->kept)
        return broken(why, "free neighbours at offset", next->offset_bytes, 0);
    return 1;
}

static int check_root(const wi_arena *arena, const wi_arena_root *root, sums *all, weir_text *why)
{
    uint64_t offset = 0;
    uint64_t used = 0;

    if (root->first == NULL || root->first->prev != NULL)
        return broken(why, "root begins with a range that has no prev", 0, 1);
    if (root->bytes > arena->max_root_bytes)
        return broken(why, "root above the largest size", root->bytes, arena->max_root_bytes);
    for (const wi_range *range = root->first; range != NULL; range = range->next) {
        if (range->root != root) return broken(why, "range names its root", 0, 1);
        if (!check_range(arena, range, offset, why)) return 0;
        offset += range->bytes;
        if (range == arena->kept) {
            all->kept_count++;
            if (!wi_range_is_free(range) || root->used_bytes == 0)
                return broken(why, "the range freed last is free in a root that is not", 0, 1);
        } else if (wi_range_is_free(range)) {
            all->free_count++;
            if (range->bytes > all->largest_free_bytes) all->largest_free_bytes = range->bytes;
        } else {
            used += range->bytes;
            all->requested_bytes += range->requested_bytes;
        }
    }
    if (offset != root->bytes) return broken(why, "used + free of a root", offset, root->bytes);
    if (used != root->used_bytes) return broken(why, "used of a root", root->used_bytes, used);
    all->in_use_bytes += used;
    all->reserved_bytes += root->bytes;
    if (used == 0) all->unused_bytes += root->bytes;
    all->root_count++;
    return 1;
}

static int check_root_index(const wi_arena *arena, weir_text *why)
{
    const char *fault = NULL;
    wi_root_sums all = {0};

    for (const wi_arena_root *root = arena->first_root; root != NULL && fault == NULL;
         root = root->next) {
        const int has_kept = arena->kept != NULL && arena->kept->root == root;
        fault = wi_root_index_check(&arena->roots, root, has_kept, &all);
    }
    if (fault == NULL) fault = wi_root_index_check_sums(&arena->roots, &all);
    if (fault != NULL) weir_text_append(why, "filing of roots: %s\n", fault);
    return fault == NULL;
}

static int check_roots(const wi_arena *arena, sums *all, weir_text *why)
{
    const wi_arena_root *prev = NULL;

    for (const wi_arena_root *root = arena->first_root; root != NULL; root = root->next) {
        if (root->prev != prev) return broken(why, "root's prev is the one before", 0, 1);
        if (prev != NULL && prev->ordinal >= root->ordinal)
            return broken(why, "ordinals rise", root->ordinal, prev->ordinal + 1);
        if (!check_root(arena, root, all, why)) return 0;
        prev = root;
    }
    if (arena->last_root != prev) return broken(why, "last root ends the list", 0, 1);
    if (prev != NULL && prev->ordinal >= arena->next_ordinal)
        return broken(why, "next ordinal", arena->next_ordinal, prev->ordinal + 1);
    return 1;
}

static int check_index(const wi_arena *arena, const sums *all, weir_text *why)
{
    const wi_range_index *ranges = arena->strategy->ranges;
    const wi_range *largest = ranges->largest(arena->index);
    const wi_range *prev = NULL;
    uint64_t count = 0;

    for (const wi_range *range = ranges->after(arena->index, NULL); range != NULL;
         range = ranges->after(arena->index, range)) {
        const char *fault = ranges->check(arena->index, range);
        if (fault != NULL) {
            weir_text_append(why, "index, range of %llu bytes: %s\n",
                             (unsigned long long)range->bytes, fault);
            return 0;
        }
        if (range->root == NULL || !wi_range_is_free(range))
            return broken(why, "index holds only free ranges", 0, 1);
        if (range == prev || ++count > all->free_count) break;
        prev = range;
    }
    if (count != all->free_count) return broken(why, "ranges in the index", count, all->free_count);
    if ((largest != NULL ? largest->bytes : 0) != all->largest_free_bytes)
        return broken(why, "largest in the index", largest != NULL ? largest->bytes : 0,
                      all->largest_free_bytes);
    return 1;
}

static int check_slab(const wi_arena *arena, weir_text *why)
{
    uint64_t count = 0;

    for (const wi_range *range = arena->slab.unused; range != NULL; range = range->next) {
        if (range->root != NULL) return broken(why, "unused metadata names no root", 1, 0);
        if (++count > arena->slab.unused_count) break;
    }
    if (count != arena->slab.unused_count)
        return broken(why, "unused metadata", arena->slab.unused_count, count);
    return 1;
}

int wi_arena_check(const wi_arena *arena, weir_text *why)
{
    sums all = {0};

    if (!check_roots(arena, &all, why)) return 0;
    if (all.requested_bytes != arena->requested_bytes)
        return broken(why, "requested", arena->requested_bytes, all.requested_bytes);
    if (all.in_use_bytes != arena->in_use_bytes)
        return broken(why, "in use", arena->in_use_bytes, all.in_use_bytes);
    if (all.reserved_bytes != arena->reserved_bytes)
        return broken(why, "reserved", arena->reserved_bytes, all.reserved_bytes);
    if (all.in_use_bytes > arena->recent.now_bytes || arena->recent.requests >= WI_STRETCH_REQUESTS)
        return broken(why, "most in use lately", arena->recent.now_bytes, all.in_use_bytes);
    if (all.unused_bytes != arena->unused_bytes)
        return broken(why, "wholly free roots", arena->unused_bytes, all.unused_bytes);
    if (all.root_count != arena->root_count)
        return broken(why, "roots", arena->root_count, all.root_count);
    if (arena->acquired_count - arena->released_count != arena->root_count)
        return broken(why, "acquired - released", arena->acquired_count - arena->released_count,
                      arena->root_count);
    if (all.kept_count != (arena->kept != NULL))
        return broken(why, "the range freed last is in a root", all.kept_count, 1);
    return check_index(arena, &all, why) && check_root_index(arena, why) && check_slab(arena, why);
}
