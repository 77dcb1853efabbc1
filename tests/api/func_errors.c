/* What cannot be captured or called, each with its status and a message that says so; nothing is left behind. */
#include "func_support.h"

TestSuite(func_errors, .timeout = WT_TIMEOUT);

static int says(const char *part) { return strstr(weir_last_error()->message, part) != NULL; }

#define fails_saying(Expression, Status, Part)                                                    \
    do {                                                                                          \
        wt_fails(Expression, Status);                                                             \
        cr_assert(says(Part), "%s: the message is: %s", #Expression, weir_last_error()->message); \
    } while (0)

/* What a body does wrong; it gets a constant of the context and one of another context. */
struct wrong {
    weir_tensor *constant;
    weir_tensor *foreign;
    weir_variable *variable;
    weir_tensor *leaked; /* symbols that live on */
    weir_scalar scalar;
    int mistake;
};

enum {
    READS_HOST,
    SYNCHRONIZES,
    MAKES_VARIABLE,
    UPDATES_VARIABLE,
    ASSIGNS_VARIABLE,
    COPIES_FROM_HOST,
    USES_FOREIGN,
    CAPTURES_AGAIN,
    LEAVES_EMPTY,
    USES_INNER,
    USES_INDEX,
    OTHER_SHAPE,
    OTHER_DTYPE,
    EMPTY_CARRY,
    MIXES_CONTEXTS,
    FAILS,
    MISTAKES
};

static const struct {
    weir_status status;
    const char *part;
} expected[MISTAKES] = {
    [READS_HOST] = {WEIR_E_CAPTURE, "runs nothing"},
    [SYNCHRONIZES] = {WEIR_E_CAPTURE, "runs nothing"},
    [MAKES_VARIABLE] = {WEIR_E_CAPTURE, "variable v cannot be created in a capture"},
    [UPDATES_VARIABLE] = {WEIR_E_CAPTURE, "variable state"},
    [ASSIGNS_VARIABLE] = {WEIR_E_CAPTURE, "variable state"},
    [COPIES_FROM_HOST] = {WEIR_E_CAPTURE, "runs nothing"},
    [USES_FOREIGN] = {WEIR_E_CONTEXT, "another context"},
    [CAPTURES_AGAIN] = {WEIR_E_CAPTURE, "a capture inside a capture"},
    [LEAVES_EMPTY] = {WEIR_E_CAPTURE, "left result 0 empty"},
    [USES_INNER] = {WEIR_E_CAPTURE, "inside a loop's body"},
    [USES_INDEX] = {WEIR_E_CAPTURE, "index of a loop is used outside"},
    [OTHER_SHAPE] = {WEIR_E_CAPTURE, "carry 1 is [4], the body returned [2, 2]"},
    [OTHER_DTYPE] = {WEIR_E_CAPTURE, "carry 1 is f32, the body returned i32"},
    [EMPTY_CARRY] = {WEIR_E_CAPTURE, "left carry 1 empty"},
    [MIXES_CONTEXTS] = {WEIR_E_CAPTURE, "a is a tensor of a capture"},
    [FAILS] = {WEIR_E_SHAPE, "a is [4], b is [3]"},
};

static weir_status wrong_trip(weir_context *ctx, weir_scalar index, weir_tensor *const *in,
                              weir_tensor **out, void *user)
{
    struct wrong *wrong = user;
    const weir_shape square = func_matrix(2, 2);
    weir_status st = weir_add(ctx, in[0], in[0], &out[0]);

    wrong->scalar = index;
    if (st != WEIR_OK) return st;
    switch (wrong->mistake) {
    case OTHER_SHAPE:
        return weir_reshape(ctx, in[1], &square, &out[1]);
    case OTHER_DTYPE:
        return weir_zeros(ctx, WEIR_DTYPE_I32, weir_tensor_get_shape(in[1]), &out[1]);
    case EMPTY_CARRY:
        return WEIR_OK;
    case USES_INNER:
        wrong->leaked = weir_tensor_retain(out[0]);
        break;
    default:
        break;
    }
    out[1] = weir_tensor_retain(in[1]);
    return WEIR_OK;
}

static weir_status run_loop(weir_context *ctx, weir_tensor *a, struct wrong *wrong,
                            weir_tensor **out)
{
    weir_tensor *in[2] = {a, wrong->constant};
    weir_tensor *results[2];
    weir_status st = weir_for(ctx, weir_scalar_of(3), wrong_trip, wrong, in, 2, results);

    if (st != WEIR_OK) {
        cr_assert(results[0] == NULL && results[1] == NULL);
        return st;
    }
    *out = results[0];
    weir_tensor_release(results[1]);
    return WEIR_OK;
}

static weir_status wrong_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    struct wrong *wrong = user;
    weir_tensor *a = arguments[0].tensor;
    const weir_shape *shape = weir_tensor_get_shape(a);
    const weir_shape three = ops_vector(3);
    weir_argument_spec spec = {WEIR_ARGUMENT_SCALAR, WEIR_DTYPE_F32, {0, {0}}};
    weir_tensor *made = NULL;
    weir_variable *variable = NULL;
    weir_function *f = NULL;
    float values[4] = {0};
    weir_status st = weir_exp(ctx, a, &made);

    if (st != WEIR_OK) return st;
    switch (wrong->mistake) {
    case READS_HOST:
        st = weir_tensor_to_host(made, values, sizeof values);
        break;
    case SYNCHRONIZES:
        st = weir_context_synchronize(ctx);
        break;
    case MAKES_VARIABLE:
        st = weir_variable_create(ctx, "v", WEIR_DTYPE_F32, shape, NULL, NULL, &variable);
        break;
    case UPDATES_VARIABLE:
        st = weir_variable_assign_add(wrong->variable, made);
        break;
    case ASSIGNS_VARIABLE:
        st = weir_variable_assign(wrong->variable, made);
        break;
    case COPIES_FROM_HOST:
        st = weir_tensor_from_host(ctx, WEIR_DTYPE_F32, shape, values, &outs[0]);
        break;
    case USES_FOREIGN:
        st = weir_add(ctx, made, wrong->foreign, &outs[0]);
        break;
    case CAPTURES_AGAIN:
        st = weir_function_capture(ctx, &spec, 1, 1, wrong_body, wrong, &f);
        break;
    case LEAVES_EMPTY:
        break;
    case USES_INNER:
        st = run_loop(ctx, a, wrong, &outs[0]);
        weir_tensor_release(outs[0]);
        outs[0] = NULL;
        if (st == WEIR_OK) st = weir_exp(ctx, wrong->leaked, &outs[0]);
        break;
    case USES_INDEX:
        st = run_loop(ctx, a, wrong, &outs[0]);
        weir_tensor_release(outs[0]);
        outs[0] = NULL;
        if (st == WEIR_OK) st = weir_from_scalar(ctx, wrong->scalar, shape, &outs[0]);
        break;
    case OTHER_SHAPE:
    case OTHER_DTYPE:
    case EMPTY_CARRY:
        st = run_loop(ctx, a, wrong, &outs[0]);
        break;
    case MIXES_CONTEXTS:
        st = weir_add(weir_tensor_get_context(wrong->constant), made, wrong->constant, &outs[0]);
        break;
    case FAILS: {
        weir_tensor *other = NULL;
        st = weir_zeros(ctx, WEIR_DTYPE_F32, &three, &other);
        if (st == WEIR_OK) st = weir_add(ctx, made, other, &outs[0]);
        weir_tensor_release(other);
        break;
    }
    default:
        break;
    }
    cr_assert(variable == NULL && f == NULL);
    weir_tensor_release(made);
    return st;
}

