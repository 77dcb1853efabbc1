/* What the files of the naive arena share. */
#ifndef WT_ARENA_MODEL_PARTS_H
#define WT_ARENA_MODEL_PARTS_H

#include "arena_model.h"

#include <criterion/criterion.h>

typedef struct place {
    size_t root, piece;
} place;

/* What compaction is for and what it may cost. */
typedef struct model_wish {
    uint64_t bytes, room, move_most;
    unsigned tries, pinned; /* passes that fail; roots that are passed over */
} model_wish;

/* arena_model.c */
uint64_t model_reserved(const arena_model *model);
uint64_t model_in_use(const arena_model *model);
uint64_t model_unused_bytes(const arena_model *model);
uint64_t model_remaining(const arena_model *model);
int model_is_unused(const model_root *root);
int model_take(arena_model *model, uint64_t bytes);
int model_take_for(arena_model *model, uint64_t root, uint64_t bytes, int is_alone);
void model_drop(arena_model *model, size_t r);
void model_return_down_to(arena_model *model, uint64_t keep_bytes);
int model_search(const arena_model *model, uint64_t bytes, place *out);
void model_carve(arena_model *model, place at, uint64_t bytes, uint64_t requested, void *holder);
void model_uncarve(arena_model *model, model_root *root, uint64_t offset);

/* arena_model_good.c */
unsigned model_class_of(uint64_t bytes);
int model_search_good(const arena_model *model, uint64_t bytes, place *out);
int model_search_any(const arena_model *model, uint64_t bytes, place *out);
int model_grow_to_need(arena_model *model, uint64_t bytes);
void model_root_emptied(arena_model *model);
void model_settle(arena_model *model);

/* arena_model_compact.c */
int model_compact(arena_model *model, const model_wish *wish);
int model_gain(arena_model *model);
int model_compact_for(arena_model *model, uint64_t bytes);
int model_is_pinned(arena_model *model, uint64_t bytes);

#endif
