/* Variables: behaviour M1 to M8 and M13, N9. `st` is f32 of shape [1, 1024], 4096 bytes. */
#include "ops_support.h"

#include <pthread.h>

TestSuite(variable, .timeout = WT_TIMEOUT);

#define COUNT 1024

static weir_shape state_shape(void)
{
    weir_shape shape = {0};

    shape.rank = 2;
    shape.extents[0] = 1;
    shape.extents[1] = COUNT;
    return shape;
}

/* A tensor of the state's shape. */
static weir_tensor *state_full(weir_context *ctx, double value)
{
    const weir_shape shape = state_shape();
    weir_tensor *tensor = NULL;

    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, value, &tensor));
    return tensor;
}

static weir_tensor *state_normal(weir_context *ctx, weir_generator *generator)
{
    const weir_shape shape = state_shape();
    weir_tensor *tensor = NULL;

    wt_ok(weir_random_normal(ctx, generator, &shape, &tensor));
    return tensor;
}

/* A variable that alone holds its value. */
static weir_variable *state_variable(weir_context *ctx, double value)
{
    const weir_shape shape = state_shape();
    weir_tensor *initial = state_full(ctx, value);
    weir_variable *variable = NULL;

    wt_ok(weir_variable_create(ctx, "st", WEIR_DTYPE_F32, &shape, initial, NULL, &variable));
    weir_tensor_release(initial);
    return variable;
}

static void add(weir_variable *variable, weir_context *ctx, double value)
{
    weir_tensor *delta = state_full(ctx, value);

    wt_ok(weir_variable_assign_add(variable, delta));
    weir_tensor_release(delta);
}

static uint64_t cow_copies(const weir_context *ctx)
{
    weir_context_stats stats;

    weir_context_get_stats(ctx, &stats);
    return stats.cow_copies;
}

static void assert_all(weir_tensor *tensor, float value)
{
    float got[COUNT];

    ops_download(tensor, got);
    for (unsigned e = 0; e < COUNT; e++)
        cr_assert_eq(got[e], value, "element %u is %a", e, (double)got[e]);
}

static void assert_value(weir_variable *variable, float value)
{
    weir_tensor *now = NULL;

    wt_ok(weir_variable_read(variable, &now));
    assert_all(now, value);
    weir_tensor_release(now);
}

/* Where the variable's value is. */
static void place_of(weir_variable *variable, uint64_t *root, uint64_t *offset)
{
    weir_tensor *now = NULL;

    wt_ok(weir_variable_read(variable, &now));
    *root = weir_block_get_root(weir_tensor_get_block(now));
    *offset = weir_block_get_offset_bytes(weir_tensor_get_block(now));
    weir_tensor_release(now);
}

/* M1 */
WEIR_DEVICE_TEST(variable, an_eager_loop_needs_three_blocks_at_most)
{
    const uint64_t steps = wt_scale(10000);
    const weir_shape shape = state_shape();
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *state = NULL;
    uint64_t driver_allocs = 0;

    (void)dev;
    weir_pool_reset_peak(weir_context_get_pool(ctx));
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &state));
    for (uint64_t step = 1; step <= steps; step++) {
        weir_tensor *noise = state_normal(ctx, &generator);
        weir_tensor *next = NULL;

        wt_ok(weir_add(ctx, state, noise, &next));
        weir_tensor_release(state);
        weir_tensor_release(noise);
        state = next;
        if (step == 3) driver_allocs = ops_pool(ctx).driver_allocs;
    }
    wt_ok(weir_context_synchronize(ctx));
    cr_assert(ops_pool(ctx).in_use_bytes.peak <= 3 * UINT64_C(4096), "peak %llu",
              (unsigned long long)ops_pool(ctx).in_use_bytes.peak);
    if (steps > 3) cr_assert_eq(ops_pool(ctx).driver_allocs, driver_allocs);
    cr_assert_eq(ops_launches(ctx), steps, "the draw is part of the addition");
    weir_tensor_release(state);
}

