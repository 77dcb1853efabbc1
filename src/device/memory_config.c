/* Strategy and limit: chosen by the program, else by the environment, else by default. There is always a limit: a
 * strategy brings its own, so that what contexts of one device reserve together is bounded also where nobody set one.
 *
 * What the program chose is kept apart from what is in force, so that strategy and limit can be set by separate calls
 * in any order, and a call that repeats the values in force is recognised. The environment is read whenever a
 * configuration is resolved, so a malformed variable is reported by the call that would use it. No state.
 */
#include "device/memory_config.h"

#include "base/checked.h"
#include "base/options.h"
#include "base/status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "prealloc, growth" and so on. */
static const char *strategy_names(char *buffer, size_t bytes)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (size_t i = 0; wi_strategy_at(i) != NULL && used < bytes; i++) {
        int added = snprintf(buffer + used, bytes - used, "%s%s", i == 0 ? "" : ", ",
                             wi_strategy_name(wi_strategy_at(i)));
        if (added > 0) used += (size_t)added;
    }
    return buffer;
}

static weir_status find_strategy(const char *where, const char *name, const wi_strategy **out)
{
    char known[200];

    *out = wi_strategy_find(name);
    if (*out != NULL) return WEIR_OK;
    return wi_fail(WEIR_E_ARG, where, "%s: unknown strategy \"%.60s\"; this build has: %s", where,
                   name, strategy_names(known, sizeof known));
}

/* Digits with an optional fraction, no sign, no exponent; returns where it ended, NULL if there is no digit. */
static const char *decimal(const char *text, double *out)
{
    double scale = 1;
    int has_digit = 0;

    *out = 0;
    for (; *text >= '0' && *text <= '9'; text++, has_digit = 1) *out = *out * 10 + (*text - '0');
    if (!has_digit) return NULL;
    if (*text != '.') return text;
    text++;
    if (*text < '0' || *text > '9') return NULL;
    for (; *text >= '0' && *text <= '9'; text++) *out += (*text - '0') * (scale /= 10);
    return text;
}

static int parse_bytes(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *unit = NULL;

    *out = 0;
    if (*text < '0' || *text > '9') return 0;
    for (; *text >= '0' && *text <= '9'; text++)
        if (!wi_mul_u64(*out, 10, out) || !wi_add_u64(*out, (uint64_t)(*text - '0'), out)) return 0;
    if (*text == '\0') return *out > 0;
    unit = strchr(units, *text);
    if (unit == NULL || text[1] != '\0') return 0;
    return wi_mul_u64(*out, UINT64_C(1) << (10 * (unit - units + 1)), out) && *out > 0;
}

int wi_limit_parse(const char *text, uint64_t *bytes, double *fraction)
{
    double percent = 0;
    const char *end = decimal(text, &percent);

    *bytes = 0;
    *fraction = 0;
    if (end != NULL && strcmp(end, "%") == 0) {
        if (!(percent > 0 && percent <= 100)) return 0;
        *fraction = percent / 100;
        return 1;
    }
    if (parse_bytes(text, bytes)) return 1;
    *bytes = 0;
    return 0;
}

weir_status wi_memory_config_apply(wi_memory_config *config, const weir_memory_options *options,
                                   const char *where)
{
    weir_memory_options given;
    const wi_strategy *strategy = NULL;
    weir_status status = WEIR_OK;

    if (options == NULL) {
        memset(config, 0, sizeof *config);
        return WEIR_OK;
    }
    if (!wi_options_read(options, &given, sizeof given))
        return wi_fail_hint(WEIR_E_ARG, where, "start from WEIR_MEMORY_OPTIONS_INIT",
                            "struct_size is %zu, expected %zu", options->struct_size,
                            sizeof *options);
    if (given.limit_bytes != 0 && given.limit_fraction != 0)
        return wi_fail(WEIR_E_ARG, where, "limit_bytes and limit_fraction are both set");
    if (!(given.limit_fraction >= 0 && given.limit_fraction <= 1))
        return wi_fail(WEIR_E_ARG, where, "limit_fraction is %g, expected 0 < f <= 1",
                       given.limit_fraction);
    if (given.debug_level > WI_DEBUG_LEVEL_MAX)
        return wi_fail(WEIR_E_ARG, where, "debug_level is %u, expected at most %d",
                       given.debug_level, WI_DEBUG_LEVEL_MAX);
    if (given.strategy != NULL) status = find_strategy(where, given.strategy, &strategy);
    if (status != WEIR_OK) return status;

    if (strategy != NULL) config->strategy = strategy;
    if (given.debug_level != 0) config->given_debug = given.debug_level;
    if (given.no_compaction) config->no_compaction = 1;
    if (given.limit_bytes != 0 || given.limit_fraction != 0) {
        config->given_bytes = given.limit_bytes;
        config->given_fraction = given.limit_fraction;
    }
    return WEIR_OK;
}

