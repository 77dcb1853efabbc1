/* The naive arena's part for the row `adaptive`: its search, its growth and what goes back. */
#include "arena_model_parts.h"

#include <limits.h>

#define MIB (UINT64_C(1) << 20)

/* Sixteen classes from each power of two of 256 bytes to the next. */
unsigned model_class_of(uint64_t bytes)
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
    return piece->requested == 0 && !root->is_victim && root->is_small == is_small &&
           (root->is_alone && root->count == 1) == is_whole;
}

/* The latest candidate of class `class` older than `before`. Returns its stamp, 0 if there is none. */
static uint64_t latest_of(const arena_model *model, int is_small, int is_whole, unsigned class,
                          uint64_t before, place *out)
{
    uint64_t latest = 0;

    for (size_t r = 0; r < model->count; ++r) {
        const model_root *root = model->roots[r];
        for (size_t p = 0; p < root->count; ++p) {
            const model_piece *piece = &root->pieces[p];
            if (!is_candidate(root, piece, is_small, is_whole) ||
                model_class_of(piece->bytes) != class)
                continue;
            if (piece->stamp >= before || piece->stamp <= latest) continue;
            latest = piece->stamp;
            *out = (place){r, p};
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
            const unsigned class = model_class_of(root->pieces[p].bytes);
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
                        unsigned most, uint64_t below, place *out)
{
    const unsigned own = model_class_of(bytes);
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
                        place *out)
{
    place whole = {0, 0};

    if (!search_class(model, bytes, 0, 0, most, UINT64_MAX, out))
        return search_class(model, bytes, 0, 1, most, below, out);
    if (search_class(model, bytes, 0, 1, most, below, &whole) &&
        model->roots[whole.root]->pieces[whole.piece].bytes <
            model->roots[out->root]->pieces[out->piece].bytes)
        *out = whole;
    return 1;
}

int model_search_good(const arena_model *model, uint64_t bytes, place *out)
{
    if (bytes <= MIB) return search_class(model, bytes, 1, 0, 8, UINT64_MAX, out);
    return search_large(model, bytes, 8, bytes > UINT64_MAX / 64 ? UINT64_MAX : bytes * 64, out);
}

/* Without the rules, in the pool of such blocks first. */
int model_search_any(const arena_model *model, uint64_t bytes, place *out)
{
    if (bytes <= MIB && search_class(model, bytes, 1, 0, UINT_MAX, UINT64_MAX, out)) return 1;
    if (search_large(model, bytes, UINT_MAX, UINT64_MAX, out)) return 1;
    return bytes > MIB && search_class(model, bytes, 1, 0, UINT_MAX, UINT64_MAX, out);
}

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t most_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t most_lately(const arena_model *model)
{
    return most_of(model->most_now, model->most_before);
}

static uint64_t enough(const arena_model *model, uint64_t need)
{
    uint64_t slack = model->moves ? need / 128 : need / 48;
    uint64_t raised;

    if (need <= 3 * MIB)
        slack = most_of(slack, 3 * MIB);
    else
        slack = most_of(slack, least_of(need, 16 * MIB));
    raised = least_of(slack + model->steps * (slack / 2), need / 3);
    return need + most_of(slack, raised);
}

static uint64_t room_for(const arena_model *model, uint64_t need)
{
    const uint64_t most = enough(model, need);
    const uint64_t room = most < model_reserved(model) ? 0 : most - model_reserved(model);

    return least_of(room / model->unit * model->unit, model_remaining(model));
}

/* A sixty-fourth of the limit. */
static uint64_t spare(const arena_model *model)
{
    const uint64_t remaining = model_remaining(model);
    const uint64_t reserved = model_reserved(model);

    if (!model->moves) return 0;
    return (remaining > UINT64_MAX - reserved ? UINT64_MAX : remaining + reserved) / 64;
}

static uint64_t root_for(const arena_model *model, uint64_t need, uint64_t bytes)
{
    const int is_small = bytes <= MIB;
    const uint64_t most = spare(model) != 0 ? spare(model) : UINT64_MAX;
    uint64_t share = least_of(is_small ? need / 4 : need / 8, 8 * MIB);
    uint64_t root = UINT64_C(1) << 62;

    share = least_of(most_of(share, is_small ? need / 512 : need / 64), most);
    while (root > 2 * MIB && root > share) root /= 2;
    while (root > most && root >= 32 * model->unit) root /= 2; /* 16 units at least */
    if (root < 2 * MIB)
        root = bytes > root / 2 ? bytes : root;
    else if (!is_small && root > 2 * MIB)
        root = 2 * bytes > root ? bytes : root - root % bytes;
    return least_of(root, model->max_root) < bytes ? bytes : least_of(root, model->max_root);
}

static void count_trade(arena_model *model)
{
    if (++model->trades <= 48 + model->requests / 40) return;
    model->trades -= 16;
    if (model->steps < 64) model->steps++;
}

/* Near the limit roots are emptied first. */
static void gain_first(arena_model *model, uint64_t bytes, uint64_t root)
{
    const uint64_t kept = spare(model);
    const uint64_t left =
        model_remaining(model) + model_reserved(model); /* less what is reserved then */
    place at;

    for (int i = 0; i < 64 && model_remaining(model) != UINT64_MAX; ++i) {
        if (most_of(bytes, root) > UINT64_MAX - kept || model_unused_bytes(model) != 0) break;
        if (left - model_reserved(model) >= most_of(bytes, root) + kept) break;
        if (model_search_good(model, bytes, &at) || !model_gain(model)) break;
    }
}

/* Empties roots for a request, within the share of bytes moved. */
static void compact_for(arena_model *model, uint64_t bytes, uint64_t room)
{
    const uint64_t budget = model->allocated / 16;
    model_wish wish = {bytes, room, 0, 4, 32};

    if (model_unused_bytes(model) >= bytes - room || budget <= model->moved) return;
    wish.move_most = bytes > UINT64_MAX / 4 ? UINT64_MAX : bytes * 4;
    wish.move_most = least_of(wish.move_most, budget - model->moved);
    (void)model_compact(model, &wish);
}

int model_grow_to_need(arena_model *model, uint64_t bytes)
{
    const uint64_t need = most_of(model_in_use(model) + bytes, most_lately(model));
    const int rises = model_in_use(model) + bytes > most_lately(model);
    const uint64_t most = enough(model, need);
    const uint64_t kept = spare(model);
    uint64_t root = root_for(model, need, bytes);
    uint64_t room;
    uint64_t left;
    place at;
    int ok;

    gain_first(model, bytes, root);
    if (model_search_good(model, bytes, &at)) return 1;
    room = room_for(model, need);
    if (model_remaining(model) + model_unused_bytes(model) < bytes) return 0;
    if (bytes > room) {
        compact_for(model, bytes, room);
        if (model_search_good(model, bytes, &at)) return 1;
        model_return_down_to(model, most < root ? 0 : most - root);
        room = room_for(model, need);
    }
    left = model_remaining(model);
    if (left < kept || least_of(root, room) > left - kept) room = bytes;
    root = most_of(bytes, least_of(root, room));
    ok = model_take_for(model, root, bytes, root == bytes && bytes > MIB);
    if (!ok && root != bytes) ok = model_take_for(model, bytes, bytes, bytes > MIB);
    if (ok && !rises) count_trade(model);
    return ok;
}

void model_root_emptied(arena_model *model)
{
    uint64_t keep = enough(model, most_lately(model));

    if (model_in_use(model) == 0) keep = least_of(keep, 16 * MIB);
    model_return_down_to(model, keep);
}

void model_settle(arena_model *model)
{
    if (model->trades < 8192 / 40 / 4 && model->steps != 0) model->steps--;
    model->trades = 0;
    model_return_down_to(model, enough(model, most_lately(model)));
}
