/* The eager loop under a tape that watches the state of step 0: what the tape keeps of a step is what its gradient
 * needs. Of add it is nothing, of tanh the result, of a stopped gradient nothing, since the chain ends there. One
 * thread. */
#include "loop_form.h"

#include <weir/ops.h>

static weir_status begin_tape(loop_state *loop)
{
    weir_status status = loop_state_begin(loop);

    if (status == WEIR_OK) loop->first = weir_tensor_retain(loop->state);
    if (status == WEIR_OK) status = weir_tape_begin(loop->context, NULL, &loop->tape);
    if (status == WEIR_OK) status = weir_tape_watch(loop->tape, loop->first);
    return status;
}

static weir_status step_tape(loop_state *loop)
{
    weir_tensor *next = NULL;
    weir_status status = loop_state_add_draw(loop, loop->state, &next);

    if (status == WEIR_OK) loop_state_replace(loop, next);
    return status;
}

static weir_status step_tape_tanh(loop_state *loop)
{
    weir_tensor *bent = NULL;
    weir_tensor *next = NULL;
    weir_status status = weir_tanh(loop->context, loop->state, &bent);

    if (status == WEIR_OK) status = loop_state_add_draw(loop, bent, &next);
    if (status == WEIR_OK) loop_state_replace(loop, next);
    weir_tensor_release(bent);
    return status;
}

static weir_status step_stop(loop_state *loop)
{
    weir_tensor *sum = NULL;
    weir_tensor *next = NULL;
    weir_status status = loop_state_add_draw(loop, loop->state, &sum);

    if (status == WEIR_OK) status = weir_stop_gradient(loop->context, sum, &next);
    if (status == WEIR_OK) loop_state_replace(loop, next);
    weir_tensor_release(sum);
    return status;
}

const loop_form loop_form_tape = {
    .name = "tape",
    .begin = begin_tape,
    .step = step_tape,
    .holds = "",
    .cure = "raise the limit to four states or more: this tape keeps none",
};

const loop_form loop_form_tape_tanh = {
    .name = "tape-tanh",
    .begin = begin_tape,
    .step = step_tape_tanh,
    .is_other_sum = 1,
    .holds = "the tape keeps every tanh for the gradient",
    .cure = "cut the gradient where it is not needed (weir_stop_gradient, form stop), or record a "
            "smaller loop: fewer steps, then weir_tape_gradient",
};

const loop_form loop_form_stop = {
    .name = "stop",
    .begin = begin_tape,
    .step = step_stop,
    .holds = "",
    .cure = "raise the limit to four states or more: this tape keeps none",
};
