/* The table of ids of `weir replay`, against an array. */
#include "../../tools/id_table.h"

#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>

TestSuite(id_table, .timeout = 120);

#define IDS 3000u

/* Ids of three kinds: small, far apart, and all of one hash in the lower half. */
static uint64_t id_of(unsigned i)
{
    return i % 3 == 0   ? i
           : i % 3 == 1 ? i * UINT64_C(0x0100000001)
                        : UINT64_MAX - ((uint64_t)i << 40U);
}

Test(id_table, agrees_with_an_array)
{
    static size_t slots[IDS];
    static unsigned char is_taken[IDS];
    id_table *table = id_table_create();
    uint32_t random = 12345;
    unsigned count = 0;
    unsigned most = 0;

    cr_assert_not_null(table);
    for (unsigned i = 0; i < IDS; ++i) slots[i] = ID_NO_SLOT;
    for (unsigned step = 0; step < 200000; ++step) {
        unsigned i;
        random = random * 1664525U + 1013904223U;
        i = (random >> 8U) % (step < 100000 ? IDS : 200);
        cr_assert_eq(id_table_find(table, id_of(i)), slots[i], "step %u", step);
        if (slots[i] == ID_NO_SLOT) {
            slots[i] = id_table_add(table, id_of(i));
            cr_assert_lt(slots[i], (size_t)IDS);
            cr_assert_not(is_taken[slots[i]], "step %u: a slot given twice", step);
            is_taken[slots[i]] = 1;
            most = ++count > most ? count : most;
        } else {
            id_table_remove(table, id_of(i));
            is_taken[slots[i]] = 0;
            slots[i] = ID_NO_SLOT;
            count--;
        }
        cr_assert_eq(id_table_slots(table), most);
    }
    id_table_destroy(table);
    id_table_destroy(NULL);
}
