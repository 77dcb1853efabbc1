/* A million random steps of each strategy, compared with the naive model after each one.
 *
 * A run is a chain of episodes: each draws granule, largest root, limit, the driver's own end and block sizes, then
 * allocates, frees, trims and has the driver refuse, on two fakes in the same state. After every step status, cause,
 * placement and all statistics must agree, the sizes asked of the driver must be the same, no limit may be passed, and
 * wi_arena_check() must hold. Episodes keep at most 128 blocks, so that the check of everything stays cheap; every
 * sixteenth episode keeps up to 400 and is checked in full each 32 steps. Some episodes of `adaptive` are long enough for
 * a stretch of requests to end.
 * In most episodes of `adaptive` blocks can be moved; some are pinned, moves fail, or there is no moving for a while.
 * WEIR_TEST_SEED sets another seed, WEIR_TEST_SCALE divides the steps, WEIR_LONG_TESTS=1 makes ten times as many.
 */
#include "arena_model.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(arena_random, .timeout = 7200);

#define STEPS 1000000u
#define LONG_STEPS 10000000u /* with WEIR_LONG_TESTS=1 */
#define EPISODE_STEPS 1000u
#define LONG_EPISODE_STEPS 24000u /* more than one stretch of requests */
#define BLOCKS_MAX 400u

typedef struct episode {
    uint64_t seed; /* of the whole run, for messages */
    uint64_t random;
    wi_arena *arena;
    arena_model model;
    fake_roots for_arena, for_model;
    fake_block *blocks[BLOCKS_MAX];   /* of the arena */
    fake_block *expected[BLOCKS_MAX]; /* of the model */
    size_t count, count_max;
    size_t move_count; /* of all episodes */
    unsigned steps;
    unsigned size_shift; /* blocks are about 1 << size_shift bytes at most */
    weir_text *why;
} episode;

static uint64_t draw(episode *e, uint64_t below)
{
    e->random ^= e->random << 13;
    e->random ^= e->random >> 7;
    e->random ^= e->random << 17;
    return (e->random >> 11) % below;
}

/* Uniform in the logarithm, so that sizes of every order occur. */
static uint64_t draw_size(episode *e, unsigned shift)
{
    const unsigned bits = (unsigned)draw(e, shift) + 1;
    return 1 + draw(e, UINT64_C(1) << bits);
}

static void begin(episode *e, const wi_strategy *strategy, model_kind kind, unsigned number)
{
    static const uint64_t granules[] = {256, 256, 512, 4096};
    const unsigned shift = 12 + (unsigned)draw(e, 32); /* of the limit: 4 KiB to 8 TiB */
    wi_root_source source;
    wi_arena_options options = {0};
    fake_roots fake;
    int moves;

    e->steps = kind == MODEL_ADAPTIVE && number % 16 == 7 ? LONG_EPISODE_STEPS : EPISODE_STEPS;
    e->count_max = number % 16 == 15 ? BLOCKS_MAX : 8 + (size_t)draw(e, 121);
    e->size_shift = shift - (unsigned)draw(e, 6);
    fake_roots_init(&fake);
    options.granule_bytes = granules[draw(e, 4)];
    options.total_bytes = (UINT64_C(1) << shift) + draw(e, UINT64_C(1) << shift);
    options.has_limit = draw(e, 3) != 0;
    /* a third of the whole at least, so that the model's root table suffices */
    options.max_root_bytes = options.granule_bytes + options.total_bytes / (1 + draw(e, 8));
    if (draw(e, 4) == 0) options.max_root_bytes = UINT64_MAX;
    fake.max_root_bytes = options.max_root_bytes;
    if (options.has_limit || draw(e, 4) == 0)
        fake.limit_bytes = 1 + draw(e, 2 * options.total_bytes);
    if (draw(e, 3) == 0) fake.driver_bytes = 1 + draw(e, options.total_bytes);
    fake.keeps_released = draw(e, 2) == 0;
    e->for_arena = e->for_model = fake;
    e->count = 0;
    moves = kind == MODEL_ADAPTIVE && draw(e, 4) != 0;
    source = moves ? fake_roots_movable(&e->for_arena) : fake_roots_source(&e->for_arena);
    cr_assert_eq(wi_arena_create(strategy, &options, &source, &e->arena), WEIR_OK);
    arena_model_init(&e->model, kind, &options, &e->for_model);
    e->model.moves = moves;
}

