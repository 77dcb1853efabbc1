/* The snippets of docs/from-pytorch.md as one program: each function is one of them. */
#include <stdio.h>
#include <weir/weir.h>

static const weir_shape shape = {2, {1, 1024}};

/* Before the first allocation on the device. */
static weir_status configure(weir_device *device)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    options.limit_fraction = 0.5;
    return weir_device_configure(device, &options);
}

static weir_status in_place(weir_context *context, weir_variable *state)
{
    weir_generator generator = {7, 0}; /* seed 7, draws from number 0 on */
    weir_status status = WEIR_OK;

    for (int step = 0; step < 1000 && status == WEIR_OK; step++) {
        weir_tensor *noise = NULL;

        status = weir_random_normal(context, &generator, &shape, &noise);
        if (status == WEIR_OK) status = weir_variable_assign_add(state, noise);
        weir_tensor_release(noise);
    }
    return status;
}

/* loss = sum(tanh(x)); a gradient as from backward(). */
static weir_status backward(weir_context *context, weir_tensor *x, weir_tensor **gradient)
{
    weir_tape *tape = NULL;
    weir_tensor *y = NULL;
    weir_tensor *loss = NULL;
    weir_status status = weir_tape_begin(context, NULL, &tape);

    if (status == WEIR_OK) status = weir_tape_watch(tape, x);
    if (status == WEIR_OK) status = weir_tanh(context, x, &y);
    if (status == WEIR_OK) status = weir_sum(context, y, NULL, 0, 0, &loss);
    if (status == WEIR_OK) status = weir_tape_gradient(tape, &loss, 1, NULL, &x, 1, gradient);
    weir_tensor_release(loss);
    weir_tensor_release(y);
    weir_tape_destroy(tape);
    return status;
}

/* Between the two calls nothing is recorded. */
static weir_status without_gradient(weir_context *context, weir_tape *tape, weir_tensor *x,
                                    weir_tensor **out)
{
    weir_status status = WEIR_OK;

    weir_tape_stop(tape);
    status = weir_tanh(context, x, out);
    weir_tape_resume(tape);
    return status;
}

/* total += loss under a tape keeps the history of every loss; detached, it keeps none. */
static weir_status add_detached(weir_context *context, weir_tensor *loss, weir_tensor **total)
{
    weir_tensor *detached = NULL;
    weir_tensor *next = NULL;
    weir_status status = weir_stop_gradient(context, loss, &detached);

    if (status == WEIR_OK) status = weir_add(context, *total, detached, &next);
    weir_tensor_release(detached);
    if (status != WEIR_OK) return status;
    weir_tensor_release(*total);
    *total = next;
    return WEIR_OK;
}

/* memory_allocated, max_memory_allocated, memory_reserved; memory_summary. */
static weir_status print_memory(weir_context *context)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_pool_stats stats;
    weir_text *summary = NULL;
    weir_status status = weir_text_create(&summary);

    weir_pool_get_stats(pool, &stats);
    printf("allocated %llu, at most %llu, reserved %llu bytes\n",
           (unsigned long long)stats.in_use_bytes.current,
           (unsigned long long)stats.in_use_bytes.peak,
           (unsigned long long)stats.reserved_bytes.current);
    weir_pool_report(pool, summary);
    printf("%s", status == WEIR_OK ? weir_text_get(summary) : "");
    weir_text_destroy(summary);
    return status;
}

/* empty_cache and reset_peak_memory_stats. */
static weir_status empty_cache(weir_pool *pool)
{
    weir_status status = weir_pool_trim(pool, 0);

    weir_pool_reset_peak(pool);
    return status;
}

/* A tape over a loop of losses: what it keeps with and without the history. */
static weir_status show_history(weir_context *context, weir_tensor *x)
{
    weir_tape *tape = NULL;
    weir_tensor *plain = NULL, *loss = NULL, *total = NULL;
    const weir_shape one = {0};
    weir_status status = weir_tape_begin(context, NULL, &tape);

    if (status == WEIR_OK) status = weir_tape_watch(tape, x);
    if (status == WEIR_OK) status = without_gradient(context, tape, x, &plain);
    if (status == WEIR_OK)
        printf("under stop: the tape keeps %llu bytes\n",
               (unsigned long long)weir_tape_get_saved_bytes(tape));
    if (status == WEIR_OK) status = weir_zeros(context, WEIR_DTYPE_F32, &one, &total);
    for (int i = 0; i < 10 && status == WEIR_OK; i++) {
        weir_tensor *y = NULL;

        status = weir_tanh(context, x, &y);
        if (status == WEIR_OK) status = weir_sum(context, y, NULL, 0, 0, &loss);
        if (status == WEIR_OK) status = add_detached(context, loss, &total);
        weir_tensor_release(loss);
        weir_tensor_release(y);
        loss = NULL;
    }
    if (status == WEIR_OK)
        printf("ten losses, detached: the tape keeps %llu bytes\n",
               (unsigned long long)weir_tape_get_saved_bytes(tape));
    weir_tensor_release(total);
    weir_tensor_release(plain);
    weir_tape_destroy(tape);
    return status;
}

static weir_status show(weir_context *context)
{
    weir_tensor *zeros = NULL, *gradient = NULL;
    weir_variable *state = NULL;
    static float ones[1024];
    weir_status status = weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros);

    if (status == WEIR_OK)
        status =
            weir_variable_create(context, "state", WEIR_DTYPE_F32, &shape, zeros, NULL, &state);
    if (status == WEIR_OK) status = backward(context, zeros, &gradient);
    if (status == WEIR_OK) status = weir_tensor_to_host(gradient, ones, sizeof ones);
    if (status == WEIR_OK) printf("gradient at 0: %g\n", (double)ones[1023]);
    if (status == WEIR_OK) status = show_history(context, zeros);
    weir_tensor_release(gradient);
    weir_tensor_release(zeros);
    if (status == WEIR_OK) status = in_place(context, state);
    if (status == WEIR_OK) status = print_memory(context);
    weir_variable_release(state);
    if (status == WEIR_OK) status = empty_cache(weir_context_get_pool(context));
    return status;
}

int main(void)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_context *context = NULL;
    weir_pool_stats stats;
    weir_status status = weir_system_create(&system);

    if (status == WEIR_OK) status = weir_system_find(system, NULL, &device);
    if (status == WEIR_OK) status = configure(device);
    if (status == WEIR_OK) status = weir_context_create(device, NULL, &context);
    if (status == WEIR_OK) status = show(context);
    if (status == WEIR_OK) {
        weir_pool_get_stats(weir_context_get_pool(context), &stats);
        printf("after empty_cache: %llu bytes reserved, peak in use %llu\n",
               (unsigned long long)stats.reserved_bytes.current,
               (unsigned long long)stats.in_use_bytes.peak);
    } else {
        printf("failed: %s\n", weir_last_error()->message);
    }
    weir_context_release(context);
    weir_system_destroy(system);
    return status != WEIR_OK;
}
