/* The passes in their order. A kernel whose parameters would be too many for a device is written with its known numbers
 * as literals; if they are still too many, all kernels are made again from fewer values: the limit is halved until all
 * fit, and one operation always does. Locking: none. */
#include "func/steps.h"

#include "base/memory.h"

#define EXTERNALS_MAX 56 /* each takes 8 or 16 bytes, so the first try nearly always fits */

void wi_steps_fini(wi_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        wi_step *step = &steps->items[i];

        wi_free(step->members);
        wi_free(step->loads);
        wi_free(step->slots);
        weir_text_destroy(step->text);
    }
    wi_free(steps->items);
    *steps = (wi_steps){0};
}

/* Undoes the passes but the first. */
static void reset(wi_recorded *recorded, wi_steps *steps)
{
    wi_steps_fini(steps);
    for (size_t i = 0; i < recorded->n_terms; i++) {
        recorded->terms[i].step = WI_NO_STEP;
        recorded->terms[i].is_stored = 0;
        recorded->terms[i].place = WI_PLACE_NONE;
    }
    for (size_t b = 0; b < recorded->n_bodies; b++) {
        wi_free(recorded->bodies[b].steps);
        recorded->bodies[b].steps = NULL;
        recorded->bodies[b].n_steps = 0;
    }
}

/* Writes all kernels; *fits is 0 if one has too many parameters. */
static weir_status write_all(const wi_recorded *recorded, wi_steps *steps, int *fits)
{
    weir_status status = WEIR_OK;

    *fits = 1;
    for (size_t i = 0; i < steps->count && status == WEIR_OK && *fits; i++) {
        wi_step *step = &steps->items[i];

        if (step->kind != WI_STEP_KERNEL) continue;
        status = wi_step_write(recorded, (uint32_t)i, step);
        if (status == WEIR_OK && wi_step_parameter_bytes(step) > WI_PARAMETER_BYTES_MAX) {
            weir_text_destroy(step->text);
            step->text = NULL;
            step->n_slots = 0;
            step->has_literals = 1;
            status = wi_step_write(recorded, (uint32_t)i, step);
        }
        *fits = wi_step_parameter_bytes(step) <= WI_PARAMETER_BYTES_MAX;
    }
    return status;
}

weir_status wi_steps_make(wi_recorded *recorded, const wi_device_traits *traits, wi_steps *out)
{
    weir_status status = wi_mark_live(recorded);
    int fits = 0;

    for (size_t most = EXTERNALS_MAX; status == WEIR_OK && !fits; most /= 2) {
        reset(recorded, out);
        wi_mark_inside(recorded, most, traits->loop_trips_max);
        status = wi_steps_gather(recorded, most, out);
        if (status != WEIR_OK) break;
        wi_mark_stored(recorded, out);
        status = write_all(recorded, out, &fits);
    }
    if (status == WEIR_OK) status = wi_steps_layout(recorded, traits->base_align_bytes, out);
    if (status != WEIR_OK) wi_steps_fini(out);
    return status;
}
