/* The naive arena. Nothing is shared with src/plan but the interface: everything is found by looking at all pieces, and
 * sums are made anew each time they are needed. */
#include "arena_model_parts.h"

#include <criterion/criterion.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)
#define STRETCH 8192U

void arena_model_init(arena_model *model, model_kind kind, const wi_arena_options *options,
                      fake_roots *source)
{
    memset(model, 0, sizeof *model);
    model->kind = kind;
    model->unit = options->granule_bytes;
    if (kind == MODEL_ONDEMAND && model->unit < 512) model->unit = 512;
    model->max_root = options->max_root_bytes / model->unit * model->unit;
    model->total = options->total_bytes;
    model->has_limit = options->has_limit;
    model->source = source;
}

uint64_t model_reserved(const arena_model *model)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < model->count; ++r) sum += model->roots[r]->bytes;
    return sum;
}

uint64_t model_in_use(const arena_model *model)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < model->count; ++r)
        for (size_t p = 0; p < model->roots[r]->count; ++p)
            if (model->roots[r]->pieces[p].requested != 0) sum += model->roots[r]->pieces[p].bytes;
    return sum;
}

int model_is_unused(const model_root *root)
{
    return root->count == 1 && root->pieces[0].requested == 0;
}

static uint64_t default_limit(const arena_model *model)
{
    uint64_t limit = model->total;

    if (model->kind != MODEL_PREALLOC && model->kind != MODEL_GROWTH) return limit;
    if (model->total < 2048 * MIB)
        limit = limit > 225 * MIB ? limit - 225 * MIB : 0;
    else if (model->total < 6000 * MIB)
        limit -= 300 * MIB; /* 300 MiB are 5 % of 6000 */
    else
        limit -= model->total / 20;
    return 2 * limit < model->total ? model->total - model->total / 2 : limit;
}

uint64_t model_remaining(const arena_model *model)
{
    const fake_roots *source = model->source;
    uint64_t left = UINT64_MAX;

    if (source->limit_bytes != UINT64_MAX)
        left = source->limit_bytes - source->held_bytes - source->pending_bytes;
    if (!model->has_limit || left == UINT64_MAX) {
        const uint64_t limit = default_limit(model);
        const uint64_t own = limit < model_reserved(model) ? 0 : limit - model_reserved(model);
        if (own < left) left = own;
    }
    return left / model->unit * model->unit;
}

int model_take(arena_model *model, uint64_t bytes)
{
    const wi_root_source source = fake_roots_source(model->source);
    void *token = NULL;
    model_root *root;

    if (source.acquire(source.user, bytes, &token) != WEIR_OK) return 0;
    root = malloc(sizeof *root);
    cr_assert(root != NULL && model->count < MODEL_ROOTS);
    root->token = token;
    root->bytes = bytes;
    root->count = 1;
    root->is_small = root->is_alone = root->is_victim = root->is_spared = root->is_passed = 0;
    root->pieces[0] = (model_piece){.bytes = bytes, .stamp = ++model->clock};
    model->roots[model->count++] = root;
    model->acquired++;
    return 1;
}

void model_drop(arena_model *model, size_t r)
{
    const wi_root_source source = fake_roots_source(model->source);

    source.release(source.user, model->roots[r]->token, model->roots[r]->bytes);
    free(model->roots[r]);
    model->count--;
    memmove(&model->roots[r], &model->roots[r + 1], (model->count - r) * sizeof model->roots[0]);
    model->released++;
}

void arena_model_fini(arena_model *model)
{
    while (model->count != 0) model_drop(model, 0);
}

/* Nine tenths, in units rounded up, but always less than before. */
static uint64_t cut(const arena_model *model, uint64_t bytes)
{
    const uint64_t units = bytes / model->unit;
    const uint64_t tenths = units * 9;
    uint64_t less = tenths / 10 + (tenths % 10 != 0);

    if (less == units) less--;
    return less * model->unit;
}

static int take_or_less(arena_model *model, uint64_t wanted, uint64_t least)
{
    for (;;) {
        if (model_take(model, wanted)) return 1;
        model->refused = 1;
        wanted = cut(model, wanted);
        if (wanted < least || wanted == 0) return 0;
    }
}

static uint64_t least_of(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t least = a < b ? a : b;
    return least < c ? least : c;
}

