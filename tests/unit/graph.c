/* Nodes of a graph: what they cost, when they are freed, what they hold. Calls are noted without running, on the null
 * ICD; a naive model tells which nodes and blocks may be left. */
#include "devices.h"
#include "fault.h"
#include "graph/node.h"
#include "null_device.h"
#include "tensor/trace.h"

#include <weir/weir.h>

#include <pthread.h>
#include <string.h>

TestSuite(graph, .timeout = 300);

static weir_tensor *make_tensor(weir_context *ctx, unsigned rank, uint64_t extent)
{
    weir_shape shape = {.rank = rank};
    weir_tensor *tensor = NULL;

    for (unsigned i = 0; i < rank; i++) shape.extents[i] = extent;
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &tensor));
    return tensor;
}

/* Notes op of two inputs (the second is not read by ops of one); the result has the first's shape. */
static weir_tensor *note(wi_graph *graph, unsigned op, weir_tensor *a, weir_tensor *b)
{
    const float factor = 0.5f;
    weir_tensor *inputs[2] = {a, b};
    weir_tensor *result = NULL;
    wi_op_call call = {.op = &wi_op_rows[op],
                       .inputs = inputs,
                       .parameters = &factor,
                       .dtype = WEIR_DTYPE_F32,
                       .shape = weir_tensor_get_shape(a)};

    wt_ok(weir_zeros(weir_tensor_get_context(a), WEIR_DTYPE_F32, call.shape, &result));
    wt_ok(wi_graph_note(graph, &call, result));
    return result;
}

static void check(wi_graph *graph)
{
    weir_text *why = NULL;

    wt_ok(weir_text_create(&why));
    cr_assert(wi_graph_check(graph, why), "%s", weir_text_get(why));
    weir_text_destroy(why);
}

Test(graph, a_node_of_add_costs_at_most_64_bytes)
{
    enum { STEPS = 10000 };
    weir_context *ctx = NULL;
    wi_graph *graph = NULL;
    weir_tensor *noise = NULL;
    weir_tensor *state = NULL;
    uint64_t before;
    uint64_t allocated;

    (void)wt_null_use();
    wt_host_count_begin();
    ctx = wt_null_open();
    noise = make_tensor(ctx, 2, 4);
    state = make_tensor(ctx, 2, 4);
    wt_ok(wi_graph_create(&graph));
    wt_ok(wi_graph_watch(graph, state));
    before = wi_graph_get_host_bytes(graph);
    allocated = wt_host_live_bytes();
    for (unsigned i = 0; i < STEPS; i++) {
        weir_tensor *next = note(graph, WI_OP_ADD, state, noise);
        weir_tensor_release(state);
        state = next;
    }
    cr_assert_eq(wi_graph_get_calls(graph), STEPS);
    cr_assert(wi_graph_get_host_bytes(graph) - before <= UINT64_C(64) * STEPS, "%llu bytes a node",
              (unsigned long long)((wi_graph_get_host_bytes(graph) - before) / STEPS));
    /* What is counted is what was taken; other takers hold less than a chunk more than before. */
    cr_assert(wt_host_live_bytes() - allocated <= wi_graph_get_host_bytes(graph) - before + 4096);
    check(graph);
    wi_graph_close(graph);
    weir_tensor_release(state);
    weir_tensor_release(noise);
    wt_null_close(ctx);
}

Test(graph, a_graph_goes_with_the_last_tensor_that_leads_to_it)
{
    weir_context *ctx = NULL;
    wi_graph *graph = NULL;
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;
    uint64_t blocks;

    (void)wt_null_use();
    wt_host_count_begin();
    ctx = wt_null_open();
    blocks = wt_host_live_blocks();
    x = make_tensor(ctx, 1, 4);
    for (unsigned i = 0; i < 100; i++) {
        wt_ok(wi_graph_create(&graph));
        wt_ok(wi_graph_watch(graph, x));
        y = note(graph, WI_OP_EXP, x, NULL);
        if (i % 2 == 0) {
            wi_graph_close(graph);
            weir_tensor_release(y);
        } else {
            weir_tensor_release(y);
            wi_graph_close(graph);
        }
    }
    weir_tensor_release(x);
    cr_assert(wt_host_live_blocks() <= blocks + 16, "%llu allocations are left",
              (unsigned long long)(wt_host_live_blocks() - blocks));
    wt_null_close(ctx);
}

