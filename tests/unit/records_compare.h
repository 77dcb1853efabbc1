/* Comparing what two texts say of the same devices. */
#ifndef WT_UNIT_RECORDS_COMPARE_H
#define WT_UNIT_RECORDS_COMPARE_H

#include "records_text.h"

/* Asserts that `got` says what `whole` says, or, if is_cut, less: no other number, no text that does not begin it. */
static inline void text_compare(const weir_records *whole, const weir_records *got, int is_cut,
                                const char *what, size_t at)
{
    cr_assert_leq(weir_records_count(got), weir_records_count(whole), "%s %zu", what, at);
    if (!is_cut) cr_assert_eq(weir_records_count(got), weir_records_count(whole), "%s", what);
    for (size_t i = 0; i < weir_records_count(got); i++) {
        cr_assert_str_eq(weir_record_get_index(weir_records_get(got, i)),
                         weir_record_get_index(weir_records_get(whole, i)), "%s %zu", what, at);
        for (size_t p = 0; p < weir_property_count(); p++) {
            weir_property a;
            weir_property b;

            weir_record_get(weir_records_get(whole, i), p, &a);
            weir_record_get(weir_records_get(got, i), p, &b);
            if (is_cut && b.state == WEIR_PROPERTY_ABSENT) continue;
            cr_assert_eq(a.state, b.state, "%s %zu: %s: state %d, not %d", what, at, a.name,
                         b.state, a.state);
            cr_assert_eq(a.number, b.number, "%s %zu: %s", what, at, a.name);
            if (!is_cut || a.kind != WEIR_PROPERTY_NUMBERS)
                cr_assert_eq(a.count, b.count, "%s %zu: %s", what, at, a.name);
            cr_assert_arr_eq(a.numbers, b.numbers, b.count * sizeof b.numbers[0], "%s %zu: %s",
                             what, at, a.name);
            if (is_cut)
                cr_assert_eq(strncmp(a.text, b.text, strlen(b.text)), 0, "%s %zu: %s: \"%s\"", what,
                             at, a.name, b.text);
            else
                cr_assert_str_eq(a.text, b.text, "%s: %s", what, a.name);
        }
    }
}

#endif
