/* The naive arena. Nothing is shared with src/plan but the interface: everything is found by looking at all pieces, and
 * sums are made anew each time they are needed. */
#include "arena_model.h"

#include <criterion/criterion.h>

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

static uint64_t reserved(const arena_model *model)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < model->count; ++r) sum += model->roots[r]->bytes;
    return sum;
}

static uint64_t in_use(const arena_model *model)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < model->count; ++r)
        for (size_t p = 0; p < model->roots[r]->count; ++p)
            if (model->roots[r]->pieces[p].requested != 0) sum += model->roots[r]->pieces[p].bytes;
    return sum;
}

static int is_unused(const model_root *root)
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

static uint64_t remaining(const arena_model *model)
{
    const fake_roots *source = model->source;
    uint64_t left = UINT64_MAX;

    if (source->limit_bytes != UINT64_MAX)
        left = source->limit_bytes - source->held_bytes - source->pending_bytes;
    if (!model->has_limit || left == UINT64_MAX) {
        const uint64_t limit = default_limit(model);
        const uint64_t own = limit < reserved(model) ? 0 : limit - reserved(model);
        if (own < left) left = own;
    }
    return left / model->unit * model->unit;
}

static int take(arena_model *model, uint64_t bytes)
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
    root->is_small = root->is_alone = root->is_hidden = 0;
    root->pieces[0] = (model_piece){0, bytes, 0, ++model->clock};
    model->roots[model->count++] = root;
    model->acquired++;
    return 1;
}

static void drop(arena_model *model, size_t r)
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
    while (model->count != 0) drop(model, 0);
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
        if (take(model, wanted)) return 1;
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
    const uint64_t left = remaining(model);
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
    uint64_t left = remaining(model);
    uint64_t limit = model->limit;
    int is_cut = model->is_cut;

    if (model->count == 0) {
        limit = left;
        is_cut = 0;
    }
    if (limit - reserved(model) < left) left = limit - reserved(model);
    if (bytes > left) {
        model->refused = is_cut;
        return 0;
    }
    for (int is_first = 1; left != 0; is_first = 0) {
        const uint64_t wanted = left < model->max_root ? left : model->max_root;
        const uint64_t before = reserved(model);
        const int ok = is_first ? take_or_less(model, wanted, bytes) : take(model, wanted);
        if (!ok && is_first) return 0;
        left -= wanted;
        if (reserved(model) - before < wanted) { /* what was got is the limit */
            is_cut = 1;
            limit = reserved(model);
            left = 0;
        }
    }
    model->limit = limit;
    model->is_cut = is_cut;
    return 1;
}

/* Takes a root that serves blocks like this one. */
static int take_for(arena_model *model, uint64_t root, uint64_t bytes, int is_alone)
{
    if (root > remaining(model)) return 0;
    if (!take(model, root)) {
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
    return take_for(model, segment, bytes, 0);
}

static uint64_t unused_bytes(const arena_model *model)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < model->count; ++r)
        if (is_unused(model->roots[r])) sum += model->roots[r]->bytes;
    return sum;
}

static void return_down_to(arena_model *model, uint64_t keep_bytes)
{
    for (size_t r = model->count; r-- > 0 && reserved(model) > keep_bytes;)
        if (is_unused(model->roots[r])) drop(model, r);
}

static uint64_t need(const arena_model *model, uint64_t bytes)
{
    uint64_t most = in_use(model) + bytes;
    if (model->most_now > most) most = model->most_now;
    return model->most_before > most ? model->most_before : most;
}

static uint64_t enough(uint64_t need_bytes)
{
    return need_bytes + (need_bytes / 48 < 16 * MIB ? 16 * MIB : need_bytes / 48);
}

static int grow_to_need(arena_model *model, uint64_t bytes)
{
    const int is_small = bytes <= MIB;
    uint64_t root = UINT64_C(1) << 62;
    uint64_t most;
    int is_alone = 0;

    if (remaining(model) + unused_bytes(model) < bytes) return 0;
    most = enough(need(model, bytes));
    while (root > 2 * MIB && root > need(model, bytes) / (is_small ? 512 : 64)) root /= 2;
    if (bytes >= root) {
        root = bytes;
        is_alone = !is_small;
    }
    if (root > model->max_root) root = model->max_root;
    if (reserved(model) + root > most) return_down_to(model, most < root ? 0 : most - root);
    if (take_for(model, root, bytes, is_alone)) return 1;
    return bytes != root && take_for(model, bytes, bytes, is_alone);
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
        return take_for(model, bytes, bytes, 0);
    case MODEL_ADAPTIVE:
        return grow_to_need(model, bytes);
    }
    return 0;
}

static int return_unused(arena_model *model, uint64_t bytes)
{
    const uint64_t unused = unused_bytes(model);

    if (unused == 0 || remaining(model) + unused < bytes) return 0;
    return_down_to(model, 0);
    return 1;
}

/* Grows; or takes what the rules of the search pass over. */
static int make_more(arena_model *model, uint64_t bytes, model_place *out)
{
    if (grow(model, bytes)) return arena_model_search(model, bytes, out);
    return arena_model_search_any(model, bytes, out);
}

