/* Numbers that name things, mapped to slots that are small and used again. */
#ifndef WEIR_TOOLS_ID_TABLE_H
#define WEIR_TOOLS_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define ID_NO_SLOT SIZE_MAX

typedef struct id_table id_table;

/** Makes an empty table. NULL for want of host memory. */
id_table *id_table_create(void);

/** Frees a table. NULL is allowed. */
void id_table_destroy(id_table *table);

/** Returns the slot of an id, ID_NO_SLOT if it has none. */
size_t id_table_find(const id_table *table, uint64_t id);

/** Gives an id that has none a slot: the one freed last, else the next. Returns ID_NO_SLOT for want of host memory. */
size_t id_table_add(id_table *table, uint64_t id);

/** Takes an id's slot away; it must have one. */
void id_table_remove(id_table *table, uint64_t id);

/** Returns how many slots were ever in use at one time; all are below it. */
size_t id_table_slots(const id_table *table);

#endif
