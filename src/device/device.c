/* One device: what was read of it, and how contexts on it take memory.
 *
 * The configuration freezes with the first allocation, and with it how the device is split (logical.c): whoever makes
 * a pool's arena freezes first and reads the configuration then. Setting and freezing hold one lock, that of the physical device.
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

void wi_device_set_config(weir_device *device, const wi_memory_config *config)
{
    device->config = *config;
    atomic_store(&device->budget.limit_bytes,
                 config->limit_bytes != 0 ? config->limit_bytes : UINT64_MAX);
}

/* Listing devices must not fail for a malformed WEIR_POOL or WEIR_LIMIT: that is told by whoever would use it. */
static void resolve_or_default(weir_device *device)
{
    const weir_error before = *weir_last_error();
    wi_memory_config config = {0};

    if (wi_memory_config_resolve(&config, device->traits.global_bytes) != WEIR_OK)
        wi_error_restore(&before);
    wi_device_set_config(device, &config);
}

/* What every device has of its own; 1, or 0 with nothing to undo. */
static int init(weir_device *device)
{
    if (device == NULL || pthread_mutex_init(&device->lock, NULL) != 0) return 0;
    if (wi_lenders_init(&device->lenders)) return 1;
    (void)pthread_mutex_destroy(&device->lock);
    return 0;
}

weir_status wi_device_create(cl_platform_id cl_platform, cl_device_id cl_device,
                             weir_record *record, weir_device **out)
{
    weir_status status = WEIR_OK;
    weir_device *device = wi_calloc(1, sizeof *device);
    wi_pci pci;

    *out = NULL;
    if (!init(device)) {
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
    snprintf(device->index_text, sizeof device->index_text, "%s", wi_record_get_index(record));
    resolve_or_default(device);

    *out = device;
    device = NULL;
done:
    wi_device_destroy(device);
    return status;
}

weir_status wi_device_create_logical(weir_device *parent, unsigned ordinal, weir_device **out)
{
    weir_device *device = wi_calloc(1, sizeof *device);

    *out = NULL;
    if (!init(device)) {
        wi_free(device);
        return wi_fail(WEIR_E_HOST_MEMORY, "weir_device_split", "%zu bytes for a device",
                       sizeof *device);
    }
    device->cl_platform = parent->cl_platform;
    device->cl_device = parent->cl_device;
    device->record = parent->record;
    device->device_class = parent->device_class;
    device->traits = parent->traits;
    memcpy(device->pci_text, parent->pci_text, sizeof device->pci_text);
    device->platform_text = parent->platform_text;
    device->mark = parent->mark;
    device->parent = parent;
    device->ordinal = ordinal;
    snprintf(device->index_text, sizeof device->index_text, "%.20s:%u", parent->index_text,
             ordinal);
    *out = device;
    return WEIR_OK;
}

static void free_device(weir_device *device)
{
    wi_lenders_fini(&device->lenders);
    pthread_mutex_destroy(&device->lock);
    wi_free(device);
}

void wi_device_destroy(weir_device *device)
{
    if (device == NULL) return;
    for (size_t i = 0; i < device->logical_made; i++) free_device(device->logical[i]);
    wi_free(device->logical);
    if (device->parent == NULL) {
        wi_process_mark_destroy(device->mark);
        wi_free(device->platform_text);
        wi_record_destroy(device->record);
    }
    free_device(device);
}

pthread_mutex_t *wi_device_get_lock(const weir_device *device)
{
    /* The device is const for the caller; its lock is not. */
    return &((weir_device *)(uintptr_t)(device->parent != NULL ? device->parent : device))->lock;
}

/* A copy of the configuration. In a forked child the lock may be held for good by a thread that is not there. */
static wi_memory_config config_of(const weir_device *device)
{
    wi_memory_config config;

    if (!wi_process_is_marked(device->mark)) return device->config;
    pthread_mutex_lock(wi_device_get_lock(device));
    config = device->config;
    pthread_mutex_unlock(wi_device_get_lock(device));
    return config;
}

/* Verifies that the budget is the configuration's. Needs the lock. */
static int check_budget(weir_device *device, weir_text *why)
{
    const uint64_t expected =
        device->config.limit_bytes != 0 ? device->config.limit_bytes : UINT64_MAX;
    const uint64_t limit = atomic_load(&device->budget.limit_bytes);
    const uint64_t reserved = atomic_load(&device->budget.reserved_bytes);

    if (limit != expected)
        weir_text_append(
            why, "device %s: the budget's limit is %" PRIu64 ", the configuration's %" PRIu64 "\n",
            device->index_text, limit, expected);
    if (reserved > limit)
        weir_text_append(why, "device %s: %" PRIu64 " bytes reserved, limit %" PRIu64 "\n",
                         device->index_text, reserved, limit);
    return limit == expected && reserved <= limit;
}

int wi_device_check(weir_device *device, weir_text *why)
{
    int is_right = 0;

    pthread_mutex_lock(wi_device_get_lock(device));
    is_right = check_budget(device, why) && wi_device_check_logical(device, why);
    for (size_t i = 0; i < device->logical_count; i++)
        is_right = check_budget(device->logical[i], why) && is_right;
    pthread_mutex_unlock(wi_device_get_lock(device));
    return is_right;
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
        "device %s has strategy %s%s, limit %" PRIu64
        " bytes and debug level %u since \"%s\" allocated; %s%s, %" PRIu64 " and %u were asked for",
        device->index_text, wi_strategy_name(device->config.strategy_in_force),
        compaction_text(&device->config), device->config.limit_bytes, device->config.debug_level,
        device->frozen_by, wi_strategy_name(wanted->strategy_in_force), compaction_text(wanted),
        wanted->limit_bytes, wanted->debug_level);
}