/* Parameters and axes come back as they were noted. */
Test(graph, a_call_is_read_back_as_it_was_noted)
{
    static const int axes[WEIR_RANK_MAX] = {7, 6, 5, 4, 3, 2, 1, 0};
    weir_context *ctx = NULL;
    wi_graph *graph = NULL;
    weir_tensor *x = NULL;

    (void)wt_null_use();
    ctx = wt_null_open();
    wt_ok(wi_graph_create(&graph));
    x = make_tensor(ctx, 8, 1);
    wt_ok(wi_graph_watch(graph, x));
    for (unsigned n_axes = 0; n_axes <= WEIR_RANK_MAX; n_axes++) {
        for (unsigned keep_dims = 0; keep_dims < 2; keep_dims++) {
            wi_op_call call = {.op = &wi_op_rows[WI_OP_SUM],
                               .inputs = &x,
                               .dtype = WEIR_DTYPE_F32,
                               .shape = weir_tensor_get_shape(x),
                               .axes = axes,
                               .n_axes = n_axes,
                               .keep_dims = (int)keep_dims};
            weir_tensor *y = make_tensor(ctx, 8, 1);
            wi_node_call read;

            wt_ok(wi_graph_note(graph, &call, y));
            wi_node_read_call(wi_trace_get(y, graph), &read);
            cr_assert_eq(read.call.op, call.op);
            cr_assert_eq(read.call.n_axes, n_axes);
            cr_assert_eq(read.call.keep_dims, (int)keep_dims);
            for (unsigned i = 0; i < n_axes; i++) cr_assert_eq(read.call.axes[i], axes[i]);
            weir_tensor_release(y);
        }
    }
    weir_tensor *scaled = note(graph, WI_OP_SCALE, x, NULL);
    wi_node_call read;
    wi_node_read_call(wi_trace_get(scaled, graph), &read);
    cr_assert_eq(read.call.parameters[0], 0.5f);
    cr_assert(weir_shape_equal(read.call.shape, weir_tensor_get_shape(x)));
    weir_tensor_release(scaled);
    wi_graph_close(graph);
    weir_tensor_release(x);
    wt_null_close(ctx);
}

/* The model: everything that can be reached from a tensor that is held is there, and nothing else. */
#define TENSORS 4000

typedef struct model_tensor {
    weir_tensor *held; /* NULL: released */
    int has_node;
    int is_source;
    int producers[2]; /* -1: none */
    int kept[3];      /* tensors that its node keeps, -1: none; its own is one of them */
    int is_marked;
    int is_node_marked;
} model_tensor;

static model_tensor model[TENSORS];
static unsigned model_count;
static uint64_t random_state;

static unsigned pick(unsigned count)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ (z >> 31)) % count);
}

/* What is marked but not looked at yet: tensors, and nodes from TENSORS on. Each is in it once at most. */
static int waiting[2 * TENSORS];
static unsigned waiting_count;

static void mark_tensor(int at)
{
    if (at < 0 || model[at].is_marked) return;
    model[at].is_marked = 1;
    waiting[waiting_count++] = at;
}

static void mark_node(int at)
{
    if (at < 0 || !model[at].has_node || model[at].is_node_marked) return;
    model[at].is_node_marked = 1;
    waiting[waiting_count++] = at + TENSORS;
}

static void mark_reachable(void)
{
    while (waiting_count > 0) {
        const int at = waiting[--waiting_count];

        if (at < TENSORS) {
            mark_node(at);
            continue;
        }
        for (unsigned i = 0; i < 2; i++) mark_node(model[at - TENSORS].producers[i]);
        for (unsigned i = 0; i < 3; i++) mark_tensor(model[at - TENSORS].kept[i]);
    }
}

/* Counts calls and tensors that must be there. */
static void count_model(uint64_t *calls, uint64_t *tensors)
{
    *calls = 0;
    *tensors = 0;
    for (unsigned i = 0; i < model_count; i++) {
        model[i].is_marked = 0;
        model[i].is_node_marked = 0;
    }
    for (unsigned i = 0; i < model_count; i++)
        if (model[i].held != NULL) mark_tensor((int)i);
    mark_reachable();
    for (unsigned i = 0; i < model_count; i++) {
        *calls += model[i].is_node_marked && !model[i].is_source;
        *tensors += model[i].is_marked != 0;
    }
}

