/* Guard bands see what is written next to a payload, and nothing else. */
#include "fence.h"
#include "guard.h"

#include "devices.h"
#include "null_device.h"

#include "cl/queue.h"

#include <string.h>

TestSuite(guard, .timeout = WT_TIMEOUT);

static weir_context *open_backed(void)
{
    const wt_null_control *control = wt_null_use();

    cr_assert(control->set("BACKED", "1"));
    return wt_null_open();
}

static void check_guard(void *guard) { wt_guard_check(guard, "in the test"); }

Test(guard, a_write_inside_the_payload_is_allowed_and_one_beside_it_is_seen)
{
    static const int64_t outside[] = {-WT_GUARD_BYTES, -1, 100, 100 + WT_GUARD_BYTES - 1};
    weir_context *ctx = open_backed();
    wi_queue *queue = wi_context_get_queue(ctx);
    wt_guard guard = wt_guard_open(ctx, 100);
    unsigned char payload[100];
    unsigned char wrong = 0;
    unsigned char right = 0;

    memset(payload, 1, sizeof payload);
    wt_ok(wi_queue_write(queue, guard.buffer, guard.payload_offset, 100, payload));
    wt_guard_check(&guard, "after a write inside");
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        uint64_t at = guard.payload_offset + (uint64_t)outside[i];
        int64_t first = 0;
        wt_ok(wi_queue_read(queue, guard.buffer, at, 1, &right));
        wrong = (unsigned char)(right ^ 0xffU);
        wt_ok(wi_queue_write(queue, guard.buffer, at, 1, &wrong));
        cr_assert_eq(wt_guard_count_broken(&guard, &first), 1);
        cr_assert_eq(first, outside[i]);
        cr_assert(wt_would_fail(check_guard, &guard));
        wt_ok(wi_queue_write(queue, guard.buffer, at, 1, &right));
    }
    wt_guard_close(&guard);
    wt_null_close(ctx);
}

static void check_fence(void *fence) { wt_fence_check(fence, "in the test"); }

WEIR_DEVICE_TEST_TAGGED(guard, a_fence_has_results_between_its_posts)
{
    wt_fence fence = wt_fence_open(ctx, 4000);
    weir_shape shape = {.rank = 1, .extents = {4000}};
    unsigned char data[4000] = {0};
    weir_tensor *tensor = NULL;

    (void)dev;
    cr_assert_str_eq(weir_device_get_strategy(weir_context_get_device(ctx)), "adaptive");
    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_U8, &shape, data, &tensor));
    cr_assert(wt_fence_covers(&fence, tensor));
    cr_assert_not(wt_fence_covers(&fence, fence.posts[0]));
    weir_tensor_release(tensor);
    wt_fence_close(&fence);
}

Test(guard, a_fence_sees_a_post_that_changed)
{
    weir_context *ctx = open_backed();
    wt_fence fence = wt_fence_open(ctx, 4096);
    wi_queue *queue = wi_context_get_queue(ctx);
    wt_guard probe = wt_guard_open(ctx, 4);
    unsigned char right = 0;
    unsigned char wrong = 0;

    /* The probe's root is the fence's: with `adaptive` small blocks share one. */
    cr_assert_eq(weir_block_get_root(probe.block), fence.root);
    wt_ok(wi_queue_read(queue, probe.buffer, fence.holes[0] - 1, 1, &right));
    wrong = (unsigned char)(right ^ 0xffU);
    wt_ok(wi_queue_write(queue, probe.buffer, fence.holes[0] - 1, 1, &wrong));
    cr_assert(wt_would_fail(check_fence, &fence));
    wt_ok(wi_queue_write(queue, probe.buffer, fence.holes[0] - 1, 1, &right));
    wt_guard_close(&probe);
    wt_fence_close(&fence);
    wt_null_close(ctx);
}
