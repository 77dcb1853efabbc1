/* Strategy and limit from options and environment, without a device. */
#include "device/memory_config.h"

#include <weir/status.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void clear_environment(void)
{
    unsetenv("WEIR_POOL");
    unsetenv("WEIR_LIMIT");
    unsetenv("WEIR_MEMORY_DEBUG");
}

TestSuite(memory_config, .timeout = 120, .init = clear_environment);

#define DEVICE_BYTES (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)
#define WHERE "weir_device_configure"

Test(memory_config, reads_limits)
{
    static const struct {
        const char *text;
        uint64_t bytes;
        double fraction;
    } good[] = {
        {"1", 1, 0},
        {"4096", 4096, 0},
        {"16K", 16 << 10, 0},
        {"16M", 16 << 20, 0},
        {"3G", UINT64_C(3) << 30, 0},
        {"18446744073709551615", UINT64_MAX, 0},
        {"50%", 0, 0.5},
        {"100%", 0, 1},
        {"12.5%", 0, 0.125},
        {"0.5%", 0, 0.005},
    };
    static const char *const bad[] = {"",
                                      "0",
                                      "0M",
                                      "-1",
                                      "+1",
                                      "1.5M",
                                      "16m",
                                      "16MB",
                                      "16 M",
                                      " 16",
                                      " 16M",
                                      "16M ",
                                      "5%%",
                                      "-5%",
                                      "100.5%",
                                      "1000000000000%",
                                      "16T",
                                      "M",
                                      "0%",
                                      "101%",
                                      "%",
                                      "50 %",
                                      "50%%",
                                      "1e3",
                                      "nan",
                                      "inf%",
                                      ".5%",
                                      "5.%",
                                      "0x10",
                                      "18446744073709551616",
                                      "17179869184G"};
    uint64_t bytes = 0;
    double fraction = 0;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_assert(wi_limit_parse(good[i].text, &bytes, &fraction), "%s", good[i].text);
        cr_assert_eq(bytes, good[i].bytes, "%s", good[i].text);
        cr_assert(fabs(fraction - good[i].fraction) <= 1e-12, "%s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_not(wi_limit_parse(bad[i], &bytes, &fraction), "%s", bad[i]);
        cr_assert_eq(bytes, 0U);
        cr_assert(fraction == 0);
    }
}

Test(memory_config, has_defaults)
{
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_eq(config.strategy_in_force, wi_strategy_default());
    cr_assert_eq(config.limit_bytes,
                 wi_strategy_default_limit(config.strategy_in_force, DEVICE_BYTES));
    cr_assert_not(config.is_limit_set);
}

/* The two rows that follow TensorFlow leave a reserve; the others take all. */
Test(memory_config, a_strategy_brings_its_own_limit_where_none_is_set)
{
    static const struct {
        const char *strategy;
        uint64_t device_bytes;
        uint64_t limit_bytes;
    } rows[] = {
        {"prealloc", 1024 * MIB, (1024 - 225) * MIB},
        {"growth", 1024 * MIB, (1024 - 225) * MIB},
        {"growth", 2048 * MIB - 1, 2048 * MIB - 1 - 225 * MIB},
        {"growth", 2048 * MIB, (2048 - 300) * MIB},
        {"prealloc", 6000 * MIB, 5700 * MIB},
        {"prealloc", 20000 * MIB, 19000 * MIB},
        {"growth", 400 * MIB, 200 * MIB}, /* never under half */
        {"growth", 1, 1},
        {"ondemand", 1024 * MIB, 1024 * MIB},
        {"direct", 20000 * MIB, 20000 * MIB},
        {"adaptive", 6000 * MIB, 6000 * MIB},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wi_memory_config config = {.strategy = wi_strategy_find(rows[i].strategy)};

        cr_assert_eq(wi_memory_config_resolve(&config, rows[i].device_bytes), WEIR_OK);
        cr_assert_eq(config.limit_bytes, rows[i].limit_bytes, "%s of %llu: %llu", rows[i].strategy,
                     (unsigned long long)rows[i].device_bytes,
                     (unsigned long long)config.limit_bytes);
        cr_assert_not(config.is_limit_set);
    }
}

static void apply(wi_memory_config *config, const char *strategy, uint64_t bytes, double fraction)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    options.strategy = strategy;
    options.limit_bytes = bytes;
    options.limit_fraction = fraction;
    cr_assert_eq(wi_memory_config_apply(config, &options, WHERE), WEIR_OK, "%s",
                 weir_last_error()->message);
    cr_assert_eq(wi_memory_config_resolve(config, DEVICE_BYTES), WEIR_OK, "%s",
                 weir_last_error()->message);
}