/* A tensor that is held, one of the latest most often; -1: there is none. */
static int pick_held(void)
{
    for (unsigned tries = 0; tries < 200 && model_count > 0; tries++) {
        const unsigned reach = pick(2) == 0 ? 8 : 64;
        const unsigned back = pick(reach < model_count ? reach : model_count);

        if (model[model_count - 1 - back].held != NULL) return (int)(model_count - 1 - back);
    }
    return -1;
}

static model_tensor *add_model(weir_tensor *held)
{
    model_tensor *t = &model[model_count++];

    *t = (model_tensor){.held = held, .producers = {-1, -1}, .kept = {-1, -1, -1}};
    return t;
}

static void step_note(weir_context *ctx, wi_graph *graph)
{
    static const unsigned ops[] = {WI_OP_ADD, WI_OP_MUL, WI_OP_DIV,  WI_OP_EXP,
                                   WI_OP_LOG, WI_OP_SUB, WI_OP_TANH, WI_OP_SCALE};
    const unsigned op = ops[pick(sizeof ops / sizeof ops[0])];
    const int inputs[2] = {pick_held(), pick_held()};
    unsigned needs = 0;
    model_tensor *t = NULL;

    if (inputs[0] < 0 || inputs[1] < 0 || pick(10) == 0) {
        t = add_model(make_tensor(ctx, 1, 1 + pick(3)));
        t->is_source = pick(2) == 0;
        t->has_node = t->is_source;
        if (t->is_source) wt_ok(wi_graph_watch(graph, t->held));
        return;
    }
    t = add_model(note(graph, op, model[inputs[0]].held, model[inputs[1]].held));
    for (unsigned i = 0; i < wi_op_rows[op].inputs; i++) {
        if (!model[inputs[i]].has_node) continue;
        t->has_node = 1;
        t->producers[i] = inputs[i];
        needs |= wi_op_gradient_of(&wi_op_rows[op], i)->needs;
    }
    if ((needs & WI_NEEDS_A) != 0) t->kept[0] = inputs[0];
    if ((needs & WI_NEEDS_B) != 0) t->kept[1] = inputs[1];
    if ((needs & WI_NEEDS_Y) != 0) t->kept[2] = (int)(model_count - 1);
}

static void step_forget(wi_graph *graph, int is_all)
{
    wi_graph_forget(graph, is_all ? WI_FORGET_CALLS : WI_FORGET_SAVED);
    for (unsigned i = 0; i < model_count; i++) {
        for (unsigned k = 0; k < 3; k++) model[i].kept[k] = -1;
        if (!is_all || model[i].is_source) continue;
        model[i].has_node = 0;
        model[i].producers[0] = -1;
        model[i].producers[1] = -1;
    }
}

Test(graph, random_calls_leave_what_a_model_says)
{
    weir_context *ctx = NULL;
    wi_graph *graph = NULL;
    uint64_t forgotten = 0;

    (void)wt_null_use();
    wt_host_count_begin();
    ctx = wt_null_open();
    for (unsigned seed = 1; seed <= 4; seed++) {
        random_state = seed;
        model_count = 0;
        wt_ok(wi_graph_create(&graph));
        while (model_count < TENSORS) {
            const unsigned what = pick(1000);
            const int at = what < 480 && model_count > 0 ? pick_held() : -1;
            uint64_t calls = 0;
            uint64_t tensors = 0;
            weir_pool_stats stats;

            if (at >= 0) {
                weir_tensor_release(model[at].held);
                model[at].held = NULL;
            } else if (what < 997) {
                step_note(ctx, graph);
            } else {
                step_forget(graph, what == 999);
                forgotten++;
            }
            if (model_count % 16 != 0) continue;
            count_model(&calls, &tensors);
            weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
            cr_assert_eq(wi_graph_get_calls(graph), calls, "seed %u: %llu calls, not %llu", seed,
                         (unsigned long long)wi_graph_get_calls(graph), (unsigned long long)calls);
            cr_assert_eq(stats.blocks.current, tensors, "seed %u: %llu blocks, not %llu", seed,
                         (unsigned long long)stats.blocks.current, (unsigned long long)tensors);
            check(graph);
        }
        if (seed % 2 == 0) wi_graph_close(graph);
        for (unsigned i = 0; i < model_count; i++) weir_tensor_release(model[i].held);
        if (seed % 2 == 1) wi_graph_close(graph);
    }
    cr_assert_gt(forgotten, 10);
    wt_null_close(ctx);
    cr_assert_eq(wt_host_live_blocks(), 0);
}

