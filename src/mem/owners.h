/* Who holds the blocks of a pool: bytes and blocks by label.
 *
 * Thread: the pool's lock.
 */
#ifndef WI_MEM_OWNERS_H
#define WI_MEM_OWNERS_H

#include <weir/oom.h>

#include <stddef.h>
#include <stdint.h>

/* Label of blocks that nobody but gradient tapes holds. */
#define WI_OWNER_TAPE "tape"

/* One label. Stays at its address while it has blocks.
 *
 * Invariants: blocks == 0 implies bytes == 0. */
typedef struct wi_owner {
    char label[WEIR_OWNER_BYTES];
    uint64_t hash;
    uint64_t bytes;
    uint64_t blocks;
    struct wi_owner *next; /* of the same bucket */
} wi_owner;

#define WI_OWNER_MEMOS 32u /* a power of two */

/* What a label at this address named last. Invariant: label == NULL, or owner is in the table. */
typedef struct wi_owner_memo {
    const char *label; /* compared, never read through but for the caller's own */
    wi_owner *owner;
} wi_owner_memo;

/* Labels by hash; those without blocks are dropped when the table would grow, so its size follows the live labels.
 *
 * Invariants: count entries hang in bucket_count (a power of two, or 0) lists, each in the list of its hash. */
typedef struct wi_owners {
    wi_owner **buckets;
    size_t bucket_count;
    size_t count;
    wi_owner_memo memos[WI_OWNER_MEMOS];
} wi_owners;

/** Finds a label or adds it; NULL if there is no host memory. Longer labels are cut. */
wi_owner *wi_owners_find(wi_owners *owners, const char *label);

/** Frees every label. */
void wi_owners_fini(wi_owners *owners);

/** Writes the `limit` largest owners, most bytes first (ties by label); returns how many. */
unsigned wi_owners_top(const wi_owners *owners, unsigned limit, weir_oom_owner *out);

/** Sums over all labels. */
void wi_owners_sum(const wi_owners *owners, uint64_t *bytes, uint64_t *blocks);

#endif
