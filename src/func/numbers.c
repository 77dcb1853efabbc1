/* Scalars and the numbers of draws while a function runs.
 *
 * A draw's number is what it would be trip by trip: what the generator had at the start of the trip, and the draws and
 * loops that were recorded before it. The draws of a loop are its trips times those of one; where an inner loop's trips
 * are the index of the loop they differ from trip to trip and are added up. Locking: the function's.
 */
#include "func/run.h"

int64_t wi_run_scalar(const wi_run *run, const wi_scalar *scalar)
{
    switch (scalar->kind) {
    case WI_SCALAR_ARGUMENT:
        return run->arguments[scalar->at].scalar.value;
    case WI_SCALAR_INDEX:
        return (int64_t)run->bodies[scalar->at].trip;
    case WI_SCALAR_NUMBER:
        break;
    }
    return scalar->value;
}

uint64_t wi_run_trips(const wi_run *run, uint32_t loop)
{
    const int64_t trips = wi_run_scalar(run, &run->recorded->bodies[loop].trips);

    return trips > 0 ? (uint64_t)trips : 0;
}

int wi_loop_draws(const wi_recorded *recorded, uint32_t loop, uint32_t generators)
{
    for (size_t b = loop; generators != 0 && b < recorded->n_bodies; b++) {
        if (!wi_body_is_within(recorded, (uint32_t)b, loop)) continue;
        for (uint32_t g = 0; g < recorded->n_generators; g++) {
            if ((generators & 1u << g) != 0 && recorded->bodies[b].draws[g] > 0) return 1;
        }
    }
    return 0;
}

/* 1 if the trips of a loop in this one are its index. */
static int has_uneven_trips(const wi_recorded *recorded, uint32_t loop)
{
    for (size_t b = loop + (size_t)1; b < recorded->n_bodies; b++) {
        const wi_scalar *trips = &recorded->bodies[b].trips;

        if (trips->kind == WI_SCALAR_INDEX && trips->at == loop) return 1;
    }
    return 0;
}

/* Draws of one trip. Loops in loops recurse as deep as the user's bodies do. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
static uint64_t draws_of_trip(wi_run *run, uint32_t loop, uint32_t generator)
{
    uint64_t draws = run->recorded->bodies[loop].draws[generator];

    for (size_t b = loop + (size_t)1; b < run->recorded->n_bodies; b++) {
        if (run->recorded->bodies[b].parent != loop) continue;
        draws += wi_run_draws(run, (uint32_t)b, generator, wi_run_trips(run, (uint32_t)b));
    }
    return draws;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as loops in loops */
uint64_t wi_run_draws(wi_run *run, uint32_t loop, uint32_t generator, uint64_t trips)
{
    const uint64_t present = run->bodies[loop].trip;
    uint64_t draws = 0;

    if (trips == 0 || !wi_loop_draws(run->recorded, loop, 1u << generator)) return 0;
    if (!has_uneven_trips(run->recorded, loop)) return trips * draws_of_trip(run, loop, generator);
    for (uint64_t trip = 0; trip < trips; trip++) {
        run->bodies[loop].trip = trip;
        draws += draws_of_trip(run, loop, generator);
    }
    run->bodies[loop].trip = present;
    return draws;
}

uint64_t wi_run_number(wi_run *run, uint32_t body, uint32_t generator, uint32_t loops)
{
    uint64_t number = run->bodies[body].numbers[generator];

    for (size_t b = body + (size_t)1; loops > 0 && b < run->recorded->n_bodies; b++) {
        const wi_body *inner = &run->recorded->bodies[b];

        if (inner->parent != body || inner->number >= loops) continue;
        number += wi_run_draws(run, (uint32_t)b, generator, wi_run_trips(run, (uint32_t)b));
    }
    return number;
}