static fake_block *new_block(int is_pinned)
{
    fake_block *block = calloc(1, sizeof *block);

    cr_assert_not_null(block);
    block->is_pinned = is_pinned;
    return block;
}

static void alloc_step(episode *e)
{
    const int is_pinned = draw(e, 24) == 0;
    fake_block *got = new_block(is_pinned);
    fake_block *expected = new_block(is_pinned);
    weir_oom_cause cause = WEIR_OOM_NONE;
    weir_oom_cause expected_cause = WEIR_OOM_NONE;
    uint64_t bytes = draw_size(e, e->size_shift);
    weir_status status;
    weir_status expected_status;

    if (draw(e, 500) == 0) bytes = UINT64_MAX - draw(e, 5000);
    if (draw(e, 8) == 0 && e->count != 0) bytes = e->blocks[draw(e, e->count)]->at.bytes;
    status = arena_place(e->arena, bytes, &got->at, &cause);
    expected_status = arena_model_alloc(&e->model, bytes, expected, &expected_cause);
    cr_assert_eq(status, expected_status, "seed %llu: status %d, expected %d",
                 (unsigned long long)e->seed, (int)status, (int)expected_status);
    cr_assert_eq(cause, expected_cause, "seed %llu: cause %d, expected %d",
                 (unsigned long long)e->seed, (int)cause, (int)expected_cause);
    cr_assert_eq(got->at.range != NULL, status == WEIR_OK);
    if (status == WEIR_OK) {
        wi_arena_set_holder(got->at.range, got);
        e->blocks[e->count] = got;
        e->expected[e->count++] = expected;
        return;
    }
    cr_assert_eq(got->at.bytes, 0U);
    free(got);
    free(expected);
}

static void free_step(episode *e)
{
    const size_t i = (size_t)draw(e, e->count);

    wi_arena_free(e->arena, e->blocks[i]->at.range);
    arena_model_free(&e->model, e->expected[i]);
    free(e->blocks[i]);
    free(e->expected[i]);
    e->blocks[i] = e->blocks[--e->count];
    e->expected[i] = e->expected[e->count];
}

/* Where every block is, moved ones included. */
static void compare_blocks(const episode *e)
{
    for (size_t i = 0; i < e->count; ++i) {
        const wi_placement at = wi_range_get_placement(e->blocks[i]->at.range);
        const wi_placement expected = e->expected[i]->at;

        cr_assert(at.root == expected.root && at.offset_bytes == expected.offset_bytes &&
                      at.bytes == expected.bytes,
                  "seed %llu: block %zu is elsewhere", (unsigned long long)e->seed, i);
        cr_assert(at.root == e->blocks[i]->at.root && at.bytes == e->blocks[i]->at.bytes &&
                      at.offset_bytes == e->blocks[i]->at.offset_bytes,
                  "a block was not told where it is");
    }
}

static void step(episode *e)
{
    /* The tide turns: mostly allocating, then mostly freeing, so that every filling occurs. */
    const uint64_t lean = draw(e, 1000);
    const size_t third = e->count_max / 3;

    if (lean < 8) {
        const uint64_t keep = draw(e, 2) == 0 ? 0 : draw(e, 1 + 2 * e->model.total);
        wi_arena_trim(e->arena, keep);
        arena_model_trim(&e->model, keep);
    } else if (lean < 20) {
        e->for_arena.refuse_count = e->for_model.refuse_count = 1 + (unsigned)draw(e, 12);
    } else if (lean < 24) {
        e->for_arena.fail_move_at = e->for_model.fail_move_at = 1 + (unsigned)draw(e, 6);
    } else if (lean < 28) {
        e->for_arena.no_moves = e->for_model.no_moves = draw(e, 4) == 0;
    } else if (e->count < e->count_max &&
               (e->count == 0 || draw(e, 100) < (e->count < third ? 60U : 50U))) {
        alloc_step(e);
    } else {
        free_step(e);
    }
}

