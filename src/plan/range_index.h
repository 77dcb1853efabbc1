/* What an arena needs of a set of free ranges. A strategy's row names one. */
#ifndef WI_PLAN_RANGE_INDEX_H
#define WI_PLAN_RANGE_INDEX_H

#include "plan/range.h"

/* `state` is state_bytes of host memory, zeroed: that is an empty index. No call takes memory or can fail. */
typedef struct wi_range_index {
    size_t state_bytes;
    void (*insert)(void *state, wi_range *range);
    /* The range is in the index, unchanged since it was inserted. */
    void (*remove)(void *state, wi_range *range);
    /* Gives a range of the index another place and size in its root; the same as to remove it and to insert it then.
     * NULL: there is nothing faster than that. */
    void (*resize)(void *state, wi_range *range, uint64_t offset_bytes, uint64_t bytes);
    /* Chooses a range of at least `bytes`; NULL if the rules find none. It stays in the index. */
    wi_range *(*find)(const void *state, uint64_t bytes);
    /* As find(), without its rules: only too small ranges are passed over, whatever the time.
     * NULL: find() is like that. */
    wi_range *(*find_any)(const void *state, uint64_t bytes);
    /* Returns a range of the largest size, NULL if empty. */
    wi_range *(*largest)(const void *state);
    /* Returns the range after `range` in some fixed order, the first for NULL; NULL at the end. */
    wi_range *(*after)(const void *state, const wi_range *range);
    /* Returns NULL, or what is wrong with the links around a range of the index. */
    const char *(*check)(const void *state, const wi_range *range);
} wi_range_index;

/* 21 bins of doubling sizes, best fit within a bin (bins.c). */
extern const wi_range_index wi_bins_index;

/* Two pools, best fit in each (ondemand.c). */
extern const wi_range_index wi_segments_index;

/* Pools of lists by class of size, good fit in constant time (good_fit.c). */
extern const wi_range_index wi_good_fit_index;

/* Pools of roots, in rows that have more than one. */
enum {
    WI_POOL_LARGE, /* serves requests above WI_SMALL_BYTES */
    WI_POOL_SMALL, /* serves those up to it */
    WI_POOL_ALONE, /* wi_good_fit_index: as LARGE, but the root was taken for one block of its size */
    WI_POOL_COUNT
};
#define WI_SMALL_BYTES (UINT64_C(1) << 20)

static inline unsigned wi_pool_of(uint64_t bytes)
{
    return bytes <= WI_SMALL_BYTES ? WI_POOL_SMALL : WI_POOL_LARGE;
}

#endif
