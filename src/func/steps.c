/* The passes in their order. A kernel whose parameters would be too many for a device is written with its known numbers
 * as literals; if they are still too many, all kernels are made again, from fewer values or with fewer results, whichever
 * the kernel had more of: that limit is halved until all fit, and one operation always does. Locking: none. */
#include "func/steps.h"

#include "base/memory.h"

#define EXTERNALS_MAX 56 /* each takes 8 or 16 bytes, so the first try nearly always fits */
#define MEMBERS_MAX 512  /* of a kernel without a loop; compilers take longer than in proportion */

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

/* Writes all kernels; too_large: the first with too many parameters, where it stops. */
static weir_status write_all(const wi_recorded *recorded, wi_steps *steps,
                             const wi_step **too_large)
{
    weir_status status = WEIR_OK;

    *too_large = NULL;
    for (size_t i = 0; i < steps->count && status == WEIR_OK && *too_large == NULL; i++) {
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
        if (wi_step_parameter_bytes(step) > WI_PARAMETER_BYTES_MAX) *too_large = step;
    }
    return status;
}

/* Lowers one of the limits because of a kernel. */
static void make_smaller(const wi_step *step, size_t *externals_max, size_t *members_max)
{
    size_t loads = 0;
    size_t stores = 0;

    for (size_t i = 0; i < step->n_slots; i++) {
        loads += step->slots[i].kind == WI_SLOT_LOAD ? 1 : 0;
        stores += step->slots[i].kind == WI_SLOT_STORE ? 1 : 0;
    }
    if (stores > loads && *members_max > 1)
        *members_max = (step->n_members < *members_max ? step->n_members : *members_max) / 2;
    else
        *externals_max /= 2;
    if (*members_max == 0) *members_max = 1;
}

weir_status wi_steps_make(wi_recorded *recorded, const wi_device_traits *traits, wi_steps *out)
{
    weir_status status = wi_mark_live(recorded);
    size_t externals_max = EXTERNALS_MAX;
    size_t members_max = MEMBERS_MAX;
    const wi_step *too_large = NULL;

    do {
        if (too_large != NULL) make_smaller(too_large, &externals_max, &members_max);
        reset(recorded, out);
        wi_mark_inside(recorded, externals_max, traits->loop_trips_max);
        status =
            status == WEIR_OK ? wi_steps_gather(recorded, externals_max, members_max, out) : status;
        if (status != WEIR_OK) break;
        wi_mark_stored(recorded, out);
        status = write_all(recorded, out, &too_large);
    } while (status == WEIR_OK && too_large != NULL);
    if (status == WEIR_OK) status = wi_steps_layout(recorded, traits->base_align_bytes, out);
    if (status != WEIR_OK) wi_steps_fini(out);
    return status;
}
