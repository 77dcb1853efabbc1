/* Reports of memory: the message and hint of a failed request, and the tables of statistics and owners. */
#include "mem/oom.h"

#include "base/status.h"
#include "mem/owners.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Tapes hold more than any other owner; a tape's blocks are listed scope by scope. */
static int is_held_by_tapes(const weir_oom_report *report)
{
    uint64_t tapes = 0;
    uint64_t largest_other = 0;

    for (unsigned i = 0; i < report->owner_count; i++) {
        const weir_oom_owner *owner = &report->owners[i];
        if (wi_owner_is_named(owner->owner, WI_OWNER_TAPE))
            tapes += owner->bytes;
        else if (owner->bytes > largest_other)
            largest_other = owner->bytes;
    }
    return tapes > largest_other;
}

/* What helps, by cause, or because of who holds most. */
static const char *hint_of(const weir_oom_report *report)
{
    if (report->cause != WEIR_OOM_MAX_ALLOC && is_held_by_tapes(report)) {
        return "a tape keeps most of it for backward: stop recording where no gradient is needed "
               "(weir_tape_stop), cut the chain (weir_stop_gradient), record a smaller loop, or "
               "raise the limit; weir_tape_explain() lists it";
    }
    switch (report->cause) {
    case WEIR_OOM_LIMIT:
        return "release what is no longer needed (weir_pool_diff() names what grows), update one "
               "variable with weir_variable_assign_add() instead of keeping old values, or raise "
               "the limit "
               "(weir_memory_options.limit_bytes, WEIR_LIMIT)";
    case WEIR_OOM_DRIVER:
        return "release what is no longer needed, give free roots back with weir_pool_trim(), or "
               "set a limit below what other programs leave (weir_memory_options.limit_bytes)";
    case WEIR_OOM_PINNED:
        return "release blocks that weir_block_get_cl_mem() handed out, which stay where they are, "
               "or take them before all others, so that they lie together; weir_pool_trim() gives "
               "the roots between them back";
    case WEIR_OOM_FRAGMENTED:
        return "release blocks that lie between free ranges, take large blocks first, or give "
               "wholly free roots back with weir_pool_trim()";
    case WEIR_OOM_MAX_ALLOC:
        return "split the tensor: no buffer of this device can be larger";
    case WEIR_OOM_NONE:
        break;
    }
    return "";
}

const char *wi_oom_format_bytes(uint64_t bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    double value = (double)bytes;
    while (value >= 1024.0 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024.0;
        unit++;
    }
    (void)snprintf(buffer, size, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
    return buffer;
}

weir_status wi_oom_fail(const weir_oom_report *report, const char *owner,
                        const wi_device_traits *traits, uint64_t others_bytes)
{
    char limit[64] = "no limit set";
    char others[80] = "";
    char largest[64 + WEIR_OWNER_BYTES] = "";

    if (report->cause == WEIR_OOM_MAX_ALLOC) {
        (void)snprintf(limit, sizeof limit, "largest buffer of the device %" PRIu64 " bytes",
                       traits->max_alloc_bytes);
    } else if (report->limit_bytes != 0) {
        (void)snprintf(limit, sizeof limit, "limit %" PRIu64 " bytes", report->limit_bytes);
    }
    if (report->owner_count != 0) {
        (void)snprintf(largest, sizeof largest, "; largest owner: %s, %" PRIu64 " block%s",
                       report->owners[0].owner, report->owners[0].blocks,
                       report->owners[0].blocks == 1 ? "" : "s");
    }
    if (report->cause == WEIR_OOM_LIMIT && others_bytes != 0) {
        (void)snprintf(others, sizeof others,
                       "; other contexts of the device reserve %" PRIu64 " bytes", others_bytes);
    }
    return wi_fail_oom(report, "weir_pool_alloc", hint_of(report),
                       "%s asked for %" PRIu64 " bytes: %s (in use %" PRIu64
                       " bytes, reserved %" PRIu64 " bytes, %s%s%s)",
                       owner, report->requested_bytes, weir_oom_cause_text(report->cause),
                       report->in_use_bytes, report->reserved_bytes, limit, largest, others);
}

void wi_oom_write_stats(const weir_pool_stats *stats, const char *strategy, weir_text *text)
{
    const struct {
        const char *name;
        const weir_counter *counter;
    } rows[] = {{"requested", &stats->requested_bytes},
                {"in use", &stats->in_use_bytes},
                {"reserved", &stats->reserved_bytes}};
    char current[32];
    char peak[32];
    char total[32];

    weir_text_append(text, "pool: %s, ", strategy);
    if (stats->limit_bytes == 0)
        weir_text_append(text, "no limit\n");
    else
        weir_text_append(text, "limit %s\n", wi_oom_format_bytes(stats->limit_bytes, current, 32));
    weir_text_append(text, "%-10s %12s %12s %12s %10s\n", "bytes", "now", "peak", "total", "count");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const weir_counter *counter = rows[i].counter;
        weir_text_append(text, "%-10s %12s %12s %12s %10" PRIu64 "\n", rows[i].name,
                         wi_oom_format_bytes(counter->current, current, sizeof current),
                         wi_oom_format_bytes(counter->peak, peak, sizeof peak),
                         wi_oom_format_bytes(counter->total, total, sizeof total), counter->count);
    }
    weir_text_append(
        text, "driver: %" PRIu64 " buffer%s taken, %" PRIu64 " given back; largest free range %s\n",
        stats->driver_allocs, stats->driver_allocs == 1 ? "" : "s", stats->driver_frees,
        wi_oom_format_bytes(stats->largest_free_bytes, current, sizeof current));
    if (stats->compactions != 0) {
        weir_text_append(text, "compaction: %" PRIu64 " time%s, %s moved\n", stats->compactions,
                         stats->compactions == 1 ? "" : "s",
                         wi_oom_format_bytes(stats->moved_bytes, current, sizeof current));
    }
}

