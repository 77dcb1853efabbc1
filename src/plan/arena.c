/* Placement of blocks: roots cut into ranges, free ranges in an index, neighbours joined at once.
 *
 * The arena keeps the books and runs a request through search, growth and the failure steps; what distinguishes one
 * strategy from another is called through its row (strategy_rules.h). Metadata are on the host and reserved before
 * anything changes, so a failure for want of host memory leaves no trace. Alloc and free cost the index's search plus
 * a constant, however many blocks and roots live. The caller locks.
 */
#include "plan/arena.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/compact.h"
#include "plan/strategy_rules.h"

#include <assert.h>

/* A root's one range and the rest of a range that is cut: what a request can need at most before the next root. */
#define RANGES_FOR_ROOT 2u
#define RANGES_FOR_CUT 1u

static weir_status fail_host_memory(void)
{
    return wi_fail(WEIR_E_HOST_MEMORY, "wi_arena_alloc", "no host memory for placement data");
}

static uint64_t whole_units(const wi_arena *arena, uint64_t bytes)
{
    return bytes & ~(arena->unit_bytes - 1);
}

weir_status wi_arena_create(const wi_strategy *strategy, const wi_arena_options *options,
                            const wi_root_source *source, wi_arena **out)
{
    static const char where[] = "wi_arena_create";
    weir_status status = WEIR_OK;
    wi_arena *arena = NULL;
    uint64_t unit;

    if (out != NULL) *out = NULL;
    if (strategy == NULL || options == NULL || source == NULL || out == NULL)
        return wi_fail(WEIR_E_ARG, where, "strategy, options, source and out are required");
    if (source->acquire == NULL || source->release == NULL || source->available == NULL)
        return wi_fail(WEIR_E_ARG, where, "a root source needs acquire, release and available");
    unit = options->granule_bytes;
    if (unit < 256 || (unit & (unit - 1)) != 0)
        return wi_fail(WEIR_E_ARG, where,
                       "granule of %llu bytes: a power of two from 256 is needed",
                       (unsigned long long)unit);
    if (unit < strategy->unit_bytes) unit = strategy->unit_bytes;
    if (options->max_root_bytes < unit)
        return wi_fail(WEIR_E_ARG, where, "largest root of %llu bytes is below the unit of %llu",
                       (unsigned long long)options->max_root_bytes, (unsigned long long)unit);

    arena = wi_calloc(1, sizeof *arena);
    if (arena == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, where, "%zu bytes", sizeof *arena);
        goto done;
    }
    arena->index = wi_calloc(1, strategy->ranges->state_bytes);
    if (arena->index == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, where, "%zu bytes", strategy->ranges->state_bytes);
        goto done;
    }
    arena->strategy = strategy;
    arena->source = *source;
    arena->unit_bytes = unit;
    arena->max_root_bytes = whole_units(arena, options->max_root_bytes);
    arena->default_limit_bytes = strategy->default_limit(options->total_bytes);
    arena->has_limit = options->has_limit != 0;
    arena->roots.has_use = source->begin_moves != NULL;
    *out = arena;
    arena = NULL;
done:
    wi_arena_destroy(arena);
    return status;
}

void wi_arena_destroy(wi_arena *arena)
{
    if (arena == NULL) return;
    for (wi_arena_root *root = arena->first_root; root != NULL;) {
        wi_arena_root *next = root->next;
        arena->source.release(arena->source.user, root->token, root->bytes);
        wi_free(root);
        root = next;
    }
    wi_range_slab_fini(&arena->slab);
    wi_free(arena->index);
    wi_free(arena);
}

uint64_t wi_arena_get_remaining(const wi_arena *arena)
{
    uint64_t remaining = arena->source.available(arena->source.user);

    if (!arena->has_limit || remaining == UINT64_MAX) {
        const uint64_t limit = arena->default_limit_bytes;
        const uint64_t own = limit > arena->reserved_bytes ? limit - arena->reserved_bytes : 0;
        if (own < remaining) remaining = own;
    }
    return whole_units(arena, remaining);
}

