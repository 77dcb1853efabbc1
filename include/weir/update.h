/* Updates of variables: the operations that change a value in place. */
#ifndef WEIR_UPDATE_H
#define WEIR_UPDATE_H

#include <weir/variable.h>

WEIR_BEGIN_DECLS

/** Adds a tensor to the variable, in place where nothing else holds its storage, else into a new block in one pass.
 * delta   of the variable's dtype and shape exactly; no broadcasting
 * Order: enqueued. Thread: safe; updates of one variable are applied one after the other.
 * Errors: ARG, SHAPE, DTYPE, CONTEXT, UNINITIALISED, SHARED (strict), OUT_OF_MEMORY, DRIVER; unchanged on failure. */
WEIR_API WEIR_NODISCARD weir_status weir_variable_assign_add(weir_variable *variable, weir_tensor *delta);

/** Subtracts a tensor; otherwise as weir_variable_assign_add(). */
WEIR_API WEIR_NODISCARD weir_status weir_variable_assign_sub(weir_variable *variable, weir_tensor *delta);

WEIR_END_DECLS

#endif
