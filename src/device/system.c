/* The list of platforms and devices.
 *
 * Platforms are walked in the loader's order, which gives the p.d numbers; a platform without devices, or one whose
 * driver fails, is remembered with its code and the walk goes on. Nothing is looked up again later, so a system is read
 * by any number of threads without a lock.
 */
#include "device/system.h"

#include "base/memory.h"
#include "base/status.h"
#include "cl/cl_query.h"
#include "cl/cl_status.h"
#include "device/device_state.h"
#include "device/driver_reader.h"
#include "device/selector.h"

#include <weir/select.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Makes `list` one entry longer; the entry is zeroed. */
static weir_status grow(void **list, size_t count, size_t entry_bytes)
{
    void *longer = wi_realloc(*list, (count + 1) * entry_bytes);

    if (longer == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_system_create",
                       "no host memory for entry %zu of a list", count);
    memset((char *)longer + count * entry_bytes, 0, entry_bytes);
    *list = longer;
    return WEIR_OK;
}

static weir_status warn(weir_system *system, const wi_platform *platform)
{
    unsigned index = wi_record_get_platform_index(platform->record);
    const char *name = wi_record_get_text(platform->record, WI_PROPERTY_PLATFORM_NAME);
    char line[256];
    weir_status status = WEIR_OK;

    if (platform->code == CL_SUCCESS || platform->code == CL_DEVICE_NOT_FOUND)
        snprintf(line, sizeof line, "platform %u (%.100s) has no devices", index, name);
    else
        snprintf(line, sizeof line, "platform %u (%.100s) could not list its devices: %s (%d)",
                 index, name, wi_cl_status_name(platform->code), platform->code);
    status = grow((void **)&system->warnings, system->warning_count, sizeof *system->warnings);
    if (status != WEIR_OK) return status;
    system->warnings[system->warning_count] = wi_strdup(line);
    if (system->warnings[system->warning_count] == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_system_create", "no host memory for a warning");
    system->warning_count++;
    return WEIR_OK;
}

static weir_status add_device(weir_system *system, cl_platform_id platform_id,
                              const weir_record *platform, cl_device_id id, unsigned index)
{
    weir_record *record = NULL;
    weir_device *device = NULL;
    weir_status status = wi_device_read(id, platform, index, &record);

    if (status == WEIR_OK) status = wi_device_create(platform_id, id, record, &device);
    if (status == WEIR_OK)
        status = grow((void **)&system->devices, system->device_count, sizeof *system->devices);
    if (status == WEIR_OK)
        status = grow((void **)&system->records, system->device_count, sizeof *system->records);
    if (status != WEIR_OK) {
        wi_device_destroy(device);
        return status;
    }
    system->devices[system->device_count] = device;
    system->records[system->device_count] = record;
    system->device_count++;
    return WEIR_OK;
}

static weir_status add_platform(weir_system *system, cl_platform_id id, unsigned index)
{
    cl_device_id *ids = NULL;
    size_t count = 0;
    cl_int code = CL_SUCCESS;
    wi_platform *platform = NULL;
    weir_status status =
        grow((void **)&system->platforms, system->platform_count, sizeof *system->platforms);

    if (status != WEIR_OK) return status;
    platform = &system->platforms[system->platform_count];
    status = wi_platform_read(id, index, &platform->record);
    if (status != WEIR_OK) return status;
    system->platform_count++;

    status = wi_cl_query_devices(id, &ids, &count, &code);
    platform->code = code;
    for (size_t i = 0; i < count && status == WEIR_OK; i++) {
        status = add_device(system, id, platform->record, ids[i], (unsigned)i);
        if (status == WEIR_OK) platform->device_count++;
    }
    if (status == WEIR_OK && count == 0) status = warn(system, platform);
    wi_free(ids);
    return status;
}

int wi_system_check(const weir_system *system, weir_text *why)
{
    size_t listed = 0;
    size_t broken = 0;

    for (size_t i = 0; i < system->platform_count; i++) listed += system->platforms[i].device_count;
    if (listed != system->device_count) {
        weir_text_append(why, "platforms list %zu devices, the system %zu\n", listed,
                         system->device_count);
        broken++;
    }
    for (size_t i = 0; i < system->device_count; i++) {
        const weir_record *record = system->records[i];
        const weir_record *before = i > 0 ? system->records[i - 1] : NULL;

        if (weir_device_get_record(system->devices[i]) != record) {
            weir_text_append(why, "record %zu is not that of device %zu\n", i, i);
            broken++;
        }
        if (before != NULL &&
            (wi_record_get_platform_index(before) > wi_record_get_platform_index(record) ||
             (wi_record_get_platform_index(before) == wi_record_get_platform_index(record) &&
              wi_record_get_device_index(before) >= wi_record_get_device_index(record)))) {
            weir_text_append(why, "device %s is listed after %s\n", wi_record_get_index(record),
                             wi_record_get_index(before));
            broken++;
        }
        broken += !wi_device_check(system->devices[i], why);
    }
    return broken == 0;
}

weir_status weir_system_create(weir_system **out)
{
    weir_status status = WEIR_OK;
    weir_system *system = NULL;
    cl_platform_id *ids = NULL;
    size_t count = 0;

    if (out == NULL) return wi_fail(WEIR_E_ARG, "weir_system_create", "out is required");
    *out = NULL;
    system = wi_calloc(1, sizeof *system);
    if (system == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_system_create", "%zu bytes for a system",
                         sizeof *system);
        goto done;
    }
    status = wi_cl_query_platforms(&ids, &count);
    if (status != WEIR_OK) goto done;
    for (size_t i = 0; i < count && status == WEIR_OK; i++)
        status = add_platform(system, ids[i], (unsigned)i);
    if (status != WEIR_OK) goto done;
#if WEIR_CHECKS >= 1
    assert(wi_system_check(system, NULL));
#endif

    *out = system;
    system = NULL;
done:
    wi_free(ids);
    weir_system_destroy(system);
    return status;
}