WEIR_DEVICE_TEST_TAGGED(func_errors, bodies_that_cannot_be_captured_say_why_and_leave_nothing)
{
    const weir_shape shape = ops_vector(4);
    weir_context *other = NULL;
    struct wrong wrong = {0};
    weir_argument_spec specs[2];
    weir_live live;

    (void)dev;
    wt_ok(weir_context_create(weir_context_get_device(ctx), NULL, &other));
    wrong.constant = ops_full(ctx, 4, 1.0);
    wrong.foreign = ops_full(other, 4, 1.0);
    wt_ok(weir_variable_create(ctx, "state", WEIR_DTYPE_F32, &shape, wrong.constant, NULL,
                               &wrong.variable));
    func_specs(&shape, specs);
    weir_live_get(&live);
    for (wrong.mistake = 0; wrong.mistake < MISTAKES; wrong.mistake++) {
        const weir_pool_stats before = ops_pool(ctx);
        weir_function *f = NULL;

        weir_last_error_reset();
        wt_fails(weir_function_capture(ctx, specs, 2, 1, wrong_body, &wrong, &f),
                 expected[wrong.mistake].status);
        cr_assert(says(expected[wrong.mistake].part), "mistake %d: %s", wrong.mistake,
                  weir_last_error()->message);
        cr_assert_null(f);
        cr_assert_eq(ops_pool(ctx).in_use_bytes.current, before.in_use_bytes.current, "mistake %d",
                     wrong.mistake);
        wt_assert_live(&live, "after a capture that failed");
        weir_tensor_release(wrong.leaked);
        wrong.leaked = NULL;
    }
    weir_variable_release(wrong.variable);
    weir_tensor_release(wrong.constant);
    weir_tensor_release(wrong.foreign);
    weir_context_release(other);
}

/* Keeps what must not be used later. */
struct kept {
    weir_context *context;
    weir_tensor *symbol;
    weir_scalar scalar;
};

