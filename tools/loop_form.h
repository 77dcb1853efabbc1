/* The forms of the accumulation loop: the same sum, written in ways that hold memory differently. */
#ifndef WEIR_TOOLS_LOOP_FORM_H
#define WEIR_TOOLS_LOOP_FORM_H

#include <weir/context.h>
#include <weir/function.h>
#include <weir/generator.h>
#include <weir/shape.h>
#include <weir/tape.h>
#include <weir/tensor.h>
#include <weir/variable.h>

/* What a form works on. Starts zeroed but for context, shape and generator.
 *
 * Invariants: held_count <= held_capacity; after a begin that succeeded exactly one of state and variable is set;
 * tape or function set implies first set. */
typedef struct loop_state {
    weir_context *context; /* borrowed */
    weir_shape shape;
    weir_generator generator;
    weir_tensor *state;      /* the sum so far, owned */
    weir_variable *variable; /* the sum so far, owned */
    weir_tensor **held;      /* every old state, owned */
    size_t held_count;
    size_t held_capacity;
    weir_tensor *first; /* the state of step 0, owned */
    weir_tape *tape;    /* records, owned */
    weir_function *function;
} loop_state;

/* One form. Exactly one of step and call is set. */
typedef struct loop_form {
    const char *name;
    weir_status (*begin)(loop_state *loop); /* makes the state of step 0: zeros */
    weir_status (*step)(loop_state *loop);  /* adds one draw */
    weir_status (*call)(
        loop_state *loop,
        uint64_t steps); /* adds all draws to the state of step 0, as often as it is called */
    int is_other_sum;    /* 1: computes something else, so its bits are its own */
    const char *holds;   /* why its memory grows with the steps; "" if it does not */
    const char *cure;    /* what helps when its memory does not suffice */
} loop_form;

/* The forms that record, each in its own file. */
extern const loop_form loop_form_tape;
extern const loop_form loop_form_tape_tanh;
extern const loop_form loop_form_stop;
extern const loop_form loop_form_function;

/** Returns how many forms this build has. */
size_t loop_form_count(void);

/** Returns form i, in the order in which they are run and shown. */
const loop_form *loop_form_at(size_t i);

/** Makes the state of step 0. */
weir_status loop_state_begin(loop_state *loop);

/** Gives term + a fresh draw. term: a tensor of the state's shape; out: one owner, NULL on failure */
weir_status loop_state_add_draw(loop_state *loop, weir_tensor *term, weir_tensor **out);

/** Puts `next` in the place of the state, which is released; takes over next. */
void loop_state_replace(loop_state *loop, weir_tensor *next);

/** Returns the bytes of device memory that a tape keeps for the gradient, and those of host memory; 0 without a tape. */
uint64_t loop_state_get_saved_bytes(const loop_state *loop);
uint64_t loop_state_get_host_bytes(const loop_state *loop);

/** Gives the gradient of the state by the state of step 0; NULL also where there is none. Needs a tape. */
weir_status loop_state_gradient(loop_state *loop, weir_tensor **out);

/** Gives the present state; counted, weir_tensor_release(); NULL on failure. */
weir_status loop_state_read(loop_state *loop, weir_tensor **out);

/** Releases whatever a form holds. Accepts a half-built state. */
void loop_state_release(loop_state *loop);

#endif
