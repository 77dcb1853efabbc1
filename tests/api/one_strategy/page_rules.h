/* The rule that is the row's own, seen by the table. */
#ifndef PAGE_RULES_H
#define PAGE_RULES_H

#include "plan/strategy_rules.h"

#define PAGE_BYTES (UINT64_C(4) << 20)

weir_status grow_by_pages(wi_arena *arena, uint64_t bytes);

#endif
