/* The table of owner labels, against a plain list. */
#include "mem/owners.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(owners, .timeout = 30);

Test(owners, finds_the_same_entry_for_the_same_label)
{
    wi_owners owners = {0};
    wi_owner *add = wi_owners_find(&owners, "add");
    add->blocks = 1;
    cr_assert_eq(wi_owners_find(&owners, "add"), add);
    cr_assert_neq(wi_owners_find(&owners, "ad"), add);
    cr_assert_neq(wi_owners_find(&owners, "add_"), add);
    cr_assert_neq(wi_owners_find(&owners, ""), add);
    wi_owners_fini(&owners);
}

Test(owners, cuts_labels_that_are_too_long)
{
    wi_owners owners = {0};
    char label[200];
    memset(label, 'a', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    wi_owner *owner = wi_owners_find(&owners, label);
    cr_assert_eq(strlen(owner->label), WEIR_OWNER_BYTES - 1U);
    label[WEIR_OWNER_BYTES + 5] = 'b';
    cr_assert_eq(wi_owners_find(&owners, label), owner);
    wi_owners_fini(&owners);
}

Test(owners, keeps_labels_with_blocks_and_drops_idle_ones)
{
    enum { COUNT = 10000 };
    static wi_owner *held[COUNT / 10];
    wi_owners owners = {0};
    char label[32];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(label, sizeof label, "v%d", i);
        wi_owner *owner = wi_owners_find(&owners, label);
        if (i % 10 != 0) continue;
        owner->blocks = 1;
        owner->bytes = (uint64_t)i + 1;
        held[i / 10] = owner;
    }
    cr_assert_lt(owners.bucket_count, (size_t)COUNT, "idle labels must not pile up");
    for (int i = 0; i < COUNT; i += 10) {
        (void)snprintf(label, sizeof label, "v%d", i);
        cr_assert_eq(wi_owners_find(&owners, label), held[i / 10]);
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
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wi_owner *owner = wi_owners_find(&owners, rows[i].label);
        owner->bytes = rows[i].bytes;
        owner->blocks = rows[i].bytes != 0;
    }
    cr_assert_eq(wi_owners_top(&owners, 5, top), 5U);
    for (size_t i = 0; i < 5; i++) cr_assert_str_eq(top[i].owner, expected[i], "place %zu", i);
    cr_assert_eq(wi_owners_top(&owners, 8, top), 6U);
    cr_assert_str_eq(top[5].owner, "q");
    wi_owners_sum(&owners, &bytes, &blocks);
    cr_assert_eq(bytes, 32U);
    cr_assert_eq(blocks, 6U);
    wi_owners_fini(&owners);
}
