/* Variables: a name, a lock, and the tensor that is the present value.
 *
 * Reading hands out that tensor. An update asks whether anything else holds it: if not, it is written in place, else
 * the update writes to a new tensor in the same pass (out = old + delta) and the old one stays with its holders. Work
 * already enqueued needs no copy, because the update comes after it, on whatever queue it is (mem/pending.h).
 */
#include "tensor/variable.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "context/recording.h"
#include "mem/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Invariants: owners >= 1 while it is held; value == NULL, or it has the variable's dtype and shape, is of its context or
 * of the one of which that is a view, and is not an unwritten draw. */
struct weir_variable {
    _Atomic uint64_t owners;
    pthread_mutex_t lock; /* value */
    weir_context *context;
    char *name;
    char *label; /* a whole path: the scopes in which it was created, and the name */
    weir_dtype dtype;
    weir_shape shape;
    int is_strict;
    weir_tensor *value;
};

static void dispose(weir_variable *variable)
{
    weir_context *context = NULL;
    if (variable == NULL) return;
    context = variable->context;
    weir_tensor_release(variable->value);
    (void)pthread_mutex_destroy(&variable->lock);
    wi_free(variable->name);
    wi_free(variable->label);
    wi_free(variable);
    weir_context_release(context);
}

/* Compares a tensor with what the variable takes. */
static weir_status check_fit(const weir_variable *variable, const weir_tensor *tensor,
                             const char *where)
{
    char wanted[192];
    char given[192];
    const weir_shape *shape = weir_tensor_get_shape(tensor);

    if (wi_context_is_recording(weir_tensor_get_context(tensor))) {
        return wi_fail_hint(WEIR_E_CAPTURE, where,
                            "return the new value and assign it after the call",
                            "variable %s cannot be changed in a capture", variable->name);
    }
    if (weir_tensor_get_context(tensor) != wi_context_get_base(variable->context)) {
        return wi_fail(WEIR_E_CONTEXT, where, "variable %s and the tensor belong to two contexts",
                       variable->name);
    }
    if (weir_tensor_get_dtype(tensor) != variable->dtype) {
        return wi_fail(WEIR_E_DTYPE, where, "variable %s is %s, the tensor is %s", variable->name,
                       weir_dtype_name(variable->dtype),
                       weir_dtype_name(weir_tensor_get_dtype(tensor)));
    }
    if (!weir_shape_equal(shape, &variable->shape)) {
        return wi_fail(WEIR_E_SHAPE, where,
                       "variable %s is %s, the tensor is %s; shapes must be equal", variable->name,
                       weir_shape_format(&variable->shape, wanted, sizeof wanted),
                       weir_shape_format(shape, given, sizeof given));
    }
    return WEIR_OK;
}

/* Makes a tensor the value, under the lock or before the variable is published. */
static weir_status adopt(weir_variable *variable, weir_tensor *tensor)
{
    wi_operand operand;
    weir_status status = wi_tensor_operand(variable->context, tensor, WI_TAKES_DENSE, &operand);
    if (status != WEIR_OK) return status;
    wi_tensor_relabel(tensor, variable->label);
    (void)weir_tensor_retain(tensor);
    weir_tensor_release(variable->value);
    variable->value = tensor;
    return WEIR_OK;
}

weir_status weir_variable_create(weir_context *context, const char *name, weir_dtype dtype,
                                 const weir_shape *shape, weir_tensor *initial,
                                 const weir_variable_options *options, weir_variable **out)
{
    weir_status status = WEIR_OK;
    weir_variable *variable = NULL;
    weir_variable_options given;
    uint64_t count = 0;
    uint64_t bytes = 0;

    if (out != NULL) *out = NULL;
    if (context == NULL || shape == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_variable_create", "context, shape and out are required");
    }
    if (wi_context_is_recording(context)) {
        return wi_fail_hint(WEIR_E_CAPTURE, "weir_variable_create", "create it before the capture",
                            "variable %s cannot be created in a capture", name != NULL ? name : "");
    }
    if (!wi_options_read(options, &given, sizeof given)) {
        return wi_fail(WEIR_E_ARG, "weir_variable_create",
                       "options must start from WEIR_VARIABLE_OPTIONS_INIT");
    }
    status = wi_tensor_measure(dtype, shape, "weir_variable_create", &count, &bytes);
    if (status != WEIR_OK) return status;
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    variable = wi_calloc(1, sizeof *variable);
    if (variable == NULL || pthread_mutex_init(&variable->lock, NULL) != 0) {
        wi_free(variable);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_variable_create", "%zu host bytes",
                       sizeof *variable);
    }
    atomic_init(&variable->owners, 1);
    variable->context = weir_context_retain(context);
    variable->dtype = dtype;
    variable->shape = *shape;
    variable->is_strict = given.is_strict;
    variable->name = wi_strdup(name != NULL ? name : "variable");
    if (variable->name != NULL) {
        variable->label = wi_pool_label(weir_context_get_pool(context), variable->name);
    }
    if (variable->label == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_variable_create", "no host memory for a name");
        goto done;
    }
    if (initial != NULL) {
        status = check_fit(variable, initial, "weir_variable_create");
        if (status != WEIR_OK) goto done;
        status = adopt(variable, initial);
        if (status != WEIR_OK) goto done;
    }
    *out = variable;
    variable = NULL;
