/* Steps: what a function does, one launch or one loop of launches each, made from what was recorded.
 *
 * The passes: what no result needs is left out; elementwise terms, draws and loops whose bodies are of these alone are
 * gathered into kernels; what several steps share gets a place in memory.
 */
#ifndef WI_FUNC_STEPS_H
#define WI_FUNC_STEPS_H

#include "func/recorded.h"

#include <weir/text.h>

#define WI_PARAMETER_BYTES_MAX \
    1000 /* of one kernel; every device has 1024 (CL_DEVICE_MAX_PARAMETER_SIZE) */

typedef enum wi_step_kind {
    WI_STEP_KERNEL = 0, /* a kernel written for it */
    WI_STEP_LOOP,       /* the steps of a body, trip by trip */
    WI_STEP_COPY,
    WI_STEP_SUM,
    WI_STEP_FILL
} wi_step_kind;

/* One parameter, or two, of a kernel. */
typedef enum wi_slot_kind {
    WI_SLOT_LOAD = 0, /* term `at`: where it is, and from which element on */
    WI_SLOT_STORE,    /* the same, to be written */
    WI_SLOT_FLOAT,    /* `bits` */
    WI_SLOT_SCALAR,   /* `scalar` as f32 */
    WI_SLOT_TRIPS,    /* `scalar` as a number of trips */
    WI_SLOT_SEED,     /* of generator `at` */
    WI_SLOT_NUMBER, /* of the next draw of generator `at` after `loops` loops of the step's body */
    WI_SLOT_COUNTER /* of the next draw of generator `at` when the kernel's loop begins with its first trip */
} wi_slot_kind;

typedef struct wi_slot {
    wi_slot_kind kind;
    uint32_t at;
    uint32_t loops;
    uint32_t bits;
    wi_scalar scalar;
} wi_slot;

/* One step.
 * Invariants: members ascend; a KERNEL's members stand in its body and have `count` elements, or are its one loop;
 * the others have one member. */
typedef struct wi_step {
    wi_step_kind kind;
    uint32_t body;
    uint64_t count;
    uint32_t *members;
    size_t n_members;
    size_t members_room;
    uint32_t loop;   /* body of the loop in it; WI_NO_TERM: none */
    uint32_t *loads; /* kernels: terms of other steps or bodies that it reads */
    size_t n_loads;
    size_t loads_room;
    uint64_t time; /* in the order of the first trip */
    uint64_t scratch_bytes;
    uint64_t scratch_offset;
    /* Kernels: made with the step, the text given up when it is built. */
    unsigned vectors;
    int has_literals; /* 1: numbers known when it is written stand in its text, since parameters would be too many */
    weir_text *text;
    wi_slot *slots;
    size_t n_slots;
    size_t slots_room;
    wi_kernel *kernel; /* the context's; NULL: not built */
    uint64_t local_size;
    double seconds_a_trip; /* measured; 0: not yet */
    unsigned measured;     /* pieces that were waited for */
} wi_step;

/* What a function does, in which memory.
 * Invariants: the steps of a body that runs launch by launch ascend. */
typedef struct wi_steps {
    wi_step *items;
    size_t count;
    size_t room;
    uint64_t arena_bytes;
} wi_steps;

/** Marks the terms that results depend on. */
weir_status wi_mark_live(wi_recorded *recorded);

/** Finds which loops run inside a kernel.
 * externals_max    loops that read more values from outside do not
 * loop_trips_max   of the device, see wi_device_traits: what a trip with its inner loops needs must fit several times */
void wi_mark_inside(wi_recorded *recorded, size_t externals_max, uint32_t loop_trips_max);

/** Trips that one trip of a loop makes, those of inner loops included; UINT64_MAX if that is not known. */
uint64_t wi_loop_iterations(const wi_recorded *recorded, uint32_t loop);

/** Gathers the live terms into steps. externals_max, members_max: of each kernel, values loaded and terms.
 * Errors: HOST_MEMORY. */
weir_status wi_steps_gather(wi_recorded *recorded, size_t externals_max, size_t members_max,
                            wi_steps *steps);

/** Finds what is stored, and whether in a result, in a loop's next carry, or in the arena. */
void wi_mark_stored(wi_recorded *recorded, const wi_steps *steps);

/** Writes the text of kernel step `number` and its parameters. Errors: HOST_MEMORY. */
weir_status wi_step_write(const wi_recorded *recorded, uint32_t number, wi_step *step);

/** 1 if the loop, or one in it, draws from one of these generators (a bit each). */
int wi_loop_draws(const wi_recorded *recorded, uint32_t loop, uint32_t generators);

/** Bytes of a kernel's parameters. */
size_t wi_step_parameter_bytes(const wi_step *step);

/** Places what goes to the arena. Errors: HOST_MEMORY, UNSUPPORTED (bytes beyond 2^64). */
weir_status wi_steps_layout(wi_recorded *recorded, uint64_t align_bytes, wi_steps *steps);

/** All passes. Errors: HOST_MEMORY, UNSUPPORTED. */
weir_status wi_steps_make(wi_recorded *recorded, const wi_device_traits *traits, wi_steps *out);

void wi_steps_fini(wi_steps *steps);

/** The term whose memory a term reads: itself, or what a view looks at. */
uint32_t wi_root(const wi_recorded *recorded, uint32_t term);

/** Calls `visit` for each value from outside that live terms in the loop's body, at any depth, and its live starts use.
 * Stops at the first call that returns a failure. */
weir_status wi_loop_externals(const wi_recorded *recorded, uint32_t loop,
                              weir_status (*visit)(void *user, uint32_t term), void *user);

#endif
