/* Compaction by evacuation: never within a root, where copies could overlap.
 *
 * A pass hides the victims' free ranges from the index, keeps a place elsewhere for each of their blocks, the largest
 * first, and only then moves: bytes are not copied for nothing when the last block finds no room. A block keeps its range;
 * range and kept place change places in the lists of neighbours. What finds no hole goes together to one new root. The
 * links of the index are unused in ranges in use, so a pass needs no memory but for the ranges that are cut. The arena's
 * caller locks.
 */
#include "plan/compact.h"

#include "plan/range_tree.h"
#include "plan/strategy_rules.h"

#include <stddef.h>

#define TRIES_MOST 32 /* passes for one request that find no place for some block */

/* How a pass ended. */
typedef enum outcome {
    PASS_DONE,
    PASS_NO_PLACE, /* for some block; nothing was moved */
    PASS_STOPPED   /* blocks cannot be moved now */
} outcome;

/* What a pass is about to do. Ranges are linked by `right`; `left` of one in `placed` is the place kept for it. */
typedef struct pass {
    wi_range *placed;
    wi_range *homeless;
    uint64_t homeless_bytes;
} pass;

static void unmark(const wi_arena *arena)
{
    for (wi_arena_root *root = arena->first_root; root != NULL; root = root->next)
        root->is_victim = root->is_spared = 0;
}

static void hide_free(wi_arena *arena, const wi_arena_root *root)
{
    for (wi_range *range = root->first; range != NULL; range = range->next) {
        if (wi_range_is_free(range)) arena->strategy->ranges->remove(arena->index, range);
    }
}

/* Ends a pass: the victims are roots like others. */
static void show_victims(wi_arena *arena)
{
    for (wi_arena_root *root = arena->first_root; root != NULL; root = root->next) {
        if (!root->is_victim) continue;
        root->is_victim = 0;
        for (wi_range *range = root->first; range != NULL; range = range->next) {
            if (wi_range_is_free(range)) arena->strategy->ranges->insert(arena->index, range);
        }
    }
}

/* Keeps a place for each block of the victims. */
static void keep_places(wi_arena *arena, pass *out)
{
    const wi_range_index *ranges = arena->strategy->ranges;
    wi_range_tree waiting = {0};
    wi_range *range;

    *out = (pass){0};
    for (wi_arena_root *root = arena->first_root; root != NULL; root = root->next) {
        if (root->used_bytes == 0) root->is_victim = 1; /* no place for others */
        if (!root->is_victim) continue;
        hide_free(arena, root);
        for (range = root->first; range != NULL; range = range->next) {
            if (!wi_range_is_free(range)) wi_range_tree_insert(&waiting, range);
        }
    }
    while ((range = wi_range_tree_last(&waiting)) != NULL) {
        wi_range *hole = ranges->find(arena->index, range->bytes);

        wi_range_tree_remove(&waiting, range);
        if (hole == NULL && ranges->find_any != NULL)
            hole = ranges->find_any(arena->index, range->bytes);
        if (hole != NULL) {
            range->left = wi_arena_carve(arena, hole, range->bytes, range->requested_bytes);
            range->right = out->placed;
            out->placed = range;
        } else {
            range->right = out->homeless;
            out->homeless = range;
            out->homeless_bytes += range->bytes;
        }
    }
}

/* Takes a root for the blocks that found no place. Returns 1 if each has one then. */
static int house_homeless(wi_arena *arena, pass *it)
{
    wi_range *rest;

    if (it->homeless == NULL) return 1;
    if (wi_arena_take_root(arena, it->homeless_bytes, it->homeless->root->pool) != WEIR_OK)
        return 0;
    rest = arena->last_root->first;
    while (it->homeless != NULL) {
        wi_range *range = it->homeless;

        it->homeless = range->right;
        range->left = wi_arena_carve(arena, rest, range->bytes, range->requested_bytes);
        range->right = it->placed;
        it->placed = range;
    }
    return 1;
}

/* Gives up the places that are kept, from `range` on. */
static void drop_places(wi_arena *arena, wi_range *range)
{
    for (; range != NULL; range = range->right) (void)wi_arena_uncarve(arena, range->left);
}

/* Puts a range where another was in its root's list. */
static void relink(wi_range *range, wi_range *where)
{
    range->root = where->root;
    range->offset_bytes = where->offset_bytes;
    range->bytes = where->bytes;
    range->used_by = where->used_by;
    range->used_until = where->used_until;
    range->prev = where->prev;
    range->next = where->next;
}