/* M2 */
WEIR_DEVICE_TEST(variable, assign_add_of_a_draw_never_moves_the_state)
{
    const uint64_t steps = wt_scale(10000);
    weir_variable *st = state_variable(ctx, 0.0);
    weir_generator generator = WEIR_GENERATOR_INIT;
    uint64_t root = 0;
    uint64_t offset = 0;
    uint64_t root_now = 0;
    uint64_t offset_now = 0;
    uint64_t in_use = 0;

    (void)dev;
    place_of(st, &root, &offset);
    for (uint64_t step = 1; step <= steps; step++) {
        weir_tensor *noise = state_normal(ctx, &generator);

        wt_ok(weir_variable_assign_add(st, noise));
        weir_tensor_release(noise);
        if (step == 1) in_use = ops_pool(ctx).in_use_bytes.current;
        cr_assert_eq(ops_pool(ctx).in_use_bytes.current, in_use, "step %llu",
                     (unsigned long long)step);
        place_of(st, &root_now, &offset_now);
        cr_assert(root_now == root && offset_now == offset, "it moved at step %llu",
                  (unsigned long long)step);
    }
    cr_assert_eq(cow_copies(ctx), 0);
    cr_assert_eq(ops_launches(ctx), steps);
    weir_variable_release(st);
}

/* The loop of problem 1 in its two forms: F3 without the captured one. */
WEIR_DEVICE_TEST_TAGGED(variable, eager_and_in_place_loops_give_the_same_bits)
{
    const uint64_t steps = wt_scale(1000);
    const weir_shape shape = state_shape();
    weir_generator first = WEIR_GENERATOR_INIT;
    weir_generator second = WEIR_GENERATOR_INIT;
    weir_variable *st = state_variable(ctx, 0.0);
    weir_tensor *state = NULL;
    weir_tensor *read = NULL;
    float eager[COUNT];
    float in_place[COUNT];

    (void)dev;
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &state));
    for (uint64_t step = 0; step < steps; step++) {
        weir_tensor *noise = state_normal(ctx, &first);
        weir_tensor *next = NULL;

        wt_ok(weir_add(ctx, state, noise, &next));
        weir_tensor_release(noise);
        weir_tensor_release(state);
        state = next;
        noise = state_normal(ctx, &second);
        wt_ok(weir_variable_assign_add(st, noise));
        weir_tensor_release(noise);
    }
    wt_ok(weir_variable_read(st, &read));
    ops_download(state, eager);
    ops_download(read, in_place);
    cr_assert_arr_eq(eager, in_place, sizeof eager);
    weir_tensor_release(read);
    weir_tensor_release(state);
    weir_variable_release(st);
}

/* M3 */
WEIR_DEVICE_TEST_TAGGED(variable, assign_add_copies_once_while_a_snapshot_is_held)
{
    weir_variable *st = state_variable(ctx, 5.0);
    weir_tensor *r = NULL;

    (void)dev;
    wt_ok(weir_variable_read(st, &r));
    cr_assert_eq(weir_variable_is_shared(st), 1);
    add(st, ctx, 1.0);
    cr_assert_eq(cow_copies(ctx), 1);
    cr_assert_eq(weir_variable_is_shared(st), 0);
    assert_all(r, 5.0f);
    assert_value(st, 6.0f);
    add(st, ctx, 1.0);
    cr_assert_eq(cow_copies(ctx), 1);
    assert_all(r, 5.0f);
    assert_value(st, 7.0f);
    weir_tensor_release(r);
    weir_variable_release(st);
}

/* M4 */
WEIR_DEVICE_TEST_TAGGED(variable,
                        a_released_snapshot_costs_no_copy_though_its_reader_may_still_wait)
{
    weir_variable *st = state_variable(ctx, 3.0);
    weir_tensor *r = NULL;
    weir_tensor *reader = NULL;

    (void)dev;
    wt_ok(weir_variable_read(st, &r));
    wt_ok(weir_scale(ctx, r, 2.0f, &reader));
    weir_tensor_release(r);
    add(st, ctx, 1.0);
    cr_assert_eq(cow_copies(ctx), 0);
    assert_all(reader, 6.0f);
    assert_value(st, 4.0f);
    weir_tensor_release(reader);
    weir_variable_release(st);
}

