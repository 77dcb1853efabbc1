/* The table of strategies: names, order, default, limits. */
#include "plan/strategy.h"

#include <criterion/criterion.h>

#include <string.h>

TestSuite(strategy, .timeout = 120);

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

Test(strategy, is_found_by_name)
{
    static const char *const names[] = {"prealloc", "growth", "direct"};
    static const char *const others[] = {"", "Growth", "growth ", "grow", "none", "\xff"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const wi_strategy *strategy = wi_strategy_find(names[i]);
        cr_assert_not_null(strategy, "%s", names[i]);
        cr_assert_str_eq(wi_strategy_name(strategy), names[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        cr_assert_null(wi_strategy_find(others[i]), "'%s'", others[i]);
    cr_assert_null(wi_strategy_find(NULL));
}

Test(strategy, is_adaptive_by_default)
{
    cr_assert_str_eq(wi_strategy_name(wi_strategy_default()), "adaptive");
}

Test(strategy, has_a_name_and_a_sentence_in_every_row)
{
    size_t count = 0;

    for (; wi_strategy_at(count) != NULL; ++count) {
        const wi_strategy *strategy = wi_strategy_at(count);
        cr_assert_eq(wi_strategy_find(wi_strategy_name(strategy)), strategy);
        cr_assert_gt(strlen(wi_strategy_text(strategy)), 20U);
        cr_assert_null(strchr(wi_strategy_text(strategy), '\n'));
    }
    cr_assert_geq(count, 3U);
    cr_assert_null(wi_strategy_at(count + 1));
    cr_assert_null(wi_strategy_at(SIZE_MAX));
}

Test(strategy, leaves_the_system_its_share_by_default)
{
    static const struct {
        uint64_t total, limit;
    } rows[] = {
        {0, 0},
        {1, 1},
        {100 * MIB, 50 * MIB}, /* never under half */
        {449 * MIB, 224 * MIB + MIB / 2},
        {450 * MIB, 225 * MIB}, /* 225 MiB are half */
        {1024 * MIB, 799 * MIB},
        {2 * GIB - 1, 2 * GIB - 1 - 225 * MIB},
        {2 * GIB, 2 * GIB - 300 * MIB},
        {6000 * MIB, 5700 * MIB},        /* 300 MiB are 5 % */
        {8 * GIB, UINT64_C(8160437863)}, /* 8589934592 - 429496729 */
        {16 * GIB, UINT64_C(16320875725)},
        {UINT64_C(1) << 50, (UINT64_C(1) << 50) - UINT64_C(56294995342131)},
    };
    static const char *const reserving[] = {"prealloc", "growth"};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        for (size_t k = 0; k < 2; ++k)
            cr_assert_eq(wi_strategy_default_limit(wi_strategy_find(reserving[k]), rows[i].total),
                         rows[i].limit, "%s of %llu: %llu", reserving[k],
                         (unsigned long long)rows[i].total,
                         (unsigned long long)wi_strategy_default_limit(
                             wi_strategy_find(reserving[k]), rows[i].total));
        cr_assert_eq(wi_strategy_default_limit(wi_strategy_find("direct"), rows[i].total),
                     rows[i].total);
    }
}
