/* Scopes: a path that stands before the owner labels of blocks, as in "encoder/layer 3/add".
 *
 * Scopes belong to a pool, and each thread has a stack of its own there: what one thread opens labels the blocks that this
 * thread takes, whatever other threads do. Nothing of it is kept for the process, so two libraries with a pool each do
 * not see each other's scopes. A block is labelled where it is taken, a variable where it is created; a draw or view
 * that is stored only when something reads it is labelled there.
 */
#ifndef WEIR_SCOPE_H
#define WEIR_SCOPE_H

#include <weir/pool.h>
#include <weir/status.h>

WEIR_BEGIN_DECLS

/** Opens a scope for the calling thread, within those it has open.
 *
 * Labels have at most 63 bytes (WEIR_OWNER_BYTES): of a longer path the end is kept, behind "...". A thread that ends
 * closes its scopes first; what it leaves open may label the blocks of a thread that starts later.
 * name   not empty; copied; a '/' in it counts as one between scopes
 * Thread: safe. Errors: ARG, HOST_MEMORY, FORKED; then nothing was opened. */
WEIR_API WEIR_NODISCARD weir_status weir_scope_push(weir_pool *pool, const char *name);

/** Closes the scope that the calling thread opened last. Blocks keep their labels.
 * Thread: safe. Errors: ARG (also if this thread has none open), FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_scope_pop(weir_pool *pool);

WEIR_END_DECLS

#endif
