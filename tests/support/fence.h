/* Guards around the results of operations, with public calls only.
 *
 * A fence is a row of equal tensors with a known pattern, of which every second one was released: results of about
 * that size fall into the holes, and whatever an operation writes outside its result changes a neighbour.
 */
#ifndef WT_FENCE_H
#define WT_FENCE_H

#include <weir/tensor.h>

#include <stdint.h>

#define WT_FENCE_HOLES 8

typedef struct wt_fence {
    weir_context *ctx;
    uint64_t slot_bytes;
    weir_tensor *posts[WT_FENCE_HOLES + 1];
    uint64_t holes[WT_FENCE_HOLES]; /* offset of each hole */
    uint64_t root; /* where the posts are; 0 if they are not all in one root and in a row */
} wt_fence;

/* Lays out posts with holes that take results of at most `bytes`; asserts. */
wt_fence wt_fence_open(weir_context *ctx, uint64_t bytes);

/* 1 if the tensor lies in a hole, so that the check after it means something. With the strategy `direct` none does. */
int wt_fence_covers(const wt_fence *fence, const weir_tensor *tensor);

/* Reads every post back and asserts the pattern. */
void wt_fence_check(const wt_fence *fence, const char *when);

/* Checks, then releases the posts. */
void wt_fence_close(wt_fence *fence);

#endif
