/* An opened device: it owns the OpenCL context, the queue, the pool and the kernels, and checks at open that the
 * device computes the bits that weir promises.
 *
 * Blocks, tensors and variables count as owners, so the context closes with the last of them. The parts are made from
 * the bottom up and disposed from the top down; dispose() accepts a half-built context.
 */
#include "context/context.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/process.h"
#include "base/status.h"
#include "cl/cl_context.h"
#include "cl/foreign.h"
#include "context/kernel_cache.h"
#include "context/recorders.h"
#include "context/self_check.h"
#include "device/adopted.h"
#include "mem/pool.h"

#include <weir/queue.h>
#include <weir/text.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Text that stands before every program, in this order. */
static const char *const prelude_names[] = {"lanes.h", "numeric.h", "random.h"};

#define PRELUDE_COUNT (sizeof prelude_names / sizeof prelude_names[0])
#define SOURCES_MAX 16
#define BUILD_OPTIONS "-cl-std=CL1.2"

typedef enum wi_context_kind {
    WI_CONTEXT_ORDINARY = 0,
    WI_CONTEXT_RECORDING,
    WI_CONTEXT_VIEW
} wi_context_kind;

/* Invariants: owners >= 1 while it is held; pool, queues and handle are set once weir_context_create() succeeded;
 * base_launches and base_copies are what the self-check enqueued; only an ordinary context has no base. A recording
 * context has of the rest only owners, device, traits, capture and recorders, a view only owners, device, traits and
 * queue. */
struct weir_context {
    _Atomic uint64_t owners;
    wi_context_kind kind;
    weir_device *device;
    weir_device *own_device; /* an adopted one, which goes with the context; NULL: a system's */
    const wi_device_traits *traits;
    wi_process_mark *mark;
    cl_context handle;
    wi_queues queues;
    weir_queue *queue; /* where operations run; a view owns it */
    weir_pool *pool;
    wi_kernel_cache kernels;
    int has_kernels;
    char width_text[64]; /* program text that sets the vector width */
    uint64_t base_launches;
    uint64_t base_copies;
    _Atomic uint64_t cow_copies;
    _Atomic uint64_t programs_built;
    _Atomic uint64_t programs_loaded;
    wi_self_check self_check;
    int is_checked;
    wi_recorders recorders;
    int has_recorders;
    weir_context *base;      /* NULL: an ordinary one */
    _Atomic(void *) capture; /* of a recording context until its end */
};

/* What fails while closing must not hide why: the thread's record stays as it is. */
static void dispose(weir_context *context)
{
    weir_error before;

    if (context == NULL) return;
    if (context->kind == WI_CONTEXT_VIEW) {
        weir_queue_release(context->queue);
        wi_free(context);
        return;
    }
    before = *weir_last_error();
    wi_queues_finish_numbered(&context->queues);
    if (context->has_kernels) wi_kernel_cache_fini(&context->kernels);
    wi_pool_destroy(context->pool);
    wi_queues_fini(&context->queues);
    wi_cl_context_release(context->handle);
    wi_device_forget(context->own_device);
    wi_process_mark_destroy(context->mark);
    if (context->has_recorders) wi_recorders_fini(&context->recorders);
    wi_free(context);
    wi_error_restore(&before);
}

static void retain_parent(void *parent) { (void)weir_context_retain(parent); }

static void release_parent(void *parent) { weir_context_release(parent); }

/* Handle and queue: references to somebody's, or new ones. */
static weir_status open_handles(weir_context *context, const wi_context_source *source)
{
    weir_status status = WEIR_OK;
    cl_device_id device = wi_device_get_cl_device(context->device);
    wi_queues_options options = {.device = device, .adopted = source->queue, .parent = context};

    if (source->handle != NULL) {
        status = wi_cl_context_retain(source->handle);
        if (status == WEIR_OK) context->handle = source->handle;
    } else {
        status = wi_cl_context_create(wi_device_get_cl_platform(context->device), device,
                                      &context->handle);
    }
    if (status != WEIR_OK) return status;
    options.context = context->handle;
    return wi_queues_init(&context->queues, &options);
}