/* Needs the lock. */
static weir_status configure(weir_device *device, const weir_memory_options *options)
{
    weir_status status = WEIR_OK;
    wi_memory_config wanted = device->config;

    /* A later split has no room for this one: whatever it is to be, it has no memory. */
    if (device->parent != NULL && device->ordinal >= device->parent->logical_count)
        return wi_device_check_layout(device, "weir_device_configure");
    status = wi_memory_config_apply(&wanted, options, "weir_device_configure");
    if (status == WEIR_OK) status = wi_memory_config_resolve(&wanted, device->traits.global_bytes);
    if (status != WEIR_OK) return status;
    if (wi_memory_config_equal(&wanted, &device->config)) {
        /* What was chosen may have changed though what is in force has not. */
        if (!atomic_load(&device->is_frozen) && device->logical_count == 0 &&
            (device->parent == NULL || wanted.given_bytes != 0 || wanted.given_fraction > 0))
            wi_device_set_config(device, &wanted);
        return WEIR_OK;
    }
    if (atomic_load(&device->is_frozen)) return refuse(device, &wanted);
    status = wi_device_check_share(device, &wanted);
    if (status == WEIR_OK) wi_device_set_config(device, &wanted);
    return status;
}

weir_status weir_device_configure(weir_device *device, const weir_memory_options *options)
{
    weir_status status = WEIR_OK;

    if (device == NULL) return wi_fail(WEIR_E_ARG, "weir_device_configure", "device is required");
    status = wi_device_check_process(device, "weir_device_configure");
    if (status != WEIR_OK) return status;
    pthread_mutex_lock(wi_device_get_lock(device));
    status = configure(device, options);
    pthread_mutex_unlock(wi_device_get_lock(device));
    return status;
}

weir_status wi_device_check_open(const weir_device *device, const char *where)
{
    weir_status status = wi_device_check_process(device, where);
    wi_memory_config config;

    if (status != WEIR_OK) return status;
    pthread_mutex_lock(wi_device_get_lock(device));
    config = device->config;
    status = wi_device_check_layout(device, where);
    pthread_mutex_unlock(wi_device_get_lock(device));
    if (status != WEIR_OK) return status;
    return wi_memory_config_resolve(&config, device->traits.global_bytes);
}

weir_status wi_device_check_process(const weir_device *device, const char *where)
{
    if (wi_process_is_marked(device->mark)) return WEIR_OK;
    return wi_fail_hint(WEIR_E_FORKED, where, "fork before the first call of weir_system_create()",
                        "device %s was listed by the process that forked this one",
                        device->index_text);
}

static void mark_frozen(weir_device *device, const char *owner)
{
    if (atomic_load(&device->is_frozen)) return;
    snprintf(device->frozen_by, sizeof device->frozen_by, "%s", owner);
    atomic_store(&device->is_frozen, 1);
}

weir_status wi_device_freeze(weir_device *device, const char *owner)
{
    weir_status status = WEIR_OK;

    pthread_mutex_lock(wi_device_get_lock(device));
    status = wi_device_check_layout(device, "weir_pool_alloc");
    if (status == WEIR_OK) {
        mark_frozen(device, owner != NULL ? owner : "user");
        if (device->parent != NULL) mark_frozen(device->parent, device->frozen_by);
    }
    pthread_mutex_unlock(wi_device_get_lock(device));
    return status;
}

uint64_t weir_device_get_limit_bytes(const weir_device *device)
{
    return device != NULL ? config_of(device).limit_bytes : 0;
}

int weir_device_is_limit_set(const weir_device *device)
{
    return device != NULL && config_of(device).is_limit_set;
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

unsigned wi_device_get_debug_level(const weir_device *device)
{
    return config_of(device).debug_level;
}

const char *weir_device_get_index(const weir_device *device)
{
    return device != NULL ? device->index_text : "";
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

wi_lenders *wi_device_get_lenders(weir_device *device) { return &device->lenders; }
