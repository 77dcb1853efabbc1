/* Free ranges in 21 bins of doubling sizes, each an ordered set: the search of TensorFlow's BFC allocator.
 *
 * Bin b begins at 256 bytes << b; the last one has no upper end. A search starts at the bin of the request and walks
 * up; the first range that fits is the smallest that fits, ties going to the older root and then the lower offset. The
 * bins keep the sets small, so the logarithm is one of a bin's ranges. Rules and constants: TensorFlow,
 * xla/tsl/framework/bfc_allocator.h. The arena's caller locks.
 */
#include "base/bits.h"
#include "plan/range_index.h"
#include "plan/range_tree.h"

#define BIN_COUNT 21u
#define BIN_SHIFT 8 /* log2 of the first bin's begin */

/* Invariants: bit b of filled is set == trees[b] is not empty; a range is in the tree of its size_class. */
typedef struct bins {
    uint32_t filled;
    wi_range_tree trees[BIN_COUNT];
} bins;

static unsigned bin_of(uint64_t bytes)
{
    const uint64_t units = bytes >> BIN_SHIFT;

    return units >> (BIN_COUNT - 1) != 0 ? BIN_COUNT - 1 : wi_highest_bit(units | 1);
}

/* bin_of(bytes) == bin, in short; it may say no for less than a unit. */
static int is_of_bin(uint64_t bytes, unsigned bin)
{
    const uint64_t begins = bytes >> BIN_SHIFT >> bin;

    return begins == 1 || (bin == BIN_COUNT - 1 && begins != 0);
}

static void insert(void *state, wi_range *range)
{
    bins *all = state;
    const unsigned bin = bin_of(range->bytes);

    wi_range_tree_insert(&all->trees[bin], range);
    all->filled |= UINT32_C(1) << bin;
    range->size_class = bin;
}

static void remove_range(void *state, wi_range *range)
{
    bins *all = state;
    const unsigned bin = range->size_class;

    wi_range_tree_remove(&all->trees[bin], range);
    if (all->trees[bin].top == NULL) all->filled &= ~(UINT32_C(1) << bin);
}

/* A range that is alone in its bin before and after has no order there to lose: what is left of a root, most often. */
static void resize(void *state, wi_range *range, uint64_t offset_bytes, uint64_t bytes)
{
    const bins *all = state;

    if (all->trees[range->size_class].top == range && range->left == NULL && range->right == NULL &&
        is_of_bin(bytes, range->size_class)) {
        range->offset_bytes = offset_bytes;
        range->bytes = bytes;
        return;
    }
    remove_range(state, range);
    range->offset_bytes = offset_bytes;
    range->bytes = bytes;
    insert(state, range);
}

static wi_range *find(const void *state, uint64_t bytes)
{
    const bins *all = state;
    const unsigned own = bin_of(bytes);

    for (uint32_t filled = all->filled >> own << own; filled != 0; filled &= filled - 1) {
        wi_range *range = wi_range_tree_find(&all->trees[wi_lowest_bit(filled)], bytes);
        if (range != NULL) return range;
    }
    return NULL;
}

static wi_range *largest(const void *state)
{
    const bins *all = state;

    for (unsigned bin = BIN_COUNT; bin-- > 0;) {
        if (all->trees[bin].top != NULL) return wi_range_tree_last(&all->trees[bin]);
    }
    return NULL;
}

static wi_range *after(const void *state, const wi_range *range)
{
    const bins *all = state;

    for (unsigned bin = range != NULL ? bin_of(range->bytes) : 0; bin < BIN_COUNT; ++bin) {
        wi_range *next = wi_range_tree_after(&all->trees[bin], range);
        if (next != NULL) return next;
    }
    return NULL;
}

static const char *check(const void *state, const wi_range *range)
{
    const bins *all = state;
    const unsigned bin = bin_of(range->bytes);
    const char *fault;

    if (range->size_class != bin) return "it is in another bin";
    if ((all->filled >> bin & 1) == 0) return "its bin counts as empty";
    fault = wi_range_tree_check(&all->trees[bin], range);
    if (fault != NULL) return fault;
    for (unsigned b = 0; b < BIN_COUNT; ++b) {
        if ((all->filled >> b & 1) != (all->trees[b].top != NULL)) return "a bin's mark is wrong";
    }
    return NULL;
}

const wi_range_index wi_bins_index = {
    .state_bytes = sizeof(bins),
    .insert = insert,
    .remove = remove_range,
    .resize = resize,
    .find = find,
    .largest = largest,
    .after = after,
    .check = check,
};