static void link_neighbours(wi_range *range)
{
    if (range->prev != NULL)
        range->prev->next = range;
    else
        range->root->first = range;
    if (range->next != NULL) range->next->prev = range;
}

/* The block is at the kept place now: range and place, which are in different roots, change places. */
static void exchange(wi_arena *arena, wi_range *range, wi_range *place)
{
    wi_range here = *range;

    relink(range, place);
    relink(place, &here);
    link_neighbours(range);
    link_neighbours(place);
    (void)wi_arena_uncarve(arena, place);
}

/* Moves all blocks that have a place. Returns 1 if all were moved. */
static int move_all(wi_arena *arena, const pass *it)
{
    const wi_root_source *source = &arena->source;
    wi_range *range = it->placed;
    int has_moved = 0;

    while (range != NULL) {
        wi_range *next = range->right;
        wi_range *place = range->left;
        const wi_placement to = wi_range_get_placement(place);

        if (source->move(source->user, range, &to) != WEIR_OK) break;
        arena->moved_bytes += range->bytes;
        exchange(arena, range, place);
        has_moved = 1;
        range = next;
    }
    arena->compactions += (uint64_t)has_moved;
    drop_places(arena, range);
    return range == NULL;
}

/* Has the ranges ready that a pass cuts. Returns 0 for want of host memory. */
static int reserve_ranges(wi_arena *arena)
{
    size_t count = 2; /* a new root's */

    for (const wi_arena_root *root = arena->first_root; root != NULL; root = root->next) {
        if (!root->is_victim) continue;
        for (const wi_range *range = root->first; range != NULL; range = range->next)
            count += !wi_range_is_free(range);
    }
    return wi_range_slab_reserve(&arena->slab, count);
}

/* Gives a new root back if nothing is in it. */
static void drop_new_root(wi_arena *arena, uint64_t ordinal)
{
    wi_arena_root *root = arena->last_root;

    if (root != NULL && root->ordinal >= ordinal && root->used_bytes == 0)
        wi_arena_return_root(arena, root);
}

static outcome move_if_allowed(wi_arena *arena, pass *it)
{
    const wi_root_source *source = &arena->source;
    const uint64_t ordinal = arena->next_ordinal;
    outcome ended = PASS_STOPPED;

    if (source->begin_moves(source->user)) {
        if (house_homeless(arena, it)) {
            if (move_all(arena, it)) ended = PASS_DONE;
        } else {
            drop_places(arena, it->placed);
            ended = PASS_NO_PLACE;
        }
        source->end_moves(source->user);
        drop_new_root(arena, ordinal);
    } else {
        drop_places(arena, it->placed);
    }
    return ended;
}

/* A pass over the victims; is_dry: only tells whether all of their blocks would have a place. */
static outcome run_pass(wi_arena *arena, uint64_t new_most_bytes, int is_dry)
{
    outcome ended = PASS_DONE;
    pass it;

    if (!reserve_ranges(arena)) {
        unmark(arena);
        return PASS_STOPPED;
    }
    keep_places(arena, &it);
    if (it.homeless_bytes > new_most_bytes || it.homeless_bytes > arena->max_root_bytes) {
        for (const wi_range *range = it.homeless; range != NULL; range = range->right)
            range->root->is_spared = 1;
        drop_places(arena, it.placed);
        ended = PASS_NO_PLACE;
    } else if (is_dry) {
        drop_places(arena, it.placed);
    } else {
        ended = move_if_allowed(arena, &it);
    }
    show_victims(arena);
    return ended;
}

int wi_compact_victims(wi_arena *arena, uint64_t new_most_bytes)
{
    const outcome ended = run_pass(arena, new_most_bytes, 0);

    unmark(arena);
    return ended == PASS_DONE;
}

int wi_compact_has_pinned(const wi_arena *arena, const wi_arena_root *root)
{
    const wi_root_source *source = &arena->source;

    if (source->can_move == NULL) return 0;
    for (const wi_range *range = root->first; range != NULL; range = range->next) {
        if (!wi_range_is_free(range) && !source->can_move(source->user, range)) return 1;
    }
    return 0;
}

/* The root of least used_bytes that has at least `bytes`, after `before` in that order; NULL if there is none. */
static wi_arena_root *next_whole(const wi_arena *arena, uint64_t bytes, const wi_arena_root *before,
                                 int is_dry)
{
    wi_arena_root *best = NULL;

    for (wi_arena_root *root = arena->first_root; root != NULL; root = root->next) {
        if (root->used_bytes == 0 || root->bytes < bytes) continue;
        if (before != NULL &&
            (root->used_bytes != before->used_bytes ? root->used_bytes < before->used_bytes
                                                    : root->ordinal <= before->ordinal))
            continue;
        if (best != NULL && root->used_bytes >= best->used_bytes) continue;
        if (is_dry || !wi_compact_has_pinned(arena, root)) best = root;
    }
    return best;
}

