/* What a tensor is made of; for the files of this room that share it. */
#ifndef WI_TENSOR_TENSOR_STATE_H
#define WI_TENSOR_TENSOR_STATE_H

#include "tensor/trace.h"

#include <weir/pool.h>

#include <pthread.h>
#include <stdatomic.h>

/* Invariants: recorder == NULL <=> node == NULL; is_adopted: the node owns the tensor, not the tensor the node. */
typedef struct wi_trace {
    const void *recorder;
    void *node;
    wi_trace_drop *drop;
    const wi_trace_keeper *keeper; /* NULL: the node never takes the tensor over */
    int is_adopted;
    struct wi_trace *next;
} wi_trace;

typedef enum wi_tensor_kind {
    WI_TENSOR_DENSE = 0, /* row-major in block from offset on */
    WI_TENSOR_VIEW,      /* in block where offset and strides say */
    WI_TENSOR_DRAW,      /* nowhere yet */
    WI_TENSOR_SYMBOL     /* nowhere ever */
} wi_tensor_kind;

/* Invariants: owners >= 1 while it is held; keeps <= owners; bytes == count * size of dtype; count == 0 or kind DRAW or SYMBOL:
 * block == NULL; else block != NULL. kind changes once at most, from DRAW or VIEW to DENSE, under the lock, with
 * block, offset and strides; a DENSE tensor's never change. The first trace is inside, others are allocated. */
struct weir_tensor {
    _Atomic uint64_t owners;
    _Atomic uint64_t keeps; /* those owners that are recorders */
    weir_context *context;
    weir_dtype dtype;
    weir_shape shape;
    uint64_t count;
    uint64_t bytes;
    pthread_mutex_t lock; /* all below but kind, which is read without it */
    _Atomic int kind;
    _Atomic(weir_block *) block;
    int64_t offset; /* elements from the start of block */
    int64_t strides[WEIR_RANK_MAX];
    wi_draw draw;
    unsigned draw_reads;
    wi_write *write;
    const char *owner; /* label of the block that write fills */
    wi_trace trace;
};

/** Takes the lock of a view, so that its block stays while it is read; returns 0, without the lock, for a tensor that gives
 * up no block before its end. */
static inline int wi_tensor_lock_view(weir_tensor *tensor)
{
    if (atomic_load_explicit(&tensor->kind, memory_order_acquire) != WI_TENSOR_VIEW) return 0;
    (void)pthread_mutex_lock(&tensor->lock);
    return 1;
}

/** Drops every trace. No other thread has the tensor. */
void wi_trace_fini(weir_tensor *tensor);

/** Offers a tensor without owners to its nodes; 1 if one took it. The tensor may be gone then. */
int wi_trace_adopt(weir_tensor *tensor);

/** 1 if a node needs the tensor's value, whoever holds the tensor. */
int wi_trace_is_wanted(const weir_tensor *tensor);

/** Labels the block as the tape's if all owners but `leaving` are recorders. The caller is an owner. */
void wi_tensor_label_kept(weir_tensor *tensor, uint64_t leaving);

#endif
