/* Roots as numbers: tokens are counted, never dereferenced. */
#include "fake_roots.h"

#include <criterion/criterion.h>

#include <string.h>

static uint64_t available(void *user)
{
    const fake_roots *roots = user;

    if (roots->limit_bytes == UINT64_MAX) return UINT64_MAX;
    return roots->limit_bytes - roots->held_bytes - roots->pending_bytes;
}

static weir_status acquire(void *user, uint64_t bytes, void **root)
{
    fake_roots *roots = user;
    const uint64_t counted = roots->held_bytes + roots->pending_bytes;
    size_t slot;

    cr_assert_gt(bytes, 0U);
    cr_assert_leq(bytes, roots->max_root_bytes, "a root above the largest was asked for");
    cr_assert_leq(bytes, available(user), "a root above the limit was asked for");
    *root = NULL;
    roots->asked[roots->ask_count++ % FAKE_ROOTS_MAX] = bytes;
    if (roots->fail_at != 0 && --roots->fail_at == 0) return WEIR_E_DRIVER;
    if (roots->refuse_count != 0) {
        roots->refuse_count--;
        return WEIR_E_OUT_OF_MEMORY;
    }
    if (bytes > roots->driver_bytes - counted) return WEIR_E_OUT_OF_MEMORY;
    slot = ++roots->take_count % FAKE_ROOTS_MAX;
    cr_assert_eq(roots->bytes[slot], 0U, "more roots than the fake can hold");
    roots->bytes[slot] = bytes;
    roots->held_bytes += bytes;
    if (roots->held_bytes > roots->peak_bytes) roots->peak_bytes = roots->held_bytes;
    *root = (void *)(uintptr_t)roots->take_count;
    return WEIR_OK;
}

static void release(void *user, void *root, uint64_t bytes)
{
    fake_roots *roots = user;
    uint64_t *held = &roots->bytes[fake_roots_number(root) % FAKE_ROOTS_MAX];

    cr_assert_eq(*held, bytes, "released with another size than it was taken with");
    *held = 0;
    roots->held_bytes -= bytes;
    roots->release_count++;
    if (roots->keeps_released) roots->pending_bytes += bytes;
}

static int drain(void *user)
{
    fake_roots *roots = user;
    const int rises = roots->pending_bytes != 0;

    roots->drain_count += rises != 0;
    roots->pending_bytes = 0;
    return rises;
}

static int begin_moves(void *user)
{
    fake_roots *roots = user;

    cr_assert_not(roots->is_moving);
    if (roots->no_moves) return 0;
    roots->is_moving = 1;
    roots->pass_count++;
    return 1;
}

static void end_moves(void *user)
{
    fake_roots *roots = user;

    cr_assert(roots->is_moving);
    roots->is_moving = 0;
}

static int can_move(void *user, const wi_range *range)
{
    const fake_block *block = wi_range_get_holder(range);

    (void)user;
    return block == NULL || !block->is_pinned;
}

static weir_status move(void *user, wi_range *range, const wi_placement *to)
{
    fake_roots *roots = user;
    fake_block *block = wi_range_get_holder(range);
    const wi_placement from = wi_range_get_placement(range);
    const uint64_t size = roots->bytes[fake_roots_number(to->root) % FAKE_ROOTS_MAX];

    cr_assert(roots->is_moving, "a move outside of a pass");
    cr_assert(can_move(user, range), "a pinned block is moved");
    cr_assert_neq(from.root, to->root, "a move within a root");
    cr_assert_geq(to->bytes, from.bytes);
    cr_assert(size != 0 && to->bytes <= size && to->offset_bytes <= size - to->bytes);
    if (block != NULL) {
        cr_assert_eq(block->at.root, from.root, "the block was told another place");
        cr_assert_eq(block->at.offset_bytes, from.offset_bytes);
        cr_assert_eq(block->at.range, range);
    }
    if (roots->fail_move_at != 0 && --roots->fail_move_at == 0) return WEIR_E_DRIVER;
    roots->move_count++;
    if (block == NULL) return WEIR_OK;
    block->at.root = to->root;
    block->at.offset_bytes = to->offset_bytes;
    block->at.bytes = to->bytes;
    block->moves++;
    return WEIR_OK;
}

void fake_roots_init(fake_roots *roots)
{
    memset(roots, 0, sizeof *roots);
    roots->limit_bytes = UINT64_MAX;
    roots->driver_bytes = UINT64_MAX;
    roots->max_root_bytes = UINT64_MAX;
}

wi_root_source fake_roots_source(fake_roots *roots)
{
    return (wi_root_source){.user = roots,
                            .acquire = acquire,
                            .release = release,
                            .available = available,
                            .drain = drain};
}

wi_root_source fake_roots_movable(fake_roots *roots)
{
    wi_root_source source = fake_roots_source(roots);

    source.begin_moves = begin_moves;
    source.end_moves = end_moves;
    source.can_move = can_move;
    source.move = move;
    return source;
}

uint64_t fake_roots_number(const void *token) { return (uint64_t)(uintptr_t)token; }

weir_status arena_place(wi_arena *arena, uint64_t bytes, wi_placement *out, weir_oom_cause *cause)
{
    static wi_range untouched;
    wi_range *range = &untouched;
    const weir_status status = wi_arena_alloc(arena, bytes, &range, cause);

    cr_assert_neq(range, &untouched);
    cr_assert_eq(range != NULL, status == WEIR_OK);
    *out = range != NULL ? wi_range_get_placement(range) : (wi_placement){0};
    return status;
}
