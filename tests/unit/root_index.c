/* The orders of roots, on roots without an arena: each answer is that of a search through all of them. */
#include "plan/root_index.h"

#include <criterion/criterion.h>

#include <stdlib.h>

TestSuite(root_index, .timeout = 120);

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

enum { ROOTS_MOST = 120, OWN_MOST = 32 };

static wi_root_index *roots;
static wi_arena_root *all[ROOTS_MOST];
static size_t count;
static uint64_t ordinals;
static uint64_t random_state = 88172645463325252U;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % below;
}

static void open_index(int has_use)
{
    roots = calloc(1, sizeof *roots);
    cr_assert_not_null(roots);
    roots->has_use = has_use;
    count = 0;
    ordinals = 0;
}

static wi_arena_root *add(uint64_t bytes, uint64_t used_bytes)
{
    wi_arena_root *root = calloc(1, wi_root_index_root_bytes(roots));

    cr_assert_not_null(root);
    root->bytes = bytes;
    root->used_bytes = used_bytes;
    root->ordinal = ordinals++;
    wi_root_index_add(roots, root);
    all[count++] = root;
    return root;
}

static void drop(size_t i)
{
    wi_root_index_drop(roots, all[i]);
    free(all[i]);
    all[i] = all[--count];
}

static void use(wi_arena_root *root, uint64_t bytes)
{
    root->used_bytes = bytes;
    if (!root->is_changed && !root->is_aside) wi_root_index_change(roots, root);
}

static void check(void)
{
    wi_root_sums sums = {0};

    for (size_t i = 0; i < count; ++i) {
        const char *fault = wi_root_index_check(roots, all[i], 0, &sums);
        cr_assert_null(fault, "%s", fault);
    }
    cr_assert_null(wi_root_index_check_sums(roots, &sums));
}

static void close_index(void)
{
    check();
    while (count > 0) drop(0);
    free(roots);
}

static void put_all_back(void)
{
    while (roots->aside != NULL) wi_root_index_put_back(roots, roots->aside);
}

static wi_arena_root *youngest_unused(void)
{
    wi_arena_root *best = NULL;

    for (size_t i = 0; i < count; ++i)
        if (all[i]->used_bytes == 0 && (best == NULL || all[i]->ordinal > best->ordinal))
            best = all[i];
    return best;
}

static double share(const wi_arena_root *root)
{
    return (double)root->used_bytes / (double)root->bytes;
}

static wi_arena_root *cheapest(void)
{
    wi_arena_root *best = NULL;

    for (size_t i = 0; i < count; ++i) {
        if (all[i]->is_aside) continue;
        if (best == NULL || share(all[i]) < share(best) ||
            (share(all[i]) <= share(best) && all[i]->ordinal < best->ordinal))
            best = all[i];
    }
    return best;
}

/* How many of a root's class come before it by use. */
static size_t rank(const wi_arena_root *root)
{
    size_t before = 0;

    for (size_t i = 0; i < count; ++i) {
        const wi_arena_root *other = all[i];
        if (other->used_bytes == 0 || other->size_class != root->size_class) continue;
        before += other->used_bytes < root->used_bytes ||
                  (other->used_bytes == root->used_bytes && other->ordinal < root->ordinal);
    }
    return before;
}

/* The next root of a search; `seen` says which it gave. */
static wi_arena_root *least_used(uint64_t bytes, const int *seen)
{
    const unsigned own = wi_class_number(wi_class_of(bytes));
    wi_arena_root *best = NULL;

    for (size_t i = 0; i < count; ++i) {
        wi_arena_root *root = all[i];
        if (seen[i] || root->used_bytes == 0 || root->bytes < bytes) continue;
        if (root->size_class == own && rank(root) >= OWN_MOST) continue;
        if (best == NULL || root->used_bytes < best->used_bytes ||
            (root->used_bytes == best->used_bytes && root->ordinal < best->ordinal))
            best = root;
    }
    return best;
}

static size_t number_of(const wi_arena_root *root)
{
    size_t i = 0;
    while (all[i] != root) ++i;
    return i;
}

