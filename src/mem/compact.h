/* Moving blocks to other roots, for an arena that compacts. */
#ifndef WI_MEM_COMPACT_H
#define WI_MEM_COMPACT_H

#include "plan/arena.h"

#include <weir/pool.h>

/** Adds to a root source, whose `user` is the pool's roots, how this pool moves blocks; or settles for good that it
 * never does: where it may not, or where its strategy does not compact. Called before the first block is placed, with
 * the pool's lock held. */
void wi_compact_add(weir_pool *pool, wi_root_source *source);

#endif
