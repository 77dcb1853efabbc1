/* Tapes: a graph that is noted while operations run, and the rules of its use.
 *
 * A tape listens to its context for the thread that began it. While it is stopped, or computes gradients itself, it
 * lets calls pass. The graph outlives the tape as long as tensors lead to it, because a tensor may be released by any
 * thread at any time; what the graph has saved goes with the tape.
 * Locking: none; one thread uses a tape. The graph has its own.
 */
#include <weir/tape.h>

#include "base/memory.h"
#include "base/status.h"
#include "context/recording.h"
#include "graph/backward.h"
#include "mem/oom.h"

#include <weir/ops.h>

#include <inttypes.h>
#include <string.h>

/* Invariants: graph != NULL; is_consumed: it does not listen and the graph is empty. */
struct weir_tape {
    wi_recorder recorder; /* first */
    wi_tape_entry entry;
    weir_context *context;
    wi_graph *graph;
    weir_tape_options options;
    uint64_t stops; /* weir_tape_stop() without its weir_tape_resume() */
    int is_listening;
    int is_computing;
    int is_consumed;
};

static weir_status record(wi_recorder *recorder, const wi_op_call *call, weir_tensor *out)
{
    weir_tape *tape = (weir_tape *)(void *)recorder;

    if (tape->stops != 0 || tape->is_computing) return WEIR_OK;
    return wi_graph_note(tape->graph, call, out);
}

static void stop_listening(weir_tape *tape)
{
    if (tape->is_listening) wi_context_remove_tape(tape->context, &tape->entry);
    tape->is_listening = 0;
}

static void dispose(weir_tape *tape)
{
    if (tape == NULL) return;
    stop_listening(tape);
    wi_graph_close(tape->graph);
    weir_context_release(tape->context);
    wi_free(tape);
}

static weir_status read_options(const weir_tape_options *given, weir_tape_options *out)
{
    *out = (weir_tape_options)WEIR_TAPE_OPTIONS_INIT;
    if (given == NULL) return WEIR_OK;
    if (given->struct_size < sizeof given->struct_size) {
        return wi_fail(WEIR_E_ARG, "weir_tape_begin",
                       "options must start from WEIR_TAPE_OPTIONS_INIT");
    }
    memcpy(out, given, given->struct_size < sizeof *out ? given->struct_size : sizeof *out);
    if (out->unconnected != WEIR_UNCONNECTED_NONE && out->unconnected != WEIR_UNCONNECTED_ZERO) {
        return wi_fail(WEIR_E_ARG, "weir_tape_begin", "unconnected is %d; it may be none or zero",
                       (int)out->unconnected);
    }
    return WEIR_OK;
}

weir_status weir_tape_begin(weir_context *context, const weir_tape_options *options,
                            weir_tape **out)
{
    weir_status status = WEIR_OK;
    weir_tape *tape = NULL;
    weir_tape_options chosen;

    if (out != NULL) *out = NULL;
    if (context == NULL || out == NULL) {
        return wi_fail(WEIR_E_ARG, "weir_tape_begin", "context and out are required");
    }
    status = read_options(options, &chosen);
    if (status != WEIR_OK) return status;
    if (wi_context_is_recording(context)) {
        return wi_fail_hint(WEIR_E_CAPTURE, "weir_tape_begin", "begin the tape outside the body",
                            "a tape cannot listen to a capture");
    }
    status = wi_context_check_process(context);
    if (status != WEIR_OK) return status;
    tape = wi_calloc(1, sizeof *tape);
    if (tape == NULL) {
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_tape_begin", "%zu host bytes", sizeof *tape);
    }
    tape->recorder.record = record;
    tape->options = chosen;
    tape->context = weir_context_retain(context);
    status = wi_graph_create(&tape->graph);
    if (status != WEIR_OK) goto done;
    tape->entry.recorder = tape;
    status = wi_context_add_tape(context, &tape->entry);
    if (status != WEIR_OK) goto done;
    tape->is_listening = 1;
    *out = tape;
    tape = NULL;
done:
    dispose(tape);
    return status;
}

