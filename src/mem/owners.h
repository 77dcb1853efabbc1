/* Who holds the blocks of a pool: bytes and blocks by label.
 *
 * A label is a path "outer/inner/name": the scopes open in the thread that takes the block, then the name it gives. A
 * name that begins with '/' is a whole path and stands by itself.
 *
 * Thread: the pool's lock.
 */
#ifndef WI_MEM_OWNERS_H
#define WI_MEM_OWNERS_H

#include "mem/counter.h"

#include <weir/oom.h>
#include <weir/pool.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Name of blocks that nobody but gradient tapes holds. */
#define WI_OWNER_TAPE "tape"

#define WI_OWNER_MEMO_BITS 5
#define WI_OWNER_MEMOS (1u << WI_OWNER_MEMO_BITS)

/* The path before a name.
 *
 * Invariants: text ends with '/' and has `length` < WEIR_OWNER_BYTES bytes; hash is that of the text. */
typedef struct wi_owner_path {
    char text[WEIR_OWNER_BYTES];
    size_t length;
    uint64_t hash;
} wi_owner_path;

/* One label. Stays at its address while it has blocks or is remembered.
 *
 * Invariants: blocks.current == 0 implies bytes.current == 0; for both, current <= peak <= total, and blocks.total is the
 * count of increases. */
typedef struct wi_owner {
    char label[WEIR_OWNER_BYTES];
    uint64_t hash;
    wi_tally bytes;
    wi_tally blocks;
    uint64_t remembered;   /* released blocks and pending requests that may still be named by it */
    struct wi_owner *next; /* of the same bucket */
} wi_owner;

/* What a name at this address named last. Invariant: name == NULL, or owner is in the table. */
typedef struct wi_owner_memo {
    const char *name; /* compared, never read through but for the caller's own */
    wi_owner *owner;
} wi_owner_memo;

/* Labels by hash; those without blocks are dropped when the table would grow, so its size follows the live labels.
 *
 * Invariants: count entries hang in bucket_count (a power of two, or 0) lists, each in the list of its hash;
 * sum of totals + dropped - moved == what ever was added. */
typedef struct wi_owners {
    wi_owner **buckets;
    size_t bucket_count;
    size_t count;
    wi_owner_memo memos[WI_OWNER_MEMOS];
    uint64_t dropped_bytes; /* totals of labels that were dropped */
    uint64_t dropped_blocks;
    uint64_t moved_bytes; /* counted a second time, under another label */
    uint64_t moved_blocks;
} wi_owners;

/* Sums over all labels, those dropped included in the totals. */
typedef struct wi_owners_sum {
    uint64_t bytes;
    uint64_t blocks;
    uint64_t total_bytes;
    uint64_t total_blocks;
} wi_owners_sum;

/** Finds the label of a name, or adds it; NULL if there is no host memory. Of a path too long the end is kept, behind
 * "..."; of a name too long by itself the beginning.
 * path   NULL: none */
wi_owner *wi_owners_find(wi_owners *owners, const wi_owner_path *path, const char *name);

/* Returns where a name of this address is remembered; paths of other lengths have other places. */
static inline wi_owner_memo *wi_owners_memo_of(wi_owners *owners, const char *name,
                                               size_t path_length)
{
    const uint32_t mixed = (uint32_t)((uintptr_t)name ^ path_length) * UINT32_C(0x9e3779b1);

    return &owners->memos[mixed >> (32 - WI_OWNER_MEMO_BITS)];
}

/** 1 if a name is the whole label. Most are short: a few steps here take less than a call. */
static inline int wi_owner_is_labelled(const wi_owner *owner, const char *name)
{
    for (size_t i = 0; i < 8; i++) {
        if (owner->label[i] != name[i]) return 0;
        if (name[i] == '\0') return 1;
    }
    return strcmp(owner->label + 8, name + 8) == 0;
}

/** wi_owners_find() without a path, which is short for a name that is remembered. The text is compared, too: the same
 * buffer may hold another name now. */
static inline wi_owner *wi_owners_find_name(wi_owners *owners, const char *name)
{
    const wi_owner_memo *memo = wi_owners_memo_of(owners, name, 0);

    if (memo->name == name && name[0] != '/' && wi_owner_is_labelled(memo->owner, name))
        return memo->owner;
    return wi_owners_find(owners, NULL, name);
}

/** Writes the label of a name, WEIR_OWNER_BYTES at most. path: NULL: none. */
void wi_owner_label_join(const wi_owner_path *path, const char *name, char *out);

/** Appends a name and '/' to a path (NULL: to none). */
void wi_owner_path_join(const wi_owner_path *path, const char *name, wi_owner_path *out);

/** Reads the path that a label begins with; returns 0 if it has none. */
int wi_owner_path_of(const wi_owner *owner, wi_owner_path *out);

/** Returns 1 if the label's last part is `name`. */
int wi_owner_is_named(const char *label, const char *name);

/** Counts a block under a label, and takes it away. */
static inline void wi_owner_add(wi_owner *owner, uint64_t bytes)
{
    wi_tally_add(&owner->bytes, bytes);
    wi_tally_add(&owner->blocks, 1);
}

static inline void wi_owner_remove(wi_owner *owner, uint64_t bytes)
{
    owner->bytes.current -= bytes;
    owner->blocks.current--;
}

/** Takes a block from one label to another. */
void wi_owners_move(wi_owners *owners, wi_owner *from, wi_owner *to, uint64_t bytes);

/** Frees every label. */
void wi_owners_fini(wi_owners *owners);

/** Writes the `limit` largest owners, most bytes first (ties by label); returns how many. */
unsigned wi_owners_top(const wi_owners *owners, unsigned limit, weir_oom_owner *out);

/** Writes the `capacity` largest owners, idle ones last; returns how many labels there are. */
size_t wi_owners_list(const wi_owners *owners, weir_owner_stats *out, size_t capacity);

/** Sets the peaks to the current values. */
void wi_owners_reset_peak(wi_owners *owners);

void wi_owners_sum_up(const wi_owners *owners, wi_owners_sum *out);

#endif
