/* Launches the kernels of a function.
 *
 * On CPUs a loop is one launch whatever its trips. Elsewhere a long launch holds up the display, and a watchdog may end
 * it, so it is cut by trips into pieces as long as the traits say. How long a trip takes is measured: the first pieces of a loop
 * with many trips grow from a few trips, and each is waited for; the time is kept with the step, so later calls wait for
 * nothing. Locking: the function's.
 */
#include "func/run.h"

#include "context/enqueue.h"
#include "ops/launch.h"

#include <time.h>

#define SETTLED_SECONDS 0.05 /* a piece of this length tells the time of a trip well */
#define MEASURED_MAX 8       /* pieces waited for, at most */
#define FIRST_TRIPS_MAX 256
#define FIRST_WORK (UINT64_C(1) << 22) /* elements times trips of the first piece */

static wi_arg arg_u64(uint64_t value) { return (wi_arg){.kind = WI_ARG_U64, .value.u64 = value}; }

static wi_arg arg_f32(float value) { return (wi_arg){.kind = WI_ARG_F32, .value.f32 = value}; }

static wi_arg arg_bits(uint32_t bits)
{
    wi_arg arg = {.kind = WI_ARG_F32};

    arg.value.u32 = bits; /* the same bytes, so that no NaN changes */
    return arg;
}

static void put_memory(wi_run *run, uint32_t term, int is_written, unsigned *n)
{
    const wi_operand operand = wi_run_find(run, term);

    *n = wi_args_put_place(run->args, *n, &operand.place, sizeof(float), 0, is_written);
}

/* The parameters of the function's own text; their order is that of the slots. */
static void put_slot(wi_run *run, const wi_step *step, const wi_slot *slot, uint64_t begin,
                     unsigned *n)
{
    const wi_body *body = NULL;
    uint64_t number = 0;
    int64_t trips = 0;

    switch (slot->kind) {
    case WI_SLOT_LOAD:
    case WI_SLOT_STORE:
        put_memory(run, slot->at, slot->kind == WI_SLOT_STORE, n);
        break;
    case WI_SLOT_FLOAT:
        run->args[(*n)++] = arg_bits(slot->bits);
        break;
    case WI_SLOT_SCALAR:
        run->args[(*n)++] = arg_f32((float)wi_run_scalar(run, &slot->scalar));
        break;
    case WI_SLOT_TRIPS:
        trips = wi_run_scalar(run, &slot->scalar);
        run->args[(*n)++] = arg_u64(trips > 0 ? (uint64_t)trips : 0);
        break;
    case WI_SLOT_SEED:
        run->args[(*n)++] = arg_u64(run->recorded->generators[slot->at].seed);
        break;
    case WI_SLOT_NUMBER:
        run->args[(*n)++] = arg_u64(wi_run_number(run, step->body, slot->at, slot->loops));
        break;
    case WI_SLOT_COUNTER:
        body = &run->recorded->bodies[step->loop];
        number = wi_run_number(run, step->body, slot->at, body->number) + body->before[slot->at];
        run->args[(*n)++] = arg_u64(number + wi_run_draws(run, step->loop, slot->at, begin));
        break;
    }
}

/* One launch over all elements, of the trips from `begin` to `end`. */
static weir_status launch(wi_run *run, const wi_step *step, uint64_t begin, uint64_t end)
{
    const wi_device_traits *traits = wi_context_get_traits(run->context);
    const uint64_t item_elements = (uint64_t)step->vectors * traits->vector_width;
    const uint64_t piece_max =
        wi_launch_elements_max(traits->launch_bits, item_elements, step->local_size);
    wi_launch command = {
        .kernel = step->kernel, .args = run->args, .local_size = (size_t)step->local_size};
    unsigned n = 0;
    weir_status status = WEIR_OK;

    run->args[n++] = arg_u64(step->count);
    run->args[n++] = arg_u64(0);
    if (step->loop != WI_NO_TERM) {
        run->args[n++] = arg_u64(begin);
        run->args[n++] = arg_u64(end);
    }
    for (size_t i = 0; i < step->n_slots; i++) put_slot(run, step, &step->slots[i], begin, &n);
    command.arg_count = n;
    for (uint64_t first = 0; first < step->count && status == WEIR_OK; first += piece_max) {
        const uint64_t piece = step->count - first < piece_max ? step->count - first : piece_max;
        const uint64_t items = (piece - 1) / item_elements + 1;

        run->args[1] = arg_u64(first);
        command.global_size = (size_t)(((items - 1) / step->local_size + 1) * step->local_size);
        status = wi_context_launch(run->context, &command);
    }
    return status;
}

static double now(void)
{
    struct timespec time = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Launches a piece, waits for it and learns how long a trip takes. */
static weir_status launch_measured(wi_run *run, wi_step *step, uint64_t begin, uint64_t end)
{
    wi_queue *queue = wi_context_get_queue(run->context);
    weir_status status = wi_queue_finish(queue);
    const double start = now();
    double seconds = 0;

    if (status == WEIR_OK) status = launch(run, step, begin, end);
    if (status == WEIR_OK) status = wi_queue_finish(queue);
    if (status != WEIR_OK) return status;
    seconds = now() - start;
    step->seconds_a_trip = seconds / (double)(end - begin);
    step->measured = seconds >= SETTLED_SECONDS ? MEASURED_MAX : step->measured + 1;
    return WEIR_OK;
}

/* Trips that a launch may make on this device. */
static uint64_t get_most(const wi_run *run, const wi_step *step)
{
    const uint32_t most = wi_context_get_traits(run->context)->loop_trips_max;

    if (most == UINT32_MAX || step->loop == WI_NO_TERM) return UINT64_MAX;
    return most / wi_loop_iterations(run->recorded, step->loop);
}

/* Trips of the next piece. */
static uint64_t choose_piece(const wi_step *step, uint64_t left, double piece_seconds)
{
    uint64_t trips = FIRST_WORK / step->count;
    double most = 0;

    if (trips > FIRST_TRIPS_MAX) trips = FIRST_TRIPS_MAX;
    if (step->seconds_a_trip > 0) {
        most = piece_seconds / step->seconds_a_trip;
        trips = most < 0x1p62 ? (uint64_t)most : left;
    }
    if (trips == 0) trips = 1;
    return trips < left ? trips : left;
}

weir_status wi_run_kernel(wi_run *run, wi_step *step)
{
    const int is_cut =
        weir_device_get_class(weir_context_get_device(run->context)) != WEIR_DEVICE_CPU;
    const double piece_seconds = wi_context_get_traits(run->context)->piece_ms * 1e-3;
    const uint64_t most = get_most(run, step);
    uint64_t trips = 0;
    uint64_t begin = 0;
    weir_status status = WEIR_OK;

    if (step->count == 0) return WEIR_OK;
    if (step->loop != WI_NO_TERM) trips = wi_run_trips(run, step->loop);
    do {
        const uint64_t left = trips - begin;
        uint64_t piece = is_cut ? choose_piece(step, left, piece_seconds) : left;

        if (piece > most) piece = most;
        if (is_cut && piece < left && step->measured < MEASURED_MAX)
            status = launch_measured(run, step, begin, begin + piece);
        else
            status = launch(run, step, begin, begin + piece);
        begin += piece;
    } while (status == WEIR_OK && begin < trips);
    return status;
}