void wi_oom_write_owners(const weir_oom_report *report, uint64_t total_bytes, uint64_t total_blocks,
                         weir_text *text)
{
    char bytes[32];

    if (report->owner_count == 0) {
        weir_text_append(text, "owners: none\n");
        return;
    }
    weir_text_append(text, "%-32s %12s %10s\n", "owner", "in use", "blocks");
    for (unsigned i = 0; i < report->owner_count; i++) {
        const weir_oom_owner *owner = &report->owners[i];
        weir_text_append(text, "%-32s %12s %10" PRIu64 "\n", owner->owner,
                         wi_oom_format_bytes(owner->bytes, bytes, sizeof bytes), owner->blocks);
        total_bytes -= owner->bytes;
        total_blocks -= owner->blocks;
    }
    if (total_blocks != 0) {
        weir_text_append(text, "%-32s %12s %10" PRIu64 "\n", "(others)",
                         wi_oom_format_bytes(total_bytes, bytes, sizeof bytes), total_blocks);
    }
}

void weir_oom_report_write(const weir_oom_report *report, weir_text *text)
{
    char bytes[32];
    uint64_t listed_bytes = 0;
    uint64_t listed_blocks = 0;

    if (report == NULL || text == NULL) return;
    const struct {
        const char *name;
        uint64_t bytes;
    } rows[] = {{"asked for", report->requested_bytes},
                {"in use", report->in_use_bytes},
                {"reserved", report->reserved_bytes},
                {"largest free range", report->largest_free_bytes}};
    weir_text_append(text, "out of memory (%s): %s\n", weir_oom_cause_name(report->cause),
                     weir_oom_cause_text(report->cause));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_text_append(text, "%-32s %12s\n", rows[i].name,
                         wi_oom_format_bytes(rows[i].bytes, bytes, sizeof bytes));
    }
    weir_text_append(text, "%-32s %12s\n", "limit",
                     report->limit_bytes == 0
                         ? "none"
                         : wi_oom_format_bytes(report->limit_bytes, bytes, sizeof bytes));
    for (unsigned i = 0; i < report->owner_count; i++) {
        listed_bytes += report->owners[i].bytes;
        listed_blocks += report->owners[i].blocks;
    }
    wi_oom_write_owners(report, listed_bytes, listed_blocks, text);
    if (report->in_use_bytes > listed_bytes) {
        weir_text_append(
            text, "%-32s %12s\n", "(others)",
            wi_oom_format_bytes(report->in_use_bytes - listed_bytes, bytes, sizeof bytes));
    }
    if (hint_of(report)[0] != '\0') weir_text_append(text, "%s\n", hint_of(report));
}