done:
    dispose(variable);
    return status;
}

weir_variable *weir_variable_retain(weir_variable *variable)
{
    if (variable != NULL) { atomic_fetch_add_explicit(&variable->owners, 1, memory_order_relaxed); }
    return variable;
}

void weir_variable_release(weir_variable *variable)
{
    if (variable == NULL) return;
    if (atomic_fetch_sub_explicit(&variable->owners, 1, memory_order_acq_rel) == 1) {
        dispose(variable);
    }
}

static weir_status fail_uninitialised(const weir_variable *variable, const char *where)
{
    return wi_fail_hint(WEIR_E_UNINITIALISED, where, "give it one with weir_variable_assign()",
                        "variable %s has no value yet", variable->name);
}

weir_status weir_variable_read(weir_variable *variable, weir_tensor **out)
{
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (variable == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_variable_read", "variable and out are required");
    }
    status = wi_context_check_process(variable->context);
    if (status != WEIR_OK) return status;
    (void)pthread_mutex_lock(&variable->lock);
    if (variable->value == NULL)
        status = fail_uninitialised(variable, "weir_variable_read");
    else
        *out = weir_tensor_retain(variable->value);
    (void)pthread_mutex_unlock(&variable->lock);
    return status;
}

weir_status weir_variable_assign(weir_variable *variable, weir_tensor *value)
{
    weir_status status = WEIR_OK;

    if (variable == NULL || value == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_variable_assign", "variable and value are required");
    }
    status = wi_context_check_process(variable->context);
    if (status != WEIR_OK) return status;
    status = check_fit(variable, value, "weir_variable_assign");
    if (status != WEIR_OK) return status;
    (void)pthread_mutex_lock(&variable->lock);
    status = adopt(variable, value);
    (void)pthread_mutex_unlock(&variable->lock);
    return status;
}

/* Decides where an update writes. Under the lock. */
static weir_status choose_target(weir_variable *variable, const char *where, wi_update *update)
{
    weir_status status = WEIR_OK;

    if (variable->value == NULL) return fail_uninitialised(variable, where);
    if (wi_tensor_is_sole(variable->value)) {
        update->target = variable->value;
    } else if (variable->is_strict) {
        return wi_fail_hint(WEIR_E_SHARED, where, "release the tensors that share it",
                            "the storage of strict variable %s is shared", variable->name);
    } else {
        status = wi_tensor_create(variable->context, variable->dtype, &variable->shape,
                                  variable->label, &update->target);
        if (status != WEIR_OK) return status;
    }
    update->old = variable->value;
    return WEIR_OK;
}

weir_status wi_update_begin(weir_variable *variable, const weir_tensor *delta, const char *where,
                            wi_update *out)
{
    weir_status status = WEIR_OK;

    *out = (wi_update){0};
    status = wi_context_check_process(variable->context);
    if (status != WEIR_OK) return status;
    status = check_fit(variable, delta, where);
    if (status != WEIR_OK) return status;
    (void)pthread_mutex_lock(&variable->lock);
    status = choose_target(variable, where, out);
    if (status != WEIR_OK) {
        (void)pthread_mutex_unlock(&variable->lock);
        *out = (wi_update){0};
        return status;
    }
    out->variable = variable;
    return WEIR_OK;
}

weir_status wi_update_end(wi_update *update, weir_status status)
{
    weir_variable *variable = update->variable;
    weir_tensor *unused = NULL;

    if (update->target != update->old) {
        if (status == WEIR_OK) {
            wi_context_count_cow(variable->context);
            variable->value = update->target;
            unused = update->old;
        } else {
            unused = update->target;
        }
    }
    (void)pthread_mutex_unlock(&variable->lock);
    weir_tensor_release(unused);
    *update = (wi_update){0};
    return status;
}

weir_context *wi_variable_get_context(const weir_variable *variable) { return variable->context; }

const char *weir_variable_get_name(const weir_variable *variable)
{
    return variable != NULL ? variable->name : "";
}

weir_dtype weir_variable_get_dtype(const weir_variable *variable)
{
    return variable != NULL ? variable->dtype : WEIR_DTYPE_NONE;
}

const weir_shape *weir_variable_get_shape(const weir_variable *variable)
{
    return variable != NULL ? &variable->shape : NULL;
}

int weir_variable_is_shared(const weir_variable *variable)
{
    pthread_mutex_t *lock = NULL;
    int is_shared = 0;

    /* In a forked child the lock may be held for good by a thread that is not there. */
    if (variable == NULL || !wi_context_is_of_process(variable->context)) return 0;
    lock = (pthread_mutex_t *)(uintptr_t)&variable->lock;
    (void)pthread_mutex_lock(lock);
    is_shared = variable->value != NULL && !wi_tensor_is_sole(variable->value);
    (void)pthread_mutex_unlock(lock);
    return is_shared;
}
