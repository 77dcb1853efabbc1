/* The table of owner labels, against a plain list. */
#include "mem/owners.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(owners, .timeout = 120);

Test(owners, finds_the_same_entry_for_the_same_label)
{
    wi_owners owners = {0};
    wi_owner *add = wi_owners_find(&owners, NULL, "add");
    add->blocks.current = 1;
    cr_assert_eq(wi_owners_find(&owners, NULL, "add"), add);
    cr_assert_neq(wi_owners_find(&owners, NULL, "ad"), add);
    cr_assert_neq(wi_owners_find(&owners, NULL, "add_"), add);
    cr_assert_neq(wi_owners_find(&owners, NULL, ""), add);
    wi_owners_fini(&owners);
}

Test(owners, cuts_labels_that_are_too_long)
{
    wi_owners owners = {0};
    char label[200];
    memset(label, 'a', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    wi_owner *owner = wi_owners_find(&owners, NULL, label);
    cr_assert_eq(strlen(owner->label), WEIR_OWNER_BYTES - 1U);
    label[WEIR_OWNER_BYTES + 5] = 'b';
    cr_assert_eq(wi_owners_find(&owners, NULL, label), owner);
    wi_owners_fini(&owners);
}

Test(owners, cuts_no_character_in_two)
{
    wi_owners owners = {0};
    char label[200];

    for (int shift = 0; shift < 4; shift++) {
        memset(label, 'a', sizeof label);
        for (int i = shift; i + 4 < 150; i += 4) memcpy(label + i, "\xf0\x9f\x98\x80", 4);
        label[150] = '\0';
        wi_owner *owner = wi_owners_find(&owners, NULL, label);
        const size_t length = strlen(owner->label);
        cr_assert_eq((length - (size_t)shift) % 4, 0U, "%zu bytes after %d", length, shift);
        cr_assert_gt(length, WEIR_OWNER_BYTES - 5U);
        cr_assert_eq(wi_owners_find(&owners, NULL, label), owner);
    }
    memset(label, 0x85, sizeof label); /* not UTF-8 */
    label[sizeof label - 1] = '\0';
    cr_assert_eq(strlen(wi_owners_find(&owners, NULL, label)->label), WEIR_OWNER_BYTES - 1U);
    wi_owners_fini(&owners);
}

/* Each time that labels are dropped, all are looked at. */
Test(owners, drops_labels_seldom_also_where_nearly_all_are_held)
{
    enum { TURNS = 10000 };

    for (int held = 32; held <= 130; held++) {
        wi_owners owners = {0};
        char label[32];
        int drops = 0;

        for (int i = 0; i < held; i++) {
            (void)snprintf(label, sizeof label, "held %d", i);
            wi_owners_find(&owners, NULL, label)->blocks.current = 1;
        }
        for (int i = 0; i < TURNS; i++) {
            const size_t before = owners.count;
            (void)snprintf(label, sizeof label, "turn %d", i);
            cr_assert_not_null(wi_owners_find(&owners, NULL, label));
            drops += owners.count <= before;
        }
        cr_assert_leq(drops, TURNS / (held / 2), "%d drops beside %d labels", drops, held);
        cr_assert_leq(owners.bucket_count, 4U * (size_t)held);
        wi_owners_fini(&owners);
    }
}

Test(owners, keeps_labels_with_blocks_and_drops_idle_ones)
{
    enum { COUNT = 10000 };
    static wi_owner *held[COUNT / 10];
    wi_owners owners = {0};
    char label[32];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(label, sizeof label, "v%d", i);
        wi_owner *owner = wi_owners_find(&owners, NULL, label);
        if (i % 10 != 0) continue;
        owner->blocks.current = 1;
        owner->bytes.current = (uint64_t)i + 1;
        held[i / 10] = owner;
    }
    cr_assert_lt(owners.bucket_count, (size_t)COUNT, "idle labels must not pile up");
    for (int i = 0; i < COUNT; i += 10) {
        (void)snprintf(label, sizeof label, "v%d", i);
        cr_assert_eq(wi_owners_find(&owners, NULL, label), held[i / 10]);
    }
    wi_owners_fini(&owners);
}