/* M5 */
WEIR_DEVICE_TEST_TAGGED(variable, an_assigned_tensor_keeps_its_values)
{
    weir_variable *v = state_variable(ctx, 0.0);
    weir_tensor *t = state_full(ctx, 9.0);

    (void)dev;
    wt_ok(weir_variable_assign(v, t));
    add(v, ctx, 1.0);
    assert_all(t, 9.0f);
    assert_value(v, 10.0f);
    cr_assert_eq(cow_copies(ctx), 1);
    weir_tensor_release(t);
    weir_variable_release(v);
}

/* M5, the held tensor being the delta itself: v = t + t. */
WEIR_DEVICE_TEST_TAGGED(variable, may_be_updated_by_the_tensor_it_shares)
{
    weir_variable *v = state_variable(ctx, 0.0);
    weir_tensor *t = state_full(ctx, 9.0);

    (void)dev;
    wt_ok(weir_variable_assign(v, t));
    wt_ok(weir_variable_assign_add(v, t));
    assert_all(t, 9.0f);
    assert_value(v, 18.0f);
    weir_tensor_release(t);
    weir_variable_release(v);
}

/* A draw that is assigned, and one that is both value and delta. */
WEIR_DEVICE_TEST_TAGGED(variable, a_draw_may_be_assigned_and_added)
{
    weir_variable *v = state_variable(ctx, 0.0);
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *n = state_normal(ctx, &generator);
    weir_tensor *now = NULL;
    float once[COUNT];
    float twice[COUNT];

    (void)dev;
    wt_ok(weir_variable_assign(v, n));
    wt_ok(weir_variable_assign_add(v, n));
    ops_download(n, once);
    wt_ok(weir_variable_read(v, &now));
    ops_download(now, twice);
    for (unsigned e = 0; e < COUNT; e++) cr_assert_eq(twice[e], once[e] + once[e]);
    weir_tensor_release(now);
    weir_tensor_release(n);
    weir_variable_release(v);
}

WEIR_DEVICE_TEST_TAGGED(variable, assign_sub_subtracts)
{
    weir_variable *v = state_variable(ctx, 1.5);
    weir_tensor *delta = state_full(ctx, 4.0);

    (void)dev;
    wt_ok(weir_variable_assign_sub(v, delta));
    assert_value(v, -2.5f);
    wt_ok(weir_variable_assign_sub(v, delta));
    assert_value(v, -6.5f);
    weir_tensor_release(delta);
    weir_variable_release(v);
}

WEIR_DEVICE_TEST_TAGGED(variable, a_strict_variable_refuses_to_copy)
{
    const weir_shape shape = state_shape();
    weir_variable_options options = WEIR_VARIABLE_OPTIONS_INIT;
    weir_tensor *initial = state_full(ctx, 1.0);
    weir_tensor *delta = state_full(ctx, 1.0);
    weir_variable *v = NULL;

    (void)dev;
    options.is_strict = 1;
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, initial, &options, &v));
    wt_fails(weir_variable_assign_add(v, delta), WEIR_E_SHARED);
    assert_value(v, 1.0f);
    weir_tensor_release(initial);
    wt_ok(weir_variable_assign_add(v, delta));
    assert_value(v, 2.0f);
    cr_assert_eq(cow_copies(ctx), 0);
    weir_tensor_release(delta);
    weir_variable_release(v);
}

/* M6 */
WEIR_DEVICE_TEST_TAGGED(variable, shapes_must_match_exactly)
{
    static const int64_t extents[] = {1, 4};
    const weir_shape four = ops_vector(4);
    const weir_shape scalar = {0};
    weir_shape row;
    weir_tensor *initial = ops_full(ctx, 4, 2.0);
    weir_tensor *delta = NULL;
    weir_tensor *now = NULL;
    weir_variable *v = NULL;
    float got[4];

    (void)dev;
    wt_ok(weir_shape_make(2, extents, &row));
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &four, initial, NULL, &v));
    weir_tensor_release(initial);
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &scalar, 1.0, &delta));
    wt_fails(weir_variable_assign_add(v, delta), WEIR_E_SHAPE);
    weir_tensor_release(delta);
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &row, 1.0, &delta));
    wt_fails(weir_variable_assign_add(v, delta), WEIR_E_SHAPE);
    wt_fails(weir_variable_assign_sub(v, delta), WEIR_E_SHAPE);
    wt_fails(weir_variable_assign(v, delta), WEIR_E_SHAPE);
    weir_tensor_release(delta);
    wt_ok(weir_variable_read(v, &now));
    ops_download(now, got);
    for (unsigned e = 0; e < 4; e++) cr_assert_eq(got[e], 2.0f);
    weir_tensor_release(now);
    weir_variable_release(v);
}

