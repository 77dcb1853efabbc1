/* Slots for nodes: small chunks of equal slots, one list of chunks for each size.
 *
 * A tape of a million calls has a million nodes of two or three sizes. A general allocator's head would make each an
 * eighth larger, and a table of all nodes again an eighth; in chunks a node costs what it is, and going through the
 * chunks finds every node. Chunks with a free slot stand first in their list. A chunk that empties is freed unless it
 * is the only one of its list with room, because a loop that drops each step's node takes and gives one slot for ever.
 */
#include "graph/node.h"

#include "base/memory.h"

#include <string.h>

#define WORD sizeof(void *)

_Static_assert(sizeof(wi_node) % WORD == 0 && sizeof(wi_chunk) % WORD == 0, "slots are aligned");
_Static_assert(WORD > 8 || sizeof(wi_node) + 2 * WORD <= 56, "a node of two inputs");

static size_t slot_words(const wi_chunk *chunk) { return sizeof(wi_node) / WORD + chunk->words; }

static wi_node *node_at(const wi_chunk *chunk, unsigned slot)
{
    const size_t place = sizeof(wi_chunk) / WORD + slot * slot_words(chunk);
    return (wi_node *)((uintptr_t)chunk + place * WORD);
}

static wi_chunk *chunk_of(const wi_node *node)
{
    return (wi_chunk *)((uintptr_t)node - node->place * WORD);
}

static unsigned slot_of(const wi_chunk *chunk, const wi_node *node)
{
    return (unsigned)((node->place - sizeof(wi_chunk) / WORD) / slot_words(chunk));
}

static int has_room(const wi_chunk *chunk)
{
    return chunk->first_free != chunk->count || chunk->fresh != chunk->count;
}

static void unlink_chunk(wi_graph *graph, wi_chunk *chunk)
{
    if (chunk->previous != NULL)
        chunk->previous->next = chunk->next;
    else
        graph->first[chunk->words] = chunk->next;
    if (chunk->next != NULL)
        chunk->next->previous = chunk->previous;
    else
        graph->last[chunk->words] = chunk->previous;
    chunk->previous = NULL;
    chunk->next = NULL;
}

static void link_first(wi_graph *graph, wi_chunk *chunk)
{
    chunk->next = graph->first[chunk->words];
    if (chunk->next != NULL)
        chunk->next->previous = chunk;
    else
        graph->last[chunk->words] = chunk;
    graph->first[chunk->words] = chunk;
}

static void link_last(wi_graph *graph, wi_chunk *chunk)
{
    chunk->previous = graph->last[chunk->words];
    if (chunk->previous != NULL)
        chunk->previous->next = chunk;
    else
        graph->first[chunk->words] = chunk;
    graph->last[chunk->words] = chunk;
}

static wi_chunk *add_chunk(wi_graph *graph, unsigned words)
{
    wi_chunk *chunk = wi_malloc(WI_CHUNK_BYTES);

    if (chunk == NULL) return NULL;
    memset(chunk, 0, sizeof *chunk);
    chunk->graph = graph;
    chunk->words = (uint16_t)words;
    chunk->count = (uint16_t)((WI_CHUNK_BYTES - sizeof *chunk) / WORD / slot_words(chunk));
    chunk->first_free = chunk->count;
    link_first(graph, chunk);
    graph->host_bytes += WI_CHUNK_BYTES;
    return chunk;
}

wi_node *wi_node_take(wi_graph *graph, unsigned words)
{
    wi_chunk *chunk = graph->first[words];
    wi_node *node = NULL;
    unsigned slot;

    if (chunk == NULL || !has_room(chunk)) chunk = add_chunk(graph, words);
    if (chunk == NULL) return NULL;
    if (chunk->first_free != chunk->count) {
        slot = chunk->first_free;
        node = node_at(chunk, slot);
        chunk->first_free = node->owners;
    } else {
        slot = chunk->fresh++;
        node = node_at(chunk, slot);
    }
    memset(node, 0, slot_words(chunk) * WORD);
    node->owners = 1;
    node->place = (uint16_t)(((uintptr_t)node - (uintptr_t)chunk) / WORD);
    node->flags = WI_NODE_LIVE;
    chunk->used++;
    if (!has_room(chunk)) {
        unlink_chunk(graph, chunk);
        link_last(graph, chunk);
    }
    return node;
}