static void compare(episode *e, int is_full)
{
    wi_arena_stats got;
    wi_arena_stats expected;

    wi_arena_get_stats(e->arena, &got);
    arena_model_get_stats(&e->model, &expected);
    cr_assert_eq(memcmp(&got, &expected, sizeof got), 0, "seed %llu: statistics differ",
                 (unsigned long long)e->seed);
    cr_assert(got.requested_bytes <= got.in_use_bytes && got.in_use_bytes <= got.reserved_bytes);
    cr_assert_eq(e->for_arena.ask_count, e->for_model.ask_count);
    cr_assert_eq(e->for_arena.release_count, e->for_model.release_count);
    cr_assert_eq(e->for_arena.drain_count, e->for_model.drain_count);
    cr_assert_eq(e->for_arena.pass_count, e->for_model.pass_count);
    cr_assert_eq(e->for_arena.move_count, e->for_model.move_count);
    compare_blocks(e);
    cr_assert_eq(e->for_arena.held_bytes, got.reserved_bytes);
    cr_assert_leq(e->for_arena.held_bytes + e->for_arena.pending_bytes, e->for_arena.limit_bytes);
    if (is_full) cr_assert(wi_arena_check(e->arena, e->why), "%s", weir_text_get(e->why));
}

static void end(episode *e)
{
    cr_assert_eq(memcmp(e->for_arena.asked, e->for_model.asked, sizeof e->for_arena.asked), 0,
                 "seed %llu: other sizes were asked of the driver", (unsigned long long)e->seed);
    while (e->count > 0) {
        free(e->blocks[--e->count]);
        free(e->expected[e->count]);
    }
    e->move_count += e->for_arena.move_count;
    wi_arena_destroy(e->arena);
    cr_assert_eq(e->for_arena.held_bytes, 0U, "roots were kept");
    arena_model_fini(&e->model);
}

static void run_steps(const char *name, model_kind kind)
{
    static episode e;
    const char *seed = getenv("WEIR_TEST_SEED");
    const char *scale = getenv("WEIR_TEST_SCALE");
    const unsigned long divisor = scale != NULL ? strtoul(scale, NULL, 10) : 1;
    const char *is_long = getenv("WEIR_LONG_TESTS");
    const unsigned long most = is_long != NULL && strcmp(is_long, "1") == 0 ? LONG_STEPS : STEPS;
    const unsigned long steps = most / (divisor != 0 ? divisor : 1);
    const wi_strategy *strategy = wi_strategy_find(name);

    cr_assert_not_null(strategy);
    e.seed = seed != NULL ? strtoull(seed, NULL, 10) : 20240229U;
    e.random = e.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    cr_assert_eq(weir_text_create(&e.why), WEIR_OK);
    for (unsigned long done = 0, number = 0; done < steps; done += e.steps, ++number) {
        begin(&e, strategy, kind, (unsigned)number);
        for (unsigned i = 0; i < e.steps; ++i) {
            step(&e);
            compare(&e, e.count_max < BLOCKS_MAX || i % 32 == 0);
        }
        end(&e);
    }
    if (kind == MODEL_ADAPTIVE)
        cr_assert_gt(e.move_count, steps / 1000, "hardly a block was moved");
    weir_text_destroy(e.why);
}

Test(arena_random, prealloc_agrees_with_the_model) { run_steps("prealloc", MODEL_PREALLOC); }

Test(arena_random, growth_agrees_with_the_model) { run_steps("growth", MODEL_GROWTH); }

Test(arena_random, direct_agrees_with_the_model) { run_steps("direct", MODEL_DIRECT); }

Test(arena_random, ondemand_agrees_with_the_model) { run_steps("ondemand", MODEL_ONDEMAND); }

Test(arena_random, adaptive_agrees_with_the_model) { run_steps("adaptive", MODEL_ADAPTIVE); }
