/* The n-th OpenCL call, or host allocation, of a request that has blocks moved fails: whatever the request comes to, every
 * block has its bytes, the pool's books are right and nothing is left. The driver is the null ICD with backed buffers. */
#include "devices.h"
#include "fault.h"
#include "null_device.h"

#include "context/enqueue.h"
#include "mem/pool.h"

#include <weir/weir.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(fault_compaction, .timeout = 300);

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define SMALL (64 * KIB)
#define COUNT 256u /* of 16 MiB in 8 roots */
#define LARGE_WORD UINT64_C(0x7777777777777777)

/* What is to be moved where: each second block of the first `holes` goes, then `request_bytes` are wanted. */
typedef struct scene {
    const char *name;
    uint64_t limit_bytes;
    unsigned holes;
    uint64_t request_bytes;
    int has_new_root; /* 1: no hole is left but in the root that is emptied */
    int has_view;     /* 1: the blocks were written on another queue */
} scene;

static const scene scenes[] = {
    {"into holes", 16 * MIB, COUNT, MIB, 0, 0},
    {"into a new root", 17 * MIB, 32, MIB + MIB / 2, 1, 0},
    {"after another queue", 16 * MIB, COUNT, MIB, 0, 1},
};

static const wt_null_control *null;

typedef struct stage {
    weir_context *context;
    weir_context *view; /* the context, or a view of it on another queue */
    weir_block *blocks[COUNT];
    weir_block *large;
} stage;

static uint64_t word_of(unsigned i) { return UINT64_C(0x0001000100010001) * (i + 1); }

static void fill(stage *on, weir_block *block, uint64_t bytes, uint64_t word)
{
    const wi_span place = {block, 0};

    wt_ok(wi_context_fill(on->view, &place, bytes, &word, sizeof word));
}

static void verify(stage *on, weir_block *block, uint64_t bytes, uint64_t word, const char *when)
{
    static uint64_t data[2 * MIB / sizeof(uint64_t)];
    const wi_span place = {block, 0};

    wt_ok(wi_context_read(on->context, &place, bytes, data));
    cr_assert(data[0] == word && memcmp(data, data + 1, bytes - sizeof word) == 0,
              "%s: a block of %llu bytes begins with %llx, %llx expected", when,
              (unsigned long long)bytes, (unsigned long long)data[0], (unsigned long long)word);
}

static void set_up(const scene *play, stage *on)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    memset(on, 0, sizeof *on);
    on->context = wt_null_open();
    on->view = weir_context_retain(on->context);
    if (play->has_view) {
        weir_queue *queue = NULL;
        weir_context_release(on->view);
        wt_ok(weir_queue_create(on->context, &queue));
        wt_ok(weir_context_on_queue(on->context, queue, &on->view));
        weir_queue_release(queue);
    }
    options.strategy = "adaptive";
    options.limit_bytes = play->limit_bytes;
    wt_ok(weir_device_configure(weir_context_get_device(on->context), &options));
    for (unsigned i = 0; i < COUNT; i++) {
        wt_ok(weir_pool_alloc(weir_context_get_pool(on->context), NULL, SMALL, "row",
                              &on->blocks[i]));
        fill(on, on->blocks[i], SMALL, word_of(i));
    }
    for (unsigned i = 0; i < play->holes; i += 2) {
        weir_block_release(on->blocks[i]);
        on->blocks[i] = NULL;
    }
    if (!play->has_view) wt_ok(weir_context_synchronize(on->context));
}

/* Also that the request's block is nobody else's. */
static void verify_all(stage *on, const scene *play, const char *when)
{
    weir_text *why = NULL;

    if (on->large != NULL) {
        fill(on, on->large, play->request_bytes, LARGE_WORD);
        verify(on, on->large, play->request_bytes, LARGE_WORD, when);
    }
    for (unsigned i = 0; i < COUNT; i++)
        if (on->blocks[i] != NULL) verify(on, on->blocks[i], SMALL, word_of(i), when);
    wt_ok(weir_text_create(&why));
    cr_assert(wi_pool_check(weir_context_get_pool(on->context), why), "%s: %s", when,
              weir_text_get(why));
    weir_text_destroy(why);
}