void weir_system_destroy(weir_system *system)
{
    if (system == NULL) return;
    for (size_t i = 0; i < system->device_count; i++) wi_device_destroy(system->devices[i]);
    for (size_t i = 0; i < system->platform_count; i++)
        wi_record_destroy(system->platforms[i].record);
    for (size_t i = 0; i < system->warning_count; i++) wi_free(system->warnings[i]);
    wi_free(system->warnings);
    wi_free(system->records);
    wi_free(system->devices);
    wi_free(system->platforms);
    wi_free(system);
}

size_t weir_system_count(const weir_system *system)
{
    return system != NULL ? system->device_count : 0;
}

weir_device *weir_system_device(const weir_system *system, size_t i)
{
    return system != NULL && i < system->device_count ? system->devices[i] : NULL;
}

const char *weir_system_warning(const weir_system *system, size_t i)
{
    return system != NULL && i < system->warning_count ? system->warnings[i] : NULL;
}

/* Records NO_DEVICE with the choices, or with the reason why there are none, in one line. */
static weir_status fail_no_device(const weir_system *system, const char *selector)
{
    weir_text *text = NULL;
    weir_status status = weir_text_create(&text);

    if (status != WEIR_OK) return status;
    if (system->device_count == 0) {
        wi_system_reason(system, text);
        status = wi_fail_hint(WEIR_E_NO_DEVICE, "weir_system_find",
                              "`weir devices` tells what was looked for and where", "%s",
                              weir_text_get(text));
    } else {
        wi_selector_list(system->records, system->device_count, "; ", text);
        status =
            wi_fail_hint(WEIR_E_NO_DEVICE, "weir_system_find", "name one by its index, such as 0.0",
                         "no device matches %s%.80s; there %s: %s",
                         selector != NULL ? "" : "the default (any GPU or CPU)",
                         selector != NULL ? selector : "", system->device_count == 1 ? "is" : "are",
                         weir_text_get(text));
    }
    weir_text_destroy(text);
    return status;
}

/* As `weir select` would; SIZE_MAX if no device matches. */
static weir_status choose(const weir_system *system, const char *selector, size_t *chosen)
{
    weir_criteria criteria = WEIR_CRITERIA_INIT;
    weir_choice *choice = NULL;
    weir_status status = WEIR_OK;

    criteria.pick = selector;
    status = weir_select(system->records, system->device_count, &criteria, &choice);
    *chosen = weir_choice_get_chosen(choice);
    weir_choice_destroy(choice);
    return status;
}

weir_status weir_system_find(const weir_system *system, const char *selector, weir_device **out)
{
    wi_selector parsed;
    size_t chosen = 0;
    weir_status status = WEIR_OK;

    if (out != NULL) *out = NULL;
    if (system == NULL || out == NULL)
        return wi_fail(WEIR_E_ARG, "weir_system_find", "system and out are required");
    status = wi_selector_parse(selector, &parsed);
    if (status != WEIR_OK) return status;
    status = choose(system, selector, &chosen);
    if (status != WEIR_OK) return status;
    if (chosen == SIZE_MAX) return fail_no_device(system, selector);
    if (!parsed.has_logical) {
        *out = system->devices[chosen];
        return WEIR_OK;
    }
    *out = weir_device_logical(system->devices[chosen], parsed.logical);
    if (*out != NULL) return WEIR_OK;
    return wi_fail_hint(WEIR_E_NO_DEVICE, "weir_system_find",
                        "weir_device_split() makes logical devices",
                        "device %s has %zu logical devices: there is no %.40s",
                        weir_device_get_index(system->devices[chosen]),
                        weir_device_logical_count(system->devices[chosen]), selector);
}
