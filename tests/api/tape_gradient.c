/* Gradients against references in double on the host, which know nothing of the library's own gradients: slopes by
 * central differences, of every elementwise row of the op table (a new row is tested here without a line of this file),
 * and of random expressions of operations, broadcasts, views and sums. */
#include "cl/numeric.h"
#include "tape_support.h"

#include <math.h>

TestSuite(tape_gradient, .timeout = WT_TIMEOUT);

#define VALUES_MAX 3

typedef struct op_range {
    double low;
    double high;
} op_range;

typedef struct op_case {
    const char *name;
    unsigned inputs;
    unsigned parameters;
    double ulp;
    op_range domain[VALUES_MAX];
    float (*host)(const float *x);
    double (*reference)(const double *x);
    weir_status (*call)(weir_context *context, weir_tensor *const *inputs, const float *parameters,
                        weir_tensor **out);
    float (*gradient[2])(const float *x, float g, float y);
    op_range gradient_domain[VALUES_MAX];
} op_case;

#include "ops/op_cases.inc"

#define CASE_COUNT (sizeof op_cases / sizeof op_cases[0])

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned pick(unsigned count) { return (unsigned)(next_random() % count); }

static float draw_between(double low, double high)
{
    return (float)(low + (high - low) * ((double)(next_random() >> 11) * 0x1p-53));
}

/* Slope of a row's reference along one value, by a step that balances the two errors of about 1e-11. */
static double slope_of(const op_case *row, const double *x, unsigned along)
{
    const double step = 0x1p-17;
    double at[VALUES_MAX];

    memcpy(at, x, sizeof at);
    at[along] = x[along] + step;
    const double above = row->reference(at);
    at[along] = x[along] - step;
    return (above - row->reference(at)) / (2 * step);
}

/* One row, with the inputs of `watched` (bits) watched. */
static void check_row(weir_context *ctx, const op_case *row, unsigned watched)
{
    enum { COUNT = 257 };
    float values[2][COUNT];
    float weights[COUNT];
    float got[COUNT];
    const float parameter =
        draw_between(row->gradient_domain[row->inputs].low, row->gradient_domain[row->inputs].high);
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *inputs[2] = {NULL, NULL};
    weir_tensor *gradients[2] = {NULL, NULL};
    weir_tensor *weight = NULL;
    weir_tensor *result = NULL;

    for (unsigned i = 0; i < row->inputs; i++) {
        for (unsigned e = 0; e < COUNT; e++) {
            values[i][e] = draw_between(row->gradient_domain[i].low, row->gradient_domain[i].high);
        }
        inputs[i] = ops_upload(ctx, values[i], COUNT);
        if ((watched & 1U << i) != 0) wt_ok(weir_tape_watch(tape, inputs[i]));
    }
    for (unsigned e = 0; e < COUNT; e++) weights[e] = draw_between(-2.0, 2.0);
    weight = ops_upload(ctx, weights, COUNT);
    wt_ok(row->call(ctx, inputs, &parameter, &result));
    wt_ok(weir_tape_gradient(tape, &result, 1, &weight, inputs, row->inputs, gradients));
    for (unsigned i = 0; i < row->inputs; i++) {
        cr_assert_eq(gradients[i] != NULL, (watched & 1U << i) != 0);
        if (gradients[i] == NULL) continue;
        ops_download(gradients[i], got);
        for (unsigned e = 0; e < COUNT; e++) {
            double x[VALUES_MAX] = {0};
            double want;

            for (unsigned k = 0; k < row->inputs; k++) x[k] = (double)values[k][e];
            if (row->parameters > 0) x[row->inputs] = (double)parameter;
            want = (double)weights[e] * slope_of(row, x, i);
            cr_assert(fabs((double)got[e] - want) <= 16 * 0x1p-24 * (32.0 + fabs(want)),
                      "%s, input %u at (%g, %g): %.9g, slope %.9g", row->name, i, x[0], x[1],
                      (double)got[e], want);
        }
        weir_tensor_release(gradients[i]);
    }
    for (unsigned i = 0; i < 2; i++) weir_tensor_release(inputs[i]);
    weir_tensor_release(result);
    weir_tensor_release(weight);
    weir_tape_destroy(tape);
}

WEIR_DEVICE_TEST_TAGGED(tape_gradient, of_every_row_is_its_slope_whichever_inputs_are_watched)
{
    (void)dev;
    for (size_t r = 0; r < CASE_COUNT; r++) {
        random_state = 3000 + r;
        for (unsigned watched = 1; watched < 1U << op_cases[r].inputs; watched++)
            check_row(ctx, &op_cases[r], watched);
    }
}

