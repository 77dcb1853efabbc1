/* Updates of a variable, in three steps: begin (locks, decides in place or copy), launch by the caller, end. */
#ifndef WI_TENSOR_VARIABLE_H
#define WI_TENSOR_VARIABLE_H

#include "tensor/tensor.h"

#include <weir/variable.h>

/* old == target when the update is in place. Both are held by the variable or by the update until its end. */
typedef struct wi_update {
    weir_variable *variable;
    weir_tensor *old;
    weir_tensor *target;
} wi_update;

/** The context or view that the variable was created with: updates run on its queue. */
weir_context *wi_variable_get_context(const weir_variable *variable);

/** Checks `delta` against the variable, locks it and chooses the target.
 * where    public call, for the record
 * Errors: CONTEXT, DTYPE, SHAPE, UNINITIALISED, SHARED (strict), OUT_OF_MEMORY, HOST_MEMORY; nothing is locked then. */
weir_status wi_update_begin(weir_variable *variable, const weir_tensor *delta, const char *where,
                            wi_update *out);

/** Publishes the target if status is OK, else drops it; unlocks. Returns status. */
weir_status wi_update_end(wi_update *update, weir_status status);

#endif