void weir_tape_destroy(weir_tape *tape) { dispose(tape); }

/* A tape is used by the thread that began it, and once unless it is persistent. */
static weir_status check_tape(const weir_tape *tape, const char *where)
{
    if (!pthread_equal(tape->entry.thread, pthread_self())) {
        return wi_fail(WEIR_E_ARG, where, "the tape was begun by another thread");
    }
    if (tape->is_consumed) {
        return wi_fail_hint(WEIR_E_TAPE_CONSUMED, where,
                            "begin another, or set weir_tape_options.is_persistent",
                            "the tape has given its gradients");
    }
    return wi_context_check_process(tape->context);
}

static weir_status check_tensor(const weir_tape *tape, const weir_tensor *tensor, const char *where,
                                const char *what)
{
    if (tensor == NULL) return wi_fail(WEIR_E_ARG, where, "%s is required", what);
    if (weir_tensor_get_context(tensor) != wi_context_get_base(tape->context)) {
        return wi_fail(WEIR_E_CONTEXT, where, "%s belongs to another context than the tape", what);
    }
    return WEIR_OK;
}

weir_status weir_tape_watch(weir_tape *tape, weir_tensor *tensor)
{
    weir_status status = WEIR_OK;

    if (tape == NULL) return wi_fail(WEIR_E_ARG, "weir_tape_watch", "tape is required");
    status = check_tape(tape, "weir_tape_watch");
    if (status == WEIR_OK) status = check_tensor(tape, tensor, "weir_tape_watch", "tensor");
    if (status != WEIR_OK || weir_tensor_get_dtype(tensor) != WEIR_DTYPE_F32) return status;
    return wi_graph_watch(tape->graph, tensor);
}

void weir_tape_stop(weir_tape *tape)
{
    if (tape != NULL) tape->stops++;
}

void weir_tape_resume(weir_tape *tape)
{
    if (tape != NULL && tape->stops > 0) tape->stops--;
}

void weir_tape_reset(weir_tape *tape)
{
    if (tape != NULL) wi_graph_forget(tape->graph, WI_FORGET_CALLS);
}

/* An output gradient fits its target. */
static weir_status check_output_gradient(const weir_tape *tape, const weir_tensor *target,
                                         const weir_tensor *gradient)
{
    const char *where = "weir_tape_gradient";
    char wanted[192];
    char given[192];
    weir_status status = check_tensor(tape, gradient, where, "an output gradient");

    if (status != WEIR_OK) return status;
    if (weir_tensor_get_dtype(gradient) != weir_tensor_get_dtype(target)) {
        return wi_fail(WEIR_E_DTYPE, where, "an output gradient is %s, its target %s",
                       weir_dtype_name(weir_tensor_get_dtype(gradient)),
                       weir_dtype_name(weir_tensor_get_dtype(target)));
    }
    if (!weir_shape_equal(weir_tensor_get_shape(gradient), weir_tensor_get_shape(target))) {
        return wi_fail(WEIR_E_SHAPE, where, "an output gradient is %s, its target %s",
                       weir_shape_format(weir_tensor_get_shape(gradient), given, sizeof given),
                       weir_shape_format(weir_tensor_get_shape(target), wanted, sizeof wanted));
    }
    return WEIR_OK;
}

static weir_status check_request(const weir_tape *tape, const wi_gradient_request *request)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < request->n_targets && status == WEIR_OK; i++) {
        status = check_tensor(tape, request->targets[i], "weir_tape_gradient", "a target");
    }
    for (size_t i = 0; i < request->n_sources && status == WEIR_OK; i++) {
        status = check_tensor(tape, request->sources[i], "weir_tape_gradient", "a source");
    }
    if (request->output_gradients == NULL) return status;
    for (size_t i = 0; i < request->n_targets && status == WEIR_OK; i++) {
        if (request->output_gradients[i] == NULL) continue;
        status = check_output_gradient(tape, request->targets[i], request->output_gradients[i]);
    }
    return status;
}