weir_status wi_arena_take_root(wi_arena *arena, uint64_t bytes, unsigned pool)
{
    weir_status status;
    wi_range *range;
    wi_arena_root *root;

    assert(bytes != 0 && bytes == whole_units(arena, bytes) && bytes <= arena->max_root_bytes);
    if (!wi_range_slab_reserve(&arena->slab, RANGES_FOR_ROOT)) return fail_host_memory();
    root = wi_calloc(1, wi_root_index_root_bytes(&arena->roots));
    if (root == NULL) return fail_host_memory();
    status = arena->source.acquire(arena->source.user, bytes, &root->token);
    if (status != WEIR_OK) {
        arena->was_refused =
            status == WEIR_E_OUT_OF_MEMORY && bytes <= wi_arena_get_remaining(arena);
        wi_free(root);
        return status;
    }

    range = wi_range_slab_take(&arena->slab);
    *range = (wi_range){.bytes = bytes, .root = root, .priority = range->priority};
    root->ordinal = arena->next_ordinal++;
    root->bytes = bytes;
    root->pool = pool & 3;
    root->first = range;
    root->prev = arena->last_root;
    if (root->prev != NULL)
        root->prev->next = root;
    else
        arena->first_root = root;
    arena->last_root = root;
    wi_root_index_add(&arena->roots, root);
    arena->strategy->ranges->insert(arena->index, range);
    arena->reserved_bytes += bytes;
    arena->unused_bytes += bytes;
    arena->root_count++;
    arena->acquired_count++;
    return WEIR_OK;
}

/* Gives back a wholly free root whose range is not in the index. */
static void release_root(wi_arena *arena, wi_arena_root *root)
{
    assert(root->used_bytes == 0 && root->first->next == NULL);
    wi_root_index_drop(&arena->roots, root);
    if (root->prev != NULL)
        root->prev->next = root->next;
    else
        arena->first_root = root->next;
    if (root->next != NULL)
        root->next->prev = root->prev;
    else
        arena->last_root = root->prev;
    arena->reserved_bytes -= root->bytes;
    arena->unused_bytes -= root->bytes;
    arena->root_count--;
    arena->released_count++;
    wi_range_slab_give(&arena->slab, root->first);
    arena->source.release(arena->source.user, root->token, root->bytes);
    wi_free(root);
}

void wi_arena_return_root(wi_arena *arena, wi_arena_root *root)
{
    arena->strategy->ranges->remove(arena->index, root->first);
    release_root(arena, root);
}

/* Gives back wholly free roots, the youngest first, from `oldest` on, while more than keep_bytes are reserved. */
static void release_unused(wi_arena *arena, uint64_t oldest, uint64_t keep_bytes)
{
    while (arena->unused_bytes != 0 && arena->reserved_bytes > keep_bytes) {
        wi_arena_root *root = wi_root_index_find_unused(&arena->roots);
        if (root == NULL || root->ordinal < oldest) break;
        wi_arena_return_root(arena, root);
    }
}

void wi_arena_return_roots(wi_arena *arena, uint64_t keep_bytes)
{
    release_unused(arena, 0, keep_bytes);
}

/* Lets the strategy take roots for a request; all of them or none. */
static weir_status grow(wi_arena *arena, uint64_t bytes)
{
    const wi_growth before = arena->growth;
    const uint64_t oldest = arena->next_ordinal;
    weir_status status;

    arena->was_refused = 0;
    status = arena->strategy->grow(arena, bytes);
    if (status != WEIR_OK) {
        release_unused(arena, oldest, 0);
        arena->growth = before;
    }
    return status;
}

static int drain(wi_arena *arena, uint64_t bytes)
{
    (void)bytes;
    return arena->source.drain != NULL && arena->source.drain(arena->source.user);
}

static int return_unused(wi_arena *arena, uint64_t bytes)
{
    const uint64_t remaining = wi_arena_get_remaining(arena);
    const uint64_t unused = arena->unused_bytes;

    if (unused == 0 || (bytes > remaining && bytes - remaining > unused)) return 0;
    release_unused(arena, 0, 0);
    return 1;
}

/* In this order; each but a drain is repeated while it changes something: a try may take roots for nothing and give them
 * back, and what is waited for then is no progress. Roots that a step gave back may stay counted until
 * their commands have ended, hence the drains between. */
static const struct failure_step {
    unsigned flag;
    int (*run)(wi_arena *arena, uint64_t bytes); /* returns 1 if another try makes sense */
} failure_steps[] = {
    {WI_STEP_DRAIN, drain},          {WI_STEP_RETURN, return_unused},
    {WI_STEP_DRAIN, drain},          {WI_STEP_COMPACT, wi_compact_for},
    {WI_STEP_RETURN, return_unused}, {WI_STEP_DRAIN, drain},
};

