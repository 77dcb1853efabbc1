/* Integers that are known now, or only when a captured function runs: trip counts and loop indices. */
#ifndef WEIR_SCALAR_H
#define WEIR_SCALAR_H

#include <weir/export.h>

#include <stdint.h>

WEIR_BEGIN_DECLS

/* Plain data; copy it freely. symbol == 0: the number `value`. Else an argument or loop index of the capture that made
 * it, of no use outside that capture. */
typedef struct weir_scalar {
    int64_t value;
    uint32_t symbol;
    uint32_t capture; /* which capture the symbol belongs to */
} weir_scalar;

/** Returns a scalar that is a number. */
static inline weir_scalar weir_scalar_of(int64_t value)
{
    weir_scalar scalar = {value, 0, 0};
    return scalar;
}

WEIR_END_DECLS

#endif
