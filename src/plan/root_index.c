/* Roots in pairing heaps (Fredman, Sedgewick, Sleator and Tarjan, Algorithmica 1, 1986), linked through the roots.
 *
 * A heap takes a root in by one comparison and gives its first up in a logarithm of them, on average over all that was done
 * before. Requests change the use of roots all the time while questions are rare, so a root that changes is only listed,
 * and filed anew before the next question if it is not used as before: what a request pays is a look at is_changed. No
 * step takes memory. The arena's caller locks.
 */
#include "plan/root_index.h"

#include <assert.h>
#include <string.h>

/* Returns a number that is larger, the larger a share is: the image of a double that is not negative. */
static uint64_t share_key(const wi_arena_root *root)
{
    const double share = (double)root->used_bytes / (double)root->bytes;
    uint64_t image;

    memcpy(&image, &share, sizeof image);
    return image;
}

static int precedes(const wi_arena_root *a, const wi_arena_root *b, unsigned order)
{
    const uint64_t key = a->links[order].key;
    const uint64_t other = b->links[order].key;

    return key != other ? key < other : a->ordinal < b->ordinal;
}

/* Makes one heap of two; either may be NULL. */
static wi_arena_root *meld(wi_root_index *index, wi_arena_root *a, wi_arena_root *b, unsigned order)
{
    wi_arena_root *child;

    if (a == NULL) return b;
    if (b == NULL) return a;
    index->looks++;
    if (precedes(b, a, order)) {
        wi_arena_root *first = b;
        b = a;
        a = first;
    }
    child = a->links[order].child;
    b->links[order].prev = a;
    b->links[order].next = child;
    if (child != NULL) child->links[order].prev = b;
    a->links[order].child = b;
    return a;
}

/* Makes one heap of a root's children, in pairs and then all of the pairs. */
static wi_arena_root *meld_children(wi_root_index *index, wi_arena_root *root, unsigned order)
{
    wi_arena_root *next = root->links[order].child;
    wi_arena_root *pairs = NULL;
    wi_arena_root *all = NULL;

    while (next != NULL) {
        wi_arena_root *first = next;
        wi_arena_root *second = first->links[order].next;

        next = second != NULL ? second->links[order].next : NULL;
        first->links[order].prev = first->links[order].next = NULL;
        if (second != NULL) second->links[order].prev = second->links[order].next = NULL;
        first = meld(index, first, second, order);
        first->links[order].next = pairs;
        pairs = first;
    }
    while (pairs != NULL) {
        wi_arena_root *pair = pairs;

        pairs = pair->links[order].next;
        pair->links[order].next = NULL;
        all = meld(index, all, pair, order);
    }
    return all;
}

static void push(wi_root_index *index, wi_arena_root *root, unsigned order, unsigned heap,
                 uint64_t key)
{
    root->links[order] = (wi_root_link){.key = key};
    root->heaps[order] = (uint16_t)heap;
    index->tops[heap] = meld(index, index->tops[heap], root, order);
}

static void pull(wi_root_index *index, wi_arena_root *root, unsigned order)
{
    wi_arena_root **top = &index->tops[root->heaps[order]];
    const wi_root_link at = root->links[order];

    if (at.prev == NULL)
        *top = NULL;
    else if (at.prev->links[order].child == root)
        at.prev->links[order].child = at.next;
    else
        at.prev->links[order].next = at.next;
    if (at.next != NULL) at.next->links[order].prev = at.prev;
    *top = meld(index, *top, meld_children(index, root, order), order);
    root->heaps[order] = WI_HEAP_NONE;
}

/* Moves a root to a heap, or to none, and a key. */
static void move(wi_root_index *index, wi_arena_root *root, unsigned order, unsigned heap,
                 uint64_t key)
{
    const unsigned before = root->heaps[order];

    if (before == heap && (heap == WI_HEAP_NONE || root->links[order].key == key)) return;
    if (before != WI_HEAP_NONE) pull(index, root, order);
    if (heap != WI_HEAP_NONE) push(index, root, order, heap, key);
    if (before >= WI_HEAP_CLASSES && index->tops[before] == NULL)
        wi_class_unmark(&index->marks, wi_class_at(before - WI_HEAP_CLASSES));
    if (heap >= WI_HEAP_CLASSES) wi_class_mark(&index->marks, wi_class_at(heap - WI_HEAP_CLASSES));
}

