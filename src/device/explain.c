/* Why there is no device, for a person to read.
 *
 * One line gives the reason: no loader, no ICD file, drivers that are not there, drivers that could not be loaded,
 * platforms without devices, or only devices that nobody asked for. What was looked at follows: files, variables, device
 * nodes, containers.
 * Files and variables are read each time; no state.
 */
#include "device/system.h"

#include "cl/loader.h"
#include "device/class.h"
#include "device/icd.h"
#include "device/match.h"
#include "device/selector.h"
#include "device/surroundings.h"

#include <stdio.h>
#include <string.h>

/* What is known of platforms that are there without devices. */
static const struct {
    const char *platform;
    const char *hint;
} platform_hints[] = {
    {"rusticl", "rusticl lists devices only of the drivers that RUSTICL_ENABLE names, such as "
                "RUSTICL_ENABLE=llvmpipe"},
    {"AMD", "AMD's driver needs permission for /dev/kfd and a /dev/dri/renderD node"},
    {"Portable Computing Language",
     "PoCL lists the devices that POCL_DEVICES names, the CPU by default"},
};

#define COUNT(Array) (sizeof(Array) / sizeof(Array)[0])

static void no_platform(weir_text *text)
{
    wi_icd_survey icd;
    char place[sizeof icd.place + 32];
    char why[256];
    size_t bad = 0;

    if (wi_loader_find(why, sizeof why) == NULL) {
        weir_text_append(text, "no OpenCL loader: %s (Debian has it as ocl-icd-libopencl1)", why);
        return;
    }
    wi_icd_look(&icd, NULL);
    bad = icd.missing + icd.unreadable;
    (void)snprintf(place, sizeof place, "%s%s%s%s", icd.place, icd.origin[0] != '\0' ? " (" : "",
                   icd.origin, icd.origin[0] != '\0' ? ")" : "");
    weir_text_append(text, "no OpenCL platform: ");
    if (icd.place_error != 0)
        weir_text_append(text, "%s cannot be opened (%s)", place, strerror(icd.place_error));
    else if (icd.entries == 0)
        weir_text_append(text, "no ICD files in %s", place);
    else if (bad == icd.entries)
        weir_text_append(text, "%zu of %zu ICD entries in %s name a library that is not there", bad,
                         icd.entries, place);
    else if (icd.failed > 0)
        weir_text_append(text, "%zu of %zu ICD entries in %s could not be loaded (%s)", icd.failed,
                         icd.entries, place, icd.failure);
    else if (icd.strange > 0)
        weir_text_append(text, "%zu of %zu ICD entries in %s name a library that is no driver",
                         icd.strange, icd.entries, place);
    else
        weir_text_append(text, "the drivers in %s could be loaded but have no platform", place);
}

/* Two masks may hide every device between them. */
static void append_masks(weir_text *text)
{
    if (wi_surroundings_masks(NULL) == 0) return;
    weir_text_append(text, "; devices may be hidden by ");
    (void)wi_surroundings_masks(text);
}

void wi_system_reason(const weir_system *system, weir_text *text)
{
    if (system->platform_count == 0) {
        no_platform(text);
    } else if (system->device_count == 0) {
        weir_text_append(text, "platforms without devices: ");
        for (size_t i = 0; i < system->platform_count; i++)
            weir_text_append(
                text, "%s%s", i == 0 ? "" : ", ",
                wi_record_get_text(system->platforms[i].record, WI_PROPERTY_PLATFORM_NAME));
        append_masks(text);
    } else {
        weir_text_append(text, "every device was rejected: ");
        wi_selector_list(system->records, system->device_count, "; ", text);
    }
}

static void append_platforms(const weir_system *system, weir_text *text)
{
    weir_text_append(text, "platforms:\n");
    for (size_t i = 0; i < system->platform_count; i++) {
        const char *name =
            wi_record_get_text(system->platforms[i].record, WI_PROPERTY_PLATFORM_NAME);

        weir_text_append(text, "  %zu: %s: %zu devices", i, name,
                         system->platforms[i].device_count);
        if (system->platforms[i].device_count == 0 && system->platforms[i].code != 0)
            weir_text_append(text, " (the driver answered %d)", system->platforms[i].code);
        weir_text_append(text, "\n");
        for (size_t h = 0; h < COUNT(platform_hints) && system->platforms[i].device_count == 0; h++)
            if (wi_text_has_word(name, platform_hints[h].platform))
                weir_text_append(text, "     %s\n", platform_hints[h].hint);
    }
}

void weir_system_explain(const weir_system *system, weir_text *text)
{
    const wi_selector best = {.kind = WI_SELECT_BEST};
    wi_icd_survey icd;

    if (system == NULL || text == NULL) return;
    if (system->device_count > 0) {
        weir_text_append(text, "devices:\n  ");
        wi_selector_list(system->records, system->device_count, "\n  ", text);
        weir_text_append(text, "\n");
        if (wi_selector_choose(&best, system->records, system->device_count) < system->device_count)
            return;
        weir_text_append(text, "none of them is taken without being named\n");
    } else {
        wi_system_reason(system, text);
        weir_text_append(text, "\n");
    }
    if (system->platform_count > 0) append_platforms(system, text);
    weir_text_append(text, "drivers looked for:\n");
    wi_icd_look(&icd, text);
    wi_surroundings_variables(text);
    if (system->platform_count > 0 && wi_surroundings_masks(NULL) > 0)
        weir_text_append(text,
                         "  variables that hide devices are among them: unset them to see all\n");
    wi_surroundings_nodes(text);
    wi_surroundings_container(text);
    wi_surroundings_process(text);
}