/* Two graphs over the same calls: each keeps what it needs until both have let go. */
Test(graph, two_graphs_hand_a_result_on)
{
    weir_context *ctx = NULL;
    wi_graph *graphs[2] = {NULL, NULL};
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;
    weir_tensor *sums[2] = {NULL, NULL};
    weir_pool_stats stats;

    (void)wt_null_use();
    ctx = wt_null_open();
    x = make_tensor(ctx, 1, 64);
    for (unsigned i = 0; i < 2; i++) {
        wt_ok(wi_graph_create(&graphs[i]));
        wt_ok(wi_graph_watch(graphs[i], x));
    }
    y = note(graphs[0], WI_OP_EXP, x, NULL);
    {
        weir_tensor *inputs[1] = {x};
        const wi_op_call call = {.op = &wi_op_rows[WI_OP_EXP],
                                 .inputs = inputs,
                                 .dtype = WEIR_DTYPE_F32,
                                 .shape = weir_tensor_get_shape(x)};
        wt_ok(wi_graph_note(graphs[1], &call, y));
    }
    for (unsigned i = 0; i < 2; i++) sums[i] = note(graphs[i], WI_OP_ADD, y, x);
    weir_tensor_release(y);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(wi_graph_get_saved_bytes(graphs[0]), i == 0 ? 256 : 0);
        cr_assert_eq(wi_graph_get_saved_bytes(graphs[1]), 256);
        weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
        cr_assert_eq(stats.blocks.current, 4 - i, "x, y and the sums that are left");
        weir_tensor_release(sums[i]);
        check(graphs[i]);
    }
    weir_pool_get_stats(weir_context_get_pool(ctx), &stats);
    cr_assert_eq(stats.blocks.current, 1);
    weir_tensor_release(x);
    for (unsigned i = 0; i < 2; i++) wi_graph_close(graphs[i]);
    wt_null_close(ctx);
}

typedef struct long_chain {
    wi_graph *graph;
    weir_tensor *state;
    weir_tensor *noise;
} long_chain;

static void *free_chain(void *user)
{
    long_chain *chain = user;

    weir_tensor_release(chain->state);
    return NULL;
}

static void run_on_small_stack(void *(*work)(void *), void *user)
{
    pthread_attr_t attributes;
    pthread_t thread;

    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, work, user), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(pthread_attr_destroy(&attributes), 0);
}

/* Each product keeps its input, whose tensor holds the node before: freeing the last frees a million of both. */
Test(graph, a_million_nodes_are_freed_on_a_small_stack)
{
    long_chain chain = {0};
    weir_context *ctx = NULL;

    (void)wt_null_use();
    ctx = wt_null_open();
    wt_ok(wi_graph_create(&chain.graph));
    chain.state = make_tensor(ctx, 0, 0);
    chain.noise = make_tensor(ctx, 0, 0);
    wt_ok(wi_graph_watch(chain.graph, chain.state));
    for (unsigned i = 0; i < 1000000; i++) {
        const int is_kept = i % 16 == 0;
        weir_tensor *next = note(chain.graph, is_kept ? WI_OP_MUL : WI_OP_ADD, chain.state,
                                 is_kept ? chain.state : chain.noise);
        weir_tensor_release(chain.state);
        chain.state = next;
    }
    cr_assert_eq(wi_graph_get_calls(chain.graph), 1000000);
    run_on_small_stack(free_chain, &chain);
    cr_assert_eq(wi_graph_get_calls(chain.graph), 0);
    weir_tensor_release(chain.noise);
    wi_graph_close(chain.graph);
    wt_null_close(ctx);
}