/* M7 */
WEIR_DEVICE_TEST_TAGGED(variable, types_must_match_and_both_are_named)
{
    static const weir_dtype others[] = {WEIR_DTYPE_F64, WEIR_DTYPE_I32};
    const weir_shape shape = state_shape();
    weir_variable *v = state_variable(ctx, 2.0);

    (void)dev;
    for (size_t i = 0; i < 2; i++) {
        weir_tensor *other = NULL;

        wt_ok(weir_zeros(ctx, others[i], &shape, &other));
        wt_fails(weir_variable_assign(v, other), WEIR_E_DTYPE);
        cr_assert_not_null(strstr(weir_last_error()->message, "f32"));
        cr_assert_not_null(strstr(weir_last_error()->message, weir_dtype_name(others[i])));
        wt_fails(weir_variable_assign_add(v, other), WEIR_E_DTYPE);
        weir_tensor_release(other);
    }
    assert_value(v, 2.0f);
    weir_variable_release(v);
}

WEIR_DEVICE_TEST_TAGGED(variable, only_f32_is_updated)
{
    const weir_shape shape = state_shape();
    weir_tensor *numbers = NULL;
    weir_variable *v = NULL;

    (void)dev;
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_I32, &shape, &numbers));
    wt_ok(weir_variable_create(ctx, "counts", WEIR_DTYPE_I32, &shape, numbers, NULL, &v));
    wt_fails(weir_variable_assign_add(v, numbers), WEIR_E_DTYPE);
    cr_assert_not_null(strstr(weir_last_error()->message, "counts"));
    weir_variable_release(v);
    weir_tensor_release(numbers);
}

/* M8 */
WEIR_DEVICE_TEST_TAGGED(variable, without_a_value_is_uninitialised)
{
    const weir_shape shape = state_shape();
    weir_tensor *t = state_full(ctx, 1.0);
    weir_tensor *now = (weir_tensor *)(uintptr_t)16;
    weir_variable *v = NULL;

    (void)dev;
    wt_ok(weir_variable_create(ctx, "empty_one", WEIR_DTYPE_F32, &shape, NULL, NULL, &v));
    wt_fails(weir_variable_read(v, &now), WEIR_E_UNINITIALISED);
    cr_assert_null(now);
    cr_assert_not_null(strstr(weir_last_error()->message, "empty_one"));
    wt_fails(weir_variable_assign_add(v, t), WEIR_E_UNINITIALISED);
    cr_assert_not_null(strstr(weir_last_error()->message, "empty_one"));
    wt_ok(weir_variable_assign(v, t));
    wt_ok(weir_variable_assign_add(v, t));
    assert_value(v, 2.0f);
    weir_variable_release(v);
    weir_tensor_release(t);
}

WEIR_DEVICE_TEST_TAGGED(variable, missing_arguments_are_arg)
{
    weir_variable *v = state_variable(ctx, 1.0);
    weir_tensor *t = state_full(ctx, 1.0);

    (void)dev;
    wt_fails(weir_variable_assign_add(NULL, t), WEIR_E_ARG);
    wt_fails(weir_variable_assign_add(v, NULL), WEIR_E_ARG);
    wt_fails(weir_variable_assign_sub(NULL, t), WEIR_E_ARG);
    wt_fails(weir_variable_assign_sub(v, NULL), WEIR_E_ARG);
    assert_value(v, 1.0f);
    weir_tensor_release(t);
    weir_variable_release(v);
}

/* M12, without the product. */
WEIR_DEVICE_TEST_TAGGED(variable, a_shape_that_no_tensor_has_is_refused)
{
    const weir_shape shapes[] = {{WEIR_RANK_MAX + 1, {1}},
                                 {2, {UINT64_C(1) << 40, UINT64_C(1) << 40}},
                                 {1, {UINT64_C(1) << 62}}};

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        weir_variable *variable = (weir_variable *)ctx;
        cr_assert_eq(
            weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shapes[i], NULL, NULL, &variable),
            WEIR_E_SHAPE, "%s: shape %zu", dev->name, i);
        cr_assert_null(variable);
    }
}