/* An expression: values in a row, each made from earlier ones. */
#define NODES_MAX 24
#define SOURCES 3
#define ELEMENTS_MAX 24

typedef struct expr_node {
    int op; /* index into the table of calls; -1: a source */
    unsigned a;
    unsigned b;
    double parameter;
    weir_shape shape;
    int axis; /* of a sum */
    double values[ELEMENTS_MAX];
} expr_node;

typedef struct expr {
    expr_node nodes[NODES_MAX];
    unsigned count;
} expr;

/* What expressions are made of. Each keeps values moderate: |y| stays below about 4 and slopes too. */
typedef enum expr_op {
    OP_ADD = 0, /* tanh(a + b): an operation in two nodes would do, but this bounds the values */
    OP_SUB,
    OP_MUL,
    OP_DIV, /* a / (2 + sigmoid b) */
    OP_NEG,
    OP_EXP, /* exp(tanh a) */
    OP_LOG, /* log(1.5 + tanh a) */
    OP_TANH,
    OP_SIGMOID,
    OP_SQRT, /* sqrt(1.5 + tanh a) */
    OP_SCALE,
    OP_SUM,
    OP_TRANSPOSE,
    OP_EXPAND,
    OP_RESHAPE,
    OP_COUNT
} expr_op;

static uint64_t count_of(const weir_shape *shape) { return weir_shape_count(shape); }

/* Index of element `e` of `shape` in an operand that was broadcast to it. */
static unsigned broadcast_index(const weir_shape *shape, const weir_shape *from, unsigned e)
{
    unsigned index = 0;
    unsigned stride = 1;

    for (unsigned i = from->rank; i-- > 0;) {
        const unsigned at = i + shape->rank - from->rank;
        unsigned below = 1;

        for (unsigned k = at + 1; k < shape->rank; k++) below *= (unsigned)shape->extents[k];
        if (from->extents[i] != 1) index += e / below % (unsigned)shape->extents[at] * stride;
        stride *= (unsigned)from->extents[i];
    }
    return index;
}

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static double apply(const expr_node *node, double a, double b)
{
    switch ((expr_op)node->op) {
    case OP_ADD:
        return tanh(a + b);
    case OP_SUB:
        return tanh(a - b);
    case OP_MUL:
        return tanh(a * b);
    case OP_DIV:
        return a / (2.0 + sigmoid(b));
    case OP_NEG:
        return -a;
    case OP_EXP:
        return exp(tanh(a));
    case OP_LOG:
        return log(1.5 + tanh(a));
    case OP_TANH:
        return tanh(a);
    case OP_SIGMOID:
        return sigmoid(a);
    case OP_SQRT:
        return sqrt(1.5 + tanh(a));
    case OP_SCALE:
        return a * node->parameter;
    case OP_SUM:
    case OP_TRANSPOSE:
    case OP_EXPAND:
    case OP_RESHAPE:
    case OP_COUNT:
        break;
    }
    return a;
}

static void sum_node(const expr_node *a, expr_node *node)
{
    const weir_shape *shape = &a->shape;
    unsigned below = 1;

    for (unsigned k = (unsigned)node->axis + 1; k < shape->rank; k++)
        below *= (unsigned)shape->extents[k];
    for (unsigned e = 0; e < count_of(&node->shape); e++) node->values[e] = 0;
    for (unsigned e = 0; e < count_of(shape); e++) {
        const unsigned above = e / below / (unsigned)shape->extents[node->axis];

        node->values[above * below + e % below] += 0.5 * a->values[e];
    }
}

static void transpose_node(const expr_node *a, expr_node *node)
{
    const unsigned rows = (unsigned)a->shape.extents[0];
    const unsigned columns = (unsigned)a->shape.extents[1];

    for (unsigned e = 0; e < rows * columns; e++)
        node->values[e % columns * rows + e / columns] = a->values[e];
}

/* Computes all nodes but the sources. */
static void evaluate(expr *x)
{
    for (unsigned n = SOURCES; n < x->count; n++) {
        expr_node *node = &x->nodes[n];
        const expr_node *a = &x->nodes[node->a];
        const expr_node *b = &x->nodes[node->b];

        if (node->op == OP_SUM) {
            sum_node(a, node);
        } else if (node->op == OP_TRANSPOSE) {
            transpose_node(a, node);
        } else {
            const int has_b = node->op <= OP_DIV;

            for (unsigned e = 0; e < count_of(&node->shape); e++) {
                const unsigned at_a =
                    node->op == OP_RESHAPE ? e : broadcast_index(&node->shape, &a->shape, e);
                const unsigned at_b = has_b ? broadcast_index(&node->shape, &b->shape, e) : 0;

                node->values[e] = apply(node, a->values[at_a], b->values[at_b]);
            }
        }
    }
}

