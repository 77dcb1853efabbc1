/* Strategies: rows of rules for taking roots and choosing ranges. A strategy is a row, not a branch. */
#ifndef WI_PLAN_STRATEGY_H
#define WI_PLAN_STRATEGY_H

#include <stddef.h>
#include <stdint.h>

typedef struct wi_strategy
    wi_strategy; /* members: strategy.c's neighbours only, see plan/strategy_rules.h */

/** Finds a strategy by its lower-case name; NULL if this build has none of that name. */
const wi_strategy *wi_strategy_find(const char *name);

/** Returns strategy i in the table's order, NULL past the end. */
const wi_strategy *wi_strategy_at(size_t i);

/** The strategy used when none is named. */
const wi_strategy *wi_strategy_default(void);

const char *wi_strategy_name(const wi_strategy *strategy);

/** One sentence on what it does, for tables and help. */
const char *wi_strategy_text(const wi_strategy *strategy);

/** The limit it keeps to when the user sets none, from the device's memory. */
uint64_t wi_strategy_default_limit(const wi_strategy *strategy, uint64_t total_bytes);

#endif
