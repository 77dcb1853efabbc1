/* What recorders are told: a capture gets every operation called with its context and nothing runs; a tape gets every
 * operation of its thread after it ran. The recorders here only take notes. */
#include "context/recording.h"
#include "ops/record.h"
#include "ops_support.h"

TestSuite(ops_record, .timeout = WT_TIMEOUT);

#define NOTES_MAX 32

/* One call. shape, axes are copies. */
typedef struct note {
    const wi_op *op;
    unsigned inputs;
    weir_dtype dtype;
    weir_shape shape;
    int axes[WEIR_RANK_MAX];
    unsigned n_axes;
    int keep_dims;
    weir_generator *generator;
    double value;
    const weir_tensor *out;
} note;

typedef struct notebook {
    wi_recorder recorder;
    weir_context *context; /* of the symbols a capture makes */
    note notes[NOTES_MAX];
    unsigned count;
    weir_status answer;
} notebook;

static void take_note(notebook *book, const wi_op_call *call, const weir_tensor *out)
{
    note *taken = &book->notes[book->count++];

    cr_assert_leq(book->count, NOTES_MAX);
    taken->op = call->op;
    for (unsigned i = 0; i < call->op->inputs; i++) taken->inputs += call->inputs[i] != NULL;
    taken->dtype = call->dtype;
    taken->shape = *call->shape;
    taken->n_axes = call->n_axes;
    for (unsigned i = 0; i < call->n_axes; i++) taken->axes[i] = call->axes[i];
    taken->keep_dims = call->keep_dims;
    taken->generator = call->generator;
    taken->value = call->value;
    taken->out = out;
}

static weir_status capture(wi_recorder *recorder, const wi_op_call *call, weir_tensor **out)
{
    notebook *book = (notebook *)recorder;
    weir_status status = book->answer;

    if (status == WEIR_OK)
        status = wi_tensor_create_symbol(book->context, call->dtype, call->shape, out);
    if (status == WEIR_OK) take_note(book, call, *out);
    return status;
}

static weir_status record(wi_recorder *recorder, const wi_op_call *call, weir_tensor *out)
{
    notebook *book = (notebook *)recorder;

    if (book->answer == WEIR_OK) take_note(book, call, out);
    return book->answer;
}

static weir_shape matrix(uint64_t rows, uint64_t columns)
{
    const weir_shape shape = {.rank = 2, .extents = {rows, columns}};

    return shape;
}

/* One of each form. Returns how many calls were made; all results are released but the last. */
static unsigned call_all(weir_context *ctx, weir_tensor *a, weir_generator *generator)
{
    const weir_shape wide = {.rank = 3, .extents = {2, 4, 3}};
    const weir_shape flat = {.rank = 1, .extents = {12}};
    const weir_shape shape = matrix(4, 3);
    const int axes[] = {1, 0};
    const int second[] = {-1};
    weir_tensor *made[8] = {NULL};

    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 2.5, &made[0]));
    wt_ok(weir_random_normal(ctx, generator, &shape, &made[1]));
    wt_ok(weir_add(ctx, a, made[1], &made[2]));
    wt_ok(weir_transpose(ctx, made[2], axes, &made[3]));
    wt_ok(weir_expand(ctx, a, &wide, &made[4]));
    wt_ok(weir_reshape(ctx, a, &flat, &made[5]));
    wt_ok(weir_sum(ctx, a, second, 1, 1, &made[6]));
    wt_ok(weir_mul(ctx, a, made[6], &made[7]));
    for (unsigned i = 0; i < 8; i++) weir_tensor_release(made[i]);
    return 8;
}

static void check_note(const note *taken, wi_op_id id, const weir_shape *shape)
{
    cr_assert_eq(taken->op, &wi_op_rows[id]);
    cr_assert_eq(taken->inputs, taken->op->inputs);
    cr_assert_eq(taken->dtype, WEIR_DTYPE_F32);
    cr_assert(weir_shape_equal(&taken->shape, shape), "%s", taken->op->name);
}

static void check_ops(const note *notes, int has_creations)
{
    const weir_shape shape = matrix(4, 3);
    const weir_shape turned = matrix(3, 4);
    const weir_shape column = matrix(4, 1);
    const weir_shape wide = {.rank = 3, .extents = {2, 4, 3}};
    const weir_shape flat = {.rank = 1, .extents = {12}};

    if (has_creations) {
        check_note(&notes[0], WI_OP_FULL, &shape);
        cr_assert_eq(notes[0].value, 2.5);
        check_note(&notes[1], WI_OP_RANDOM_NORMAL, &shape);
        cr_assert_not_null(notes[1].generator);
        notes += 2;
    }
    check_note(&notes[0], WI_OP_ADD, &shape);
    check_note(&notes[1], WI_OP_TRANSPOSE, &turned);
    cr_assert_eq(notes[1].n_axes, 2);
    cr_assert_eq(notes[1].axes[0], 1);
    cr_assert_eq(notes[1].axes[1], 0);
    check_note(&notes[2], WI_OP_EXPAND, &wide);
    check_note(&notes[3], WI_OP_RESHAPE, &flat);
    check_note(&notes[4], WI_OP_SUM, &column);
    cr_assert_eq(notes[4].n_axes, 1);
    cr_assert_eq(notes[4].axes[0], 1, "counted from the front");
    cr_assert_eq(notes[4].keep_dims, 1);
    check_note(&notes[5], WI_OP_MUL, &shape);
}