/* Zeros where no target depends on the source, if the tape gives them. */
static weir_status fill_unconnected(const weir_tape *tape, const wi_gradient_request *request,
                                    weir_tensor **grads)
{
    weir_status status = WEIR_OK;

    if (tape->options.unconnected != WEIR_UNCONNECTED_ZERO) return WEIR_OK;
    for (size_t i = 0; i < request->n_sources && status == WEIR_OK; i++) {
        const weir_tensor *source = request->sources[i];

        if (grads[i] != NULL) continue;
        status = weir_zeros(tape->context, weir_tensor_get_dtype(source),
                            weir_tensor_get_shape(source), &grads[i]);
    }
    return status;
}

static void clear_all(weir_tensor **grads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        weir_tensor_release(grads[i]);
        grads[i] = NULL;
    }
}

weir_status weir_tape_gradient(weir_tape *tape, weir_tensor *const *targets, size_t n_targets,
                               weir_tensor *const *output_gradients, weir_tensor *const *sources,
                               size_t n_sources, weir_tensor **grads_out)
{
    weir_status status = WEIR_OK;
    wi_gradient_request request = {.targets = targets,
                                   .n_targets = n_targets,
                                   .output_gradients = output_gradients,
                                   .sources = sources,
                                   .n_sources = n_sources};

    for (size_t i = 0; grads_out != NULL && i < n_sources; i++) grads_out[i] = NULL;
    if (tape == NULL || (targets == NULL && n_targets != 0) ||
        ((sources == NULL || grads_out == NULL) && n_sources != 0)) {
        return wi_fail(WEIR_E_ARG, "weir_tape_gradient",
                       "tape, targets, sources and grads_out are required");
    }
    status = check_tape(tape, "weir_tape_gradient");
    if (status == WEIR_OK) status = check_request(tape, &request);
    if (status != WEIR_OK) return status;

    request.context = tape->context;
    request.is_last = !tape->options.is_persistent;
    tape->is_computing = 1;
    status = wi_graph_gradient(tape->graph, &request, grads_out);
    if (status == WEIR_OK) status = fill_unconnected(tape, &request, grads_out);
    tape->is_computing = 0;
    if (status != WEIR_OK) clear_all(grads_out, n_sources);
    if (request.is_last) {
        stop_listening(tape);
        tape->is_consumed = 1;
        wi_graph_forget(tape->graph, WI_FORGET_ALL);
    }
    return status;
}

uint64_t weir_tape_get_saved_bytes(const weir_tape *tape)
{
    return tape != NULL ? wi_graph_get_saved_bytes(tape->graph) : 0;
}

uint64_t weir_tape_get_host_bytes(const weir_tape *tape)
{
    return tape != NULL ? sizeof *tape + wi_graph_get_host_bytes(tape->graph) : 0;
}

void weir_tape_explain(const weir_tape *tape, weir_text *text)
{
    char saved[32];
    char host[32];
    uint64_t saved_bytes;

    if (tape == NULL) return;
    saved_bytes = weir_tape_get_saved_bytes(tape);
    weir_text_append(text,
                     "tape: %" PRIu64 " records in %s of host memory, %s of device memory kept\n",
                     wi_graph_get_calls(tape->graph),
                     wi_oom_format_bytes(weir_tape_get_host_bytes(tape), host, sizeof host),
                     wi_oom_format_bytes(saved_bytes, saved, sizeof saved));
    wi_graph_write_table(tape->graph, text);
    if (tape->is_consumed) {
        weir_text_append(text, "The tape has given its gradients and keeps nothing.\n");
    } else if (saved_bytes == 0) {
        weir_text_append(text, "Backward needs no values of what was recorded: a tape of any "
                               "length takes no device memory.\n");
    } else {
        weir_text_append(
            text,
            "Backward reads these values, so the tape keeps them until backward has passed them.\n"
            "Less is kept by stopping the tape where no gradient is needed (weir_tape_stop), by "
            "cutting the chain\n(weir_stop_gradient), or by recording fewer steps before each "
            "gradient.\n");
    }
}