Test(variable, getters_answer_for_null)
{
    cr_assert_str_empty(weir_variable_get_name(NULL));
    cr_assert_eq(weir_variable_get_dtype(NULL), WEIR_DTYPE_NONE);
    cr_assert_null(weir_variable_get_shape(NULL));
    cr_assert_eq(weir_variable_is_shared(NULL), 0);
    cr_assert_null(weir_tensor_get_context(NULL));
    cr_assert_eq(weir_tensor_get_dtype(NULL), WEIR_DTYPE_NONE);
    cr_assert_null(weir_tensor_get_shape(NULL));
    cr_assert_null(weir_tensor_get_block(NULL));
    cr_assert_eq(weir_tensor_get_count(NULL) + weir_tensor_get_bytes(NULL), 0U);
    cr_assert_null(weir_context_get_pool(NULL));
    cr_assert_null(weir_context_get_device(NULL));
}

WEIR_DEVICE_TEST_TAGGED(variable, an_empty_variable_works_without_the_driver)
{
    static const int64_t extents[] = {0, 2};
    weir_shape shape;
    weir_tensor *t = NULL;
    weir_tensor *now = NULL;
    weir_variable *v = NULL;

    (void)dev;
    wt_ok(weir_shape_make(2, extents, &shape));
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &t));
    wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, t, NULL, &v));
    wt_ok(weir_variable_assign_add(v, t));
    wt_ok(weir_variable_read(v, &now));
    cr_assert_eq(weir_tensor_get_count(now), 0);
    ops_download(now, NULL);
    cr_assert_eq(ops_launches(ctx), 0);
    cr_assert_eq(ops_pool(ctx).driver_allocs, 0);
    weir_tensor_release(now);
    weir_variable_release(v);
    weir_tensor_release(t);
}

/* M13 */
WEIR_DEVICE_TEST(variable, dropping_variables_gives_their_blocks_back)
{
    static const int64_t extents[] = {32, 100};
    const uint64_t rounds = wt_scale(10000);
    weir_shape shape;
    const uint64_t base = ops_pool(ctx).blocks.current;

    (void)dev;
    wt_ok(weir_shape_make(2, extents, &shape));
    for (uint64_t i = 0; i < rounds; i++) {
        weir_tensor *t = NULL;
        weir_variable *v = NULL;

        wt_ok(weir_zeros(ctx, WEIR_DTYPE_F32, &shape, &t));
        wt_ok(weir_variable_create(ctx, "v", WEIR_DTYPE_F32, &shape, t, NULL, &v));
        weir_tensor_release(t);
        weir_variable_release(v);
    }
    cr_assert_eq(ops_pool(ctx).blocks.current, base);
}

/* N9 */
#define ADDERS 8
#define ADDS 1000

struct adder {
    weir_variable *variable;
    weir_tensor *one;
    int is_ok;
};

static void *add_many(void *user)
{
    struct adder *adder = user;

    adder->is_ok = 1;
    for (unsigned i = 0; i < ADDS && adder->is_ok; i++) {
        adder->is_ok = weir_variable_assign_add(adder->variable, adder->one) == WEIR_OK;
    }
    return NULL;
}

WEIR_DEVICE_TEST(variable, no_update_of_eight_threads_is_lost)
{
    weir_variable *v = state_variable(ctx, 0.0);
    weir_tensor *one = state_full(ctx, 1.0);
    struct adder adders[ADDERS];
    pthread_t threads[ADDERS];

    (void)dev;
    for (unsigned i = 0; i < ADDERS; i++) {
        adders[i] = (struct adder){v, one, 0};
        cr_assert_eq(pthread_create(&threads[i], NULL, add_many, &adders[i]), 0);
    }
    for (unsigned i = 0; i < ADDERS; i++) {
        (void)pthread_join(threads[i], NULL);
        cr_assert(adders[i].is_ok);
    }
    assert_value(v, (float)(ADDERS * ADDS));
    weir_tensor_release(one);
    weir_variable_release(v);
}
