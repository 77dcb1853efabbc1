/* Random programs made from the op table, as bodies for weir_for().
 *
 * A program is a seed: each trip draws the same choices from it, so the same instructions run on every trip, eagerly or
 * recorded. Values are of one shape but in instructions that sum or broadcast.
 */
#ifndef WT_FUNC_PROGRAM_H
#define WT_FUNC_PROGRAM_H

#include "cl/numeric.h"
#include "func_support.h"
#include "op_case.h"

#include "ops/op_cases.inc"

#define PROGRAM_CASES (sizeof op_cases / sizeof op_cases[0])
#define PROGRAM_VALUES_MAX 64
#define PROGRAM_CARRIES_MAX 3

/* Invariants: carries <= PROGRAM_CARRIES_MAX. `outer` are values of the bodies around, borrowed. */
struct program {
    uint64_t seed;
    unsigned depth;
    unsigned carries;
    int is_mixed; /* 1: sums, transposes and broadcasts too */
    weir_shape shape;
    weir_generator *generators; /* two */
    weir_tensor *outer[PROGRAM_VALUES_MAX];
    size_t n_outer;
};

/* The values of one trip: the first n_borrowed are not owned. */
struct program_values {
    weir_tensor *at[PROGRAM_VALUES_MAX];
    size_t n_borrowed;
    size_t count;
    uint64_t random;
};

static uint64_t program_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned program_below(struct program_values *values, unsigned n)
{
    return (unsigned)(program_random(&values->random) % n);
}

/* Any value; the later ones more often. */
static weir_tensor *program_pick(struct program_values *values)
{
    const unsigned a = program_below(values, (unsigned)values->count);
    const unsigned b = program_below(values, (unsigned)values->count);

    return values->at[a > b ? a : b];
}

static weir_status program_elementwise(weir_context *ctx, struct program_values *values,
                                       weir_tensor **out)
{
    const op_case *row = &op_cases[program_below(values, PROGRAM_CASES)];
    weir_tensor *inputs[4] = {NULL};
    float parameter = 0;

    for (unsigned i = 0; i < row->inputs; i++) inputs[i] = program_pick(values);
    parameter = (float)program_below(values, 4097) * 0x1p-10F - 2.0F;
    return row->call(ctx, inputs, &parameter, out);
}

static weir_status program_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                                weir_tensor **out, void *user);

/* A loop in the loop; its trips are a number or the index of this one. */
static weir_status program_inner(weir_context *ctx, const struct program *program,
                                 weir_scalar index, struct program_values *values,
                                 weir_tensor **out)
{
    struct program inner = *program;
    weir_tensor *in[PROGRAM_CARRIES_MAX];
    weir_tensor *results[PROGRAM_CARRIES_MAX];
    weir_scalar trips = weir_scalar_of((int64_t)program_below(values, 4));
    weir_status st = WEIR_OK;

    if (program_below(values, 4) == 0) trips = index;
    inner.seed = program_random(&values->random);
    inner.depth++;
    inner.carries = 1 + program_below(values, 2);
    inner.n_outer = values->count;
    memcpy(inner.outer, values->at, values->count * sizeof values->at[0]);
    for (unsigned c = 0; c < inner.carries; c++) in[c] = program_pick(values);
    st = weir_for(ctx, trips, program_trip, &inner, in, inner.carries, results);
    for (unsigned c = 1; c < inner.carries; c++) weir_tensor_release(results[c]);
    *out = results[0];
    return st;
}

/* A sum over one dimension, put back to the shape by a broadcast; or a transpose of a square. */
static weir_status program_mixed(weir_context *ctx, const struct program *program,
                                 struct program_values *values, weir_tensor **out)
{
    static const int axes[2] = {1, 0};
    const int axis = (int)program_below(values, 2);
    weir_tensor *sum = NULL;
    weir_tensor *wide = NULL;
    weir_status st = WEIR_OK;

    switch (program_below(values, 4)) {
    case 0:
        return weir_transpose(ctx, program_pick(values), axes, out);
    case 1:
        st = weir_transpose(ctx, program_pick(values), NULL, &wide);
        if (st == WEIR_OK) st = weir_sum(ctx, wide, &axis, 1, 1, &sum);
        if (st == WEIR_OK) st = weir_sub(ctx, program_pick(values), sum, out);
        break;
    case 2:
        st = weir_sum(ctx, program_pick(values), &axis, 1, 1, &sum);
        if (st == WEIR_OK) st = weir_expand(ctx, sum, &program->shape, &wide);
        if (st == WEIR_OK) st = weir_mul(ctx, wide, program_pick(values), out);
        break;
    default:
        st = weir_sum(ctx, program_pick(values), NULL, 0, 0, &sum);
        if (st == WEIR_OK) st = weir_add(ctx, sum, program_pick(values), out);
        break;
    }
    weir_tensor_release(sum);
    weir_tensor_release(wide);
    return st;
}

static weir_status program_step(weir_context *ctx, const struct program *program, weir_scalar index,
                                struct program_values *values, weir_tensor **out)
{
    weir_generator *generator = &program->generators[program_below(values, 2)];
    const unsigned choice = program_below(values, 20);

    if (program->is_mixed && choice >= 14) return program_mixed(ctx, program, values, out);
    if (choice < 11) return program_elementwise(ctx, values, out);
    if (choice < 14) return weir_random_normal(ctx, generator, &program->shape, out);
    if (choice < 16) return weir_random_uniform(ctx, generator, &program->shape, out);
    if (choice == 16) return weir_from_scalar(ctx, index, &program->shape, out);
    if (choice == 17)
        return weir_full(ctx, WEIR_DTYPE_F32, &program->shape,
                         (double)program_below(values, 9) - 4.0, out);
    if (choice == 18 && program->depth < 2) return program_inner(ctx, program, index, values, out);
    return program_elementwise(ctx, values, out);
}

/* One trip of a program; user: its struct program. */
static weir_status program_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                                weir_tensor **out, void *user)
{
    struct program *program = user;
    struct program_values values = {.random = program->seed};
    unsigned steps = 0;
    weir_status st = WEIR_OK;

    for (size_t i = 0; i < program->n_outer && values.count < PROGRAM_VALUES_MAX / 2; i++)
        values.at[values.count++] = program->outer[i];
    for (unsigned c = 0; c < program->carries; c++) values.at[values.count++] = in[c];
    values.n_borrowed = values.count;
    steps = 1 + program_below(&values, 6);
    for (unsigned i = 0; i < steps && st == WEIR_OK; i++) {
        weir_tensor *made = NULL;

        st = i == 0 && program->is_mixed && program->depth == 0
                 ? program_mixed(ctx, program, &values, &made)
                 : program_step(ctx, program, index, &values, &made);
        if (st == WEIR_OK) values.at[values.count++] = made;
    }
    for (unsigned c = 0; c < program->carries && st == WEIR_OK; c++)
        out[c] = weir_tensor_retain(c == 0 ? values.at[values.count - 1] : program_pick(&values));
    for (size_t i = values.n_borrowed; i < values.count; i++) weir_tensor_release(values.at[i]);
    return st;
}

/* A function of a program: carries and a number of trips in, carries out. */
static weir_status program_body(weir_context *ctx, const weir_argument *arguments,
                                weir_tensor **outs, void *user)
{
    const struct program *program = user;
    weir_tensor *in[PROGRAM_CARRIES_MAX];

    for (unsigned c = 0; c < program->carries; c++) in[c] = arguments[1 + c].tensor;
    return weir_for(ctx, arguments[0].scalar, program_trip, user, in, program->carries, outs);
}

#endif
