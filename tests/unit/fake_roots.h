/* A source of roots that are numbers only: limits of many TiB, refusals and failures on command. */
#ifndef WT_FAKE_ROOTS_H
#define WT_FAKE_ROOTS_H

#include "plan/range.h"

#include <stddef.h>
#include <stdint.h>

#define FAKE_ROOTS_MAX 32768u

/* A block for tests that move: the holder of a range. */
typedef struct fake_block {
    int is_pinned;
    uint64_t moves;
    wi_placement at;                   /* where it was told to be */
    struct fake_block *before, *after; /* of those that are held */
} fake_block;

/* held_bytes + pending_bytes <= limit_bytes; held_bytes + pending_bytes <= driver_bytes.
 * Asserts on misuse: more than available, above the largest root, a release of what is not held; a move outside of a
 * pass, of a pinned block, within a root or to where none is held. */
typedef struct fake_roots {
    uint64_t limit_bytes;    /* UINT64_MAX: none */
    uint64_t driver_bytes;   /* the driver refuses what would pass this */
    uint64_t max_root_bytes; /* asserted */
    unsigned refuse_count;   /* so many calls are refused, whatever their size */
    unsigned fail_at;        /* the n-th call from now fails with DRIVER; 0: none */
    int keeps_released;      /* 1: released bytes stay counted until drained */
    uint64_t held_bytes;
    uint64_t pending_bytes;
    uint64_t peak_bytes;
    uint64_t asked[FAKE_ROOTS_MAX]; /* sizes of all calls, modulo FAKE_ROOTS_MAX */
    uint64_t bytes[FAKE_ROOTS_MAX]; /* by token, modulo FAKE_ROOTS_MAX; 0: not held */
    size_t ask_count;
    size_t take_count;
    size_t release_count;
    size_t drain_count;    /* those that ended something */
    int no_moves;          /* 1: begin_moves says no */
    unsigned fail_move_at; /* the n-th move from now fails; 0: none */
    int is_moving;
    size_t pass_count; /* calls of begin_moves that said yes */
    size_t move_count;
} fake_roots;

/** No limit, no refusals, roots of any size. */
void fake_roots_init(fake_roots *roots);

/** The source to give to an arena. */
wi_root_source fake_roots_source(fake_roots *roots);

/** The source with blocks that can be moved; holders are fake_block or NULL. */
wi_root_source fake_roots_movable(fake_roots *roots);

/** The number of a token: 1 for the first root taken, then 2, ... */
uint64_t fake_roots_number(const void *token);

/** wi_arena_alloc(), and where the range is then; all zero on failure. */
weir_status arena_place(wi_arena *arena, uint64_t bytes, wi_placement *out, weir_oom_cause *cause);

#endif
