/* The snippets of docs/from-tensorflow.md as one program: each function is one of them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <weir/weir.h>

static const weir_shape shape = {2, {1, 1024}};

/* Before the first allocation on the device. */
static weir_status configure(weir_device *device)
{
    weir_memory_options options = WEIR_MEMORY_OPTIONS_INIT;

    options.strategy = "growth";
    options.limit_bytes = 512U << 20U;
    return weir_device_configure(device, &options);
}

/* Two logical devices of one: each has its own contexts, and neither can take what the other was promised. */
static weir_status split(weir_device *device, weir_device *logical[2])
{
    weir_memory_options options[2] = {WEIR_MEMORY_OPTIONS_INIT, WEIR_MEMORY_OPTIONS_INIT};

    options[0].limit_bytes = 16U << 20U;
    options[1].limit_bytes = 32U << 20U;
    return weir_device_split(device, 2, options, logical);
}

static weir_status assign_add(weir_context *context, weir_variable *state)
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

/* One step: state + noise. Called with a capture's context it is recorded, else it runs. */
static weir_status step(weir_context *context, weir_scalar index, weir_tensor *const *in,
                        weir_tensor **out, void *user)
{
    weir_generator *generator = user;
    weir_tensor *noise = NULL;
    weir_status status = weir_random_normal(context, generator, &shape, &noise);

    (void)index;
    if (status == WEIR_OK) status = weir_add(context, in[0], noise, &out[0]);
    weir_tensor_release(noise);
    return status;
}

static weir_status loop(weir_context *context, const weir_argument *arguments, weir_tensor **outs,
                        void *user)
{
    return weir_for(context, arguments[1].scalar, step, user, &arguments[0].tensor, 1, outs);
}

static weir_status captured(weir_context *context, weir_tensor *first, weir_tensor **out)
{
    weir_generator generator = {7, 0};
    weir_argument_spec specs[2] = {{WEIR_ARGUMENT_TENSOR, WEIR_DTYPE_F32, shape},
                                   {.kind = WEIR_ARGUMENT_SCALAR}};
    weir_argument arguments[2] = {{.tensor = first}, {.scalar = weir_scalar_of(1000)}};
    weir_function *function = NULL;
    weir_status status = weir_function_capture(context, specs, 2, 1, loop, &generator, &function);

    if (status == WEIR_OK) status = weir_function_call(function, arguments, 2, out, 1);
    weir_function_release(function); /* its memory goes with it */
    return status;
}

/* d(x * x)/dx; with is_stopped, x * stop_gradient(x). */
static weir_status gradient(weir_context *context, weir_tensor *x, int is_stopped,
                            weir_tensor **out)
{
    weir_tape *tape = NULL;
    weir_tensor *factor = NULL;
    weir_tensor *y = NULL;
    weir_status status = weir_tape_begin(context, NULL, &tape);

    if (status == WEIR_OK) status = weir_tape_watch(tape, x);
    if (status == WEIR_OK && is_stopped) status = weir_stop_gradient(context, x, &factor);
    if (status == WEIR_OK) status = weir_mul(context, x, is_stopped ? factor : x, &y);
    if (status == WEIR_OK) status = weir_tape_gradient(tape, &y, 1, NULL, &x, 1, out);
    weir_tensor_release(y);
    weir_tensor_release(factor);
    weir_tape_destroy(tape);
    return status;
}

/* What the pool holds, like get_memory_info. */
static void print_memory(weir_context *context)
{
    weir_pool_stats stats;

    weir_pool_get_stats(weir_context_get_pool(context), &stats);
    printf("in use %llu bytes, peak %llu, reserved %llu\n",
           (unsigned long long)stats.in_use_bytes.current,
           (unsigned long long)stats.in_use_bytes.peak,
           (unsigned long long)stats.reserved_bytes.current);
}

/* clear_session and reset_memory_stats. What was not released is still there. */
static weir_status clear(weir_context *context)
{
    weir_pool *pool = weir_context_get_pool(context);
    weir_status status = weir_pool_trim(pool, 0);

    weir_pool_reset_peak(pool);
    return status;
}

