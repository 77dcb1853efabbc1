/* Where the naive arena looks for room: at every piece, in the order that each strategy's rules give. */
#include "arena_model.h"

#include <limits.h>

#define MIB (UINT64_C(1) << 20)

/* The smallest free piece that fits; of several, one in the oldest root, the first there. */
static int search_best(const arena_model *model, uint64_t bytes, model_place *out)
{
    uint64_t best = UINT64_MAX;

    for (size_t r = 0; r < model->count; ++r) {
        const model_root *root = model->roots[r];
        if (model->kind == MODEL_ONDEMAND && root->is_small != (bytes <= MIB)) continue;
        for (size_t p = 0; p < root->count; ++p) {
            if (root->pieces[p].requested != 0 || root->pieces[p].bytes < bytes) continue;
            if (root->pieces[p].bytes >= best) continue;
            best = root->pieces[p].bytes;
            *out = (model_place){r, p};
        }
    }
    return best != UINT64_MAX;
}

/* Sixteen classes from each power of two of 256 bytes to the next. */
static unsigned class_of(uint64_t bytes)
{
    uint64_t units = bytes / 256;
    unsigned octaves = 0;

    for (; units >= 32; units /= 2) octaves++;
    return octaves * 16 + (unsigned)units;
}

/* Whether a piece is one of those that a search of `adaptive` looks at: free, of its pool, and a whole root or not. */
static int is_candidate(const model_root *root, const model_piece *piece, int is_small,
                        int is_whole)
{
    return piece->requested == 0 && !root->is_hidden && root->is_small == is_small &&
           (root->is_alone && root->count == 1) == is_whole;
}

/* The latest candidate of class `class` older than `before`. Returns its stamp, 0 if there is none. */
static uint64_t latest_of(const arena_model *model, int is_small, int is_whole, unsigned class,
                          uint64_t before, model_place *out)
{
    uint64_t latest = 0;

    for (size_t r = 0; r < model->count; ++r) {
        const model_root *root = model->roots[r];
        for (size_t p = 0; p < root->count; ++p) {
            const model_piece *piece = &root->pieces[p];
            if (!is_candidate(root, piece, is_small, is_whole) || class_of(piece->bytes) != class)
                continue;
            if (piece->stamp >= before || piece->stamp <= latest) continue;
            latest = piece->stamp;
            *out = (model_place){r, p};
        }
    }
    return latest;
}

/* The lowest class above `own` that has a candidate; UINT_MAX if none has. */
static unsigned next_class(const arena_model *model, int is_small, int is_whole, unsigned own)
{
    unsigned best = UINT_MAX;

    for (size_t r = 0; r < model->count; ++r) {
        const model_root *root = model->roots[r];
        for (size_t p = 0; p < root->count; ++p) {
            const unsigned class = class_of(root->pieces[p].bytes);
            if (is_candidate(root, &root->pieces[p], is_small, is_whole) && class > own &&
                class < best)
                best = class;
        }
    }
    return best;
}

/* Good fit in the roots as a whole or in all other free pieces: the latest of the first `most` of the own class that is
 * large enough, else the latest of the next class. Sizes from `below` on do not count. */
static int search_class(const arena_model *model, uint64_t bytes, int is_small, int is_whole,
                        unsigned most, uint64_t below, model_place *out)
{
    const unsigned own = class_of(bytes);
    uint64_t stamp = UINT64_MAX;
    unsigned next;

    for (unsigned i = 0; i < most; ++i) { /* the own class, from the latest on */
        stamp = latest_of(model, is_small, is_whole, own, stamp, out);
        if (stamp == 0) break;
        if (model->roots[out->root]->pieces[out->piece].bytes >= bytes)
            return model->roots[out->root]->pieces[out->piece].bytes < below;
    }
    next = next_class(model, is_small, is_whole, own);
    if (next == UINT_MAX) return 0;
    (void)latest_of(model, is_small, is_whole, next, UINT64_MAX, out);
    return model->roots[out->root]->pieces[out->piece].bytes < below;
}

static int search_large(const arena_model *model, uint64_t bytes, unsigned most, uint64_t below,
                        model_place *out)
{
    model_place whole = {0, 0};

    if (!search_class(model, bytes, 0, 0, most, UINT64_MAX, out))
        return search_class(model, bytes, 0, 1, most, below, out);
    if (search_class(model, bytes, 0, 1, most, below, &whole) &&
        model->roots[whole.root]->pieces[whole.piece].bytes <
            model->roots[out->root]->pieces[out->piece].bytes)
        *out = whole;
    return 1;
}

static int search_good(const arena_model *model, uint64_t bytes, model_place *out)
{
    if (bytes <= MIB) return search_class(model, bytes, 1, 0, 8, UINT64_MAX, out);
    return search_large(model, bytes, 8, bytes > UINT64_MAX / 16 ? UINT64_MAX : bytes * 16, out);
}

/* Without the rules, in the pool of such blocks first. */
int arena_model_search_any(const arena_model *model, uint64_t bytes, model_place *out)
{
    if (model->kind != MODEL_ADAPTIVE) return 0;
    if (bytes <= MIB && search_class(model, bytes, 1, 0, UINT_MAX, UINT64_MAX, out)) return 1;
    if (search_large(model, bytes, UINT_MAX, UINT64_MAX, out)) return 1;
    return bytes > MIB && search_class(model, bytes, 1, 0, UINT_MAX, UINT64_MAX, out);
}

int arena_model_search(const arena_model *model, uint64_t bytes, model_place *out)
{
    if (model->kind == MODEL_ADAPTIVE) return search_good(model, bytes, out);
    return search_best(model, bytes, out);
}
