/* Stacks of scopes in a list, searched by thread: few threads have a scope open at once, and the list is empty where
 * nobody uses scopes. */
#include "mem/scope.h"

#include "base/memory.h"
#include "base/status.h"
#include "mem/pool_state.h"

#include <weir/scope.h>

/* The link that leads to the calling thread's stack, or to NULL. */
static wi_scope_stack **find(wi_scopes *scopes)
{
    const pthread_t self = pthread_self();
    wi_scope_stack **link = &scopes->first;

    while (*link != NULL && !pthread_equal((*link)->thread, self)) link = &(*link)->next;
    return link;
}

const wi_owner_path *wi_scopes_path(wi_scopes *scopes)
{
    wi_scope_stack **link = NULL;
    wi_scope_stack *stack = NULL;

    if (scopes->first == NULL) return NULL;
    link = find(scopes);
    stack = *link;
    if (stack == NULL) return NULL;
    *link = stack->next;
    stack->next = scopes->first;
    scopes->first = stack;
    return &stack->levels[stack->count - 1];
}

static int make_room(wi_scope_stack *stack)
{
    const size_t capacity = stack->capacity == 0 ? 4 : 2 * stack->capacity;
    wi_owner_path *levels = NULL;

    if (stack->count < stack->capacity) return 1;
    levels = wi_realloc(stack->levels, capacity * sizeof *levels);
    if (levels == NULL) return 0;
    stack->levels = levels;
    stack->capacity = capacity;
    return 1;
}

int wi_scopes_push(wi_scopes *scopes, const char *name)
{
    wi_scope_stack *stack = *find(scopes);
    const int is_new = stack == NULL;

    if (is_new) stack = wi_calloc(1, sizeof *stack);
    if (stack == NULL) return 0;
    if (!make_room(stack)) {
        if (is_new) wi_free(stack);
        return 0;
    }
    wi_owner_path_join(stack->count != 0 ? &stack->levels[stack->count - 1] : NULL, name,
                       &stack->levels[stack->count]);
    stack->count++;
    if (is_new) {
        stack->thread = pthread_self();
        stack->next = scopes->first;
        scopes->first = stack;
    }
    return 1;
}

static void dispose(wi_scope_stack *stack)
{
    wi_free(stack->levels);
    wi_free(stack);
}

int wi_scopes_pop(wi_scopes *scopes)
{
    wi_scope_stack **link = find(scopes);
    wi_scope_stack *stack = *link;

    if (stack == NULL) return 0;
    if (--stack->count != 0) return 1;
    *link = stack->next;
    dispose(stack);
    return 1;
}

void wi_scopes_fini(wi_scopes *scopes)
{
    while (scopes->first != NULL) {
        wi_scope_stack *stack = scopes->first;
        scopes->first = stack->next;
        dispose(stack);
    }
}

char *wi_pool_label(weir_pool *pool, const char *name)
{
    const wi_owner_path *path = NULL;
    char *label = wi_malloc(WEIR_OWNER_BYTES + 1);

    if (label == NULL) return NULL;
    label[0] = '/';
    wi_pool_lock(pool);
    path = wi_scopes_path(&pool->scopes);
    wi_owner_label_join(path, name, label + 1);
    wi_pool_unlock(pool);
    return label;
}

weir_status weir_scope_push(weir_pool *pool, const char *name)
{
    weir_status status = WEIR_OK;
    int is_pushed = 0;

    if (pool == NULL || name == NULL || name[0] == '\0') {
        return wi_fail(WEIR_E_ARG, "weir_scope_push", "pool and a name are required");
    }
    status = wi_pool_check_process(pool, "weir_scope_push");
    if (status != WEIR_OK) return status;
    wi_pool_lock(pool);
    is_pushed = wi_scopes_push(&pool->scopes, name);
    wi_pool_unlock(pool);
    if (is_pushed) return WEIR_OK;
    return wi_fail(WEIR_E_HOST_MEMORY, "weir_scope_push", "no host memory for scope %s", name);
}

weir_status weir_scope_pop(weir_pool *pool)
{
    weir_status status = WEIR_OK;
    int is_popped = 0;

    if (pool == NULL) return wi_fail(WEIR_E_ARG, "weir_scope_pop", "pool is required");
    status = wi_pool_check_process(pool, "weir_scope_pop");
    if (status != WEIR_OK) return status;
    wi_pool_lock(pool);
    is_popped = wi_scopes_pop(&pool->scopes);
    wi_pool_unlock(pool);
    if (is_popped) return WEIR_OK;
    return wi_fail_hint(WEIR_E_ARG, "weir_scope_pop",
                        "a thread closes the scopes that it opened itself, each once",
                        "this thread has no scope open in this pool");
}
