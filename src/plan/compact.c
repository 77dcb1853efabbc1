/* Compaction by evacuation: never within a root, where copies could overlap.
 *
 * A pass hides the victims' free ranges from the index, keeps a place elsewhere for each of their blocks, the largest
 * first, and only then moves: bytes are not copied for nothing when the last block finds no room. A block keeps its range;
 * range and kept place change places in the lists of neighbours. What finds no hole goes to new roots. The
 * links of the index are unused in ranges in use, so a pass needs no memory but for the ranges that are cut. The arena's
 * caller locks.
 */
#include "plan/compact.h"

#include "plan/range_tree.h"
#include "plan/strategy_rules.h"

#include <limits.h>
#include <stddef.h>

#define NEW_ROOT_SHARE 64u /* of what is reserved: a new root for several blocks is no larger */
#define NEW_ROOT_LEAST_BYTES (UINT64_C(2) << 20)
#define TRIES_MOST 32        /* passes for one request that find no place for some block */
#define GAIN_LEAST_SHARE 64u /* of a root: less is not worth a pass */

/* How a pass ended. */
typedef enum outcome {
    PASS_DONE,
    PASS_NO_PLACE, /* for some block; nothing was moved */
    PASS_STOPPED   /* blocks cannot be moved now, or the driver refused a root for them */
} outcome;

/* What a pass is about to do. Ranges are linked by `right`; `left` of one in `placed` is the place kept for it. */
typedef struct pass {
    wi_range *placed;
    wi_range *homeless;
    uint64_t homeless_bytes;
} pass;

/* Puts the roots back that were set aside, but for spared ones unless with_spared. */
static void put_back(wi_arena *arena, int with_spared)
{
    wi_arena_root *next;

    for (wi_arena_root *root = arena->roots.aside; root != NULL; root = next) {
        next = wi_root_index_next_aside(root);
        if (root->is_spared && !with_spared) continue;
        root->is_spared = 0;
        wi_root_index_put_back(&arena->roots, root);
    }
}

/* Ends what is done for one request. */
static void unmark(wi_arena *arena)
{
    while (wi_root_index_take_victim(&arena->roots) != NULL) continue;
    put_back(arena, 1);
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
    wi_arena_root *root;

    while ((root = wi_root_index_take_victim(&arena->roots)) != NULL) {
        for (wi_range *range = root->first; range != NULL; range = range->next) {
            if (wi_range_is_free(range)) arena->strategy->ranges->insert(arena->index, range);
        }
        if (root->used_bytes == 0) wi_root_index_put_back(&arena->roots, root);
    }
}

