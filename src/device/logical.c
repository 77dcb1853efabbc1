/* Logical devices: one device as several, each with a strategy, a limit and a budget of its own.
 *
 * A split says for each logical device the most that it may ever reserve, and is checked once: where the sum of the
 * limits fits, no logical device can take what another was promised, and none needs to look at the others afterwards.
 * The physical device then has no memory of its own left; contexts on it are refused, as are those on logical devices
 * that a later split has no room for. Those stay what they are, unusable, until the system goes, since somebody may
 * hold their handles. All of it happens under the physical device's lock.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "device/device_state.h"

#include <inttypes.h>
#include <string.h>

static const char where[] = "weir_device_split";

uint64_t wi_device_capacity(const weir_device *device)
{
    const uint64_t total = device->traits.global_bytes;

    if (device->config.is_limit_set && device->config.limit_bytes < total)
        return device->config.limit_bytes;
    return total;
}

/* OK, or ARG with the sum that does not fit. */
static weir_status check_sum(const weir_device *device, size_t count,
                             const wi_memory_config *configs, const char *call)
{
    const uint64_t capacity = wi_device_capacity(device);
    const int is_limited = capacity < device->traits.global_bytes;
    uint64_t sum = 0;
    size_t i = 0;

    while (i < count && wi_add_u64(sum, configs[i].limit_bytes, &sum) && sum <= capacity) i++;
    if (i == count) return WEIR_OK;
    return wi_fail_hint(
        WEIR_E_ARG, call,
        is_limited ? "set smaller limits, or a larger one on the device first"
                   : "set smaller limits; fractions may add up to 1",
        "the limits of logical devices 0 to %zu of %s pass the %s of %" PRIu64 " bytes", i,
        device->index_text, is_limited ? "device's own limit" : "device's memory", capacity);
}

weir_status wi_device_check_layout(const weir_device *device, const char *call)
{
    if (device->logical_count != 0)
        return wi_fail_hint(WEIR_E_ARG, call,
                            "open its logical devices: weir_device_logical(device, 0) ...",
                            "device %s is split into %zu logical devices and has no memory of its "
                            "own",
                            device->index_text, device->logical_count);
    if (device->parent != NULL && device->ordinal >= device->parent->logical_count)
        return wi_fail_hint(WEIR_E_ARG, call, "use the devices that the last split returned",
                            "device %s was split again since, into %zu: there is no logical device "
                            "%s any more",
                            device->parent->index_text, device->parent->logical_count,
                            device->index_text);
    return WEIR_OK;
}

weir_status wi_device_check_share(const weir_device *device, const wi_memory_config *wanted)
{
    static const char call[] = "weir_device_configure";
    const weir_device *parent = device->parent;
    wi_memory_config configs[WEIR_LOGICAL_MAX];

    if (parent == NULL) return wi_device_check_layout(device, call);
    if (wanted->given_bytes == 0 && !(wanted->given_fraction > 0))
        return wi_fail_hint(WEIR_E_ARG, call, "set limit_bytes or limit_fraction",
                            "logical device %s needs a limit", device->index_text);
    for (size_t i = 0; i < parent->logical_count; i++) configs[i] = parent->logical[i]->config;
    configs[device->ordinal] = *wanted;
    return check_sum(parent, parent->logical_count, configs, call);
}

int wi_device_check_logical(const weir_device *device, weir_text *why)
{
    uint64_t sum = 0;
    int is_right = device->logical_count <= device->logical_made;

    for (size_t i = 0; i < device->logical_made; i++) {
        const weir_device *logical = device->logical[i];

        is_right = is_right && logical->parent == device && logical->ordinal == i;
        if (i >= device->logical_count) continue;
        is_right = is_right && wi_add_u64(sum, logical->config.limit_bytes, &sum) &&
                   (atomic_load(&device->is_frozen) || !atomic_load(&logical->is_frozen));
    }
    is_right = is_right && (device->logical_count == 0 || sum <= wi_device_capacity(device));
    if (!is_right)
        weir_text_append(why, "device %s: its %zu logical devices do not fit\n", device->index_text,
                         device->logical_count);
    return is_right;
}

/* Reads entry i of a list whose entries are as long as the caller's header made them. */
static weir_status read_config(const weir_device *device, const weir_memory_options *options,
                               size_t i, wi_memory_config *out)
{
    const size_t entry_bytes = options->struct_size;
    const weir_memory_options *entry =
        (const weir_memory_options *)(const void *)((const char *)options + i * entry_bytes);
    weir_status status = WEIR_OK;

    *out = (wi_memory_config){.strategy = device->config.strategy,
                              .no_compaction = device->config.no_compaction,
                              .given_debug = device->config.given_debug};
    if (entry->struct_size != entry_bytes)
        return wi_fail_hint(WEIR_E_ARG, where, "start each from WEIR_MEMORY_OPTIONS_INIT",
                            "struct_size of options %zu is %zu, that of the first %zu", i,
                            entry->struct_size, entry_bytes);
    status = wi_memory_config_apply(out, entry, where);
    if (status != WEIR_OK) return status;
    if (out->given_bytes == 0 && !(out->given_fraction > 0))
        return wi_fail_hint(WEIR_E_ARG, where, "set limit_bytes or limit_fraction in each",
                            "logical device %zu of %s has no limit", i, device->index_text);
    return wi_memory_config_resolve(out, device->traits.global_bytes);
}

