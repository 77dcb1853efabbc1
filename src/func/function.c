/* Functions: capturing, and calling what was captured.
 *
 * The capture runs the body once and makes the plan; it asks the device for nothing. The first call, or prepare, builds
 * the kernels and takes the arena; every later call only takes its results from the pool and enqueues. Locking: the
 * function's lock while it is prepared or called, since the arena is one.
 */
#include "func/function.h"

#include "base/memory.h"
#include "base/status.h"
#include "context/recording.h"
#include "func/capture.h"
#include "mem/block.h"

#include <inttypes.h>
#include <string.h>

static void dispose(weir_function *function)
{
    weir_context *context = NULL;

    if (function == NULL) return;
    context = function->context;
    wi_run_fini(&function->run);
    wi_steps_fini(&function->steps);
    wi_recorded_fini(&function->recorded);
    weir_block_release(function->arena);
    wi_free(function->argument_terms);
    wi_free(function->specs);
    (void)pthread_mutex_destroy(&function->lock);
    wi_free(function);
    weir_context_release(context);
}

static weir_status create(weir_context *context, const weir_argument_spec *specs, size_t n_specs,
                          weir_function **out)
{
    weir_function *function = wi_calloc(1, sizeof *function);

    *out = NULL;
    if (function == NULL || pthread_mutex_init(&function->lock, NULL) != 0) {
        wi_free(function);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu host bytes",
                       sizeof *function);
    }
    atomic_init(&function->owners, 1);
    function->context = weir_context_retain(context);
    function->n_specs = n_specs;
    function->specs = wi_calloc(n_specs + 1, sizeof *specs);
    function->argument_terms = wi_calloc(n_specs + 1, sizeof(uint32_t));
    *out = function;
    if (function->specs == NULL || function->argument_terms == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu arguments", n_specs);
    }
    if (n_specs > 0) memcpy(function->specs, specs, n_specs * sizeof *specs);
    return WEIR_OK;
}

static weir_status check_specs(const weir_argument_spec *specs, size_t n_specs)
{
    for (size_t i = 0; i < n_specs; i++) {
        uint64_t count = 0;

        if (specs[i].kind == WEIR_ARGUMENT_SCALAR) continue;
        if (specs[i].kind != WEIR_ARGUMENT_TENSOR || weir_dtype_bytes(specs[i].dtype) == 0 ||
            specs[i].shape.rank > WEIR_RANK_MAX) {
            return wi_fail(WEIR_E_ARG, "weir_function_capture",
                           "argument %zu is no tensor and no scalar", i);
        }
        count = weir_shape_count(&specs[i].shape);
        if (count == UINT64_MAX)
            return wi_fail(WEIR_E_ARG, "weir_function_capture", "argument %zu is too large", i);
    }
    return WEIR_OK;
}

/* What the body gets: symbols and scalars. */
static weir_status make_arguments(wi_capture *capture, weir_function *function,
                                  weir_argument *arguments)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < function->n_specs && status == WEIR_OK; i++) {
        wi_term term = {
            .kind = WI_TERM_ARGUMENT, .at = (uint32_t)i, .dtype = function->specs[i].dtype};

        function->argument_terms[i] = WI_NO_TERM;
        if (function->specs[i].kind == WEIR_ARGUMENT_SCALAR) {
            arguments[i].scalar = wi_capture_argument_scalar(capture, (uint32_t)i);
            continue;
        }
        term.shape = function->specs[i].shape;
        term.count = weir_shape_count(&term.shape);
        status = wi_recorded_add(&capture->recorded, &term, &function->argument_terms[i]);
        if (status == WEIR_OK)
            status = wi_capture_symbol(capture, function->argument_terms[i], &arguments[i].tensor);
    }
    return status;
}

