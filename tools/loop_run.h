/* One form of the loop from its first step to its checksum, timed and counted. */
#ifndef WEIR_TOOLS_LOOP_RUN_H
#define WEIR_TOOLS_LOOP_RUN_H

#include "loop_curve.h"
#include "loop_form.h"

#include <weir/device.h>
#include <weir/status.h>

#include <stdint.h>

/* What all forms of one run have in common. */
typedef struct loop_plan {
    weir_device *device; /* configured */
    weir_shape shape;
    uint64_t steps;
    uint64_t seed;
} loop_plan;

/* What the gradient of the last state by the first is. */
typedef enum loop_gradient {
    LOOP_GRADIENT_NOT_ASKED = 0, /* no tape, or the run did not get there */
    LOOP_GRADIENT_NONE,          /* the last state does not depend on the first */
    LOOP_GRADIENT_ONES,          /* every element is 1 */
    LOOP_GRADIENT_DENSE          /* other numbers */
} loop_gradient;

/* What one form did. Counters run from before the state is made to after the last step, without the gradient;
 * launches, driver's buffers and copies of a form that is called are those of the second call.
 *
 * Invariants: steps_done <= plan's steps; status == WEIR_OK exactly if error.status is;
 * has_checksum only if status is WEIR_OK. */
typedef struct loop_result {
    const loop_form *form;
    weir_status status;
    weir_error error;    /* valid if status is not WEIR_OK */
    int is_started;      /* the state of step 0 was made */
    uint64_t steps_done; /* without the step that failed */
    double
        first_seconds; /* step 1, or capture and first call, until the work is done, with the builds it causes */
    double seconds;       /* steps 2 to the last, or the second call, until their work is done */
    uint64_t timed_steps; /* how many steps `seconds` is of */
    uint64_t peak_in_use; /* bytes */
    uint64_t peak_reserved;
    uint64_t peak_blocks;
    uint64_t driver_allocs;
    uint64_t kernels_launched;
    uint64_t cow_copies;
    uint64_t saved_bytes; /* what the tape keeps just before the gradient */
    uint64_t host_bytes;
    loop_gradient gradient;
    int has_checksum;
    uint64_t checksum; /* XXH64, seed 0, of the state's bytes */
    int is_interrupted;
} loop_result;

/** Runs a form in a context of its own and closes it again. The outcome, success or failure, is in `out`.
 * curve   NULL: nothing is sampled; else filled, and peaks of the result are those of the last interval only */
void loop_run(const loop_plan *plan, const loop_form *form, loop_curve *curve, loop_result *out);

#endif
