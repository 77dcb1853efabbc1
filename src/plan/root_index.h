/* An arena's roots in the orders in which they are given back and emptied, so that nobody looks at all of them. */
#ifndef WI_PLAN_ROOT_INDEX_H
#define WI_PLAN_ROOT_INDEX_H

#include "plan/range.h"
#include "plan/size_class.h"

/* Numbers of heaps. A root is in one of those by use, or none, and by share where that is kept. */
enum {
    WI_HEAP_NONE,
    WI_HEAP_BY_SHARE,
    WI_HEAP_UNUSED,  /* wholly free ones, the youngest first */
    WI_HEAP_VICTIMS, /* of a pass, which are aside, by age */
    WI_HEAP_CLASSES, /* and on: those in use by used_bytes, a heap for each class of root->bytes */
    WI_HEAPS = WI_HEAP_CLASSES + WI_CLASSES
};

/* A root comes before its children in a heap by key, then by ordinal; the top is the first of all.
 * Invariants (wi_root_index_check), between calls of the arena:
 *   changed == the roots with is_changed: they are filed as they were used before, or not at all
 *   the others, the range freed last taken as in use, are in the heap by share and in the one by use that is theirs;
 *   without has_use only the wholly free ones are, in that by use
 *   marks == which of the heaps of classes are not empty
 *   aside is empty, and so is the heap of victims */
typedef struct wi_root_index {
    int has_use; /* 1: roots are found by what is in use; 0: only wholly free ones are */
    wi_arena_root *changed;
    wi_arena_root *aside; /* taken by a question: in no heap until they are put back */
    wi_class_marks marks;
    wi_arena_root *tops[WI_HEAPS];
    uint64_t looks; /* comparisons of roots, ever: for tests */
} wi_root_index;

/* A search for roots of at least `bytes`, those of which the least is in use first. */
typedef struct wi_root_search {
    uint64_t bytes;
    unsigned own_count; /* roots of the own class that were looked at */
} wi_root_search;

#define WI_OWN_ROOTS_MOST 32u /* and no more of them, as some are too small */

/** Returns what a root takes in host memory: links as far as they are needed. */
size_t wi_root_index_root_bytes(const wi_root_index *index);

/** Adds a root that was taken. */
void wi_root_index_add(wi_root_index *index, wi_arena_root *root);

/** Takes a root out that is about to go back; it is no victim. */
void wi_root_index_drop(wi_root_index *index, wi_arena_root *root);

/** Says that the use of a root that is neither changed nor aside changes. */
void wi_root_index_change(wi_root_index *index, wi_arena_root *root);

/** Returns the youngest root that is wholly free, which stays where it is; NULL if there is none. */
wi_arena_root *wi_root_index_find_unused(wi_root_index *index);

/** Sets the root aside of which the least share is in use, the oldest of several; returns it, NULL if there is none. */
wi_arena_root *wi_root_index_take_cheapest(wi_root_index *index);

/** Sets the next root of a search aside: that of which the least is in use but something, the oldest of several. Returns
 * it, NULL if there is none. */
wi_arena_root *wi_root_index_take_least_used(wi_root_index *index, wi_root_search *search);

/** Sets a root aside that is not changed. */
void wi_root_index_set_aside(wi_root_index *index, wi_arena_root *root);

/** Makes a root that is aside a victim. */
void wi_root_index_add_victim(wi_root_index *index, wi_arena_root *root);

/** Returns the oldest victim, which is none any more and stays aside; NULL if there is none. */
wi_arena_root *wi_root_index_take_victim(wi_root_index *index);

/** Returns the next of the roots that are aside, from index->aside on; NULL at the end. */
static inline wi_arena_root *wi_root_index_next_aside(const wi_arena_root *root)
{
    return root->list_next;
}

/** Puts a root that is aside back. */
void wi_root_index_put_back(wi_root_index *index, wi_arena_root *root);

/* What the links of the roots that were checked add up to. */
typedef struct wi_root_sums {
    uint64_t changed;
    uint64_t linked[WI_ROOT_ORDERS], reached[WI_ROOT_ORDERS];
} wi_root_sums;

/** Returns NULL, or what is wrong around a root; adds to the sums.
 * has_kept   1: the range freed last is in it, whose change is said when it is joined */
const char *wi_root_index_check(const wi_root_index *index, const wi_arena_root *root, int has_kept,
                                wi_root_sums *sums);

/** Returns NULL, or what is wrong with the whole, when all roots were checked. */
const char *wi_root_index_check_sums(const wi_root_index *index, const wi_root_sums *sums);

#endif
