/* The pools of one device, which hold roots under one limit: a pool that finds none left asks the others.
 *
 * Thread: safe. Order of locks: the list's, then a pool's; nobody who holds a pool's lock joins, leaves or asks.
 */
#ifndef WI_DEVICE_LENDERS_H
#define WI_DEVICE_LENDERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* One pool. The members are set by the pool, which keeps it alive from joining to leaving. */
typedef struct wi_lender {
    /* Gives wholly free roots back to the driver until `bytes` went or none is left; returns how much went. */
    uint64_t (*lend)(void *user, uint64_t bytes);
    void *user;
    struct wi_lender *next;
} wi_lender;

/* Invariant: count == entries from first on. */
typedef struct wi_lenders {
    pthread_mutex_t lock;
    wi_lender *first;
    _Atomic uint64_t count;
} wi_lenders;

/** Returns 1, or 0 with nothing to undo. */
int wi_lenders_init(wi_lenders *lenders);

/** Everybody has left. */
void wi_lenders_fini(wi_lenders *lenders);

void wi_lenders_join(wi_lenders *lenders, wi_lender *lender);

/** Returns when nobody is asking `lender` any more. One that has not joined is allowed. */
void wi_lenders_leave(wi_lenders *lenders, wi_lender *lender);

/** Asks everybody but `asker` (may be NULL) for `bytes`, until so much was given; returns how much was.
 * Order: may wait for commands that use roots which are given back. */
uint64_t wi_lenders_ask(wi_lenders *lenders, const wi_lender *asker, uint64_t bytes);

#endif
