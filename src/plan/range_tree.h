/* An ordered set of free ranges: by size, then by age of the root, then by offset. */
#ifndef WI_PLAN_RANGE_TREE_H
#define WI_PLAN_RANGE_TREE_H

#include "plan/range.h"

/* A search tree through the ranges' own links.
 * Invariants: left subtree < node < right subtree in the order above; a parent's priority >= its children's. */
typedef struct wi_range_tree {
    wi_range *top; /* NULL: empty */
} wi_range_tree;

/** Returns 1 if a comes before b in the set's order. */
int wi_range_precedes(const wi_range *a, const wi_range *b);

/** Adds a range that is in no tree. */
void wi_range_tree_insert(wi_range_tree *tree, wi_range *range);

/** Removes a range that is in this tree; its size, root and offset are still those it was added with. */
void wi_range_tree_remove(wi_range_tree *tree, wi_range *range);

/** Returns the first range of at least `bytes`, NULL if there is none. */
wi_range *wi_range_tree_find(const wi_range_tree *tree, uint64_t bytes);

/** Returns the first range after `range`, which need not be in the tree; NULL: the first of all. */
wi_range *wi_range_tree_after(const wi_range_tree *tree, const wi_range *range);

/** Returns the last range, a largest one; NULL if the tree is empty. */
wi_range *wi_range_tree_last(const wi_range_tree *tree);

/** Returns NULL, or what is wrong with the links around a range of the tree. */
const char *wi_range_tree_check(const wi_range_tree *tree, const wi_range *range);

#endif
