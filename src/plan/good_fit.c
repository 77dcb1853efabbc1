/* Free ranges in lists by class of size, with bitmaps of the classes that have any: good fit in constant time.
 *
 * A class holds sizes between two powers of two, of which each octave has sixteen (two-level segregated fit, Masmano et
 * al., ECRTS 2004). Any range of a higher class fits, and two bitmaps name the next class that is not empty, so a search
 * takes the same few steps however many ranges there are. The published search rounds the request up and so overlooks a
 * range of the very size that was freed a moment ago, the commonest case of all; here the first few ranges of the
 * request's own class are looked at before. The newest range of a class comes first: it was used last.
 *
 * Small blocks have lists of their own, and so have roots of pool ALONE while they are free as a whole: such a root is not
 * opened for a block of less than 1/64 of it, which would pin the rest. That, the rest of the own class and the
 * lists of the other blocks are searched when the driver gives no more. The arena's caller locks.
 */
#include "plan/range_index.h"
#include "plan/size_class.h"

#include <limits.h>

#define OWN_CLASS_MOST 8u /* ranges of the request's own class that are looked at */
#define OPEN_SHARE 64u /* a whole root of pool ALONE is not opened for less than this part of it */

/* The ranges of one pool, linked by left (towards the head) and right.
 * Invariant: a class is marked == it has a head */
typedef struct pool_lists {
    wi_class_marks marks;
    wi_range *heads[WI_CLASS_ROWS][WI_CLASS_COLUMNS];
} pool_lists;

/* Invariants: pools[WI_POOL_SMALL] has the free ranges of the small roots; pools[WI_POOL_ALONE] the roots of that pool
 * that are free as a whole; pools[WI_POOL_LARGE] all others. */
typedef struct good_fit {
    pool_lists pools[WI_POOL_COUNT];
} good_fit;

static unsigned lists_of(const wi_range *range)
{
    const wi_arena_root *root = range->root;

    return root->pool == WI_POOL_ALONE && range->bytes != root->bytes ? WI_POOL_LARGE : root->pool;
}

static void insert(void *state, wi_range *range)
{
    pool_lists *lists = &((good_fit *)state)->pools[lists_of(range)];
    const wi_size_class at = wi_class_of(range->bytes);
    wi_range **head = &lists->heads[at.row][at.column];

    range->left = NULL;
    range->right = *head;
    if (*head != NULL) (*head)->left = range;
    *head = range;
    wi_class_mark(&lists->marks, at);
    range->size_class = wi_class_number(at);
}

static void remove_range(void *state, wi_range *range)
{
    pool_lists *lists = &((good_fit *)state)->pools[lists_of(range)];
    wi_size_class at;

    if (range->right != NULL) range->right->left = range->left;
    if (range->left != NULL) {
        range->left->right = range->right;
        return;
    }
    at = wi_class_at(range->size_class);
    lists->heads[at.row][at.column] = range->right;
    if (range->right == NULL) wi_class_unmark(&lists->marks, at);
}

/* Returns 1 if a range of the index stays in its class with so many bytes: what a class leaves of a size is the same. */
static int keeps_class(const wi_range *range, uint64_t bytes)
{
    const unsigned row = range->size_class / WI_CLASS_COLUMNS;
    const unsigned shift = WI_CLASS_UNIT_SHIFT + row - (row != 0);

    return range->bytes >> shift == bytes >> shift;
}

/* What is cut from the newest range of a class, or comes back to it, leaves it there most often. */
static void resize(void *state, wi_range *range, uint64_t offset_bytes, uint64_t bytes)
{
    const int stays =
        range->left == NULL && range->root->pool != WI_POOL_ALONE && keeps_class(range, bytes);

    if (!stays) remove_range(state, range);
    range->offset_bytes = offset_bytes;
    range->bytes = bytes;
    if (!stays) insert(state, range);
}

/* Returns the head of the next class that has any. */
static wi_range *first_above(const pool_lists *lists, wi_size_class at)
{
    return wi_class_next(&lists->marks, &at) ? lists->heads[at.row][at.column] : NULL;
}

/* Returns the first range that fits of at most `most` of the request's own class, else the next class's head. */
static wi_range *find_in(const pool_lists *lists, uint64_t bytes, unsigned most)
{
    const wi_size_class own = wi_class_of(bytes);
    wi_range *range = lists->heads[own.row][own.column];

    for (unsigned i = 0; i < most && range != NULL; ++i, range = range->right) {
        if (range->bytes >= bytes) return range;
    }
    return first_above(lists, own);
}