static int grow_doubling(arena_model *model, uint64_t bytes)
{
    const uint64_t left = model_remaining(model);
    uint64_t next = model->next;
    int raised = 0;

    if (bytes > left) return 0;
    if (next == 0) {
        next = left < 2 * MIB ? left : 2 * MIB;
        next = (next + model->unit - 1) / model->unit * model->unit;
    }
    for (; next < bytes; next *= 2) raised = 1;
    if (!take_or_less(model, least_of(next, left, model->max_root), bytes)) return 0;
    model->next = raised ? next : next * 2;
    return 1;
}

static int grow_whole(arena_model *model, uint64_t bytes)
{
    uint64_t left = model_remaining(model);
    uint64_t limit = model->limit;
    int is_cut = model->is_cut;

    if (model->count == 0) {
        limit = left;
        is_cut = 0;
    }
    if (limit - model_reserved(model) < left) left = limit - model_reserved(model);
    if (bytes > left) {
        model->refused = is_cut;
        return 0;
    }
    for (int is_first = 1; left != 0; is_first = 0) {
        const uint64_t wanted = left < model->max_root ? left : model->max_root;
        const uint64_t before = model_reserved(model);
        const int ok = is_first ? take_or_less(model, wanted, bytes) : model_take(model, wanted);
        if (!ok && is_first) return 0;
        left -= wanted;
        if (model_reserved(model) - before < wanted) { /* what was got is the limit */
            is_cut = 1;
            limit = model_reserved(model);
            left = 0;
        }
    }
    model->limit = limit;
    model->is_cut = is_cut;
    return 1;
}

/* Takes a root that serves blocks like this one. */
int model_take_for(arena_model *model, uint64_t root, uint64_t bytes, int is_alone)
{
    if (root > model_remaining(model)) return 0;
    if (!model_take(model, root)) {
        model->refused = 1;
        return 0;
    }
    model->roots[model->count - 1]->is_small = bytes <= MIB;
    model->roots[model->count - 1]->is_alone = is_alone;
    return 1;
}

static int grow_segments(arena_model *model, uint64_t bytes)
{
    uint64_t segment = bytes <= MIB ? 2 * MIB : 20 * MIB;

    if (bytes >= 10 * MIB)
        segment = bytes % (2 * MIB) == 0 ? bytes : (bytes / (2 * MIB) + 1) * (2 * MIB);
    if (segment < bytes || segment > model->max_root) segment = model->max_root;
    return model_take_for(model, segment, bytes, 0);
}

uint64_t model_unused_bytes(const arena_model *model)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < model->count; ++r)
        if (model_is_unused(model->roots[r])) sum += model->roots[r]->bytes;
    return sum;
}

void model_return_down_to(arena_model *model, uint64_t keep_bytes)
{
    for (size_t r = model->count; r-- > 0 && model_reserved(model) > keep_bytes;)
        if (model_is_unused(model->roots[r])) model_drop(model, r);
}

static int grow(arena_model *model, uint64_t bytes)
{
    model->refused = 0;
    switch (model->kind) {
    case MODEL_PREALLOC:
        return grow_whole(model, bytes);
    case MODEL_GROWTH:
        return grow_doubling(model, bytes);
    case MODEL_ONDEMAND:
        return grow_segments(model, bytes);
    case MODEL_DIRECT:
        return model_take_for(model, bytes, bytes, 0);
    case MODEL_ADAPTIVE:
        return model_grow_to_need(model, bytes);
    }
    return 0;
}

/* The smallest free piece that fits; of several, one in the oldest root, the first there. */
static int search_best(const arena_model *model, uint64_t bytes, place *out)
{
    uint64_t best = UINT64_MAX;

    for (size_t r = 0; r < model->count; ++r) {
        const model_root *root = model->roots[r];
        if (model->kind == MODEL_ONDEMAND && root->is_small != (bytes <= MIB)) continue;
        for (size_t p = 0; p < root->count; ++p) {
            if (root->pieces[p].requested != 0 || root->pieces[p].bytes < bytes) continue;
            if (root->pieces[p].bytes >= best) continue;
            best = root->pieces[p].bytes;
            *out = (place){r, p};
        }
    }
    return best != UINT64_MAX;
}

int model_search(const arena_model *model, uint64_t bytes, place *out)
{
    if (model->kind == MODEL_ADAPTIVE) return model_search_good(model, bytes, out);
    return search_best(model, bytes, out);
}