Test(memory_config, takes_strategy_and_limit_in_any_order)
{
    wi_memory_config together;
    wi_memory_config strategy_first;
    wi_memory_config limit_first;

    memset(&together, 0, sizeof together);
    memset(&strategy_first, 0, sizeof strategy_first);
    memset(&limit_first, 0, sizeof limit_first);
    apply(&together, "prealloc", 0, 0.5);
    apply(&strategy_first, "prealloc", 0, 0);
    apply(&strategy_first, NULL, 0, 0.5);
    apply(&limit_first, NULL, 0, 0.5);
    apply(&limit_first, "prealloc", 0, 0);
    cr_assert_str_eq(wi_strategy_name(together.strategy_in_force), "prealloc");
    cr_assert_eq(together.limit_bytes, DEVICE_BYTES / 2);
    cr_assert_eq(strategy_first.strategy_in_force, together.strategy_in_force);
    cr_assert_eq(strategy_first.limit_bytes, together.limit_bytes);
    cr_assert_eq(limit_first.strategy_in_force, together.strategy_in_force);
    cr_assert_eq(limit_first.limit_bytes, together.limit_bytes);
}

Test(memory_config, a_new_limit_takes_the_place_of_the_other_kind)
{
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    apply(&config, NULL, 1000, 0);
    apply(&config, NULL, 0, 1.0);
    cr_assert_eq(config.limit_bytes, DEVICE_BYTES);
    apply(&config, NULL, 2000, 0);
    cr_assert_eq(config.limit_bytes, 2000U);
    cr_assert(config.is_limit_set);
    apply(&config, NULL, 1, 0);
    cr_assert_eq(config.limit_bytes, 1U);
    apply(&config, NULL, 2 * DEVICE_BYTES, 0); /* more than there is: as given */
    cr_assert_eq(config.limit_bytes, 2 * DEVICE_BYTES);
    cr_assert_eq(wi_memory_config_apply(&config, NULL, WHERE), WEIR_OK);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_eq(config.limit_bytes,
                 wi_strategy_default_limit(wi_strategy_default(), DEVICE_BYTES));
    cr_assert_not(config.is_limit_set);
}

Test(memory_config, refuses_nonsense_and_changes_nothing)
{
    static const struct {
        const char *strategy;
        uint64_t bytes;
        double fraction;
        const char *told;
    } bad[] = {
        {"best", 0, 0, "growth"}, {"", 0, 0, "prealloc"},     {"GROWTH", 0, 0, "direct"},
        {NULL, 1, 0.5, "both"},   {NULL, 0, 1.01, "1.01"},    {NULL, 0, -0.5, "-0.5"},
        {NULL, 0, NAN, "nan"},    {NULL, 0, INFINITY, "inf"},
    };
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    apply(&config, "direct", 4096, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

        options.strategy = bad[i].strategy;
        options.limit_bytes = bad[i].bytes;
        options.limit_fraction = bad[i].fraction;
        cr_assert_eq(wi_memory_config_apply(&config, &options, WHERE), WEIR_E_ARG, "case %zu", i);
        cr_assert_not_null(strstr(weir_last_error()->message, bad[i].told), "%s",
                           weir_last_error()->message);
        cr_assert_str_eq(wi_strategy_name(config.strategy), "direct");
        cr_assert_eq(config.given_bytes, 4096U);
    }
}

Test(memory_config, an_unknown_strategy_is_told_every_name_there_is)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    options.strategy = "puddle";
    cr_assert_eq(wi_memory_config_apply(&config, &options, WHERE), WEIR_E_ARG);
    for (size_t i = 0; wi_strategy_at(i) != NULL; i++)
        cr_assert_not_null(strstr(weir_last_error()->message, wi_strategy_name(wi_strategy_at(i))),
                           "%s: %s", wi_strategy_name(wi_strategy_at(i)),
                           weir_last_error()->message);
    setenv("WEIR_POOL", "puddle", 1);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "WEIR_POOL"));
    for (size_t i = 0; wi_strategy_at(i) != NULL; i++)
        cr_assert_not_null(strstr(weir_last_error()->message, wi_strategy_name(wi_strategy_at(i))),
                           "%s: %s", wi_strategy_name(wi_strategy_at(i)),
                           weir_last_error()->message);
}

