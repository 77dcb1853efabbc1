/* The check of an arena, on damage; failures of host memory at every call. */
#include "arena_bench.h"
#include "plan/strategy_rules.h"

#include <weir/host_memory.h>

#include <criterion/criterion.h>

#include <stdlib.h>

TestSuite(arena_check, .timeout = 120);

/* The check itself: each sum and link, damaged, is found. */

static void assert_found(const char *what)
{
    weir_text *why = NULL;

    cr_assert_eq(weir_text_create(&why), WEIR_OK);
    cr_assert_not(wi_arena_check(it.arena, why), "%s was not found", what);
    cr_assert_gt(weir_text_get_bytes(why), 0U, "%s was not named", what);
    cr_assert_not(wi_arena_check(it.arena, NULL));
    weir_text_destroy(why);
}

#define ASSERT_DAMAGE_FOUND(Member) \
    do {                            \
        (Member) += 1;              \
        assert_found(#Member);      \
        (Member) -= 1;              \
        check();                    \
    } while (0)

Test(arena_check, finds_wrong_sums)
{
    wi_placement block;

    open_arena("growth", 0, GIB);
    (void)place(1000);
    block = place(3 * MIB);
    (void)place(100);
    ASSERT_DAMAGE_FOUND(it.arena->requested_bytes);
    ASSERT_DAMAGE_FOUND(it.arena->in_use_bytes);
    ASSERT_DAMAGE_FOUND(it.arena->reserved_bytes);
    ASSERT_DAMAGE_FOUND(it.arena->unused_bytes);
    ASSERT_DAMAGE_FOUND(it.arena->root_count);
    ASSERT_DAMAGE_FOUND(it.arena->acquired_count);
    ASSERT_DAMAGE_FOUND(it.arena->released_count);
    ASSERT_DAMAGE_FOUND(it.arena->first_root->bytes);
    ASSERT_DAMAGE_FOUND(it.arena->first_root->used_bytes);
    ASSERT_DAMAGE_FOUND(it.arena->first_root->ordinal);
    ASSERT_DAMAGE_FOUND(it.arena->slab.unused_count);
    ASSERT_DAMAGE_FOUND(block.range->bytes);
    ASSERT_DAMAGE_FOUND(block.range->offset_bytes);
    close_arena();
}

Test(arena_check, finds_wrong_links)
{
    const wi_range_index *ranges;
    wi_placement block;
    wi_range *hole;
    uint64_t requested;

    open_arena("growth", 0, GIB);
    block = place(1000);
    (void)place(1000);
    hole = block.range->next->next;
    cr_assert(wi_range_is_free(hole));
    ranges = it.arena->strategy->ranges;

    ranges->remove(it.arena->index, hole);
    assert_found("a free range outside the index");
    ranges->insert(it.arena->index, hole);
    ranges->insert(it.arena->index, block.range);
    assert_found("a used range inside the index");
    ranges->remove(it.arena->index, block.range);
    requested = block.range->requested_bytes;
    block.range->requested_bytes = 0;
    assert_found("a free range that counts as used");
    block.range->requested_bytes = requested;
    hole->prev = block.range;
    assert_found("a wrong neighbour");
    hole->prev = block.range->next;
    it.arena->last_root = NULL;
    assert_found("a wrong end of the list of roots");
    it.arena->last_root = it.arena->first_root;
    close_arena();
}

Test(arena_check, finds_roots_that_are_filed_wrongly)
{
    wi_arena_root *root;
    wi_root_index *roots;

    it.is_movable = 1;
    open_arena("adaptive", 0, GIB);
    for (int i = 0; i < 20; ++i) (void)place(((uint64_t)i % 5 + 2) * MIB);
    roots = &it.arena->roots;
    cr_assert_null(wi_root_index_find_unused(roots)); /* files all */
    root = roots->tops[WI_HEAP_BY_SHARE];
    cr_assert_not_null(root->links[WI_BY_SHARE].child);
    check();
    ASSERT_DAMAGE_FOUND(root->is_changed);
    ASSERT_DAMAGE_FOUND(root->is_aside);
    ASSERT_DAMAGE_FOUND(root->is_victim);
    ASSERT_DAMAGE_FOUND(root->is_spared);
    ASSERT_DAMAGE_FOUND(root->size_class);
    ASSERT_DAMAGE_FOUND(root->heaps[WI_BY_USE]);
    ASSERT_DAMAGE_FOUND(root->heaps[WI_BY_SHARE]);
    ASSERT_DAMAGE_FOUND(root->links[WI_BY_USE].key);
    ASSERT_DAMAGE_FOUND(root->links[WI_BY_SHARE].key);
    ASSERT_DAMAGE_FOUND(roots->marks.columns[root->size_class / WI_CLASS_COLUMNS]);
    roots->tops[WI_HEAP_BY_SHARE] = root->links[WI_BY_SHARE].child;
    assert_found("a top that is not the first");
    roots->tops[WI_HEAP_BY_SHARE] = NULL;
    assert_found("a heap without a top");
    roots->tops[WI_HEAP_BY_SHARE] = root;
    roots->aside = root;
    assert_found("a root that is set aside");
    roots->aside = NULL;
    roots->changed = root;
    assert_found("a root that is listed and has not changed");
    roots->changed = NULL;
    close_arena();
}

/* Host memory */

static size_t calls_until_failure; /* 0: never */
static size_t calls_made;
static size_t live_count;

static void *counted_allocate(size_t bytes, void *user)
{
    void *memory;

    (void)user;
    calls_made++;
    if (calls_until_failure != 0 && --calls_until_failure == 0) return NULL;
    memory = malloc(bytes);
    if (memory != NULL) live_count++;
    return memory;
}

static void *counted_reallocate(void *memory, size_t bytes, void *user)
{
    if (memory == NULL) return counted_allocate(bytes, user);
    calls_made++;
    if (calls_until_failure != 0 && --calls_until_failure == 0) return NULL;
    return realloc(memory, bytes);
}

static void counted_release(void *memory, void *user)
{
    (void)user;
    if (memory != NULL) live_count--;
    free(memory);
}

static void count_host_memory(void)
{
    static const weir_host_allocator counted = {counted_allocate, counted_reallocate,
                                                counted_release, NULL};
    cr_assert_eq(weir_host_memory_set(&counted), WEIR_OK);
}

Test(arena_check, asks_for_no_host_memory_when_warm)
{
    static const uint64_t sizes[] = {4096, 1, 100000, 300};
    size_t before;

    count_host_memory();
    open_arena("growth", 0, GIB);
    for (int i = 0; i < 10; ++i) (void)place(1000);
    wi_arena_free(it.arena, place(4096).range);
    before = calls_made;
    for (unsigned i = 0; i < 10000; ++i) wi_arena_free(it.arena, place(sizes[i % 4]).range);
    cr_assert_eq(calls_made, before);
    close_arena();
    cr_assert_eq(live_count, 0U, "host memory was kept");
}

/* A fixed sequence that takes roots, cuts and frees; stops at the first failure of host memory. */
static weir_status run_sequence(void)
{
    wi_placement blocks[80];
    weir_status status = WEIR_OK;
    weir_oom_cause cause;
    size_t count = 0;

    for (; count < 80 && status == WEIR_OK; ++count) {
        const wi_arena_stats before = stats();
        wi_arena_stats after;
        status = arena_place(it.arena, 1000 + count * 7000, &blocks[count], &cause);
        if (status == WEIR_OK) continue;
        cr_assert_eq(status, WEIR_E_HOST_MEMORY);
        cr_assert_eq(weir_last_error()->status, WEIR_E_HOST_MEMORY);
        cr_assert_eq(cause, WEIR_OOM_NONE);
        cr_assert_null(blocks[count].range);
        check();
        after = stats();
        cr_assert_eq(after.requested_bytes, before.requested_bytes);
        cr_assert_eq(after.in_use_bytes, before.in_use_bytes);
        cr_assert_eq(after.reserved_bytes, before.reserved_bytes);
        cr_assert_eq(after.largest_free_bytes, before.largest_free_bytes);
        cr_assert_eq(after.root_count, before.root_count);
        /* the same request is fine once there is memory again */
        cr_assert_eq(arena_place(it.arena, 1000 + count * 7000, &blocks[count], &cause), WEIR_OK);
    }
    for (size_t i = 0; i < count; ++i) wi_arena_free(it.arena, blocks[i].range);
    return status;
}

Test(arena_check, survives_the_failure_of_every_host_allocation)
{
    count_host_memory();
    for (size_t s = 0; wi_strategy_at(s) != NULL; ++s) {
        weir_status status = WEIR_E_HOST_MEMORY;
        size_t n = 0;

        while (status != WEIR_OK) {
            const wi_arena_options options = {256, 4 * MIB, 64 * MIB, 0};
            wi_root_source source;

            cr_assert_lt(n, 1000U);
            fake_roots_init(&it.roots);
            it.roots.max_root_bytes = 4 * MIB;
            source = fake_roots_source(&it.roots);
            calls_until_failure = ++n;
            status = wi_arena_create(wi_strategy_at(s), &options, &source, &it.arena);
            if (status == WEIR_OK) {
                status = run_sequence();
            } else {
                cr_assert_eq(status, WEIR_E_HOST_MEMORY);
                cr_assert_null(it.arena);
            }
            calls_until_failure = 0;
            if (it.arena != NULL) close_arena();
            it.arena = NULL;
            cr_assert_eq(live_count, 0U, "host memory was kept at n = %zu", n);
        }
        cr_assert_gt(n, 4U, "%s: too few calls to be a test", wi_strategy_name(wi_strategy_at(s)));
    }
}
