/* Builds the kernels of a function, each a program of its own.
 *
 * The key of a kernel in the context's cache is the hash of its text, so functions with equal steps share it. A step
 * gives up its text when it has its kernel. Locking: the function's.
 */
#include "func/function.h"

#include "base/status.h"
#include "context/context.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The text and the pieces before it. */
typedef struct request {
    const weir_text *text;
    wi_source sources[3];
} request;

static weir_status make_recipe(void *user, wi_kernel_recipe *recipe)
{
    static const char *const names[] = {"elementwise.cl", "function.cl"};
    request *wanted = user;

    for (size_t i = 0; i < 2; i++) {
        if (!wi_source_find(names[i], &wanted->sources[i]))
            return wi_fail(WEIR_E_BUILD, "weir_function", "%s is not in this build", names[i]);
    }
    wanted->sources[2] = (wi_source){"weir_function", weir_text_get(wanted->text),
                                     weir_text_get_bytes(wanted->text)};
    recipe->sources = wanted->sources;
    recipe->source_count = 3;
    recipe->kernel = "weir_function";
    return WEIR_OK;
}

/* Size of work-groups: the device's, smaller for a loop of few items so that every core has two groups at least. On a
 * GPU a group is no smaller than what runs in step there, or lanes would idle. */
static uint64_t choose_group(const weir_context *context, const wi_step *step,
                             const wi_kernel *kernel)
{
    const wi_device_traits *traits = wi_context_get_traits(context);
    const uint64_t item_elements = (uint64_t)step->vectors * traits->vector_width;
    const uint64_t items = step->count == 0 ? 1 : (step->count - 1) / item_elements + 1;
    const uint64_t least =
        weir_device_get_class(weir_context_get_device(context)) == WEIR_DEVICE_CPU ? 1 : 32;
    uint64_t group = (uint64_t)traits->group_size * 4 / step->vectors;

    while (group > 1 && (group > wi_kernel_get_max_group(kernel) || group > traits->max_group))
        group /= 2;
    if (step->loop == WI_NO_TERM) return group;
    while (group > least && items / group < 2 * (uint64_t)traits->compute_units) group /= 2;
    return group;
}

weir_status wi_function_build(weir_function *function)
{
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < function->steps.count && status == WEIR_OK; i++) {
        wi_step *step = &function->steps.items[i];
        request wanted = {.text = step->text};
        uint64_t key = 0;

        if (step->kind != WI_STEP_KERNEL || step->kernel != NULL) continue;
        key = XXH3_64bits(weir_text_get(step->text), weir_text_get_bytes(step->text));
        status = wi_context_kernel(function->context, key != 0 ? key : 1, make_recipe, &wanted,
                                   &step->kernel);
        if (status != WEIR_OK) break;
        step->local_size = choose_group(function->context, step, step->kernel);
        weir_text_destroy(step->text);
        step->text = NULL;
    }
    return status;
}
