/* Open addressing with linear probing; a removal moves what follows up, so that no marks of removed entries pile up over
 * millions of events. At most half of the places are taken. Memory grows with the ids that are there at one time, not
 * with those that ever were. One thread. */
#include "id_table.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 1024u

typedef struct entry {
    uint64_t id;
    size_t slot; /* ID_NO_SLOT: the place is free */
} entry;

/* Invariants: place_count is a power of two; 2 * count <= place_count; unused_count + count == slot_count;
 * an entry lies at its hash or behind it, with no free place between. */
struct id_table {
    entry *places;
    size_t place_count;
    size_t count;
    size_t *unused; /* slots to be used again, the last first; room for place_count */
    size_t unused_count;
    size_t slot_count;
};

static size_t hash_of(const id_table *table, uint64_t id)
{
    id ^= id >> 32U;
    id *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(id >> 32U) & (table->place_count - 1);
}

static size_t next_place(const id_table *table, size_t at)
{
    return (at + 1) & (table->place_count - 1);
}

/* Returns the place of an id, or the free place where it would be put. */
static size_t place_of(const id_table *table, uint64_t id)
{
    size_t at = hash_of(table, id);

    while (table->places[at].slot != ID_NO_SLOT && table->places[at].id != id)
        at = next_place(table, at);
    return at;
}

/* Makes room for `places` entries. Returns 1, or 0 with the table unchanged. */
static int resize(id_table *table, size_t places)
{
    entry *old = table->places;
    const size_t old_count = table->place_count;
    entry *made = places <= SIZE_MAX / sizeof *made ? malloc(places * sizeof *made) : NULL;
    size_t *unused = made == NULL ? NULL : realloc(table->unused, places * sizeof *unused);

    if (unused != NULL) table->unused = unused;
    if (made == NULL || unused == NULL) {
        free(made);
        return 0;
    }
    for (size_t i = 0; i < places; i++) made[i] = (entry){0, ID_NO_SLOT};
    table->places = made;
    table->place_count = places;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].slot != ID_NO_SLOT) made[place_of(table, old[i].id)] = old[i];
    }
    free(old);
    return 1;
}

id_table *id_table_create(void)
{
    id_table *table = calloc(1, sizeof *table);

    if (table != NULL && !resize(table, PLACES_FIRST)) {
        id_table_destroy(table);
        table = NULL;
    }
    return table;
}

void id_table_destroy(id_table *table)
{
    if (table == NULL) return;
    free(table->places);
    free(table->unused);
    free(table);
}

size_t id_table_find(const id_table *table, uint64_t id)
{
    return table->places[place_of(table, id)].slot;
}

size_t id_table_add(id_table *table, uint64_t id)
{
    size_t slot;

    if (2 * (table->count + 1) > table->place_count && !resize(table, 2 * table->place_count))
        return ID_NO_SLOT;
    slot = table->unused_count > 0 ? table->unused[--table->unused_count] : table->slot_count++;
    table->places[place_of(table, id)] = (entry){id, slot};
    table->count++;
    return slot;
}

void id_table_remove(id_table *table, uint64_t id)
{
    size_t hole = place_of(table, id);
    size_t at = hole;

    table->unused[table->unused_count++] = table->places[hole].slot;
    table->count--;
    for (
        ;
        ;) { /* moves the next entry that may lie here into the hole, and goes on with the hole it leaves */
        size_t home;

        at = next_place(table, at);
        if (table->places[at].slot == ID_NO_SLOT) break;
        home = hash_of(table, table->places[at].id);
        if (((at - home) & (table->place_count - 1)) < ((at - hole) & (table->place_count - 1)))
            continue;
        table->places[hole] = table->places[at];
        hole = at;
    }
    table->places[hole].slot = ID_NO_SLOT;
}

size_t id_table_slots(const id_table *table) { return table->slot_count; }
