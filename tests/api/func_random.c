/* Functions made of random programs give the bits of the eager loop; those of elementwise operations and draws alone in
 * one launch, the others without taking memory while they run. A failure names the seed: WEIR_TEST_SEED=N runs the
 * programs from that one on. Each program is a compilation or several, so the ordinary run takes a fifth of them;
 * WEIR_LONG_TESTS=1 takes all, about a quarter of an hour a device on two cores. */
#include "func_program.h"

TestSuite(func_random, .timeout = 1200);

#define BATCHES 10

static void fill_program(struct program *program, uint64_t seed, int is_mixed,
                         weir_generator *generators)
{
    uint64_t state = seed;

    memset(program, 0, sizeof *program);
    program->seed = program_random(&state);
    program->carries = 1 + (unsigned)(program_random(&state) % PROGRAM_CARRIES_MAX);
    program->is_mixed = is_mixed;
    program->generators = generators;
    program->shape = func_matrix(1, 1 + program_random(&state) % 300);
    if (is_mixed)
        program->shape.extents[0] = program->shape.extents[1] = 2 + program_random(&state) % 12;
    for (unsigned g = 0; g < 2; g++) {
        generators[g].seed = program_random(&state);
        generators[g].next_draw = program_random(&state) % 5;
    }
}

static weir_function *capture(weir_context *ctx, struct program *program)
{
    weir_argument_spec specs[1 + PROGRAM_CARRIES_MAX] = {
        {WEIR_ARGUMENT_SCALAR, WEIR_DTYPE_F32, {0, {0}}}};
    weir_function *f = NULL;

    for (unsigned c = 0; c < program->carries; c++) {
        specs[1 + c].kind = WEIR_ARGUMENT_TENSOR;
        specs[1 + c].dtype = WEIR_DTYPE_F32;
        specs[1 + c].shape = program->shape;
    }
    wt_ok(weir_function_capture(ctx, specs, 1 + program->carries, program->carries, program_body,
                                program, &f));
    return f;
}

/* Calls the function and checks launches and memory. */
static void call(weir_context *ctx, weir_function *f, const struct program *program, int64_t trips,
                 weir_tensor *const *starts, weir_tensor **outs, uint64_t seed)
{
    weir_argument arguments[1 + PROGRAM_CARRIES_MAX] = {func_number(trips)};
    weir_pool_stats before;
    weir_pool_stats after;
    uint64_t launches = 0;

    for (unsigned c = 0; c < program->carries; c++) arguments[1 + c] = func_tensor(starts[c]);
    wt_ok(weir_function_prepare(f));
    before = ops_pool(ctx);
    launches = ops_launches(ctx);
    wt_ok(weir_function_call(f, arguments, 1 + program->carries, outs, program->carries));
    after = ops_pool(ctx);
    if (!program->is_mixed &&
        weir_device_get_class(weir_context_get_device(ctx)) == WEIR_DEVICE_CPU)
        cr_assert_eq(ops_launches(ctx) - launches, 1, "seed %llu: %llu launches",
                     (unsigned long long)seed, (unsigned long long)(ops_launches(ctx) - launches));
    cr_assert(after.blocks.count - before.blocks.count <= program->carries,
              "seed %llu: the run took memory", (unsigned long long)seed);
    cr_assert_eq(after.driver_allocs, before.driver_allocs, "seed %llu", (unsigned long long)seed);
}

static void check_program(weir_context *ctx, uint64_t seed, int is_mixed)
{
    weir_generator generators[2];
    weir_generator at_start[2];
    struct program program;
    weir_tensor *starts[PROGRAM_CARRIES_MAX] = {NULL};
    weir_tensor *captured[PROGRAM_CARRIES_MAX] = {NULL};
    weir_tensor *eager[PROGRAM_CARRIES_MAX] = {NULL};
    const int64_t trips = (int64_t)(seed % 9);
    weir_function *f = NULL;

    fill_program(&program, seed, is_mixed, generators);
    memcpy(at_start, generators, sizeof at_start);
    program.outer[program.n_outer++] = func_values(ctx, &program.shape, seed ^ 11);
    program.outer[program.n_outer++] = func_values(ctx, &program.shape, seed ^ 12);
    for (unsigned c = 0; c < program.carries; c++)
        starts[c] = func_values(ctx, &program.shape, seed + c);
    f = capture(ctx, &program);
    call(ctx, f, &program, trips, starts, captured, seed);
    memcpy(generators, at_start, sizeof at_start);
    wt_ok(weir_for(ctx, weir_scalar_of(trips), program_trip, &program, starts, program.carries,
                   eager));
    for (unsigned c = 0; c < program.carries; c++) {
        cr_assert(func_equal(eager[c], captured[c]), "seed %llu: carry %u differs after %lld trips",
                  (unsigned long long)seed, c, (long long)trips);
        weir_tensor_release(eager[c]);
        weir_tensor_release(captured[c]);
        weir_tensor_release(starts[c]);
    }
    weir_function_release(f);
    weir_tensor_release(program.outer[0]);
    weir_tensor_release(program.outer[1]);
}

/* A tenth of all programs, so that Criterion runs the tenths at once. */
static void check_batch(weir_context *ctx, uint64_t batch, uint64_t total, int is_mixed)
{
    const char *text = getenv("WEIR_TEST_SEED");
    const uint64_t first =
        text != NULL ? strtoull(text, NULL, 10) : 1 + (uint64_t)is_mixed * 100000;
    const char *is_long = getenv("WEIR_LONG_TESTS");
    const uint64_t count =
        wt_scale(is_long != NULL && strcmp(is_long, "1") == 0 ? total : total / 5);

    for (uint64_t i = batch; i < count; i += BATCHES) check_program(ctx, first + i, is_mixed);
}

/* X(batch, number in words) */
#define BATCH_LIST(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)

#define BATCH_TESTS(Number)                                                                    \
    WEIR_DEVICE_TEST_TAGGED(func_random, lane_local_programs_are_one_launch_##Number)          \
    {                                                                                          \
        (void)dev;                                                                             \
        check_batch(ctx, Number, 500, 0);                                                      \
    }                                                                                          \
    WEIR_DEVICE_TEST_TAGGED(func_random, other_programs_take_no_memory_while_running_##Number) \
    {                                                                                          \
        (void)dev;                                                                             \
        check_batch(ctx, Number, 200, 1);                                                      \
    }

BATCH_LIST(BATCH_TESTS)