static weir_status open_parts(weir_context *context, const wi_context_source *source)
{
    weir_status status = WEIR_OK;
    wi_pool_options options = {0};

    context->mark = wi_process_mark_create();
    context->has_kernels = wi_kernel_cache_init(&context->kernels);
    context->has_recorders = wi_recorders_init(&context->recorders);
    if (context->mark == NULL || !context->has_kernels || !context->has_recorders) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_context_create", "no host memory");
    }
    status = open_handles(context, source);
    if (status != WEIR_OK) return status;
    context->queue = &context->queues.slots[0];
    options.context = context->handle;
    options.device = context->device;
    options.queues = &context->queues;
    options.align_bytes = source->align_bytes;
    options.can_move = source->handle == NULL;
    options.parent = context;
    options.retain_parent = retain_parent;
    options.release_parent = release_parent;
    return wi_pool_create(&options, &context->pool);
}

/* On a queue of its own where the context's is somebody's, which may be waiting for an event that nobody has set yet. */
static weir_status check_self(weir_context *context, int is_queue_foreign)
{
    weir_status status = WEIR_OK;
    wi_queue *queue = context->queue->queue;

    if (is_queue_foreign) {
        status = wi_queue_create(context->handle, wi_device_get_cl_device(context->device), &queue);
        if (status != WEIR_OK) return status;
    }
    status = wi_self_check_run(context, queue, &context->self_check);
    if (is_queue_foreign)
        wi_queue_destroy(queue);
    else
        wi_queue_get_counts(queue, &context->base_launches, &context->base_copies);
    if (status == WEIR_OK) context->is_checked = 1;
    return status;
}

weir_status wi_context_open(const wi_context_source *source, weir_context **out)
{
    weir_status status = WEIR_OK;
    weir_context *context = NULL;

    *out = NULL;
    context = wi_calloc(1, sizeof *context);
    if (context == NULL) {
        wi_device_forget(source->own_device);
        status =
            wi_fail(WEIR_E_HOST_MEMORY, "weir_context_create", "%zu host bytes", sizeof *context);
        goto done;
    }
    atomic_init(&context->owners, 1);
    context->device = source->device;
    context->own_device = source->own_device;
    context->traits = wi_device_get_traits(source->device);
    (void)snprintf(context->width_text, sizeof context->width_text, "#define WEIR_WIDTH %u\n",
                   (unsigned)context->traits->vector_width);
    status = open_parts(context, source);
    if (status == WEIR_OK && source->is_self_checked)
        status = check_self(context, source->queue != NULL);
    if (status != WEIR_OK) goto done;
    if (source->queue != NULL) wi_queue_share(context->queue->queue);

    *out = context;
    context = NULL;
done:
    dispose(context);
    return status;
}

weir_status weir_context_create(weir_device *device, const weir_context_options *options,
                                weir_context **out)
{
    weir_status status = WEIR_OK;
    weir_context_options given;
    wi_context_source source = {.device = device};

    if (out != NULL) *out = NULL;
    if (device == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_context_create", "device and out are required");
    }
    if (!wi_options_read(options, &given, sizeof given)) {
        return wi_fail(WEIR_E_ARG, "weir_context_create",
                       "options must start from WEIR_CONTEXT_OPTIONS_INIT");
    }
    status = wi_device_check_open(device, "weir_context_create");
    if (status != WEIR_OK) return status;
    source.is_self_checked = !given.no_self_check;
    return wi_context_open(&source, out);
}

weir_context *weir_context_retain(weir_context *context)
{
    if (context != NULL) { atomic_fetch_add_explicit(&context->owners, 1, memory_order_relaxed); }
    return context;
}

void weir_context_release(weir_context *context)
{
    /* A recording context owns the one it records for, a view that of which it is one. */
    while (context != NULL &&
           atomic_fetch_sub_explicit(&context->owners, 1, memory_order_acq_rel) == 1) {
        weir_context *base = context->base;

        /* A forked child leaves it: what the context holds belongs to the parent's driver. */
        if (!wi_process_is_marked(wi_context_get_base(context)->mark)) return;
        dispose(context);
        context = base;
    }
}

int wi_context_is_of_process(const weir_context *context)
{
    return wi_process_is_marked(context->base != NULL ? context->base->mark : context->mark);
}