/* Searches and grows as `steps` allow; what the rules of the search pass over is taken when growth fails. */
static weir_status try_again(wi_arena *arena, uint64_t bytes, unsigned steps, wi_range **out)
{
    const wi_range_index *ranges = arena->strategy->ranges;
    weir_status status;

    if ((steps & WI_STEP_SEARCH) != 0) *out = ranges->find(arena->index, bytes);
    if (*out != NULL) return WEIR_OK;
    if ((steps & WI_STEP_GROW) == 0) return WEIR_E_OUT_OF_MEMORY;
    status = grow(arena, bytes);
    if (status == WEIR_E_OUT_OF_MEMORY && ranges->find_any != NULL) {
        *out = ranges->find_any(arena->index, bytes);
        if (*out != NULL) return WEIR_OK;
    }
    if (status != WEIR_OK) return status;
    *out = ranges->find(arena->index, bytes);
    assert(*out != NULL);
    return *out != NULL ? WEIR_OK : WEIR_E_OUT_OF_MEMORY;
}

/* Finds a free range of at least `bytes`, or makes room for one. */
static weir_status find_room(wi_arena *arena, uint64_t bytes, wi_range **out)
{
    const unsigned steps = arena->strategy->failure_steps;
    weir_status status;

    arena->met_pinned = 0;
    status = try_again(arena, bytes, WI_STEP_SEARCH | WI_STEP_GROW, out);

    for (size_t i = 0; i < sizeof failure_steps / sizeof failure_steps[0]; ++i) {
        if ((steps & failure_steps[i].flag) == 0) continue;
        while (status == WEIR_E_OUT_OF_MEMORY && failure_steps[i].run(arena, bytes)) {
            status = try_again(arena, bytes, steps, out);
            if (failure_steps[i].flag == WI_STEP_DRAIN) break;
        }
    }
    return status;
}

static void end_stretch(wi_arena *arena)
{
    wi_recent *recent = &arena->recent;

    recent->before_bytes = recent->now_bytes;
    recent->now_bytes = arena->in_use_bytes;
    recent->requests = 0;
    if (arena->strategy->settle != NULL) arena->strategy->settle(arena);
}

/* Follows the use by one request, which got a range: a stretch ends after so many. */
static inline void note_use(wi_arena *arena, const wi_range *range)
{
    wi_recent *recent = &arena->recent;

    arena->allocated_bytes += range->bytes;
    if (arena->in_use_bytes > recent->now_bytes) recent->now_bytes = arena->in_use_bytes;
    if (++recent->requests >= WI_STRETCH_REQUESTS) end_stretch(arena);
}

/* Gives a free range another place and size. */
static void resize(wi_arena *arena, wi_range *range, uint64_t offset_bytes, uint64_t bytes)
{
    const wi_range_index *ranges = arena->strategy->ranges;
    const int is_hidden = range->root->is_victim;

    if (ranges->resize != NULL && !is_hidden) {
        ranges->resize(arena->index, range, offset_bytes, bytes);
        return;
    }
    if (!is_hidden) ranges->remove(arena->index, range);
    range->offset_bytes = offset_bytes;
    range->bytes = bytes;
    if (!is_hidden) ranges->insert(arena->index, range);
}

/* Cuts the front off a free range, which stays in the index as what is left. */
static wi_range *cut_front(wi_arena *arena, wi_range *range, uint64_t bytes)
{
    wi_range *front = wi_range_slab_take(&arena->slab);

    front->offset_bytes = range->offset_bytes;
    front->bytes = bytes;
    front->root = range->root;
    front->holder = NULL;
    front->used_by = range->used_by;
    front->used_until = range->used_until;
    front->prev = range->prev;
    front->next = range;
    if (front->prev != NULL)
        front->prev->next = front;
    else
        range->root->first = front;
    range->prev = front;
    resize(arena, range, range->offset_bytes + bytes, range->bytes - bytes);
    return front;
}

/* Says that the use of a root changes; not said of a range that is kept and handed out again as it is. */
static void note_change(wi_arena *arena, wi_arena_root *root)
{
    if (!root->is_changed && !root->is_aside) wi_root_index_change(&arena->roots, root);
}