static weir_status keeping_body(weir_context *ctx, const weir_argument *arguments,
                                weir_tensor **outs, void *user)
{
    struct kept *kept = user;
    weir_status st = weir_exp(ctx, arguments[0].tensor, &outs[0]);

    if (st != WEIR_OK) return st;
    kept->context = weir_context_retain(ctx);
    kept->symbol = weir_tensor_retain(outs[0]);
    kept->scalar = arguments[1].scalar;
    return WEIR_OK;
}

static weir_status using_body(weir_context *ctx, const weir_argument *arguments, weir_tensor **outs,
                              void *user)
{
    const struct kept *kept = user;
    weir_tensor *unused = NULL;
    weir_status st =
        weir_from_scalar(ctx, kept->scalar, weir_tensor_get_shape(arguments[0].tensor), &unused);

    cr_assert_eq(st, WEIR_E_CAPTURE);
    cr_assert(says("another capture"), "%s", weir_last_error()->message);
    return weir_add(ctx, arguments[0].tensor, kept->symbol, &outs[0]);
}

WEIR_DEVICE_TEST_TAGGED(func_errors, symbols_are_refused_after_their_capture)
{
    const weir_shape shape = ops_vector(4);
    struct kept kept = {NULL, NULL, {0, 0, 0}};
    weir_tensor *a = ops_full(ctx, 4, 1.0);
    weir_tensor *out = NULL;
    weir_argument_spec specs[2];
    weir_argument arguments[2] = {func_tensor(a), func_number(1)};
    weir_function *f = NULL;
    weir_function *second = NULL;
    float values[4];

    (void)dev;
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, 1, keeping_body, &kept, &f));
    fails_saying(weir_exp(kept.context, kept.symbol, &out), WEIR_E_CAPTURE, "has ended");
    fails_saying(weir_zeros(kept.context, WEIR_DTYPE_F32, &shape, &out), WEIR_E_CAPTURE,
                 "has ended");
    fails_saying(weir_from_scalar(kept.context, kept.scalar, &shape, &out), WEIR_E_CAPTURE,
                 "has ended");
    fails_saying(weir_exp(ctx, kept.symbol, &out), WEIR_E_CAPTURE, "tensor of a capture");
    fails_saying(weir_tensor_to_host(kept.symbol, values, sizeof values), WEIR_E_CAPTURE, "ended");
    fails_saying(weir_from_scalar(ctx, kept.scalar, &shape, &out), WEIR_E_CAPTURE, "outside of it");
    wt_fails(weir_function_capture(ctx, specs, 2, 1, using_body, &kept, &second), WEIR_E_CAPTURE);
    arguments[0].tensor = kept.symbol;
    fails_saying(weir_function_call(f, arguments, 2, &out, 1), WEIR_E_CAPTURE, "argument 0");
    arguments[0].tensor = a;
    arguments[1].scalar = kept.scalar;
    fails_saying(weir_function_call(f, arguments, 2, &out, 1), WEIR_E_CAPTURE, "argument 1");
    cr_assert_null(out);
    weir_tensor_release(kept.symbol);
    weir_context_release(kept.context);
    weir_function_release(f);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(func_errors, calls_must_match_what_was_captured)
{
    const weir_shape shape = ops_vector(4);
    const weir_shape square = func_matrix(2, 2);
    struct kept kept = {NULL, NULL, {0, 0, 0}};
    weir_context *other = NULL;
    weir_tensor *a = ops_full(ctx, 4, 1.0);
    weir_tensor *integers = NULL;
    weir_tensor *reshaped = NULL;
    weir_tensor *foreign = NULL;
    weir_tensor *out = a;
    weir_argument arguments[2] = {func_tensor(a), func_number(1)};
    weir_argument_spec specs[2];
    weir_function *f = NULL;

    (void)dev;
    wt_ok(weir_context_create(weir_context_get_device(ctx), NULL, &other));
    foreign = ops_full(other, 4, 1.0);
    wt_ok(weir_zeros(ctx, WEIR_DTYPE_I32, &shape, &integers));
    wt_ok(weir_reshape(ctx, a, &square, &reshaped));
    func_specs(&shape, specs);
    wt_ok(weir_function_capture(ctx, specs, 2, 1, keeping_body, &kept, &f));
    weir_tensor_release(kept.symbol);
    weir_context_release(kept.context);

    fails_saying(weir_function_call(f, arguments, 1, &out, 1), WEIR_E_ARG,
                 "1 arguments and 1 results");
    cr_assert_null(out);
    fails_saying(weir_function_call(f, arguments, 2, &out, 0), WEIR_E_ARG, "captured were 2 and 1");
    fails_saying(weir_function_call(f, NULL, 2, &out, 1), WEIR_E_ARG, "");
    fails_saying(weir_function_call(f, arguments, 2, NULL, 1), WEIR_E_ARG, "required");
    fails_saying(weir_function_call(NULL, arguments, 2, &out, 1), WEIR_E_ARG, "required");
    fails_saying(weir_function_prepare(NULL), WEIR_E_ARG, "required");
    arguments[0].tensor = NULL;
    fails_saying(weir_function_call(f, arguments, 2, &out, 1), WEIR_E_ARG, "argument 0 is missing");
    arguments[0].tensor = integers;
    fails_saying(weir_function_call(f, arguments, 2, &out, 1), WEIR_E_DTYPE,
                 "argument 0 is i32, captured was f32");
    arguments[0].tensor = reshaped;
    fails_saying(weir_function_call(f, arguments, 2, &out, 1), WEIR_E_SHAPE,
                 "argument 0 is [2, 2], captured was [4]");
    arguments[0].tensor = foreign;
    fails_saying(weir_function_call(f, arguments, 2, &out, 1), WEIR_E_CONTEXT, "argument 0");
    cr_assert_null(out);
    weir_function_release(f);
    weir_function_release(NULL);
    weir_tensor_release(foreign);
    weir_tensor_release(integers);
    weir_tensor_release(reshaped);
    weir_tensor_release(a);
    weir_context_release(other);
}

