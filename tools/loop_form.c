/* Each form is a begin and a step, through the public interface alone, as a user would write it. They draw the same
 * numbers, so they end in the same bits; what differs is who holds the old states. One thread. */
#include "loop_form.h"

#include <weir/ops.h>
#include <weir/update.h>

#include <stdlib.h>

static weir_status begin_state(loop_state *loop)
{
    return weir_zeros(loop->context, WEIR_DTYPE_F32, &loop->shape, &loop->state);
}

/* *next = state + a fresh draw. */
static weir_status add_draw(loop_state *loop, weir_tensor **next)
{
    weir_status status = WEIR_OK;
    weir_tensor *draw = NULL;

    status = weir_random_normal(loop->context, &loop->generator, &loop->shape, &draw);
    if (status == WEIR_OK) status = weir_add(loop->context, loop->state, draw, next);
    weir_tensor_release(draw);
    return status;
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
    weir_status status = add_draw(loop, &next);

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
    weir_status status = add_draw(loop, &next);

    if (status != WEIR_OK) return status;
    weir_tensor_release(loop->state);
    loop->state = next;
    return WEIR_OK;
}

static weir_status begin_variable(loop_state *loop)
{
    weir_status status = begin_state(loop);

    if (status == WEIR_OK)
        status = weir_variable_create(loop->context, "state", WEIR_DTYPE_F32, &loop->shape,
                                      loop->state, NULL, &loop->variable);
    weir_tensor_release(loop->state);
    loop->state = NULL;
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

static const loop_form forms[] = {
    {"keep", begin_state, step_keep,
     "release each old state once the next one is there (form eager), or update a variable in "
     "place (form variable)"},
    {"eager", begin_state, step_eager,
     "raise the limit to three states or more, or update a variable in place (form variable), "
     "which needs one"},
    {"variable", begin_variable, step_variable,
     "raise the limit to the bytes of one state or more"},
};

size_t loop_form_count(void) { return sizeof forms / sizeof forms[0]; }

const loop_form *loop_form_at(size_t i) { return &forms[i]; }

uint64_t loop_state_get_saved_bytes(const loop_state *loop)
{
    (void)loop;
    return 0;
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
    weir_tensor_release(loop->state);
    weir_variable_release(loop->variable);
    loop->held = NULL;
    loop->held_count = 0;
    loop->held_capacity = 0;
    loop->state = NULL;
    loop->variable = NULL;
}
