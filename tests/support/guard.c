/* Guards inside one block.
 *
 * The pattern is a byte that depends on its position, so that a copy shifted by less than its period of 251 bytes, a
 * prime, shows as well as zeros do. The bytes between the payload's end and the next multiple of 4 belong to the guard.
 */
#include "guard.h"

#include "devices.h"

#include "cl/queue.h"
#include "mem/block.h"

#include <stdlib.h>
#include <string.h>

static unsigned char pattern_at(uint64_t i) { return (unsigned char)(0xa5U ^ (i % 251)); }

static uint64_t whole_bytes(const wt_guard *guard)
{
    return 2 * (uint64_t)WT_GUARD_BYTES + guard->bytes;
}

wt_guard wt_guard_open(weir_context *ctx, uint64_t bytes)
{
    wt_guard guard = {ctx, NULL, NULL, 0, bytes};
    uint64_t all = whole_bytes(&guard);
    unsigned char *data = malloc(all);

    cr_assert_not_null(data);
    for (uint64_t i = 0; i < all; i++) data[i] = pattern_at(i);
    wt_ok(weir_pool_alloc(weir_context_get_pool(ctx), NULL, all, "guard", &guard.block));
    guard.buffer = wi_block_get_buffer(guard.block);
    guard.payload_offset = weir_block_get_offset_bytes(guard.block) + WT_GUARD_BYTES;
    wt_ok(wi_queue_write(wi_context_get_queue(ctx), guard.buffer,
                         guard.payload_offset - WT_GUARD_BYTES, all, data));
    free(data);
    return guard;
}

uint64_t wt_guard_count_broken(const wt_guard *guard, int64_t *first)
{
    uint64_t all = whole_bytes(guard);
    uint64_t broken = 0;
    unsigned char *data = malloc(all);

    cr_assert_not_null(data);
    wt_ok(wi_queue_read(wi_context_get_queue(guard->ctx), guard->buffer,
                        guard->payload_offset - WT_GUARD_BYTES, all, data));
    for (uint64_t i = 0; i < all; i++) {
        int is_payload = i >= WT_GUARD_BYTES && i < WT_GUARD_BYTES + guard->bytes;
        if (is_payload || data[i] == pattern_at(i)) continue;
        if (broken == 0 && first != NULL) *first = (int64_t)i - WT_GUARD_BYTES;
        broken++;
    }
    free(data);
    return broken;
}

void wt_guard_check(const wt_guard *guard, const char *when)
{
    int64_t first = 0;
    uint64_t broken = wt_guard_count_broken(guard, &first);

    cr_assert_eq(broken, 0,
                 "%s: %llu bytes outside a payload of %llu were written, the first at %lld", when,
                 (unsigned long long)broken, (unsigned long long)guard->bytes, (long long)first);
}

void wt_guard_close(wt_guard *guard)
{
    wt_guard_check(guard, "at release");
    weir_block_release(guard->block);
    *guard = (wt_guard){NULL, NULL, NULL, 0, 0};
}
