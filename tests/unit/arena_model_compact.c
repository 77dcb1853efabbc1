/* The naive arena's part for compaction: plans in arrays, victims found by sorting on sight. */
#include "arena_model_parts.h"

#include <limits.h>
#include <string.h>

typedef enum pass_end { DONE, NO_PLACE, STOPPED } pass_end;

typedef struct move {
    model_root *from, *to; /* to: NULL, homeless */
    uint64_t from_offset, to_offset, bytes;
} move;

static struct {
    move placed[MODEL_ROOTS * 8], homeless[MODEL_ROOTS * 8];
    size_t placed_count, homeless_count;
    uint64_t homeless_bytes;
} plan;

static uint64_t used_of(const model_root *root)
{
    uint64_t sum = 0;
    for (size_t p = 0; p < root->count; ++p)
        if (root->pieces[p].requested != 0) sum += root->pieces[p].bytes;
    return sum;
}

static model_piece *piece_at(model_root *root, uint64_t offset)
{
    size_t p = 0;
    while (root->pieces[p].offset != offset) ++p;
    return &root->pieces[p];
}

static int is_pinned(const model_root *root)
{
    for (size_t p = 0; p < root->count; ++p) {
        const fake_block *block = root->pieces[p].holder;
        if (root->pieces[p].requested != 0 && block != NULL && block->is_pinned) return 1;
    }
    return 0;
}

/* The largest block of a victim that has no place yet; of several, in the youngest root the last. */
static int next_block(const arena_model *model, move *out)
{
    out->bytes = 0;
    for (size_t r = 0; r < model->count; ++r) {
        model_root *root = model->roots[r];
        for (size_t p = 0; p < root->count && root->is_victim; ++p) {
            const model_piece *piece = &root->pieces[p];
            if (piece->requested == 0 || piece->is_planned || piece->bytes < out->bytes) continue;
            *out = (move){root, NULL, piece->offset, 0, piece->bytes};
        }
    }
    return out->bytes != 0;
}

static void put(arena_model *model, move *each, place at)
{
    const model_piece *block = piece_at(each->from, each->from_offset);

    each->to = model->roots[at.root];
    each->to_offset = each->to->pieces[at.piece].offset;
    model_carve(model, at, each->bytes, block->requested, NULL);
    plan.placed[plan.placed_count++] = *each;
}

static void make_plan(arena_model *model)
{
    move each;

    memset(&plan, 0, sizeof plan);
    for (size_t r = 0; r < model->count; ++r) {
        model_root *root = model->roots[r];
        if (model_is_unused(root)) root->is_victim = 1;
        for (size_t p = 0; p < root->count; ++p) root->pieces[p].is_planned = 0;
    }
    while (next_block(model, &each)) {
        place at;
        piece_at(each.from, each.from_offset)->is_planned = 1;
        if (model_search(model, each.bytes, &at) || model_search_any(model, each.bytes, &at)) {
            put(model, &each, at);
        } else {
            plan.homeless[plan.homeless_count++] = each;
            plan.homeless_bytes += each.bytes;
        }
    }
}

static void drop_plan(arena_model *model)
{
    while (plan.placed_count > 0) {
        const move *each = &plan.placed[--plan.placed_count];
        model_uncarve(model, each->to, each->to_offset);
    }
}

static int house(arena_model *model)
{
    uint64_t most = model_reserved(model) / 64;

    if (most < 2048 * 1024) most = 2048 * 1024;
    if (most > model->max_root) most = model->max_root;
    while (plan.homeless_count > 0) {
        const model_root *first = plan.homeless[plan.homeless_count - 1].from;
        uint64_t bytes = 0;
        size_t count = 0;

        while (count < plan.homeless_count) {
            const uint64_t next = plan.homeless[plan.homeless_count - 1 - count].bytes;
            if (count != 0 && bytes + next > most) break;
            bytes += next;
            count++;
        }
        if (!model_take(model, bytes)) {
            model->refused = 1;
            return 0;
        }
        model->roots[model->count - 1]->is_small = first->is_small;
        model->roots[model->count - 1]->is_alone = first->is_alone;
        for (size_t piece = 0; piece < count; ++piece) {
            move each = plan.homeless[--plan.homeless_count];
            put(model, &each, (place){model->count - 1, piece});
        }
    }
    return 1;
}

