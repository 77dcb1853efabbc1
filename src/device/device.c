/* One device: what was read of it, and how contexts on it take memory.
 *
 * The configuration freezes with the first allocation. Freezing happens on every allocation's path, so it costs one
 * atomic load once it is done; setting and freezing themselves hold the device's lock.
 */
#include "device/device_state.h"

#include "base/memory.h"
#include "base/status.h"
#include "device/class.h"
#include "device/traits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Platform name and version, which name the driver for caches. */
static char *make_platform_text(const weir_record *record)
{
    const char *name = wi_record_get_text(record, WI_PROPERTY_PLATFORM_NAME);
    const char *version = wi_record_get_text(record, WI_PROPERTY_PLATFORM_VERSION);
    size_t bytes = strlen(name) + strlen(version) + 2;
    char *text = wi_malloc(bytes);

    if (text != NULL) snprintf(text, bytes, "%s %s", name, version);
    return text;
}

static void set_budget(weir_device *device)
{
    atomic_store(&device->budget.limit_bytes,
                 device->config.limit_bytes != 0 ? device->config.limit_bytes : UINT64_MAX);
}

/* Listing devices must not fail for a malformed WEIR_POOL or WEIR_LIMIT: that is told by whoever would use it. */
static void resolve_or_default(weir_device *device)
{
    const weir_error before = *weir_last_error();

    if (wi_memory_config_resolve(&device->config, device->traits.global_bytes) != WEIR_OK)
        wi_error_restore(&before);
}

weir_status wi_device_create(cl_platform_id cl_platform, cl_device_id cl_device,
                             weir_record *record, weir_device **out)
{
    weir_status status = WEIR_OK;
    weir_device *device = wi_calloc(1, sizeof *device);
    wi_pci pci;

    *out = NULL;
    if (device == NULL || pthread_mutex_init(&device->lock, NULL) != 0) {
        wi_free(device);
        wi_record_destroy(record);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_system_create", "%zu bytes for a device",
                       sizeof *device);
    }
    device->cl_platform = cl_platform;
    device->cl_device = cl_device;
    device->record = record;
    device->device_class = wi_record_class(record, NULL);
    wi_traits_make(record, &device->traits);
    if (wi_record_get_pci(record, &pci)) (void)wi_pci_format(&pci, device->pci_text);
    device->platform_text = make_platform_text(record);
    if (device->platform_text == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_system_create",
                         "no host memory for a platform's name");
        goto done;
    }
    device->traits.platform_text = device->platform_text;
    device->mark = wi_process_mark_create();
    if (device->mark == NULL) {
        status = wi_fail(WEIR_E_HOST_MEMORY, "weir_system_create", "no host memory for a device");
        goto done;
    }
    resolve_or_default(device);
    set_budget(device);

    *out = device;
    device = NULL;
done:
    wi_device_destroy(device);
    return status;
}

void wi_device_destroy(weir_device *device)
{
    if (device == NULL) return;
    pthread_mutex_destroy(&device->lock);
    wi_process_mark_destroy(device->mark);
    wi_free(device->platform_text);
    wi_record_destroy(device->record);
    wi_free(device);
}

/* A copy of the configuration. The device is const for the caller; its lock is not. */
static wi_memory_config config_of(const weir_device *device)
{
    weir_device *d = (weir_device *)(uintptr_t)device;
    wi_memory_config config;

    pthread_mutex_lock(&d->lock);
    config = d->config;
    pthread_mutex_unlock(&d->lock);
    return config;
}

int wi_device_check(weir_device *device, weir_text *why)
{
    uint64_t limit = 0;
    uint64_t expected = 0;
    uint64_t reserved = 0;

    pthread_mutex_lock(&device->lock);
    expected = device->config.limit_bytes != 0 ? device->config.limit_bytes : UINT64_MAX;
    limit = atomic_load(&device->budget.limit_bytes);
    reserved = atomic_load(&device->budget.reserved_bytes);
    pthread_mutex_unlock(&device->lock);
    if (limit != expected)
        weir_text_append(
            why, "device %s: the budget's limit is %" PRIu64 ", the configuration's %" PRIu64 "\n",
            wi_record_get_index(device->record), limit, expected);
    if (reserved > limit)
        weir_text_append(why, "device %s: %" PRIu64 " bytes reserved, limit %" PRIu64 "\n",
                         wi_record_get_index(device->record), reserved, limit);
    return limit == expected && reserved <= limit;
}

