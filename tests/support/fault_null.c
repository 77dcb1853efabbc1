/* Opening and closing around a fault loop. Where nothing is cached there is a folder nonetheless, so that a build that is
 * cached by mistake stays in it. */
#include "fault_null.h"

#include "devices.h"
#include "null_device.h"
#include "own_cache.h"

#include <stdlib.h>

const wt_fault_options wt_fault_calls = {.kind = WT_FAULT_CL, .tolerated = WT_FAULT_MADE_GOOD};
const wt_fault_options wt_fault_host = {.kind = WT_FAULT_HOST,
                                        .tolerated = "the cache does without"};

weir_device *wt_fault_open(weir_system **system)
{
    wt_cache_begin();
    (void)wt_null_use();
    wt_host_count_begin(); /* the system is released through the allocator that made it */
    wt_ok(weir_system_create(system));
    return weir_system_device(*system, 0);
}

weir_device *wt_fault_open_uncached(weir_system **system)
{
    weir_device *device = wt_fault_open(system);

    cr_assert_eq(setenv("WEIR_CACHE", "0", 1), 0);
    return device;
}

void wt_fault_close(weir_system *system)
{
    weir_system_destroy(system);
    wt_cache_end();
}

wt_fault_result wt_fault_on_null(const wt_fault_options *options, wt_scenario *scenario)
{
    weir_system *system = NULL;
    weir_device *device = wt_fault_open(&system);
    const wt_fault_result result = wt_fault_each(options, scenario, device);

    wt_fault_close(system);
    return result;
}

wt_fault_result wt_fault_on_null_uncached(const wt_fault_options *options, wt_scenario *scenario)
{
    weir_system *system = NULL;
    weir_device *device = wt_fault_open_uncached(&system);
    const wt_fault_result result = wt_fault_each(options, scenario, device);

    wt_fault_close(system);
    return result;
}
