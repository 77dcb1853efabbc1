/* Named values that change in place. */
#ifndef WEIR_VARIABLE_H
#define WEIR_VARIABLE_H

#include <weir/tensor.h>

WEIR_BEGIN_DECLS

typedef struct weir_variable weir_variable;

typedef struct weir_variable_options {
    size_t struct_size;
    int is_strict; /* 1: an update of shared storage fails with SHARED instead of copying */
} weir_variable_options;

#define WEIR_VARIABLE_OPTIONS_INIT       \
    {                                    \
        sizeof(weir_variable_options), 0 \
    }

/** Makes a variable.
 * name      label for reports; copied; NULL: "variable"
 * initial   its first value, shared with the caller until the next update; NULL: no value yet
 * options   NULL: all defaults
 * out       counted, weir_variable_release(); NULL on failure
 * Thread: safe. Errors: ARG, SHAPE, DTYPE (initial differs from dtype and shape), CONTEXT, HOST_MEMORY, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_variable_create(weir_context *context, const char *name, weir_dtype dtype,
                                                         const weir_shape *shape, weir_tensor *initial,
                                                         const weir_variable_options *options, weir_variable **out);

/** Adds an owner; returns the variable. */
WEIR_API weir_variable *weir_variable_retain(weir_variable *variable);

/** Drops an owner. NULL is allowed. Thread: safe. */
WEIR_API void weir_variable_release(weir_variable *variable);

/** Gives the present value as a tensor without copying: a snapshot that later updates do not change.
 * While the snapshot is held, the next update copies (counted in cow_copies of weir_context_stats).
 * out   counted, weir_tensor_release(); NULL on failure
 * Thread: safe. Errors: ARG, UNINITIALISED, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_variable_read(weir_variable *variable, weir_tensor **out);

/** Makes a tensor's value the variable's, sharing its storage: the first update while the tensor is held copies.
 * Thread: safe. Errors: ARG, SHAPE, DTYPE (the message names both), CONTEXT, FORKED. */
WEIR_API WEIR_NODISCARD weir_status weir_variable_assign(weir_variable *variable, weir_tensor *value);

/** Returns the name. */
WEIR_API const char *weir_variable_get_name(const weir_variable *variable);

/** Returns the element type. */
WEIR_API weir_dtype weir_variable_get_dtype(const weir_variable *variable);

/** Returns the shape; valid as long as the variable. */
WEIR_API const weir_shape *weir_variable_get_shape(const weir_variable *variable);

/** Returns 1 if something besides the variable holds its storage, so that an update would copy. */
WEIR_API int weir_variable_is_shared(const weir_variable *variable);

WEIR_END_DECLS

#endif
