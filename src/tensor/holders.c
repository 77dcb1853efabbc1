/* Owners of tensors: the program's, and recorders, which keep what backward will need.
 *
 * Recorders are counted apart, so that the release of the last other owner can be seen: from then on nobody but a tape
 * keeps the memory, and its block gets the tape's label. The count of owners is compared before the release, while the
 * caller's own keeps the tensor alive; two owners that leave at the same moment may both miss it, which costs a label.
 */
#include "mem/block.h"
#include "mem/owners.h"
#include "tensor/tensor_state.h"

weir_tensor *weir_tensor_retain(weir_tensor *tensor)
{
    if (tensor != NULL) atomic_fetch_add_explicit(&tensor->owners, 1, memory_order_relaxed);
    return tensor;
}

int wi_tensor_try_retain(weir_tensor *tensor)
{
    uint64_t owners = atomic_load_explicit(&tensor->owners, memory_order_relaxed);

    while (owners != 0) {
        if (atomic_compare_exchange_weak_explicit(&tensor->owners, &owners, owners + 1,
                                                  memory_order_acquire, memory_order_relaxed)) {
            return 1;
        }
    }
    return 0;
}

void wi_tensor_label_kept(weir_tensor *tensor, uint64_t leaving)
{
    const uint64_t owners = atomic_load_explicit(&tensor->owners, memory_order_relaxed);
    weir_block *block = NULL;
    int is_locked = 0;

    if (owners - leaving != atomic_load_explicit(&tensor->keeps, memory_order_relaxed)) return;
    is_locked = wi_tensor_lock_view(tensor);
    block = atomic_load_explicit(&tensor->block, memory_order_acquire);
    /* A block with other tensors on it is somebody else's too. */
    if (block != NULL && wi_block_get_owners(block) == 1) wi_block_relabel(block, WI_OWNER_TAPE);
    if (is_locked) (void)pthread_mutex_unlock(&tensor->lock);
}

void wi_tensor_keep(weir_tensor *tensor)
{
    atomic_fetch_add_explicit(&tensor->keeps, 1, memory_order_relaxed);
    (void)weir_tensor_retain(tensor);
    wi_tensor_label_kept(tensor, 0);
}

void wi_tensor_unkeep(weir_tensor *tensor)
{
    if (tensor == NULL) return;
    atomic_fetch_sub_explicit(&tensor->keeps, 1, memory_order_relaxed);
    weir_tensor_release(tensor);
}
