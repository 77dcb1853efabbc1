/* Taking roots from the driver under the device's budget, and giving them back once their commands are done.
 *
 * Drivers back buffers lazily and fail later, at a command that had nothing to do with it; a new root is therefore
 * touched at once on a queue of its own, and what that says is the answer to the request.
 */
#include "mem/roots.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_context.h"
#include "cl/foreign.h"
#include "mem/counter.h"

static weir_status acquire(void *user, uint64_t bytes, void **out)
{
    wi_roots *roots = user;
    weir_status status = WEIR_OK;
    wi_root *root = NULL;
    int is_counted = 0;

    *out = NULL;
    root = wi_calloc(1, sizeof *root);
    if (root == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_pool_alloc", "%zu host bytes for a root",
                         sizeof *root);
        goto done;
    }
    is_counted = wi_budget_take(roots->budget, bytes);
    if (!is_counted) {
        status = WEIR_E_OUT_OF_MEMORY;
        goto done;
    }
    status = wi_cl_buffer_create(roots->context, bytes, &root->buffer);
    if (status != WEIR_OK) goto done;
    status = wi_queue_touch(roots->touch_queue, root->buffer, bytes);
    if (status != WEIR_OK) {
        /* Each touch is waited for and answers one request; a failure must not be the answer to the next. */
        wi_queue_reset_error(roots->touch_queue);
        goto done;
    }

    root->bytes = bytes;
    root->serial = ++roots->next_serial;
    roots->driver_allocs++;
    wi_counter_add(&roots->reserved, bytes);
    *out = root;
    root = NULL;
done:
    if (root != NULL) {
        wi_cl_buffer_release(root->buffer);
        if (is_counted) wi_budget_give(roots->budget, bytes);
        wi_free(root);
    }
    return status;
}

static void forget(wi_roots *roots, wi_root *root)
{
    wi_cl_buffer_release(root->buffer);
    if (!root->is_foreign) {
        wi_budget_give(roots->budget, root->bytes);
        roots->reserved.current -= root->bytes;
        roots->driver_frees++;
    }
    wi_free(root);
}

weir_status wi_roots_take_foreign(wi_roots *roots, cl_mem buffer, wi_root **out)
{
    weir_status status = WEIR_OK;
    wi_root *root = wi_calloc(1, sizeof *root);

    *out = NULL;
    if (root == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_tensor_wrap_cl_mem", "%zu host bytes for a root",
                       sizeof *root);
    }
    status = wi_cl_buffer_retain(buffer);
    if (status != WEIR_OK) {
        wi_free(root);
        return status;
    }
    root->buffer = buffer;
    root->is_foreign = 1;
    root->serial = ++roots->next_serial;
    *out = root;
    return WEIR_OK;
}

void wi_roots_give_back(wi_roots *roots, wi_root *root)
{
    wi_queues_get_sequences(roots->queues, root->sequences);
    root->next = NULL;
    if (roots->last != NULL)
        roots->last->next = root;
    else
        roots->first = root;
    roots->last = root;
    wi_roots_reap(roots);
}

static void give_back(void *user, void *token, uint64_t bytes)
{
    (void)bytes;
    wi_roots_give_back(user, token);
}

/* Releases the first root given back. */
static void forget_first(wi_roots *roots)
{
    wi_root *root = roots->first;

    roots->first = root->next;
    if (roots->first == NULL) roots->last = NULL;
    forget(roots, root);
}

void wi_roots_reap(wi_roots *roots)
{
    while (roots->first != NULL && wi_queues_are_past(roots->queues, roots->first->sequences))
        forget_first(roots);
}

int wi_roots_drain(wi_roots *roots)
{
    if (roots->first == NULL) return 0;
    /* After a failed wait no command runs any more, so the roots are free all the same. The failure sticks to the queue
     * and is told by the next call that uses it; here it is not what was asked. */
    wi_queues_wait_past(roots->queues, roots->last->sequences);
    while (roots->first != NULL) forget_first(roots);
    return 1;
}

static int is_past(const wi_root *root, const uint64_t sequences[WEIR_QUEUES_MAX])
{
    for (unsigned i = 0; i < WEIR_QUEUES_MAX; i++)
        if (root->sequences[i] > sequences[i]) return 0;
    return 1;
}

uint64_t wi_roots_forget_past(wi_roots *roots, const uint64_t sequences[WEIR_QUEUES_MAX])
{
    uint64_t bytes = 0;

    while (roots->first != NULL && is_past(roots->first, sequences)) {
        bytes += roots->first->bytes;
        forget_first(roots);
    }
    return bytes;
}

static uint64_t available(void *user)
{
    wi_roots *roots = user;
    return wi_budget_available(roots->budget);
}

static int drain(void *user)
{
    wi_roots *roots = user;
    return wi_roots_drain(roots);
}

wi_root_source wi_roots_source(wi_roots *roots)
{
    wi_root_source source = {.user = roots,
                             .acquire = acquire,
                             .release = give_back,
                             .available = available,
                             .drain = drain};
    return source;
}