Test(memory_config, a_limit_of_zero_in_the_environment_is_malformed)
{
    static const char *const zeros[] = {"0", "0K", "0M", "0%", "0.0%"};
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        setenv("WEIR_LIMIT", zeros[i], 1);
        cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_E_ARG, "%s", zeros[i]);
        cr_assert_not_null(strstr(weir_last_error()->message, "WEIR_LIMIT"));
        cr_assert_not_null(strstr(weir_last_error()->message, "expected bytes above 0"), "%s",
                           weir_last_error()->message);
        cr_assert_not(config.is_limit_set);
    }
}

Test(memory_config, refuses_options_without_their_size)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    options.struct_size = 0;
    cr_assert_eq(wi_memory_config_apply(&config, &options, WHERE), WEIR_E_ARG);
}

Test(memory_config, takes_what_an_older_caller_has_of_the_options)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    struct {
        weir_memory_options options;
        uint64_t added;
    } newer = {.added = 1};
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    options.struct_size = offsetof(weir_memory_options, limit_bytes);
    options.strategy = "direct";
    options.limit_bytes = 4096; /* past what this caller knows: not its own */
    cr_assert_eq(wi_memory_config_apply(&config, &options, WHERE), WEIR_OK);
    cr_assert_str_eq(wi_strategy_name(config.strategy), "direct");
    cr_assert_eq(config.given_bytes, 0U);

    newer.options = options;
    newer.options.struct_size = sizeof newer; /* a newer caller's: its beginning counts */
    cr_assert_eq(wi_memory_config_apply(&config, &newer.options, WHERE), WEIR_OK);
    cr_assert_eq(config.given_bytes, 4096U);
}

Test(memory_config, takes_defaults_from_the_environment)
{
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    setenv("WEIR_POOL", "direct", 1);
    setenv("WEIR_LIMIT", "25%", 1);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_str_eq(wi_strategy_name(config.strategy_in_force), "direct");
    cr_assert_eq(config.limit_bytes, DEVICE_BYTES / 4);
    apply(&config, "prealloc", 5000, 0);
    cr_assert_str_eq(wi_strategy_name(config.strategy_in_force), "prealloc");
    cr_assert_eq(config.limit_bytes, 5000U);

    setenv("WEIR_POOL", "", 1);
    setenv("WEIR_LIMIT", "", 1);
    memset(&config, 0, sizeof config);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_eq(config.limit_bytes,
                 wi_strategy_default_limit(wi_strategy_default(), DEVICE_BYTES));
    cr_assert_not(config.is_limit_set);
}

Test(memory_config, names_a_malformed_variable)
{
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    setenv("WEIR_POOL", "biggest", 1);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "WEIR_POOL"));
    cr_assert_not_null(strstr(weir_last_error()->message, "biggest"));
    cr_assert_not_null(strstr(weir_last_error()->message, "growth"));
    cr_assert_eq(config.strategy_in_force, wi_strategy_default());

    unsetenv("WEIR_POOL");
    setenv("WEIR_LIMIT", "lots", 1);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_E_ARG);
    cr_assert_not_null(strstr(weir_last_error()->message, "WEIR_LIMIT"));
    cr_assert_not_null(strstr(weir_last_error()->message, "lots"));
    cr_assert_not(config.is_limit_set);
}

Test(memory_config, takes_the_debug_level_from_the_program_else_from_the_environment)
{
    static const char *const wrong[] = {"4", "-1", "2x", "on", " 1"};
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;
    wi_memory_config config;

    memset(&config, 0, sizeof config);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_eq(config.debug_level, 0U);
    setenv("WEIR_MEMORY_DEBUG", "2", 1);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_eq(config.debug_level, 2U);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("WEIR_MEMORY_DEBUG", wrong[i], 1);
        cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_E_ARG, "%s", wrong[i]);
        cr_assert_eq(config.debug_level, 0U);
        cr_assert_not_null(strstr(weir_last_error()->message, "WEIR_MEMORY_DEBUG"));
        cr_assert_not_null(strstr(weir_last_error()->message, wrong[i]));
    }
    options.debug_level = 1;
    cr_assert_eq(wi_memory_config_apply(&config, &options, "here"), WEIR_OK);
    cr_assert_eq(wi_memory_config_resolve(&config, DEVICE_BYTES), WEIR_OK);
    cr_assert_eq(config.debug_level, 1U);
    options.debug_level = 4;
    cr_assert_eq(wi_memory_config_apply(&config, &options, "here"), WEIR_E_ARG);
    options.debug_level = 0; /* keeps what an earlier call set */
    cr_assert_eq(wi_memory_config_apply(&config, &options, "here"), WEIR_OK);
    cr_assert_eq(config.given_debug, 1U);
}
