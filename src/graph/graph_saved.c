/* What a graph keeps: counted when asked, by going through the nodes.
 *
 * A count kept along the way would be wrong: a draw that is saved has no block until somebody reads it, and a view may
 * get one of its own. Blocks that several values share count once, which takes a set of the blocks for the time of the
 * question.
 */
#include "base/memory.h"
#include "graph/node.h"
#include "mem/oom.h"

#include <inttypes.h>
#include <string.h>

/* Open addressing; NULL: free. Invariants: capacity is a power of two above the number of values, or 0. */
typedef struct block_set {
    const weir_block **slots;
    size_t capacity;
} block_set;

/* One operation in the table. */
typedef struct op_row {
    const wi_op *op;
    uint64_t calls;
    uint64_t bytes;
    unsigned saved; /* WI_NEEDS_... of any of them */
} op_row;

/* The values that a node has saved; returns how many. */
static unsigned list_saved(const wi_node *node, weir_tensor *out[3])
{
    const unsigned saved = atomic_load_explicit(&node->saved, memory_order_relaxed);
    weir_tensor **kept = wi_node_kept((wi_node *)(uintptr_t)node);
    unsigned count = 0;

    if ((saved & WI_NEEDS_A) != 0) out[count++] = *kept++;
    if ((saved & WI_NEEDS_B) != 0) out[count++] = *kept;
    if ((saved & WI_NEEDS_Y) != 0 && node->result != NULL) out[count++] = node->result;
    return count;
}

/* Makes the set large enough for all values of the graph; without memory it stays empty. */
static void make_set(const wi_graph *graph, block_set *set)
{
    weir_tensor *values[3];
    size_t count = 0;
    size_t capacity = 16;

    *set = (block_set){0};
    for (const wi_node *node = wi_graph_next(graph, NULL); node != NULL;
         node = wi_graph_next(graph, node)) {
        count += list_saved(node, values);
    }
    while (capacity / 2 < count) capacity *= 2;
    set->slots = wi_calloc(capacity, sizeof(const weir_block *));
    if (set->slots != NULL) set->capacity = capacity;
}

/* 1 if the block is new, or if there is no set. */
static int add_block(block_set *set, const weir_block *block)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15)) >> 20);

    if (set->capacity == 0) return 1;
    for (;; at++) {
        const weir_block **slot = &set->slots[at & (set->capacity - 1)];
        if (*slot == block) return 0;
        if (*slot != NULL) continue;
        *slot = block;
        return 1;
    }
}

/* Bytes of the blocks of a node's values that are new to the set. A tensor that its node only knows may be about to go,
 * but not before it has asked for the graph's lock. */
static uint64_t count_node(const wi_node *node, block_set *set)
{
    weir_tensor *values[3];
    const unsigned count = list_saved(node, values);
    uint64_t bytes = 0;

    for (unsigned i = 0; i < count; i++) {
        uint64_t block_bytes = 0;
        const weir_block *block = wi_tensor_get_storage(values[i], &block_bytes);

        if (block != NULL && add_block(set, block)) bytes += block_bytes;
    }
    return bytes;
}

uint64_t wi_graph_get_saved_bytes(wi_graph *graph)
{
    block_set set;
    uint64_t bytes = 0;

    (void)pthread_mutex_lock(&graph->lock);
    make_set(graph, &set);
    for (const wi_node *node = wi_graph_next(graph, NULL); node != NULL;
         node = wi_graph_next(graph, node)) {
        bytes += count_node(node, &set);
    }
    (void)pthread_mutex_unlock(&graph->lock);
    wi_free(set.slots);
    return bytes;
}

/* The row of an operation, added if need be; NULL without host memory. */
static op_row *find_row(op_row **rows, size_t *count, const wi_op *op)
{
    op_row *grown = NULL;

    for (size_t i = 0; i < *count; i++) {
        if ((*rows)[i].op == op) return &(*rows)[i];
    }
    grown = wi_realloc(*rows, (*count + 1) * sizeof **rows);
    if (grown == NULL) return NULL;
    *rows = grown;
    grown[*count] = (op_row){.op = op};
    return &grown[(*count)++];
}

/* Most bytes first, then most calls. */
static int is_before(const op_row *a, const op_row *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->calls > b->calls;
}

static void sort_rows(op_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const op_row row = rows[i];
        size_t at = i;

        for (; at > 0 && is_before(&row, &rows[at - 1]); at--) rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

static const char *kept_text(unsigned saved)
{
    const int has_inputs = (saved & (WI_NEEDS_A | WI_NEEDS_B)) != 0;

    if ((saved & WI_NEEDS_Y) == 0) return has_inputs ? "inputs" : "nothing";
    return has_inputs ? "inputs and results" : "results";
}

void wi_graph_write_table(wi_graph *graph, weir_text *text)
{
    block_set set;
    op_row *rows = NULL;
    size_t count = 0;
    char bytes[32];

    (void)pthread_mutex_lock(&graph->lock);
    make_set(graph, &set);
    for (const wi_node *node = wi_graph_next(graph, NULL); node != NULL;
         node = wi_graph_next(graph, node)) {
        op_row *row = node->op == NULL ? NULL : find_row(&rows, &count, node->op);

        if (row == NULL) continue;
        row->calls++;
        row->bytes += count_node(node, &set);
        row->saved |= atomic_load_explicit(&node->saved, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&graph->lock);
    wi_free(set.slots);
    if (count == 0) return;
    sort_rows(rows, count);
    weir_text_append(text, "%-20s %10s %12s  %s\n", "operation", "records", "kept", "what");
    for (size_t i = 0; i < count; i++) {
        weir_text_append(text, "%-20s %10" PRIu64 " %12s  %s\n", rows[i].op->name, rows[i].calls,
                         wi_oom_format_bytes(rows[i].bytes, bytes, sizeof bytes),
                         kept_text(rows[i].saved));
    }
    wi_free(rows);
}

/* Counts entries among producers that lead to a node of the graph; they must not exceed the node's owners. */
static int are_edges_sound(const wi_graph *graph, weir_text *why)
{
    for (wi_node *node = wi_graph_next(graph, NULL); node != NULL;
         node = wi_graph_next(graph, node)) {
        wi_node **producers = wi_node_producers(node);

        for (unsigned i = 0; i < wi_node_inputs(node); i++) {
            if (producers[i] == NULL) continue;
            if ((producers[i]->flags & (WI_NODE_LIVE | WI_NODE_DEAD)) != WI_NODE_LIVE ||
                producers[i]->owners == 0 || producers[i]->serial >= node->serial) {
                weir_text_append(why, "a producer of node %" PRIu64 " is freed or later\n",
                                 node->serial);
                return 0;
            }
        }
    }
    return 1;
}

int wi_graph_check(wi_graph *graph, weir_text *why)
{
    uint64_t used = 0;
    int is_sound = 1;

    (void)pthread_mutex_lock(&graph->lock);
    used = wi_graph_count_slots(graph);
    if (used != graph->calls + graph->sources) {
        weir_text_append(why, "%" PRIu64 " slots for %" PRIu64 " calls and %" PRIu64 " sources\n",
                         used, graph->calls, graph->sources);
        is_sound = 0;
    }
    if (is_sound) is_sound = are_edges_sound(graph, why);
    (void)pthread_mutex_unlock(&graph->lock);
    return is_sound;
}