/* The heap by use that a root belongs in. */
static unsigned heap_of(const wi_root_index *index, const wi_arena_root *root)
{
    if (root->used_bytes == 0) return WI_HEAP_UNUSED;
    return index->has_use ? WI_HEAP_CLASSES + root->size_class : WI_HEAP_NONE;
}

/* The youngest of the unused ones come first. */
static uint64_t use_key(const wi_arena_root *root)
{
    return root->used_bytes == 0 ? ~root->ordinal : root->used_bytes;
}

static void file(wi_root_index *index, wi_arena_root *root)
{
    move(index, root, WI_BY_USE, heap_of(index, root), use_key(root));
    if (index->has_use) move(index, root, WI_BY_SHARE, WI_HEAP_BY_SHARE, share_key(root));
}

static void unfile(wi_root_index *index, wi_arena_root *root)
{
    move(index, root, WI_BY_USE, WI_HEAP_NONE, 0);
    if (index->has_use) move(index, root, WI_BY_SHARE, WI_HEAP_NONE, 0);
}

static void add_to_list(wi_arena_root **list, wi_arena_root *root)
{
    root->list_prev = NULL;
    root->list_next = *list;
    if (*list != NULL) (*list)->list_prev = root;
    *list = root;
}

static void remove_from_list(wi_arena_root **list, wi_arena_root *root)
{
    if (root->list_prev != NULL)
        root->list_prev->list_next = root->list_next;
    else
        *list = root->list_next;
    if (root->list_next != NULL) root->list_next->list_prev = root->list_prev;
}

static void file_changed(wi_root_index *index)
{
    wi_arena_root *next;

    for (wi_arena_root *root = index->changed; root != NULL; root = next) {
        next = root->list_next;
        root->is_changed = 0;
        file(index, root);
    }
    index->changed = NULL;
}

size_t wi_root_index_root_bytes(const wi_root_index *index)
{
    return sizeof(wi_arena_root) + (index->has_use ? 2 : 1) * sizeof(wi_root_link);
}

void wi_root_index_add(wi_root_index *index, wi_arena_root *root)
{
    root->size_class = wi_class_number(wi_class_of(root->bytes)) & 1023;
    wi_root_index_change(index, root);
}

void wi_root_index_drop(wi_root_index *index, wi_arena_root *root)
{
    assert(!root->is_victim && !root->is_aside);
    if (root->is_changed) remove_from_list(&index->changed, root);
    unfile(index, root);
}

void wi_root_index_change(wi_root_index *index, wi_arena_root *root)
{
    add_to_list(&index->changed, root);
    root->is_changed = 1;
}

wi_arena_root *wi_root_index_find_unused(wi_root_index *index)
{
    file_changed(index);
    return index->tops[WI_HEAP_UNUSED];
}

void wi_root_index_set_aside(wi_root_index *index, wi_arena_root *root)
{
    unfile(index, root);
    add_to_list(&index->aside, root);
    root->is_aside = 1;
}

wi_arena_root *wi_root_index_take_cheapest(wi_root_index *index)
{
    wi_arena_root *root;

    file_changed(index);
    root = index->tops[WI_HEAP_BY_SHARE];
    if (root != NULL) wi_root_index_set_aside(index, root);
    return root;
}

/* Returns the first root of the search's own class that is large enough; those before it are set aside. */
static wi_arena_root *first_of_own(wi_root_index *index, wi_root_search *search)
{
    const unsigned class = wi_class_number(wi_class_of(search->bytes));
    wi_arena_root *const *top = &index->tops[WI_HEAP_CLASSES + class];

    while (*top != NULL && search->own_count < WI_OWN_ROOTS_MOST) {
        if ((*top)->bytes >= search->bytes) return *top;
        search->own_count++;
        wi_root_index_set_aside(index, *top);
    }
    return NULL;
}

wi_arena_root *wi_root_index_take_least_used(wi_root_index *index, wi_root_search *search)
{
    wi_size_class at = wi_class_of(search->bytes);
    wi_arena_root *own;
    wi_arena_root *best;

    file_changed(index);
    own = best = first_of_own(index, search);
    while (wi_class_next(&index->marks, &at)) {
        wi_arena_root *top = index->tops[WI_HEAP_CLASSES + wi_class_number(at)];

        index->looks++;
        if (best == NULL || precedes(top, best, WI_BY_USE)) best = top;
    }
    if (best == NULL) return NULL;
    if (best == own) search->own_count++;
    wi_root_index_set_aside(index, best);
    return best;
}

