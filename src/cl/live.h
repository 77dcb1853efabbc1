/* Counting of the OpenCL objects that src/cl holds, for weir/live.h. */
#ifndef WI_CL_LIVE_H
#define WI_CL_LIVE_H

#include <weir/live.h>

#include <stdint.h>

typedef enum wi_live_kind {
#define WI_LIVE_KIND(NAME, Field, Text) WI_LIVE_##NAME,
    WEIR_LIVE_LIST(WI_LIVE_KIND)
#undef WI_LIVE_KIND
        WI_LIVE_KINDS
} wi_live_kind;

/** Counts a reference that a driver gave: called after a create, retain or enqueue succeeded. */
void wi_live_add(wi_live_kind kind);

/** Counts a reference that is about to be given back: called before the release. */
void wi_live_drop(wi_live_kind kind);

/** References of a kind ever given back. While it stands still, no handle of that kind can have become another object. */
uint64_t wi_live_dropped(wi_live_kind kind);

#endif