/* Keeps a place for each block of the victims. */
static void keep_places(wi_arena *arena, pass *out)
{
    const wi_range_index *ranges = arena->strategy->ranges;
    wi_range_tree waiting = {0};
    wi_arena_root *root;
    wi_range *range;

    *out = (pass){0};
    while ((root = wi_root_index_find_unused(&arena->roots)) != NULL) { /* no place for others */
        wi_root_index_set_aside(&arena->roots, root);
        wi_root_index_add_victim(&arena->roots, root);
    }
    for (root = arena->roots.aside; root != NULL; root = wi_root_index_next_aside(root)) {
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

/* Takes a root for the next of the blocks that found no place. Returns 0 if there is none to be had. */
static int house_next(wi_arena *arena, pass *it, uint64_t most_bytes)
{
    uint64_t bytes = it->homeless->bytes;
    wi_range *rest;

    for (const wi_range *range = it->homeless->right;
         range != NULL && bytes + range->bytes <= most_bytes; range = range->right)
        bytes += range->bytes;
    if (wi_arena_take_root(arena, bytes, it->homeless->root->pool) != WEIR_OK) return 0;
    rest = arena->last_root->first;
    for (wi_range *range = it->homeless; bytes != 0 && range != NULL; range = it->homeless) {
        it->homeless = range->right;
        bytes -= range->bytes;
        range->left = wi_arena_carve(arena, rest, range->bytes, range->requested_bytes);
        range->right = it->placed;
        it->placed = range;
    }
    return 1;
}

/* Takes roots for the blocks that found no place, none so large that it could hardly be emptied itself. Returns 1 if each
 * block has a place then. */
static int house_homeless(wi_arena *arena, pass *it)
{
    uint64_t most = arena->reserved_bytes / NEW_ROOT_SHARE;

    if (most < NEW_ROOT_LEAST_BYTES) most = NEW_ROOT_LEAST_BYTES;
    if (most > arena->max_root_bytes) most = arena->max_root_bytes;
    while (it->homeless != NULL) {
        if (!house_next(arena, it, most)) return 0;
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

    for (const wi_arena_root *root = arena->roots.aside; root != NULL;
         root = wi_root_index_next_aside(root)) {
        if (!root->is_victim) continue;
        for (const wi_range *range = root->first; range != NULL; range = range->next)
            count += !wi_range_is_free(range);
    }
    return wi_range_slab_reserve(&arena->slab, count);
}

/* Gives the new roots back that nothing is in. */
static void drop_new_roots(wi_arena *arena, uint64_t ordinal)
{
    wi_arena_root *root = arena->last_root;

    while (root != NULL && root->ordinal >= ordinal) {
        wi_arena_root *prev = root->prev;
        if (root->used_bytes == 0) wi_arena_return_root(arena, root);
        root = prev;
    }
}

/* A later try does without the roots of these. */
static void spare_homeless(const pass *it)
{
    for (const wi_range *range = it->homeless; range != NULL; range = range->right)
        range->root->is_spared = 1;
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
        }
        source->end_moves(source->user);
        drop_new_roots(arena, ordinal);
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
    if (it.homeless_bytes > new_most_bytes) {
        spare_homeless(&it);
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

/* Returns 1 if a block of this root has to stay where it is. */
static int has_pinned(const wi_arena *arena, const wi_arena_root *root)
{
    const wi_root_source *source = &arena->source;

    if (source->can_move == NULL) return 0;
    for (const wi_range *range = root->first; range != NULL; range = range->next) {
        if (!wi_range_is_free(range) && !source->can_move(source->user, range)) return 1;
    }
    return 0;
}

/* Returns 1 if a root may not be emptied for a block that has to stay; *left: how many such roots may still be met. */
static int passes_over(wi_arena *arena, const wi_arena_root *root, int is_dry, unsigned *left)
{
    if (is_dry || !has_pinned(arena, root)) return 0;
    arena->met_pinned = 1;
    (*left)--;
    return 1;
}

/* The next root of a search that may be emptied; NULL if there is none. */
static wi_arena_root *next_whole(wi_arena *arena, wi_root_search *search, int is_dry,
                                 unsigned *pinned_left)
{
    wi_arena_root *root = NULL;

    while (*pinned_left != 0) {
        root = wi_root_index_take_least_used(&arena->roots, search);
        if (root == NULL || !passes_over(arena, root, is_dry, pinned_left)) return root;
    }
    return NULL;
}

/* Returns the bytes that have to be given back for the request. */
static uint64_t lacking_for(const wi_compaction *wanted)
{
    return wanted->bytes > wanted->room_bytes ? wanted->bytes - wanted->room_bytes : wanted->bytes;
}

/* Makes victims of roots of `bytes` or more together, those of which the least share is in use, so that the fewest bytes
 * have to be moved for one that is gained. Returns their bytes: less if there are no more, or if more than
 * move_most_bytes would have to be moved; *used_bytes: what has to be. */
static uint64_t mark_several(wi_arena *arena, const wi_compaction *wanted, int is_dry,
                             uint64_t *used_bytes)
{
    const uint64_t lacking = lacking_for(wanted);
    unsigned pinned_left = wanted->pinned_most;
    wi_arena_root *root;
    uint64_t sum = 0;

    *used_bytes = 0;
    put_back(arena, 0);
    while (sum < lacking && pinned_left != 0 &&
           (root = wi_root_index_take_cheapest(&arena->roots)) != NULL) {
        if (passes_over(arena, root, is_dry, &pinned_left)) continue;
        if (root->used_bytes > wanted->move_most_bytes - *used_bytes) break;
        wi_root_index_add_victim(&arena->roots, root);
        sum += root->bytes;
        *used_bytes += root->used_bytes;
    }
    return sum;
}

static outcome empty_whole(wi_arena *arena, const wi_compaction *wanted, int is_dry)
{
    wi_root_search search = {.bytes = wanted->bytes};
    unsigned pinned_left = wanted->pinned_most;
    outcome ended = PASS_NO_PLACE;

    for (unsigned i = 0; i < wanted->tries_most && ended == PASS_NO_PLACE; ++i) {
        wi_arena_root *root = next_whole(arena, &search, is_dry, &pinned_left);
        if (root == NULL || root->used_bytes > wanted->move_most_bytes) break;
        wi_root_index_add_victim(&arena->roots, root);
        ended = run_pass(arena, wanted->room_bytes, is_dry);
    }
    unmark(arena);
    return ended;
}

/* A root whose block found no place is spared in the next try. */
static outcome empty_several(wi_arena *arena, const wi_compaction *wanted, int is_dry)
{
    const uint64_t lacking = lacking_for(wanted);
    outcome ended = PASS_NO_PLACE;

    for (unsigned i = 0; i < wanted->tries_most && ended == PASS_NO_PLACE; ++i) {
        uint64_t used;
        const uint64_t sum = mark_several(arena, wanted, is_dry, &used);
        const uint64_t spare = sum - lacking;

        if (sum < lacking || used == 0) break;
        ended = run_pass(arena, spare < wanted->room_bytes ? spare : wanted->room_bytes, is_dry);
    }
    unmark(arena);
    return ended;
}

/* Returns 1 if the request does not fit even if all that is free lay together. */
static int is_hopeless(const wi_arena *arena, const wi_compaction *wanted)
{
    const uint64_t free_bytes = arena->reserved_bytes - arena->in_use_bytes;

    return wanted->bytes > wanted->room_bytes && wanted->bytes - wanted->room_bytes > free_bytes;
}

/* Empties one root that holds the request, or several that make room for it when they are given back: what moves less is
 * tried first. PASS_DONE if that was done. */
static outcome make_room(wi_arena *arena, const wi_compaction *wanted, int is_dry)
{
    const uint64_t lacking = lacking_for(wanted);
    wi_root_search search = {.bytes = wanted->bytes};
    unsigned pinned_left = wanted->pinned_most;
    const wi_arena_root *whole = next_whole(arena, &search, is_dry, &pinned_left);
    outcome ended = PASS_NO_PLACE;
    uint64_t used;
    const int is_enough = mark_several(arena, wanted, is_dry, &used) >= lacking;
    const int is_whole_first = whole != NULL && (!is_enough || whole->used_bytes <= used);

    unmark(arena);
    if (is_enough && used == 0) return PASS_STOPPED; /* free as they are: nothing to move */
    if (is_whole_first) ended = empty_whole(arena, wanted, is_dry);
    if (ended == PASS_NO_PLACE) ended = empty_several(arena, wanted, is_dry);
    if (ended == PASS_NO_PLACE && !is_whole_first) ended = empty_whole(arena, wanted, is_dry);
    return ended;
}

int wi_compact_within(wi_arena *arena, const wi_compaction *wanted)
{
    return arena->source.begin_moves != NULL && !is_hopeless(arena, wanted) &&
           make_room(arena, wanted, 0) == PASS_DONE;
}

/* What a request that failed lacks, whatever it takes. */
static wi_compaction at_any_price(const wi_arena *arena, uint64_t bytes)
{
    return (wi_compaction){.bytes = bytes,
                           .room_bytes = arena->was_refused ? 0 : wi_arena_get_remaining(arena),
                           .move_most_bytes = UINT64_MAX,
                           .tries_most = TRIES_MOST,
                           .pinned_most = UINT_MAX};
}

/* New roots for the blocks are no larger than what is in use of the emptied one, so each pass gains. */
int wi_compact_gain(wi_arena *arena)
{
    const wi_compaction any = {.bytes = 1, .move_most_bytes = UINT64_MAX, .pinned_most = UINT_MAX};
    const uint64_t room = arena->was_refused ? 0 : wi_arena_get_remaining(arena);
    const uint64_t before = arena->reserved_bytes;
    outcome ended = PASS_NO_PLACE;

    if (arena->source.begin_moves == NULL) return 0;
    for (unsigned i = 0; i < TRIES_MOST && ended == PASS_NO_PLACE; ++i) {
        uint64_t used;
        const uint64_t bytes = mark_several(arena, &any, 0, &used); /* one root */

        if (bytes == used || bytes - used < bytes / GAIN_LEAST_SHARE) break;
        ended = run_pass(arena, room, 0);
    }
    unmark(arena);
    if (ended != PASS_DONE) return 0;
    wi_arena_return_roots(arena, 0);
    return arena->reserved_bytes < before;
}

int wi_compact_for(wi_arena *arena, uint64_t bytes)
{
    const wi_root_source *source = &arena->source;
    const wi_compaction wanted = at_any_price(arena, bytes);
    outcome ended = PASS_STOPPED;

    if (source->begin_moves != NULL && !is_hopeless(arena, &wanted))
        ended = make_room(arena, &wanted, 0);
    if (ended != PASS_NO_PLACE) return ended == PASS_DONE;
    if (!wi_compact_gain(arena)) return 0;
    if (source->drain != NULL) (void)source->drain(source->user);
    return 1;
}

int wi_compact_is_pinned(wi_arena *arena, uint64_t bytes)
{
    const wi_compaction wanted = at_any_price(arena, bytes);

    return arena->met_pinned && !is_hopeless(arena, &wanted) &&
           make_room(arena, &wanted, 1) == PASS_DONE;
}
