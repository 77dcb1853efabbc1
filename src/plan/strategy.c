/* The table of strategies.
 *
 * Nothing elsewhere asks which strategy it is. `growth` and
 * `prealloc` are the two modes of TensorFlow's BFC allocator, `ondemand` is PyTorch's caching allocator, `direct` is plain
 * clCreateBuffer, `adaptive` is weir's own. Constant data, no lock.
 */
#include "plan/strategy_rules.h"

#include <string.h>

static const wi_strategy rows[] = {
#include "plan/strategy_table.def"
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])
#define ROW_DEFAULT "adaptive"

const wi_strategy *wi_strategy_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < ROW_COUNT; ++i) {
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    }
    return NULL;
}

const wi_strategy *wi_strategy_at(size_t i) { return i < ROW_COUNT ? &rows[i] : NULL; }

const wi_strategy *wi_strategy_default(void) { return wi_strategy_find(ROW_DEFAULT); }

const char *wi_strategy_name(const wi_strategy *strategy) { return strategy->name; }

const char *wi_strategy_text(const wi_strategy *strategy) { return strategy->text; }

uint64_t wi_strategy_default_limit(const wi_strategy *strategy, uint64_t total_bytes)
{
    return strategy->default_limit(total_bytes);
}