WEIR_DEVICE_TEST_TAGGED(ops_record, a_capture_is_told_everything_and_nothing_runs)
{
    const weir_shape shape = matrix(4, 3);
    notebook book = {.recorder = {.capture = capture}};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_context *recording = NULL;
    weir_tensor *constant = NULL;
    weir_tensor *symbol = NULL;
    weir_tensor *out = NULL;
    weir_pool_stats pool;
    weir_context_stats before;
    weir_context_stats after;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &constant));
    wt_ok(wi_context_create_recording(ctx, &book.recorder, &recording));
    book.context = recording;
    wt_ok(wi_tensor_create_symbol(recording, WEIR_DTYPE_F32, &shape, &symbol));
    pool = ops_pool(ctx);
    weir_context_get_stats(ctx, &before);
    cr_assert_eq(call_all(recording, symbol, &generator), book.count);
    check_ops(book.notes, 1);
    book.count = 0;
    memset(book.notes, 0, sizeof book.notes);
    cr_assert_eq(call_all(recording, constant, &generator), book.count, "a constant's operations");
    check_ops(book.notes, 1);
    weir_context_get_stats(ctx, &after);
    cr_assert_eq(after.kernels_launched, before.kernels_launched);
    cr_assert_eq(after.copies_enqueued, before.copies_enqueued);
    cr_assert_eq(ops_pool(ctx).blocks.current, pool.blocks.current);
    cr_assert_eq(generator.next_draw, 0, "draws are numbered by the capture");

    /* Failures come before the capture is asked. */
    book.count = 0;
    wt_fails(weir_transpose(recording, symbol, (const int[]){0, 0}, &out), WEIR_E_ARG);
    wt_fails(weir_sum(recording, symbol, (const int[]){7}, 1, 0, &out), WEIR_E_ARG);
    wt_fails(weir_add(ctx, symbol, constant, &out), WEIR_E_CAPTURE);
    wt_fails(weir_transpose(ctx, symbol, NULL, &out), WEIR_E_CAPTURE);
    cr_assert_eq(book.count, 0);
    book.answer = WEIR_E_HOST_MEMORY;
    cr_assert_eq(weir_sum(recording, symbol, NULL, 0, 0, &out), WEIR_E_HOST_MEMORY);
    cr_assert_null(out);
    wi_context_end_recording(recording);
    wt_fails(weir_sum(recording, constant, NULL, 0, 0, &out), WEIR_E_CAPTURE);
    wt_fails(weir_expand(recording, constant, &shape, &out), WEIR_E_CAPTURE);
    cr_assert_null(out);
    weir_tensor_release(symbol);
    weir_tensor_release(constant);
    weir_context_release(recording);
}

WEIR_DEVICE_TEST_TAGGED(ops_record, a_tape_is_told_what_ran)
{
    const weir_shape shape = matrix(4, 3);
    notebook book = {.recorder = {.record = record}};
    wi_tape_entry entry = {.thread = pthread_self(), .recorder = &book.recorder};
    weir_generator generator = WEIR_GENERATOR_INIT;
    weir_tensor *a = NULL;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &a));
    wt_ok(wi_context_add_tape(ctx, &entry));
    (void)call_all(ctx, a, &generator);
    cr_assert_eq(book.count, 6, "creations depend on nothing");
    check_ops(book.notes, 0);
    wi_context_remove_tape(ctx, &entry);
    (void)call_all(ctx, a, &generator);
    cr_assert_eq(book.count, 6);
    weir_tensor_release(a);
}

WEIR_DEVICE_TEST_TAGGED(ops_record, a_tape_that_fails_fails_the_call)
{
    const weir_shape shape = matrix(4, 3);
    notebook book = {.recorder = {.record = record}, .answer = WEIR_E_HOST_MEMORY};
    wi_tape_entry entry = {.thread = pthread_self(), .recorder = &book.recorder};
    weir_tensor *a = NULL;
    weir_tensor *out = (weir_tensor *)(uintptr_t)16;
    uint64_t blocks;

    (void)dev;
    wt_ok(weir_full(ctx, WEIR_DTYPE_F32, &shape, 1.0, &a));
    blocks = ops_pool(ctx).blocks.current;
    wt_ok(wi_context_add_tape(ctx, &entry));
    cr_assert_eq(weir_neg(ctx, a, &out), WEIR_E_HOST_MEMORY);
    cr_assert_null(out);
    out = (weir_tensor *)(uintptr_t)16;
    cr_assert_eq(weir_transpose(ctx, a, NULL, &out), WEIR_E_HOST_MEMORY);
    cr_assert_null(out);
    out = (weir_tensor *)(uintptr_t)16;
    cr_assert_eq(weir_sum(ctx, a, NULL, 0, 0, &out), WEIR_E_HOST_MEMORY);
    cr_assert_null(out);
    cr_assert_eq(ops_pool(ctx).blocks.current, blocks);
    wi_context_remove_tape(ctx, &entry);
    weir_tensor_release(a);
}
