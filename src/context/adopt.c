/* Contexts on OpenCL contexts of the program, and the OpenCL objects behind any context.
 *
 * Everything that can be wrong with the three handles is asked before anything is made, so a refusal costs nothing and
 * names what does not fit. From then on an adopted context is an ordinary one that holds references in place of objects
 * of its own.
 */
#include "cl/foreign.h"
#include "context/context.h"
#include "context/recording.h"
#include "device/adopted.h"
#include "mem/queues.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"

#include <weir/interop_cl.h>

static const char adopting[] = "weir_context_adopt";

/* What there is to adopt. */
typedef struct handles {
    cl_context context;
    cl_device_id device;
    cl_device_id whole; /* that the device is a part of, or itself */
    cl_command_queue queue;
} handles;

/* A part may stand under the name of its whole: PoCL lists the latter for a context on the former. */
static int is_named(const handles *given, cl_device_id name)
{
    return name == given->device || name == given->whole;
}

/* Reads the alignment of all devices of the context, among which the given one must be. */
static weir_status read_context(const handles *given, uint64_t *align_bytes)
{
    cl_device_id *devices = NULL;
    size_t count = 0;
    int is_listed = 0;
    weir_status status = wi_cl_context_query_devices(given->context, &devices, &count);

    if (status != WEIR_OK) return status;
    for (size_t i = 0; i < count; i++) is_listed |= is_named(given, devices[i]);
    if (is_listed)
        status = wi_devices_query_align(devices, count, align_bytes);
    else
        status = wi_fail(WEIR_E_CONTEXT, adopting, "the device is none of the %zu of the context",
                         count);
    wi_free(devices);
    return status;
}

static weir_status check_queue(const handles *given, const char *where)
{
    wi_cl_queue_facts facts;
    weir_status status = WEIR_OK;

    if (given->queue == NULL) return WEIR_OK;
    status = wi_cl_queue_query(given->queue, &facts);
    if (status != WEIR_OK) return status;
    if (facts.context != given->context || !is_named(given, facts.device)) {
        return wi_fail(WEIR_E_CONTEXT, where, "the queue belongs to another %s",
                       facts.context != given->context ? "context" : "device");
    }
    if ((facts.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
        return wi_fail_hint(WEIR_E_UNSUPPORTED, where,
                            "adopt a queue that is in order, or none: NULL makes one",
                            "the queue runs its commands out of order");
    }
    return WEIR_OK;
}

/* The device in the options, or one of the context's own. */
static weir_status choose_device(cl_device_id handle, weir_device *given, wi_context_source *source)
{
    weir_status status = WEIR_OK;

    source->device = given;
    if (given == NULL) {
        status = wi_device_adopt(handle, &source->own_device);
        source->device = source->own_device;
    } else if (wi_device_get_cl_device(given) != handle) {
        status = wi_fail(WEIR_E_ARG, adopting, "device %s of the options is not the one to adopt",
                         weir_device_get_index(given));
    }
    return status == WEIR_OK ? wi_device_check_open(source->device, adopting) : status;
}

weir_status weir_context_adopt(cl_context context, cl_device_id device, cl_command_queue queue,
                               const weir_adopt_options *options, weir_context **out)
{
    wi_context_source source = {.handle = context, .queue = queue};
    handles all = {.context = context, .device = device, .queue = queue};
    cl_platform_id platform = NULL;
    weir_adopt_options given;
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (context == NULL || device == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, adopting, "context, device and out are required");
    }
    if (!wi_options_read(options, &given, sizeof given)) {
        return wi_fail(WEIR_E_ARG, adopting, "options must start from WEIR_ADOPT_OPTIONS_INIT");
    }
    source.is_self_checked = !given.no_self_check;
    if (given.device != NULL) status = wi_device_check_process(given.device, adopting);
    if (status == WEIR_OK) status = wi_device_query_whole(device, &platform, &all.whole);
    if (status == WEIR_OK) status = read_context(&all, &source.align_bytes);
    if (status == WEIR_OK) status = check_queue(&all, adopting);
    if (status == WEIR_OK) status = choose_device(device, given.device, &source);
    if (status != WEIR_OK) {
        wi_device_forget(source.own_device);
        return status;
    }
    return wi_context_open(&source, out);
}

weir_status weir_queue_adopt(weir_context *context, cl_command_queue queue, weir_queue **out)
{
    static const char where[] = "weir_queue_adopt";
    handles all = {.context = weir_context_get_cl_context(context),
                   .device = weir_context_get_cl_device(context),
                   .queue = queue};
    cl_platform_id platform = NULL;
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (context == NULL || queue == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, where, "context, queue and out are required");
    }
    status = wi_context_check_process(context);
    if (status == WEIR_OK) status = wi_device_query_whole(all.device, &platform, &all.whole);
    if (status == WEIR_OK) status = check_queue(&all, where);
    if (status == WEIR_OK)
        status = wi_queues_open(weir_context_get_queue(context)->set, queue, out);
    if (status == WEIR_OK) (void)weir_context_retain(wi_context_get_base(context));
    return status;
}

/* A recording context has no objects of its own. Reading changes nothing of it. */
static weir_context *base_of(const weir_context *context)
{
    return context == NULL ? NULL : wi_context_get_base((weir_context *)(uintptr_t)context);
}

cl_context weir_context_get_cl_context(const weir_context *context)
{
    return context == NULL ? NULL : wi_context_get_cl_context(base_of(context));
}

cl_device_id weir_context_get_cl_device(const weir_context *context)
{
    return context == NULL ? NULL : wi_device_get_cl_device(weir_context_get_device(context));
}

cl_command_queue weir_context_get_cl_queue(weir_context *context)
{
    if (context == NULL || wi_context_is_recording(context)) return NULL;
    return weir_queue_get_cl_queue(weir_context_get_queue(context));
}

cl_command_queue weir_queue_get_cl_queue(weir_queue *queue)
{
    if (queue == NULL) return NULL;
    wi_queue_share(queue->queue);
    return wi_queue_get_handle(queue->queue);
}