/* A free range that is in no index comes into use. */
static void count_in(wi_arena *arena, wi_range *range, uint64_t requested)
{
    wi_arena_root *root = range->root;

    if (root->used_bytes == 0) arena->unused_bytes -= root->bytes;
    range->requested_bytes = requested;
    root->used_bytes += range->bytes;
    arena->in_use_bytes += range->bytes;
    arena->requested_bytes += requested;
}

wi_range *wi_arena_carve(wi_arena *arena, wi_range *range, uint64_t bytes, uint64_t requested)
{
    note_change(arena, range->root);
    if (range->bytes > bytes && arena->strategy->splits(arena, range, bytes))
        range = cut_front(arena, range, bytes);
    else
        arena->strategy->ranges->remove(arena->index, range);
    count_in(arena, range, requested);
    return range;
}

/* Drops a range from its root's chain; its bytes are about to be part of `into`. */
static void drop_range(wi_arena *arena, wi_range *range, wi_range *into)
{
    into->used_by |= range->used_by;
    if (into->used_until < range->used_until) into->used_until = range->used_until;
    if (range->prev != NULL)
        range->prev->next = range->next;
    else
        range->root->first = range->next;
    if (range->next != NULL) range->next->prev = range->prev;
    wi_range_slab_give(&arena->slab, range);
}

/* Puts a range that fell free into the index, as a part of a free neighbour where there is one; returns what it is part
 * of. The free ranges of a victim are in no index. */
static wi_range *join(wi_arena *arena, wi_range *range)
{
    const wi_range_index *ranges = arena->strategy->ranges;
    wi_range *prev = range->prev != NULL && wi_range_is_free(range->prev) ? range->prev : NULL;
    wi_range *next = range->next != NULL && wi_range_is_free(range->next) ? range->next : NULL;
    uint64_t bytes = range->bytes;

    if (prev == NULL && next == NULL) {
        if (!range->root->is_victim) ranges->insert(arena->index, range);
        return range;
    }
    drop_range(arena, range, prev != NULL ? prev : next);
    if (prev == NULL) {
        resize(arena, next, next->offset_bytes - bytes, next->bytes + bytes);
        return next;
    }
    if (next != NULL) {
        bytes += next->bytes;
        if (!next->root->is_victim) ranges->remove(arena->index, next);
        drop_range(arena, next, prev);
    }
    resize(arena, prev, prev->offset_bytes, prev->bytes + bytes);
    return prev;
}

/* Joins the range that was freed last with its neighbours. */
static void join_kept(wi_arena *arena)
{
    wi_range *range = arena->kept;

    if (range == NULL) return;
    arena->kept = NULL;
    note_change(arena, range->root);
    (void)join(arena, range);
}

/* Returns why a request that found no room did not. */
static weir_oom_cause cause_of(wi_arena *arena, uint64_t bytes)
{
    if ((arena->strategy->failure_steps & WI_STEP_COMPACT) != 0 &&
        wi_compact_is_pinned(arena, bytes))
        return WEIR_OOM_PINNED;
    if (arena->reserved_bytes - arena->in_use_bytes >= bytes) return WEIR_OOM_FRAGMENTED;
    return arena->was_refused ? WEIR_OOM_DRIVER : WEIR_OOM_LIMIT;
}

weir_status wi_arena_alloc_anew(wi_arena *arena, uint64_t rounded, uint64_t requested,
                                wi_range **out, weir_oom_cause *cause)
{
    wi_range *range = NULL;

    join_kept(arena);
    range = arena->strategy->ranges->find(arena->index, rounded);
    if (range == NULL) {
        weir_status status = find_room(arena, rounded, &range);
        if (status == WEIR_E_OUT_OF_MEMORY) *cause = cause_of(arena, rounded);
        if (status != WEIR_OK) return status;
    }
    if (arena->slab.unused_count < RANGES_FOR_CUT &&
        !wi_range_slab_reserve(&arena->slab, RANGES_FOR_CUT))
        return fail_host_memory();
    *out = wi_arena_carve(arena, range, rounded, requested);
    note_use(arena, *out);
    return WEIR_OK;
}

