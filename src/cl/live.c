/* Counters of live OpenCL objects.
 *
 * Two counters a kind, both only growing: what was given and what was given back. The live number is their difference;
 * it is read in the order "back, then given", so that it can never come out negative while other threads work. The
 * second counter alone also tells launches whether a buffer handle may have been reused (see kernel.c).
 * No locks; the counters order nothing else.
 */
#include "cl/live.h"

#include <stdatomic.h>
#include <stddef.h>

static struct live_counter {
    _Atomic uint64_t added;
    _Atomic uint64_t dropped;
} counters[WI_LIVE_KINDS];

void wi_live_add(wi_live_kind kind) { atomic_fetch_add(&counters[kind].added, 1); }

void wi_live_drop(wi_live_kind kind) { atomic_fetch_add(&counters[kind].dropped, 1); }

uint64_t wi_live_dropped(wi_live_kind kind) { return atomic_load(&counters[kind].dropped); }

static uint64_t read_live(wi_live_kind kind)
{
    uint64_t dropped = atomic_load(&counters[kind].dropped);
    return atomic_load(&counters[kind].added) - dropped;
}

void weir_live_get(weir_live *out)
{
    weir_live live = {0};

    if (out == NULL) return;
#define READ_KIND(NAME, Field, Text)        \
    live.Field = read_live(WI_LIVE_##NAME); \
    live.total += live.Field;
    WEIR_LIVE_LIST(READ_KIND)
#undef READ_KIND
    *out = live;
}
