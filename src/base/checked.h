/* Arithmetic on sizes that says when it does not fit. Each returns 1 and sets *out, or returns 0. */
#ifndef WI_BASE_CHECKED_H
#define WI_BASE_CHECKED_H

#include <stdint.h>

static inline int wi_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a + b;
    return *out >= a;
}

static inline int wi_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a * b;
    if (((a | b) >> 32) == 0)
        return 1; /* a division takes as long as the rest of a small operation */
    return a == 0 || *out / a == b;
}

/** Rounds up to a multiple of `align`, a power of two. */
static inline int wi_align_u64(uint64_t value, uint64_t align, uint64_t *out)
{
    if (!wi_add_u64(value, align - 1, out)) return 0;
    *out &= ~(align - 1);
    return 1;
}

#endif