weir_status wi_context_check_process(const weir_context *context)
{
    if (context->kind == WI_CONTEXT_RECORDING) {
        return wi_fail_hint(
            WEIR_E_CAPTURE, "weir_context",
            "do it before the capture and use the result as a constant, or after it", "%s",
            wi_context_get_capture(context) != NULL
                ? "a recording context records operations and runs nothing"
                : "the capture that this context recorded for has ended");
    }
    if (wi_context_is_of_process(context)) return WEIR_OK;
    return wi_fail(WEIR_E_FORKED, "weir_context",
                   "the context belongs to the process that forked this one");
}

weir_status weir_context_synchronize(weir_context *context)
{
    weir_status status = WEIR_OK;
    if (context == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_context_synchronize", "context is required");
    }
    status = wi_context_check_process(context);
    if (status == WEIR_OK) {
        status = context->kind == WI_CONTEXT_VIEW ? wi_queue_finish(context->queue->queue)
                                                  : wi_queues_finish(&context->queues);
    }
    if (status != WEIR_OK) return status;
    wi_pool_reap(weir_context_get_pool(context));
    return wi_pool_get_error(weir_context_get_pool(context));
}

void weir_context_reset_error(weir_context *context)
{
    /* In a forked child the locks may be held for good by threads that are not there. */
    if (context == NULL || !wi_context_is_of_process(context)) return;
    if (context->queue != NULL) wi_queues_reset_error(context->queue->set);
    wi_pool_reset_error(weir_context_get_pool(context));
}

weir_device *weir_context_get_device(const weir_context *context)
{
    return context != NULL ? context->device : NULL;
}

weir_pool *weir_context_get_pool(const weir_context *context)
{
    if (context == NULL) return NULL;
    return context->base != NULL ? context->base->pool : context->pool;
}

weir_queue *weir_context_get_queue(weir_context *context)
{
    return context != NULL ? context->queue : NULL;
}

wi_queue *wi_context_get_queue(weir_context *context) { return context->queue->queue; }

const wi_device_traits *wi_context_get_traits(const weir_context *context)
{
    return context->traits;
}

cl_context wi_context_get_cl_context(const weir_context *context)
{
    return context->base != NULL ? context->base->handle : context->handle;
}

void wi_context_count_cow(weir_context *context)
{
    atomic_fetch_add_explicit(&wi_context_get_base(context)->cow_copies, 1, memory_order_relaxed);
}

void weir_context_get_stats(const weir_context *context, weir_context_stats *out)
{
    if (out == NULL) return;
    memset(out, 0, sizeof *out);
    if (context == NULL) return;
    if (context->base != NULL) context = context->base;
    wi_queues_get_counts(&context->queues, &out->kernels_launched, &out->copies_enqueued);
    out->kernels_launched -= context->base_launches;
    out->copies_enqueued -= context->base_copies;
    out->cow_copies = atomic_load_explicit(&context->cow_copies, memory_order_relaxed);
    out->programs_built = atomic_load_explicit(&context->programs_built, memory_order_relaxed);
    out->programs_loaded = atomic_load_explicit(&context->programs_loaded, memory_order_relaxed);
}

void weir_context_explain(const weir_context *context, weir_text *text)
{
    if (context == NULL || text == NULL) return;
    if (context->kind == WI_CONTEXT_VIEW) context = context->base;
    if (context->is_checked)
        wi_self_check_write(&context->self_check, text);
    else
        weir_text_append(text, "the self-check was switched off\n");
}

