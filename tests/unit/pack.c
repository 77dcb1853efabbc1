/* Static packing: blocks that are needed at one time never overlap, whatever the lifetimes, and the total is near the
 * most bytes needed at once. */
#include "plan/pack.h"

#include <weir/status.h>

#include <criterion/criterion.h>

#include <stdlib.h>

TestSuite(pack, .timeout = 120);

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t round_up(uint64_t bytes, uint64_t align)
{
    return (bytes + align - 1) / align * align;
}

/* The most rounded bytes that are needed at once. */
static uint64_t lower_bound(const wi_packed *blocks, size_t count, uint64_t times, uint64_t align)
{
    uint64_t most = 0;

    for (uint64_t t = 0; t < times; t++) {
        uint64_t sum = 0;

        for (size_t i = 0; i < count; i++) {
            if (blocks[i].first <= t && t <= blocks[i].last)
                sum += round_up(blocks[i].bytes, align);
        }
        if (sum > most) most = sum;
    }
    return most;
}

static void check_blocks(const wi_packed *blocks, size_t count, uint64_t align, uint64_t total)
{
    for (size_t i = 0; i < count; i++) {
        const wi_packed *a = &blocks[i];

        cr_assert_eq(a->offset_bytes % align, 0);
        cr_assert_leq(a->offset_bytes + a->bytes, total);
        for (size_t k = 0; k < i; k++) {
            const wi_packed *b = &blocks[k];

            if (a->bytes == 0 || b->bytes == 0 || a->first > b->last || b->first > a->last)
                continue;
            cr_assert(a->offset_bytes + a->bytes <= b->offset_bytes ||
                          b->offset_bytes + b->bytes <= a->offset_bytes,
                      "blocks %zu and %zu overlap", k, i);
        }
    }
}

Test(pack, blocks_needed_at_one_time_do_not_overlap)
{
    double worst = 0;

    for (int round = 0; round < 300; round++) {
        const size_t count = 1 + next_random() % 60;
        const uint64_t align = UINT64_C(1) << next_random() % 9;
        const uint64_t times = 1 + next_random() % 40;
        wi_packed *blocks = calloc(count, sizeof *blocks);
        uint64_t total = 0;
        uint64_t least = 0;

        cr_assert_not_null(blocks);
        for (size_t i = 0; i < count; i++) {
            blocks[i].bytes = next_random() % 8 == 0 ? 0 : next_random() % 100000;
            blocks[i].first = next_random() % times;
            blocks[i].last = blocks[i].first + next_random() % (times - blocks[i].first);
        }
        cr_assert_eq(wi_pack(blocks, count, align, &total), WEIR_OK);
        check_blocks(blocks, count, align, total);
        least = lower_bound(blocks, count, times, align);
        cr_assert_geq(total, least);
        if (least > 0 && (double)total / (double)least > worst)
            worst = (double)total / (double)least;
        free(blocks);
    }
    cr_assert_leq(worst, 1.5, "a plan takes %.2f times what is needed at once", worst);
}

Test(pack, a_chain_needs_two_blocks)
{
    wi_packed blocks[10];
    uint64_t total = 0;

    for (uint64_t i = 0; i < 10; i++) blocks[i] = (wi_packed){1000, i, i + 1, 77};
    cr_assert_eq(wi_pack(blocks, 10, 256, &total), WEIR_OK);
    check_blocks(blocks, 10, 256, total);
    cr_assert_eq(total, 2048);
}

Test(pack, nothing_is_0_bytes)
{
    wi_packed block = {0, 0, 5, 77};
    uint64_t total = 1;

    cr_assert_eq(wi_pack(NULL, 0, 256, &total), WEIR_OK);
    cr_assert_eq(total, 0);
    cr_assert_eq(wi_pack(&block, 1, 256, &total), WEIR_OK);
    cr_assert_eq(total, 0);
    cr_assert_eq(block.offset_bytes, 0);
}

Test(pack, sizes_beyond_64_bits_are_refused)
{
    wi_packed blocks[2] = {{UINT64_MAX - 10, 0, 0, 0}, {100, 0, 0, 0}};
    uint64_t total = 1;

    cr_assert_eq(wi_pack(blocks, 2, 1, &total), WEIR_E_UNSUPPORTED);
    cr_assert_eq(total, 0);
    cr_assert_eq(wi_pack(blocks, 1, 256, &total), WEIR_E_UNSUPPORTED);
}