static void take_down(stage *on)
{
    weir_block_release(on->large);
    for (unsigned i = 0; i < COUNT; i++) weir_block_release(on->blocks[i]);
    weir_context_release(on->view);
    wt_null_close(on->context);
}

/* Runs a scene with the n-th call from the request on failing. Returns 0 if there was no n-th. */
static int run(const scene *play, wt_fault_kind kind, const char *call, uint64_t n, int is_open,
               unsigned *failures)
{
    char when[160];
    stage on;
    weir_pool_stats stats;
    weir_status st = WEIR_OK;
    int has_struck = 0;

    set_up(play, &on);
    wt_fault_arm(kind, call, n, 0, is_open);
    st = weir_pool_alloc(weir_context_get_pool(on.context), NULL, play->request_bytes, "large",
                         &on.large);
    has_struck = wt_fault_disarm();
    (void)snprintf(when, sizeof when, "%s, fault %llu%s (%s): %s", play->name,
                   (unsigned long long)n, is_open ? " and later" : "",
                   kind == WT_FAULT_CL ? wt_fault_struck() : "host memory", weir_status_name(st));
    cr_assert_eq(st == WEIR_OK, on.large != NULL, "%s", when);
    if (st != WEIR_OK) {
        cr_assert_eq(weir_last_error()->status, st, "%s", when);
        cr_assert(has_struck, "%s: %s", when, weir_last_error()->message);
        *failures += 1;
    }
    weir_pool_get_stats(weir_context_get_pool(on.context), &stats);
    cr_assert(stats.compactions != 0 || st != WEIR_OK, "%s: the request found room by itself",
              when);
    cr_assert(has_struck || !play->has_new_root || stats.driver_allocs > COUNT * SMALL / (2 * MIB),
              "%s: no new root was needed", when);
    weir_context_reset_error(on.context);
    verify_all(&on, play, when);
    /* What was in the way is not there any more. */
    if (on.large == NULL) {
        st = weir_pool_alloc(weir_context_get_pool(on.context), NULL, play->request_bytes, "large",
                             &on.large);
        cr_assert_eq(st, WEIR_OK, "%s; again: %s", when, weir_last_error()->message);
        verify_all(&on, play, when);
    }
    take_down(&on);
    return has_struck;
}

/* Runs all scenes for n = 1, 2, ... with commands that complete at once, and with such that do when waited for. */
static void run_each(wt_fault_kind kind, const char *call, int is_open)
{
    unsigned failures = 0;
    uint64_t runs = 0;

    null = wt_null_use();
    wt_host_count_begin();
    cr_assert(null->set("BACKED", "1"));
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        for (int is_lazy = 0; is_lazy < 2; is_lazy++) {
            uint64_t n = 1;
            cr_assert(null->set("LAZY", is_lazy ? "1" : "0"));
            while (run(&scenes[i], kind, call, n, is_open, &failures)) n++;
            runs += n;
        }
    }
    cr_assert_gt(runs, 4, "nothing was made to fail");
    cr_assert_gt(failures, 0, "none of %llu faults was told", (unsigned long long)runs);
}

Test(fault_compaction, each_opencl_call_once) { run_each(WT_FAULT_CL, NULL, 0); }

Test(fault_compaction, each_opencl_call_and_all_after_it) { run_each(WT_FAULT_CL, NULL, 1); }

Test(fault_compaction, each_copy_and_all_after_it)
{
    run_each(WT_FAULT_CL, "clEnqueueCopyBuffer", 1);
}

Test(fault_compaction, each_host_allocation_once) { run_each(WT_FAULT_HOST, NULL, 0); }