void wi_root_index_add_victim(wi_root_index *index, wi_arena_root *root)
{
    root->is_victim = 1;
    push(index, root, WI_BY_USE, WI_HEAP_VICTIMS, root->ordinal);
}

wi_arena_root *wi_root_index_take_victim(wi_root_index *index)
{
    wi_arena_root *root = index->tops[WI_HEAP_VICTIMS];

    if (root == NULL) return NULL;
    pull(index, root, WI_BY_USE);
    root->is_victim = 0;
    return root;
}

void wi_root_index_put_back(wi_root_index *index, wi_arena_root *root)
{
    assert(root->is_aside && !root->is_victim);
    remove_from_list(&index->aside, root);
    root->is_aside = 0;
    wi_root_index_change(index, root);
}

static const char *check_links(const wi_root_index *index, const wi_arena_root *root,
                               unsigned order, wi_root_sums *sums)
{
    const unsigned heap = root->heaps[order];
    const wi_root_link *at = &root->links[order];

    if (heap == WI_HEAP_NONE) return NULL;
    sums->linked[order]++;
    if (at->prev == NULL) {
        if (index->tops[heap] != root) return "it is not the first of its heap";
        sums->reached[order]++;
    }
    for (const wi_arena_root *child = at->child; child != NULL; child = child->links[order].next) {
        const wi_arena_root *next = child->links[order].next;

        if (child == at->child && child->links[order].prev != root)
            return "its first child leads elsewhere";
        if (next != NULL && next->links[order].prev != child) return "its children lead elsewhere";
        if (child->heaps[order] != heap) return "its child is in another heap";
        if (!precedes(root, child, order)) return "its child comes before it";
        sums->reached[order]++;
    }
    return NULL;
}

/* Returns NULL, or how a root is not filed as it should be. */
static const char *check_filing(const wi_root_index *index, const wi_arena_root *root)
{
    const unsigned heap = heap_of(index, root);

    if (root->heaps[WI_BY_USE] != heap) return "it is in the wrong heap by use";
    if (heap != WI_HEAP_NONE && root->links[WI_BY_USE].key != use_key(root))
        return "it is filed by another use";
    if (!index->has_use) return NULL;
    if (root->heaps[WI_BY_SHARE] != WI_HEAP_BY_SHARE) return "it is not filed by its share";
    if (root->links[WI_BY_SHARE].key != share_key(root)) return "it is filed by another share";
    return NULL;
}

const char *wi_root_index_check(const wi_root_index *index, const wi_arena_root *root, int has_kept,
                                wi_root_sums *sums)
{
    const unsigned orders = index->has_use ? WI_ROOT_ORDERS : 1;
    const char *fault = NULL;

    if (root->is_aside || root->is_victim || root->is_spared) return "it is being emptied";
    if (root->size_class != wi_class_number(wi_class_of(root->bytes))) return "its class is wrong";
    sums->changed += root->is_changed;
    if (!root->is_changed && !has_kept) fault = check_filing(index, root);
    for (unsigned order = 0; order < orders && fault == NULL; ++order)
        fault = check_links(index, root, order, sums);
    return fault;
}

const char *wi_root_index_check_sums(const wi_root_index *index, const wi_root_sums *sums)
{
    uint64_t changed = 0;

    for (const wi_arena_root *root = index->changed; root != NULL && changed <= sums->changed;
         root = root->list_next)
        changed++;
    if (changed != sums->changed) return "those that changed are not all listed";
    if (index->aside != NULL || index->tops[WI_HEAP_VICTIMS] != NULL) return "one is set aside";
    for (unsigned order = 0; order < WI_ROOT_ORDERS; ++order) {
        if (sums->linked[order] != sums->reached[order]) return "one is filed and not found";
    }
    for (unsigned number = 0; number < WI_CLASSES; ++number) {
        if (wi_class_is_marked(&index->marks, wi_class_at(number)) !=
            (index->tops[WI_HEAP_CLASSES + number] != NULL))
            return "a class's mark is wrong";
    }
    return NULL;
}