static int move_all(arena_model *model)
{
    fake_roots *source = model->source;
    int has_moved = 0;

    while (plan.placed_count > 0) {
        const move *each = &plan.placed[plan.placed_count - 1];
        model_piece *to = piece_at(each->to, each->to_offset);
        fake_block *block = piece_at(each->from, each->from_offset)->holder;

        if (source->fail_move_at != 0 && --source->fail_move_at == 0) break;
        source->move_count++;
        to->holder = block;
        block->at.root = each->to->token;
        block->at.offset_bytes = each->to_offset;
        block->at.bytes = to->bytes;
        model->moved += each->bytes;
        model_uncarve(model, each->from, each->from_offset);
        has_moved = 1;
        plan.placed_count--;
    }
    model->compactions += (uint64_t)has_moved;
    return plan.placed_count == 0;
}

static void unmark(arena_model *model)
{
    for (size_t r = 0; r < model->count; ++r)
        model->roots[r]->is_victim = model->roots[r]->is_spared = 0;
}

static void spare_homeless(void)
{
    for (size_t i = 0; i < plan.homeless_count; ++i) plan.homeless[i].from->is_spared = 1;
}

static pass_end run(arena_model *model, uint64_t new_most, int is_dry)
{
    const size_t before = model->count;
    pass_end end = DONE;

    make_plan(model);
    if (plan.homeless_bytes > new_most) {
        spare_homeless();
        end = NO_PLACE;
    } else if (!is_dry && model->source->no_moves) {
        end = STOPPED;
    } else if (!is_dry) {
        model->source->pass_count++;
        if (!house(model)) {
            end = STOPPED;
        } else if (!move_all(model)) {
            end = STOPPED;
        }
        drop_plan(model);
        for (size_t r = model->count; r-- > before;)
            if (model_is_unused(model->roots[r])) model_drop(model, r);
    }
    drop_plan(model);
    for (size_t r = 0; r < model->count; ++r) {
        model_root *root = model->roots[r];
        for (size_t p = 0; p < root->count && root->is_victim; ++p)
            if (root->pieces[p].requested == 0) root->pieces[p].stamp = ++model->clock;
        root->is_victim = 0;
    }
    return end;
}

/* The root that comes next by the bytes in use, then by age; NULL if all were looked at. */
static model_root *next_by_use(const arena_model *model)
{
    model_root *best = NULL;

    for (size_t r = 0; r < model->count; ++r) {
        model_root *root = model->roots[r];
        if (!root->is_passed && (best == NULL || used_of(root) < used_of(best))) best = root;
    }
    return best;
}

/* Number `skip` of the roots that hold the request, by bytes in use, then by age; NULL past the last. Of the class of the
 * request's size 32 are looked at, and no more than so many pinned ones of all. */
static model_root *whole(arena_model *model, const model_wish *wish, unsigned skip, int is_dry)
{
    unsigned of_class = 0;
    unsigned pinned = 0;
    unsigned found = 0;
    model_root *root;

    for (size_t r = 0; r < model->count; ++r) model->roots[r]->is_passed = 0;
    while ((root = next_by_use(model)) != NULL) {
        const unsigned class = model_class_of(root->bytes);
        root->is_passed = 1;
        if (used_of(root) == 0) continue;
        if (class == model_class_of(wish->bytes) && of_class++ >= 32) continue;
        if (root->bytes < wish->bytes) continue;
        if (!is_dry && is_pinned(root)) {
            model->met_pinned = 1;
            if (++pinned == wish->pinned) return NULL;
            continue;
        }
        if (found++ == skip) return root;
    }
    return NULL;
}

static pass_end try_whole(arena_model *model, const model_wish *wish, int is_dry)
{
    pass_end end = NO_PLACE;

    for (unsigned i = 0; i < wish->tries && end == NO_PLACE; ++i) {
        model_root *root = whole(model, wish, i, is_dry);
        if (root == NULL || used_of(root) > wish->move_most) break;
        root->is_victim = 1;
        end = run(model, wish->room, is_dry);
    }
    unmark(model);
    return end;
}

static uint64_t lacking(const model_wish *wish)
{
    return wish->bytes > wish->room ? wish->bytes - wish->room : wish->bytes;
}