/* As find_in(), in both large pools; whole roots of pool ALONE are left out from `whole_least` on, and otherwise only taken if smaller. */
static wi_range *find_large(const good_fit *all, uint64_t bytes, unsigned most,
                            uint64_t whole_least)
{
    wi_range *range = find_in(&all->pools[WI_POOL_LARGE], bytes, most);
    wi_range *whole = find_in(&all->pools[WI_POOL_ALONE], bytes, most);

    if (whole == NULL || whole->bytes >= whole_least) return range;
    return range == NULL || whole->bytes < range->bytes ? whole : range;
}

static wi_range *find(const void *state, uint64_t bytes)
{
    const good_fit *all = state;
    const uint64_t whole_least = bytes <= UINT64_MAX / OPEN_SHARE ? bytes * OPEN_SHARE : UINT64_MAX;

    if (wi_pool_of(bytes) == WI_POOL_SMALL)
        return find_in(&all->pools[WI_POOL_SMALL], bytes, OWN_CLASS_MOST);
    return find_large(all, bytes, OWN_CLASS_MOST, whole_least);
}

static wi_range *find_any(const void *state, uint64_t bytes)
{
    const good_fit *all = state;
    const int is_small = wi_pool_of(bytes) == WI_POOL_SMALL;
    wi_range *range = NULL;

    if (!is_small) range = find_large(all, bytes, UINT_MAX, UINT64_MAX);
    if (range == NULL) range = find_in(&all->pools[WI_POOL_SMALL], bytes, UINT_MAX);
    if (range == NULL && is_small) range = find_large(all, bytes, UINT_MAX, UINT64_MAX);
    return range;
}

static wi_range *largest(const void *state)
{
    const good_fit *all = state;
    wi_range *best = NULL;

    for (unsigned pool = 0; pool < WI_POOL_COUNT; ++pool) {
        const pool_lists *lists = &all->pools[pool];
        unsigned row;
        if (lists->marks.rows == 0) continue;
        row = wi_highest_bit(lists->marks.rows);
        for (wi_range *range = lists->heads[row][wi_highest_bit(lists->marks.columns[row])];
             range != NULL; range = range->right) {
            if (best == NULL || range->bytes > best->bytes) best = range;
        }
    }
    return best;
}

static wi_range *after(const void *state, const wi_range *range)
{
    const good_fit *all = state;
    unsigned pool = 0;
    wi_range *next = NULL;

    if (range != NULL) {
        if (range->right != NULL) return range->right;
        pool = lists_of(range);
        next = first_above(&all->pools[pool++], wi_class_of(range->bytes));
    }
    for (; pool < WI_POOL_COUNT && next == NULL; ++pool) {
        const pool_lists *lists = &all->pools[pool];
        const uint64_t rows = lists->marks.rows;
        const unsigned row = rows != 0 ? wi_lowest_bit(rows) : 0;
        if (rows != 0) next = lists->heads[row][wi_lowest_bit(lists->marks.columns[row])];
    }
    return next;
}

static const char *check_marks(const pool_lists *lists)
{
    for (unsigned row = 0; row < WI_CLASS_ROWS; ++row) {
        if ((lists->marks.rows >> row & 1) != (lists->marks.columns[row] != 0))
            return "a row's mark is wrong";
        for (unsigned column = 0; column < WI_CLASS_COLUMNS; ++column) {
            const wi_range *head = lists->heads[row][column];
            if (wi_class_is_marked(&lists->marks, (wi_size_class){row, column}) != (head != NULL))
                return "a class's mark is wrong";
            if (head != NULL && head->left != NULL) return "a class does not begin with its head";
        }
    }
    return NULL;
}

static const char *check(const void *state, const wi_range *range)
{
    const pool_lists *lists = &((const good_fit *)state)->pools[lists_of(range)];
    const wi_size_class at = wi_class_of(range->bytes);

    if (range->size_class != wi_class_number(at)) return "its class is wrong";
    if (range->left == NULL && lists->heads[at.row][at.column] != range)
        return "it is not in its class";
    if (range->left != NULL && range->left->right != range) return "the one before leads elsewhere";
    if (range->right != NULL && range->right->left != range) return "the one after leads elsewhere";
    return check_marks(lists);
}

const wi_range_index wi_good_fit_index = {
    .state_bytes = sizeof(good_fit),
    .insert = insert,
    .remove = remove_range,
    .resize = resize,
    .find = find,
    .find_any = find_any,
    .largest = largest,
    .after = after,
    .check = check,
};