/* The range that was freed last is taken as it is, if it has the size; its root is in use. */
weir_status wi_arena_alloc(wi_arena *arena, uint64_t bytes, wi_range **out, weir_oom_cause *cause)
{
    wi_range *kept = arena->kept;
    uint64_t rounded = 0;

    *out = NULL;
    *cause = WEIR_OOM_NONE;
    if (bytes == 0) return wi_fail(WEIR_E_ARG, "wi_arena_alloc", "no bytes to place");
    if (!wi_align_u64(bytes, arena->unit_bytes, &rounded) || rounded > arena->max_root_bytes) {
        *cause = WEIR_OOM_MAX_ALLOC;
        return WEIR_E_OUT_OF_MEMORY;
    }
    if (kept == NULL || kept->bytes != rounded)
        return wi_arena_alloc_anew(arena, rounded, bytes, out, cause);
    arena->kept = NULL;
    count_in(arena, kept, bytes);
    *out = kept;
    note_use(arena, kept);
    return WEIR_OK;
}

/* A range in use falls free. */
static void uncount(wi_arena *arena, wi_range *range)
{
    wi_arena_root *root = range->root;

    assert(root != NULL && !wi_range_is_free(range));
    root->used_bytes -= range->bytes;
    arena->in_use_bytes -= range->bytes;
    arena->requested_bytes -= range->requested_bytes;
    range->requested_bytes = 0;
    range->holder = NULL;
    if (root->used_bytes == 0) arena->unused_bytes += root->bytes;
}

wi_range *wi_arena_uncarve(wi_arena *arena, wi_range *range)
{
    note_change(arena, range->root);
    uncount(arena, range);
    return join(arena, range);
}

void wi_arena_free_anew(wi_arena *arena, wi_range *range)
{
    wi_arena_root *root = range->root;

    join_kept(arena);
    uncount(arena, range);
    if (arena->strategy->keeps_last && root->used_bytes != 0) {
        arena->kept = range;
        return;
    }
    note_change(arena, root);
    (void)join(arena, range);
    if (root->used_bytes == 0 && arena->strategy->emptied != NULL)
        arena->strategy->emptied(arena, root);
}

void wi_arena_free(wi_arena *arena, wi_range *range)
{
    if (arena->kept != NULL || !arena->strategy->keeps_last ||
        range->root->used_bytes == range->bytes) {
        wi_arena_free_anew(arena, range);
        return;
    }
    uncount(arena, range);
    arena->kept = range;
}

void wi_arena_trim(wi_arena *arena, uint64_t keep_bytes)
{
    join_kept(arena);
    release_unused(arena, 0, keep_bytes);
    if (arena->root_count == 0) {
        arena->growth = (wi_growth){0};
        wi_range_slab_fini(&arena->slab); /* no range is left */
    }
    arena->recent = (wi_recent){.now_bytes = arena->in_use_bytes};
}

/* Returns what the range that was freed last would be, joined. */
static uint64_t kept_bytes(const wi_arena *arena)
{
    const wi_range *range = arena->kept;
    uint64_t bytes;

    if (range == NULL) return 0;
    bytes = range->bytes;
    if (range->prev != NULL && wi_range_is_free(range->prev)) bytes += range->prev->bytes;
    if (range->next != NULL && wi_range_is_free(range->next)) bytes += range->next->bytes;
    return bytes;
}

uint64_t wi_arena_lend(wi_arena *arena, uint64_t bytes)
{
    const uint64_t before = arena->reserved_bytes;

    if ((arena->strategy->failure_steps & WI_STEP_LEND) == 0) return 0;
    release_unused(arena, 0, bytes < before ? before - bytes : 0);
    if (arena->root_count == 0) arena->growth = (wi_growth){0};
    return before - arena->reserved_bytes;
}

void wi_arena_get_stats(const wi_arena *arena, wi_arena_stats *out)
{
    const wi_range *indexed = arena->strategy->ranges->largest(arena->index);
    const uint64_t kept = kept_bytes(arena);
    const uint64_t largest = indexed != NULL ? indexed->bytes : 0;

    *out = (wi_arena_stats){
        .requested_bytes = arena->requested_bytes,
        .in_use_bytes = arena->in_use_bytes,
        .reserved_bytes = arena->reserved_bytes,
        .largest_free_bytes = kept > largest ? kept : largest,
        .free_bytes = arena->reserved_bytes - arena->in_use_bytes,
        .root_count = arena->root_count,
        .acquired_count = arena->acquired_count,
        .released_count = arena->released_count,
        .compactions = arena->compactions,
        .moved_bytes = arena->moved_bytes,
    };
}
