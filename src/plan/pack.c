/* Static packing: greedy by size.
 *
 * Blocks are placed from the largest to the smallest; each goes to the lowest gap between those already placed whose
 * lifetimes meet its own. This is within a few percent of the best for lifetimes of programs, and needs no more than the
 * square of the number of blocks. Placed blocks are kept in the order of their offsets, so that one pass finds the gap.
 * Locking: none.
 */
#include "plan/pack.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const wi_packed *a = *(wi_packed *const *)left;
    const wi_packed *b = *(wi_packed *const *)right;

    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int do_meet(const wi_packed *a, const wi_packed *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* Places one block among `count` placed ones, which ascend in offset; returns 0 if the numbers end. */
static int place(wi_packed *const *placed, size_t count, wi_packed *block, uint64_t align_bytes)
{
    uint64_t offset = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t end = 0;

        if (!do_meet(placed[i], block)) continue;
        if (placed[i]->offset_bytes >= offset && placed[i]->offset_bytes - offset >= block->bytes)
            break;
        if (!wi_add_u64(placed[i]->offset_bytes, placed[i]->bytes, &end)) return 0;
        if (!wi_align_u64(end, align_bytes, &end)) return 0;
        if (end > offset) offset = end;
    }
    block->offset_bytes = offset;
    return 1;
}

weir_status wi_pack(wi_packed *blocks, size_t count, uint64_t align_bytes, uint64_t *total_bytes)
{
    wi_packed **order = wi_calloc(2 * count + 1, sizeof(wi_packed *));
    wi_packed **placed = NULL;
    size_t n_placed = 0;
    size_t n_order = 0;
    int fits = 1;

    *total_bytes = 0;
    if (order == NULL) return wi_fail(WEIR_E_HOST_MEMORY, "wi_pack", "%zu blocks", count);
    placed = order + count;
    for (size_t i = 0; i < count; i++) {
        blocks[i].offset_bytes = 0;
        if (blocks[i].bytes > 0) order[n_order++] = &blocks[i];
    }
    if (n_order > 0) qsort(order, n_order, sizeof(wi_packed *), compare);
    for (size_t i = 0; i < n_order && fits; i++) {
        uint64_t end = 0;
        size_t at = n_placed;

        fits = place(placed, n_placed, order[i], align_bytes) &&
               wi_add_u64(order[i]->offset_bytes, order[i]->bytes, &end) &&
               wi_align_u64(end, align_bytes, &end);
        if (end > *total_bytes) *total_bytes = end;
        for (; at > 0 && placed[at - 1]->offset_bytes > order[i]->offset_bytes; at--)
            placed[at] = placed[at - 1];
        placed[at] = order[i];
        n_placed++;
    }
    wi_free(order);
    if (fits) return WEIR_OK;
    *total_bytes = 0;
    return wi_fail(WEIR_E_UNSUPPORTED, "wi_pack", "%zu blocks need more than 2^64 bytes", count);
}
