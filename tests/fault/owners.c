/* Scopes, owners and marks with the n-th host allocation failing: nothing is half opened, nothing is lost. */
#include "fault_null.h"

#include <weir/weir.h>

TestSuite(fault_owners, .timeout = 300);

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
    WT_FAULT_STEP(st, weir_text_create(&text), text);
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
    WT_FAULT_STEP(st, weir_pool_alloc(pool, NULL, 1000, "first", &blocks[0]), blocks[0]);
    WT_FAULT_STEP(st, weir_pool_mark(pool, &mark), mark);
    WT_FAULT_STEP(st, weir_pool_alloc(pool, NULL, 1000, "second", &blocks[1]), blocks[1]);
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
    const wt_fault_options options = {.kind = WT_FAULT_HOST};

    cr_assert_gt(wt_fault_on_null(&options, whole).failed, 15U);
}
