/* A row of guard tensors.
 *
 * Whether a hole is used depends on the pool's strategy, so a test asks wt_fence_covers() about the result it got and
 * asserts it where the strategy makes it certain. Posts are u8 tensors: their bytes are the block's.
 */
#include "fence.h"

#include "devices.h"

#include <weir/pool.h>

#include <stdlib.h>
#include <string.h>

#define SLOTS (2 * WT_FENCE_HOLES + 1)

static unsigned char *make_pattern(uint64_t bytes)
{
    unsigned char *data = malloc(bytes);

    cr_assert_not_null(data);
    for (uint64_t i = 0; i < bytes; i++) data[i] = (unsigned char)(0x5aU ^ (i % 241));
    return data;
}

wt_fence wt_fence_open(weir_context *ctx, uint64_t bytes)
{
    wt_fence fence = {.ctx = ctx, .slot_bytes = bytes < 4096 ? 4096 : bytes};
    weir_shape shape = {.rank = 1, .extents = {fence.slot_bytes}};
    unsigned char *data = make_pattern(fence.slot_bytes);
    weir_tensor *slots[SLOTS] = {NULL};
    int is_row = 1;

    for (int i = 0; i < SLOTS; i++)
        wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_U8, &shape, data, &slots[i]));
    for (int i = 1; i < SLOTS; i++) {
        const weir_block *before = weir_tensor_get_block(slots[i - 1]);
        const weir_block *here = weir_tensor_get_block(slots[i]);
        uint64_t gap = weir_block_get_offset_bytes(here) - weir_block_get_offset_bytes(before);
        if (weir_block_get_root(here) != weir_block_get_root(before)) is_row = 0;
        if (gap < fence.slot_bytes || gap > fence.slot_bytes + 4096) is_row = 0;
    }
    fence.root = is_row ? weir_block_get_root(weir_tensor_get_block(slots[0])) : 0;
    for (int i = 0; i < SLOTS; i++) {
        if (i % 2 == 0) {
            fence.posts[i / 2] = slots[i];
        } else {
            fence.holes[i / 2] = weir_block_get_offset_bytes(weir_tensor_get_block(slots[i]));
            weir_tensor_release(slots[i]);
        }
    }
    free(data);
    return fence;
}

int wt_fence_covers(const wt_fence *fence, const weir_tensor *tensor)
{
    const weir_block *block = weir_tensor_get_block(tensor);
    uint64_t start = block == NULL ? 0 : weir_block_get_offset_bytes(block);

    if (block == NULL || fence->root == 0 || weir_block_get_root(block) != fence->root) return 0;
    for (int i = 0; i < WT_FENCE_HOLES; i++)
        if (start >= fence->holes[i] && start < fence->holes[i] + fence->slot_bytes) return 1;
    return 0;
}

void wt_fence_check(const wt_fence *fence, const char *when)
{
    unsigned char *expected = make_pattern(fence->slot_bytes);
    unsigned char *data = malloc(fence->slot_bytes);

    cr_assert_not_null(data);
    for (int i = 0; i <= WT_FENCE_HOLES; i++) {
        uint64_t at = 0;
        wt_ok(weir_tensor_to_host(fence->posts[i], data, fence->slot_bytes));
        while (at < fence->slot_bytes && data[at] == expected[at]) at++;
        cr_assert_eq(at, fence->slot_bytes, "%s: byte %llu of guard %d was written", when,
                     (unsigned long long)at, i);
    }
    free(data);
    free(expected);
}

void wt_fence_close(wt_fence *fence)
{
    wt_fence_check(fence, "at release");
    for (int i = 0; i <= WT_FENCE_HOLES; i++) weir_tensor_release(fence->posts[i]);
    *fence = (wt_fence){.ctx = NULL};
}