Test(owners, lists_the_largest_first_and_ties_by_label)
{
    static const struct {
        const char *label;
        uint64_t bytes;
    } rows[] = {{"m", 5}, {"z", 9}, {"b", 5}, {"idle", 0}, {"a", 5}, {"q", 1}, {"y", 7}};
    static const char *const expected[] = {"z", "y", "a", "b", "m"};
    wi_owners owners = {0};
    weir_oom_owner top[8];
    wi_owners_sum sum;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wi_owner *owner = wi_owners_find(&owners, NULL, rows[i].label);
        owner->bytes.current = rows[i].bytes;
        owner->blocks.current = rows[i].bytes != 0;
    }
    cr_assert_eq(wi_owners_top(&owners, 5, top), 5U);
    for (size_t i = 0; i < 5; i++) cr_assert_str_eq(top[i].owner, expected[i], "place %zu", i);
    cr_assert_eq(wi_owners_top(&owners, 8, top), 6U);
    cr_assert_str_eq(top[5].owner, "q");
    wi_owners_sum_up(&owners, &sum);
    cr_assert_eq(sum.bytes, 32U);
    cr_assert_eq(sum.blocks, 6U);
    wi_owners_fini(&owners);
}

static wi_owner_path path_of(const char *outer, const char *inner)
{
    wi_owner_path one;
    wi_owner_path both;
    wi_owner_path_join(NULL, outer, &one);
    wi_owner_path_join(&one, inner, &both);
    return both;
}

Test(owners, a_name_under_a_path_is_the_label_of_both)
{
    wi_owners owners = {0};
    const wi_owner_path path = path_of("model", "layer");
    wi_owner *add = wi_owners_find(&owners, &path, "add");

    cr_assert_str_eq(add->label, "model/layer/add");
    cr_assert_eq(wi_owners_find(&owners, &path, "add"), add);
    cr_assert_eq(wi_owners_find(&owners, NULL, "model/layer/add"), add);
    cr_assert_eq(wi_owners_find(&owners, &path, "/model/layer/add"), add);
    cr_assert_neq(wi_owners_find(&owners, NULL, "add"), add);
    cr_assert_eq(owners.count, 2U);
    wi_owners_fini(&owners);
}

Test(owners, a_buffer_that_holds_another_name_now_is_another_label)
{
    wi_owners owners = {0};
    const wi_owner_path one = path_of("model", "layer");
    const wi_owner_path other = path_of("model", "sheet");
    char name[16] = "first";
    wi_owner *first = wi_owners_find(&owners, &one, name);

    cr_assert_neq(wi_owners_find(&owners, &other, name), first, "paths of one length");
    (void)snprintf(name, sizeof name, "second");
    cr_assert_str_eq(wi_owners_find(&owners, &one, name)->label, "model/layer/second");
    (void)snprintf(name, sizeof name, "first");
    cr_assert_eq(wi_owners_find(&owners, &one, name), first);
    wi_owners_fini(&owners);
}

Test(owners, of_a_path_too_long_the_end_is_kept_whole_characters_only)
{
    wi_owners owners = {0};
    wi_owner_path path;
    char name[200];

    wi_owner_path_join(NULL, "outer", &path);
    memset(name, 'n', sizeof name);
    for (size_t length = 55; length < 70; length++) {
        name[length] = '\0';
        const wi_owner *owner = wi_owners_find(&owners, &path, name);
        const int is_whole = 6 + length < WEIR_OWNER_BYTES;
        cr_assert_eq(strlen(owner->label), is_whole ? 6 + length : WEIR_OWNER_BYTES - 1U);
        cr_assert_eq(strncmp(owner->label, is_whole ? "outer/" : "...", is_whole ? 6 : 3), 0);
        cr_assert_eq(wi_owners_find(&owners, &path, name), owner);
        name[length] = 'n';
    }
    for (size_t i = 0; i < 120; i += 2) memcpy(name + i, "\xc3\xa4", 2);
    for (size_t length = 60; length < 64; length += 2) {
        name[length] = '\0';
        const wi_owner *owner = wi_owners_find(&owners, &path, name);
        const size_t kept = strlen(owner->label);
        for (size_t i = strncmp(owner->label, "...", 3) == 0 ? 3 : 6; i < kept; i += 2)
            cr_assert_eq((unsigned char)owner->label[i], 0xc3U, "%s", owner->label);
        name[length] = '\xc3';
    }
    wi_owners_fini(&owners);
}