static int is_same(const wi_memory_config *a, const wi_memory_config *b)
{
    return a->strategy_in_force == b->strategy_in_force && a->limit_bytes == b->limit_bytes &&
           a->no_compaction == b->no_compaction;
}

static const char *compaction_text(const wi_memory_config *config)
{
    return config->no_compaction ? " without compaction" : "";
}

static weir_status refuse(const weir_device *device, const wi_memory_config *wanted)
{
    return wi_fail_hint(
        WEIR_E_CONFIG_FROZEN, "weir_device_configure",
        "configure a device before the first allocation on it",
        "device %s has strategy %s%s and limit %" PRIu64
        " bytes since \"%s\" allocated; %s%s and %" PRIu64 " were asked for",
        wi_record_get_index(device->record), wi_strategy_name(device->config.strategy_in_force),
        compaction_text(&device->config), device->config.limit_bytes, device->frozen_by,
        wi_strategy_name(wanted->strategy_in_force), compaction_text(wanted), wanted->limit_bytes);
}

weir_status weir_device_configure(weir_device *device, const weir_memory_options *options)
{
    weir_status status = WEIR_OK;
    wi_memory_config wanted;

    if (device == NULL) return wi_fail(WEIR_E_ARG, "weir_device_configure", "device is required");
    pthread_mutex_lock(&device->lock);
    wanted = device->config;
    status = wi_memory_config_apply(&wanted, options);
    if (status == WEIR_OK) status = wi_memory_config_resolve(&wanted, device->traits.global_bytes);
    if (status == WEIR_OK && !is_same(&wanted, &device->config) && atomic_load(&device->is_frozen))
        status = refuse(device, &wanted);
    if (status == WEIR_OK) {
        device->config = wanted;
        set_budget(device);
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

weir_status wi_device_check_config(const weir_device *device)
{
    wi_memory_config config = config_of(device);

    return wi_memory_config_resolve(&config, device->traits.global_bytes);
}

weir_status wi_device_check_process(const weir_device *device)
{
    if (wi_process_is_marked(device->mark)) return WEIR_OK;
    return wi_fail_hint(WEIR_E_FORKED, "weir_context_create",
                        "fork before the first call of weir_system_create()",
                        "device %s was listed by the process that forked this one",
                        wi_record_get_index(device->record));
}

void wi_device_freeze(weir_device *device, const char *owner)
{
    if (atomic_load(&device->is_frozen)) return;
    pthread_mutex_lock(&device->lock);
    if (!atomic_load(&device->is_frozen)) {
        snprintf(device->frozen_by, sizeof device->frozen_by, "%s", owner != NULL ? owner : "user");
        atomic_store(&device->is_frozen, 1);
    }
    pthread_mutex_unlock(&device->lock);
}

uint64_t weir_device_get_limit_bytes(const weir_device *device)
{
    return device != NULL ? config_of(device).limit_bytes : 0;
}

const char *weir_device_get_strategy(const weir_device *device)
{
    return device != NULL ? wi_strategy_name(wi_device_get_strategy_row(device)) : "";
}

const wi_strategy *wi_device_get_strategy_row(const weir_device *device)
{
    return config_of(device).strategy_in_force;
}

int wi_device_may_compact(const weir_device *device) { return !config_of(device).no_compaction; }

const char *weir_device_get_index(const weir_device *device)
{
    return device != NULL ? wi_record_get_index(device->record) : "";
}

const char *weir_device_get_name(const weir_device *device)
{
    return device != NULL ? wi_record_get_text(device->record, WI_PROPERTY_NAME) : "";
}

const char *weir_device_get_platform_name(const weir_device *device)
{
    return device != NULL ? wi_record_get_text(device->record, WI_PROPERTY_PLATFORM_NAME) : "";
}

const char *weir_device_get_pci(const weir_device *device)
{
    return device != NULL ? device->pci_text : "";
}

weir_device_class weir_device_get_class(const weir_device *device)
{
    return device != NULL ? device->device_class : WEIR_DEVICE_EMULATOR;
}

const weir_record *weir_device_get_record(const weir_device *device)
{
    return device != NULL ? device->record : NULL;
}

cl_platform_id wi_device_get_cl_platform(const weir_device *device) { return device->cl_platform; }

cl_device_id wi_device_get_cl_device(const weir_device *device) { return device->cl_device; }

const wi_device_traits *wi_device_get_traits(const weir_device *device) { return &device->traits; }

wi_budget *wi_device_get_budget(weir_device *device) { return &device->budget; }