/* Notes the terms that the body returned. A view, or one whose term has another shape, is copied. */
static weir_status take_outs(wi_capture *capture, weir_tensor *const *outs, size_t n_outs)
{
    wi_recorded *recorded = &capture->recorded;
    weir_status status = WEIR_OK;

    recorded->outs = wi_calloc(n_outs, sizeof(uint32_t));
    if (recorded->outs == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu results", n_outs);
    for (size_t i = 0; i < n_outs && status == WEIR_OK; i++) {
        uint32_t *out = &recorded->outs[i];
        wi_term copy = {.kind = WI_TERM_COPY, .op = &wi_op_copy, .n_inputs = 1};

        if (outs[i] == NULL)
            return wi_fail(WEIR_E_CAPTURE, "weir_function_capture",
                           "the body left result %zu empty", i);
        status = wi_capture_find_dense(capture, outs[i], "weir_function_capture", out);
        if (status != WEIR_OK) break;
        recorded->n_outs = i + 1;
        if (weir_shape_equal(&recorded->terms[*out].shape, weir_tensor_get_shape(outs[i])))
            continue;
        copy.inputs[0] = *out;
        copy.dtype = recorded->terms[*out].dtype;
        copy.shape = *weir_tensor_get_shape(outs[i]);
        copy.count = recorded->terms[*out].count;
        if (copy.dtype == WEIR_DTYPE_F32) copy.kind = WI_TERM_ELEMENTWISE;
        status = wi_recorded_add(recorded, &copy, out);
    }
    return status;
}

/* Runs the body and takes what it recorded. */
static weir_status record(weir_function *function, size_t n_outs, weir_function_body *body,
                          void *user)
{
    wi_capture capture;
    weir_tensor **outs = wi_calloc(n_outs, sizeof(weir_tensor *));
    weir_argument *arguments = wi_calloc(function->n_specs + 1, sizeof *arguments);
    weir_status status =
        wi_capture_begin(function->context, function->specs, function->n_specs, &capture);

    if (status == WEIR_OK && (outs == NULL || arguments == NULL))
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu results", n_outs);
    if (status == WEIR_OK) status = make_arguments(&capture, function, arguments);
    if (status == WEIR_OK) status = body(capture.context, arguments, outs, user);
    if (status == WEIR_OK) status = take_outs(&capture, outs, n_outs);
    for (size_t i = 0; outs != NULL && i < n_outs; i++) weir_tensor_release(outs[i]);
    for (size_t i = 0; arguments != NULL && i < function->n_specs; i++)
        weir_tensor_release(arguments[i].tensor);
    wi_capture_end(&capture);
    function->recorded = capture.recorded;
    wi_free(outs);
    wi_free(arguments);
    return status;
}

weir_status weir_function_capture(weir_context *context, const weir_argument_spec *specs,
                                  size_t n_specs, size_t n_outs, weir_function_body *body,
                                  void *user, weir_function **out)
{
    weir_status status = WEIR_OK;
    weir_function *function = NULL;

    if (out != NULL) *out = NULL;
    if (context == NULL || body == NULL || out == NULL || n_outs == 0 || n_outs > UINT32_MAX ||
        (specs == NULL && n_specs > 0) || n_specs > UINT32_MAX / 2) {
        return wi_fail(WEIR_E_ARG, "weir_function_capture",
                       "context, specs, body, out and at least one result are required");
    }
    if (wi_context_is_recording(context)) {
        return wi_fail_hint(WEIR_E_CAPTURE, "weir_function_capture",
                            "capture it before and call it after", "a capture inside a capture");
    }
    status = wi_context_check_process(context);
    if (status == WEIR_OK) status = check_specs(specs, n_specs);
    if (status == WEIR_OK) status = create(context, specs, n_specs, &function);
    if (status == WEIR_OK) status = record(function, n_outs, body, user);
    if (status != WEIR_OK) goto done;
    status = wi_steps_make(&function->recorded, wi_context_get_traits(context), &function->steps);
    if (status != WEIR_OK) goto done;
#if WEIR_CHECKS >= 1
    wi_recorded_check(&function->recorded);
#endif
    *out = function;
    function = NULL;
done:
    dispose(function);
    return status;
}

weir_function *weir_function_retain(weir_function *function)
{
    if (function != NULL) atomic_fetch_add_explicit(&function->owners, 1, memory_order_relaxed);
    return function;
}

void weir_function_release(weir_function *function)
{
    if (function == NULL) return;
    if (atomic_fetch_sub_explicit(&function->owners, 1, memory_order_acq_rel) == 1)
        dispose(function);
}

uint64_t weir_function_get_plan_bytes(const weir_function *function)
{
    return function != NULL ? function->steps.arena_bytes : 0;
}

/* Under the lock. What was made before a failure stays for the next try. */
static weir_status prepare(weir_function *function)
{
    weir_status status = WEIR_OK;

    if (function->is_prepared) return WEIR_OK;
    status = wi_function_build(function);
    if (status == WEIR_OK && function->run.bodies == NULL)
        status = wi_run_init(function->context, &function->recorded, &function->steps,
                             function->n_specs, &function->run);
    if (status == WEIR_OK && function->arena == NULL && function->steps.arena_bytes > 0) {
        status = weir_pool_alloc(weir_context_get_pool(function->context),
                                 weir_context_get_queue(function->context),
                                 function->steps.arena_bytes, "function", &function->arena);
    }
    if (status != WEIR_OK) return status;
    function->run.arena.place.block = function->arena;
    function->is_prepared = 1;
    return WEIR_OK;
}

weir_status weir_function_prepare(weir_function *function)
{
    weir_status status = WEIR_OK;

    if (function == NULL)
        return wi_fail(WEIR_E_ARG, "weir_function_prepare", "function is required");
    /* Before the lock, which a thread that a forked child does not have may hold there. */
    status = wi_context_check_process(function->context);
    if (status != WEIR_OK) return status;
    (void)pthread_mutex_lock(&function->lock);
    status = prepare(function);
    (void)pthread_mutex_unlock(&function->lock);
    return status;
}

static weir_status check_tensor(const weir_function *function, size_t i, const weir_tensor *tensor)
{
    const weir_argument_spec *spec = &function->specs[i];
    char wanted[192];
    char given[192];

    if (tensor == NULL)
        return wi_fail(WEIR_E_ARG, "weir_function_call", "argument %zu is missing", i);
    if (wi_context_is_recording(weir_tensor_get_context(tensor))) {
        return wi_fail_hint(WEIR_E_CAPTURE, "weir_function_call",
                            "call the body in place of the function",
                            "argument %zu is a tensor of a capture", i);
    }
    if (weir_tensor_get_context(tensor) != wi_context_get_base(function->context)) {
        return wi_fail(WEIR_E_CONTEXT, "weir_function_call",
                       "argument %zu belongs to another context", i);
    }
    if (weir_tensor_get_dtype(tensor) != spec->dtype) {
        return wi_fail(WEIR_E_DTYPE, "weir_function_call", "argument %zu is %s, captured was %s", i,
                       weir_dtype_name(weir_tensor_get_dtype(tensor)),
                       weir_dtype_name(spec->dtype));
    }
    if (!weir_shape_equal(weir_tensor_get_shape(tensor), &spec->shape)) {
        return wi_fail(WEIR_E_SHAPE, "weir_function_call", "argument %zu is %s, captured was %s", i,
                       weir_shape_format(weir_tensor_get_shape(tensor), given, sizeof given),
                       weir_shape_format(&spec->shape, wanted, sizeof wanted));
    }
    return WEIR_OK;
}

static weir_status check_call(const weir_function *function, const weir_argument *arguments,
                              size_t n_arguments, size_t n_outs)
{
    weir_status status = WEIR_OK;

    if (n_arguments != function->n_specs || n_outs != function->recorded.n_outs ||
        (arguments == NULL && n_arguments > 0)) {
        return wi_fail(WEIR_E_ARG, "weir_function_call",
                       "%zu arguments and %zu results; captured were %zu and %zu", n_arguments,
                       n_outs, function->n_specs, function->recorded.n_outs);
    }
    for (size_t i = 0; i < n_arguments && status == WEIR_OK; i++) {
        if (function->specs[i].kind == WEIR_ARGUMENT_TENSOR)
            status = check_tensor(function, i, arguments[i].tensor);
        else if (arguments[i].scalar.symbol != 0)
            status = wi_fail(WEIR_E_CAPTURE, "weir_function_call",
                             "argument %zu is a scalar of a capture", i);
    }
    return status;
}

/* Where the arguments and constants are. */
static weir_status find_inputs(weir_function *function, const weir_argument *arguments)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < function->n_specs && status == WEIR_OK; i++) {
        const uint32_t term = function->argument_terms[i];

        if (term == WI_NO_TERM || !function->recorded.terms[term].is_live) continue;
        status = wi_tensor_operand(function->context, arguments[i].tensor, WI_TAKES_DENSE,
                                   &function->run.argument_operands[i]);
    }
    for (size_t i = 0; i < function->recorded.n_constants && status == WEIR_OK; i++) {
        status = wi_tensor_operand(function->context, function->recorded.constants[i],
                                   WI_TAKES_DENSE, &function->run.constant_operands[i]);
    }
    return status;
}

