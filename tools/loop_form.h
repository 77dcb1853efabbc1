/* The forms of the accumulation loop: the same sum, written in ways that hold memory differently. */
#ifndef WEIR_TOOLS_LOOP_FORM_H
#define WEIR_TOOLS_LOOP_FORM_H

#include <weir/context.h>
#include <weir/generator.h>
#include <weir/shape.h>
#include <weir/tensor.h>
#include <weir/variable.h>

/* What a form works on. Starts zeroed but for context, shape and generator.
 *
 * Invariants: held_count <= held_capacity; after a begin that succeeded exactly one of state and variable is set. */
typedef struct loop_state {
    weir_context *context; /* borrowed */
    weir_shape shape;
    weir_generator generator;
    weir_tensor *state;      /* the sum so far, owned */
    weir_variable *variable; /* the sum so far, owned */
    weir_tensor **held;      /* every old state, owned */
    size_t held_count;
    size_t held_capacity;
} loop_state;

/* One form. */
typedef struct loop_form {
    const char *name;
    weir_status (*begin)(loop_state *loop); /* makes the state of step 0: zeros */
    weir_status (*step)(loop_state *loop);  /* adds one draw */
    const char *cure;                       /* what helps when its memory does not suffice */
} loop_form;

/** Returns how many forms this build has. */
size_t loop_form_count(void);

/** Returns form i, in the order in which they are run and shown. */
const loop_form *loop_form_at(size_t i);

/** Returns the bytes that a tape keeps for the gradient; 0 without a tape. */
uint64_t loop_state_get_saved_bytes(const loop_state *loop);

/** Gives the present state; counted, weir_tensor_release(); NULL on failure. */
weir_status loop_state_read(loop_state *loop, weir_tensor **out);

/** Releases whatever a form holds. Accepts a half-built state. */
void loop_state_release(loop_state *loop);

#endif
