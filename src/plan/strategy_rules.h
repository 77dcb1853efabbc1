/* The members of a strategy's row, and the rules that rows are made of.
 *
 * A new strategy is a row in strategy_table.def and a file with the rules that are its own; tests/api/one_strategy has one.
 * Arenas take any row, so tests can make theirs.
 */
#ifndef WI_PLAN_STRATEGY_RULES_H
#define WI_PLAN_STRATEGY_RULES_H

#include "plan/arena_state.h"
#include "plan/range_index.h"
#include "plan/strategy.h"

#include <weir/status.h>

/* What is tried, in this order, when neither a search nor growth found room. */
typedef enum wi_failure_step {
    WI_STEP_DRAIN = 1,  /* wait for commands that keep released memory counted */
    WI_STEP_RETURN = 2, /* give wholly free roots back, so that a larger one fits under the limit */
    WI_STEP_COMPACT = 4, /* have blocks moved together */
    WI_STEP_SEARCH = 8,  /* after each of these: search the free ranges again */
    WI_STEP_GROW = 16,   /* after each of these: grow again */
    WI_STEP_LEND =
        32 /* not a step: gives wholly free roots back when another arena under the limit lacks them */
} wi_failure_step;

struct wi_strategy {
    const char *name; /* lower case */
    const char *text; /* one sentence */
    uint64_t
        unit_bytes; /* sizes are multiples of it, or of the granule if that is larger; a power of two */
    unsigned failure_steps;       /* wi_failure_step, or-ed */
    const wi_range_index *ranges; /* how free ranges are kept and chosen */
    /* 1: the range freed last is joined with its neighbours at the next request, which takes it as it is if it has that
     * size: what loops do. 0: at once. */
    int keeps_last;
    /* The limit without one set by the user. */
    uint64_t (*default_limit)(uint64_t total_bytes);
    /* Takes roots, by wi_arena_take_root(), so that one holds `bytes`, a whole number of units within the largest root.
     * OK; OUT_OF_MEMORY, nothing recorded; or what taking a root gave. On failure the arena gives back what the call
     * took and restores its wi_growth. */
    weir_status (*grow)(wi_arena *arena, uint64_t bytes);
    /* 1: a range chosen for `bytes` is cut to it and the rest stays free; 0: it is handed out whole. */
    int (*splits)(const wi_arena *arena, const wi_range *range, uint64_t bytes);
    /* This root just became wholly free: gives it or others back. NULL: nothing. */
    void (*emptied)(wi_arena *arena, wi_arena_root *root);
    /* Gives back what is not needed any more, each time a stretch of requests has ended. NULL: nothing. */
    void (*settle)(wi_arena *arena);
};

/* For rules. */

/** Bytes that new roots may take now: under the source's limit or, where none is set, the strategy's own; in units. */
uint64_t wi_arena_get_remaining(const wi_arena *arena);

/** Takes a root of `bytes`, a whole number of units, at most the largest root and what remains.
 * pool   of the row's pools; 0 in rows with one
 * Errors: OUT_OF_MEMORY (nothing recorded), HOST_MEMORY, what the source records. */
weir_status wi_arena_take_root(wi_arena *arena, uint64_t bytes, unsigned pool);

/** Gives back wholly free roots, the youngest first, until at most keep_bytes are reserved or none is left to give. */
void wi_arena_return_roots(wi_arena *arena, uint64_t keep_bytes);

/* Rules that rows share. */
uint64_t wi_limit_whole(uint64_t total_bytes); /* direct.c */
uint64_t
wi_limit_reserve(uint64_t total_bytes); /* bfc.c: the total without a share for the system */
weir_status wi_grow_exact(wi_arena *arena, uint64_t bytes); /* direct.c: one root for the request */
weir_status wi_grow_doubling(wi_arena *arena, uint64_t bytes); /* bfc.c: 2 MiB, doubling */
weir_status wi_grow_to_limit(wi_arena *arena, uint64_t bytes); /* bfc.c: all at once */
weir_status wi_grow_segments(wi_arena *arena,
                             uint64_t bytes);                 /* ondemand.c: by size of the block */
weir_status wi_grow_to_need(wi_arena *arena, uint64_t bytes); /* adaptive.c: by what is in use */
int wi_split_never(const wi_arena *arena, const wi_range *range, uint64_t bytes); /* direct.c */
int wi_split_bfc(const wi_arena *arena, const wi_range *range, uint64_t bytes);   /* bfc.c */
int wi_split_segments(const wi_arena *arena, const wi_range *range,
                      uint64_t bytes);                                             /* ondemand.c */
int wi_split_always(const wi_arena *arena, const wi_range *range, uint64_t bytes); /* adaptive.c */
void wi_return_at_once(wi_arena *arena, wi_arena_root *root);                      /* direct.c */
void wi_return_beyond_need(wi_arena *arena, wi_arena_root *root);                  /* adaptive.c */
void wi_settle_to_need(wi_arena *arena);                                           /* adaptive.c */

#endif