static int is_in_force(const weir_device *device, size_t count, const wi_memory_config *configs)
{
    if (device->logical_count != count) return 0;
    for (size_t i = 0; i < count; i++)
        if (!wi_memory_config_equal(&device->logical[i]->config, &configs[i])) return 0;
    return 1;
}

static weir_status refuse_frozen(const weir_device *device)
{
    return wi_fail_hint(WEIR_E_CONFIG_FROZEN, where,
                        "split a device before the first allocation on it",
                        "device %s has been in use since \"%s\" allocated: %zu logical devices "
                        "with their strategies and limits stay as they are",
                        device->index_text, device->frozen_by, device->logical_count);
}

/* Makes the objects that are missing; they are unusable until logical_count covers them. */
static weir_status make_missing(weir_device *device, size_t count)
{
    weir_device **longer = NULL;

    if (device->logical_made >= count) return WEIR_OK;
    longer = wi_realloc(device->logical, count * sizeof(weir_device *));
    if (longer == NULL)
        return wi_fail(WEIR_E_HOST_MEMORY, where, "no host memory for %zu logical devices", count);
    device->logical = longer;
    while (device->logical_made < count) {
        weir_status status = wi_device_create_logical(device, (unsigned)device->logical_made,
                                                      &device->logical[device->logical_made]);
        if (status != WEIR_OK) return status;
        device->logical_made++;
    }
    return WEIR_OK;
}

/* Needs the lock. */
static weir_status split(weir_device *device, size_t count, const weir_memory_options *options)
{
    wi_memory_config configs[WEIR_LOGICAL_MAX];
    weir_status status = WEIR_OK;

    for (size_t i = 0; i < count && status == WEIR_OK; i++)
        status = read_config(device, options, i, &configs[i]);
    if (status != WEIR_OK) return status;
    if (is_in_force(device, count, configs)) return WEIR_OK;
    if (atomic_load(&device->is_frozen)) return refuse_frozen(device);
    status = check_sum(device, count, configs, where);
    if (status == WEIR_OK) status = make_missing(device, count);
    if (status != WEIR_OK) return status;
    for (size_t i = 0; i < count; i++) wi_device_set_config(device->logical[i], &configs[i]);
    device->logical_count = count;
    return WEIR_OK;
}

weir_status weir_device_split(weir_device *device, size_t count, const weir_memory_options *options,
                              weir_device **logical_out)
{
    weir_status status = WEIR_OK;

    if (device == NULL || options == NULL || logical_out == NULL || count == 0)
        return wi_fail(WEIR_E_ARG, where,
                       "device, options, logical_out and a count of 1 or more are required");
    if (count > WEIR_LOGICAL_MAX)
        return wi_fail(WEIR_E_ARG, where, "%zu logical devices; at most %d", count,
                       WEIR_LOGICAL_MAX);
    memset(logical_out, 0, count * sizeof(weir_device *));
    if (device->parent != NULL)
        return wi_fail_hint(WEIR_E_ARG, where, "split the physical device into more",
                            "device %s is a logical device, which cannot be split",
                            device->index_text);
    status = wi_device_check_process(device, where);
    if (status != WEIR_OK) return status;
    pthread_mutex_lock(&device->lock);
    status = split(device, count, options);
    for (size_t i = 0; i < count && status == WEIR_OK; i++) logical_out[i] = device->logical[i];
    pthread_mutex_unlock(&device->lock);
    return status;
}

size_t weir_device_logical_count(const weir_device *device)
{
    size_t count = 0;

    if (device == NULL) return 0;
    if (!wi_process_is_marked(device->mark)) return device->logical_count;
    pthread_mutex_lock(wi_device_get_lock(device));
    count = device->logical_count;
    pthread_mutex_unlock(wi_device_get_lock(device));
    return count;
}

weir_device *weir_device_logical(const weir_device *device, size_t i)
{
    weir_device *logical = NULL;

    if (device == NULL || !wi_process_is_marked(device->mark)) return NULL;
    pthread_mutex_lock(wi_device_get_lock(device));
    if (i < device->logical_count) logical = device->logical[i];
    pthread_mutex_unlock(wi_device_get_lock(device));
    return logical;
}

weir_device *weir_device_get_parent(const weir_device *device)
{
    return device != NULL ? device->parent : NULL;
}