/* Sum of the last node's values, each with a weight of its own. */
static double loss_of(expr *x, const float *weights)
{
    const expr_node *last = &x->nodes[x->count - 1];
    double loss = 0;

    evaluate(x);
    for (unsigned e = 0; e < count_of(&last->shape); e++)
        loss += (double)weights[e] * last->values[e];
    return loss;
}

/* The common shape of two that fit each other and stay small; 0 if they do not. */
static int common_shape(const weir_shape *a, const weir_shape *b, weir_shape *out)
{
    const weir_shape *longer = a->rank >= b->rank ? a : b;
    const weir_shape *shorter = longer == a ? b : a;

    *out = *longer;
    for (unsigned i = 0; i < shorter->rank; i++) {
        uint64_t *extent = &out->extents[longer->rank - shorter->rank + i];

        if (*extent == 1)
            *extent = shorter->extents[i];
        else if (shorter->extents[i] != 1 && shorter->extents[i] != *extent)
            return 0;
    }
    return count_of(out) <= ELEMENTS_MAX;
}

/* Chooses what node makes of `a` and `b`; 0 if that does not fit them. */
static int choose_node(const expr *x, expr_node *node)
{
    const weir_shape *a = &x->nodes[node->a].shape;
    const weir_shape *b = &x->nodes[node->b].shape;

    node->op = (int)pick(OP_COUNT);
    node->parameter = (double)draw_between(-1.5, 1.5);
    node->shape = *a;
    if (node->op > OP_DIV) node->b = node->a;
    switch ((expr_op)node->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
        return common_shape(a, b, &node->shape);
    case OP_SUM:
        if (a->rank == 0) return 0;
        node->axis = (int)pick(a->rank);
        for (unsigned i = (unsigned)node->axis + 1; i < a->rank; i++)
            node->shape.extents[i - 1] = a->extents[i];
        node->shape.rank--;
        return 1;
    case OP_TRANSPOSE:
        node->shape.extents[0] = a->rank == 2 ? a->extents[1] : 0;
        node->shape.extents[1] = a->extents[0];
        return a->rank == 2;
    case OP_EXPAND:
        node->shape.rank++;
        memcpy(node->shape.extents + 1, a->extents, a->rank * sizeof a->extents[0]);
        node->shape.extents[0] = 2;
        return a->rank < 3 && count_of(&node->shape) <= ELEMENTS_MAX;
    case OP_RESHAPE:
        node->shape.rank = 1;
        node->shape.extents[0] = count_of(a);
        return a->rank != 1;
    case OP_NEG:
    case OP_EXP:
    case OP_LOG:
    case OP_TANH:
    case OP_SIGMOID:
    case OP_SQRT:
    case OP_SCALE:
    case OP_COUNT:
        break;
    }
    return 1;
}

static void make_expr(expr *x)
{
    static const weir_shape shapes[SOURCES] = {{2, {3, 4}}, {1, {4}}, {2, {3, 1}}};

    x->count = SOURCES;
    for (unsigned n = 0; n < SOURCES; n++) {
        x->nodes[n].op = -1;
        x->nodes[n].shape = shapes[n];
        for (unsigned e = 0; e < count_of(&shapes[n]); e++)
            x->nodes[n].values[e] = (double)draw_between(-1.5, 1.5);
    }
    while (x->count < NODES_MAX) {
        expr_node *node = &x->nodes[x->count];

        node->a = pick(2) == 0 ? x->count - 1 : pick(x->count);
        node->b = pick(x->count);
        if (choose_node(x, node)) x->count++;
    }
}

/* out = call(call2(a)), releasing what lies between. */
static weir_tensor *chain(weir_context *ctx, weir_tensor *between,
                          weir_status (*call)(weir_context *, weir_tensor *, weir_tensor **))
{
    weir_tensor *out = NULL;

    wt_ok(call(ctx, between, &out));
    weir_tensor_release(between);
    return out;
}

