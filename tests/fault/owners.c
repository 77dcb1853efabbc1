/* Scopes, owners and marks with the n-th host allocation failing: nothing is half opened, nothing is lost. */
#include "fault.h"
#include "null_device.h"
#include "own_cache.h"

#include <weir/weir.h>

#include <criterion/criterion.h>

TestSuite(fault_owners, .timeout = 300);

/* One call, whose output is there exactly after success. */
#define STEP(Call, Out)                                                                 \
    do {                                                                                \
        if (st == WEIR_OK) {                                                            \
            st = (Call);                                                                \
            cr_assert((st == WEIR_OK) == ((Out) != NULL), "%s left its output", #Call); \
        }                                                                               \
    } while (0)

static weir_status compare(weir_pool *pool, const weir_mark *mark)
{
    weir_growth grown[2] = {{"x", 1, 1}, {"y", 1, 1}};
    weir_text *text = NULL;
    size_t count = 9;
    weir_status st = weir_pool_diff(pool, mark, NULL, grown, 2, &count);

    if (st != WEIR_OK) {
        cr_assert_eq(count, 0U);
        cr_assert_eq(grown[0].owner[0], '\0');
        return st;
    }
    cr_assert_eq(count, 1U);
    cr_assert_str_eq(grown[0].owner, "outer/middle/inner/second");
    STEP(weir_text_create(&text), text);
    if (st == WEIR_OK) st = weir_pool_diff_report(pool, mark, NULL, text);
    weir_text_destroy(text);
    return st;
}

static weir_status label(void *user)
{
    static const char *const names[] = {"outer", "middle", "inner"};
    weir_pool *pool = weir_context_get_pool(user);
    weir_block *blocks[2] = {NULL};
    weir_mark *mark = NULL;
    weir_status st = WEIR_OK;
    int open = 0;

    for (size_t i = 0; st == WEIR_OK && i < 3; i++) {
        st = weir_scope_push(pool, names[i]);
        open += st == WEIR_OK;
    }
    STEP(weir_pool_alloc(pool, NULL, 1000, "first", &blocks[0]), blocks[0]);
    STEP(weir_pool_mark(pool, &mark), mark);
    STEP(weir_pool_alloc(pool, NULL, 1000, "second", &blocks[1]), blocks[1]);
    if (st == WEIR_OK) st = compare(pool, mark);
    weir_mark_destroy(mark);
    weir_block_release(blocks[0]);
    weir_block_release(blocks[1]);
    while (open > 0 && weir_scope_pop(pool) == WEIR_OK) open--;
    cr_assert_eq(open, 0);
    return st;
}

static weir_status whole(void *user)
{
    weir_context_options options = WEIR_CONTEXT_OPTIONS_INIT;
    weir_context *context = NULL;
    weir_status st = WEIR_OK;

    options.no_self_check = 1; /* the null device computes nothing */
    st = weir_context_create(user, &options, &context);
    if (st == WEIR_OK) st = label(context);
    weir_context_release(context);
    return st;
}

Test(fault_owners, each_host_allocation)
{
    weir_system *system = NULL;
    wt_fault_result result;

    wt_cache_begin();
    (void)wt_null_use();
    wt_host_count_begin();
    cr_assert_eq(weir_system_create(&system), WEIR_OK);
    result = wt_fault_each(&(wt_fault_options){.kind = WT_FAULT_HOST}, whole,
                           weir_system_device(system, 0));
    cr_assert_gt(result.failed, 15U);
    weir_system_destroy(system);
    wt_cache_end();
}
