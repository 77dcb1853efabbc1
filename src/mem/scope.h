/* Scopes: the path before the names of blocks, one stack for each thread that has one open.
 *
 * Thread: the pool's lock.
 */
#ifndef WI_MEM_SCOPE_H
#define WI_MEM_SCOPE_H

#include "mem/owners.h"

#include <pthread.h>
#include <stddef.h>

/* Invariants: 1 <= count <= capacity; levels[i] is levels[i - 1] with one name more. */
typedef struct wi_scope_stack {
    pthread_t thread;
    wi_owner_path *levels;
    size_t count;
    size_t capacity;
    struct wi_scope_stack *next;
} wi_scope_stack;

/* Invariants: no two stacks of the list have the same thread. */
typedef struct wi_scopes {
    wi_scope_stack *first; /* the thread that asked last stands first */
} wi_scopes;

/** The path of the calling thread; NULL: no scope is open. Valid until the thread's next push or pop. */
const wi_owner_path *wi_scopes_path(wi_scopes *scopes);

/** Opens a scope; returns 0 if there is no host memory. */
int wi_scopes_push(wi_scopes *scopes, const char *name);

/** Closes the innermost scope; returns 0 if none is open. */
int wi_scopes_pop(wi_scopes *scopes);

/** Closes all of every thread. */
void wi_scopes_fini(wi_scopes *scopes);

#endif
