/* Each form is a begin and a step, through the public interface alone, as a user would write it. They draw the same
 * numbers, so they end in the same bits, but for the one that computes something else; what differs is who holds the
 * old states. The forms that record are in files of their own. One thread. */
#include "loop_form.h"

#include <weir/ops.h>
#include <weir/update.h>

#include <stdlib.h>

weir_status loop_state_begin(loop_state *loop)
{
    return weir_zeros(loop->context, WEIR_DTYPE_F32, &loop->shape, &loop->state);
}

weir_status loop_state_add_draw(loop_state *loop, weir_tensor *term, weir_tensor **out)
{
    weir_status status = WEIR_OK;
    weir_tensor *draw = NULL;

    status = weir_random_normal(loop->context, &loop->generator, &loop->shape, &draw);
    if (status == WEIR_OK) status = weir_add(loop->context, term, draw, out);
    weir_tensor_release(draw);
    return status;
}

void loop_state_replace(loop_state *loop, weir_tensor *next)
{
    weir_tensor_release(loop->state);
    loop->state = next;
}

static weir_status hold(loop_state *loop, weir_tensor *old)
{
    if (loop->held_count == loop->held_capacity) {
        size_t capacity = loop->held_capacity * 2 + 1024;
        weir_tensor **held = realloc(loop->held, capacity * sizeof *held);

        if (held == NULL) return WEIR_E_HOST_MEMORY;
        loop->held = held;
        loop->held_capacity = capacity;
    }
    loop->held[loop->held_count++] = old;
    return WEIR_OK;
}

static weir_status step_keep(loop_state *loop)
{
    weir_tensor *next = NULL;
    weir_status status = loop_state_add_draw(loop, loop->state, &next);

    if (status == WEIR_OK) status = hold(loop, loop->state);
    if (status != WEIR_OK) {
        weir_tensor_release(next);
        return status;
    }
    loop->state = next;
    return WEIR_OK;
}

static weir_status step_eager(loop_state *loop)
{
    weir_tensor *next = NULL;
    weir_status status = loop_state_add_draw(loop, loop->state, &next);

    if (status == WEIR_OK) loop_state_replace(loop, next);
    return status;
}

static weir_status begin_variable(loop_state *loop)
{
    weir_status status = loop_state_begin(loop);

    if (status == WEIR_OK)
        status = weir_variable_create(loop->context, "state", WEIR_DTYPE_F32, &loop->shape,
                                      loop->state, NULL, &loop->variable);
    loop_state_replace(loop, NULL);
    return status;
}

static weir_status step_variable(loop_state *loop)
{
    weir_tensor *draw = NULL;
    weir_status status = weir_random_normal(loop->context, &loop->generator, &loop->shape, &draw);

    if (status == WEIR_OK) status = weir_variable_assign_add(loop->variable, draw);
    weir_tensor_release(draw);
    return status;
}

static const loop_form form_keep = {
    .name = "keep",
    .begin = loop_state_begin,
    .step = step_keep,
    .holds = "nobody let the old states go",
    .cure = "release each old state once the next one is there (form eager), update a variable in "
            "place (form variable), or capture the loop (form function)",
};

static const loop_form form_eager = {
    .name = "eager",
    .begin = loop_state_begin,
    .step = step_eager,
    .holds = "",
    .cure = "raise the limit to three states or more, or update a variable in place (form "
            "variable), which needs one",
};

static const loop_form form_variable = {
    .name = "variable",
    .begin = begin_variable,
    .step = step_variable,
    .holds = "",
    .cure = "raise the limit to the bytes of one state or more",
};

static const loop_form *const forms[] = {
    &form_keep,           &form_eager,     &form_variable,      &loop_form_tape,
    &loop_form_tape_tanh, &loop_form_stop, &loop_form_function,
};

size_t loop_form_count(void) { return sizeof forms / sizeof forms[0]; }

const loop_form *loop_form_at(size_t i) { return forms[i]; }

uint64_t loop_state_get_saved_bytes(const loop_state *loop)
{
    return loop->tape == NULL ? 0 : weir_tape_get_saved_bytes(loop->tape);
}

uint64_t loop_state_get_host_bytes(const loop_state *loop)
{
    return loop->tape == NULL ? 0 : weir_tape_get_host_bytes(loop->tape);
}

weir_status loop_state_gradient(loop_state *loop, weir_tensor **out)
{
    return weir_tape_gradient(loop->tape, &loop->state, 1, NULL, &loop->first, 1, out);
}

weir_status loop_state_read(loop_state *loop, weir_tensor **out)
{
    if (loop->variable != NULL) return weir_variable_read(loop->variable, out);
    *out = weir_tensor_retain(loop->state);
    return WEIR_OK;
}

void loop_state_release(loop_state *loop)
{
    for (size_t i = 0; i < loop->held_count; i++) weir_tensor_release(loop->held[i]);
    free(loop->held);
    weir_tape_destroy(loop->tape);
    weir_function_release(loop->function);
    weir_tensor_release(loop->first);
    weir_tensor_release(loop->state);
    weir_variable_release(loop->variable);
    loop->held = NULL;
    loop->held_count = 0;
    loop->held_capacity = 0;
    loop->tape = NULL;
    loop->function = NULL;
    loop->first = NULL;
    loop->state = NULL;
    loop->variable = NULL;
}
