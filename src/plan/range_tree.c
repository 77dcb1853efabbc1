/* Ordered set of free ranges as a treap.
 *
 * Every operation walks one path whose expected length is logarithmic, whatever the order of insertions, as the
 * priorities are random. Splitting and joining by pointers to links needs neither parents nor rotations nor recursion,
 * and the set's order alone decides what is found: the tree's shape never shows. The caller locks.
 */
#include "plan/range_tree.h"

int wi_range_precedes(const wi_range *a, const wi_range *b)
{
    if (a->bytes != b->bytes) return a->bytes < b->bytes;
    if (a->root != b->root) return a->root->ordinal < b->root->ordinal;
    return a->offset_bytes < b->offset_bytes;
}

void wi_range_tree_insert(wi_range_tree *tree, wi_range *range)
{
    wi_range **link = &tree->top;
    wi_range **before = &range->left;
    wi_range **after = &range->right;
    wi_range *rest;

    while (*link != NULL && (*link)->priority >= range->priority)
        link = wi_range_precedes(*link, range) ? &(*link)->right : &(*link)->left;
    rest = *link;
    *link = range;
    while (rest != NULL) { /* deals what stood here out to both sides of the new node */
        if (wi_range_precedes(rest, range)) {
            *before = rest;
            before = &rest->right;
            rest = rest->right;
        } else {
            *after = rest;
            after = &rest->left;
            rest = rest->left;
        }
    }
    *before = NULL;
    *after = NULL;
}

void wi_range_tree_remove(wi_range_tree *tree, wi_range *range)
{
    wi_range **link = &tree->top;
    wi_range *before = range->left;
    wi_range *after = range->right;

    while (*link != range)
        link = wi_range_precedes(*link, range) ? &(*link)->right : &(*link)->left;
    while (before != NULL && after != NULL) {
        if (before->priority >= after->priority) {
            *link = before;
            link = &before->right;
            before = before->right;
        } else {
            *link = after;
            link = &after->left;
            after = after->left;
        }
    }
    *link = before != NULL ? before : after;
}

wi_range *wi_range_tree_find(const wi_range_tree *tree, uint64_t bytes)
{
    wi_range *found = NULL;
    wi_range *node = tree->top;

    while (node != NULL) {
        if (node->bytes >= bytes) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}

wi_range *wi_range_tree_after(const wi_range_tree *tree, const wi_range *range)
{
    wi_range *found = NULL;
    wi_range *node = tree->top;

    while (node != NULL) {
        if (range == NULL || wi_range_precedes(range, node)) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}

wi_range *wi_range_tree_last(const wi_range_tree *tree)
{
    wi_range *node = tree->top;

    while (node != NULL && node->right != NULL) node = node->right;
    return node;
}

const char *wi_range_tree_check(const wi_range_tree *tree, const wi_range *range)
{
    const wi_range *left = range->left;
    const wi_range *right = range->right;

    if (wi_range_tree_find(tree, range->bytes) == NULL) return "it is not in its tree";
    if (left != NULL && (left->priority > range->priority || !wi_range_precedes(left, range)))
        return "its left child is out of order";
    if (right != NULL && (right->priority > range->priority || !wi_range_precedes(range, right)))
        return "its right child is out of order";
    return NULL;
}