static int make_room(arena_model *model, uint64_t bytes, model_place *out)
{
    const wi_root_source source = fake_roots_source(model->source);
    const int returns = model->kind != MODEL_PREALLOC && model->kind != MODEL_DIRECT;

    if (make_more(model, bytes, out)) return 1;
    while (source.drain(source.user))
        if (make_more(model, bytes, out)) return 1;
    while (returns && return_unused(model, bytes))
        if (make_more(model, bytes, out)) return 1;
    while (source.drain(source.user))
        if (make_more(model, bytes, out)) return 1;
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
    const uint64_t now = in_use(model);

    if (now > model->most_now) model->most_now = now;
    if (++model->requests < STRETCH) return;
    model->requests = 0;
    model->most_before = model->most_now;
    model->most_now = now;
    if (model->kind == MODEL_ADAPTIVE) return_down_to(model, enough(need(model, 0)));
}

static model_root *root_of(const arena_model *model, const void *token)
{
    size_t r = 0;

    while (model->roots[r]->token != token) ++r;
    return model->roots[r];
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
    for (size_t p = 0; p + 1 < root->count;) { /* wherever they are */
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

static void join_kept(arena_model *model)
{
    const void *token = model->kept_token;

    model->kept_token = NULL;
    if (token != NULL)
        join(model, root_of(model, token), piece_at(root_of(model, token), model->kept_offset));
}

/* The piece freed last, if it has this size, which need not be searched for. */
static model_piece *take_kept(arena_model *model, uint64_t rounded)
{
    model_piece *piece = NULL;

    if (model->kept_token == NULL) return NULL;
    piece = piece_at(root_of(model, model->kept_token), model->kept_offset);
    if (piece->bytes != rounded) {
        join_kept(model);
        return NULL;
    }
    model->kept_token = NULL;
    return piece;
}

weir_status arena_model_alloc(arena_model *model, uint64_t bytes, wi_placement *out,
                              weir_oom_cause *cause)
{
    const void *kept_token = model->kept_token;
    uint64_t rounded;
    model_place at = {0, 0};
    model_root *root;
    model_piece *piece;
    wi_arena_stats stats;

    *out = (wi_placement){0};
    *cause = WEIR_OOM_MAX_ALLOC;
    if (bytes > model->max_root) return WEIR_E_OUT_OF_MEMORY;
    rounded = (bytes + model->unit - 1) / model->unit * model->unit;
    piece = take_kept(model, rounded);
    if (piece != NULL) {
        *cause = WEIR_OOM_NONE;
        piece->requested = bytes;
        *out = (wi_placement){
            .root = (void *)kept_token, .offset_bytes = piece->offset, .bytes = piece->bytes};
        note_request(model);
        return WEIR_OK;
    }
    if (!arena_model_search(model, rounded, &at) && !make_room(model, rounded, &at)) {
        arena_model_get_stats(model, &stats);
        *cause = stats.free_bytes >= rounded ? WEIR_OOM_FRAGMENTED
                 : model->refused            ? WEIR_OOM_DRIVER
                                             : WEIR_OOM_LIMIT;
        return WEIR_E_OUT_OF_MEMORY;
    }
    *cause = WEIR_OOM_NONE;
    root = model->roots[at.root];
    piece = &root->pieces[at.piece];
    if (piece->bytes != rounded && cuts(model, root, piece->bytes - rounded, rounded)) {
        cr_assert_lt(root->count, (size_t)MODEL_PIECES);
        memmove(piece + 1, piece, (root->count - at.piece) * sizeof *piece);
        root->count++;
        piece[1].offset += rounded;
        piece[1].bytes -= rounded;
        piece[1].stamp = ++model->clock;
        piece->bytes = rounded;
    }
    piece->requested = bytes;
    *out =
        (wi_placement){.root = root->token, .offset_bytes = piece->offset, .bytes = piece->bytes};
    note_request(model);
    return WEIR_OK;
}

static int is_in_use(const model_root *root)
{
    for (size_t p = 0; p < root->count; ++p)
        if (root->pieces[p].requested != 0) return 1;
    return 0;
}

void arena_model_free(arena_model *model, const void *token, uint64_t offset)
{
    size_t r = 0;
    model_root *root;
    model_piece *piece;

    join_kept(model);
    while (model->roots[r]->token != token) ++r;
    root = model->roots[r];
    piece = piece_at(root, offset);
    cr_assert_gt(piece->requested, 0U);
    piece->requested = 0;
    if (model->kind == MODEL_ADAPTIVE && is_in_use(root)) {
        model->kept_token = token;
        model->kept_offset = offset;
        return;
    }
    join(model, root, piece);
    if (model->kind == MODEL_DIRECT || (model->kind == MODEL_ADAPTIVE && is_unused(root) &&
                                        reserved(model) > enough(need(model, 0))))
        drop(model, r);
}

void arena_model_trim(arena_model *model, uint64_t keep_bytes)
{
    join_kept(model);
    return_down_to(model, keep_bytes);
    if (model->count == 0) model->next = 0;
    model->most_now = in_use(model);
    model->most_before = model->requests = 0;
}

void arena_model_get_stats(const arena_model *model, wi_arena_stats *out)
{
    *out = (wi_arena_stats){.reserved_bytes = reserved(model),
                            .root_count = model->count,
                            .acquired_count = model->acquired,
                            .released_count = model->released};
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