static int return_unused(arena_model *model, uint64_t bytes)
{
    const uint64_t unused = model_unused_bytes(model);

    if (unused == 0 || model_remaining(model) + unused < bytes) return 0;
    model_return_down_to(model, 0);
    return 1;
}

/* Searches where a step may have freed something, grows, or takes what the rules of the search pass over. */
static int make_more(arena_model *model, uint64_t bytes, place *out)
{
    const int is_adaptive = model->kind == MODEL_ADAPTIVE;

    if (is_adaptive && model_search(model, bytes, out)) return 1;
    if (grow(model, bytes)) return model_search(model, bytes, out);
    return is_adaptive && model_search_any(model, bytes, out);
}

static int drain(arena_model *model, uint64_t bytes)
{
    const wi_root_source source = fake_roots_source(model->source);

    (void)bytes;
    return source.drain(source.user);
}

static int make_room(arena_model *model, uint64_t bytes, place *out)
{
    const int returns = model->kind == MODEL_ONDEMAND || model->kind == MODEL_ADAPTIVE;

    model->met_pinned = 0;
    if (make_more(model, bytes, out)) return 1;
    for (int i = 0; i < 6; ++i) { /* drain, return, drain, compact, return, drain */
        int (*step)(arena_model *, uint64_t) = drain;
        if (i == 1 || i == 4) step = returns ? return_unused : NULL;
        if (i == 3) step = model->kind == MODEL_ADAPTIVE ? model_compact_for : NULL;
        while (step != NULL && step(model, bytes)) {
            if (make_more(model, bytes, out)) return 1;
            if (step == drain) break;
        }
    }
    return 0;
}

/* Whether a piece is cut to the request. */
static int cuts(const arena_model *model, const model_root *root, uint64_t rest, uint64_t bytes)
{
    switch (model->kind) {
    case MODEL_PREALLOC:
    case MODEL_GROWTH:
        return rest >= bytes || rest >= 128 * MIB;
    case MODEL_ONDEMAND:
        return root->is_small ? rest >= 512 : rest > MIB;
    case MODEL_DIRECT:
        break;
    case MODEL_ADAPTIVE:
        return 1;
    }
    return 0;
}

static void note_request(arena_model *model)
{
    const uint64_t now = model_in_use(model);

    if (now > model->most_now) model->most_now = now;
    if (++model->requests < STRETCH) return;
    model->requests = 0;
    model->most_before = model->most_now;
    model->most_now = now;
    if (model->kind == MODEL_ADAPTIVE) model_settle(model);
}

void model_carve(arena_model *model, place at, uint64_t bytes, uint64_t requested, void *holder)
{
    model_root *root = model->roots[at.root];
    model_piece *piece = &root->pieces[at.piece];

    if (piece->bytes != bytes && cuts(model, root, piece->bytes - bytes, bytes)) {
        cr_assert_lt(root->count, (size_t)MODEL_PIECES);
        memmove(piece + 1, piece, (root->count - at.piece) * sizeof *piece);
        root->count++;
        piece[1].offset += bytes;
        piece[1].bytes -= bytes;
        piece[1].stamp = ++model->clock;
        piece->bytes = bytes;
    }
    piece->requested = requested;
    piece->holder = holder;
}

static model_piece *piece_at(model_root *root, uint64_t offset)
{
    size_t p = 0;

    while (root->pieces[p].offset != offset) ++p;
    return &root->pieces[p];
}

/* A piece that is free has its place in the order of pieces, and is one with its free neighbours. */
static void join(arena_model *model, model_root *root, model_piece *freed)
{
    freed->stamp = ++model->clock;
    for (size_t p = 0; p + 1 < root->count;) { /* joins free neighbours, wherever they are */
        model_piece *piece = &root->pieces[p];
        if (piece[0].requested != 0 || piece[1].requested != 0) {
            ++p;
            continue;
        }
        piece[0].bytes += piece[1].bytes;
        piece[0].stamp = model->clock;
        root->count--;
        memmove(&piece[1], &piece[2], (root->count - p - 1) * sizeof *piece);
    }
}

static void set_free(model_piece *piece)
{
    cr_assert_gt(piece->requested, 0U);
    piece->requested = 0;
    piece->holder = NULL;
}

void model_uncarve(arena_model *model, model_root *root, uint64_t offset)
{
    set_free(piece_at(root, offset));
    join(model, root, piece_at(root, offset));
}

