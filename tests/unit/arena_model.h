/* A naive arena for every row: sorted arrays, linear searches, the rules written out. */
#ifndef WT_ARENA_MODEL_H
#define WT_ARENA_MODEL_H

#include "fake_roots.h"

#define MODEL_ROOTS 512
#define MODEL_PIECES 512 /* in one root */

typedef enum model_kind {
    MODEL_PREALLOC,
    MODEL_GROWTH,
    MODEL_ONDEMAND,
    MODEL_DIRECT,
    MODEL_ADAPTIVE
} model_kind;

typedef struct model_piece {
    uint64_t offset, bytes, requested; /* requested 0: free */
    uint64_t stamp;                    /* adaptive: larger, the later it became free as it is */
    void *holder;                      /* a fake_block */
    int is_planned;                    /* compaction has looked at it */
} model_piece;

typedef struct model_root {
    void *token;
    uint64_t bytes;
    int is_small, is_alone;   /* ondemand, adaptive: for which blocks it was taken */
    int is_victim, is_spared; /* being emptied; not to be */
    int is_passed;            /* while victims are chosen: looked at already */
    size_t count;
    model_piece pieces[MODEL_PIECES]; /* by offset, nothing between them */
} model_root;

typedef struct arena_model {
    model_kind kind;
    uint64_t unit, max_root, total;
    int has_limit;
    fake_roots *source;
    uint64_t next;       /* growth: size of the next root, 0: not begun */
    uint64_t limit;      /* prealloc: settled with the first root */
    int is_cut, refused; /* prealloc: a root was refused; last growth met a refusal */
    int met_pinned;      /* adaptive: a root was passed over for this request */
    uint64_t clock;      /* the last stamp */
    uint64_t most_now, most_before, requests; /* adaptive: of this stretch, and the one before */
    int moves;                                /* 1: blocks can be moved */
    uint64_t trades, steps, allocated, moved, compactions; /* adaptive */
    model_root
        *kept; /* adaptive: root of the piece freed last, which is not joined yet; NULL: none */
    uint64_t kept_offset;
    uint64_t acquired, released;
    size_t count;
    model_root *roots[MODEL_ROOTS]; /* oldest first */
} arena_model;

void arena_model_init(arena_model *model, model_kind kind, const wi_arena_options *options,
                      fake_roots *source);
void arena_model_fini(arena_model *model);
/* block   told where it is, also when it is moved later */
weir_status arena_model_alloc(arena_model *model, uint64_t bytes, fake_block *block,
                              weir_oom_cause *cause);
void arena_model_free(arena_model *model, const fake_block *block);
void arena_model_trim(arena_model *model, uint64_t keep_bytes);
void arena_model_get_stats(const arena_model *model, wi_arena_stats *out);

#endif
