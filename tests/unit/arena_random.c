/* A million random steps of each strategy, compared with the naive model after each one.
 *
 * A run is a chain of episodes: each draws granule, largest root, limit, the driver's own end and block sizes, then
 * allocates, frees, trims and has the driver refuse, on two fakes in the same state. After every step status, cause,
 * placement and all statistics must agree, the sizes asked of the driver must be the same, no limit may be passed, and
 * wi_arena_check() must hold. Episodes keep at most 128 blocks, so that the check of everything stays cheap; every
 * sixteenth episode keeps up to 400 and is checked in full each 32 steps. Some episodes of `adaptive` are long enough for
 * a stretch of requests to end.
 * WEIR_TEST_SEED sets another seed, WEIR_TEST_SCALE divides the steps.
 */
#include "arena_model.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

TestSuite(arena_random, .timeout = 240);

#define STEPS 1000000u
#define EPISODE_STEPS 1000u
#define LONG_EPISODE_STEPS 24000u /* more than one stretch of requests */
#define BLOCKS_MAX 400u

typedef struct episode {
    uint64_t seed; /* of the whole run, for messages */
    uint64_t random;
    wi_arena *arena;
    arena_model model;
    fake_roots for_arena, for_model;
    wi_placement blocks[BLOCKS_MAX];
    size_t count, count_max;
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
    source = fake_roots_source(&e->for_arena);
    cr_assert_eq(wi_arena_create(strategy, &options, &source, &e->arena), WEIR_OK);
    arena_model_init(&e->model, kind, &options, &e->for_model);
}

static void alloc_step(episode *e)
{
    wi_placement got;
    wi_placement expected;
    weir_oom_cause cause = WEIR_OOM_NONE;
    weir_oom_cause expected_cause = WEIR_OOM_NONE;
    uint64_t bytes = draw_size(e, e->size_shift);
    weir_status status;
    weir_status expected_status;

    if (draw(e, 500) == 0) bytes = UINT64_MAX - draw(e, 5000);
    if (draw(e, 8) == 0 && e->count != 0) bytes = e->blocks[draw(e, e->count)].bytes;
    status = wi_arena_alloc(e->arena, bytes, &got, &cause);
    expected_status = arena_model_alloc(&e->model, bytes, &expected, &expected_cause);
    cr_assert_eq(status, expected_status, "seed %llu: status %d, expected %d",
                 (unsigned long long)e->seed, (int)status, (int)expected_status);
    cr_assert_eq(cause, expected_cause, "seed %llu: cause %d, expected %d",
                 (unsigned long long)e->seed, (int)cause, (int)expected_cause);
    cr_assert_eq(got.root, expected.root);
    cr_assert_eq(got.offset_bytes, expected.offset_bytes);
    cr_assert_eq(got.bytes, expected.bytes);
    cr_assert_eq(got.range != NULL, status == WEIR_OK);
    if (status == WEIR_OK) e->blocks[e->count++] = got;
}

static void free_step(episode *e)
{
    const size_t i = (size_t)draw(e, e->count);
    const wi_placement block = e->blocks[i];

    e->blocks[i] = e->blocks[--e->count];
    wi_arena_free(e->arena, block.range);
    arena_model_free(&e->model, block.root, block.offset_bytes);
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
    cr_assert_eq(e->for_arena.held_bytes, got.reserved_bytes);
    cr_assert_leq(e->for_arena.held_bytes + e->for_arena.pending_bytes, e->for_arena.limit_bytes);
    if (is_full) cr_assert(wi_arena_check(e->arena, e->why), "%s", weir_text_get(e->why));
}

static void end(episode *e)
{
    cr_assert_eq(memcmp(e->for_arena.asked, e->for_model.asked, sizeof e->for_arena.asked), 0,
                 "seed %llu: other sizes were asked of the driver", (unsigned long long)e->seed);
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
    const unsigned long steps = STEPS / (divisor != 0 ? divisor : 1);
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
    weir_text_destroy(e.why);
}

Test(arena_random, prealloc_agrees_with_the_model) { run_steps("prealloc", MODEL_PREALLOC); }

Test(arena_random, growth_agrees_with_the_model) { run_steps("growth", MODEL_GROWTH); }

Test(arena_random, direct_agrees_with_the_model) { run_steps("direct", MODEL_DIRECT); }

Test(arena_random, ondemand_agrees_with_the_model) { run_steps("ondemand", MODEL_ONDEMAND); }

Test(arena_random, adaptive_agrees_with_the_model) { run_steps("adaptive", MODEL_ADAPTIVE); }