/* Marks roots by the share in use until they suffice. Returns their bytes. */
static uint64_t mark(arena_model *model, const model_wish *wish, int is_dry, uint64_t *used)
{
    uint64_t sum = 0;
    unsigned pinned = 0;

    *used = 0;
    for (size_t r = 0; r < model->count; ++r) model->roots[r]->is_passed = 0;
    while (sum < lacking(wish) && pinned < wish->pinned) {
        model_root *best = NULL;
        for (size_t r = 0; r < model->count; ++r) {
            model_root *root = model->roots[r];
            if (root->is_victim || root->is_spared || root->is_passed) continue;
            if (best == NULL || (double)used_of(root) / (double)root->bytes <
                                    (double)used_of(best) / (double)best->bytes)
                best = root;
        }
        if (best == NULL) break;
        best->is_passed = 1;
        if (!is_dry && is_pinned(best)) {
            model->met_pinned = 1;
            pinned++;
            continue;
        }
        if (*used + used_of(best) > wish->move_most) break;
        best->is_victim = 1;
        sum += best->bytes;
        *used += used_of(best);
    }
    return sum;
}

static pass_end try_several(arena_model *model, const model_wish *wish, int is_dry)
{
    pass_end end = NO_PLACE;

    for (unsigned i = 0; i < wish->tries && end == NO_PLACE; ++i) {
        uint64_t used;
        const uint64_t sum = mark(model, wish, is_dry, &used);
        uint64_t most = wish->room;
        if (sum < lacking(wish) || used == 0) break;
        if (most > sum - lacking(wish)) most = sum - lacking(wish);
        end = run(model, most, is_dry);
    }
    unmark(model);
    return end;
}

static pass_end compact(arena_model *model, const model_wish *wish, int is_dry)
{
    const model_root *one = whole(model, wish, 0, is_dry);
    uint64_t used;
    const int is_enough = mark(model, wish, is_dry, &used) >= lacking(wish);
    pass_end end;

    unmark(model);
    if (is_enough && used == 0) return STOPPED;
    if (one != NULL && (!is_enough || used_of(one) <= used)) {
        end = try_whole(model, wish, is_dry);
        if (end == NO_PLACE) end = try_several(model, wish, is_dry);
    } else {
        end = try_several(model, wish, is_dry);
        if (end == NO_PLACE) end = try_whole(model, wish, is_dry);
    }
    return end;
}

/* Whether the request fits if all that is free lay together. */
static int is_enough_free(const arena_model *model, const model_wish *wish)
{
    return model_reserved(model) - model_in_use(model) + wish->room >= wish->bytes;
}

int model_compact(arena_model *model, const model_wish *wish)
{
    return model->moves && is_enough_free(model, wish) && compact(model, wish, 0) == DONE;
}

int model_gain(arena_model *model)
{
    const model_wish any = {1, 0, UINT64_MAX, 32, UINT_MAX};
    const uint64_t room = model->refused ? 0 : model_remaining(model);
    const uint64_t before = model_reserved(model);
    pass_end end = NO_PLACE;

    for (int i = 0; model->moves && i < 32 && end == NO_PLACE; ++i) {
        uint64_t used;
        const uint64_t bytes = mark(model, &any, 0, &used); /* the cheapest root */
        if (bytes == used || bytes - used < bytes / 64) break;
        end = run(model, room, 0);
    }
    unmark(model);
    if (end != DONE) return 0;
    model_return_down_to(model, 0);
    return model_reserved(model) < before;
}

int model_compact_for(arena_model *model, uint64_t bytes)
{
    const model_wish wish = {bytes, model->refused ? 0 : model_remaining(model), UINT64_MAX, 32,
                             UINT_MAX};
    const wi_root_source source = fake_roots_source(model->source);
    pass_end end = STOPPED;

    if (model->moves && is_enough_free(model, &wish)) end = compact(model, &wish, 0);
    if (end != NO_PLACE) return end == DONE;
    if (!model_gain(model)) return 0;
    (void)source.drain(source.user);
    return 1;
}

int model_is_pinned(arena_model *model, uint64_t bytes)
{
    const model_wish wish = {bytes, model->refused ? 0 : model_remaining(model), UINT64_MAX, 32,
                             UINT_MAX};

    return model->met_pinned && is_enough_free(model, &wish) && compact(model, &wish, 1) == DONE;
}