static void ask_least_used(void)
{
    wi_root_search search = {.bytes = MIB + draw(4 * MIB)};
    int seen[ROOTS_MOST] = {0};

    for (uint64_t i = draw(12); i-- > 0;) {
        wi_arena_root *expected = least_used(search.bytes, seen);
        cr_assert_eq(wi_root_index_take_least_used(roots, &search), expected);
        if (expected == NULL) break;
        cr_assert(expected->is_aside);
        seen[number_of(expected)] = 1;
    }
    put_all_back();
}

static void ask_cheapest(void)
{
    for (uint64_t i = draw(12); i-- > 0;) {
        wi_arena_root *expected = cheapest();
        cr_assert_eq(wi_root_index_take_cheapest(roots), expected);
        if (expected != NULL && draw(2) == 0) wi_root_index_add_victim(roots, expected);
    }
    for (uint64_t last = 0; roots->tops[WI_HEAP_VICTIMS] != NULL;) {
        const wi_arena_root *victim = wi_root_index_take_victim(roots);
        cr_assert(victim->is_aside && !victim->is_victim);
        cr_assert_geq(victim->ordinal, last, "victims come by age");
        last = victim->ordinal;
    }
    put_all_back();
}

static uint64_t draw_use(uint64_t bytes)
{
    const uint64_t kind = draw(4);
    return kind == 0 ? 0 : kind == 1 ? bytes : draw(bytes / 256 + 1) * 256;
}

static void step(size_t most)
{
    const uint64_t lean = draw(100);

    if (count < most && lean < 20) {
        const uint64_t bytes = draw(3) == 0 ? 2 * MIB : (1 + draw(20)) * 256 * KIB;
        (void)add(bytes, draw_use(bytes));
    } else if (count > 0 && lean < 30) {
        drop((size_t)draw(count));
    } else if (count > 0 && lean < 85) {
        wi_arena_root *root = all[draw(count)];
        use(root, draw_use(root->bytes));
    } else if (lean < 90) {
        cr_assert_eq(wi_root_index_find_unused(roots), youngest_unused());
    } else if (roots->has_use && lean < 95) {
        ask_least_used();
    } else if (roots->has_use) {
        ask_cheapest();
    }
}

Test(root_index, gives_what_a_search_through_all_roots_gives)
{
    for (int has_use = 0; has_use < 2; ++has_use) {
        open_index(has_use);
        for (unsigned i = 0; i < 60000; ++i) {
            step(i < 20000 ? 8 : ROOTS_MOST);
            if (i % 16 == 0) check();
        }
        close_index();
    }
}

Test(root_index, looks_at_so_many_of_the_own_class_and_at_all_of_higher_ones)
{
    const uint64_t wanted = 2 * MIB + 64 * KIB;
    wi_root_search search = {.bytes = wanted};
    wi_arena_root *own;
    wi_arena_root *higher;

    open_index(1);
    for (unsigned i = 0; i < OWN_MOST - 1; ++i) (void)add(2 * MIB, 256);
    own = add(wanted, 1 * MIB);
    higher = add(16 * MIB, 2 * MIB);
    cr_assert_eq(own->size_class, all[0]->size_class);
    cr_assert_eq(wi_root_index_take_least_used(roots, &search), own);
    cr_assert_eq(wi_root_index_take_least_used(roots, &search), higher);
    cr_assert_null(wi_root_index_take_least_used(roots, &search));
    put_all_back();
    (void)add(2 * MIB, 256);
    search = (wi_root_search){.bytes = wanted};
    cr_assert_eq(wi_root_index_take_least_used(roots, &search), higher);
    cr_assert_null(wi_root_index_take_least_used(roots, &search));
    put_all_back();
    close_index();
}

Test(root_index, files_a_root_of_the_same_use_without_a_look)
{
    wi_arena_root *root;
    uint64_t before;

    open_index(1);
    for (unsigned i = 0; i < 100; ++i) (void)add(3 * MIB, 3 * MIB);
    cr_assert_null(wi_root_index_find_unused(roots));
    root = all[50];
    before = roots->looks;
    for (unsigned i = 0; i < 1000; ++i) {
        use(root, 0);
        use(root, 3 * MIB);
        cr_assert_null(wi_root_index_find_unused(roots));
    }
    cr_assert_eq(roots->looks, before);
    close_index();
}
