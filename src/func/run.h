/* One call of a function: where its values are now, and the numbers that change from trip to trip. */
#ifndef WI_FUNC_RUN_H
#define WI_FUNC_RUN_H

#include "func/steps.h"

/* A body while it runs.
 * Invariants: numbers[g] is that of generator g's next draw at the start of the present trip. */
typedef struct wi_running {
    uint64_t trip;
    uint64_t numbers[WI_GENERATORS_MAX];
    wi_operand *now;  /* of each carry: what the trip reads */
    wi_operand *next; /* what it writes */
} wi_running;

/* Invariants: bodies has one entry for each of recorded's; now and next are NULL for those without carries. */
typedef struct wi_run {
    weir_context *context;
    const wi_recorded *recorded;
    wi_steps *steps;
    const weir_argument *arguments;
    wi_operand *argument_operands;
    wi_operand *constant_operands;
    wi_operand *out_operands;
    wi_operand arena;
    wi_running *bodies;
    wi_operand *operands; /* memory of all of these */
    wi_arg *args;         /* room for the parameters of any kernel */
} wi_run;

/** Takes the host memory that calls need. Errors: HOST_MEMORY. */
weir_status wi_run_init(weir_context *context, const wi_recorded *recorded, wi_steps *steps,
                        size_t n_arguments, wi_run *out);
void wi_run_fini(wi_run *run);

/** Enqueues all steps. Operands and arguments are set. Errors: those of launches. */
weir_status wi_run_all(wi_run *run);

/** Where a stored term, an argument, a constant, a carry or a view of one is now. */
wi_operand wi_run_find(const wi_run *run, uint32_t id);

/** The number that a scalar is now. */
int64_t wi_run_scalar(const wi_run *run, const wi_scalar *scalar);

/** The trips that a loop makes now; 0 for a negative number. */
uint64_t wi_run_trips(const wi_run *run, uint32_t loop);

/** How many draws of a generator the first `trips` trips of a loop that begins now make. */
uint64_t wi_run_draws(wi_run *run, uint32_t loop, uint32_t generator, uint64_t trips);

/** Number of the next draw after `loops` loops of a body's present trip, less the body's own draws. */
uint64_t wi_run_number(wi_run *run, uint32_t body, uint32_t generator, uint32_t loops);

/** Enqueues a kernel step; in pieces if it has a loop that would run long. */
weir_status wi_run_kernel(wi_run *run, wi_step *step);

#endif
