/* A captured function. */
#ifndef WI_FUNC_FUNCTION_H
#define WI_FUNC_FUNCTION_H

#include "func/run.h"

#include <pthread.h>
#include <stdatomic.h>

/* Invariants: owners >= 1 while it is held; is_prepared implies that every kernel step has its kernel, and the arena is
 * taken if it has bytes. */
struct weir_function {
    _Atomic uint64_t owners;
    pthread_mutex_t lock; /* preparing and calling; what was recorded does not change */
    weir_context *context;
    weir_argument_spec *specs;
    size_t n_specs;
    uint32_t *argument_terms; /* WI_NO_TERM: a scalar */
    wi_recorded recorded;
    wi_steps steps;
    wi_run run;
    weir_block *arena;
    int is_prepared;
};

/** Builds the kernels that are not built. Errors: BUILD, HOST_MEMORY, DRIVER. */
weir_status wi_function_build(weir_function *function);

#endif