/* Builds or loads the kernel that a recipe describes. */
static weir_status build(weir_context *context, const wi_kernel_recipe *recipe,
                         wi_program **program, wi_kernel **kernel)
{
    weir_status status = WEIR_OK;
    wi_source sources[1 + PRELUDE_COUNT + SOURCES_MAX];
    size_t count = 0;
    int was_loaded = 0;
    wi_program_target target = {0};

    if (recipe->source_count > SOURCES_MAX) {
        return wi_fail(WEIR_E_UNSUPPORTED, "weir_context", "%zu pieces of program text, at most %d",
                       recipe->source_count, SOURCES_MAX);
    }
    sources[count].name = "width";
    sources[count].text = context->width_text;
    sources[count++].bytes = strlen(context->width_text);
    for (size_t i = 0; i < PRELUDE_COUNT; i++) {
        if (!wi_source_find(prelude_names[i], &sources[count++])) {
            return wi_fail(WEIR_E_BUILD, "weir_context", "program text %s is not in this build",
                           prelude_names[i]);
        }
    }
    for (size_t i = 0; i < recipe->source_count; i++) sources[count++] = recipe->sources[i];

    target.context = context->handle;
    target.device = wi_device_get_cl_device(context->device);
    target.platform = context->traits->platform_text;
    target.device_name = weir_device_get_name(context->device);
    target.driver_version = context->traits->driver_version;
    status = wi_program_create(&target, sources, count, BUILD_OPTIONS, program, &was_loaded);
    if (status != WEIR_OK) return status;
    atomic_fetch_add_explicit(was_loaded ? &context->programs_loaded : &context->programs_built, 1,
                              memory_order_relaxed);
    return wi_kernel_create(*program, recipe->kernel, kernel);
}

weir_status wi_context_kernel(weir_context *context, uint64_t key,
                              weir_status (*make)(void *user, wi_kernel_recipe *recipe), void *user,
                              wi_kernel **out)
{
    weir_status status = WEIR_OK;
    wi_kernel_recipe recipe = {0};
    wi_program *program = NULL;
    wi_kernel *kernel = NULL;

    if (context->kind == WI_CONTEXT_VIEW) context = context->base;
    *out = wi_kernel_cache_find(&context->kernels, key);
    if (*out != NULL) return WEIR_OK;
    status = wi_context_check_process(context);
    if (status != WEIR_OK) goto done;
    status = make(user, &recipe);
    if (status != WEIR_OK) goto done;
    status = build(context, &recipe, &program, &kernel);
    if (status != WEIR_OK) goto done;
    *out = wi_kernel_cache_add(&context->kernels, key, program, kernel);
    if (*out == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_context", "no host memory for a kernel");
        goto done;
    }
    program = NULL;
    kernel = NULL;
done:
    wi_kernel_destroy(kernel);
    wi_program_destroy(program);
    return status;
}

weir_status wi_context_create_recording(weir_context *base, void *capture, weir_context **out)
{
    weir_context *context = wi_calloc(1, sizeof *context);

    *out = NULL;
    if (context == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_function_capture", "%zu host bytes",
                       sizeof *context);
    }
    atomic_init(&context->owners, 1);
    context->device = base->device;
    context->traits = base->traits;
    context->kind = WI_CONTEXT_RECORDING;
    context->base = weir_context_retain(wi_context_get_base(base));
    atomic_init(&context->capture, capture);
    context->has_recorders = wi_recorders_init(&context->recorders);
    *out = context;
    return WEIR_OK;
}

weir_status wi_context_create_view(weir_queue *queue, weir_context **out)
{
    weir_context *base = queue->set->options.parent;
    weir_context *context = wi_calloc(1, sizeof *context);

    *out = NULL;
    if (context == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_context_on_queue", "%zu host bytes",
                       sizeof *context);
    }
    atomic_init(&context->owners, 1);
    context->kind = WI_CONTEXT_VIEW;
    context->device = base->device;
    context->traits = base->traits;
    context->queue = weir_queue_retain(queue);
    context->base = weir_context_retain(base);
    *out = context;
    return WEIR_OK;
}

void wi_context_end_recording(weir_context *recording) { atomic_store(&recording->capture, NULL); }

void *wi_context_get_capture(const weir_context *context)
{
    return atomic_load_explicit(&context->capture, memory_order_acquire);
}

int wi_context_is_recording(const weir_context *context)
{
    return context->kind == WI_CONTEXT_RECORDING;
}

weir_context *wi_context_get_base(weir_context *context)
{
    return context->base != NULL ? context->base : context;
}

weir_context *wi_context_get_owner(weir_context *context)
{
    return context->kind == WI_CONTEXT_VIEW ? context->base : context;
}

wi_recorders *wi_context_get_recorders(weir_context *context)
{
    return &wi_context_get_owner(context)->recorders;
}
