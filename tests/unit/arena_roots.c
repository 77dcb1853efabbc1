/* The cost of a request beside thousands of roots, in comparisons of roots: it must not grow with them. */
#include "plan/arena_state.h"

#include <criterion/criterion.h>

#include <stdlib.h>

TestSuite(arena_roots, .timeout = 120);

#define MIB (UINT64_C(1) << 20)

enum { BLOCKS_MOST = 100000, STEPS = 60000 };

/* A driver that never refuses, and blocks that stay where they are while `pinned` is set. */
typedef struct driver {
    uintptr_t count;
    int pinned;
} driver;

static weir_status acquire(void *user, uint64_t bytes, void **root)
{
    driver *it = user;

    (void)bytes;
    *root = (void *)++it->count;
    return WEIR_OK;
}

static void release(void *user, void *root, uint64_t bytes)
{
    (void)user;
    (void)root;
    (void)bytes;
}

static uint64_t available(void *user)
{
    (void)user;
    return UINT64_MAX;
}

static int begin_moves(void *user)
{
    (void)user;
    return 1;
}

static void end_moves(void *user) { (void)user; }

static int can_move(void *user, const wi_range *range)
{
    const driver *it = user;

    (void)range;
    return !it->pinned;
}

static weir_status move(void *user, wi_range *range, const wi_placement *to)
{
    (void)user;
    (void)range;
    (void)to;
    return WEIR_OK;
}

static wi_arena *open_pool(driver *it, int is_fixed)
{
    const wi_arena_options options = {.granule_bytes = 256,
                                      .max_root_bytes = UINT64_C(1) << 40,
                                      .total_bytes = UINT64_C(1) << 50};
    wi_root_source source = {
        .user = it, .acquire = acquire, .release = release, .available = available};
    wi_arena *arena = NULL;

    if (!is_fixed) {
        source.begin_moves = begin_moves;
        source.end_moves = end_moves;
        source.can_move = can_move;
        source.move = move;
    }
    cr_assert_eq(wi_arena_create(wi_strategy_find("adaptive"), &options, &source, &arena), WEIR_OK);
    return arena;
}

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (*random >> 11) % below;
}

static wi_range *take(wi_arena *arena, uint64_t *random)
{
    const uint64_t bytes = 2 * MIB + draw(random, 14 * MIB);
    weir_oom_cause cause;
    wi_range *range = NULL;

    cr_assert_eq(wi_arena_alloc(arena, bytes, &range, &cause), WEIR_OK);
    return range;
}

static void check(const wi_arena *arena)
{
    weir_text *why = NULL;

    cr_assert_eq(weir_text_create(&why), WEIR_OK);
    cr_assert(wi_arena_check(arena, why), "%s", weir_text_get(why));
    weir_text_destroy(why);
}

/* Comparisons of roots for one event, beside `count` blocks of 2 to 16 MiB: one goes, another comes. */
static double looks_beside(size_t count, int is_fixed, int is_pinned)
{
    wi_range **blocks = calloc(count, sizeof(wi_range *));
    driver it = {0, is_pinned};
    wi_arena *arena = open_pool(&it, is_fixed);
    uint64_t random = 88172645463325252U;
    uint64_t before;
    double looks;

    cr_assert_not_null(blocks);
    for (size_t i = 0; i < count; ++i) blocks[i] = take(arena, &random);
    before = arena->roots.looks;
    for (int step = 0; step < STEPS; ++step) {
        const size_t i = (size_t)draw(&random, count);

        wi_arena_free(arena, blocks[i]);
        blocks[i] = take(arena, &random);
    }
    looks = (double)(arena->roots.looks - before) / (2.0 * STEPS);
    check(arena);
    wi_arena_destroy(arena);
    free(blocks);
    return looks;
}

/* Heaps take a logarithm for what is taken out of them; a walk through the list would take thousands. */
static void assert_few(double most, int is_fixed, int is_pinned)
{
    static const size_t counts[] = {20, 2000, 32000, BLOCKS_MOST};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        const double looks = looks_beside(counts[i], is_fixed, is_pinned);
        cr_assert_leq(looks, most, "%.1f beside %zu blocks", looks, counts[i]);
    }
}

Test(arena_roots, are_hardly_looked_at_where_blocks_can_be_moved) { assert_few(16, 0, 0); }

Test(arena_roots, are_hardly_looked_at_where_blocks_cannot_be_moved) { assert_few(1, 1, 0); }

/* Each search passes over a few and ends. */
Test(arena_roots, are_hardly_looked_at_where_no_block_may_be_moved) { assert_few(48, 0, 1); }