/* 1.5 + tanh(a), and 2 + sigmoid(a). */
static weir_tensor *shifted(weir_context *ctx, weir_tensor *a, double shift,
                            weir_status (*call)(weir_context *, weir_tensor *, weir_tensor **))
{
    const weir_shape scalar = {0};
    weir_tensor *bounded = NULL;
    weir_tensor *constant = NULL;
    weir_tensor *out = NULL;

    wt_ok(call(ctx, a, &bounded));
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &scalar, shift, &constant));
    wt_ok(weir_add(ctx, constant, bounded, &out));
    weir_tensor_release(constant);
    weir_tensor_release(bounded);
    return out;
}

static weir_tensor *run_node(weir_context *ctx, const expr_node *node, weir_tensor *a,
                             weir_tensor *b)
{
    weir_tensor *t = NULL;
    weir_tensor *out = NULL;

    switch ((expr_op)node->op) {
    case OP_ADD:
        wt_ok(weir_add(ctx, a, b, &t));
        return chain(ctx, t, weir_tanh);
    case OP_SUB:
        wt_ok(weir_sub(ctx, a, b, &t));
        return chain(ctx, t, weir_tanh);
    case OP_MUL:
        wt_ok(weir_mul(ctx, a, b, &t));
        return chain(ctx, t, weir_tanh);
    case OP_DIV:
        t = shifted(ctx, b, 2.0, weir_sigmoid);
        wt_ok(weir_div(ctx, a, t, &out));
        weir_tensor_release(t);
        return out;
    case OP_NEG:
        wt_ok(weir_neg(ctx, a, &out));
        return out;
    case OP_EXP:
        wt_ok(weir_tanh(ctx, a, &t));
        return chain(ctx, t, weir_exp);
    case OP_LOG:
        return chain(ctx, shifted(ctx, a, 1.5, weir_tanh), weir_log);
    case OP_TANH:
        wt_ok(weir_tanh(ctx, a, &out));
        return out;
    case OP_SIGMOID:
        wt_ok(weir_sigmoid(ctx, a, &out));
        return out;
    case OP_SQRT:
        return chain(ctx, shifted(ctx, a, 1.5, weir_tanh), weir_sqrt);
    case OP_SCALE:
        wt_ok(weir_scale(ctx, a, (float)node->parameter, &out));
        return out;
    case OP_SUM:
        wt_ok(weir_sum(ctx, a, &node->axis, 1, 0, &t));
        wt_ok(weir_scale(ctx, t, 0.5f, &out));
        weir_tensor_release(t);
        return out;
    case OP_TRANSPOSE:
        wt_ok(weir_transpose(ctx, a, NULL, &out));
        return out;
    case OP_EXPAND:
        wt_ok(weir_expand(ctx, a, &node->shape, &out));
        return out;
    case OP_RESHAPE:
        wt_ok(weir_reshape(ctx, a, &node->shape, &out));
        return out;
    case OP_COUNT:
        break;
    }
    cr_assert_fail("no operation %d", node->op);
    return NULL;
}

/* Compares the gradient of one source with slopes in double. */
static void check_source(expr *x, unsigned source, weir_tensor *gradient, const float *weights,
                         unsigned seed)
{
    const double step = 0x1p-17;
    const uint64_t count = count_of(&x->nodes[source].shape);
    float got[ELEMENTS_MAX] = {0};

    if (gradient != NULL) {
        cr_assert(weir_shape_equal(weir_tensor_get_shape(gradient), &x->nodes[source].shape));
        ops_download(gradient, got);
    }
    for (unsigned e = 0; e < count; e++) {
        const double value = x->nodes[source].values[e];
        double want;

        x->nodes[source].values[e] = value + step;
        want = loss_of(x, weights);
        x->nodes[source].values[e] = value - step;
        want = (want - loss_of(x, weights)) / (2 * step);
        x->nodes[source].values[e] = value;
        cr_assert(fabs((double)got[e] - want) <= 2e-4 * (1.0 + fabs(want)),
                  "seed %u, source %u, element %u: %.9g, slope %.9g", seed, source, e,
                  (double)got[e], want);
    }
}

