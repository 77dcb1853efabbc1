/* The pools of a device: who is asked for how much, and that two may ask each other at the same time. */
#include "device/lenders.h"

#include <criterion/criterion.h>
#include <pthread.h>

TestSuite(lenders, .timeout = 120);

/* A lender with bytes to give, under a lock as a pool's. */
typedef struct purse {
    wi_lender lender;
    pthread_mutex_t lock;
    uint64_t bytes;
    uint64_t asked;
} purse;

static uint64_t give(void *user, uint64_t bytes)
{
    purse *self = user;
    uint64_t given = 0;

    pthread_mutex_lock(&self->lock);
    self->asked += bytes;
    given = bytes < self->bytes ? bytes : self->bytes;
    self->bytes -= given;
    pthread_mutex_unlock(&self->lock);
    return given;
}

static void open_purse(purse *self, uint64_t bytes)
{
    *self = (purse){.lender = {.lend = give, .user = self}, .bytes = bytes};
    cr_assert_eq(pthread_mutex_init(&self->lock, NULL), 0);
}

Test(lenders, asks_the_others_until_enough_was_given)
{
    wi_lenders all;
    purse purses[3];

    cr_assert(wi_lenders_init(&all));
    for (size_t i = 0; i < 3; i++) {
        open_purse(&purses[i], 10);
        wi_lenders_join(&all, &purses[i].lender);
    }
    cr_assert_eq(wi_lenders_ask(&all, &purses[0].lender, 15), 15U);
    cr_assert_eq(purses[0].asked, 0U, "who asks is not asked");
    cr_assert_eq(purses[1].bytes + purses[2].bytes, 5U);
    cr_assert_eq(wi_lenders_ask(&all, &purses[0].lender, 15), 5U);
    cr_assert_eq(wi_lenders_ask(&all, &purses[0].lender, 1), 0U);
    cr_assert_eq(wi_lenders_ask(&all, NULL, 100), 10U, "somebody from outside asks all");
    for (size_t i = 0; i < 3; i++) wi_lenders_leave(&all, &purses[i].lender);
    wi_lenders_fini(&all);
}

Test(lenders, who_has_left_is_not_asked)
{
    wi_lenders all;
    purse purses[2];

    cr_assert(wi_lenders_init(&all));
    cr_assert_eq(wi_lenders_ask(&all, NULL, 1), 0U);
    for (size_t i = 0; i < 2; i++) open_purse(&purses[i], 10);
    wi_lenders_leave(&all, &purses[0].lender); /* never joined */
    wi_lenders_join(&all, &purses[0].lender);
    wi_lenders_join(&all, &purses[1].lender);
    wi_lenders_leave(&all, &purses[0].lender);
    cr_assert_eq(wi_lenders_ask(&all, NULL, 100), 10U);
    cr_assert_eq(purses[0].bytes, 10U);
    wi_lenders_leave(&all, &purses[1].lender);
    cr_assert_eq(wi_lenders_ask(&all, NULL, 100), 0U);
    wi_lenders_fini(&all);
}

static wi_lenders shared;

/* Works under its own lock, lets go of it to ask, joins and leaves now and then. */
static void *ask_often(void *user)
{
    purse *self = user;

    for (unsigned i = 0; i < 20000; i++) {
        pthread_mutex_lock(&self->lock);
        self->bytes++;
        pthread_mutex_unlock(&self->lock);
        (void)wi_lenders_ask(&shared, &self->lender, 3);
        if (i % 64 != 0) continue;
        wi_lenders_leave(&shared, &self->lender);
        wi_lenders_join(&shared, &self->lender);
    }
    return NULL;
}

Test(lenders, all_may_ask_each_other_at_once)
{
    enum { THREADS = 4 };
    purse purses[THREADS];
    pthread_t threads[THREADS];

    cr_assert(wi_lenders_init(&shared));
    for (size_t i = 0; i < THREADS; i++) {
        open_purse(&purses[i], 0);
        wi_lenders_join(&shared, &purses[i].lender);
    }
    for (size_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, ask_often, &purses[i]), 0);
    for (size_t i = 0; i < THREADS; i++) cr_assert_eq(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert_gt(purses[i].asked, 0U);
        wi_lenders_leave(&shared, &purses[i].lender);
    }
    wi_lenders_fini(&shared);
}
