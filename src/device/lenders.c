/* A list under a lock that is held while others are asked, so that none of them goes away meanwhile.
 *
 * Two pools may ask each other at the same time: an asker holds no pool's lock, so the second waits for the list and
 * then for a pool that is not waiting for it. The count answers the usual case, a pool by itself, without the lock.
 */
#include "device/lenders.h"

#include <stddef.h>

int wi_lenders_init(wi_lenders *lenders)
{
    lenders->first = NULL;
    atomic_init(&lenders->count, 0);
    return pthread_mutex_init(&lenders->lock, NULL) == 0;
}

void wi_lenders_fini(wi_lenders *lenders) { (void)pthread_mutex_destroy(&lenders->lock); }

void wi_lenders_join(wi_lenders *lenders, wi_lender *lender)
{
    (void)pthread_mutex_lock(&lenders->lock);
    lender->next = lenders->first;
    lenders->first = lender;
    atomic_fetch_add(&lenders->count, 1);
    (void)pthread_mutex_unlock(&lenders->lock);
}

void wi_lenders_leave(wi_lenders *lenders, wi_lender *lender)
{
    (void)pthread_mutex_lock(&lenders->lock);
    for (wi_lender **link = &lenders->first; *link != NULL; link = &(*link)->next) {
        if (*link != lender) continue;
        *link = lender->next;
        atomic_fetch_sub(&lenders->count, 1);
        break;
    }
    (void)pthread_mutex_unlock(&lenders->lock);
}

uint64_t wi_lenders_ask(wi_lenders *lenders, const wi_lender *asker, uint64_t bytes)
{
    uint64_t given = 0;

    if (atomic_load(&lenders->count) <= (asker != NULL ? 1U : 0U)) return 0;
    (void)pthread_mutex_lock(&lenders->lock);
    for (wi_lender *each = lenders->first; each != NULL && given < bytes; each = each->next)
        if (each != asker) given += each->lend(each->user, bytes - given);
    (void)pthread_mutex_unlock(&lenders->lock);
    return given;
}