static uint64_t fraction_of(double fraction, uint64_t device_bytes)
{
    double bytes = fraction * (double)device_bytes;

    if (bytes >= (double)device_bytes) return device_bytes;
    return bytes < 1 ? 1 : (uint64_t)bytes;
}

/* An empty variable is the same as none. */
static const char *environment(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Puts a limit in force, or the strategy's own where none is set (both 0). */
static void put_in_force(wi_memory_config *config, uint64_t bytes, double fraction,
                         uint64_t device_bytes)
{
    config->is_limit_set = bytes != 0 || fraction > 0;
    config->limit_bytes = config->is_limit_set
                              ? (fraction > 0 ? fraction_of(fraction, device_bytes) : bytes)
                              : wi_strategy_default_limit(config->strategy_in_force, device_bytes);
}

/* Takes WEIR_MEMORY_DEBUG where the program chose no level. */
static weir_status resolve_debug(wi_memory_config *config)
{
    const char *text = environment("WEIR_MEMORY_DEBUG");

    config->debug_level = config->given_debug;
    if (config->given_debug != 0 || text == NULL) return WEIR_OK;
    if (text[0] < '0' || text[0] > '0' + WI_DEBUG_LEVEL_MAX || text[1] != '\0')
        return wi_fail(WEIR_E_ARG, "WEIR_MEMORY_DEBUG",
                       "WEIR_MEMORY_DEBUG is \"%.60s\"; expected 0 to %d", text,
                       WI_DEBUG_LEVEL_MAX);
    config->debug_level = (unsigned)(text[0] - '0');
    return WEIR_OK;
}

weir_status wi_memory_config_resolve(wi_memory_config *config, uint64_t device_bytes)
{
    const char *pool = environment("WEIR_POOL");
    const char *limit = environment("WEIR_LIMIT");
    const wi_strategy *strategy = config->strategy;
    uint64_t bytes = config->given_bytes;
    double fraction = config->given_fraction;
    weir_status status = WEIR_OK;

    status = resolve_debug(config);
    if (status == WEIR_OK && strategy == NULL && pool != NULL)
        status = find_strategy("WEIR_POOL", pool, &strategy);
    config->strategy_in_force = strategy != NULL ? strategy : wi_strategy_default();
    put_in_force(config, 0, 0, device_bytes);
    if (status != WEIR_OK) return status;

    if (bytes == 0 && fraction == 0 && limit != NULL && !wi_limit_parse(limit, &bytes, &fraction))
        return wi_fail_hint(WEIR_E_ARG, "WEIR_LIMIT", "unset WEIR_LIMIT for the default limit",
                            "WEIR_LIMIT is \"%.60s\"; expected bytes above 0 such as 512M (K, M, "
                            "G) or a percentage such as 50%%",
                            limit);
    put_in_force(config, bytes, fraction, device_bytes);
    return WEIR_OK;
}

int wi_memory_config_equal(const wi_memory_config *a, const wi_memory_config *b)
{
    return a->strategy_in_force == b->strategy_in_force && a->limit_bytes == b->limit_bytes &&
           a->no_compaction == b->no_compaction && a->debug_level == b->debug_level;
}
