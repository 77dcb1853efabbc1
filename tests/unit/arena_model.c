/* The naive arena. Nothing is shared with src/plan but the interface: everything is found by looking at all pieces, and
 * sums are made anew each time they are needed. */
#include "arena_model.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

void arena_model_init(arena_model *model, model_kind kind, const wi_arena_options *options,
                      fake_roots *source)
{
    memset(model, 0, sizeof *model);
    model->kind = kind;
    model->unit = options->granule_bytes;
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

static int is_unused(const model_root *root)
{
    return root->count == 1 && root->pieces[0].requested == 0;
}

static uint64_t default_limit(const arena_model *model)
{
    uint64_t limit = model->total;

    if (model->kind == MODEL_DIRECT) return limit;
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
    root->pieces[0] = (model_piece){0, bytes, 0};
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

static int grow(arena_model *model, uint64_t bytes)
{
    model->refused = 0;
    switch (model->kind) {
    case MODEL_PREALLOC:
        return grow_whole(model, bytes);
    case MODEL_GROWTH:
        return grow_doubling(model, bytes);
    case MODEL_DIRECT:
        break;
    }
    if (bytes > remaining(model)) return 0;
    if (take(model, bytes)) return 1;
    model->refused = 1;
    return 0;
}

/* The smallest free piece that fits; of several, one in the oldest root, the first there. */
static int search(const arena_model *model, uint64_t bytes, size_t *out_root, size_t *out_piece)
{
    uint64_t best = UINT64_MAX;

    for (size_t r = 0; r < model->count; ++r) {
        const model_root *root = model->roots[r];
        for (size_t p = 0; p < root->count; ++p) {
            if (root->pieces[p].requested != 0 || root->pieces[p].bytes < bytes) continue;
            if (root->pieces[p].bytes >= best) continue;
            best = root->pieces[p].bytes;
            *out_root = r;
            *out_piece = p;
        }
    }
    return best != UINT64_MAX;
}

static int return_unused(arena_model *model, uint64_t bytes)
{
    uint64_t unused = 0;

    for (size_t r = 0; r < model->count; ++r)
        if (is_unused(model->roots[r])) unused += model->roots[r]->bytes;
    if (unused == 0 || remaining(model) + unused < bytes) return 0;
    for (size_t r = model->count; r-- > 0;)
        if (is_unused(model->roots[r])) drop(model, r);
    return 1;
}

static int make_room(arena_model *model, uint64_t bytes)
{
    const wi_root_source source = fake_roots_source(model->source);

    if (grow(model, bytes)) return 1;
    if (source.drain(source.user) && grow(model, bytes)) return 1;
    if (model->kind != MODEL_GROWTH || !return_unused(model, bytes)) return 0;
    if (grow(model, bytes)) return 1;
    return source.drain(source.user) && grow(model, bytes);
}

weir_status arena_model_alloc(arena_model *model, uint64_t bytes, wi_placement *out,
                              weir_oom_cause *cause)
{
    uint64_t rounded;
    size_t r = 0;
    size_t p = 0;
    model_root *root;
    model_piece *piece;
    wi_arena_stats stats;

    *out = (wi_placement){0};
    *cause = WEIR_OOM_MAX_ALLOC;
    if (bytes > model->max_root) return WEIR_E_OUT_OF_MEMORY;
    rounded = (bytes + model->unit - 1) / model->unit * model->unit;
    if (!search(model, rounded, &r, &p) && !make_room(model, rounded)) {
        arena_model_get_stats(model, &stats);
        *cause = stats.free_bytes >= rounded ? WEIR_OOM_FRAGMENTED
                 : model->refused            ? WEIR_OOM_DRIVER
                                             : WEIR_OOM_LIMIT;
        return WEIR_E_OUT_OF_MEMORY;
    }
    *cause = WEIR_OOM_NONE;
    cr_assert(search(model, rounded, &r, &p));
    root = model->roots[r];
    piece = &root->pieces[p];
    if (piece->bytes != rounded && model->kind != MODEL_DIRECT &&
        (piece->bytes >= 2 * rounded || piece->bytes - rounded >= 128 * MIB)) {
        cr_assert_lt(root->count, (size_t)MODEL_PIECES);
        memmove(piece + 1, piece, (root->count - p) * sizeof *piece);
        root->count++;
        piece[1].offset += rounded;
        piece[1].bytes -= rounded;
        piece->bytes = rounded;
    }
    piece->requested = bytes;
    *out =
        (wi_placement){.root = root->token, .offset_bytes = piece->offset, .bytes = piece->bytes};
    return WEIR_OK;
}

void arena_model_free(arena_model *model, const void *token, uint64_t offset)
{
    size_t r = 0;
    size_t p = 0;
    model_root *root;

    while (model->roots[r]->token != token) ++r;
    root = model->roots[r];
    while (root->pieces[p].offset != offset) ++p;
    cr_assert_gt(root->pieces[p].requested, 0U);
    root->pieces[p].requested = 0;
    for (p = 0; p + 1 < root->count;) { /* joins free neighbours, wherever they are */
        model_piece *piece = &root->pieces[p];
        if (piece[0].requested != 0 || piece[1].requested != 0) {
            ++p;
            continue;
        }
        piece[0].bytes += piece[1].bytes;
        root->count--;
        memmove(&piece[1], &piece[2], (root->count - p - 1) * sizeof *piece);
    }
    if (model->kind == MODEL_DIRECT) drop(model, r);
}

void arena_model_trim(arena_model *model, uint64_t keep_bytes)
{
    for (size_t r = model->count; r-- > 0 && reserved(model) > keep_bytes;)
        if (is_unused(model->roots[r])) drop(model, r);
    if (model->count == 0) model->next = 0;
}

void arena_model_get_stats(const arena_model *model, wi_arena_stats *out)
{
    *out = (wi_arena_stats){.reserved_bytes = reserved(model),
                            .root_count = model->count,
                            .acquired_count = model->acquired,
                            .released_count = model->released};
    for (size_t r = 0; r < model->count; ++r) {
        for (size_t p = 0; p < model->roots[r]->count; ++p) {
            const model_piece *piece = &model->roots[r]->pieces[p];
            if (piece->requested != 0) {
                out->requested_bytes += piece->requested;
                out->in_use_bytes += piece->bytes;
            } else {
                out->free_bytes += piece->bytes;
                if (piece->bytes > out->largest_free_bytes) out->largest_free_bytes = piece->bytes;
            }
        }
    }
}