static void join_kept(arena_model *model)
{
    model_root *root = model->kept;

    model->kept = NULL;
    if (root != NULL) join(model, root, piece_at(root, model->kept_offset));
}

weir_status arena_model_alloc(arena_model *model, uint64_t bytes, fake_block *block,
                              weir_oom_cause *cause)
{
    uint64_t rounded;
    place at = {0, 0};
    model_root *root = model->kept;
    model_piece *piece = NULL;
    wi_arena_stats stats;

    block->at = (wi_placement){0};
    *cause = WEIR_OOM_MAX_ALLOC;
    if (bytes > model->max_root) return WEIR_E_OUT_OF_MEMORY;
    rounded = (bytes + model->unit - 1) / model->unit * model->unit;
    if (root != NULL) piece = piece_at(root, model->kept_offset);
    if (piece != NULL && piece->bytes == rounded) { /* as it is, without a search */
        piece->requested = bytes;
        piece->holder = block;
        model->kept = NULL;
        goto taken;
    }
    join_kept(model);
    if (!model_search(model, rounded, &at) && !make_room(model, rounded, &at)) {
        const int is_pinned = model->kind == MODEL_ADAPTIVE && model_is_pinned(model, rounded);
        arena_model_get_stats(model, &stats);
        *cause = is_pinned                     ? WEIR_OOM_PINNED
                 : stats.free_bytes >= rounded ? WEIR_OOM_FRAGMENTED
                 : model->refused              ? WEIR_OOM_DRIVER
                                               : WEIR_OOM_LIMIT;
        return WEIR_E_OUT_OF_MEMORY;
    }
    model_carve(model, at, rounded, bytes, block);
    root = model->roots[at.root];
    piece = &root->pieces[at.piece];
taken:
    *cause = WEIR_OOM_NONE;
    model->allocated += piece->bytes;
    block->at =
        (wi_placement){.root = root->token, .offset_bytes = piece->offset, .bytes = piece->bytes};
    note_request(model);
    return WEIR_OK;
}

static size_t blocks_in(const model_root *root)
{
    size_t count = 0;

    for (size_t p = 0; p < root->count; ++p) count += root->pieces[p].requested != 0;
    return count;
}

void arena_model_free(arena_model *model, const fake_block *block)
{
    size_t r = 0;

    join_kept(model);
    while (model->roots[r]->token != block->at.root) ++r;
    if (model->kind == MODEL_ADAPTIVE && blocks_in(model->roots[r]) > 1) {
        set_free(piece_at(model->roots[r], block->at.offset_bytes));
        model->kept = model->roots[r];
        model->kept_offset = block->at.offset_bytes;
        return;
    }
    model_uncarve(model, model->roots[r], block->at.offset_bytes);
    if (!model_is_unused(model->roots[r])) return;
    if (model->kind == MODEL_DIRECT) model_drop(model, r);
    if (model->kind == MODEL_ADAPTIVE) model_root_emptied(model);
}

void arena_model_trim(arena_model *model, uint64_t keep_bytes)
{
    join_kept(model);
    model_return_down_to(model, keep_bytes);
    if (model->count == 0) model->next = 0;
    model->most_now = model_in_use(model);
    model->most_before = model->requests = 0;
    model->trades = model->steps = 0;
}

void arena_model_get_stats(const arena_model *model, wi_arena_stats *out)
{
    *out =
        (wi_arena_stats){.reserved_bytes = model_reserved(model),
                         .root_count = model->count,
                         .acquired_count = model->acquired,
                         .released_count = model->released,
                         .compactions = model->compactions,
                         .moved_bytes = model->moved,
                         .cut_limit_bytes = model->is_cut && model->count != 0 ? model->limit : 0};
    for (size_t r = 0; r < model->count; ++r) {
        uint64_t run = 0; /* of free neighbours */
        for (size_t p = 0; p < model->roots[r]->count; ++p) {
            const model_piece *piece = &model->roots[r]->pieces[p];
            run = piece->requested != 0 ? 0 : run + piece->bytes;
            if (run > out->largest_free_bytes) out->largest_free_bytes = run;
            if (piece->requested != 0) {
                out->requested_bytes += piece->requested;
                out->in_use_bytes += piece->bytes;
            } else {
                out->free_bytes += piece->bytes;
            }
        }
    }
}