WEIR_DEVICE_TEST_TAGGED(func_errors, loops_and_captures_check_their_arguments)
{
    const weir_shape shape = ops_vector(4);
    struct wrong wrong = {0};
    weir_tensor *in[2] = {ops_full(ctx, 4, 1.0), NULL};
    weir_tensor *outs[2] = {in[0], in[0]};
    weir_argument_spec specs[2];
    weir_function *f = NULL;
    const weir_scalar two = weir_scalar_of(2);
    const weir_scalar symbol = {0, 1, 1};

    (void)dev;
    func_specs(&shape, specs);
    fails_saying(weir_for(NULL, two, wrong_trip, &wrong, in, 1, outs), WEIR_E_ARG, "required");
    cr_assert_null(outs[0]);
    fails_saying(weir_for(ctx, two, NULL, &wrong, in, 1, outs), WEIR_E_ARG, "required");
    fails_saying(weir_for(ctx, two, wrong_trip, &wrong, in, 0, outs), WEIR_E_ARG, "not 0");
    fails_saying(weir_for(ctx, two, wrong_trip, &wrong, in, 2, outs), WEIR_E_ARG,
                 "carry 1 is missing");
    cr_assert_null(outs[1]);
    in[1] = ops_full(ctx, 4, 1.0);
    fails_saying(weir_for(ctx, symbol, wrong_trip, &wrong, in, 2, outs), WEIR_E_CAPTURE,
                 "outside of it");
    wrong.mistake = OTHER_SHAPE;
    fails_saying(weir_for(ctx, two, wrong_trip, &wrong, in, 2, outs), WEIR_E_SHAPE,
                 "carry 1 is [4]");
    wrong.mistake = OTHER_DTYPE;
    fails_saying(weir_for(ctx, two, wrong_trip, &wrong, in, 2, outs), WEIR_E_DTYPE,
                 "carry 1 is f32");
    wrong.mistake = EMPTY_CARRY;
    fails_saying(weir_for(ctx, two, wrong_trip, &wrong, in, 2, outs), WEIR_E_ARG, "carry 1 empty");
    cr_assert(outs[0] == NULL && outs[1] == NULL);

    wt_fails(weir_function_capture(NULL, specs, 2, 1, wrong_body, &wrong, &f), WEIR_E_ARG);
    wt_fails(weir_function_capture(ctx, NULL, 2, 1, wrong_body, &wrong, &f), WEIR_E_ARG);
    wt_fails(weir_function_capture(ctx, specs, 2, 0, wrong_body, &wrong, &f), WEIR_E_ARG);
    wt_fails(weir_function_capture(ctx, specs, 2, 1, NULL, &wrong, &f), WEIR_E_ARG);
    wt_fails(weir_function_capture(ctx, specs, 2, 1, wrong_body, &wrong, NULL), WEIR_E_ARG);
    specs[0].shape.rank = WEIR_RANK_MAX + 1;
    fails_saying(weir_function_capture(ctx, specs, 2, 1, wrong_body, &wrong, &f), WEIR_E_ARG,
                 "argument 0");
    wt_fails(weir_from_scalar(NULL, two, &shape, outs), WEIR_E_ARG);
    wt_fails(weir_from_scalar(ctx, two, NULL, outs), WEIR_E_ARG);
    wt_fails(weir_from_scalar(ctx, two, &shape, NULL), WEIR_E_ARG);
    weir_tensor_release(in[0]);
    weir_tensor_release(in[1]);
}