/* A tensor larger than the limit: the failure is an answer. */
static void fill_too_much(weir_context *context)
{
    weir_shape large = {1, {(128U << 20U) + 1}}; /* one more than fit into 512 MiB */
    weir_tensor *tensor = NULL;

    if (weir_zeros(context, WEIR_DTYPE_F32, &large, &tensor) == WEIR_E_OUT_OF_MEMORY) {
        const weir_error *error = weir_last_error();

        printf("asked for %llu bytes, limit %llu: %s\n",
               (unsigned long long)error->oom.requested_bytes,
               (unsigned long long)error->oom.limit_bytes, weir_oom_cause_name(error->oom.cause));
    }
    weir_tensor_release(tensor);
}

static int same_bits(weir_tensor *a, weir_tensor *b)
{
    static uint32_t left[1024];
    static uint32_t right[1024];

    return weir_tensor_to_host(a, left, sizeof left) == WEIR_OK &&
           weir_tensor_to_host(b, right, sizeof right) == WEIR_OK &&
           memcmp(left, right, sizeof left) == 0;
}

static weir_status show(weir_context *context)
{
    weir_tensor *zeros = NULL, *sum = NULL, *again = NULL, *x = NULL, *dx = NULL, *cut = NULL;
    weir_variable *state = NULL;
    float value = 0;
    const weir_shape one = {0};
    weir_status status = weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros);

    if (status == WEIR_OK)
        status =
            weir_variable_create(context, "state", WEIR_DTYPE_F32, &shape, zeros, NULL, &state);
    if (status == WEIR_OK) status = assign_add(context, state);
    if (status == WEIR_OK) status = weir_variable_read(state, &sum);
    if (status == WEIR_OK) status = captured(context, zeros, &again);
    if (status == WEIR_OK) printf("captured: %s\n", same_bits(sum, again) ? "same bits" : "DIFFER");
    if (status == WEIR_OK) status = weir_full(context, WEIR_DTYPE_F32, &one, 3, &x);
    if (status == WEIR_OK) status = gradient(context, x, 0, &dx);
    if (status == WEIR_OK) status = weir_tensor_to_host(dx, &value, sizeof value);
    if (status == WEIR_OK) status = gradient(context, x, 1, &cut);
    if (status == WEIR_OK) printf("gradient of x * x at 3: %g\n", (double)value);
    if (status == WEIR_OK) status = weir_tensor_to_host(cut, &value, sizeof value);
    if (status == WEIR_OK) printf("with one factor stopped: %g\n", (double)value);
    weir_tensor_release(cut);
    weir_tensor_release(dx);
    weir_tensor_release(x);
    weir_tensor_release(again);
    weir_tensor_release(sum);
    weir_tensor_release(zeros);
    weir_variable_release(state);
    return status;
}

/* Splitting comes before the first allocation, hence in a system of its own here. */
static weir_status show_split(void)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_device *logical[2] = {NULL};
    weir_context *context = NULL;
    weir_tensor *zeros = NULL;
    weir_status status = weir_system_create(&system);

    if (status == WEIR_OK) status = weir_system_find(system, NULL, &device);
    if (status == WEIR_OK) status = split(device, logical);
    if (status == WEIR_OK) status = weir_context_create(logical[1], NULL, &context);
    if (status == WEIR_OK) status = weir_zeros(context, WEIR_DTYPE_F32, &shape, &zeros);
    if (status == WEIR_OK) {
        printf("%zu logical devices of %s; the second has %llu bytes\n",
               weir_device_logical_count(device), weir_device_get_index(device),
               (unsigned long long)weir_device_get_limit_bytes(logical[1]));
    }
    weir_tensor_release(zeros);
    weir_context_release(context);
    weir_system_destroy(system);
    return status;
}

int main(void)
{
    weir_system *system = NULL;
    weir_device *device = NULL;
    weir_context *context = NULL;
    weir_status status = weir_system_create(&system);

    if (status == WEIR_OK) status = weir_system_find(system, NULL, &device);
    if (status == WEIR_OK) status = configure(device);
    if (status == WEIR_OK) status = weir_context_create(device, NULL, &context);
    if (status == WEIR_OK) status = show(context);
    if (status == WEIR_OK) fill_too_much(context);
    if (status == WEIR_OK) print_memory(context);
    if (status == WEIR_OK) status = clear(context);
    if (status == WEIR_OK) print_memory(context);
    weir_context_release(context);
    weir_system_destroy(system);
    if (status == WEIR_OK) status = show_split();
    if (status != WEIR_OK) printf("failed: %s\n", weir_last_error()->message);
    return status != WEIR_OK;
}
