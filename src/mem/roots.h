/* Roots: the buffers a pool takes from the driver and gives back.
 *
 * A root that is given back is held until every command enqueued so far has completed: drivers differ in what a
 * released buffer with queued commands means, and its bytes are still taken. Until then it counts as reserved.
 *
 * Thread: the pool's lock.
 */
#ifndef WI_MEM_ROOTS_H
#define WI_MEM_ROOTS_H

#include "device/device.h"
#include "mem/queues.h"
#include "plan/arena.h"

#include <weir/pool.h>

#include <stdint.h>

/* Invariants: is_foreign: bytes == 0, nothing else counts it. */
typedef struct wi_root {
    cl_mem buffer;
    uint64_t bytes;
    int is_foreign;  /* the program's; a reference to it is held like a root of the pool's */
    uint64_t serial; /* from 1, unique within the pool */
    uint64_t sequences[WEIR_QUEUES_MAX]; /* each queue's last command when it was given back */
    struct wi_root *next;
} wi_root;

/* Invariants: reserved.current == bytes of all roots, those given back and not released included;
 * reserved.count == driver_allocs; the list first..last ascends in each of the sequences. */
typedef struct wi_roots {
    weir_pool *pool; /* whose roots they are */
    cl_context context;
    wi_queues *queues;     /* whose commands use the roots */
    wi_queue *touch_queue; /* new roots are touched here, so that this does not wait for work */
    wi_budget *budget;
    wi_root *first; /* given back, waiting for their commands */
    wi_root *last;
    uint64_t next_serial;
    weir_counter reserved;
    uint64_t driver_allocs;
    uint64_t driver_frees;
} wi_roots;

/** The root source of an arena over these roots. */
wi_root_source wi_roots_source(wi_roots *roots);

/** Makes a root of a buffer of the program, of which a reference is taken. Errors: HOST_MEMORY, DRIVER. */
weir_status wi_roots_take_foreign(wi_roots *roots, cl_mem buffer, wi_root **out);

/** Gives such a root back. */
void wi_roots_give_back(wi_roots *roots, wi_root *root);

/** Releases given-back roots whose commands have completed. */
void wi_roots_reap(wi_roots *roots);

/** Waits for the commands of given-back roots and releases them; returns 1 if there were any. */
int wi_roots_drain(wi_roots *roots);

/** Releases the roots given back when no queue had more than these commands, all of which were waited for; returns their
 * bytes. */
uint64_t wi_roots_forget_past(wi_roots *roots, const uint64_t sequences[WEIR_QUEUES_MAX]);

#endif