void wi_node_give(wi_graph *graph, wi_node *node)
{
    wi_chunk *chunk = chunk_of(node);
    const int was_full = !has_room(chunk);
    const wi_chunk *other = NULL;

    node->flags = 0;
    node->owners = chunk->first_free;
    chunk->first_free = slot_of(chunk, node);
    chunk->used--;
    if (was_full) {
        unlink_chunk(graph, chunk);
        link_first(graph, chunk);
    }
    other = graph->first[chunk->words] == chunk ? chunk->next : graph->first[chunk->words];
    if (chunk->used == 0 && (graph->is_closed || (other != NULL && has_room(other)))) {
        unlink_chunk(graph, chunk);
        wi_free(chunk);
        graph->host_bytes -= WI_CHUNK_BYTES;
    }
}

wi_graph *wi_node_graph(const wi_node *node) { return chunk_of(node)->graph; }

void wi_graph_free_spare(wi_graph *graph)
{
    for (unsigned words = 0; words <= WI_NODE_WORDS_MAX; words++) {
        wi_chunk *chunk = graph->first[words];
        while (chunk != NULL) {
            wi_chunk *next = chunk->next;
            if (chunk->used == 0) {
                unlink_chunk(graph, chunk);
                wi_free(chunk);
                graph->host_bytes -= WI_CHUNK_BYTES;
            }
            chunk = next;
        }
    }
}

/* The first node from a slot of a chunk on that is not dead, then in later chunks and sizes. */
static wi_node *scan(const wi_graph *graph, const wi_chunk *chunk, unsigned words, unsigned slot)
{
    for (;;) {
        for (; chunk != NULL; chunk = chunk->next, slot = 0) {
            for (; slot < chunk->fresh; slot++) {
                wi_node *node = node_at(chunk, slot);
                if ((node->flags & (WI_NODE_LIVE | WI_NODE_DEAD)) == WI_NODE_LIVE) return node;
            }
        }
        if (words++ == WI_NODE_WORDS_MAX) return NULL;
        chunk = graph->first[words];
    }
}

wi_node *wi_graph_next(const wi_graph *graph, const wi_node *at)
{
    const wi_chunk *chunk = at == NULL ? graph->first[0] : chunk_of(at);

    if (at == NULL) return scan(graph, chunk, 0, 0);
    return scan(graph, chunk, chunk->words, slot_of(chunk, at) + 1);
}

static int is_chunk_sound(const wi_chunk *chunk)
{
    unsigned live = 0;
    unsigned chained = 0;
    uint32_t slot = chunk->first_free;

    for (unsigned i = 0; i < chunk->fresh; i++) {
        live += (node_at(chunk, i)->flags & WI_NODE_LIVE) != 0;
    }
    for (; slot < chunk->fresh && chained <= chunk->count; chained++) {
        slot = node_at(chunk, slot)->owners;
    }
    return live == chunk->used && slot == chunk->count && live + chained == chunk->fresh;
}

uint64_t wi_graph_count_slots(const wi_graph *graph)
{
    uint64_t used = 0;

    for (unsigned words = 0; words <= WI_NODE_WORDS_MAX; words++) {
        for (const wi_chunk *chunk = graph->first[words]; chunk != NULL; chunk = chunk->next) {
            if (chunk->words != words || !is_chunk_sound(chunk)) return UINT64_MAX;
            used += chunk->used;
        }
    }
    return used;
}
