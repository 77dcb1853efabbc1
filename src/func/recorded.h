/* What a capture recorded: values as terms, in the bodies of the function and its loops.
 *
 * Numbers name terms and bodies, so that tables may grow. A term uses only terms with smaller numbers, of its own body
 * or of one around it. Thread: one at a time.
 */
#ifndef WI_FUNC_RECORDED_H
#define WI_FUNC_RECORDED_H

#include "ops/record.h"

#include <weir/function.h>

#include <stddef.h>
#include <stdint.h>

#define WI_NO_TERM UINT32_MAX
#define WI_NO_STEP UINT32_MAX
#define WI_FUNCTION_BODY 0u  /* the number of the function's own body */
#define WI_GENERATORS_MAX 16 /* different generators of one function */
#define WI_CARRIES_MAX 1024  /* carries of one loop */

typedef enum wi_term_kind {
    WI_TERM_ARGUMENT = 0, /* argument `at` of the call */
    WI_TERM_CONSTANT,     /* constant `at` of the function */
    WI_TERM_CARRY,        /* carry `at` at the start of a trip of its body's loop */
    WI_TERM_LOOP,         /* the loop whose body is `loop`; no value */
    WI_TERM_RESULT,       /* carry `at` after the loop whose body is `loop` */
    WI_TERM_FILL,         /* `bits` everywhere */
    WI_TERM_SCALAR,       /* `scalar` as f32 everywhere */
    WI_TERM_DRAW,         /* a draw of generator `at` */
    WI_TERM_ELEMENTWISE,  /* op; element e of it is made from the elements e of its inputs */
    WI_TERM_VIEW,         /* op; the elements of its input in other places: no memory of its own */
    WI_TERM_COPY, /* its input, a view or something to broadcast, dense and of this term's shape */
    WI_TERM_SUM   /* op; a sum over `axes` */
} wi_term_kind;

/* A scalar of a capture. */
typedef enum wi_scalar_kind {
    WI_SCALAR_NUMBER = 0,
    WI_SCALAR_ARGUMENT,
    WI_SCALAR_INDEX
} wi_scalar_kind;

typedef struct wi_scalar {
    wi_scalar_kind kind;
    uint32_t at;   /* argument of the call, or body of the loop whose index it is */
    int64_t value; /* of a number */
} wi_scalar;

/* Where the value of a term is while the function runs. */
typedef enum wi_place {
    WI_PLACE_NONE = 0, /* inside a kernel only, or nowhere */
    WI_PLACE_CALL,     /* an argument or a constant */
    WI_PLACE_ARENA,    /* from offset_bytes of the arena on */
    WI_PLACE_OUT,      /* in result `place_at` of the call */
    WI_PLACE_CARRY,    /* of a loop run launch by launch: where that carry is now */
    WI_PLACE_NEXT      /* where that loop wants its carry `place_at` after this trip */
} wi_place;

/* One value.
 * Invariants: count == weir_shape_count(&shape); inputs[0 .. n_inputs - 1] < the term's own number and in its body or
 * one around it; place == ARENA implies is_stored. */
typedef struct wi_term {
    wi_term_kind kind;
    uint32_t body; /* where it stands */
    uint32_t n_inputs;
    uint32_t inputs[WI_OP_INPUTS_MAX];
    const wi_op *op;
    float parameters[WI_OP_PARAMETERS_MAX];
    weir_dtype dtype;
    weir_shape shape;
    uint64_t count;
    uint32_t at; /* views: how many there are from it to a value in memory, itself included */
    uint32_t loop;
    uint32_t dense; /* of a view: the COPY of it that was made already; WI_NO_TERM: none */
    uint32_t bits;
    wi_scalar scalar;
    uint32_t loops_before; /* draws: loops of the same body before it */
    uint64_t
        draw_offset; /* draws of its generator in the same body before it, without those loops */
    int axes[WEIR_RANK_MAX];
    unsigned n_axes;
    int keep_dims;
    /* Found by the passes. */
    int is_live;
    int is_stored; /* 1: other steps read it, so it has a place in memory */
    uint32_t step; /* that computes it; WI_NO_STEP: none */
    wi_place place;
    uint32_t place_at;
    uint64_t offset_bytes;
} wi_term;

/* A body: the function's, or that of a loop, which stands in `parent` as term `term`.
 * Invariants: inits, carries, results have n_carries entries (none in the function's body). */
typedef struct wi_body {
    uint32_t parent;
    uint32_t term;
    uint32_t number; /* of the loop among those of its parent */
    wi_scalar trips;
    uint32_t n_carries;
    uint32_t *inits;                   /* terms of `parent` or around it */
    uint32_t *carries;                 /* CARRY terms */
    uint32_t *results;                 /* terms of this body or around it */
    uint32_t *outs;                    /* RESULT terms, in `parent` */
    uint32_t n_loops;                  /* loops that stand in this body */
    uint64_t draws[WI_GENERATORS_MAX]; /* a trip, without those of inner loops */
    uint64_t before
        [WI_GENERATORS_MAX]; /* draws of the parent before this loop, without those of loops */
    /* Found by the passes. */
    int is_inside;   /* 1: runs inside one kernel */
    uint32_t *steps; /* of a body that runs launch by launch, in order */
    uint32_t n_steps;
    uint64_t begin; /* times before its first step and after its last */
    uint64_t end;
    uint64_t *other_offsets; /* arena offset of the second place of each carry */
} wi_body;

/* A generator as it was when first used: its draws are numbered from `start`. */
typedef struct wi_captured_generator {
    weir_generator *address;
    uint64_t seed;
    uint64_t start;
    uint64_t next; /* what next_draw is if nobody but the capture changed it */
} wi_captured_generator;

/* Everything recorded.
 * Invariants: bodies[0] is the function's; n_terms <= terms_room, and so on. */
typedef struct wi_recorded {
    wi_term *terms;
    size_t n_terms;
    size_t terms_room;
    wi_body *bodies;
    size_t n_bodies;
    size_t bodies_room;
    weir_tensor **constants; /* held */
    uint32_t *constant_terms;
    size_t n_constants;
    size_t constants_room;
    wi_captured_generator generators[WI_GENERATORS_MAX];
    size_t n_generators;
    uint32_t *outs; /* terms of the results */
    size_t n_outs;
} wi_recorded;

/** Makes room for one more entry of an array; returns 0 and leaves it as it was without host memory. */
int wi_reserve(void **array, size_t *room, size_t count, size_t bytes);

/** Appends a copy of a term; its step is WI_NO_STEP. Errors: HOST_MEMORY. */
weir_status wi_recorded_add(wi_recorded *recorded, const wi_term *term, uint32_t *out);

/** Appends a body with room for n carries, all WI_NO_TERM. Errors: HOST_MEMORY. */
weir_status wi_recorded_add_body(wi_recorded *recorded, uint32_t parent, uint32_t n, uint32_t *out);

/** Frees everything and gives the constants back. */
void wi_recorded_fini(wi_recorded *recorded);

/** 1 if `inner` is `outer` or stands, at any depth, in it. */
int wi_body_is_within(const wi_recorded *recorded, uint32_t inner, uint32_t outer);

/** Bytes of a term's elements. */
uint64_t wi_term_bytes(const wi_term *term);

/** 1 for a term whose elements are all one number that is known at a launch: it never needs memory of its own. */
int wi_term_is_uniform(const wi_term *term);

/** Verifies the invariants above; asserts. For debug builds. */
void wi_recorded_check(const wi_recorded *recorded);

#endif