/* Makes the results, or takes those that are an argument, a constant or an earlier result. */
static weir_status make_outs(weir_function *function, const weir_argument *arguments,
                             weir_tensor **outs)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < function->recorded.n_outs && status == WEIR_OK; i++) {
        const wi_term *term = &function->recorded.terms[function->recorded.outs[i]];

        if (term->kind == WI_TERM_ARGUMENT) {
            outs[i] = weir_tensor_retain(arguments[term->at].tensor);
        } else if (term->kind == WI_TERM_CONSTANT) {
            outs[i] = weir_tensor_retain(function->recorded.constants[term->at]);
        } else if (term->place_at != i) {
            outs[i] = weir_tensor_retain(outs[term->place_at]);
        } else {
            status = wi_tensor_create(function->context, term->dtype, &term->shape, "function",
                                      &outs[i]);
            if (status == WEIR_OK)
                status = wi_tensor_operand(function->context, outs[i], WI_TAKES_DENSE,
                                           &function->run.out_operands[i]);
        }
    }
    return status;
}

weir_status weir_function_call(weir_function *function, const weir_argument *arguments,
                               size_t n_arguments, weir_tensor **outs, size_t n_outs)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; outs != NULL && i < n_outs; i++) outs[i] = NULL;
    if (function == NULL || outs == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_function_call", "function and outs are required");
    }
    status = check_call(function, arguments, n_arguments, n_outs);
    if (status == WEIR_OK) status = wi_context_check_process(function->context);
    if (status != WEIR_OK) return status;
    (void)pthread_mutex_lock(&function->lock);
    status = prepare(function);
    if (status == WEIR_OK) status = find_inputs(function, arguments);
    if (status == WEIR_OK) status = make_outs(function, arguments, outs);
    if (status == WEIR_OK) {
        function->run.arguments = arguments;
        status = wi_run_all(&function->run);
        function->run.arguments = NULL;
    }
    (void)pthread_mutex_unlock(&function->lock);
    for (size_t i = 0; status != WEIR_OK && i < n_outs; i++) {
        weir_tensor_release(outs[i]);
        outs[i] = NULL;
    }
    return status;
}
