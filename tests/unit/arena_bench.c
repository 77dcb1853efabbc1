/* The steps of arena tests. */
#include "arena_bench.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

arena_bench it;

void open_options(const wi_strategy *strategy, const wi_arena_options *options)
{
    const wi_root_source source =
        it.is_movable ? fake_roots_movable(&it.roots) : fake_roots_source(&it.roots);

    cr_assert_eq(wi_arena_create(strategy, options, &source, &it.arena), WEIR_OK);
}

void open_row(const wi_strategy *strategy, uint64_t limit, uint64_t max_root)
{
    const wi_arena_options options = {.granule_bytes = 256,
                                      .max_root_bytes = max_root,
                                      .total_bytes = 64 * GIB,
                                      .has_limit = limit != 0};

    it.roots.max_root_bytes = max_root;
    if (limit != 0) it.roots.limit_bytes = limit;
    open_options(strategy, &options);
}

void open_arena(const char *name, uint64_t limit, uint64_t max_root)
{
    fake_roots_init(&it.roots);
    open_row(wi_strategy_find(name), limit, max_root);
}

void check(void)
{
    weir_text *why = NULL;

    cr_assert_eq(weir_text_create(&why), WEIR_OK);
    cr_assert(wi_arena_check(it.arena, why), "%s", weir_text_get(why));
    weir_text_destroy(why);
}

static fake_block *held; /* the block placed last */

void close_arena(void)
{
    check();
    wi_arena_destroy(it.arena);
    while (held != NULL) {
        fake_block *block = held;
        held = block->before;
        free(block);
    }
    cr_assert_eq(it.roots.held_bytes, 0U, "roots were kept");
}

wi_placement place(uint64_t bytes)
{
    wi_placement placement;
    weir_oom_cause cause = WEIR_OOM_PINNED;

    cr_assert_eq(arena_place(it.arena, bytes, &placement, &cause), WEIR_OK, "%llu bytes: %s",
                 (unsigned long long)bytes, weir_oom_cause_name(cause));
    cr_assert_eq(cause, WEIR_OOM_NONE);
    cr_assert_geq(placement.bytes, bytes);
    return placement;
}

fake_block *place_block(uint64_t bytes)
{
    fake_block *block = calloc(1, sizeof *block);

    cr_assert_not_null(block);
    block->at = place(bytes);
    wi_arena_set_holder(block->at.range, block);
    block->before = held;
    if (held != NULL) held->after = block;
    held = block;
    return block;
}

void free_block(fake_block *block)
{
    wi_arena_free(it.arena, block->at.range);
    if (block->after != NULL)
        block->after->before = block->before;
    else
        held = block->before;
    if (block->before != NULL) block->before->after = block->after;
    free(block);
}

void place_at(uint64_t bytes, uint64_t root, uint64_t offset, uint64_t handed)
{
    const wi_placement placement = place(bytes);

    cr_assert_eq(fake_roots_number(placement.root), root);
    cr_assert_eq(placement.offset_bytes, offset);
    cr_assert_eq(placement.bytes, handed);
}

void refuse(uint64_t bytes, weir_status expected, weir_oom_cause expected_cause)
{
    wi_arena_stats before;
    wi_arena_stats after;
    wi_placement placement;
    weir_oom_cause cause = WEIR_OOM_PINNED;

    wi_arena_get_stats(it.arena, &before);
    cr_assert_eq(arena_place(it.arena, bytes, &placement, &cause), expected);
    cr_assert_eq(cause, expected_cause, "cause %s", weir_oom_cause_name(cause));
    cr_assert(placement.range == NULL && placement.root == NULL);
    cr_assert(placement.offset_bytes == 0 && placement.bytes == 0);
    wi_arena_get_stats(it.arena, &after);
    cr_assert_eq(after.requested_bytes, before.requested_bytes);
    cr_assert_eq(after.in_use_bytes, before.in_use_bytes);
    cr_assert_leq(after.reserved_bytes, before.reserved_bytes);
    check();
}

wi_arena_stats stats(void)
{
    wi_arena_stats now;
    wi_arena_get_stats(it.arena, &now);
    return now;
}

void assert_asked(size_t count, const uint64_t *bytes)
{
    cr_assert_eq(it.roots.ask_count, count, "%zu calls of the driver", it.roots.ask_count);
    for (size_t i = 0; i < count; ++i)
        cr_assert_eq(it.roots.asked[i], bytes[i], "call %zu asked for %llu", i,
                     (unsigned long long)it.roots.asked[i]);
}
