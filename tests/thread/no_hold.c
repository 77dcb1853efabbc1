/* In place of the hold on a pool: nothing. Linked into the one program that shows what the hold is for. */
#include "mem/pool.h"

void __wrap_wi_pool_hold(weir_pool *pool);
void __wrap_wi_pool_let_go(weir_pool *pool);

void __wrap_wi_pool_hold(weir_pool *pool) { (void)pool; }

void __wrap_wi_pool_let_go(weir_pool *pool) { (void)pool; }
