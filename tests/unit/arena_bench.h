/* One arena on one fake source, and the steps its tests are made of. Each asserts. */
#ifndef WT_ARENA_BENCH_H
#define WT_ARENA_BENCH_H

#include "fake_roots.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

typedef struct arena_bench {
    fake_roots roots;
    wi_arena *arena;
    int is_movable; /* 1: arenas that are opened from now on can move blocks */
} arena_bench;

extern arena_bench it; /* each test has a process of its own */

/** Makes `it` anew: the row of that name, limit 0: none set, on a device of 64 GiB. */
void open_arena(const char *name, uint64_t limit, uint64_t max_root);

/** As open_arena(), on it.roots as it stands. */
void open_row(const wi_strategy *strategy, uint64_t limit, uint64_t max_root);

/** As open_row(), with these options and it.roots' limit. */
void open_options(const wi_strategy *strategy, const wi_arena_options *options);

/** Every invariant holds. */
void check(void);

/** Checks, destroys; no root is kept. */
void close_arena(void);

/** A request that succeeds. */
wi_placement place(uint64_t bytes);

/** A request that succeeds, with a holder that follows it. */
fake_block *place_block(uint64_t bytes);
void free_block(fake_block *block);

/** A request that succeeds at this root (counted from 1), offset and size. */
void place_at(uint64_t bytes, uint64_t root, uint64_t offset, uint64_t handed);

/** A request that fails, with nothing handed out and nothing changed but for roots that steps gave back. */
void refuse(uint64_t bytes, weir_status expected, weir_oom_cause expected_cause);

wi_arena_stats stats(void);

/** What the driver was asked for, from the first call on. */
void assert_asked(size_t count, const uint64_t *bytes);

#endif