static void check_expr(weir_context *ctx, unsigned seed)
{
    static expr x; /* large */
    float weights[ELEMENTS_MAX];
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *tensors[NODES_MAX] = {NULL};
    weir_tensor *gradients[SOURCES] = {NULL};
    weir_tensor *weight = NULL;

    random_state = seed;
    make_expr(&x);
    for (unsigned e = 0; e < ELEMENTS_MAX; e++) weights[e] = draw_between(-1.0, 1.0);
    for (unsigned n = 0; n < x.count; n++) {
        const expr_node *node = &x.nodes[n];

        if (node->op >= 0) {
            tensors[n] = run_node(ctx, node, tensors[node->a], tensors[node->b]);
        } else {
            float data[ELEMENTS_MAX];

            for (unsigned e = 0; e < count_of(&node->shape); e++) data[e] = (float)node->values[e];
            wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &node->shape, data, &tensors[n]));
            wt_ok(weir_tape_watch(tape, tensors[n]));
        }
        cr_assert(weir_shape_equal(weir_tensor_get_shape(tensors[n]), &node->shape), "seed %u",
                  seed);
    }
    wt_ok(
        weir_tensor_from_host(ctx, WEIR_DTYPE_F32, &x.nodes[x.count - 1].shape, weights, &weight));
    /* What lies between is the tape's alone. */
    for (unsigned n = SOURCES; n < x.count - 1; n++) weir_tensor_release(tensors[n]);
    wt_ok(weir_tape_gradient(tape, &tensors[x.count - 1], 1, &weight, tensors, SOURCES, gradients));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    for (unsigned s = 0; s < SOURCES; s++) {
        check_source(&x, s, gradients[s], weights, seed);
        weir_tensor_release(gradients[s]);
        weir_tensor_release(tensors[s]);
    }
    weir_tensor_release(tensors[x.count - 1]);
    weir_tensor_release(weight);
    weir_tape_destroy(tape);
    cr_assert_eq(ops_pool(ctx).blocks.current, 0, "seed %u", seed);
}

WEIR_DEVICE_TEST(tape_gradient, of_random_expressions_is_their_slope)
{
    (void)dev;
    for (unsigned seed = 1; seed <= wt_scale(200); seed++) check_expr(ctx, seed);
}

WEIR_DEVICE_TEST_TAGGED(tape_gradient, of_a_few_random_expressions_is_their_slope)
{
    (void)dev;
    for (unsigned seed = 1001; seed <= 1003; seed++) check_expr(ctx, seed);
}

/* T12 */
WEIR_DEVICE_TEST_TAGGED(tape_gradient, of_a_broadcast_sum_has_the_inputs_shapes_and_keeps_nothing)
{
    const weir_shape shapes[2] = {{2, {8, 1}}, {2, {1, 4}}};
    weir_tape *tape = tape_open(ctx, 0);
    weir_tensor *inputs[2] = {NULL, NULL};
    weir_tensor *gradients[2] = {NULL, NULL};
    weir_tensor *sum = NULL;
    weir_tensor *loss = NULL;

    (void)dev;
    for (unsigned i = 0; i < 2; i++) {
        wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shapes[i], 3.0, &inputs[i]));
        wt_ok(weir_tape_watch(tape, inputs[i]));
    }
    wt_ok(weir_add(ctx, inputs[0], inputs[1], &sum));
    wt_ok(weir_sum(ctx, sum, NULL, 0, 0, &loss));
    cr_assert_eq(weir_tape_get_saved_bytes(tape), 0);
    wt_ok(weir_tape_gradient(tape, &loss, 1, NULL, inputs, 2, gradients));
    for (unsigned i = 0; i < 2; i++)
        cr_assert(weir_shape_equal(weir_tensor_get_shape(gradients[i]), &shapes[i]));
    tape_expect(gradients[0], 4.0f);
    tape_expect(gradients[1], 8.0f);
    weir_tensor_release(loss);
    weir_tensor_release(sum);
    for (unsigned i = 0; i < 2; i++) weir_tensor_release(inputs[i]);
    weir_tape_destroy(tape);
}

/* Integers go through views, but have no gradient. */
WEIR_DEVICE_TEST_TAGGED(tape_gradient, of_integers_there_is_none)
{
    const weir_shape shape = {2, {2, 3}};
    const int32_t data[6] = {0};
    weir_tape *tape = tape_open(ctx, 1);
    weir_tensor *x = NULL;
    weir_tensor *y = NULL;

    (void)dev;
    wt_ok(weir_tensor_from_host(ctx, WEIR_DTYPE_I32, &shape, data, &x));
    wt_ok(weir_tape_watch(tape, x));
    wt_ok(weir_transpose(ctx, x, NULL, &y));
    cr_assert_null(tape_gradient(tape, y, x));
    cr_assert_null(tape_gradient(tape, x, x));
    weir_tensor_release(y);
    weir_tensor_release(x);
    weir_tape_destroy(tape);
}
