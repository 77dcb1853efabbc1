/* The loop captured once, with the number of steps as an argument: planned as a whole, run as a whole. Its body is what
 * the eager form does in a step. A call begins with the state of step 0, and its draws are numbered from the same one,
 * so each call ends in the same bits. One thread. */
#include "loop_form.h"

#include <weir/function.h>
#include <weir/ops.h>

static weir_status begin_function(loop_state *loop)
{
    weir_status status = loop_state_begin(loop);

    if (status == WEIR_OK) loop->first = weir_tensor_retain(loop->state);
    return status;
}

static weir_status body_of_step(weir_context *context, weir_scalar index,
                                weir_tensor *const *carries_in, weir_tensor **carries_out,
                                void *user)
{
    loop_state *loop = user;
    weir_tensor *draw = NULL;
    weir_status status = weir_random_normal(context, &loop->generator, &loop->shape, &draw);

    (void)index;
    if (status == WEIR_OK) status = weir_add(context, carries_in[0], draw, &carries_out[0]);
    weir_tensor_release(draw);
    return status;
}

static weir_status body_of_loop(weir_context *context, const weir_argument *arguments,
                                weir_tensor **outs, void *user)
{
    return weir_for(context, arguments[1].scalar, body_of_step, user, &arguments[0].tensor, 1,
                    outs);
}

static weir_status capture(loop_state *loop)
{
    weir_argument_spec specs[2] = {{WEIR_ARGUMENT_TENSOR, WEIR_DTYPE_F32, loop->shape},
                                   {WEIR_ARGUMENT_SCALAR, WEIR_DTYPE_F32, {0, {0}}}};

    return weir_function_capture(loop->context, specs, 2, 1, body_of_loop, loop, &loop->function);
}

static weir_status call_function(loop_state *loop, uint64_t steps)
{
    weir_argument arguments[2] = {{loop->first, {0, 0, 0}}, {NULL, weir_scalar_of((int64_t)steps)}};
    weir_tensor *last = NULL;
    weir_status status = loop->function == NULL ? capture(loop) : WEIR_OK;

    loop_state_replace(loop, NULL);
    if (status == WEIR_OK) status = weir_function_call(loop->function, arguments, 2, &last, 1);
    if (status == WEIR_OK) loop_state_replace(loop, last);
    return status;
}

const loop_form loop_form_function = {
    .name = "function",
    .begin = begin_function,
    .call = call_function,
    .holds = "",
    .cure = "raise the limit to two states and what the function plans (weir_function_explain)",
};