/* The share of a root that is in use: what has to be moved for a byte. */
static double share_of(const wi_arena_root *root)
{
    return (double)root->used_bytes / (double)root->bytes;
}

/* The root of least share that is no victim yet; the oldest of several. */
static wi_arena_root *next_cheapest(const wi_arena *arena, int is_dry)
{
    wi_arena_root *best = NULL;

    for (wi_arena_root *root = arena->first_root; root != NULL; root = root->next) {
        if (root->is_victim || root->is_spared ||
            (best != NULL && share_of(root) >= share_of(best)))
            continue;
        if (is_dry || !wi_compact_has_pinned(arena, root)) best = root;
    }
    return best;
}

/* Marks roots of `bytes` or more together, those that are cheapest to empty. Returns their bytes, less if there are no
 * more; *used_bytes: what has to be moved. */
static uint64_t mark_several(const wi_arena *arena, uint64_t bytes, int is_dry,
                             uint64_t *used_bytes)
{
    wi_arena_root *root;
    uint64_t sum = 0;

    *used_bytes = 0;
    while (sum < bytes && (root = next_cheapest(arena, is_dry)) != NULL) {
        root->is_victim = 1;
        sum += root->bytes;
        *used_bytes += root->used_bytes;
    }
    return sum;
}

static outcome empty_whole(wi_arena *arena, uint64_t bytes, int is_dry)
{
    wi_arena_root *root = next_whole(arena, bytes, NULL, is_dry);
    outcome ended = PASS_NO_PLACE;

    for (int i = 0; root != NULL && i < TRIES_MOST && ended == PASS_NO_PLACE; ++i) {
        root->is_victim = 1;
        ended = run_pass(arena, wi_arena_get_remaining(arena), is_dry);
        root = next_whole(arena, bytes, root, is_dry);
    }
    unmark(arena);
    return ended;
}

/* A root whose block found no place is spared in the next try. */
static outcome empty_several(wi_arena *arena, uint64_t bytes, int is_dry)
{
    outcome ended = PASS_NO_PLACE;

    for (int i = 0; i < TRIES_MOST && ended == PASS_NO_PLACE; ++i) {
        const uint64_t remaining = wi_arena_get_remaining(arena);
        uint64_t used;
        const uint64_t sum = mark_several(arena, bytes, is_dry, &used);

        if (sum < bytes || used == 0) break;
        ended = run_pass(arena, sum - bytes < remaining ? sum - bytes : remaining, is_dry);
    }
    unmark(arena);
    return ended;
}

/* Empties one root that holds the request, or several that make room for it when they are given back: what moves less is
 * tried first. Returns 1 if that was done. */
static int make_room(wi_arena *arena, uint64_t bytes, int is_dry)
{
    const uint64_t remaining = arena->was_refused ? 0 : wi_arena_get_remaining(arena);
    const uint64_t lacking = bytes > remaining ? bytes - remaining : bytes;
    const wi_arena_root *whole = next_whole(arena, bytes, NULL, is_dry);
    outcome ended = PASS_NO_PLACE;
    uint64_t used;
    const int is_enough = mark_several(arena, lacking, is_dry, &used) >= lacking;
    const int is_whole_first = whole != NULL && (!is_enough || whole->used_bytes <= used);

    unmark(arena);
    if (is_enough && used == 0) return 0; /* free as they are: nothing to move */
    if (is_whole_first) ended = empty_whole(arena, bytes, is_dry);
    if (ended == PASS_NO_PLACE) ended = empty_several(arena, lacking, is_dry);
    if (ended == PASS_NO_PLACE && !is_whole_first) ended = empty_whole(arena, bytes, is_dry);
    return ended == PASS_DONE;
}

int wi_compact_for(wi_arena *arena, uint64_t bytes)
{
    return arena->source.begin_moves != NULL && make_room(arena, bytes, 0);
}

int wi_compact_is_pinned(wi_arena *arena, uint64_t bytes)
{
    int has_pinned = 0;

    if (arena->source.begin_moves == NULL) return 0;
    for (const wi_arena_root *root = arena->first_root; root != NULL && !has_pinned;
         root = root->next)
        has_pinned = wi_compact_has_pinned(arena, root);
    return has_pinned && make_room(arena, bytes, 1);
}
