/* The table of strategies.
 *
 * A row is a combination of rules (strategy_rules.h); nothing elsewhere asks which strategy it is. `growth` and
 * `prealloc` are the two modes of TensorFlow's BFC allocator, `ondemand` is PyTorch's caching allocator, `direct` is plain
 * clCreateBuffer, `adaptive` is weir's own. Constant data, no lock.
 */
#include "plan/strategy_rules.h"

#include <string.h>

enum {
    ROW_PREALLOC,
    ROW_GROWTH,
    ROW_ONDEMAND,
    ROW_DIRECT,
    ROW_ADAPTIVE,
    ROW_COUNT,
    ROW_DEFAULT = ROW_ADAPTIVE
};

static const wi_strategy rows[ROW_COUNT] = {
    [ROW_PREALLOC] =
        {
            .name = "prealloc",
            .text = "takes its whole limit at first use and never grows",
            .unit_bytes = 256,
            .failure_steps = WI_STEP_DRAIN | WI_STEP_SEARCH | WI_STEP_GROW,
            .ranges = &wi_bins_index,
            .default_limit = wi_limit_reserve,
            .grow = wi_grow_to_limit,
            .splits = wi_split_bfc,
        },
    [ROW_GROWTH] =
        {
            .name = "growth",
            .text = "begins with 2 MiB, doubles with the need, and keeps what it has until trimmed",
            .unit_bytes = 256,
            .failure_steps = WI_STEP_DRAIN | WI_STEP_SEARCH | WI_STEP_GROW | WI_STEP_LEND,
            .ranges = &wi_bins_index,
            .default_limit = wi_limit_reserve,
            .grow = wi_grow_doubling,
            .splits = wi_split_bfc,
        },
    [ROW_ONDEMAND] =
        {
            .name = "ondemand",
            .text = "takes segments of 2 MiB, 20 MiB or the size of the block, and caches them "
                    "until trimmed",
            .unit_bytes = 512,
            .failure_steps = WI_STEP_DRAIN | WI_STEP_RETURN | WI_STEP_GROW | WI_STEP_LEND,
            .ranges = &wi_segments_index,
            .default_limit = wi_limit_whole,
            .grow = wi_grow_segments,
            .splits = wi_split_segments,
        },
    [ROW_DIRECT] =
        {
            .name = "direct",
            .text = "asks the driver for every block and gives it back when the block is freed",
            .unit_bytes = 256,
            .failure_steps = WI_STEP_DRAIN | WI_STEP_GROW,
            .ranges = &wi_bins_index,
            .default_limit = wi_limit_whole,
            .grow = wi_grow_exact,
            .splits = wi_split_never,
            .emptied = wi_return_at_once,
        },
    [ROW_ADAPTIVE] =
        {
            .name = "adaptive",
            .text = "takes what the blocks in use need, and gives back what was not needed lately",
            .unit_bytes = 256,
            .failure_steps = WI_STEP_DRAIN | WI_STEP_RETURN | WI_STEP_COMPACT | WI_STEP_SEARCH |
                             WI_STEP_GROW | WI_STEP_LEND,
            .ranges = &wi_good_fit_index,
            .keeps_last = 1,
            .default_limit = wi_limit_whole,
            .grow = wi_grow_to_need,
            .splits = wi_split_always,
            .emptied = wi_return_beyond_need,
            .settle = wi_settle_to_need,
        },
};

const wi_strategy *wi_strategy_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < ROW_COUNT; ++i) {
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    }
    return NULL;
}

const wi_strategy *wi_strategy_at(size_t i) { return i < ROW_COUNT ? &rows[i] : NULL; }

const wi_strategy *wi_strategy_default(void) { return &rows[ROW_DEFAULT]; }

const char *wi_strategy_name(const wi_strategy *strategy) { return strategy->name; }

const char *wi_strategy_text(const wi_strategy *strategy) { return strategy->text; }

uint64_t wi_strategy_default_limit(const wi_strategy *strategy, uint64_t total_bytes)
{
    return strategy->default_limit(total_bytes);
}
