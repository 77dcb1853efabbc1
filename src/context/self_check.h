/* The check at open that a device computes the bits that weir promises.
 *
 * It runs before anything else on the context's queue and must not freeze the device's memory configuration, so its
 * buffer (at most 4 KiB) comes straight from src/cl and the device's budget, not from the pool.
 */
#ifndef WI_CONTEXT_SELF_CHECK_H
#define WI_CONTEXT_SELF_CHECK_H

#include <weir/context.h>
#include <weir/text.h>

#include <stdint.h>

#define WI_SELF_CHECK_FINDINGS 32
#define WI_SELF_CHECK_BYTES 4096

typedef enum wi_finding_state {
    WI_FINDING_PASS = 0,
    WI_FINDING_NAMED, /* differs in a way that no normal result shows; told, not refused */
    WI_FINDING_FAIL
} wi_finding_state;

typedef struct wi_finding {
    const char *name; /* static: "fma", "subnormals", "exp" */
    wi_finding_state state;
    char detail[96]; /* what differs; empty if it passed */
} wi_finding;

/* Invariants: count <= WI_SELF_CHECK_FINDINGS. */
typedef struct wi_self_check {
    unsigned count;
    wi_finding findings[WI_SELF_CHECK_FINDINGS];
} wi_self_check;

/** Runs the check. Errors: UNSUPPORTED (names what differs), OUT_OF_MEMORY, BUILD, DRIVER, HOST_MEMORY. */
weir_status wi_self_check_run(weir_context *context, wi_self_check *out);

/** Appends one line a finding. */
void wi_self_check_write(const wi_self_check *check, weir_text *text);

#endif