Test(owners, a_label_splits_into_its_path_and_its_name)
{
    static const struct {
        const char *label;
        const char *path;
        const char *name;
    } rows[] = {{"tape", "", "tape"}, {"a/tape", "a/", "tape"}, {"a/b/c", "a/b/", "c"}};
    wi_owners owners = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wi_owner_path path;
        const wi_owner *owner = wi_owners_find(&owners, NULL, rows[i].label);
        cr_assert_eq(wi_owner_path_of(owner, &path), rows[i].path[0] != '\0');
        cr_assert_str_eq(path.text, rows[i].path);
        cr_assert(wi_owner_is_named(rows[i].label, rows[i].name));
        cr_assert_not(wi_owner_is_named(rows[i].label, "ape"));
        if (path.length != 0) cr_assert_eq(wi_owners_find(&owners, &path, rows[i].name), owner);
    }
    wi_owners_fini(&owners);
}

/* The list of any length is the beginning of the whole list, sorted; a plain sort says what that is. */
Test(owners, a_list_of_any_capacity_has_the_largest_in_order)
{
    enum { COUNT = 200 };
    static weir_owner_stats whole[COUNT];
    static weir_owner_stats part[COUNT];
    wi_owners owners = {0};
    uint64_t state = 7;
    char label[32];

    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(label, sizeof label, "v%d", i);
        wi_owner *owner = wi_owners_find(&owners, NULL, label);
        state = state * 6364136223846793005U + 1442695040888963407U;
        for (uint64_t n = 0; n <= (unsigned)i % 3; n++) wi_owner_add(owner, state >> 60);
    }
    cr_assert_eq(wi_owners_list(&owners, whole, COUNT), COUNT + 0U);
    for (size_t i = 1; i < COUNT; i++) {
        const weir_owner_stats *a = &whole[i - 1];
        const weir_owner_stats *b = &whole[i];
        cr_assert_geq(a->bytes.current, b->bytes.current);
        if (a->bytes.current != b->bytes.current) continue;
        cr_assert_geq(a->blocks.current, b->blocks.current);
        if (a->blocks.current == b->blocks.current) cr_assert_lt(strcmp(a->owner, b->owner), 0);
    }
    for (size_t capacity = 0; capacity <= COUNT; capacity += 1 + capacity / 4) {
        cr_assert_eq(wi_owners_list(&owners, part, capacity), COUNT + 0U);
        for (size_t i = 0; i < capacity; i++)
            cr_assert_str_eq(part[i].owner, whole[i].owner, "%zu of %zu", i, capacity);
    }
    wi_owners_fini(&owners);
}

Test(owners, totals_survive_dropped_labels_and_moved_blocks)
{
    wi_owners owners = {0};
    wi_owners_sum sum;
    wi_owner *kept = wi_owners_find(&owners, NULL, "kept");
    char label[32];

    wi_owner_add(kept, 1);
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(label, sizeof label, "v%d", i);
        wi_owner *owner = wi_owners_find(&owners, NULL, label);
        wi_owner_add(owner, 10);
        if (i % 100 == 0)
            wi_owners_move(&owners, owner, kept, 10);
        else
            wi_owner_remove(owner, 10);
        wi_owners_sum_up(&owners, &sum);
        cr_assert_eq(sum.total_bytes, 10U * ((unsigned)i + 1) + 1);
        cr_assert_eq(sum.total_blocks, (unsigned)i + 2U);
    }
    cr_assert_lt(owners.count, 1000U);
    cr_assert_eq(sum.bytes, 101U);
    cr_assert_eq(kept->blocks.peak, 11U);
    wi_owner_remove(kept, 10);
    wi_owners_reset_peak(&owners);
    cr_assert_eq(kept->blocks.peak, 10U);
    cr_assert_eq(kept->bytes.peak, 91U);
    wi_owners_fini(&owners);
}
